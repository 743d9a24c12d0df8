//! Budgets: how long, and with how much, a computation may go on.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A flag that stops what is running, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<OnceLock<&'static str>>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Sets it. It stays set.
    pub fn cancel(&self) {
        self.cancel_because("cancelled");
    }

    /// Sets it, and says why in a few words. The first reason counts.
    pub fn cancel_because(&self, reason: &'static str) {
        let _ = self.0.set(reason);
    }

    /// Whether it is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.get().is_some()
    }

    /// Why it was set, if it was.
    pub fn reason(&self) -> Option<&'static str> {
        self.0.get().copied()
    }
}

/// What a computation may spend. Every long computation takes one and looks at it often; when it is spent, the computation gives its weaker answer.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When it must be done.
    pub deadline: Option<Instant>,
    /// Solver resource units for one query: a deterministic measure of work.
    pub units: Option<u64>,
    /// Bytes by which the process may grow during one query.
    pub memory: Option<u64>,
    /// Set when nobody wants the answer any more.
    pub cancel: Cancel,
}

impl Budget {
    /// No limit at all.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// From now on that long.
    pub fn time(limit: Duration) -> Budget {
        Budget::unlimited().within(limit)
    }

    /// The same budget, and from now on at most that long.
    pub fn within(&self, limit: Duration) -> Budget {
        let end = Instant::now().checked_add(limit);
        Budget {
            deadline: match (self.deadline, end) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            ..self.clone()
        }
    }

    /// The same budget with that many resource units for each query.
    pub fn with_units(&self, units: u64) -> Budget {
        Budget {
            units: Some(units),
            ..self.clone()
        }
    }

    /// Time that is left; none for no limit.
    pub fn remaining(&self) -> Option<Duration> {
        let now = Instant::now();
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(now))
    }

    /// Whether to stop now.
    pub fn is_spent(&self) -> bool {
        self.cancel.is_cancelled()
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
