//! Congruences: `x = r (mod m)`, as in Granger, "Static analysis of arithmetical congruences" (1989).

/// The integers that leave a remainder. A modulus of zero stands for one single integer, a modulus of one for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Congruence {
    pub(super) modulus: u128,
    /// From 0 on and below the modulus, unless that is zero.
    pub(super) remainder: i128,
}

impl Congruence {
    /// All integers.
    pub(super) const ALL: Congruence = Congruence {
        modulus: 1,
        remainder: 0,
    };

    pub(super) fn constant(value: i128) -> Congruence {
        Congruence {
            modulus: 0,
            remainder: value,
        }
    }

    pub(super) fn new(modulus: u128, value: i128) -> Congruence {
        match i128::try_from(modulus) {
            Ok(0) => Congruence::constant(value),
            Ok(modulus) => Congruence {
                modulus: modulus as u128,
                remainder: value.rem_euclid(modulus),
            },
            Err(_) => Congruence::ALL,
        }
    }

    /// The least congruence with the integers of both.
    pub(super) fn join(self, other: Congruence) -> Congruence {
        let apart = self.remainder.abs_diff(other.remainder);
        Congruence::new(gcd(gcd(self.modulus, other.modulus), apart), self.remainder)
    }

    pub(super) fn plus(self, other: Congruence) -> Congruence {
        match self.remainder.checked_add(other.remainder) {
            Some(sum) => Congruence::new(gcd(self.modulus, other.modulus), sum),
            None => Congruence::ALL,
        }
    }

    pub(super) fn times(self, factor: i128) -> Congruence {
        match (
            self.modulus.checked_mul(factor.unsigned_abs()),
            self.remainder.checked_mul(factor),
        ) {
            (Some(modulus), Some(remainder)) => Congruence::new(modulus, remainder),
            _ => Congruence::ALL,
        }
    }

    /// The same integers, plus or minus multiples of another modulus.
    pub(super) fn modulo(self, modulus: u128) -> Congruence {
        Congruence::new(gcd(self.modulus, modulus), self.remainder)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation contains the results of its members; the join is the least.
    #[test]
    fn operations_contain_their_results() {
        let all = |modulus: u128, remainder: i128| Congruence::new(modulus, remainder);
        let members = |c: Congruence| {
            (-30i128..=30).filter(move |&x| match c.modulus {
                0 => x == c.remainder,
                m => (x - c.remainder).rem_euclid(m as i128) == 0,
            })
        };
        let has = |c: Congruence, x: i128| match c.modulus {
            0 => x == c.remainder,
            m => (x - c.remainder).rem_euclid(m as i128) == 0,
        };
        for m in 0..6u128 {
            for n in 0..6u128 {
                for r in -4..5i128 {
                    for s in -4..5i128 {
                        let (a, b) = (all(m, r), all(n, s));
                        let (join, sum) = (a.join(b), a.plus(b));
                        assert!(members(a).chain(members(b)).all(|x| has(join, x)));
                        for x in members(a) {
                            assert!(members(b).all(|y| has(sum, x + y)));
                            assert!(has(a.times(s), x * s));
                            assert!(n == 0 || has(a.modulo(n), x + 3 * n as i128));
                        }
                        // Least: a larger modulus would miss a member.
                        let finer = Congruence::new(join.modulus * 2, join.remainder);
                        if join.modulus > 0 {
                            assert!(!members(a).chain(members(b)).all(|x| has(finer, x)));
                        }
                    }
                }
            }
        }
    }
}
