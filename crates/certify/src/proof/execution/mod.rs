//! Proofs by execution: all runs are followed, with their inputs left open, and none reaches a target.
//!
//! Right for programs all of whose runs end soon, whatever they do on the way: memory, lists, recursion, calls through
//! pointers. A program that reads no input has one run.
//!
//! The program is executed as it was lowered, one edge after the other. Values that depend on inputs are terms; where a
//! condition depends on them, the run is followed in both directions, unless the solver says that there is no such run.
//! Which object a pointer belongs to is always known; where in it, and how large an object is, may depend on inputs:
//! then runs are told apart by it, value by value. What the model doesn't say has any value; what can't be said at all
//! (a comparison of addresses that depends on where objects lie, say) is a [`Gap`], and there is no proof.
//!
//! **Invariant: every run of the program is an instance of a path that was followed to its end.** Both sides of a
//! branch that only compute and meet again soon are one path, in which values are chosen by the condition ([`merge`]).
//! Otherwise a fork has two successors whose conditions exclude nothing between them, and a successor is only left out
//! where the solver found its condition to contradict the path.

mod boxes;
mod branch;
mod calls;
mod changed;
mod eval;
mod float;
mod leaks;
mod led;
pub(super) mod live;
mod memory;
mod merge;
mod others;
mod questions;
mod runs;
mod state;
mod step;
mod threads;
mod together;
mod value;

use std::sync::Arc;

use rhumb_logic::{
    Assignment, Budget, Int, Term, Terms, Value as Constant, Work, eval as terms_eval,
};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{
    Action, EdgeId, FuncId, InputSiteId, LocId, LocKind, Position, Program, TargetId, Type, UbKind,
};
use rustc_hash::FxHashMap;

use eval::Machine;
pub use led::Led;
pub(super) use led::lead;
use questions::{Questions, Reply};
pub use runs::Runs;
pub(super) use runs::check;
use state::{Input, PathState};
use step::Done;
pub use threads::AllSchedules;
pub use together::Together;

/// Steps between two looks at the budget.
const STRIDE: u64 = 64;

/// Work that a step is worth, in units.
const STEP: u64 = 2;

/// Undefined behaviour of actions on memory and of calls.
const ACCESSES: [UbKind; 4] = [
    UbKind::BadRead,
    UbKind::BadWrite,
    UbKind::BadFree,
    UbKind::BadCall,
];

/// Something that can't be followed, in a few words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gap(&'static str);

/// Why a step was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    Gap(Gap),
    /// Runs have to be told apart by the value of this term first.
    Split(Term),
    /// It has to be said first which object of others this address lies in.
    Point(Term),
}

impl From<Gap> for Halt {
    fn from(gap: Gap) -> Halt {
        Halt::Gap(gap)
    }
}

/// What was followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Paths that were followed to their end.
    pub paths: u64,
    /// Edges that were executed.
    pub steps: u64,
}

/// How far following all runs got.
#[derive(Clone, PartialEq, Debug)]
pub enum Followed {
    /// There is more to follow.
    Working,
    /// All runs were followed, and none reaches a target.
    Complete(Extent),
    /// A path has ended harmlessly; told if somebody asked for it.
    Ended {
        /// Where.
        at: Option<(FuncId, LocId)>,
        /// Inputs that lead there, unless something on it was approximated.
        inputs: Option<KeyedInputs>,
    },
    /// There is nothing left to follow, but not every path was followed to a harmless end.
    Incomplete,
    /// A path reaches this target; if nothing on it was approximated, these inputs lead there. The other paths can be followed.
    Reached {
        /// The target.
        target: TargetId,
        /// The inputs; none if the solver has none.
        inputs: Option<KeyedInputs>,
    },
    /// A path can't be followed: what is in the way, and where. The others can.
    Lost {
        /// In a few words.
        what: String,
        /// Where.
        position: Option<Position>,
    },
}

/// All runs of a program, followed one path after the other; this can be interrupted.
pub struct AllRuns<'p> {
    machine: Machine<'p>,
    questions: Questions,
    /// The path that is followed.
    current: Option<Path>,
    /// The others, newest last.
    pending: Vec<Pending>,
    extent: Extent,
    /// Whether somebody wants to know of every path that has ended.
    tells_ends: bool,
    /// Whether each path so far was followed to an end that is none of the targets.
    is_proof: bool,
}

struct Path {
    state: PathState,
    /// Values of the symbols under which the path's conditions hold, if some are known.
    model: Option<Assignment>,
    /// Whether nothing on it was approximated.
    is_exact: bool,
}

/// A direction that was not taken yet.
struct Pending {
    path: Path,
    /// The solver's level to which the conditions before the fork belong.
    level: usize,
    condition: Term,
}

impl<'p> AllRuns<'p> {
    /// All runs, from the start of a program as lowered.
    pub fn new(program: &'p Program) -> AllRuns<'p> {
        AllRuns::begin(program, None)
    }

    /// The same for the one run on these inputs, which is to be the interpreter's.
    pub fn on(program: &'p Program, inputs: KeyedInputs) -> AllRuns<'p> {
        AllRuns::begin(program, Some(inputs))
    }

    fn begin(program: &'p Program, given: Option<KeyedInputs>) -> AllRuns<'p> {
        let terms = Arc::new(Terms::new());
        let questions = Questions::new(terms.clone());
        let mut machine = Machine::new(program, terms);
        machine.given = given;
        machine.follows_floats = !program.sets_rounding();
        // First contents are constants and addresses; where they aren't, nothing can be followed.
        let has_threads = program.schedule().is_some();
        let start = machine.start().ok().filter(|_| !has_threads);
        let current = start.map(|state| Path {
            state,
            model: Some(Assignment::default()),
            is_exact: true,
        });
        AllRuns {
            machine,
            questions,
            is_proof: current.is_some(),
            current,
            pending: Vec::new(),
            extent: Extent::default(),
            tells_ends: false,
        }
    }

    /// What was done so far.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The same, telling of every path that has ended.
    pub fn telling_ends(mut self) -> AllRuns<'p> {
        self.tells_ends = true;
        self
    }

    fn queries(&self) -> u64 {
        self.questions.asked()
    }

    fn ended(&mut self, path: &Path, budget: &Budget) -> Followed {
        Followed::Ended {
            at: path
                .state
                .frames
                .last()
                .map(|frame| (frame.function, frame.location)),
            inputs: self.inputs(path, budget).filter(|_| path.is_exact),
        }
    }

    /// Paths that are waiting.
    pub fn open(&self) -> usize {
        self.pending.len() + usize::from(self.current.is_some())
    }

    /// Goes on until there is something to tell, about so much work is done, or the budget is spent.
    pub fn go_on(&mut self, budget: &Budget, slice: Work) -> Followed {
        let begin = Work::so_far();
        loop {
            // A question that gets less work than others would be decided by how much was left: better not to ask it now.
            if Questions::is_short(budget) || Work::since(begin) >= slice {
                return Followed::Working;
            }
            if self.extent.steps.is_multiple_of(STRIDE) {
                budget.spend(STRIDE * STEP);
                if budget.is_spent() {
                    return Followed::Working;
                }
            }
            self.extent.steps += 1;
            let Some(path) = self.current.take() else {
                match self.pending.pop() {
                    Some(pending) => self.resume(pending),
                    None if self.is_proof => return Followed::Complete(self.extent),
                    None => return Followed::Incomplete,
                }
                continue;
            };
            match self.advance(path, budget) {
                Advance::Continue(path) => self.current = Some(path),
                Advance::Ended(path) => {
                    self.extent.paths += 1;
                    if self.tells_ends {
                        return self.ended(&path, budget);
                    }
                }
                Advance::Target(path, target) => {
                    let inputs = match self.values(&path, budget) {
                        Reply::Impossible => {
                            self.extent.paths += 1;
                            continue;
                        }
                        Reply::Possible(model) => {
                            Some(inputs_of(&self.machine, &path.state, &model))
                        }
                        Reply::Undecided => None,
                    };
                    self.is_proof = false;
                    return Followed::Reached { target, inputs };
                }
                Advance::Lost(what, position) => {
                    self.is_proof = false;
                    return Followed::Lost { what, position };
                }
            }
        }
    }

    fn resume(&mut self, pending: Pending) {
        self.questions.pop_to(pending.level);
        self.questions.push();
        (self.questions).assert(&self.machine.symbols, pending.condition);
        self.current = Some(pending.path);
    }

    fn advance(&mut self, mut path: Path, budget: &Budget) -> Advance {
        let program = self.machine.program;
        let frame = path.state.frame();
        let (function, location) = (frame.function, frame.location);
        let cfa = &program.functions[function].cfa;
        let place = &cfa.locations[location];
        match place.kind {
            LocKind::Plain => {}
            LocKind::Target(target) => return Advance::Target(path, target),
            LocKind::Unsupported(id) => {
                let unsupported = &program.unsupported[id];
                let position = program.sources.position(unsupported.span);
                return Advance::Lost(unsupported.what.to_string(), Some(position));
            }
            LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => {
                return Advance::Ended(path);
            }
        }
        let Some(&edge) = place.outgoing.first() else {
            return Advance::Ended(path);
        };
        if let Action::Assume { cond, holds } = cfa.edges[edge].action {
            let truth = match self.machine.truth(&path.state, cond) {
                Ok(truth) => truth,
                Err(halt) => return self.halted(path, halt, function, edge, budget),
            };
            self.tell(&mut path);
            let Some(&other) = place.outgoing.get(1) else {
                return self.lost(Gap("an assumption without a branch"), function, edge);
            };
            let condition = (cond, holds);
            let edges = [edge, other];
            let branch = (self.machine).branch(&path.state, cfa, edges, condition, truth);
            if let Some(state) = self.machine.merged(&path.state, &branch, truth) {
                return Advance::Continue(Path { state, ..path });
            }
            return match self.fork(path, truth, budget) {
                Fork::One(mut path, taken) => {
                    branch.go(&mut path.state, taken);
                    Advance::Continue(path)
                }
                Fork::Both(mut path, taken) => {
                    branch.go(&mut path.state, taken);
                    if let Some(pending) = self.pending.last_mut() {
                        branch.go(&mut pending.path.state, !taken);
                    }
                    Advance::Continue(path)
                }
            };
        }
        match self.machine.act(&mut path.state, &cfa.edges[edge].action) {
            Ok(done) => {
                self.tell(&mut path);
                match done {
                    Done::Next => path.state.frame_mut().location = cfa.edges[edge].target,
                    Done::Moved => {}
                    // Somebody wants to know of it, and no check has seen it.
                    Done::Ends if self.machine.asks_for_accesses => {
                        return self.lost(Gap("behaviour that no check covers"), function, edge);
                    }
                    Done::Ends => return Advance::Ended(path),
                    // There is one thread here; those who follow several don't come this way.
                    Done::Waits | Done::ThreadEnds => {
                        return self.lost(Gap("threads"), function, edge);
                    }
                }
                Advance::Continue(path)
            }
            Err(halt) => self.halted(path, halt, function, edge, budget),
        }
    }

    /// Tells the solver what is assumed of new symbols, and a path whether it is still exact.
    fn tell(&mut self, path: &mut Path) {
        path.is_exact &= !std::mem::take(&mut self.machine.approximated);
        for assumption in std::mem::take(&mut self.machine.assumed) {
            self.questions.assert(&self.machine.symbols, assumption);
        }
    }

    fn halted(
        &mut self,
        mut path: Path,
        halt: Halt,
        function: FuncId,
        edge: EdgeId,
        budget: &Budget,
    ) -> Advance {
        self.tell(&mut path);
        match halt {
            Halt::Gap(gap) => self.lost(gap, function, edge),
            // Objects of others are made where one run is led; all runs would be too many.
            Halt::Point(_) => self.lost(value::WILD, function, edge),
            Halt::Split(term) => match self.split(path, term, budget) {
                Some(path) => Advance::Continue(path),
                None => self.lost(Gap("a place or size that is not known"), function, edge),
            },
        }
    }

    fn lost(&self, gap: Gap, function: FuncId, edge: EdgeId) -> Advance {
        let program = self.machine.program;
        let span = program.functions[function].cfa.edges[edge].span;
        Advance::Lost(gap.0.to_owned(), Some(program.sources.position(span)))
    }

    /// Follows the run with one value of a term; runs with other values wait.
    fn split(&mut self, path: Path, term: Term, budget: &Budget) -> Option<Path> {
        let terms = self.machine.terms.clone();
        let model = match path.model.clone() {
            Some(model) => model,
            None => match self.questions.ask(&self.machine.symbols, None, budget) {
                Reply::Possible(model) => model,
                Reply::Impossible | Reply::Undecided => return None,
            },
        };
        let value = match terms_eval::evaluate(&terms, term, &model)? {
            Constant::Int(value) => value,
            _ => return None,
        };
        let is_it = terms.eq(term, terms.int(value.clone()));
        let path = Path {
            model: Some(model),
            ..path
        };
        let (mut path, taken) = match self.fork(path, is_it, budget) {
            Fork::One(path, taken) | Fork::Both(path, taken) => (path, taken),
        };
        if taken {
            Arc::make_mut(&mut path.state.pinned).insert(term, value);
        }
        Some(path)
    }

    /// Takes the direction that a condition gives; the other one waits, if there may be runs that take it.
    fn fork(&mut self, mut path: Path, condition: Term, budget: &Budget) -> Fork {
        let terms = self.machine.terms.clone();
        if let Some(holds) = terms.as_bool(condition) {
            return Fork::One(path, holds);
        }
        // A direction that there is a run for; then nothing is known of the other only.
        let is_open = (self.questions).is_about_floats(&self.machine.symbols, condition);
        let here = (path.model.as_ref())
            .filter(|_| !is_open)
            .and_then(|model| terms_eval::evaluate(&terms, condition, model)?.as_bool());
        let side = |holds: bool| match holds {
            true => condition,
            false => terms.not(condition),
        };
        let taken = here.unwrap_or(true);
        let symbols = &self.machine.symbols;
        let other = match self.questions.ask(symbols, Some(side(!taken)), budget) {
            Reply::Impossible => return Fork::One(path, taken),
            Reply::Possible(model) => Some(model),
            Reply::Undecided => None,
        };
        if here.is_none() {
            path.model = match self.questions.ask(symbols, Some(side(taken)), budget) {
                Reply::Impossible => {
                    path.model = other;
                    return Fork::One(path, !taken);
                }
                Reply::Possible(model) => Some(model),
                // What holds there is not known to.
                Reply::Undecided => None,
            };
        }
        self.both(path, taken, [side(taken), side(!taken)], other)
    }

    /// Goes on in one direction, under its condition; the other one waits, with values for it, if some are known.
    fn both(
        &mut self,
        path: Path,
        taken: bool,
        [here, there]: [Term; 2],
        model: Option<Assignment>,
    ) -> Fork {
        self.pending.push(Pending {
            path: Path {
                state: path.state.clone(),
                model,
                is_exact: path.is_exact,
            },
            level: self.questions.level(),
            condition: there,
        });
        self.questions.push();
        self.questions.assert(&self.machine.symbols, here);
        Fork::Both(path, taken)
    }

    /// Values under which the conditions of the path that is followed hold.
    fn values(&mut self, path: &Path, budget: &Budget) -> Reply {
        match path.model.clone() {
            Some(model) => Reply::Possible(model),
            None => (self.questions).ask_patiently(&self.machine.symbols, budget),
        }
    }

    /// Inputs that make the program take a path.
    fn inputs(&mut self, path: &Path, budget: &Budget) -> Option<KeyedInputs> {
        match self.values(path, budget) {
            Reply::Possible(model) => Some(inputs_of(&self.machine, &path.state, &model)),
            Reply::Impossible | Reply::Undecided => None,
        }
    }
}

/// Inputs that make the program take the way to a state, where symbols have these values.
fn inputs_of(machine: &Machine<'_>, state: &PathState, model: &Assignment) -> KeyedInputs {
    let number = |symbol| match model.get(&symbol) {
        Some(Constant::Int(value)) => value.clone(),
        _ => Int::ZERO,
    };
    let data_model = machine.program.data_model;
    let mut inputs = KeyedInputs::new();
    let mut contents: FxHashMap<_, Vec<u8>> = FxHashMap::default();
    let mut passages: Vec<(InputSiteId, u64)> = Vec::new();
    let mut waiting: Vec<&Input> = state.inputs.iter().rev().collect();
    while let Some(input) = waiting.pop() {
        match *input {
            Input::Either(condition, ref sides) => {
                let holds = terms_eval::holds(&machine.terms, condition, model);
                waiting.extend(sides[usize::from(!holds)].iter().rev());
            }
            Input::Passage { site, number } => passages.push((site, number)),
            Input::Value { site, symbol, ty } => {
                let bits = value::bits(&number(symbol), ty, data_model);
                inputs.push_value(site, bits, 1);
            }
            Input::Bytes {
                source,
                size,
                symbol,
            } => {
                let ty = Type::Int(rhumb_program::IntType::unsigned(8 * size as u16));
                let bits = value::bits(&number(symbol), ty, data_model).to_le_bytes();
                let bytes = contents
                    .entry((source.site, source.occurrence))
                    .or_default();
                let end = (source.offset + size) as usize;
                bytes.resize(bytes.len().max(end), 0);
                bytes[source.offset as usize..end].copy_from_slice(&bits[..size as usize]);
            }
        }
    }
    if machine.passages.is_none() {
        let sites: std::collections::BTreeSet<_> = contents.keys().map(|key| key.0).collect();
        let count = |site| state.occurrences.get(&site).copied().unwrap_or(0);
        passages.extend(
            (sites.into_iter()).flat_map(|site| (0..count(site)).map(move |it| (site, it))),
        );
    }
    for (site, number) in passages {
        let bytes = contents.get(&(site, number)).map_or(&[][..], |bytes| bytes);
        inputs.push_bytes(site, bytes, 1);
    }
    inputs
}

/// What a step of a path came to.
enum Advance {
    Continue(Path),
    Ended(Path),
    Target(Path, TargetId),
    Lost(String, Option<Position>),
}

/// Which directions there are: the path goes on in one of them.
enum Fork {
    /// Only this one.
    One(Path, bool),
    /// Both; the other one waits.
    Both(Path, bool),
}
