//! Runs with random inputs, before anything else.
//!
//! Right for programs that many inputs break: there is no need to know why. The interpreter follows them wherever they go, also through memory, floats and recursion,
//! of which the formulas know nothing.

use rhumb_program::interp::{Limits, Machine, Outcome, RandomInputs, Recorder};

use crate::claim::Claim;
use crate::task::Task;

/// Runs, and steps that each may take: a few milliseconds in all.
const RUNS: u64 = 16;
const STEPS: u64 = 10_000;
const MEMORY: u64 = 1 << 24;

/// An error that some random inputs lead to.
pub(super) fn stumble(task: &Task<'_>) -> Option<Claim> {
    let machine = Machine::compile(task.lowered);
    let limits = Limits {
        steps: STEPS,
        memory: MEMORY,
        ..Limits::default()
    };
    (0..RUNS).find_map(|seed| {
        let mut inputs = Recorder::new(RandomInputs::new(seed));
        let run = machine.run(&mut inputs, &limits);
        match run.outcome {
            Outcome::Target(target) if run.caveats.is_empty() => Some(Claim::Unsafe {
                target,
                inputs: inputs.into_inputs(),
            }),
            _ => None,
        }
    })
}
