//! Budgets: how long, and with how much, a computation may go on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::work::Work;

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

/// Solver resource units for all queries of a computation together. Copies draw from the same amount; what is set aside
/// from an allowance is drawn from it as well. So the work that a computation does is bounded in a way that doesn't
/// depend on the machine.
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

/// The work that the time of a whole run is shared out by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Horizon {
    /// All of it.
    whole: Work,
    /// What the thread will have done by then.
    end: Work,
}

/// However much was done already, there is always such a part of the whole to share out: the clock decides when it is over, not this.
const ALWAYS_LEFT: u32 = 8;

/// What a computation may spend. Every long computation takes one and looks at it often; when it is spent, the
/// computation gives its weaker answer.
///
/// Only a whole run has a deadline, and whoever meets it has no answer any more. Everything within a run is bounded by
/// work, which doesn't depend on the machine: [`Budget::within`], [`Budget::part`]. So a run gives the same answer
/// every time, or none in time.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When the whole run must be done.
    pub deadline: Option<Instant>,
    horizon: Option<Horizon>,
    /// What the thread may have done when this is over.
    until: Option<Work>,
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

    /// For a whole run on this thread, from now on that long. Parts of it are parts of the work that can be done in that time.
    pub fn time(limit: Duration) -> Budget {
        let whole = Work::in_time(limit);
        Budget {
            deadline: Instant::now().checked_add(limit),
            horizon: Some(Horizon {
                whole,
                end: Work::so_far() + whole,
            }),
            ..Budget::unlimited()
        }
    }

    /// The same budget, whose parts are parts of the work that can be done in that time: for a run that ends by another
    /// clock than its deadline's.
    pub fn planned_for(self, time: Duration) -> Budget {
        let planned = Budget::time(time);
        Budget {
            horizon: planned.horizon,
            ..self
        }
    }

    /// The same budget, and from now on at most so much work of this thread.
    pub fn within(&self, limit: Work) -> Budget {
        let end = Work::so_far() + limit;
        Budget {
            until: Some(self.until.map_or(end, |until| until.min(end))),
            ..self.clone()
        }
    }

    /// A part of the work that is left: one of so many equal ones.
    pub fn part(&self, of: u32) -> Budget {
        match self.left() {
            Some(left) => self.within(left / of),
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
        let until = self.until.map(|until| (until - Work::so_far()).as_units());
        [self.units, allowed, until].into_iter().flatten().min()
    }

    /// Counts work of this thread: on its clock, and from the allowance, if there is one.
    pub fn spend(&self, units: u64) {
        Work::units(units).count();
        if let Some(allowance) = &self.allowance {
            allowance.spend(units);
        }
    }

    /// Work that may still be done, or that the rest of a run can be shared out by; none for no limit.
    pub fn left(&self) -> Option<Work> {
        let done = Work::so_far();
        let horizon = self.horizon.map(|horizon| {
            let least = horizon.whole / ALWAYS_LEFT;
            (horizon.end - done).max(least)
        });
        self.until.map(|until| until - done).or(horizon)
    }

    /// Time until the deadline; none for no limit.
    pub fn time_left(&self) -> Option<Duration> {
        let now = Instant::now();
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(now))
    }

    /// Whether the run is over: by the clock, or since nobody wants its answer.
    pub fn is_over(&self) -> bool {
        let has_passed = |deadline: Instant| Instant::now() >= deadline;
        self.cancel.is_cancelled() || self.deadline.is_some_and(has_passed)
    }

    /// Whether to stop now.
    pub fn is_spent(&self) -> bool {
        self.until.is_some_and(|until| Work::so_far() >= until)
            || (self.allowance.as_ref()).is_some_and(|allowance| allowance.left() == 0)
            || self.is_over()
    }
}
