//! How much a computation may grow.

use dashu_base::BitTest;

use crate::num::Int;
use crate::work::Work;

/// The computation was given up: it would have gone beyond its [`DomainLimits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system of constraints or generators grew beyond its limits")]
pub struct TooLarge;

/// Bounds on one computation. They count work, not time, so that the same question has the same answer on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainLimits {
    /// Constraints or generators in any one system, intermediate ones included.
    pub rows: usize,
    /// Elementary steps: roughly nanoseconds, as long as the numbers are small.
    pub work: u64,
    /// Bits of a coefficient.
    pub bits: usize,
}

impl Default for DomainLimits {
    /// A fraction of a second at worst.
    fn default() -> Self {
        DomainLimits {
            rows: 5_000,
            work: 500_000_000,
            bits: 4_096,
        }
    }
}

impl DomainLimits {
    /// No limits: for systems that are known to be small.
    pub const NONE: DomainLimits = DomainLimits {
        rows: usize::MAX,
        work: u64::MAX,
        bits: usize::MAX,
    };
}

/// What is left of the [`DomainLimits`] in the middle of a computation.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: DomainLimits,
    work: u64,
}

impl Budget {
    pub(crate) fn new(limits: &DomainLimits) -> Self {
        Budget {
            limits: *limits,
            work: limits.work,
        }
    }

    pub(crate) fn spend(&mut self, work: usize) -> Result<(), TooLarge> {
        let work = u64::try_from(work).unwrap_or(u64::MAX);
        self.work = self.work.checked_sub(work).ok_or(TooLarge)?;
        Ok(())
    }

    /// Steps that were spent so far.
    fn spent(&self) -> u64 {
        self.limits.work - self.work
    }

    pub(crate) fn check_rows(&self, rows: usize) -> Result<(), TooLarge> {
        if rows > self.limits.rows {
            Err(TooLarge)
        } else {
            Ok(())
        }
    }

    pub(crate) fn check_bits(&self, row: &[Int]) -> Result<(), TooLarge> {
        if row.iter().any(|entry| entry.bit_len() > self.limits.bits) {
            Err(TooLarge)
        } else {
            Ok(())
        }
    }
}

/// Elementary steps that take about as long as a unit of work.
const STEPS_PER_UNIT: u64 = 1_000;

impl Drop for Budget {
    /// What was done here was done by the thread.
    fn drop(&mut self) {
        Work::units(1 + self.spent() / STEPS_PER_UNIT).count();
    }
}
