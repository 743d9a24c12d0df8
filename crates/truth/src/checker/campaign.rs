//! Many programs, and what the checker said of their proofs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::put;

/// What programs to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Programs without loops and their empty proof.
    LoopFree,
    /// Programs with loops and their reachable states.
    Loops,
}

/// Programs whose proofs are put to the checker.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// What programs.
    pub kind: Kind,
    /// The number that the first is made from.
    pub first_seed: u64,
    /// How many.
    pub count: u64,
    /// Time for each check.
    pub time: Duration,
    /// How many are worked on at the same time.
    pub jobs: usize,
}

/// What a campaign came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Safe programs.
    pub safe: u64,
    /// Unsafe programs.
    pub not_safe: u64,
    /// True proofs, all accepted.
    pub accepted: u64,
    /// False proofs, all rejected.
    pub rejected: u64,
    /// Numbers whose program has too many states.
    pub too_large: u64,
    /// Where the checker was wrong, or had no answer; and programs that are none.
    pub wrong: Vec<String>,
}

impl Campaign {
    /// Puts the proofs of all programs to the checker.
    pub fn run(&self) -> Tally {
        let tally = Mutex::new(Tally::default());
        let (next, left) = (AtomicU64::new(self.first_seed), AtomicU64::new(self.count));
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    while left.load(Ordering::Relaxed) > 0 {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        let report = put(self.kind, seed, self.time);
                        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                        match report {
                            Ok(Some(report)) => {
                                let take = |left: u64| left.checked_sub(1);
                                let order = Ordering::Relaxed;
                                if left.fetch_update(order, order, take).is_err() {
                                    break;
                                }
                                match report.is_safe {
                                    true => tally.safe += 1,
                                    false => tally.not_safe += 1,
                                }
                                tally.accepted += report.accepted;
                                tally.rejected += report.rejected;
                                tally.wrong.extend(report.wrong);
                            }
                            Ok(None) => tally.too_large += 1,
                            Err(what) => {
                                tally.wrong.push(format!("seed {seed}: no program: {what}"));
                            }
                        }
                    }
                });
            }
        });
        tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
