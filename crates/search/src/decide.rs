//! From a program to verdicts: an engine searches, its claims are certified, target by target.
//!
//! Targets are asked about together: one search, one proof. Those that can be reached are set aside, and the others
//! asked about again. What must not be reached comes first, then undefined behaviour; a group of checks that is left
//! without an answer is taken apart into smaller ones.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::OnceLock;

use rhumb_certify::proof::{Lost, Rejected};
use rhumb_certify::{
    Asked, CertifiedPart, NotAccepted, Verdict, certify_part, certify_parts, certify_safe,
    certify_unsafe, counterexample,
};
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{KeyedInputs, Machine};
use rhumb_program::{Program, TargetId, TargetKind, UbKind};
use rhumb_summary::Preset;

use crate::catalog::{CATALOG, Entry};
use crate::claim::{Claim, Reason};
use crate::decision::{Decision, Observer, Outcome};
use crate::engine::{Start, Step};
use crate::runs::stumbles;
use crate::simpler::SimplerView;
use crate::task::{Means, Task};
use crate::threads;

/// Once an error is known, the other targets get as much work again as was done until then, and at least this.
const AT_LEAST: Work = Work::secs(1);

/// The same for checks: whoever looks for undefined behaviour wants to know of all places.
const AT_LEAST_FOR_CHECKS: Work = Work::secs(3);

/// About what it takes to replay a long run. Counted for counterexamples that come to nothing, so that an engine that
/// claims one after the other has had its turn at some time.
const REPLAY: Work = Work::millis(500);

/// Checks that nobody could decide together are taken apart into so many groups.
const PARTS: usize = 4;

/// What part of all work the first question about all checks may take, as its inverse; what must not be reached leaves
/// as much to the checks.
const SHARE: u32 = 4;

/// Lets an engine decide a program, all targets at once; those that can be reached are set aside and the others decided without them.
pub fn decide<M: Into<Means>>(
    program: &Program,
    engine: &Entry,
    means: M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Decision {
    let mut course = Course::new(program, engine, means.into(), observer);
    let is_check = |id: &TargetId| program.targets[*id].kind.is_check();
    let (checks, others): (Vec<TargetId>, Vec<TargetId>) =
        program.targets.indices().partition(is_check);
    if checks.is_empty() || others.is_empty() {
        course.each(program.targets.indices().collect(), budget);
    } else {
        let first = match budget.left() {
            Some(left) => budget.within(left - left / SHARE),
            None => budget.clone(),
        };
        course.each(others.clone(), &first);
        course.each(checks, budget);
        // What the checks have left.
        let open = course.open(&others);
        if first.is_spent() && !budget.is_spent() && !open.is_empty() {
            course.each(open, budget);
        }
    }
    course.decision
}

/// The same up to the first target that can be reached: who has one question for all of them has the answer then.
pub fn decide_together<M: Into<Means>>(
    program: &Program,
    engine: &Entry,
    means: M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Decision {
    let mut course = Course::new(program, engine, means.into(), observer);
    course.ask(&program.targets.indices().collect::<Vec<_>>(), budget);
    course.decision
}

/// What a run shows that somebody finds who knows the program.
pub(crate) fn decide_by_run(
    program: &Program,
    engine: &Entry,
    means: Means,
    budget: &Budget,
    observer: &mut dyn Observer,
    find: impl FnOnce(&Machine<'_>) -> Option<(TargetId, KeyedInputs)>,
) -> Decision {
    let mut course = Course::new(program, engine, means, observer);
    let machine = course.machine();
    if let Some((target, inputs)) = find(&machine) {
        course.learn_from_run(&machine, target, &inputs, budget);
    }
    course.decision
}

/// What a search for some targets came to.
enum Found {
    /// None of them can be reached.
    Safe,
    /// One can.
    Target,
    /// Nothing is known.
    Nothing,
}

/// A decision in the making.
struct Course<'a> {
    program: &'a Program,
    engine: &'a Entry,
    means: Means,
    observer: &'a mut dyn Observer,
    /// The program, compiled for the interpreter.
    machine: OnceLock<Rc<Machine<'a>>>,
    /// Whether random inputs were tried for all targets.
    has_stumbled: bool,
    /// What is proved so far.
    parts: Vec<CertifiedPart<'a>>,
    /// The work that was done when the first error was found.
    first_error: Option<Work>,
    before: Work,
    decision: Decision,
}

impl<'a> Course<'a> {
    fn new(
        program: &'a Program,
        engine: &'a Entry,
        means: Means,
        observer: &'a mut dyn Observer,
    ) -> Course<'a> {
        let mut decision = Decision::unknown(String::new());
        let open = Outcome::Unknown(String::new());
        decision.targets.resize(program.targets.len(), open);
        Course {
            program,
            engine,
            means,
            observer,
            machine: OnceLock::new(),
            has_stumbled: false,
            parts: Vec::new(),
            first_error: None,
            before: Work::so_far(),
            decision,
        }
    }

    /// Those of a group about which nothing is known.
    fn open(&self, group: &[TargetId]) -> Vec<TargetId> {
        let outcome = |id: TargetId| &self.decision.targets[id];
        let open = group.iter().copied();
        open.filter(|&id| matches!(outcome(id), Outcome::Unknown(_)))
            .collect()
    }

    /// What may still be done for a group: once there is an error, as much as was done before.
    fn rest(&self, budget: &Budget, group: &[TargetId]) -> Budget {
        match self.first_error {
            Some(work) => {
                let done = Work::since(self.before);
                let is_check = |&id: &TargetId| self.program.targets[id].kind.is_check();
                let at_least = match group.iter().all(is_check) {
                    true => AT_LEAST_FOR_CHECKS,
                    false => AT_LEAST,
                };
                budget.within((work + work.max(at_least)) - done)
            }
            None => budget.clone(),
        }
    }

    /// Decides each target of a group.
    fn each(&mut self, group: Vec<TargetId>, budget: &Budget) {
        let is_taken_apart =
            (group.iter()).all(|&id| self.program.targets[id].kind.is_check()) && group.len() > 1;
        let whole = budget.left().map(|left| left / SHARE);
        let whole = whole.filter(|_| is_taken_apart);
        if is_taken_apart {
            for view in SimplerView::ALL {
                let settled = self.settled(&self.open(&group), view, budget);
                if !settled.is_empty() {
                    let rest = self.rest(budget, &settled);
                    let share = whole.map_or_else(|| rest.clone(), |work| rest.within(work));
                    self.ask_by(self.start_for(view), &settled, &share);
                }
            }
        }
        let mut groups = VecDeque::from([(group, whole)]);
        while let Some((group, work)) = groups.pop_front() {
            loop {
                let rest = self.rest(budget, &group);
                let open = self.open(&group);
                if open.is_empty() && !group.is_empty() {
                    break;
                }
                let share = work.map_or_else(|| rest.clone(), |work| rest.within(work));
                match self.ask(&open, &share) {
                    Found::Target => {
                        self.stumble(&self.rest(budget, &group));
                        continue;
                    }
                    Found::Safe => break,
                    Found::Nothing => {}
                }
                if is_taken_apart && open.len() > 1 && !rest.is_spent() {
                    let parts = self.taken_apart(&open);
                    let work = work.map(|work| (work / PARTS as u32).max(AT_LEAST));
                    groups.extend(parts.into_iter().map(|part| (part, work)));
                } else if share.is_spent() && !rest.is_spent() {
                    // Time is left: with more work it may come to something.
                    groups.push_back((open, work.map(|work| work * 2)));
                }
                break;
            }
        }
    }

    /// Once an error is known: the targets that random inputs lead to, all in one go, before the rest is searched for anew.
    ///
    /// Right for programs in which many targets are easily reached, such as tests of a case each, or the same mistake in many places.
    fn stumble(&mut self, budget: &Budget) {
        if !self.is_default() || self.program.schedule().is_some() || self.has_stumbled {
            return;
        }
        self.has_stumbled = true;
        let machine = self.machine();
        for (target, inputs) in stumbles(&machine) {
            if budget.is_spent() {
                break;
            }
            if !self.open(&[target]).is_empty() {
                self.learn_from_run(&machine, target, &inputs, budget);
            }
        }
    }

    fn machine(&self) -> Rc<Machine<'a>> {
        let whole = self.program;
        let compile = || Rc::new(Machine::compile(whole));
        Rc::clone(self.machine.get_or_init(compile))
    }

    /// A run that leads to a target, if it does.
    fn learn_from_run(
        &mut self,
        machine: &Machine<'_>,
        target: TargetId,
        inputs: &KeyedInputs,
        budget: &Budget,
    ) {
        self.observer.phase("certify");
        let within = counterexample::Budget::within(budget);
        let certified = certify_unsafe(machine, inputs, &within);
        self.observer.checked(certified.as_ref().map(|_| ()));
        if let Ok(verdict) = certified {
            self.learn(&[target], Ok(Accepted::Verdict(verdict)));
            self.observer.decided(&self.decision);
        }
    }

    /// Those of many targets to which no run gets, as bounds, differences and remainders of variables say. They are proved together, before others are looked for.
    ///
    /// Right for programs with many checks most of which hold for a simple reason: counters between bounds, indices that were compared.
    fn settled(&mut self, group: &[TargetId], view: SimplerView, budget: &Budget) -> Vec<TargetId> {
        if self.program.schedule().is_some() || group.is_empty() {
            return Vec::new();
        }
        self.observer.phase("encode");
        let asked = Asked::of(self.program, group.to_vec());
        // Others than the default engine are asked for themselves, in the program as it is.
        let is_asked = self.is_default() || view == SimplerView::Plain;
        let left = match is_asked {
            true => view.left(asked.program(), self.means, budget),
            false => None,
        };
        let Some(left) = left else {
            return Vec::new();
        };
        let all = asked.targets().iter().enumerate();
        let gone = all.filter(|(number, _)| !left.contains(&TargetId::from_usize(*number)));
        let gone: Vec<TargetId> = gone.map(|(_, &id)| id).collect();
        // If there are no others, there is nothing to be set aside.
        match gone.len() == group.len() && !self.is_default() {
            true => Vec::new(),
            false => gone,
        }
    }

    /// Whether the default engine is at work, with all that it has: it may leave what is simple to others.
    fn is_default(&self) -> bool {
        self.engine.name == CATALOG[0].name && self.means.preset == Preset::Full
    }

    /// Who proves what is gone in a view of the program.
    fn start_for(&self, view: SimplerView) -> Start {
        match self.is_default() {
            true => view.start(),
            false => self.engine.start,
        }
    }

    /// Groups of checks that could not be decided together: first those of memory by themselves, which need another
    /// view of the program than numbers do.
    fn taken_apart(&self, open: &[TargetId]) -> Vec<Vec<TargetId>> {
        let is_number = |id: &TargetId| {
            matches!(
                self.program.targets[*id].kind,
                TargetKind::Undefined(
                    UbKind::SignedOverflow
                        | UbKind::DivisionByZero
                        | UbKind::BadShift
                        | UbKind::BadShifted
                        | UbKind::FloatToInt
                )
            )
        };
        let (numbers, memory): (Vec<TargetId>, Vec<TargetId>) =
            open.iter().copied().partition(is_number);
        if !numbers.is_empty() && !memory.is_empty() {
            return vec![numbers, memory];
        }
        let size = open.len().div_ceil(PARTS);
        open.chunks(size).map(<[TargetId]>::to_vec).collect()
    }

    /// Lets the engine search for some targets until a claim of it is accepted, or there is nothing left to try.
    fn ask(&mut self, targets: &[TargetId], budget: &Budget) -> Found {
        self.ask_by(self.engine.start, targets, budget)
    }

    /// The same of another engine.
    fn ask_by(&mut self, start: Start, targets: &[TargetId], budget: &Budget) -> Found {
        if budget.is_spent() && !targets.is_empty() {
            let reason = match self.decision.errors.is_empty() {
                true => format!("{} before it was looked for", cause(budget)),
                false => "not looked for any further".to_owned(),
            };
            self.leave_open(targets, &reason);
            return Found::Nothing;
        }
        match targets.len() == self.program.targets.len() {
            true => self.search(start, self.program, None, targets, budget),
            false => {
                let asked = Asked::of(self.program, targets.to_vec());
                self.search(start, asked.program(), Some(&asked), targets, budget)
            }
        }
    }

    /// The same in a program with no other targets; if that is not the whole program, proofs are parts of one.
    fn search(
        &mut self,
        start: Start,
        program: &Program,
        asked: Option<&Asked<'a>>,
        targets: &[TargetId],
        budget: &Budget,
    ) -> Found {
        tracing::debug!(
            "asks for {} of {} targets",
            targets.len(),
            self.program.targets.len()
        );
        self.observer.phase("encode");
        let task = Task::new(program).with_means(self.means);
        let mut search = match program.schedule() {
            None => start(&task),
            Some(_) => threads::start(&task, self.engine),
        };
        let found = loop {
            self.observer.phase("search");
            let claim = loop {
                match search.step(budget) {
                    Step::Working => self.observer.progress(&search.progress()),
                    Step::Done(claim) => break claim,
                }
            };
            if budget.is_over() && !matches!(claim, Claim::Unknown(_)) {
                // What the end of the time cut short may have led to it: another run would say something else.
                break Err(format!("{} as the answer was found", cause(budget)));
            }
            let is_counterexample = matches!(claim, Claim::Unsafe { .. });
            let certified = match claim {
                Claim::Unknown(reason) => break Err(said(&reason, budget)),
                Claim::Safe(proof) => {
                    self.observer.phase("certify");
                    match asked {
                        None => certify_safe(&task.checker, proof, budget).map(Accepted::Verdict),
                        Some(asked) => {
                            certify_part(asked, &task.checker, proof, budget).map(Accepted::Part)
                        }
                    }
                }
                Claim::Unsafe { inputs, .. } => {
                    self.observer.phase("certify");
                    let budget = counterexample::Budget::within(budget);
                    let whole = self.program;
                    let compile = || Rc::new(Machine::compile(whole));
                    let machine = self.machine.get_or_init(compile);
                    certify_unsafe(machine, &inputs, &budget).map(Accepted::Verdict)
                }
            };
            let ran_out = matches!(
                certified,
                Err(NotAccepted::Proof(Rejected::Lost(Lost::Budget)))
            );
            if ran_out || certified.is_err() && budget.is_spent() {
                // It was not rejected: the check was not finished.
                let cause = cause(budget);
                break Err(format!("{cause} while evidence was checked"));
            }
            if let Err(rejected) = &certified {
                tracing::info!("evidence was not accepted: {rejected}");
                if is_counterexample {
                    REPLAY.count();
                }
            }
            self.observer.checked(certified.as_ref().map(|_| ()));
            match certified {
                Ok(accepted) => break Ok(accepted),
                Err(_) if search.go_on() => {}
                Err(rejected) => break Err(rejected.to_string()),
            }
        };
        self.observer.ended(&search.progress());
        if self.observer.wants_trees()
            && let Some(tree) = search.tree()
        {
            self.observer.tree(tree);
        }
        let found = self.learn(targets, found);
        if !matches!(found, Found::Nothing) {
            // At once: to give back what the search has built up may take a while.
            self.observer.decided(&self.decision);
        }
        found
    }

    /// Learns what a search for some targets has found.
    fn learn(&mut self, targets: &[TargetId], found: Result<Accepted<'a>, String>) -> Found {
        let found = match found {
            Err(reason) => {
                self.leave_open(targets, &reason);
                if self.decision.targets.is_empty() {
                    self.decision.verdict = Verdict::Unknown(reason);
                }
                return Found::Nothing;
            }
            Ok(Accepted::Verdict(Verdict::Unsafe(certified))) => {
                let target = certified.evidence().target;
                let is_first = self.decision.errors.is_empty();
                let is_open = matches!(self.decision.targets[target], Outcome::Unknown(_));
                self.leave_open(targets, "not looked for any further");
                if is_first || is_open {
                    self.decision.targets[target] = Outcome::Unsafe;
                    self.decision.errors.push(Verdict::Unsafe(certified));
                }
                if is_first {
                    self.first_error = Some(Work::since(self.before));
                }
                match is_open {
                    true => Found::Target,
                    false => Found::Nothing,
                }
            }
            Ok(accepted) => {
                for &target in targets {
                    self.decision.targets[target] = Outcome::Safe;
                }
                match accepted {
                    Accepted::Verdict(verdict) => self.decision.verdict = verdict,
                    Accepted::Part(part) => self.parts.push(part),
                }
                Found::Safe
            }
        };
        self.conclude();
        found
    }

    fn leave_open(&mut self, targets: &[TargetId], reason: &str) {
        for &target in targets {
            self.decision.targets[target] = Outcome::Unknown(reason.to_owned());
        }
        self.conclude();
    }

    /// The worst that is known of a target is the verdict.
    fn conclude(&mut self) {
        if matches!(self.decision.verdict, Verdict::Safe(_)) || self.decision.targets.is_empty() {
            return;
        }
        if let Some(error) = self.decision.errors.first() {
            self.decision.verdict = error.clone();
            return;
        }
        let unknown = self
            .decision
            .targets
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Unknown(reason) => Some(reason),
                _ => None,
            });
        // Where nothing is known yet there is no reason, either.
        let mut reasons: Vec<&String> = unknown.filter(|reason| !reason.is_empty()).collect();
        reasons.dedup();
        self.decision.verdict = match reasons.first() {
            Some(reason) => Verdict::Unknown((*reason).clone()),
            None => certify_parts(self.program, self.parts.clone())
                .unwrap_or_else(|_| Verdict::Unknown("not looked for yet".to_owned())),
        };
    }
}

/// Evidence that was accepted: for all targets, or for some.
enum Accepted<'p> {
    Verdict(Verdict),
    Part(CertifiedPart<'p>),
}

/// Why a budget is spent.
fn cause(budget: &Budget) -> &'static str {
    budget.cancel.reason().unwrap_or("out of time")
}

/// Why an engine gave up, in words.
fn said(reason: &Reason, budget: &Budget) -> String {
    match reason {
        Reason::Stopped(so_far) if budget.is_spent() => format!("{} {so_far}", cause(budget)),
        // There is time left, and nobody who could use it.
        Reason::Stopped(so_far) => format!("gave up {so_far}"),
        reason => reason.to_string(),
    }
}
