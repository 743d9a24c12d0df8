//! Solvers that are used again.
//!
//! To start a solver takes as long as dozens of short queries. A computation that needs one session after the other
//! takes them from a [`SolverPool`]: a session that ends takes back what it has asserted and leaves its solver, with
//! all the terms that it has translated, to the next one. Nobody else uses these solvers: what a computation with a
//! pool of its own finds doesn't depend on what was computed before.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::term::Terms;

use super::worker::Worker;
use super::{Session, SessionOptions};

/// So many solvers are kept.
const KEPT: usize = 8;

/// Solvers for sessions over one store of terms. Copies share them.
#[derive(Clone)]
pub struct SolverPool {
    terms: Arc<Terms>,
    options: SessionOptions,
    /// Solvers that nobody uses, and how many levels each has open.
    idle: Arc<Mutex<Vec<(Worker, u32)>>>,
    queries: Arc<AtomicU64>,
}

impl SolverPool {
    /// A pool, in which there is nothing yet.
    pub fn new(terms: Arc<Terms>, options: SessionOptions) -> SolverPool {
        SolverPool {
            terms,
            options,
            idle: Arc::default(),
            queries: Arc::default(),
        }
    }

    /// A session with nothing asserted. It has a solver of the pool from its first query on.
    pub fn session(&self) -> Session {
        Session::of_pool(self.terms.clone(), self.options.clone(), self.clone())
    }

    /// Number of queries that all its sessions have asked.
    pub fn queries(&self) -> u64 {
        self.queries.load(Ordering::Relaxed)
    }

    pub(super) fn count_query(&self) {
        self.queries.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn take(&self) -> Option<(Worker, u32)> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }

    pub(super) fn give_back(&self, worker: Worker, levels: u32) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push((worker, levels));
        }
    }
}

impl std::fmt::Debug for SolverPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolverPool").finish_non_exhaustive()
    }
}
