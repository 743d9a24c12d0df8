//! Floating-point numbers in decimal, exactly.
//!
//! Every finite binary number has a finite decimal expansion. It is computed with whole numbers and rounded once, half to even, as the C
//! library does it.

use super::float::{self, Class};
use crate::types::FloatType;

/// A number that is not negative: `0.d1d2d3... * 10^point`, without leading zeros. Zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

/// A whole number, least significant limb first.
struct Natural(Vec<u32>);

impl Natural {
    fn new(value: u128) -> Natural {
        let limbs = (0..4).map(|index| (value >> (32 * index)) as u32);
        let mut natural = Natural(limbs.collect());
        natural.trim();
        natural
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn multiply_power(&mut self, base: u32, mut exponent: u32) {
        let (mut chunk, mut chunk_exponent) = (base, 1);
        while let Some(larger) = chunk.checked_mul(base) {
            chunk = larger;
            chunk_exponent += 1;
        }
        while exponent >= chunk_exponent {
            self.multiply(chunk);
            exponent -= chunk_exponent;
        }
        self.multiply(base.pow(exponent));
    }

    /// Divides and gives the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0u64;
        for limb in self.0.iter_mut().rev() {
            let value = remainder << 32 | u64::from(*limb);
            *limb = (value / u64::from(divisor)) as u32;
            remainder = value % u64::from(divisor);
        }
        self.trim();
        remainder as u32
    }

    /// The decimal digits, most significant first.
    fn into_digits(mut self) -> Vec<u8> {
        let mut reversed = Vec::new();
        while !self.0.is_empty() {
            let mut group = self.divide(1_000_000_000);
            for _ in 0..9 {
                reversed.push((group % 10) as u8);
                group /= 10;
            }
        }
        while reversed.last() == Some(&0) {
            reversed.pop();
        }
        reversed.reverse();
        reversed
    }
}

impl Decimal {
    /// The magnitude of a finite number.
    pub(super) fn new(ty: FloatType, bits: u128) -> Decimal {
        let (significand, exponent) = float::decompose(ty, bits);
        let mut natural = Natural::new(significand);
        let shift = if exponent >= 0 {
            natural.multiply_power(2, exponent.unsigned_abs());
            0
        } else {
            // m / 2^k = m * 5^k / 10^k.
            natural.multiply_power(5, exponent.unsigned_abs());
            i64::from(exponent)
        };
        let digits = natural.into_digits();
        let point = digits.len() as i64 + shift;
        Decimal { digits, point }
    }

    /// The exponent in scientific notation.
    pub(super) fn exponent(&self) -> i64 {
        if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        }
    }

    /// Rounded to so many digits, half to even.
    pub(super) fn round_to(&self, keep: i64) -> Decimal {
        let zero = Decimal {
            digits: Vec::new(),
            point: 0,
        };
        if keep < 0 {
            return zero;
        }
        let keep = keep as usize;
        let Some((&first, rest)) = self.digits.get(keep..).and_then(<[u8]>::split_first) else {
            return self.clone();
        };
        let mut digits = self.digits[..keep].to_vec();
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        let up = first > 5 || first == 5 && (odd || rest.iter().any(|&digit| digit != 0));
        if !up {
            return if keep == 0 {
                zero
            } else {
                Decimal {
                    digits,
                    point: self.point,
                }
            };
        }
        while digits.last() == Some(&9) {
            digits.pop();
        }
        match digits.last_mut() {
            Some(last) => {
                *last += 1;
                Decimal {
                    digits,
                    point: self.point,
                }
            }
            None => Decimal {
                digits: vec![1],
                point: self.point + 1,
            },
        }
    }

    /// Rounded to so many digits behind the point.
    pub(super) fn round_fraction(&self, precision: u64) -> Decimal {
        let precision = i64::try_from(precision).unwrap_or(i64::MAX);
        self.round_to(self.point.saturating_add(precision))
    }

    /// The digit at `10^-(index + 1) * 10^point`, zero behind the last.
    fn digit(&self, index: i64) -> u8 {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.digits.get(index))
            .map_or(b'0', |digit| b'0' + digit)
    }

    /// The digits before the point.
    pub(super) fn integer_part(&self) -> Vec<u8> {
        if self.point <= 0 {
            return vec![b'0'];
        }
        (0..self.point).map(|index| self.digit(index)).collect()
    }

    /// The digits behind the point up to the last that is not zero, but no more than `limit`.
    pub(super) fn fraction_part(&self, limit: u64) -> Vec<u8> {
        let count = (self.digits.len() as i64 - self.point).max(0) as u64;
        (0..count.min(limit) as i64)
            .map(|index| self.digit(self.point + index))
            .collect()
    }

    /// The digits in scientific notation: the first, and those behind the point up to the last, but no more than `limit`.
    pub(super) fn scientific(&self, limit: u64) -> (u8, Vec<u8>) {
        let count = (self.digits.len() as u64).saturating_sub(1).min(limit);
        let rest = (1..=count as i64).map(|index| self.digit(index)).collect();
        (self.digit(0), rest)
    }

    /// Number of digits up to the last that is not zero.
    pub(super) fn significant(&self) -> u64 {
        let last = self.digits.iter().rposition(|&digit| digit != 0);
        last.map_or(0, |index| index as u64 + 1)
    }
}

/// A number for a message: enough digits to know it.
pub(super) fn shortest(ty: FloatType, bits: u128) -> String {
    let sign = if float::is_negative(ty, bits) {
        "-"
    } else {
        ""
    };
    match float::classify(ty, bits) {
        Class::Nan => "nan".to_owned(),
        Class::Infinite => format!("{sign}inf"),
        _ => match ty {
            FloatType::F32 => f32::from_bits(bits as u32).to_string(),
            FloatType::F64 => f64::from_bits(bits as u64).to_string(),
            FloatType::X87 | FloatType::F128 => {
                let rounded = Decimal::new(ty, bits).round_to(21);
                let (first, rest) = rounded.scientific(rounded.significant().saturating_sub(1));
                let mut text = format!("{sign}{}", char::from(first));
                if !rest.is_empty() {
                    text.push('.');
                    text.extend(rest.into_iter().map(char::from));
                }
                if rounded.exponent() != 0 {
                    text.push_str(&format!("e{}", rounded.exponent()));
                }
                text
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: f64) -> Decimal {
        Decimal::new(FloatType::F64, value.to_bits().into())
    }

    fn fixed(value: f64, precision: u64) -> String {
        let rounded = decimal(value).round_fraction(precision);
        let mut text = String::from_utf8(rounded.integer_part()).unwrap();
        let mut fraction = rounded.fraction_part(precision);
        fraction.resize(precision as usize, b'0');
        if precision > 0 {
            text.push('.');
            text.push_str(std::str::from_utf8(&fraction).unwrap());
        }
        text
    }

    #[test]
    fn rounding_is_exact_and_half_to_even() {
        assert_eq!(fixed(0.5, 0), "0");
        assert_eq!(fixed(1.5, 0), "2");
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(fixed(0.125, 2), "0.12");
        assert_eq!(fixed(0.375, 2), "0.38");
        assert_eq!(fixed(0.1, 20), "0.10000000000000000555");
        assert_eq!(fixed(999.96, 1), "1000.0");
        assert_eq!(fixed(0.04, 1), "0.0");
        assert_eq!(fixed(0.06, 1), "0.1");
        assert_eq!(fixed(0.0006, 1), "0.0");
        assert_eq!(fixed(0.0, 3), "0.000");
        assert_eq!(fixed(1e22, 1), "10000000000000000000000.0");
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let mut state = 7u64;
        for round in 0..3000 {
            let value = f64::from_bits(rhumb_random::next(&mut state)).abs();
            if !value.is_finite() {
                continue;
            }
            let precision = round % 30;
            assert_eq!(
                fixed(value, precision),
                format!("{value:.*}", precision as usize)
            );
            let rounded = decimal(value).round_to(precision as i64 + 1);
            let (first, mut rest) = rounded.scientific(precision);
            rest.resize(precision as usize, b'0');
            let expected = format!("{value:.*e}", precision as usize);
            let (mantissa, exponent) = expected.split_once('e').unwrap();
            let mut text = vec![first];
            if precision > 0 {
                text.push(b'.');
                text.extend(rest);
            }
            assert_eq!(String::from_utf8(text).unwrap(), mantissa);
            assert_eq!(rounded.exponent().to_string(), exponent);
        }
    }
}
