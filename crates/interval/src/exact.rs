//! Arithmetic on intervals of exact integers.

use dashu_base::DivEuclid;
use dashu_int::IBig;

use crate::Interval;

impl Interval<IBig> {
    /// Number of integers.
    pub fn len(&self) -> IBig {
        &self.high - &self.low + IBig::ONE
    }

    /// The greatest distance from zero.
    pub fn size(&self) -> IBig {
        (-&self.low).max(self.high.clone())
    }

    /// Sums.
    pub fn plus(&self, other: &Interval<IBig>) -> Interval<IBig> {
        Interval {
            low: &self.low + &other.low,
            high: &self.high + &other.high,
        }
    }

    /// Multiples.
    pub fn scaled(&self, factor: &IBig) -> Interval<IBig> {
        let (a, b) = (&self.low * factor, &self.high * factor);
        match *factor < IBig::ZERO {
            true => Interval { low: b, high: a },
            false => Interval { low: a, high: b },
        }
    }

    /// Products.
    pub fn times(&self, other: &Interval<IBig>) -> Interval<IBig> {
        self.scaled(&other.low).join(self.scaled(&other.high))
    }

    /// Quotients by a positive integer, rounded down.
    pub fn divided(&self, divisor: &IBig) -> Interval<IBig> {
        Interval {
            low: (&self.low).div_euclid(divisor),
            high: (&self.high).div_euclid(divisor),
        }
    }

    /// Remainders, from 0 on, by a positive integer.
    pub fn modulo(&self, divisor: &IBig) -> Interval<IBig> {
        let quotients = self.divided(divisor);
        match quotients.as_point() {
            Some(quotient) => {
                let shift = -(quotient * divisor);
                self.plus(&Interval::point(shift))
            }
            None => Interval::new(IBig::ZERO, divisor - IBig::ONE),
        }
    }

    /// The values whose multiple lies in it; `factor` is not zero. None if there is no such integer.
    pub fn unscaled(&self, factor: &IBig) -> Option<Interval<IBig>> {
        let (from, to, factor) = match *factor < IBig::ZERO {
            true => (-&self.high, -&self.low, -factor),
            false => (self.low.clone(), self.high.clone(), factor.clone()),
        };
        let (low, high) = (-((-from).div_euclid(&factor)), to.div_euclid(&factor));
        (low <= high).then_some(Interval { low, high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on small intervals against all of their members.
    #[test]
    fn operations_cover_their_members_and_no_more() {
        let all: Vec<Interval<IBig>> = (-4..=4)
            .flat_map(|low| (low..=4).map(move |high| Interval::new(low, high)))
            .collect();
        let members = |interval: &Interval<IBig>| {
            let number = |value: &IBig| i32::try_from(value).expect("small");
            number(&interval.low)..=number(&interval.high)
        };
        let hull = |values: Vec<i32>| -> Interval<IBig> {
            let (low, high) = (values.iter().min(), values.iter().max());
            Interval::new(*low.expect("not empty"), *high.expect("not empty"))
        };
        for a in &all {
            for factor in [-3, -1, 0, 2] {
                let exact = hull(members(a).map(|x| x * factor).collect());
                assert_eq!(a.scaled(&factor.into()), exact);
                if factor != 0 {
                    let exact = (-20..=20)
                        .filter(|x| a.contains(&IBig::from(x * factor)))
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
                let expected = match both.is_empty() {
                    true => a.clone(),
                    false => hull(both),
                };
                assert_eq!(a.clone().meet(b), expected);
            }
        }
    }
}
