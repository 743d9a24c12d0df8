//! From a program to verdicts: an engine searches, its claims are certified, target by target.

use index_vec::IndexVec;
use rhumb_certify::proof::{Lost, Rejected};
use rhumb_certify::{NotAccepted, Verdict, certify_safe, certify_unsafe, counterexample};
use rhumb_logic::{Budget, Work};
use rhumb_program::{Program, TargetId};

use crate::catalog::Entry;
use crate::claim::{Claim, Reason};
use crate::engine::{Progress, Step};
use crate::task::{Means, Task};
use crate::threads;

/// What is known about a program and each of its targets.
#[derive(Clone, Debug)]
pub struct Decision {
    /// About the program: UNSAFE if a target can be reached, with the evidence for the first that was found; SAFE if none can.
    pub verdict: Verdict,
    /// About each target.
    pub targets: IndexVec<TargetId, Outcome>,
}

impl Decision {
    /// Nothing is known, for this reason.
    pub fn unknown(reason: String) -> Decision {
        Decision {
            verdict: Verdict::Unknown(reason),
            targets: IndexVec::new(),
        }
    }
}

/// What is known about a target. A run ends at the first target that it gets to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No run reaches it.
    Safe,
    /// A run reaches it.
    Unsafe,
    /// Nothing is known, for this reason.
    Unknown(String),
}

/// Somebody who wants to know what is going on.
pub trait Observer {
    /// A phase begins: `encode`, `search`, `certify`.
    fn phase(&mut self, name: &'static str) {
        let _ = name;
    }

    /// An engine is at work, and this is where it stands.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }

    /// An engine has ended, having done this.
    fn ended(&mut self, progress: &Progress) {
        let _ = progress;
    }

    /// Evidence was checked, and was accepted or not.
    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        let _ = outcome;
    }

    /// A verdict was certified, and this is what is known by now. It stands, whatever comes of the targets that are still open.
    fn decided(&mut self, so_far: &Decision) {
        let _ = so_far;
    }
}

/// An observer that doesn't look.
impl Observer for () {}

/// Once an error is known, the other targets get as much work again as was done until then, and at least this.
const AT_LEAST: Work = Work::secs(1);

/// Lets an engine decide a program, all targets at once; those that can be reached are set aside and the others decided without them.
pub fn decide<M: Into<Means>>(
    program: &Program,
    engine: &Entry,
    means: M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Decision {
    decide_some(program, engine, means.into(), budget, observer, true)
}

/// The same up to the first target that can be reached: who has one question for all of them has the answer then.
pub fn decide_together<M: Into<Means>>(
    program: &Program,
    engine: &Entry,
    means: M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Decision {
    decide_some(program, engine, means.into(), budget, observer, false)
}

fn decide_some(
    program: &Program,
    engine: &Entry,
    means: Means,
    budget: &Budget,
    observer: &mut dyn Observer,
    each: bool,
) -> Decision {
    let before = Work::so_far();
    let mut known = Known::nothing(program);
    let mut finds = search(program, engine, means, budget, observer, &mut known);
    finds &= each;
    let rest = budget.within(Work::since(before).max(AT_LEAST));
    while finds && known.reached.len() < known.decision.targets.len() {
        let others = program.without_targets(&known.reached);
        finds = search(&others, engine, means, &rest, observer, &mut known);
    }
    known.decision
}

/// What is known so far.
struct Known {
    decision: Decision,
    /// The targets that can be reached. Those are open that are not among them.
    reached: Vec<TargetId>,
    /// Whether nothing was found yet.
    is_first: bool,
}

impl Known {
    fn nothing(program: &Program) -> Known {
        let mut decision = Decision::unknown(String::new());
        let open = Outcome::Unknown(String::new());
        decision.targets.resize(program.targets.len(), open);
        Known {
            decision,
            reached: Vec::new(),
            is_first: true,
        }
    }

    /// Learns what a search for the open targets has found. Says whether it was one of them.
    fn learn(&mut self, verdict: Verdict) -> bool {
        let is_open = |target: &TargetId| !self.reached.contains(target);
        let targets = &mut self.decision.targets;
        for target in targets.indices().filter(is_open) {
            targets[target] = outcome(&verdict);
        }
        let found = match &verdict {
            Verdict::Unsafe(certified) => Some(certified.evidence().target).filter(is_open),
            _ => None,
        };
        if let Some(target) = found {
            targets[target] = Outcome::Unsafe;
            self.reached.push(target);
        }
        if std::mem::take(&mut self.is_first) {
            self.decision.verdict = verdict;
        }
        found.is_some()
    }
}

/// What a verdict about a program says of each of its targets; where one was reached, nothing of the others.
fn outcome(verdict: &Verdict) -> Outcome {
    match verdict {
        Verdict::Safe(_) => Outcome::Safe,
        Verdict::Unsafe(_) => Outcome::Unknown("not looked for any further".to_owned()),
        Verdict::Unknown(reason) => Outcome::Unknown(reason.clone()),
    }
}

/// Lets an engine search until a claim of it is accepted, or there is nothing left to try. Says whether a target was found.
fn search(
    program: &Program,
    engine: &Entry,
    means: Means,
    budget: &Budget,
    observer: &mut dyn Observer,
    known: &mut Known,
) -> bool {
    observer.phase("encode");
    let task = Task::new(program).with_means(means);
    let mut search = match program.schedule() {
        None => (engine.start)(&task),
        Some(_) => threads::start(&task, engine),
    };
    let verdict = loop {
        observer.phase("search");
        let claim = loop {
            match search.step(budget) {
                Step::Working => observer.progress(&search.progress()),
                Step::Done(claim) => break claim,
            }
        };
        if budget.is_over() && !matches!(claim, Claim::Unknown(_)) {
            // What the end of the time cut short may have led to it: another run would say something else.
            break Verdict::Unknown(format!("{} as the answer was found", cause(budget)));
        }
        let certified = match claim {
            Claim::Unknown(reason) => break Verdict::Unknown(said(&reason, budget)),
            Claim::Safe(proof) => {
                observer.phase("certify");
                certify_safe(&task.checker, proof, budget)
            }
            Claim::Unsafe { inputs, .. } => {
                observer.phase("certify");
                let budget = counterexample::Budget::within(budget);
                certify_unsafe(task.machine(), &inputs, &budget)
            }
        };
        let ran_out = matches!(
            certified,
            Err(NotAccepted::Proof(Rejected::Lost(Lost::Budget)))
        );
        if ran_out || certified.is_err() && budget.is_spent() {
            // It was not rejected: the check was not finished.
            let cause = cause(budget);
            break Verdict::Unknown(format!("{cause} while evidence was checked"));
        }
        observer.checked(certified.as_ref().map(|_| ()));
        match certified {
            Ok(verdict) => break verdict,
            Err(_) if search.go_on() => {}
            Err(rejected) => break Verdict::Unknown(rejected.to_string()),
        }
    };
    observer.ended(&search.progress());
    let is_certified = !matches!(verdict, Verdict::Unknown(_));
    let finds = known.learn(verdict);
    if is_certified {
        // At once: to give back what the search has built up may take a while.
        observer.decided(&known.decision);
    }
    finds
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
