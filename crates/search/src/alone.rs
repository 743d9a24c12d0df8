//! Threads one at a time: promises that every thread keeps, and that are enough for each of them.
//!
//! Right for any number of threads that share a few numbers: behind locks made of them, as counters that only grow, as
//! flags that stay set. See [`rhumb_program::alone`] for what is asked. What could be promised is read off the text:
//! the numbers that are shared, and what they are set to and compared with. All of it is promised at first; whoever is
//! found to break a promise takes it back for all, until what is left is kept.

mod candidates;

use rhumb_certify::Verdict;
use rhumb_certify::proof::{Part, Proof};
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{Machine, RandomInputs, RunLimits};
use rhumb_program::{Program, Promise, Promises, TargetId, all_together, alone};

use crate::bounds::accepted;
use crate::catalog::Entry;
use crate::claim::{Claim, Reason};
use crate::decide::decide;
use crate::decision::{Decision, Outcome};
use crate::engine::{Engine, Progress, Step};
use crate::induction::Inductive;
use crate::plans;
use crate::runs::errors;
use crate::task::{Means, Task};
use candidates::Candidates;

/// What one question for all promises may take, at first.
const QUESTION: Work = Work::secs(1);

/// What may be done to prove that one promise is kept.
const PROMISE: Work = Work::secs(1);

/// Runs of the program that are looked at before anybody is asked, how long each of them is, and all together.
const RUNS: u64 = 40;
const STEPS: u64 = 4_000;
const ALL_STEPS: u64 = 100_000;

/// Who is asked: the engines that think in numbers.
const NUMBERS: Entry = Entry {
    name: "numbers",
    about: "the engines for numbers",
    start: |task| plans::states_and_formulas(task),
};

/// The engine.
pub(crate) struct Alone<'t> {
    program: &'t Program,
    means: Means,
    share: Work,
    /// How many promises were left last.
    kept: usize,
}

impl<'t> Alone<'t> {
    /// For a program with threads.
    pub(crate) fn new(task: &'t Task<'t>) -> Alone<'t> {
        Alone {
            program: task.lowered,
            means: task.means(),
            share: QUESTION,
            kept: 0,
        }
    }

    /// A proof, if promises can be found.
    fn prove(&mut self, budget: &Budget) -> Option<Proof> {
        let candidates = Candidates::of(self.program)?;
        let kept = match self.settle(candidates.simple(), budget) {
            Settled::Proved(promises, proof) => return Some(Proof::alone(promises, proof)),
            Settled::Kept(kept) => kept,
            Settled::Open => return None,
        };
        match self.settle(candidates.conditional(kept), budget) {
            Settled::Proved(promises, proof) => Some(Proof::alone(promises, proof)),
            Settled::Kept(_) | Settled::Open => None,
        }
    }

    /// Takes promises back that a thread is seen to break in some runs.
    fn unbroken(&self, promises: Promises) -> Promises {
        let mut promises = promises;
        let own = self.program.targets.len();
        let limits = RunLimits {
            steps: STEPS,
            ..RunLimits::default()
        };
        loop {
            let program = all_together(self.program, &promises);
            let machine = Machine::compile(&program);
            let tried = (0..RUNS).map(RandomInputs::new);
            let reached = errors(&machine, tried, limits, ALL_STEPS);
            let mut broken: Vec<usize> = reached
                .filter_map(|(target, _)| target.index().checked_sub(own))
                .collect();
            broken.sort_unstable();
            broken.dedup();
            if broken.is_empty() {
                return promises;
            }
            promises = without(promises, &broken);
        }
    }

    /// Takes promises back until all are kept.
    fn settle(&mut self, promises: Promises, budget: &Budget) -> Settled {
        let mut promises = self.unbroken(promises);
        let own = self.program.targets.len();
        while !budget.is_spent() {
            self.kept = promises.promises.len();
            tracing::debug!("{:?}", promises.promises);
            let Ok(thread) = alone(self.program, &promises) else {
                return Settled::Open;
            };
            let question = budget.within(self.share);
            let decision = decide(&thread, &NUMBERS, self.means, &question, &mut ());
            if let Verdict::Safe(certified) = &decision.verdict {
                return Settled::Proved(promises, certified.evidence().clone());
            }
            let broken = broken(&decision, own, promises.promises.len());
            if !broken.is_empty() {
                promises = without(promises, &broken);
                continue;
            }
            let (parts, open) = self.one_by_one(&thread, &promises, budget);
            if !open.is_empty() {
                promises = without(promises, &open);
                continue;
            }
            let targets: Vec<TargetId> = self.program.targets.indices().collect();
            let rest = thread.asking(&targets);
            let decision = decide(&rest, &NUMBERS, self.means, budget, &mut ());
            return match &decision.verdict {
                Verdict::Safe(certified) => {
                    let proof = certified.evidence().clone();
                    let mut all = vec![Part { targets, proof }];
                    all.extend(parts);
                    Settled::Proved(promises, Proof::parts(all))
                }
                Verdict::Unsafe(_) | Verdict::Unknown(_) => Settled::Kept(promises),
            };
        }
        Settled::Open
    }

    /// Proofs that promises are kept, and those for which there is none.
    fn one_by_one(
        &self,
        thread: &Program,
        promises: &Promises,
        budget: &Budget,
    ) -> (Vec<Part>, Vec<usize>) {
        let own = self.program.targets.len();
        let (mut parts, mut open) = (Vec::new(), Vec::new());
        for promise in 0..promises.promises.len() {
            let target = TargetId::from_usize(own + promise);
            let asked = thread.asking(&[target]);
            let task = Task::new(&asked).with_means(self.means);
            let own = budget.within(PROMISE);
            match accepted(&mut Inductive::new(&task), &task, &own) {
                Some(proof) => parts.push(Part {
                    targets: vec![target],
                    proof,
                }),
                None => open.push(promise),
            }
        }
        (parts, open)
    }
}

/// What became of some promises.
enum Settled {
    /// With these nothing is reached.
    Proved(Promises, Proof),
    /// These are kept, and not enough.
    Kept(Promises),
    /// Nobody knows.
    Open,
}

/// The promises that a thread was seen to break.
fn broken(decision: &Decision, own: usize, count: usize) -> Vec<usize> {
    let is_broken = |promise: &usize| {
        let target = own + promise;
        let mut outcomes = decision.targets.iter();
        matches!(outcomes.nth(target), Some(Outcome::Unsafe))
    };
    (0..count).filter(is_broken).collect()
}

/// The others that can be given without these.
fn without(promises: Promises, broken: &[usize]) -> Promises {
    let mut left = Promises {
        numbers: promises.numbers,
        promises: Vec::new(),
    };
    let all = promises.promises.into_iter().enumerate();
    let kept: Vec<Promise> = all
        .filter(|(number, _)| !broken.contains(number))
        .map(|(_, promise)| promise)
        .collect();
    left.promises = kept;
    loop {
        let supported = (0..left.promises.len()).map(|number| left.is_supported(number));
        let supported: Vec<bool> = supported.collect();
        if !supported.contains(&false) {
            return left;
        }
        let mut supported = supported.into_iter();
        left.promises.retain(|_| supported.next().unwrap_or(false));
    }
}

impl Engine for Alone<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        Step::Done(match self.prove(budget) {
            Some(proof) => Claim::Safe(proof),
            None if budget.is_spent() => Claim::Unknown(Reason::Stopped("promises".to_owned())),
            None => Claim::Unknown(Reason::Inconclusive),
        })
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: format!("threads one at a time: {} promises", self.kept),
            figures: Vec::new(),
        }
    }
}
