//! A clock that counts work instead of time.
//!
//! Whoever shares out effort by the clock on the wall gives other answers on a busy machine than on an idle one. Here
//! effort is counted: in resource units of the solver, and for what is done outside of it in what takes about as long.
//! Every thread has a clock of its own, which goes on whenever the thread does something that was thought worth
//! counting: so the same computation sees the same figures, whatever else the machine is doing.

use std::cell::Cell;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::time::Duration;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Units that take about a millisecond: hard queries of some hundred programs took between half and twice of that.
const PER_MILLISECOND: u64 = 1_000;

/// An amount of work, in resource units of the solver. Differences below zero are zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Work(u64);

impl Work {
    /// None at all.
    pub const NONE: Work = Work(0);

    /// So many resource units.
    pub const fn units(units: u64) -> Work {
        Work(units)
    }

    /// What takes about so many milliseconds on a machine of the day.
    pub const fn millis(milliseconds: u64) -> Work {
        Work(milliseconds.saturating_mul(PER_MILLISECOND))
    }

    /// What takes about so many seconds on a machine of the day.
    pub const fn secs(seconds: u64) -> Work {
        Work::millis(seconds.saturating_mul(1_000))
    }

    /// What can about be done in a time on a machine of the day.
    pub fn in_time(time: Duration) -> Work {
        Work::millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// The time that it takes, more or less.
    pub fn usual_time(self) -> Duration {
        Duration::from_millis(self.0 / PER_MILLISECOND)
    }

    /// What this thread has done so far.
    pub fn so_far() -> Work {
        Work(DONE.get())
    }

    /// What this thread has done since it had done so much.
    pub fn since(before: Work) -> Work {
        Work::so_far() - before
    }

    /// As a number of resource units.
    pub fn as_units(self) -> u64 {
        self.0
    }

    /// Says that this thread has done it.
    pub fn count(self) {
        DONE.set(DONE.get().saturating_add(self.0));
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        *self = *self + other;
    }
}

impl Sub for Work {
    type Output = Work;

    fn sub(self, other: Work) -> Work {
        Work(self.0.saturating_sub(other.0))
    }
}

impl Mul<u32> for Work {
    type Output = Work;

    fn mul(self, factor: u32) -> Work {
        Work(self.0.saturating_mul(factor.into()))
    }
}

impl Div<u32> for Work {
    type Output = Work;

    fn div(self, parts: u32) -> Work {
        Work(self.0 / u64::from(parts.max(1)))
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(all: I) -> Work {
        all.fold(Work::NONE, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_counts_for_itself() {
        let before = Work::so_far();
        Work::units(7).count();
        let other = std::thread::spawn(|| {
            Work::secs(1).count();
            Work::so_far()
        });
        assert_eq!(other.join().ok(), Some(Work::secs(1)));
        assert_eq!(Work::since(before), Work::units(7));
    }

    #[test]
    fn amounts_never_wrap() {
        let much = Work::secs(u64::MAX);
        assert_eq!(much + much, much * 3);
        assert_eq!(Work::NONE - much, Work::NONE);
        assert_eq!(Work::in_time(Duration::from_secs(2)), Work::secs(2));
        assert_eq!(Work::secs(3).usual_time(), Duration::from_secs(3));
    }
}
