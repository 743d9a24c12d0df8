//! Budgets: how long, and with how much, a computation may go on.

use std::sync::atomic::{AtomicU64, Ordering};
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

/// Solver resource units for all queries of a computation together. Copies draw from the same amount; what is set aside from an allowance is drawn from it as
/// well. So the work that a computation does is bounded in a way that doesn't depend on the machine.
#[derive(Clone, Debug)]
pub struct Allowance(Arc<Pot>);

#[derive(Debug)]
struct Pot {
    left: AtomicU64,
    set_aside_from: Option<Allowance>,
}

impl Allowance {
    /// That many units.
    pub fn new(units: u64) -> Allowance {
        Allowance::out_of(units, None)
    }

    fn out_of(units: u64, set_aside_from: Option<Allowance>) -> Allowance {
        Allowance(Arc::new(Pot {
            left: AtomicU64::new(units),
            set_aside_from,
        }))
    }

    /// Units that are left.
    pub fn left(&self) -> u64 {
        let own = self.0.left.load(Ordering::Relaxed);
        let outer = self.0.set_aside_from.as_ref();
        outer.map_or(own, |outer| own.min(outer.left()))
    }

    /// Draws units, as far as there are any.
    pub fn spend(&self, units: u64) {
        let mut pot = Some(&self.0);
        while let Some(inner) = pot {
            let less = |left: u64| Some(left.saturating_sub(units));
            // It never refuses, so there is no error.
            let _ = (inner.left).fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            pot = inner.set_aside_from.as_ref().map(|outer| &outer.0);
        }
    }
}

/// What a computation may spend. Every long computation takes one and looks at it often; when it is spent, the computation gives its weaker answer.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When it must be done.
    pub deadline: Option<Instant>,
    /// Solver resource units for one query: a deterministic measure of work.
    pub units: Option<u64>,
    /// Solver resource units for all queries together.
    pub allowance: Option<Allowance>,
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

    /// A part of the time that is left: one of so many equal ones.
    pub fn part(&self, of: u32) -> Budget {
        match self.remaining() {
            Some(left) => self.within(left / of.max(1)),
            None => self.clone(),
        }
    }

    /// The same budget with that many resource units for each query.
    pub fn with_units(&self, units: u64) -> Budget {
        Budget {
            units: Some(units),
            ..self.clone()
        }
    }

    /// The same budget, of which that many resource units are set aside for all queries together.
    pub fn with_allowance(&self, units: u64) -> Budget {
        Budget {
            allowance: Some(Allowance::out_of(units, self.allowance.clone())),
            ..self.clone()
        }
    }

    /// Resource units that one query may take now; none for no limit.
    pub fn units_for_query(&self) -> Option<u64> {
        let allowed = self.allowance.as_ref().map(Allowance::left);
        match (self.units, allowed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Draws from the allowance, if there is one: for work that is done outside of the solver.
    pub fn spend(&self, units: u64) {
        if let Some(allowance) = &self.allowance {
            allowance.spend(units);
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
            || (self.allowance.as_ref()).is_some_and(|allowance| allowance.left() == 0)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
