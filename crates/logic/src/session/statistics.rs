//! What a session has done.

use std::collections::BTreeMap;
use std::time::Duration;

/// What queries are asked for: a name under which they are counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Purpose(pub &'static str);

impl Purpose {
    /// Queries that nobody gave a purpose.
    pub const GENERAL: Purpose = Purpose("general");
}

impl Default for Purpose {
    fn default() -> Purpose {
        Purpose::GENERAL
    }
}

/// Queries of one purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Queries with a model.
    pub sat: u64,
    /// Queries without one.
    pub unsat: u64,
    /// Queries that were not decided.
    pub unknown: u64,
    /// Time from asking to answering, translation included.
    pub time: Duration,
}

impl Usage {
    /// Number of queries.
    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }

    fn add(&mut self, other: &Usage) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.time += other.time;
    }
}

/// Queries and time by purpose, and what went wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Queries and time by purpose.
    pub by_purpose: BTreeMap<Purpose, Usage>,
    /// Queries that had to be interrupted.
    pub interrupted: u64,
    /// Solvers that did not come back and were left alone. Their threads may still be running.
    pub abandoned: u64,
    /// Solvers that were started again from what was asserted.
    pub rebuilt: u64,
}

impl Statistics {
    /// All purposes together.
    pub fn total(&self) -> Usage {
        let mut total = Usage::default();
        self.by_purpose.values().for_each(|usage| total.add(usage));
        total
    }

    /// Adds what another session has done.
    pub fn add(&mut self, other: &Statistics) {
        for (&purpose, usage) in &other.by_purpose {
            self.by_purpose.entry(purpose).or_default().add(usage);
        }
        self.interrupted += other.interrupted;
        self.abandoned += other.abandoned;
        self.rebuilt += other.rebuilt;
    }
}
