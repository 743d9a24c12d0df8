//! All runs of a program with threads: with all inputs, and all schedules.
//!
//! A thread is followed from one place where others may go on to the next; there every thread may be the next one.
//! States that were seen before, up to names ([`key`]), are not followed again: so loops that wait come to an end, and
//! so do interleavings that make no difference. Schedules with few preemptions come first.
//!
//! **Invariant: every run is an instance of a path that was followed, up to the order of steps that can't be told
//! apart.** Left out is what makes no difference by what threads may still do from where they stand ([`ahead`]): threads
//! that don't meet what others do next need not go first, and steps that lead nowhere are not made ([`reduce`]);
//! contents that nobody will look at are no part of a state ([`key`]). Where there is one way on, some steps are made at
//! once, and what lies between is not written down.
//!
//! Where threads are created without a bound, each can stand for any number of others like it ([`crowd`]).

mod actions;
mod ahead;
mod aliases;
mod cover;
mod crowd;
mod findings;
mod key;
mod reduce;
mod segment;
mod things;

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rhumb_logic::session::{Purpose, Session, SessionOptions};
use rhumb_logic::{Assignment, Budget, Term, Terms, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{FuncId, LocId, Position, Program, TargetId};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use actions::{Thing, Touch};
pub(super) use findings::Note;

use super::eval::Machine;
use super::questions::QUESTION;
use super::state::PathState;
use super::{Extent, Followed, STEP};
use ahead::Outlook;
use cover::Standing;
use key::{Key, Keys, Sight};
use reduce::{Tries, asks_for_faults};
use segment::{End, Segments};

/// Words that states may have that were seen: about 2 GB.
const MAX_WORDS: usize = 1 << 28;

/// Steps that are made at once where there is one way on: what lies between is not written down.
const AT_ONCE: u32 = 32;

/// All runs of a program with threads, followed state by state; this can be interrupted.
pub struct AllSchedules<'p> {
    machine: Machine<'p>,
    session: Session,
    /// What the session has on its stack, a level each.
    asserted: Vec<Term>,
    /// Objects that live as long as the run.
    globals: Vec<u32>,
    keys: Keys<'p>,
    /// States that were seen, each with a number.
    seen: FxHashMap<Key, u32>,
    /// Where others were put off: the states that the threads that went on lead to. No way leads back along these.
    put_off: FxHashMap<u32, Vec<u32>>,
    /// Those of a crowd, by what is not free in them.
    crowds: FxHashMap<Key, Vec<Arc<Standing>>>,
    /// Words of the states in these.
    words: usize,
    /// States whose successors are open, by the number of preemptions.
    pending: BTreeMap<u32, Vec<Path>>,
    /// What threads may still do, from where they stand.
    outlook: Box<Outlook<'p>>,
    /// Whether threads may wait while others go on that don't meet what they may still do.
    looks_ahead: bool,
    /// Whether what no thread may still look at is no part of a state.
    forgets: bool,
    /// Whether it makes no difference which thread has which number, as long as none has asked.
    are_alike: bool,
    /// Where steps that lead nowhere were looked for.
    tries: FxHashMap<(FuncId, LocId), Tries>,
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
    /// The number of the state that it stands in.
    number: u32,
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

    /// All runs without the reductions that rely on what threads may still do: to see what these save, and whether they
    /// are right. A step that touches nothing that others can reach goes first all the same.
    pub fn unreduced(program: &'p Program) -> AllSchedules<'p> {
        let mut all = AllSchedules::begin(program, false);
        all.looks_ahead = false;
        all.forgets = false;
        all
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
            seen: FxHashMap::default(),
            put_off: FxHashMap::default(),
            crowds: FxHashMap::default(),
            words: 0,
            pending: BTreeMap::new(),
            outlook: Box::new(Outlook::new(program)),
            looks_ahead: !asks_for_faults(program),
            forgets: !is_crowd,
            are_alike: true,
            tries: FxHashMap::default(),
            found: Vec::new(),
            raced: FxHashSet::default(),
            extent: Extent::default(),
            is_proof: start.is_some(),
        };
        all.put(start);
        all
    }

    /// Puts the state in which runs begin among those that are open.
    fn put(&mut self, start: Option<PathState>) {
        if let Some(state) = start {
            let path = Path {
                state,
                conditions: Arc::default(),
                model: Some(Assignment::default()),
                is_exact: true,
                schedule: Schedule::default(),
                preemptions: 0,
                number: 0,
                standing: None,
            };
            let key = self.key_of(&path);
            self.add(path, key);
        }
    }

    /// A thread has asked for its number, so which one has which matters after all.
    fn begin_again(&mut self) {
        self.are_alike = false;
        if !self.machine.is_crowd {
            self.seen.clear();
            self.put_off.clear();
            self.pending.clear();
            let start = self.machine.start().ok();
            self.put(start);
        }
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
            if self.are_alike && self.machine.asked_for_number {
                self.begin_again();
            }
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

    /// Goes on from a state until there are several ways on, or none, or for some steps.
    fn expand(&mut self, path: Path, budget: &Budget) {
        let mut are_put_off = true;
        let mut ways = vec![path.clone()];
        for _ in 0..AT_ONCE {
            let [only] = &ways[..] else {
                break;
            };
            let only = only.clone();
            let (next, some_are_put_off) = self.ways(&only, true, budget);
            are_put_off &= some_are_put_off;
            ways = next;
        }
        let mut keys: Vec<Key> = ways.iter().map(|way| self.key_of(way)).collect();
        if are_put_off && !self.leads_on(path.number, &keys) {
            are_put_off = false;
            (ways, _) = self.ways(&path, false, budget);
            keys = ways.iter().map(|way| self.key_of(way)).collect();
        }
        let states = ways.into_iter().zip(keys);
        let states: Vec<u32> = states.map(|(way, key)| self.add(way, key)).collect();
        if are_put_off {
            self.put_off.insert(path.number, states);
        }
    }

    /// What can be done from here, and whether some threads were put off.
    fn ways(&mut self, path: &Path, reduces: bool, budget: &Budget) -> (Vec<Path>, bool) {
        let threads: Vec<usize> = path.state.running().collect();
        // The thread that went on last comes first.
        let last = path.state.current;
        let order = threads.iter().copied().filter(|&thread| thread == last);
        let order = order.chain(threads.iter().copied().filter(|&thread| thread != last));
        let order: Vec<usize> = order.collect();
        let outlooks = (reduces && self.looks_ahead).then(|| self.outlooks(&path.state));
        let mut steps: Vec<(usize, Segments)> = Vec::new();
        for &thread in &order {
            let mut segments = self.segments(path, thread, budget);
            if let Some(outlooks) = &outlooks {
                self.leave_out_dead_ends(thread, &mut segments, outlooks, budget);
            }
            if reduces && self.goes_first(thread, &segments, outlooks.as_ref()) {
                // The others can wait.
                let is_put_off = threads.len() > 1;
                return (self.rests(segments, 0), is_put_off);
            }
            steps.push((thread, segments));
        }
        if has_torn_access(&steps) {
            let what = "an object that one thread copies while another one uses it".to_owned();
            self.found.push(Found::Lost(what, None));
        }
        self.look(path, &steps, budget);
        let is_enabled = |thread: usize| {
            let mut steps = steps.iter();
            steps.any(|(other, segments)| *other == thread && !segments.list.is_empty())
        };
        let goes_on = is_enabled(last);
        let group = outlooks.and_then(|outlooks| self.group(&path.state, &steps, &outlooks));
        if let Some(group) = &group {
            steps.retain(|(thread, _)| group.contains(thread));
        }
        let mut ways = Vec::new();
        for (thread, segments) in steps {
            ways.extend(self.rests(segments, u32::from(thread != last && goes_on)));
        }
        (ways, group.is_some())
    }

    /// Where a run goes on behind what a thread can do, which is so many preemptions more. Other ends are noted.
    fn rests(&mut self, segments: Segments, preemptions: u32) -> Vec<Path> {
        let mut paths = Vec::new();
        for mut segment in segments.list {
            segment.path.preemptions += preemptions;
            match segment.end {
                End::Rests => paths.push(segment.path),
                End::Harmless => {}
                End::Target(target) => self.found.push(Found::Target(segment.path, target)),
                End::Lost(what, position) => self.found.push(Found::Lost(what, position)),
            }
        }
        paths
    }

    fn key_of(&mut self, path: &Path) -> Key {
        let terms = self.machine.terms.clone();
        let ahead = self.outlook.of_all(&path.state);
        let sight = Sight {
            ahead: self.forgets.then_some(&*ahead),
            are_alike: self.are_alike,
        };
        self.keys.key(&terms, path, &self.globals, sight)
    }

    /// A state that may be new: gives its number.
    fn add(&mut self, mut path: Path, key: Key) -> u32 {
        let words = key.len();
        let number = self.seen.len() as u32;
        match self.seen.entry(key) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(place) => {
                place.insert(number);
                path.number = number;
                self.words += words;
                self.extent.paths += 1;
                let level = self.pending.entry(path.preemptions).or_default();
                level.push(path);
                number
            }
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
