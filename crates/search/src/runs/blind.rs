//! Runs with random inputs, before anything else.
//!
//! Right for programs that many inputs break: there is no need to know why. The interpreter follows them wherever they go, also through memory, floats and recursion,
//! of which the formulas know nothing.

use rhumb_program::interp::{Limits, Outcome, RandomInputs, Recorder};

use crate::claim::Claim;
use crate::task::Task;

/// Runs, steps that each may take, and steps of all together: a few milliseconds.
const RUNS: u64 = 64;
const STEPS: u64 = 10_000;
const ALL_STEPS: u64 = 160_000;
const MEMORY: u64 = 1 << 24;

/// An error that some random inputs lead to.
pub(crate) fn stumble(task: &Task<'_>) -> Option<Claim> {
    let machine = task.machine();
    let limits = Limits {
        steps: STEPS,
        memory: MEMORY,
        ..Limits::default()
    };
    let mut steps = 0;
    for seed in 0..RUNS {
        let mut inputs = Recorder::new(RandomInputs::new(seed));
        let run = machine.run(&mut inputs, &limits);
        if let Outcome::Target(target) = run.outcome
            && run.is_definite()
        {
            let inputs = inputs.into_inputs();
            return Some(Claim::Unsafe { target, inputs });
        }
        steps += run.steps;
        if steps >= ALL_STEPS {
            break;
        }
    }
    None
}
