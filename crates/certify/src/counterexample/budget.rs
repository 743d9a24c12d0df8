//! How much work the check of a counterexample may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rhumb_program::interp::Limits;

/// Limits of a check, of compressing and of shrinking.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Limits of the interpreter. Steps are those that are really executed, in all runs together.
    pub limits: Limits,
    /// Number of operations (about one for each operator of an expression) that may be spent on proving jumps.
    pub operations: u64,
    /// When to stop at the latest.
    pub deadline: Option<Instant>,
    /// Set by somebody else when the answer is not wanted any more.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Budget {
    /// A hundred million steps and as many operations, no deadline.
    fn default() -> Budget {
        Budget {
            limits: Limits::default(),
            operations: 100_000_000,
            deadline: None,
            cancel: None,
        }
    }
}

impl Budget {
    /// Whether the time is over or the answer is not wanted any more.
    pub fn is_over(&self) -> bool {
        let cancelled = self.cancel.as_ref();
        cancelled.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
