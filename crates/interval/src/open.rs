//! Intervals whose ends may be missing. An end that is too large to be said is missing, too.

use crate::{Interval, Number};

impl<N: Number> Interval<Option<N>> {
    /// All integers.
    pub const ALL: Interval<Option<N>> = Interval {
        low: None,
        high: None,
    };

    /// The integers between two bounds.
    pub fn between(low: N, high: N) -> Interval<Option<N>> {
        Interval {
            low: Some(low),
            high: Some(high),
        }
    }

    /// One integer.
    pub fn constant(value: N) -> Interval<Option<N>> {
        Self::between(value.clone(), value)
    }

    /// The one integer that it has, if it has no more.
    pub fn as_constant(&self) -> Option<&N> {
        self.low.as_ref().filter(|_| self.low == self.high)
    }

    /// Whether the ends are the wrong way round, as they may be behind [`Interval::meet`].
    pub fn is_crossed(&self) -> bool {
        self.low
            .as_ref()
            .zip(self.high.as_ref())
            .is_some_and(|(low, high)| low > high)
    }

    /// Whether it has this integer.
    pub fn contains(&self, value: &N) -> bool {
        self.low.as_ref().is_none_or(|low| low <= value)
            && self.high.as_ref().is_none_or(|high| value <= high)
    }

    /// Whether every value lies between the two.
    pub fn within(&self, low: &N, high: &N) -> bool {
        self.low.as_ref().is_some_and(|own| own >= low)
            && self.high.as_ref().is_some_and(|own| own <= high)
    }

    /// The least interval around both.
    pub fn join(&self, other: &Interval<Option<N>>) -> Interval<Option<N>> {
        let low = self.low.as_ref().zip(other.low.as_ref());
        let high = self.high.as_ref().zip(other.high.as_ref());
        Interval {
            low: low.map(|(a, b)| a.min(b).clone()),
            high: high.map(|(a, b)| a.max(b).clone()),
        }
    }

    /// The values that are in both. If there are none, the ends are [crossed](Interval::is_crossed).
    pub fn meet(&self, other: &Interval<Option<N>>) -> Interval<Option<N>> {
        Interval {
            low: self.low.iter().chain(&other.low).max().cloned(),
            high: self.high.iter().chain(&other.high).min().cloned(),
        }
    }

    /// Sums.
    pub fn plus(&self, other: &Interval<Option<N>>) -> Interval<Option<N>> {
        let sum = |a: &Option<N>, b: &Option<N>| a.as_ref()?.plus(b.as_ref()?);
        Interval {
            low: sum(&self.low, &other.low),
            high: sum(&self.high, &other.high),
        }
    }

    /// Multiples.
    pub fn times(&self, factor: &N) -> Interval<Option<N>> {
        if *factor == N::ZERO {
            return Self::constant(N::ZERO);
        }
        let multiple = |end: &Option<N>| end.as_ref()?.times(factor);
        let (a, b) = (multiple(&self.low), multiple(&self.high));
        match *factor > N::ZERO {
            true => Interval { low: a, high: b },
            false => Interval { low: b, high: a },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on small intervals, with and without ends, against all of their members in a window around them.
    #[test]
    fn operations_cover_their_members_and_no_more() {
        let ends = || (-2..=2i128).map(Some).chain([None]);
        let all: Vec<Interval<Option<i128>>> = ends()
            .flat_map(|low| ends().map(move |high| Interval { low, high }))
            .filter(|interval| !interval.is_crossed())
            .collect();
        let window = -40..=40i128;
        for a in &all {
            for b in &all {
                let (sum, both, around) = (a.plus(b), a.meet(b), a.join(b));
                for x in window.clone() {
                    assert_eq!(both.contains(&x), a.contains(&x) && b.contains(&x));
                    assert!(around.contains(&x) || !a.contains(&x) && !b.contains(&x));
                    let is_sum = (-80..=80).any(|y| a.contains(&y) && b.contains(&(x - y)));
                    assert_eq!(sum.contains(&x), is_sum, "{x} in {a:?} + {b:?}");
                }
            }
            for factor in [-2, 0, 1, 3] {
                let members = window.clone().filter(|x| a.contains(x));
                assert!(
                    members
                        .map(|x| x * factor)
                        .all(|y| a.times(&factor).contains(&y))
                );
            }
            assert_eq!(a.times(&0).as_constant(), Some(&0));
        }
    }

    #[test]
    fn what_is_too_large_is_no_bound() {
        let large = Interval::between(0, i128::MAX);
        let one = Interval::constant(1);
        assert_eq!(
            large.plus(&one),
            Interval {
                low: Some(1),
                high: None
            }
        );
        assert_eq!(
            large.times(&-2),
            Interval {
                low: None,
                high: Some(0)
            }
        );
    }
}
