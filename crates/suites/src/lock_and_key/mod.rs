//! The families of table 1 of the GPS paper, written anew: programs that fail only for the right key.

mod counting;
mod jammed;
mod machines;
mod scanning;

pub use machines::ParameterError;
pub(crate) use machines::{WORD_MACHINE, sequence_machine, word_machine};

use crate::{Family, SuiteTask};

/// The families with a size, in the order of the paper's table.
pub(crate) fn families() -> Vec<Family> {
    vec![
        scanning::refute1(),
        scanning::refute2(),
        counting::inside(),
        counting::after(),
        counting::product(),
        counting::lese(),
    ]
}

/// Machines that take a whole word in one round, with the number of its letters.
pub(crate) fn words() -> Vec<(SuiteTask, u64)> {
    machines::words()
}

/// Machines that take one word letter by letter and another one at once.
pub(crate) fn sequences() -> Vec<SuiteTask> {
    machines::sequences()
}

/// Locks of these families that no key opens.
pub(crate) fn jammed() -> Vec<SuiteTask> {
    jammed::tasks()
}
