//! Arithmetic on intervals of machine integers.

use crate::Interval;

impl Interval<i128> {
    /// The values of a signed type of `bits` bits (at most 127).
    pub fn signed(bits: u32) -> Self {
        let half = 1_i128 << (bits - 1);
        Self {
            low: -half,
            high: half - 1,
        }
    }

    /// The values of an unsigned type of `bits` bits (at most 126).
    pub fn unsigned(bits: u32) -> Self {
        Self {
            low: 0,
            high: (1_i128 << bits) - 1,
        }
    }

    /// Sums; `None` when they leave 128 bits.
    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            low: self.low.checked_add(other.low)?,
            high: self.high.checked_add(other.high)?,
        })
    }

    /// Differences; `None` when they leave 128 bits.
    pub fn minus(self, other: Self) -> Option<Self> {
        Some(Self {
            low: self.low.checked_sub(other.high)?,
            high: self.high.checked_sub(other.low)?,
        })
    }

    /// Products; `None` when they leave 128 bits.
    pub fn times(self, other: Self) -> Option<Self> {
        self.at_corners(other, i128::checked_mul)
    }

    /// Truncating quotients by a divisor that is never 0; `None` when they leave 128 bits.
    pub fn divided_by(self, divisor: Self) -> Option<Self> {
        match divisor.contains(&0) {
            true => None,
            false => self.at_corners(divisor, i128::checked_div),
        }
    }

    /// Remainders (sign of the dividend) of a divisor that is never 0.
    pub fn remainder_by(self, divisor: Self) -> Option<Self> {
        if divisor.contains(&0) {
            return None;
        }
        if let (Some(a), Some(&b)) = (self.as_point(), divisor.as_point()) {
            return a.checked_rem(b).map(Self::point);
        }
        let most = divisor.low.unsigned_abs().max(divisor.high.unsigned_abs()) - 1;
        let most = i128::try_from(most).unwrap_or(i128::MAX);
        let low = if self.low < 0 { self.low.max(-most) } else { 0 };
        let high = if self.high > 0 {
            self.high.min(most)
        } else {
            0
        };
        Some(Self { low, high })
    }

    /// Arithmetic right shifts by amounts in `0..=126`.
    pub fn shifted_right(self, amount: Self) -> Self {
        let corners = [
            self.low >> amount.low,
            self.low >> amount.high,
            self.high >> amount.low,
            self.high >> amount.high,
        ];
        Self {
            low: corners[0].min(corners[1]),
            high: corners[2].max(corners[3]),
        }
    }

    /// Left shifts of non-negative values; `None` when a bit would be lost.
    pub fn shifted_left(self, amount: Self) -> Option<Self> {
        if self.low < 0 || amount.high > 126 || self.high > (i128::MAX >> amount.high) {
            return None;
        }
        Some(Self {
            low: self.low << amount.low,
            high: self.high << amount.high,
        })
    }

    /// The values of `&`, `|` or `^` of two members: every result fits in as many bits as the
    /// operands need.
    pub fn bitwise(self, other: Self) -> Self {
        let magnitude = |value: i128| (if value < 0 { !value } else { value }) as u128;
        let most = [self.low, self.high, other.low, other.high]
            .map(magnitude)
            .into_iter()
            .max()
            .unwrap_or(0);
        let ones = i128::MAX
            .checked_shr(most.leading_zeros().saturating_sub(1))
            .unwrap_or(0);
        let negative = self.low < 0 || other.low < 0;
        Self {
            low: if negative { !ones } else { 0 },
            high: ones,
        }
    }

    /// The interval around what an operation gives at the ends, if it gives something everywhere there.
    fn at_corners(self, other: Self, operation: fn(i128, i128) -> Option<i128>) -> Option<Self> {
        let ends = |own: i128| {
            let (a, b) = (operation(own, other.low)?, operation(own, other.high)?);
            Some(Self {
                low: a.min(b),
                high: a.max(b),
            })
        };
        Some(ends(self.low)?.join(ends(self.high)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_every_concrete_result() {
        let samples = [-9_i128, -8, -3, -1, 0, 1, 2, 5, 7, 12];
        for (i, &a) in samples.iter().enumerate() {
            for &b in &samples[i..] {
                let x = Interval::new(a, b);
                for (j, &c) in samples.iter().enumerate() {
                    for &d in &samples[j..] {
                        check_all(x, Interval::new(c, d));
                    }
                }
            }
        }
    }

    fn check_all(x: Interval<i128>, y: Interval<i128>) {
        for a in x.low..=x.high {
            for b in y.low..=y.high {
                assert!(x.plus(y).unwrap().contains(&(a + b)));
                assert!(x.minus(y).unwrap().contains(&(a - b)));
                assert!(x.times(y).unwrap().contains(&(a * b)));
                for value in [a & b, a | b, a ^ b] {
                    assert!(x.bitwise(y).contains(&value), "{x:?} {y:?} {value}");
                }
                if !y.contains(&0) {
                    assert!(x.divided_by(y).unwrap().contains(&(a / b)));
                    assert!(x.remainder_by(y).unwrap().contains(&(a % b)));
                }
                if y.low >= 0 {
                    assert!(x.shifted_right(y).contains(&(a >> b)));
                    assert!(
                        x.shifted_left(y)
                            .is_none_or(|shifted| shifted.contains(&(a << b)))
                    );
                }
            }
        }
    }
}
