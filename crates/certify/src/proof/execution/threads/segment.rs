//! A thread on its way from one place where others may go on to the next.

use std::collections::VecDeque;
use std::sync::Arc;

use rhumb_logic::session::Answer;
use rhumb_logic::{Assignment, Budget, Symbol, Term, Value as Constant, eval};
use rhumb_program::{
    Action, Builtin, Callee, Cfa, Edge, EdgeId, FuncId, LocId, LocKind, Position, TargetId,
    ThreadOp,
};

use super::actions::Touch;
use super::{AllSchedules, Note, Path};
use crate::proof::execution::changed::changed;
use crate::proof::execution::questions::{QUESTION, Reply};
use crate::proof::execution::step::Done;
use crate::proof::execution::value::WILD;
use crate::proof::execution::{Gap, Halt};

/// A segment with more steps than this is not followed: no other thread would ever go on.
const MAX_STEPS: u64 = 1_000_000;

/// Nor are more ways than this from one place where others may go on: a loop without an end that depends on inputs.
const MAX_WAYS: usize = 2_000;

/// From so many on that are open, those that were left first go on first.
const MANY_WAYS: usize = 100;

/// Steps between two looks at the budget.
const STRIDE: u64 = 4096;

/// What one thread did while no other one did anything.
pub(super) struct Segment {
    pub(super) path: Path,
    pub(super) end: End,
    /// What it accessed of what others may reach.
    pub(super) touched: Vec<Touch>,
    /// Accesses that are asked about.
    pub(super) noted: Vec<Note>,
}

/// Where a segment ends.
pub(super) enum End {
    /// Where another thread may go on. A thread that has ended rests, too.
    Rests,
    /// The run ends, and reaches nothing.
    Harmless,
    Target(TargetId),
    Lost(String, Option<Position>),
}

/// All that a thread can do from somewhere.
#[derive(Default)]
pub(super) struct Segments {
    pub(super) list: Vec<Segment>,
    /// Whether it may have to wait for others.
    pub(super) waits: bool,
    /// What it looks at before it waits, as far as that is asked about.
    pub(super) waiting: Vec<Note>,
    /// What it accesses before it waits, or before a step that was left out because it leads nowhere.
    pub(super) looked: Vec<Touch>,
    /// Where it goes on if nobody can.
    pub(super) deadlock: Option<LocKind>,
}

impl Segments {
    /// All accesses that are asked about.
    pub(super) fn notes(&self) -> Vec<Note> {
        let listed = self.list.iter().flat_map(|segment| &segment.noted);
        listed.chain(&self.waiting).cloned().collect()
    }

    /// Whether no other thread can see, or change, what it does.
    pub(super) fn are_invisible(&self) -> bool {
        self.always_rests() && self.list.iter().all(|segment| segment.touched.is_empty())
    }

    /// Whether it can go on whatever the inputs are, and the run goes on then.
    pub(super) fn always_rests(&self) -> bool {
        let rests = |segment: &Segment| matches!(segment.end, End::Rests);
        !self.waits && !self.list.is_empty() && self.list.iter().all(rests)
    }
}

/// A path within a segment.
struct Part {
    path: Path,
    touched: Vec<Touch>,
    noted: Vec<Note>,
    steps: u64,
}

/// What became of a part.
enum Step {
    On(Part),
    /// In both directions.
    Both(Box<[Part; 2]>),
    Done(Segment),
    /// The thread can't go on from where the segment began; where it would if nobody could.
    Waits(Vec<Touch>, Vec<Note>, Option<LocKind>),
}

impl AllSchedules<'_> {
    /// What a thread can do from here; nothing if it waits for others.
    pub(super) fn segments(&mut self, from: &Path, thread: usize, budget: &Budget) -> Segments {
        let mut path = from.clone();
        // A choice is made where another thread could go on.
        let others = path
            .state
            .running()
            .any(|other| other != path.state.current);
        if others {
            let choice = match thread == path.state.current {
                true => 0,
                false => thread as u64 + 1,
            };
            path.schedule.push(choice);
        }
        path.state.switch_to(thread);
        let mut waiting = VecDeque::from([Part {
            path,
            touched: Vec::new(),
            noted: Vec::new(),
            steps: 0,
        }]);
        let mut segments = Segments::default();
        // Where there are many ways short ones go first: a loop without an end is not all that there is.
        while let Some(part) = match waiting.len() < MANY_WAYS {
            true => waiting.pop_back(),
            false => waiting.pop_front(),
        } {
            self.extent.steps += 1;
            if segments.list.len() + waiting.len() > MAX_WAYS {
                let what = "many ways between two switches".to_owned();
                if let Step::Done(segment) = part.ends(End::Lost(what, None)) {
                    segments.list.push(segment);
                }
                break;
            }
            match self.step(part, budget) {
                Step::On(part) => waiting.push_back(part),
                Step::Both(sides) => waiting.extend(sides.into_iter().rev()),
                Step::Done(segment) => segments.list.push(segment),
                Step::Waits(looked, notes, deadlock) => {
                    segments.waits = true;
                    segments.looked.extend(looked);
                    segments.waiting.extend(notes);
                    segments.deadlock = segments.deadlock.or(deadlock);
                }
            }
        }
        segments
    }

    fn step(&mut self, mut part: Part, budget: &Budget) -> Step {
        let program = self.machine.program;
        let frame = part.path.state.frame();
        let (function, location) = (frame.function, frame.location);
        let cfa = &program.functions[function].cfa;
        let place = &cfa.locations[location];
        match place.kind {
            LocKind::Plain => {}
            LocKind::Target(target) => return part.ends(End::Target(target)),
            LocKind::Unsupported(id) => {
                let unsupported = &program.unsupported[id];
                let position = program.sources.position(unsupported.span);
                return part.ends(End::Lost(unsupported.what.to_string(), Some(position)));
            }
            LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => {
                return part.ends(End::Harmless);
            }
        }
        let Some(&edge) = place.outgoing.first() else {
            return part.ends(End::Harmless);
        };
        part.steps += 1;
        if part.steps > MAX_STEPS || part.steps.is_multiple_of(STRIDE) && budget.is_spent() {
            let what = Gap("a thread that goes on and on without touching what others see");
            return self.lost(part, what, function, edge);
        }
        let taken = &cfa.edges[edge];
        if is_yield(taken) {
            part.path.state.frame_mut().location = taken.target;
            // Where nobody else can go on there is no choice.
            let state = &part.path.state;
            let others = state.running().any(|other| other != state.current);
            return match others && state.atomic == 0 {
                true => part.ends(End::Rests),
                false => Step::On(part),
            };
        }
        if let Action::Assume { cond, holds } = taken.action {
            let truth = match self.machine.truth(&part.path.state, cond) {
                Ok(truth) => truth,
                Err(halt) => return self.halted(part, halt, function, edge, budget),
            };
            self.tell(&mut part);
            let Some(&other) = place.outgoing.get(1) else {
                return self.lost(part, Gap("an assumption without a branch"), function, edge);
            };
            let condition = (cond, holds);
            let edges = [edge, other];
            let branch = (self.machine).branch(&part.path.state, cfa, edges, condition, truth);
            let go = |mut part: Part, condition: bool| {
                branch.go(&mut part.path.state, condition);
                part
            };
            return match self.fork(part, truth, budget) {
                [Some(yes), Some(no)] => Step::Both(Box::new([go(yes, true), go(no, false)])),
                [Some(yes), None] => Step::On(go(yes, true)),
                [None, Some(no)] => Step::On(go(no, false)),
                [None, None] => Step::Waits(Vec::new(), Vec::new(), None),
            };
        }
        let may_be_interrupted = part.path.state.atomic == 0;
        let done = self.machine.act(&mut part.path.state, &taken.action);
        if may_be_interrupted && self.is_long(&taken.action) {
            for touch in self.machine.touched.iter_mut().flatten() {
                touch.is_long = true;
            }
        }
        for note in &mut self.machine.noted {
            note.finding = finding(cfa, taken.target).unwrap_or(LocKind::Plain);
        }
        match done {
            Ok(done) => {
                self.tell(&mut part);
                match done {
                    Done::Next => part.path.state.frame_mut().location = taken.target,
                    Done::Moved => {}
                    Done::Ends => return part.ends(End::Harmless),
                    Done::Waits => {
                        let deadlock = finding(cfa, taken.target);
                        return Step::Waits(part.touched, part.noted, deadlock);
                    }
                    Done::ThreadEnds => {
                        let rests = part.path.state.running().next().is_some();
                        return part.ends(if rests { End::Rests } else { End::Harmless });
                    }
                }
                Step::On(part)
            }
            Err(halt) => self.halted(part, halt, function, edge, budget),
        }
    }

    /// Whether other threads may see an access half done.
    fn is_long(&self, action: &Action) -> bool {
        let model = self.machine.program.data_model;
        match action {
            Action::Copy { .. } | Action::Fill { .. } | Action::InputBytes { .. } => true,
            Action::Load { access, .. } | Action::Store { access, .. } => {
                access.bits.is_some() || access.size(model) > u64::from(model.pointer_width() / 8)
            }
            _ => false,
        }
    }

    /// Takes over what the machine noted.
    fn tell(&mut self, part: &mut Part) {
        let path = &mut part.path;
        path.is_exact &= !std::mem::take(&mut self.machine.approximated);
        if !self.machine.assumed.is_empty() {
            Arc::make_mut(&mut path.conditions).append(&mut self.machine.assumed);
        }
        if let Some(touched) = &mut self.machine.touched {
            part.touched.append(touched);
        }
        part.noted.append(&mut self.machine.noted);
    }

    fn halted(
        &mut self,
        mut part: Part,
        halt: Halt,
        function: FuncId,
        edge: EdgeId,
        budget: &Budget,
    ) -> Step {
        self.tell(&mut part);
        match halt {
            Halt::Gap(gap) => self.lost(part, gap, function, edge),
            Halt::Point(_) => self.lost(part, WILD, function, edge),
            Halt::Split(term) => match self.split(part, term, budget) {
                Ok(step) => step,
                Err(part) => {
                    let gap = Gap("a place or size that is not known");
                    self.lost(*part, gap, function, edge)
                }
            },
        }
    }

    fn lost(&self, part: Part, gap: Gap, function: FuncId, edge: EdgeId) -> Step {
        let program = self.machine.program;
        let span = program.functions[function].cfa.edges[edge].span;
        let position = program.sources.position(span);
        part.ends(End::Lost(gap.0.to_owned(), Some(position)))
    }

    /// Tells runs apart by one value of a term.
    fn split(&mut self, mut part: Part, term: Term, budget: &Budget) -> Result<Step, Box<Part>> {
        let terms = self.machine.terms.clone();
        let model = match part.path.model.clone() {
            Some(model) => Some(model),
            None => self.model(&part.path.conditions, &budget.with_units(QUESTION)),
        };
        let value = model
            .as_ref()
            .and_then(|model| eval::evaluate(&terms, term, model));
        let Some(Constant::Int(value)) = value else {
            return Err(Box::new(part));
        };
        part.path.model = model;
        let is_it = terms.eq(term, terms.int(value.clone()));
        let pin = |mut part: Part| {
            Arc::make_mut(&mut part.path.state.pinned).insert(term, value.clone());
            part
        };
        Ok(match self.fork(part, is_it, budget) {
            [Some(yes), Some(no)] => Step::Both(Box::new([pin(yes), no])),
            [Some(yes), None] => Step::On(pin(yes)),
            [None, Some(no)] => Step::On(no),
            [None, None] => Step::Waits(Vec::new(), Vec::new(), None),
        })
    }

    /// The directions that a condition can have: where it holds, and where it doesn't.
    fn fork(&mut self, part: Part, condition: Term, budget: &Budget) -> [Option<Part>; 2] {
        let terms = self.machine.terms.clone();
        match terms.as_bool(condition) {
            Some(true) => return [Some(part), None],
            Some(false) => return [None, Some(part)],
            None => {}
        }
        let model = part.path.model.as_ref();
        let here = model.and_then(|model| eval::evaluate(&terms, condition, model)?.as_bool());
        let sides = [condition, terms.not(condition)];
        sides.map(|side| {
            let known = match here {
                Some(holds) if (side == condition) == holds => part.path.model.clone(),
                _ => match self.ask(&part.path, side, budget) {
                    Reply::Impossible => return None,
                    Reply::Possible(model) => Some(model),
                    Reply::Undecided => None,
                },
            };
            let mut path = part.path.clone();
            path.model = known;
            Arc::make_mut(&mut path.conditions).push(side);
            Some(Part {
                path,
                touched: part.touched.clone(),
                noted: part.noted.clone(),
                steps: part.steps,
            })
        })
    }

    /// Whether the conditions of a path can hold, and another one with them.
    fn ask(&mut self, path: &Path, condition: Term, budget: &Budget) -> Reply {
        let terms = &self.machine.terms;
        let conditions = &path.conditions;
        if conditions.contains(&terms.not(condition)) {
            return Reply::Impossible;
        }
        let about = |symbol: Symbol| -> Vec<Term> {
            let speaks = |other: &Term| terms.symbols([*other]).contains(&symbol);
            conditions.iter().copied().filter(speaks).collect()
        };
        if !self.machine.symbols.has_floats
            && let Some(model) = &path.model
            && let Some(model) = changed(terms, model, condition, budget, about)
        {
            return Reply::Possible(model);
        }
        self.assert(conditions);
        let budget = budget.with_units(QUESTION);
        match self.session.check_assuming(&[condition], &budget) {
            Answer::Unsat(_) => Reply::Impossible,
            Answer::Sat(model) => Reply::Possible(model.into_assignment()),
            Answer::Unknown(_) => Reply::Undecided,
        }
    }

    /// Values under which conditions hold.
    pub(super) fn model(&mut self, conditions: &[Term], budget: &Budget) -> Option<Assignment> {
        self.assert(conditions);
        match self.session.check(budget) {
            Answer::Sat(model) => Some(model.into_assignment()),
            _ => None,
        }
    }

    /// Puts these conditions, and nothing else, on the session's stack.
    fn assert(&mut self, conditions: &[Term]) {
        let common = self.asserted.iter().zip(conditions);
        let common = common.take_while(|(a, b)| a == b).count();
        while self.asserted.len() > common {
            self.asserted.pop();
            self.session.pop();
        }
        for &condition in &conditions[common..] {
            self.session.push();
            self.session.assert(condition);
            self.asserted.push(condition);
        }
    }
}

impl Part {
    fn ends(self, end: End) -> Step {
        Step::Done(Segment {
            path: self.path,
            end,
            touched: self.touched,
            noted: self.noted,
        })
    }
}

/// Where the answer yes leads to a question that was answered before this location.
fn finding(cfa: &Cfa, location: LocId) -> Option<LocKind> {
    let mut edges = cfa.locations[location].outgoing.iter();
    edges.find_map(|&edge| match cfa.edges[edge].action {
        Action::Assume { holds: true, .. } => Some(cfa.locations[cfa.edges[edge].target].kind),
        _ => None,
    })
}

fn is_yield(edge: &Edge) -> bool {
    matches!(
        edge.action,
        Action::Call {
            callee: Callee::Builtin(Builtin::Thread(ThreadOp::Yield)),
            ..
        }
    )
}
