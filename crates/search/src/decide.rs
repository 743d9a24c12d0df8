//! From a program to verdicts: an engine searches, its claims are certified, target by target.

use index_vec::IndexVec;
use rhumb_certify::{Verdict, certify_safe, certify_unsafe, counterexample};
use rhumb_logic::Budget;
use rhumb_program::{Program, TargetId};
use rhumb_summary::Preset;
use std::time::{Duration, Instant};

use crate::catalog::Entry;
use crate::claim::{Claim, Reason};
use crate::engine::{Progress, Step};
use crate::task::Task;

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
    fn checked(&mut self, accepted: bool) {
        let _ = accepted;
    }
}

/// An observer that doesn't look.
impl Observer for () {}

/// Once an error is known, the other targets get as much time again as was used until then, and at least this.
const AT_LEAST: Duration = Duration::from_secs(1);

/// Lets an engine decide a program, all targets at once; those that can be reached are set aside and the others decided without them.
pub fn decide(
    program: &Program,
    engine: &Entry,
    preset: Preset,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Decision {
    let begun = Instant::now();
    let first = search(program, engine, preset, budget, observer);
    let mut targets: IndexVec<TargetId, Outcome> = IndexVec::new();
    targets.resize(program.targets.len(), outcome(&first));
    let Verdict::Unsafe(certified) = &first else {
        return Decision {
            verdict: first,
            targets,
        };
    };
    let mut reached = vec![certified.evidence().target];
    let rest = budget.within(begun.elapsed().max(AT_LEAST));
    while reached.len() < targets.len() {
        let others = program.without_targets(&reached);
        let verdict = search(&others, engine, preset, &rest, observer);
        let is_open = |target: &TargetId| !reached.contains(target);
        for target in targets.indices().filter(is_open) {
            targets[target] = outcome(&verdict);
        }
        match verdict {
            Verdict::Unsafe(certified) if is_open(&certified.evidence().target) => {
                reached.push(certified.evidence().target);
            }
            _ => break,
        }
    }
    for &target in &reached {
        targets[target] = Outcome::Unsafe;
    }
    Decision {
        verdict: first,
        targets,
    }
}

/// What a verdict about a program says of each of its targets; where one was reached, nothing of the others.
fn outcome(verdict: &Verdict) -> Outcome {
    match verdict {
        Verdict::Safe(_) => Outcome::Safe,
        Verdict::Unsafe(_) => Outcome::Unknown("out of time".to_owned()),
        Verdict::Unknown(reason) => Outcome::Unknown(reason.clone()),
    }
}

/// Lets an engine search until a claim of it is accepted, or there is nothing left to try.
fn search(
    program: &Program,
    engine: &Entry,
    preset: Preset,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Verdict {
    observer.phase("encode");
    let task = Task::new(program).with_preset(preset);
    let mut search = (engine.start)(&task);
    let verdict = loop {
        observer.phase("search");
        let claim = loop {
            match search.step(budget) {
                Step::Working => observer.progress(&search.progress()),
                Step::Done(claim) => break claim,
            }
        };
        let certified = match claim {
            Claim::Unknown(reason) => break Verdict::Unknown(said(&reason, budget)),
            Claim::Safe(proof) => {
                observer.phase("certify");
                certify_safe(program, proof, budget)
            }
            Claim::Unsafe { inputs, .. } => {
                observer.phase("certify");
                let budget = counterexample::Budget::within(budget);
                certify_unsafe(program, &inputs, &budget)
            }
        };
        observer.checked(certified.is_ok());
        match certified {
            Ok(verdict) => break verdict,
            Err(_) if !budget.is_spent() && search.go_on() => {}
            Err(rejected) => break Verdict::Unknown(rejected.to_string()),
        }
    };
    observer.ended(&search.progress());
    verdict
}

/// Why an engine gave up, in words.
fn said(reason: &Reason, budget: &Budget) -> String {
    match reason {
        Reason::Stopped(so_far) => {
            let cause = budget.cancel.reason().unwrap_or("out of time");
            format!("{cause} {so_far}")
        }
        reason => reason.to_string(),
    }
}
