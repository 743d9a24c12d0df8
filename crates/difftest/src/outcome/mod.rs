//! Verification tasks on given inputs: how does each run end?
//!
//! A run of a task is not compared by its output but by its outcome. Tasks often run for ever on
//! random inputs, so "not ended within the limit" is an outcome like the others; as the limits of
//! two subjects count different things, a run that ended for one and not for the other is repeated
//! with more patience before it counts as a difference ([`settle`]).

mod campaign;
mod settle;
mod task;

use std::fmt;

use crate::rng::Rng;
use crate::subject::Refusal;

pub use campaign::{TaskCampaign, TaskFinding, TaskSummary};
pub use settle::{Agreement, SettleLimits, settle};
pub use task::{GccTask, TaskError, find_tasks};

/// How a run of a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The target function was called.
    TargetReached,
    /// The program ended with this status.
    Exit(u8),
    /// `abort` was called or an assertion failed.
    Abort,
    /// `__VERIFIER_assume` was called with 0.
    AssumptionFailed,
    /// It did not end within the limit.
    StepLimit,
    /// The program has no defined behaviour on these inputs.
    UndefinedBehaviour(UbClass),
    /// The system ended it by this signal.
    Crash(i32),
}

/// What kind of undefined behaviour, as far as a subject can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UbClass {
    /// Overflow, division, shift or conversion.
    Arithmetic,
    /// A bad read, write, call or release.
    Memory,
    /// The subject does not say.
    Unknown,
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TargetReached => out.write_str("target reached"),
            Self::Exit(status) => write!(out, "exit {status}"),
            Self::Abort => out.write_str("abort"),
            Self::AssumptionFailed => out.write_str("assumption failed"),
            Self::StepLimit => out.write_str("step limit"),
            Self::UndefinedBehaviour(UbClass::Arithmetic) => {
                out.write_str("undefined behaviour (arithmetic)")
            }
            Self::UndefinedBehaviour(UbClass::Memory) => {
                out.write_str("undefined behaviour (memory)")
            }
            Self::UndefinedBehaviour(UbClass::Unknown) => out.write_str("undefined behaviour"),
            Self::Crash(signal) => write!(out, "signal {signal}"),
        }
    }
}

/// A run of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskRun {
    /// How it ended.
    pub outcome: Outcome,
    /// How long it was, in the subject's own measure (gcc: basic blocks).
    pub steps: u64,
}

/// Something that runs verification tasks.
pub trait TaskSubject: Sync {
    /// Its name in reports.
    fn name(&self) -> String;

    /// Gets a task ready to be run.
    ///
    /// # Errors
    /// When the task can not be run at all, with the reason.
    fn open<'a>(&'a self, task: &'a GccTask) -> Result<Box<dyn OpenTask + 'a>, Refusal>;
}

/// A task that is ready to be run.
pub trait OpenTask {
    /// Runs the task on each of the input vectors, with at most `step_limit` steps each. The values
    /// are those of the input functions in the order of the calls, as in
    /// [`Case::inputs`](crate::subject::Case::inputs); locals without an initialiser and arguments
    /// of `main` are 0.
    ///
    /// # Errors
    /// When something other than the task went wrong.
    fn run(&self, vectors: &[Vec<i128>], step_limit: u64) -> Result<Vec<TaskRun>, Refusal>;
}

/// A random input value: small numbers, limits of types, anything.
pub fn random_input(rng: &mut Rng) -> i128 {
    let bits = rng.below(64);
    match rng.below(10) {
        0..=3 => rng.between(-10, 10),
        4 => rng.between(0, 1),
        5 => rng.between(-1000, 1000),
        6 => {
            let limit = 1_i128 << bits;
            let near = limit + rng.between(-1, 1);
            if rng.percent(50) { near } else { -near }
        }
        7 | 8 => i128::from(rng.bits() as i32),
        _ => i128::from(rng.bits() as i64 >> bits),
    }
}

/// `count` random input vectors, among them the empty one. Each vector has a style of its own, since
/// small values everywhere lead to other places than large ones.
pub fn random_vectors(rng: &mut Rng, count: usize) -> Vec<Vec<i128>> {
    (0..count)
        .map(|index| {
            let length = if index == 0 { 0 } else { rng.between(1, 200) };
            let style = rng.below(5);
            (0..length)
                .map(|_| match style {
                    0 => rng.between(0, 1),
                    1 => rng.between(0, 20),
                    2 => rng.between(-100, 5000),
                    _ => random_input(rng),
                })
                .collect()
        })
        .collect()
}
