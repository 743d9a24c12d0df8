//! The door: a verdict about a program is made here or nowhere, after its evidence was checked.

pub(crate) mod parts;

use rhumb_logic::Budget;
use rhumb_program::interp::{KeyedInputs, Machine, RunLimits};

use crate::counterexample::{self, Checked, Counterexample};
use crate::proof::{self, Accepted, Checker, Proof};

/// What is known about a program. `Safe` and `Unsafe` hold evidence that has no other source than a check: [`certify_safe`] and
/// [`certify_unsafe`] are the only ways to make them.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run reaches a target.
    Safe(Certified<Proof, Accepted>),
    /// A run reaches a target.
    Unsafe(Certified<Counterexample, Checked>),
    /// Nothing is known, for this reason.
    Unknown(String),
}

/// Evidence that was checked, and what the check tells about it.
#[derive(Clone, Debug)]
pub struct Certified<E, C> {
    evidence: E,
    check: C,
}

impl<E, C> Certified<E, C> {
    /// The evidence.
    pub fn evidence(&self) -> &E {
        &self.evidence
    }

    /// What the check found.
    pub fn check(&self) -> &C {
        &self.check
    }
}

/// Evidence that was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotAccepted {
    /// A proof.
    #[error("the proof was not accepted: {0}")]
    Proof(#[from] proof::Rejected),
    /// A counterexample.
    #[error("the counterexample was not accepted: {0}")]
    Counterexample(#[from] counterexample::Rejected),
}

/// SAFE, if the proof holds for the program as lowered.
pub fn certify_safe(
    checker: &Checker<'_>,
    proof: Proof,
    budget: &Budget,
) -> Result<Verdict, NotAccepted> {
    let check = checker.check(&proof, budget)?;
    Ok(Verdict::Safe(Certified {
        evidence: proof,
        check,
    }))
}

/// Steps of the interpreter, and operations on jumps, that making a counterexample simpler may take: well under a second.
const SHRINKING: u64 = 3_000_000;

/// UNSAFE, if a run of the program as lowered on these inputs reaches a target. The evidence is made simpler for
/// people, as far as that is cheap.
pub fn certify_unsafe(
    machine: &Machine<'_>,
    inputs: &KeyedInputs,
    budget: &counterexample::Budget,
) -> Result<Verdict, NotAccepted> {
    let evidence = counterexample::follow(machine, inputs, budget, None, &mut 0)?;
    let check = counterexample::check_on(machine, &evidence, budget)?;
    let effort = counterexample::Budget {
        limits: RunLimits {
            steps: SHRINKING,
            ..budget.limits
        },
        operations: SHRINKING,
        ..budget.clone()
    };
    let simpler = counterexample::shrink_on(machine, &evidence, &effort);
    // What shrinking gives is checked like everything else.
    let certified = match counterexample::check_on(machine, &simpler, &effort) {
        Ok(check) => Certified {
            evidence: simpler,
            check,
        },
        Err(_) => Certified { evidence, check },
    };
    Ok(Verdict::Unsafe(certified))
}
