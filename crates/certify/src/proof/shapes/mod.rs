//! Proofs by shapes: all that lists in memory can look like is followed, and no run reaches a target.
//!
//! Right for programs that build lists of any length, walk through them, change and free them: singly and doubly
//! linked ones, rings, lists with a head or a tail. What is proved is above all that accesses are to objects that are
//! alive, that nothing is freed twice, and that nothing is lost.
//!
//! The program is executed as it was lowered, with states that stand for many: pointers and objects are known, numbers
//! are constants or may be anything, and objects that are linked one to the next are a *row*, of which it is not known
//! how many there are ([`rows`]). Where a run looks into a row, the object at its end is taken out first: then there
//! are runs in which it was the only one, and runs in which others are left.
//!
//! **Invariant: every state of a run that is at a location is one of those that a state which was seen there stands
//! for.** A successor is left out only where a condition is known to fail, or where an action has none. What an
//! unknown pointer points to may be anything: a read gives anything, and a write or a `free` through it ends the
//! attempt. So it doesn't matter that such a pointer may be to the middle of a row.

mod eval;
mod fold;
mod heap;
mod key;
mod leaks;
mod rows;
mod step;

use std::collections::BTreeSet;

use rhumb_logic::{Budget, Work};
use rhumb_program::graph::LoopNest;
use rhumb_program::{
    Action, AllocKind, Builtin, Callee, EdgeId, FuncId, IndexVec, LocId, LocKind, Position,
    Program, Roots, Scope, TargetId, Type, VarId,
};

use super::check::Accepted;
use super::execution::live::Live;
use super::reject::{Lost, Rejected};
use eval::Evaluator;
pub use fold::Folding;
use heap::{End, State, Value};
use key::Seen;
use step::{Done, Gap, Stepper, start};

/// Steps between two looks at the budget.
const STRIDE: u64 = 16;

/// Work that a step is worth, in units, beside one for each object that there is.
const STEP: u64 = 20;

/// Cells of memory that are worth one unit.
const CELLS_A_UNIT: usize = 4;

/// More states than that are not looked at.
const MAX_STATES: usize = 8_000;

/// States with more objects than that are not looked at: they grow without end.
const MAX_OBJECTS: usize = 200;

/// Cells of memory in all states together, beyond which no more are looked at: an array that is filled is another shape
/// in each round, and those are for others.
const MAX_CELLS: usize = 400_000;

/// How far looking at all shapes got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shaped {
    /// There is more to look at.
    Working,
    /// All states were seen. These targets may be reached, no others are.
    Complete(BTreeSet<TargetId>),
    /// A run can't be followed: what is in the way, and where.
    Lost {
        /// In a few words.
        what: String,
        /// Where.
        position: Option<Position>,
    },
}

/// Whether there may be lists that are worth it: something is allocated on the heap, and there are no threads.
pub fn has_shapes(program: &Program) -> bool {
    let mut edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
    let is_heap = |action: &Action| {
        matches!(
            action,
            Action::Alloc {
                kind: AllocKind::Heap,
                ..
            }
        )
    };
    program.schedule().is_none() && edges.any(|edge| is_heap(&edge.action))
}

/// All that memory of a program can look like; this can be interrupted.
pub struct AllShapes<'p> {
    stepper: Stepper<'p>,
    folding: Folding,
    live: Live<'p>,
    places: IndexVec<FuncId, Option<IndexVec<LocId, PlaceKind>>>,
    /// Whether variables that are not used any more keep memory from being lost.
    asks_for_leaks: bool,
    seen: Seen,
    todo: Vec<State>,
    reached: BTreeSet<TargetId>,
    steps: u64,
    /// Cells of memory in all states that were looked at where ways meet.
    cells: usize,
    /// Work that was done and not told yet.
    work: u64,
}

/// What is done with states at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PlaceKind {
    /// Nothing.
    Plain,
    /// Ways meet: those that were seen are left out.
    Join,
    /// The head of a loop: objects become rows.
    Head,
}

impl<'p> AllShapes<'p> {
    /// From the start of a program as lowered.
    pub fn new(program: &'p Program, folding: Folding) -> AllShapes<'p> {
        let is_question = |action: &Action| {
            matches!(
                action,
                Action::Call {
                    callee: Callee::Builtin(Builtin::Leaks(_)),
                    ..
                }
            )
        };
        let mut edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
        AllShapes {
            stepper: Stepper {
                program,
                roots: Roots::new(program),
            },
            folding,
            live: Live::new(program),
            places: program.functions.iter().map(|_| None).collect(),
            asks_for_leaks: edges.any(|edge| is_question(&edge.action)),
            seen: Seen::default(),
            todo: vec![start(program)],
            reached: BTreeSet::new(),
            steps: 0,
            cells: 0,
            work: 0,
        }
    }

    /// Edges that were executed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// States that were seen.
    pub fn states(&self) -> usize {
        self.seen.len()
    }

    /// States that were not looked at yet.
    pub fn open(&self) -> usize {
        self.todo.len()
    }

    /// Goes on until there is something to tell, about so much work is done, or the budget is spent.
    pub fn go_on(&mut self, budget: &Budget, slice: Work) -> Shaped {
        let begin = Work::so_far();
        let program = self.stepper.program;
        if program.schedule().is_some() {
            return lost("threads", None);
        }
        while let Some(state) = self.todo.pop() {
            let frame = state.frame();
            let (function, location) = (frame.function, frame.location);
            let cfa = &program.functions[function].cfa;
            match cfa.locations[location].kind {
                LocKind::Plain => {}
                LocKind::Target(target) => {
                    self.reached.insert(target);
                    continue;
                }
                LocKind::Unsupported(id) => {
                    let unsupported = &program.unsupported[id];
                    let position = program.sources.position(unsupported.span);
                    return lost(&unsupported.what, Some(position));
                }
                LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => continue,
            }
            let Some(&edge) = cfa.outgoing(location).first() else {
                continue;
            };
            self.work += STEP + (state.objects.len() + state.cells() / CELLS_A_UNIT) as u64;
            if let Err(gap) = self.advance(state, edge) {
                let position = program.sources.position(cfa.edges[edge].span);
                return lost(gap, Some(position));
            }
            self.steps += 1;
            if self.steps.is_multiple_of(STRIDE) {
                budget.spend(std::mem::take(&mut self.work));
                if budget.is_spent() || Work::since(begin) >= slice {
                    return Shaped::Working;
                }
            }
        }
        Shaped::Complete(self.reached.clone())
    }

    fn advance(&mut self, mut state: State, edge: EdgeId) -> Result<(), Gap> {
        let program = self.stepper.program;
        let function = state.frame().function;
        let cfa = &program.functions[function].cfa;
        let edge = &cfa.edges[edge];
        if let Action::Assume { cond, .. } = edge.action {
            let evaluator = Evaluator::new(program, &state);
            let truth = evaluator.truth(cond);
            if let (None, Some(row)) = (truth, evaluator.row.get()) {
                return self.unfold(&state, row, End::First);
            }
            for &id in cfa.outgoing(edge.source) {
                let edge = &cfa.edges[id];
                let Action::Assume { cond: own, holds } = edge.action else {
                    return Err("a branch on something else");
                };
                if own != cond {
                    return Err("a branch on two conditions");
                }
                if truth.is_none_or(|truth| truth == holds) {
                    let mut state = state.clone();
                    if truth.is_none() {
                        self.stepper.assume(&mut state, cond, holds);
                    }
                    state.frame_mut().location = edge.target;
                    self.arrive(state)?;
                }
            }
            return Ok(());
        }
        match self.stepper.act(&mut state, &edge.action)? {
            Done::Next => {
                state.frame_mut().location = edge.target;
                self.arrive(state)
            }
            Done::Moved => self.arrive(state),
            Done::Ends => Ok(()),
            Done::Unfold(number, end) => self.unfold(&state, number, end),
        }
    }

    fn unfold(&mut self, state: &State, number: u32, end: End) -> Result<(), Gap> {
        self.todo.extend(state.unfolded(number, end));
        Ok(())
    }

    /// A state at a location: it is looked at if none was seen that stands for it.
    fn arrive(&mut self, state: State) -> Result<(), Gap> {
        let frame = state.frame();
        let place = self.place(frame.function, frame.location);
        if place == PlaceKind::Plain {
            self.todo.push(state);
            return Ok(());
        }
        let mut state = self.without_dead(state);
        if place == PlaceKind::Head {
            state = state.renamed();
            state.fold(self.folding);
        }
        let state = state.renamed();
        self.cells += state.cells();
        let is_large = state.objects.len() > MAX_OBJECTS || self.cells > MAX_CELLS;
        if is_large || self.seen.len() > MAX_STATES {
            return Err("memory that has too many shapes");
        }
        let program = self.stepper.program;
        let is_head = place == PlaceKind::Head;
        self.todo.extend(self.seen.add(program, state, is_head));
        Ok(())
    }

    fn place(&mut self, function: FuncId, location: LocId) -> PlaceKind {
        let program = self.stepper.program;
        let kinds = self.places[function].get_or_insert_with(|| {
            let cfa = &program.functions[function].cfa;
            let incoming = cfa.incoming();
            let loops = LoopNest::of(&cfa.graph(), cfa.entry);
            let kind = |at: LocId| match incoming[at].len() {
                _ if loops.is_head(at) => PlaceKind::Head,
                0 | 1 => PlaceKind::Plain,
                _ => PlaceKind::Join,
            };
            cfa.locations.indices().map(kind).collect()
        });
        kinds[location]
    }

    /// Forgets variables that nobody looks at any more.
    fn without_dead(&mut self, mut state: State) -> State {
        let program = self.stepper.program;
        let last = state.frames.len() - 1;
        for (depth, frame) in state.frames.iter_mut().enumerate() {
            let cfa = &program.functions[frame.function].cfa;
            // Callers go on behind the call.
            let at = match cfa.outgoing(frame.location).first() {
                Some(&edge) if depth < last => cfa.edges[edge].target,
                _ => frame.location,
            };
            let live = self.live.at(frame.function, at);
            let asks_for_leaks = self.asks_for_leaks;
            frame.variables.retain(|var, value| {
                let decl = &program.vars[*var];
                let may_hold = decl.ty == Type::Ptr && !decl.decl.name.is_empty();
                let holds = asks_for_leaks && may_hold && *value != Value::Any;
                holds || live.contains(var)
            });
            let is_local = |var: &&VarId| program.vars[**var].scope != Scope::Global;
            for &var in live.iter().filter(is_local) {
                frame.variables.entry(var).or_insert(Value::Any);
            }
        }
        state
    }
}

fn lost(what: &str, position: Option<Position>) -> Shaped {
    Shaped::Lost {
        what: what.to_owned(),
        position,
    }
}

/// Checks that no shape that memory can have leads to a target, within so many steps, whichever objects become rows.
pub(super) fn check(program: &Program, steps: u64, budget: &Budget) -> Result<Accepted, Rejected> {
    let [first, others @ ..] = Folding::ALL;
    check_with(program, first, steps, budget).or_else(|rejected| {
        let mut others = others.into_iter();
        let accepted = others.find_map(|folding| check_with(program, folding, steps, budget).ok());
        accepted.ok_or(rejected)
    })
}

fn check_with(
    program: &Program,
    folding: Folding,
    steps: u64,
    budget: &Budget,
) -> Result<Accepted, Rejected> {
    const SLICE: Work = Work::secs(1);
    let mut shapes = AllShapes::new(program, folding);
    let lost = loop {
        let begin = Work::so_far();
        let shaped = shapes.go_on(budget, SLICE);
        if shapes.steps() > steps {
            break Lost::Long(steps);
        }
        match shaped {
            Shaped::Working if Work::since(begin) < SLICE => break Lost::Budget,
            Shaped::Working => {}
            Shaped::Complete(reached) => match reached.first() {
                None => {
                    return Ok(Accepted {
                        obligations: shapes.states(),
                        queries: 0,
                    });
                }
                Some(&target) => {
                    let span = program.targets[target].span;
                    break Lost::Target(Some(program.sources.position(span)));
                }
            },
            Shaped::Lost { what, position } => break Lost::Gap { what, position },
        }
    };
    Err(Rejected::Lost(lost))
}
