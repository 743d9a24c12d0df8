//! How much work the check of a counterexample may take.

use rhumb_program::interp::RunLimits;

/// Limits of a check, of compressing and of shrinking.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Limits of the interpreter. Steps are those that are really executed, in all runs together.
    pub limits: RunLimits,
    /// Number of operations (about one for each operator of an expression) that may be spent on proving jumps.
    pub operations: u64,
    /// Time, and whether the answer is still wanted.
    pub time: rhumb_logic::Budget,
}

impl Default for Budget {
    /// A hundred million steps and as many operations, no deadline.
    fn default() -> Budget {
        Budget::within(&rhumb_logic::Budget::unlimited())
    }
}

impl Budget {
    /// The limits that are usual, within the time of another budget.
    pub fn within(time: &rhumb_logic::Budget) -> Budget {
        Budget {
            limits: RunLimits::default(),
            operations: 100_000_000,
            time: time.clone(),
        }
    }

    /// Whether the time is over or the answer is not wanted any more.
    pub fn is_over(&self) -> bool {
        self.time.is_spent()
    }
}
