//! Finding the jumps of a run.
//!
//! The program is executed on the inputs. Whenever the run comes to the head of a loop again, in the same activation,
//! the path since the last time is a candidate for a cycle; so are the last `q` iterations together, if the shapes of
//! iterations repeat every `q` times. What the candidate adds is read off the two states; [`Cycle::limit`] says how
//! often it can be taken from here, and if that is worth it, the run is put behind so many iterations at once. The jump
//! becomes one item of the path, so that the loops around it can be jumped over in turn. Counts of inner jumps that
//! grow from one iteration to the next by a constant are followed, too.
//!
//! Nothing here has to be trusted: what comes out is checked by [`check`](super::check).
//!
//! A search that jumps over cycles does so in its block graph, and gives inputs alone. Its jumps are not handed on as
//! hints: they would have to be put into steps of the program as lowered, where finding them takes 0.2 % of the time of
//! an error (47 ms of 20 s for 132 tasks), and [`shrink`](super::shrink), which tries inputs that no search has seen,
//! has to find them for each candidate anyway.

use std::collections::VecDeque;
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use index_vec::IndexVec;
use rhumb_program::graph::{Graph, LoopNest};
use rhumb_program::interp::{
    Execution, KeyedInputs, Machine, Observer, Outcome, Progress, Run, View,
};
use rhumb_program::{EdgeId, FuncId, LocId, Program, TargetId};
use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::cycle::{Cycle, CyclePlace, Effect, Item, Limit, Obstacle, Repeated};
use super::history::{self, History, WINDOW};
use super::reject::{Reason, Rejected};
use super::snapshot::{Scopes, Snapshot};
use super::{Count, Counterexample};

/// A jump that saves fewer steps is not made.
const MIN_GAIN: u64 = 64;

/// The greatest number of iterations that are taken together as a cycle.
const MAX_PERIOD: usize = 32;

/// How many visits of a head may lead to nothing before it is left alone for a while, a failed proof counting as several.
const PATIENCE: u32 = 256;

/// Loops in calls that are nested deeper are not looked at, since every activation remembers its visits.
const MAX_DEPTH: usize = 4096;

/// What a failed proof takes from that.
const FAILURE: u32 = 8;

/// Executes the program on the inputs and gives the run as a counterexample, with jumps for what is repeated, if it reaches a target.
pub fn compress(
    program: &Program,
    inputs: &KeyedInputs,
    budget: &Budget,
) -> Result<Counterexample, Rejected> {
    let machine = Machine::compile(program);
    follow(&machine, inputs, budget, None, &mut 0)
}

/// Values that are written down while a step of the interpreter is made.
const VALUES_PER_STEP: u64 = 4;

/// As [`compress`], for a program that is compiled already. With a target: only that one is wanted. Adds what it took
/// to `spent`, in steps of the interpreter.
pub(crate) fn follow(
    machine: &Machine<'_>,
    inputs: &KeyedInputs,
    budget: &Budget,
    target: Option<TargetId>,
    spent: &mut u64,
) -> Result<Counterexample, Rejected> {
    let program = machine.program();
    let scopes = Scopes::new(program);
    let mut compressor = Compressor {
        program,
        scopes: &scopes,
        execution: machine.start(&budget.limits),
        inputs: inputs.clone(),
        operations: budget.operations,
        noted: 0,
        watcher: Watcher {
            program,
            // The stack of another thread is none of an outer activation.
            heads: match program.schedule() {
                None => heads(program),
                Some(_) => program
                    .functions
                    .iter()
                    .map(|_| FxHashMap::default())
                    .collect(),
            },
            activations: Vec::new(),
            history: History::default(),
            resumed: false,
        },
    };
    let run = compressor.run(budget);
    let noted = compressor.noted / VALUES_PER_STEP;
    *spent = spent.saturating_add(compressor.execution.steps() + noted);
    let run = run?;
    let reached = match run.outcome {
        Outcome::Target(reached) if target.is_none_or(|target| target == reached) => reached,
        _ => return Err(Rejected::by_end(program, &run)),
    };
    if let Some(caveat) = run.caveats.first() {
        return Err(Rejected::new(Reason::Caveat(caveat.describe(program))));
    }
    Ok(Counterexample {
        target: reached,
        inputs: inputs.clone(),
        segments: compressor.watcher.history.into_segments(),
    })
}

/// The heads of all loops.
fn heads(program: &Program) -> IndexVec<FuncId, FxHashMap<LocId, Head>> {
    let functions = program.functions.iter();
    functions
        .map(|function| {
            let cfa = &function.cfa;
            let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
            let graph = Graph::new(cfa.locations.len(), edges);
            let loops = LoopNest::of(&graph, cfa.entry);
            let mut heads: FxHashMap<LocId, Head> = FxHashMap::default();
            for &head in loops.heads() {
                heads.entry(head).or_default();
                let mut outer = loops.enclosing(head);
                while let Some(around) = outer {
                    heads.entry(around).or_default().inside.push(head);
                    outer = loops.enclosing(around);
                }
            }
            heads
        })
        .collect()
}

/// The head of a loop.
#[derive(Clone, Debug, Default)]
struct Head {
    attention: Attention,
    /// The heads of the loops inside.
    inside: Vec<LocId>,
}

/// How much attention a head deserves: less and less, as long as nothing comes of it.
#[derive(Clone, Copy, Debug)]
struct Attention {
    /// Number of visits still to be passed over.
    skip: u32,
    /// What is left of the patience.
    patience: u32,
    /// How many visits are passed over next time.
    pause: u32,
}

impl Default for Attention {
    fn default() -> Attention {
        Attention {
            skip: 0,
            patience: PATIENCE,
            pause: PATIENCE,
        }
    }
}

impl Attention {
    /// Nothing came of a visit. Gives whether the head is now left alone.
    fn spend(&mut self, cost: u32) -> bool {
        self.patience = self.patience.saturating_sub(cost);
        if self.patience > 0 {
            return false;
        }
        self.skip = self.pause;
        self.pause = self.pause.saturating_mul(4);
        self.patience = PATIENCE / 4;
        true
    }
}

/// A visit of a head.
struct Visit {
    /// Where in the history.
    at: usize,
    /// The shape of the path since the visit before.
    shape: u64,
    state: Snapshot,
}

/// The visits of the heads of one activation, the youngest last.
type Visits = FxHashMap<LocId, VecDeque<Visit>>;

/// Sees the edges, and stops the run before those that leave a head.
struct Watcher<'p> {
    program: &'p Program,
    heads: IndexVec<FuncId, FxHashMap<LocId, Head>>,
    /// One for each activation.
    activations: Vec<Visits>,
    history: History,
    /// The run has just been resumed: the next edge doesn't stop it.
    resumed: bool,
}

impl Observer for Watcher<'_> {
    fn edge(&mut self, edge: EdgeId, state: &View<'_>) {
        self.history.push_edge(state.function(), edge);
    }

    fn pauses_before(&mut self, edge: EdgeId, state: &View<'_>) -> bool {
        let function = state.function();
        if state.depth() > MAX_DEPTH {
            return false;
        }
        self.activations
            .resize_with(state.depth() + 1, Visits::default);
        if std::mem::take(&mut self.resumed) {
            return false;
        }
        let location = self.program.functions[function].cfa.edges[edge].source;
        match self.heads[function].get_mut(&location) {
            Some(head) if head.attention.skip == 0 => true,
            Some(head) => {
                head.attention.skip -= 1;
                false
            }
            None => false,
        }
    }
}

struct Compressor<'a, 'm, 'p> {
    program: &'p Program,
    scopes: &'a Scopes,
    execution: Execution<'m, 'p>,
    inputs: KeyedInputs,
    operations: u64,
    /// Values that were written down.
    noted: u64,
    watcher: Watcher<'p>,
}

/// A cycle that was found, and how often it can be taken.
struct Found {
    body: Vec<Item>,
    effect: Effect,
    count: IBig,
}

impl Compressor<'_, '_, '_> {
    /// Runs to the end.
    fn run(&mut self, budget: &Budget) -> Result<Run, Rejected> {
        /// So many steps are executed between two looks at the clock.
        const STRIDE: u64 = 1 << 22;
        let mut next_look = STRIDE;
        loop {
            if self.execution.steps() >= next_look {
                next_look += STRIDE;
                if budget.is_over() {
                    return Err(Rejected::new(Reason::Budget("time")));
                }
            }
            let progress = self
                .execution
                .observe(&mut self.inputs, STRIDE, &mut self.watcher);
            match progress {
                Progress::Ended(run) => return Ok(run),
                Progress::Paused => self.visit()?,
            }
        }
    }

    fn place(&self) -> CyclePlace {
        let (function, location) = self.execution.position();
        CyclePlace { function, location }
    }

    /// The run stands at a head (or is only out of breath).
    fn visit(&mut self) -> Result<(), Rejected> {
        self.watcher.resumed = true;
        let place = self.place();
        let Some(head) = self.watcher.heads[place.function].get(&place.location) else {
            return Ok(());
        };
        let end = self.watcher.history.end();
        let state = Snapshot::take(&self.execution, self.scopes);
        self.noted += self.scopes.len(place.function) as u64;
        let Some(activation) = self.watcher.activations.last_mut() else {
            return Ok(());
        };
        // A new iteration: the loops inside begin anew.
        for inner in &head.inside {
            activation.remove(inner);
        }
        let visits = activation.entry(place.location).or_default();
        let since = visits.back().map_or(end, |visit| visit.at);
        let path = self.watcher.history.between(since, end);
        visits.push_back(Visit {
            at: end,
            shape: path.map_or(0, history::shape),
            state,
        });
        if visits.len() > 2 * MAX_PERIOD + 1 {
            visits.pop_front();
        }
        let (cost, found) = match self.period() {
            Some(period) => (FAILURE, self.look(period)?),
            None => (1, None),
        };
        match found {
            Some(found) => self.jump(found),
            None => {
                let head = self.watcher.heads[place.function].get_mut(&place.location);
                if head.is_some_and(|head| head.attention.spend(cost)) {
                    self.visits().clear();
                }
                Ok(())
            }
        }
    }

    /// The visits of the head at which the run stands.
    fn visits(&mut self) -> &mut VecDeque<Visit> {
        let location = self.place().location;
        if self.watcher.activations.is_empty() {
            self.watcher.activations.push(Visits::default());
        }
        let last = self.watcher.activations.len() - 1;
        self.watcher.activations[last].entry(location).or_default()
    }

    /// The least number of iterations after which the shapes of iterations repeat, as far as can be seen.
    fn period(&mut self) -> Option<usize> {
        let visits = self.visits();
        let shapes: Vec<u64> = visits
            .iter()
            .skip(1)
            .rev()
            .map(|visit| visit.shape)
            .collect();
        if shapes.len() == 1 {
            return Some(1);
        }
        (1..=shapes.len() / 2).find(|&period| shapes[..period] == shapes[period..2 * period])
    }

    /// Looks whether so many iterations, or a multiple that makes remainders come round, are a cycle.
    fn look(&mut self, period: usize) -> Result<Option<Found>, Rejected> {
        let (found, hint) = self.try_period(period)?;
        if found.is_some() {
            return Ok(found);
        }
        let longer = hint
            .and_then(|hint| usize::try_from(&hint).ok())
            .and_then(|hint| hint.checked_mul(period))
            .filter(|&longer| longer > period && longer <= MAX_PERIOD);
        match longer {
            Some(longer) => Ok(self.try_period(longer)?.0),
            None => Ok(None),
        }
    }

    fn try_period(&mut self, period: usize) -> Result<(Option<Found>, Option<IBig>), Rejected> {
        let place = self.place();
        let now = self.watcher.history.end();
        let visits = (self.watcher.activations.last())
            .and_then(|activation| activation.get(&place.location));
        let back = |iterations: usize| {
            let index = visits?.len().checked_sub(iterations + 1)?;
            visits?.get(index)
        };
        let (Some(start), Some(current)) = (back(period), back(0)) else {
            return Ok((None, None));
        };
        let effect = (start.state).effect_until(&current.state, self.program, self.scopes);
        let (start, before) = (start.at, back(2 * period).map(|visit| visit.at));
        let current = current.state.clone();
        let history = &self.watcher.history;
        let Some(path) = history.between(start, now) else {
            return Ok((None, None));
        };
        if path.len() > WINDOW || path.is_empty() {
            return Ok((None, None));
        }
        let grown = before
            .and_then(|before| history.between(before, start))
            .and_then(|before| history::extrapolate(before, path));
        let body = grown.unwrap_or_else(|| path.to_vec());
        let start = current.as_start(self.scopes);
        let limit_with = |effect: &Effect, operations: &mut u64| {
            let cycle = Cycle {
                place,
                body: &body,
                effect,
            };
            cycle.limit(self.program, &start, &self.inputs, operations)
        };
        let mut effect = effect;
        let mut limit = limit_with(&effect, &mut self.operations);
        if matches!(limit.obstacle, Some((Obstacle::Effect, ..))) {
            // A variable that every iteration sets anew had another value before the last one. The next iteration tells more.
            let next = Effect::predict(
                self.program,
                place,
                &body,
                &start,
                &self.inputs,
                &mut self.operations,
            );
            if let Some(next) = next.filter(|next| *next != effect) {
                limit = limit_with(&next, &mut self.operations);
                effect = next;
            }
        }
        let Limit { count, period, .. } = limit;
        let Some(count) = count else {
            return Err(Rejected::new(Reason::OtherEnd(
                "it never leaves a loop".to_owned(),
            )));
        };
        // The first iteration will be executed by the check, too.
        let saved = IBig::from(history::steps(&body)) * (&count - IBig::ONE);
        if saved < IBig::from(MIN_GAIN) {
            return Ok((None, period));
        }
        let found = Found {
            body,
            effect,
            count,
        };
        Ok((Some(found), period))
    }

    /// Takes a cycle so often at once.
    fn jump(&mut self, found: Found) -> Result<(), Rejected> {
        let Found {
            body,
            effect,
            count,
        } = found;
        let state = Snapshot::take(&self.execution, self.scopes);
        let arrived = state.restore_plus(
            &mut self.execution,
            self.program,
            self.scopes,
            &effect,
            &count,
        );
        let (true, Ok(count)) = (arrived, UBig::try_from(count)) else {
            return Err(Rejected::new(Reason::Malformed("a jump leads to no state")));
        };
        self.watcher.history.push(Item::Jump(Arc::new(Repeated {
            body,
            effect,
            count: Count::constant(count),
        })));
        let place = self.place();
        if let Some(head) = self.watcher.heads[place.function].get_mut(&place.location) {
            head.attention = Attention::default();
        }
        let (at, state) = (
            self.watcher.history.end(),
            Snapshot::take(&self.execution, self.scopes),
        );
        let visits = self.visits();
        visits.clear();
        visits.push_back(Visit {
            at,
            shape: 0,
            state,
        });
        Ok(())
    }
}
