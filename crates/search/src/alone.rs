//! Threads one at a time: promises that every thread keeps, and that are enough for each of them.
//!
//! Right for any number of threads that share a few numbers: behind locks made of them, as counters that only grow, as
//! flags that stay set. See [`rhumb_program::alone`] for what is asked. What could be promised is read off the text:
//! the numbers that are shared, and what they are set to and compared with. All of it is promised at first; whoever is
//! found to break a promise takes it back for all, until what is left is kept: first in some runs, then by induction,
//! for all promises at once ([`sieve`]). The proof is made with the few of them that it needs.

mod candidates;
mod sieve;

use rhumb_certify::Verdict;
use rhumb_certify::proof::{Part, Proof};
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{Machine, RandomInputs, RunLimits};
use rhumb_program::{Program, Promise, Promises, TargetId, all_together, alone};

use crate::bounds::accepted;
use crate::catalog::Entry;
use crate::claim::{Claim, Reason};
use crate::decide::decide;
use crate::engine::{Engine, Progress, Step};
use crate::induction::Inductive;
use crate::plans;
use crate::runs::errors;
use crate::task::{Means, Task};
use candidates::Candidates;
use sieve::{Sieved, sieve};

/// What part of what is left may be spent on a proof, if there is more that can be promised.
const SHARE: u32 = 3;

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
    /// How many promises were left last.
    kept: usize,
}

impl<'t> Alone<'t> {
    /// For a program with threads.
    pub(crate) fn new(task: &'t Task<'t>) -> Alone<'t> {
        Alone {
            program: task.lowered,
            means: task.means(),
            kept: 0,
        }
    }

    /// A proof, if promises can be found.
    fn prove(&mut self, budget: &Budget) -> Option<Proof> {
        let candidates = Candidates::of(self.program)?;
        let simple = self.sieve(candidates.simple(), budget)?;
        if let Some(proof) = self.by(simple.enough, budget) {
            return Some(proof);
        }
        if let Some(proof) = self.by_all_means(&simple.kept, &budget.part(SHARE)) {
            return Some(proof);
        }
        let all = self.sieve(candidates.conditional(simple.kept), budget)?;
        let proof = self.by(all.enough, budget);
        proof.or_else(|| self.by_all_means(&all.kept, budget))
    }

    /// Takes promises back until induction shows that the others are kept.
    fn sieve(&mut self, promises: Promises, budget: &Budget) -> Option<Sieved> {
        let promises = self.unbroken(promises);
        self.kept = promises.promises.len();
        let sieved = sieve(self.program, promises, self.means, budget)?;
        self.kept = sieved.kept.promises.len();
        Some(sieved)
    }

    /// A proof by promises that are said to be enough.
    fn by(&self, promises: Option<Promises>, budget: &Budget) -> Option<Proof> {
        let promises = promises?;
        let thread = alone(self.program, &promises).ok()?;
        let decision = decide(&thread, &NUMBERS, self.means, budget, &mut ());
        match &decision.verdict {
            Verdict::Safe(certified) => Some(Proof::alone(promises, certified.evidence().clone())),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        }
    }

    /// A proof by promises that are kept, of which nobody knows whether they are enough.
    fn by_all_means(&self, promises: &Promises, budget: &Budget) -> Option<Proof> {
        let thread = alone(self.program, promises).ok()?;
        let targets: Vec<TargetId> = self.program.targets.indices().collect();
        let asked = thread.asking(&targets);
        let decision = decide(&asked, &NUMBERS, self.means, budget, &mut ());
        let Verdict::Safe(certified) = &decision.verdict else {
            return None;
        };
        let proof = certified.evidence().clone();
        let mut parts = vec![Part { targets, proof }];
        parts.extend(self.one_by_one(&thread, promises, budget)?);
        Some(Proof::alone(promises.clone(), Proof::parts(parts)))
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

    /// Proofs that promises are kept.
    fn one_by_one(
        &self,
        thread: &Program,
        promises: &Promises,
        budget: &Budget,
    ) -> Option<Vec<Part>> {
        let own = self.program.targets.len();
        let proof_of = |promise: usize| {
            let targets = vec![TargetId::from_usize(own + promise)];
            let asked = thread.asking(&targets);
            let task = Task::new(&asked).with_means(self.means);
            let own = budget.within(PROMISE);
            let proof = accepted(&mut Inductive::new(&task), &task, &own)?;
            Some(Part { targets, proof })
        };
        (0..promises.promises.len()).map(proof_of).collect()
    }
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
