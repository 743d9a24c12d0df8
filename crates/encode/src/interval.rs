//! Intervals of integers, both ends included: what is cheaply known about a value.

use rhumb_logic::Int;
use rhumb_logic::num::{ceil_div, floor_div};

/// The integers from `low` to `high`. Never empty: what would be empty stands for a place that no run reaches, and any
/// interval is right there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least.
    pub low: Int,
    /// The greatest.
    pub high: Int,
}

impl Interval {
    /// The integers between two bounds.
    pub fn new(low: impl Into<Int>, high: impl Into<Int>) -> Interval {
        let (low, high) = (low.into(), high.into());
        Interval { low, high }
    }

    /// One integer.
    pub fn point(value: Int) -> Interval {
        Interval {
            low: value.clone(),
            high: value,
        }
    }

    /// The one integer that it has, if it has no more.
    pub fn as_point(&self) -> Option<&Int> {
        (self.low == self.high).then_some(&self.low)
    }

    /// Whether all of another lies in it.
    pub fn covers(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether it has this integer.
    pub fn contains(&self, value: &Int) -> bool {
        self.low <= *value && *value <= self.high
    }

    /// Number of integers.
    pub fn len(&self) -> Int {
        &self.high - &self.low + Int::ONE
    }

    /// The greatest distance from zero.
    pub fn size(&self) -> Int {
        (-&self.low).max(self.high.clone())
    }

    /// What lies in both; itself where the two have nothing in common.
    pub fn meet(self, other: &Interval) -> Interval {
        let low = if other.low > self.low {
            &other.low
        } else {
            &self.low
        };
        let high = if other.high < self.high {
            &other.high
        } else {
            &self.high
        };
        if low > high {
            return self;
        }
        Interval {
            low: low.clone(),
            high: high.clone(),
        }
    }

    /// The least interval around both.
    pub fn join(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Sums.
    pub fn plus(&self, other: &Interval) -> Interval {
        Interval {
            low: &self.low + &other.low,
            high: &self.high + &other.high,
        }
    }

    /// Multiples.
    pub fn scaled(&self, factor: &Int) -> Interval {
        let (a, b) = (&self.low * factor, &self.high * factor);
        if *factor < Int::ZERO {
            Interval { low: b, high: a }
        } else {
            Interval { low: a, high: b }
        }
    }

    /// Products.
    pub fn times(&self, other: &Interval) -> Interval {
        self.scaled(&other.low).join(self.scaled(&other.high))
    }

    /// Quotients by a positive integer, rounded down.
    pub fn divided(&self, divisor: &Int) -> Interval {
        Interval {
            low: floor_div(&self.low, divisor),
            high: floor_div(&self.high, divisor),
        }
    }

    /// Remainders, from 0 on, by a positive integer.
    pub fn modulo(&self, divisor: &Int) -> Interval {
        let quotients = self.divided(divisor);
        match quotients.as_point() {
            Some(quotient) => {
                let shift = -(quotient * divisor);
                self.plus(&Interval::point(shift))
            }
            None => Interval::new(Int::ZERO, divisor - Int::ONE),
        }
    }

    /// The values whose multiple lies in it; `factor` is not zero. None if there is no such integer.
    pub fn unscaled(&self, factor: &Int) -> Option<Interval> {
        let (from, to) = if *factor < Int::ZERO {
            (&self.high, &self.low)
        } else {
            (&self.low, &self.high)
        };
        let (low, high) = (ceil_div(from, factor), floor_div(to, factor));
        (low <= high).then_some(Interval { low, high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on small intervals against all of their members.
    #[test]
    fn operations_cover_their_members_and_no_more() {
        let all: Vec<Interval> = (-4..=4)
            .flat_map(|low| (low..=4).map(move |high| Interval::new(low, high)))
            .collect();
        let members = |interval: &Interval| {
            let number = |value: &Int| i32::try_from(value).expect("small");
            number(&interval.low)..=number(&interval.high)
        };
        let hull = |values: Vec<i32>| {
            let (low, high) = (values.iter().min(), values.iter().max());
            Interval::new(*low.expect("not empty"), *high.expect("not empty"))
        };
        for a in &all {
            for factor in [-3, -1, 0, 2] {
                let exact = hull(members(a).map(|x| x * factor).collect());
                assert_eq!(a.scaled(&factor.into()), exact);
                if factor != 0 {
                    let exact = (-20..=20)
                        .filter(|x| a.contains(&Int::from(x * factor)))
                        .collect::<Vec<_>>();
                    let expected = (!exact.is_empty()).then(|| hull(exact));
                    assert_eq!(a.unscaled(&factor.into()), expected, "{a:?} {factor}");
                }
            }
            for divisor in [1, 2, 3, 5] {
                let exact = hull(members(a).map(|x| x.div_euclid(divisor)).collect());
                assert_eq!(a.divided(&divisor.into()), exact);
                let exact = hull(members(a).map(|x| x.rem_euclid(divisor)).collect());
                assert!(a.modulo(&divisor.into()).covers(&exact));
            }
            for b in &all {
                let pairs = || members(a).flat_map(|x| members(b).map(move |y| (x, y)));
                assert_eq!(a.plus(b), hull(pairs().map(|(x, y)| x + y).collect()));
                assert_eq!(a.times(b), hull(pairs().map(|(x, y)| x * y).collect()));
                let both: Vec<i32> = members(a).filter(|x| members(b).contains(x)).collect();
                let expected = if both.is_empty() {
                    a.clone()
                } else {
                    hull(both)
                };
                assert_eq!(a.clone().meet(b), expected);
            }
        }
    }
}
