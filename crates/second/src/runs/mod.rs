//! All runs of a program, one after the other, with inputs left open: what is left where a proof brings no formulas, or
//! speaks of memory.
//!
//! A path is followed until it ends; where a condition depends on inputs it parts, and the solver is asked which sides
//! there are. Nothing is joined, so this is slow where the first checker is clever, and has little in common with it.
//! Where paths are too many, runs meet instead ([`joins`]). Pointers are an object and a distance, objects hold the
//! values that were stored. What would need addresses, or arithmetic on floats that depend on inputs, is no business of
//! this road.

mod expr;
mod floats;
mod joins;
mod leaks;
mod memory;
mod model;
mod state;
mod step;
mod threads;

use rhumb_program::{LocId, LocKind, Program, TargetKind};
use rustc_hash::{FxHashMap, FxHashSet};

use self::floats::Floats;
use self::joins::Order;
use self::model::{Model, Symbols};
use self::state::{Halt, PathState};
use self::step::Flow;
use crate::Opinion;
use crate::decide::{Decision, Effort, OpinionLimits, decide};
use crate::pool::{Id, Pool};
use crate::solver::Solver;

/// Steps on all paths together.
const MAX_STEPS: u64 = 30_000_000;

/// The part of the time that paths have before runs meet.
const PATHS: f64 = 0.3;

/// Steps between two looks at the clock.
const STRIDE: u64 = 256;

/// States of threads that are remembered.
const MAX_SEEN: usize = 400_000;

/// Follows all runs.
pub(crate) fn check(program: &Program, solver: &Solver, limits: &OpinionLimits<'_>) -> Opinion {
    let is_known = |kind: &TargetKind| match kind {
        TargetKind::Call(_)
        | TargetKind::Assertion
        | TargetKind::Label(_)
        | TargetKind::Undefined(_)
        | TargetKind::Leak(_)
        | TargetKind::Endless(_)
        | TargetKind::Goal(_) => true,
        TargetKind::Thread(_) => false,
    };
    if !program.targets.iter().all(|target| is_known(&target.kind)) || program.sets_rounding() {
        let why = "what is asked about, or how numbers are rounded, is not modelled here";
        return Opinion::Undecided(why.to_owned());
    }
    let part = limits.part(PATHS);
    let mut paths = Runs::new(program, solver, &part, false);
    let by_paths = match paths.all() {
        Err(Halt::Undecided(why)) => why,
        other => return opinion(other),
    };
    let mut runs = Runs::new(program, solver, limits, true);
    if !runs.order.can_join() {
        return Opinion::Undecided(by_paths);
    }
    match opinion(runs.all_joined()) {
        Opinion::Undecided(why) => Opinion::Undecided(format!("{by_paths}; and {why}")),
        opinion => opinion,
    }
}

fn opinion(end: Result<(), Halt>) -> Opinion {
    match end {
        Ok(()) => Opinion::Valid,
        Err(Halt::Undecided(why)) => Opinion::Undecided(why),
        Err(Halt::Split(_)) => Opinion::Undecided("a value has too many cases".to_owned()),
        Err(Halt::Reached { what, is_certain }) => match is_certain {
            true => Opinion::Rejected(format!("a run reaches {what}")),
            false => {
                Opinion::Undecided(format!("as far as is modelled here, a run reaches {what}"))
            }
        },
    }
}

/// Values for which formulas hold, as the solver writes them; none if there are none.
type Answer = Option<Vec<(Id, String)>>;

struct Runs<'a> {
    program: &'a Program,
    solver: &'a Solver,
    limits: &'a OpinionLimits<'a>,
    pool: Pool,
    symbols: Symbols,
    /// The symbols of inputs, so that equal events on different paths have equal ones.
    inputs: FxHashMap<state::Event, Id>,
    /// States in which another thread may go on.
    seen: FxHashSet<u128>,
    /// Questions that were answered: the formulas, and values for which they hold.
    answers: FxHashMap<Box<[Id]>, Answer>,
    floats: Floats,
    order: Order<'a>,
    /// Whether runs meet.
    joins: bool,
    /// Then: whether a side of a branch is asked for before it is taken.
    is_asking: bool,
}

impl<'a> Runs<'a> {
    fn new(
        program: &'a Program,
        solver: &'a Solver,
        limits: &'a OpinionLimits<'a>,
        joins: bool,
    ) -> Runs<'a> {
        let mut pool = Pool::default();
        pool.is_ordering = joins;
        Runs {
            program,
            solver,
            limits,
            pool,
            symbols: Symbols::default(),
            inputs: FxHashMap::default(),
            seen: FxHashSet::default(),
            answers: FxHashMap::default(),
            floats: Floats::default(),
            order: Order::new(program),
            joins,
            is_asking: false,
        }
    }
}

impl Runs<'_> {
    fn all(&mut self) -> Result<(), Halt> {
        let mut todo = vec![PathState::first(self)?];
        let mut steps = 0_u64;
        while let Some(mut state) = todo.pop() {
            loop {
                steps += 1;
                if steps > MAX_STEPS || (steps.is_multiple_of(STRIDE) && self.limits.is_over()) {
                    return Err(Halt::undecided(
                        "there are too many runs to follow them all",
                    ));
                }
                match self.step(&mut state) {
                    Ok(Flow::On) => {}
                    Ok(Flow::End) => break,
                    Ok(Flow::Fork(states)) => {
                        todo.extend(states);
                        break;
                    }
                    Err(Halt::Split(value)) => {
                        todo.extend(self.split(state, value)?);
                        break;
                    }
                    Err(halt) => return Err(halt),
                }
            }
        }
        Ok(())
    }

    /// The state with a condition, if that is possible.
    fn assuming(&mut self, state: &PathState, condition: Id) -> Result<Option<PathState>, Halt> {
        if self.joins {
            return self.supposing(state, condition);
        }
        let Some(model) = self.possible(state, condition)? else {
            return Ok(None);
        };
        let mut state = state.clone();
        if self.pool.as_bool(condition).is_none() {
            state.path.push(condition);
        }
        state.model = model;
        Ok(Some(state))
    }

    /// Whether a condition can hold where a path is; with values for which it does.
    fn possible(
        &mut self,
        state: &PathState,
        condition: Id,
    ) -> Result<Option<Option<Model>>, Halt> {
        match self.pool.as_bool(condition) {
            Some(true) => return Ok(Some(state.model.clone())),
            Some(false) => return Ok(None),
            None => {}
        }
        if let Some(model) = &state.model
            && !self.floats.speaks_of(&self.pool, condition)
            && model.evaluate(&self.pool, condition) == Some(1)
        {
            return Ok(Some(state.model.clone()));
        }
        let (mut formulas, wanted) = self.symbols.slice(&self.pool, &state.path, condition);
        formulas.push(condition);
        let Some(values) = self.answer(&formulas, &wanted)? else {
            return Ok(None);
        };
        if self
            .floats
            .refute(&self.pool, &state.path, condition, self.limits)
        {
            return Ok(None);
        }
        let model = state.model.as_ref().and_then(|model| {
            let model = model.with(&self.pool, &values)?;
            let mut held = formulas.iter();
            let holds = |&formula: &Id| model.evaluate(&self.pool, formula) == Some(1);
            held.all(holds).then_some(model)
        });
        Ok(Some(model))
    }

    /// Values for which formulas hold together; none if there are none. What was asked before is not asked again.
    fn answer(&mut self, formulas: &[Id], wanted: &[Id]) -> Result<Answer, Halt> {
        let mut key: Vec<Id> = formulas.to_vec();
        key.sort_unstable();
        key.dedup();
        let key: Box<[Id]> = key.into();
        if let Some(known) = self.answers.get(&key) {
            return Ok(known.clone());
        }
        let (pool, limits) = (&self.pool, self.limits);
        let answer = match decide(self.solver, pool, formulas, wanted, limits, Effort::Full) {
            Decision::Impossible => None,
            Decision::Possible(values) => Some(values),
            Decision::Unknown(why) => {
                let why = format!("whether a way can be taken ({why})");
                return Err(Halt::Undecided(why));
            }
        };
        self.answers.insert(key, answer.clone());
        Ok(answer)
    }

    /// Whether a condition holds, whatever the inputs were.
    fn is_sure(&mut self, state: &PathState, condition: Id) -> Result<bool, Halt> {
        let negated = self.pool.not(condition);
        Ok(self.possible(state, negated)?.is_none())
    }

    /// One value that a word may have, and all others.
    fn split(&mut self, state: PathState, value: Id) -> Result<Vec<PathState>, Halt> {
        let ty = self.pool.word_type(value);
        let known = state.model.as_ref();
        let bits = match known.and_then(|model| model.evaluate(&self.pool, value)) {
            Some(bits) => bits,
            None => return Err(Halt::undecided("a value has too many cases")),
        };
        let constant = self.pool.word(ty, bits);
        let is_it = self.pool.same(value, constant);
        let is_other = self.pool.not(is_it);
        let mut states = Vec::new();
        states.extend(self.assuming(&state, is_other)?);
        if let Some(mut state) = self.assuming(&state, is_it)? {
            state.known.insert(value, bits);
            states.push(state);
        }
        Ok(states)
    }

    /// A place that must not be reached.
    fn reached(&self, state: &PathState, at: LocId) -> Halt {
        let function = state.frame().map(|frame| frame.function);
        let kind = function.map(|function| self.program.functions[function].cfa.locations[at].kind);
        let span = match kind {
            Some(LocKind::Target(target)) => Some(self.program.targets[target].span),
            Some(LocKind::Unsupported(what)) => Some(self.program.unsupported[what].span),
            _ => None,
        };
        let what = match span {
            Some(span) => format!("the target at {}", self.program.sources.position(span)),
            None => "a target".to_owned(),
        };
        Halt::Reached {
            what,
            is_certain: !state.is_approximate && !self.floats.is_loose(),
        }
    }
}
