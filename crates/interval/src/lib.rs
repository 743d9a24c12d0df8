//! Intervals of integers, for everybody but the checkers of proofs, which have their own.
//!
//! One type, [`Interval`], and its ends say of what kind it is: numbers of the machine (`i128`, whose sums and products
//! may be too large to be said), exact numbers ([`IBig`]), or either of them where an end may be missing (`Option`).
//! Domains that add an empty set, or widen, are built on it elsewhere.

mod exact;
mod machine;
mod open;

use dashu_int::IBig;

/// The integers from `low` to `high`, both included. Never empty: what would be empty stands for a place that no run
/// reaches, and any interval is right there. Where ends are optional, one that is missing is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval<End> {
    /// The least.
    pub low: End,
    /// The greatest.
    pub high: End,
}

/// Integers that can be ends.
pub trait Number: Clone + Ord {
    /// Zero.
    const ZERO: Self;

    /// The sum, unless it is too large.
    fn plus(&self, other: &Self) -> Option<Self>;

    /// The product, unless it is too large.
    fn times(&self, other: &Self) -> Option<Self>;
}

impl Number for i128 {
    const ZERO: i128 = 0;

    fn plus(&self, other: &i128) -> Option<i128> {
        self.checked_add(*other)
    }

    fn times(&self, other: &i128) -> Option<i128> {
        self.checked_mul(*other)
    }
}

impl Number for IBig {
    const ZERO: IBig = IBig::ZERO;

    fn plus(&self, other: &IBig) -> Option<IBig> {
        Some(self + other)
    }

    fn times(&self, other: &IBig) -> Option<IBig> {
        Some(self * other)
    }
}

impl<N: Number> Interval<N> {
    /// The integers between two bounds.
    pub fn new(low: impl Into<N>, high: impl Into<N>) -> Interval<N> {
        let (low, high) = (low.into(), high.into());
        Interval { low, high }
    }

    /// One integer.
    pub fn point(value: N) -> Interval<N> {
        Interval {
            low: value.clone(),
            high: value,
        }
    }

    /// The one integer that it has, if it has no more.
    pub fn as_point(&self) -> Option<&N> {
        (self.low == self.high).then_some(&self.low)
    }

    /// Whether it has this integer.
    pub fn contains(&self, value: &N) -> bool {
        self.low <= *value && *value <= self.high
    }

    /// Whether all of another lies in it.
    pub fn covers(&self, other: &Interval<N>) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The least interval around both.
    pub fn join(self, other: Interval<N>) -> Interval<N> {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// What lies in both; itself where the two have nothing in common.
    pub fn meet(self, other: &Interval<N>) -> Interval<N> {
        let low = (&self.low).max(&other.low);
        let high = (&self.high).min(&other.high);
        if low > high {
            return self;
        }
        Interval {
            low: low.clone(),
            high: high.clone(),
        }
    }
}
