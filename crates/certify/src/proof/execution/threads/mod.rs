//! All runs of a program with threads: with all inputs, and all schedules.
//!
//! A thread is followed from one place where others may go on to the next; there every thread may be the next one.
//! States that were seen before, up to names ([`key`]), are not followed again: so loops that wait come to an end, and
//! so do interleavings that make no difference. Schedules with few preemptions come first.
//!
//! **Invariant: every run is an instance of a path that was followed, up to the order of steps that can't be told
//! apart.** One thing is left out: where a thread's step touches nothing that another thread can reach
//! ([`actions::Touch`]), the others need not go first. Such a step leads to the same state whether it is made before or
//! after the steps of others, and neither can enable or disable the other; so of all runs from here there is one with
//! the same end that begins with it. That is no reason to put the others off forever: if the step leads to a state that
//! was seen before, the others go on here, too.
//!
//! Where threads are created without a bound, each can stand for any number of others like it ([`crowd`]).

mod actions;
mod cover;
mod crowd;
mod findings;
mod key;
mod segment;

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::session::{Purpose, Session, SessionOptions};
use rhumb_logic::{Assignment, Budget, Term, Terms, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Position, Program, TargetId};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use actions::{Thing, Touch};
pub(super) use findings::Note;

use super::eval::Machine;
use super::questions::QUESTION;
use super::state::PathState;
use super::{Extent, Followed, STEP};
use cover::Standing;
use key::{Key, Keys};
use segment::{End, Segments};

/// Words that states may have that were seen: about 2 GB.
const MAX_WORDS: usize = 1 << 28;

/// All runs of a program with threads, followed state by state; this can be interrupted.
pub struct AllSchedules<'p> {
    machine: Machine<'p>,
    session: Session,
    /// What the session has on its stack, a level each.
    asserted: Vec<Term>,
    /// Objects that live as long as the run.
    globals: Vec<u32>,
    keys: Keys<'p>,
    seen: FxHashSet<Key>,
    /// Those of a crowd, by what is not free in them.
    crowds: FxHashMap<Key, Vec<Arc<Standing>>>,
    /// Words of the states in these.
    words: usize,
    /// States whose successors are open, by the number of preemptions.
    pending: BTreeMap<u32, Vec<Path>>,
    /// What segments led to and was not told yet.
    found: Vec<Found>,
    /// Races that were told.
    raced: FxHashSet<TargetId>,
    extent: Extent,
    is_proof: bool,
}

/// Something to tell.
enum Found {
    Target(Path, TargetId),
    Lost(String, Option<Position>),
}

/// A run so far. All of its threads stand where others may go on.
#[derive(Clone)]
struct Path {
    state: PathState,
    /// What holds of inputs on it.
    conditions: Arc<Vec<Term>>,
    /// Values of the symbols under which that holds, if some are known.
    model: Option<Assignment>,
    /// Whether nothing on it was approximated.
    is_exact: bool,
    schedule: Schedule,
    preemptions: u32,
    /// In a crowd: the state that it began with, written down.
    standing: Option<Arc<Standing>>,
}

/// The choices of a run: values, and how many choices of 0 stand before and behind them.
#[derive(Clone, Default)]
struct Schedule {
    zeros: u64,
    last: Option<Arc<Choice>>,
}

struct Choice {
    zeros: u64,
    value: u64,
    before: Option<Arc<Choice>>,
}

impl Schedule {
    fn push(&mut self, value: u64) {
        if value == 0 {
            self.zeros += 1;
            return;
        }
        let zeros = std::mem::take(&mut self.zeros);
        let before = self.last.take();
        self.last = Some(Arc::new(Choice {
            zeros,
            value,
            before,
        }));
    }

    fn choices(&self) -> Vec<(u64, u64)> {
        let mut choices = Vec::new();
        let mut next = self.last.as_ref();
        while let Some(choice) = next {
            choices.push((choice.zeros, choice.value));
            next = choice.before.as_ref();
        }
        choices.reverse();
        choices
    }
}

impl<'p> AllSchedules<'p> {
    /// All runs, from the start of a program as lowered.
    pub fn new(program: &'p Program) -> AllSchedules<'p> {
        AllSchedules::begin(program, false)
    }

    /// The same, with any number of threads for each that is created: more runs than there are.
    pub fn crowded(program: &'p Program) -> AllSchedules<'p> {
        AllSchedules::begin(program, true)
    }

    fn begin(program: &'p Program, is_crowd: bool) -> AllSchedules<'p> {
        let terms = Arc::new(Terms::new());
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.set_purpose(Purpose("execute"));
        let mut machine = Machine::new(program, terms);
        machine.touched = Some(Vec::new());
        machine.is_crowd = is_crowd;
        // How many of many threads wait is not known.
        let can_tell = !(is_crowd && findings::asks_for_deadlocks(program));
        let start = machine.start().ok().filter(|_| can_tell);
        let mut globals: Vec<u32> = machine.globals.values().copied().collect();
        globals.sort_unstable();
        let mut all = AllSchedules {
            machine,
            session,
            asserted: Vec::new(),
            globals,
            keys: Keys::new(program),
            seen: FxHashSet::default(),
            crowds: FxHashMap::default(),
            words: 0,
            pending: BTreeMap::new(),
            found: Vec::new(),
            raced: FxHashSet::default(),
            extent: Extent::default(),
            is_proof: start.is_some(),
        };
        if let Some(state) = start {
            let path = Path {
                state,
                conditions: Arc::default(),
                model: Some(Assignment::default()),
                is_exact: true,
                schedule: Schedule::default(),
                preemptions: 0,
                standing: None,
            };
            all.pending.entry(0).or_default().push(path);
        }
        all
    }

    /// What was done so far: paths are states.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// States that are waiting.
    pub fn open(&self) -> usize {
        self.pending.values().map(Vec::len).sum::<usize>() + self.found.len()
    }

    /// Questions to the solver.
    pub(super) fn queries(&self) -> u64 {
        self.session.statistics().total().queries()
    }

    /// Goes on until there is something to tell, about so much work is done, or the budget is spent.
    pub fn go_on(&mut self, budget: &Budget, slice: Work) -> Followed {
        let begin = Work::so_far();
        loop {
            let left = budget.units_for_query();
            let is_short = left.is_some_and(|left| left < 2 * QUESTION);
            if is_short || Work::since(begin) >= slice || budget.is_spent() {
                return Followed::Working;
            }
            match self.found.pop() {
                Some(Found::Target(path, target)) => {
                    self.is_proof = false;
                    let inputs = self.inputs(&path, budget);
                    return Followed::Reached { target, inputs };
                }
                Some(Found::Lost(what, position)) => {
                    self.is_proof = false;
                    return Followed::Lost { what, position };
                }
                None => {}
            }
            if self.words + self.keys.words() > MAX_WORDS {
                self.is_proof = false;
                self.pending.clear();
                let what = "many states of several threads".to_owned();
                return Followed::Lost {
                    what,
                    position: None,
                };
            }
            let Some(path) = self.next() else {
                return match self.is_proof {
                    true => Followed::Complete(self.extent),
                    false => Followed::Incomplete,
                };
            };
            let before = self.extent.steps;
            match self.machine.is_crowd {
                false => self.expand(path, budget),
                true => self.expand_crowd(path, budget),
            }
            budget.spend((self.extent.steps - before) * STEP);
        }
    }

    fn next(&mut self) -> Option<Path> {
        let mut first = self.pending.first_entry()?;
        let path = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        path
    }

    /// Lets every thread make a step from here.
    fn expand(&mut self, path: Path, budget: &Budget) {
        let threads: Vec<usize> = path.state.running().collect();
        // The thread that went on last comes first.
        let last = path.state.current;
        let order = threads.iter().copied().filter(|&thread| thread == last);
        let order = order.chain(threads.iter().copied().filter(|&thread| thread != last));
        let order: Vec<usize> = order.collect();
        let mut steps: Vec<(usize, Segments)> = Vec::new();
        for &thread in &order {
            let segments = self.segments(&path, thread, budget);
            if segments.are_invisible() {
                // The others can wait, unless that leads nowhere.
                let mut is_new = true;
                let ends: Vec<(Path, Key)> = segments
                    .list
                    .iter()
                    .filter_map(|segment| match &segment.end {
                        End::Rests => Some((segment.path.clone(), self.key_of(&segment.path))),
                        _ => None,
                    })
                    .collect();
                for (_, key) in &ends {
                    is_new &= !self.seen.contains(key);
                }
                if is_new {
                    for (path, key) in ends {
                        self.add(path, key);
                    }
                    return;
                }
            }
            steps.push((thread, segments));
        }
        if has_torn_access(&steps) {
            let what = "an object that one thread copies while another one uses it".to_owned();
            self.found.push(Found::Lost(what, None));
        }
        self.look(&path, &steps, budget);
        let is_enabled = |thread: usize| {
            let mut steps = steps.iter();
            steps.any(|(other, segments)| *other == thread && !segments.list.is_empty())
        };
        let goes_on = is_enabled(last);
        for (thread, segments) in steps {
            for mut segment in segments.list {
                segment.path.preemptions += u32::from(thread != last && goes_on);
                match segment.end {
                    End::Rests => {
                        let key = self.key_of(&segment.path);
                        self.add(segment.path, key);
                    }
                    End::Harmless => {}
                    End::Target(target) => self.found.push(Found::Target(segment.path, target)),
                    End::Lost(what, position) => self.found.push(Found::Lost(what, position)),
                }
            }
        }
    }

    fn key_of(&mut self, path: &Path) -> Key {
        let terms = self.machine.terms.clone();
        let conditions = &path.conditions;
        self.keys.key(
            &terms,
            &path.state,
            conditions,
            &self.globals,
            path.is_exact,
        )
    }

    /// A state that may be new.
    fn add(&mut self, path: Path, key: Key) {
        let words = key.len();
        if self.seen.insert(key) {
            self.words += words;
            self.extent.paths += 1;
            let level = self.pending.entry(path.preemptions).or_default();
            level.push(path);
        }
    }

    /// Inputs that make the program take a path, with its schedule among them.
    fn inputs(&mut self, path: &Path, budget: &Budget) -> Option<KeyedInputs> {
        let model = match path.model.clone() {
            Some(model) => model,
            None => self.model(&path.conditions, budget)?,
        };
        let mut inputs = super::inputs_of(&self.machine, &path.state, &model);
        let site = self.machine.program.schedule()?;
        for (zeros, value) in path.schedule.choices() {
            inputs.push_value(site, 0, zeros);
            inputs.push_value(site, value.into(), 1);
        }
        Some(inputs)
    }
}

/// Whether a thread could see what another one has done by half. Where it could, there is a state in which both are about to do it: up to
/// there neither has seen anything of the other one's access.
fn has_torn_access(steps: &[(usize, Segments)]) -> bool {
    let touched = |segments: &'_ Segments| -> Vec<Touch> {
        let list = segments.list.iter();
        list.flat_map(|segment| segment.touched.iter().cloned())
            .collect()
    };
    let all: Vec<Vec<Touch>> = steps
        .iter()
        .map(|(_, segments)| touched(segments))
        .collect();
    all.iter().enumerate().any(|(number, touches)| {
        let others = all.iter().enumerate();
        let mut others = others
            .filter(|(other, _)| *other != number)
            .flat_map(|(_, all)| all);
        let long = touches.iter().filter(|touch| touch.is_long);
        let long: Vec<&Touch> = long.collect();
        !long.is_empty() && others.any(|other| long.iter().any(|touch| touch.meets(other)))
    })
}
