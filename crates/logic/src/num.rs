//! Exact numbers, and the few operations on them that everything here needs.
//!
//! Integers of up to 128 bits are stored inline, so the usual case costs no allocation.
//! Nothing here panics: the operations that mathematics leaves undefined have a documented value.

use dashu_base::{Abs, DivRem, ExtendedGcd, Gcd, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// An integer without bounds.
pub type Int = IBig;

/// A fraction in lowest terms, without bounds.
pub type Rat = RBig;

/// The greatest integer that is at most `a / b`; 0 if `b` is zero.
pub fn floor_div(a: &Int, b: &Int) -> Int {
    floor_div_mod(a, b).0
}

/// The least integer that is at least `a / b`; 0 if `b` is zero.
pub fn ceil_div(a: &Int, b: &Int) -> Int {
    if b.is_zero() {
        return Int::ZERO;
    }
    let (quotient, rest) = a.div_rem(b);
    if !rest.is_zero() && rest.is_negative() == b.is_negative() {
        quotient + Int::ONE
    } else {
        quotient
    }
}

/// `a - b * floor_div(a, b)`: the rest that has the sign of `b`; `a` if `b` is zero.
pub fn floor_mod(a: &Int, b: &Int) -> Int {
    floor_div_mod(a, b).1
}

/// [`floor_div`] and [`floor_mod`] at the price of one division.
pub fn floor_div_mod(a: &Int, b: &Int) -> (Int, Int) {
    if b.is_zero() {
        return (Int::ZERO, a.clone());
    }
    let (quotient, rest) = a.div_rem(b);
    if !rest.is_zero() && rest.is_negative() != b.is_negative() {
        (quotient - Int::ONE, rest + b)
    } else {
        (quotient, rest)
    }
}

/// The greatest common divisor, never negative; `gcd(0, 0) = 0`.
pub fn gcd(a: &Int, b: &Int) -> Int {
    if a.is_zero() {
        b.abs()
    } else if b.is_zero() {
        a.abs()
    } else {
        Int::from(a.gcd(b))
    }
}

/// The least common multiple, never negative; zero if one of the two is.
pub fn lcm(a: &Int, b: &Int) -> Int {
    if a.is_zero() || b.is_zero() {
        return Int::ZERO;
    }
    (a / gcd(a, b) * b).abs()
}

/// `(g, s, t)` with `g = gcd(a, b) = s * a + t * b`.
pub fn ext_gcd(a: &Int, b: &Int) -> (Int, Int, Int) {
    if b.is_zero() {
        (a.abs(), sign_unit(a), Int::ZERO)
    } else if a.is_zero() {
        (b.abs(), Int::ZERO, sign_unit(b))
    } else {
        let (g, s, t) = a.gcd_ext(b);
        (Int::from(g), s, t)
    }
}

/// The greatest common divisor of all entries: 0 for a vector of zeros.
pub fn gcd_of<'a>(entries: impl IntoIterator<Item = &'a Int>) -> Int {
    let mut common = Int::ZERO;
    for entry in entries {
        if entry.is_zero() {
            continue;
        }
        common = gcd(&common, entry);
        if common.is_one() {
            break;
        }
    }
    common
}

/// Divides the entries by their greatest common divisor, which it returns.
pub fn make_primitive(entries: &mut [Int]) -> Int {
    let common = gcd_of(entries.iter());
    divide_exact(entries, &common);
    common
}

/// Divides each entry by a common divisor; zero changes nothing.
pub fn divide_exact(entries: &mut [Int], divisor: &Int) {
    if divisor.is_zero() || divisor.is_one() {
        return;
    }
    for entry in entries.iter_mut().filter(|entry| !entry.is_zero()) {
        *entry /= divisor;
    }
}

/// `sum of a[i] * b[i]`, over the length of the shorter.
pub fn dot(a: &[Int], b: &[Int]) -> Int {
    let mut sum = Int::ZERO;
    for (x, y) in a.iter().zip(b) {
        if !x.is_zero() && !y.is_zero() {
            sum += x * y;
        }
    }
    sum
}

/// `numerator / denominator`; 0 if the denominator is zero.
pub fn ratio(numerator: Int, denominator: Int) -> Rat {
    if denominator.is_zero() {
        return Rat::ZERO;
    }
    Rat::from_parts_signed(numerator, denominator)
}

/// The greatest integer that is at most the fraction.
pub fn floor(value: &Rat) -> Int {
    floor_div(value.numerator(), &Int::from(value.denominator().clone()))
}

/// The least integer that is at least the fraction.
pub fn ceil(value: &Rat) -> Int {
    ceil_div(value.numerator(), &Int::from(value.denominator().clone()))
}

/// The point as integer numerators over one positive denominator, the least possible.
pub fn over_common_denominator(point: &[Rat]) -> (Vec<Int>, Int) {
    let mut common = UBig::ONE;
    for value in point {
        let denominator = value.denominator();
        if !denominator.is_one() {
            let shared = (&common).gcd(denominator);
            common = common / shared * denominator;
        }
    }
    let numerators = point
        .iter()
        .map(|value| value.numerator() * Int::from(&common / value.denominator()))
        .collect();
    (numerators, Int::from(common))
}

fn sign_unit(value: &Int) -> Int {
    if value.is_negative() {
        Int::NEG_ONE
    } else {
        Int::ONE
    }
}

/// Whether `|a| < |b|`, without computing either.
pub fn is_smaller(a: &Int, b: &Int) -> bool {
    a.unsigned_abs() < b.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_as_named() {
        for a in -20i64..=20 {
            for b in -7i64..=7 {
                let (x, y) = (Int::from(a), Int::from(b));
                let (q, r) = floor_div_mod(&x, &y);
                assert_eq!(&q * &y + &r, x);
                if b == 0 {
                    assert_eq!((q, ceil_div(&x, &y)), (Int::ZERO, Int::ZERO));
                    continue;
                }
                let exact = a as f64 / b as f64;
                assert_eq!(q, Int::from(exact.floor() as i64), "{a} / {b}");
                assert_eq!(ceil_div(&x, &y), Int::from(exact.ceil() as i64));
                assert_eq!(floor_mod(&x, &y), r);
                assert!(r.is_zero() || r.is_negative() == (b < 0));
            }
        }
    }

    #[test]
    fn divisors_are_common_and_greatest() {
        for a in -30i64..=30 {
            for b in -30i64..=30 {
                let (x, y) = (Int::from(a), Int::from(b));
                let expected = (1..=30).rev().find(|d| a % d == 0 && b % d == 0);
                let expected = if a == 0 && b == 0 { None } else { expected };
                let (g, s, t) = ext_gcd(&x, &y);
                assert_eq!(g, Int::from(expected.unwrap_or(0)));
                assert_eq!(g, gcd(&x, &y));
                assert_eq!(s * &x + t * &y, g);
                assert_eq!(lcm(&x, &y) * g, (&x * &y).abs());
            }
        }
    }

    #[test]
    fn huge_numbers_are_exact() {
        let huge = Int::ONE << 300usize;
        let (q, r) = floor_div_mod(&-(&huge + Int::ONE), &Int::from(2));
        assert_eq!(q, -(Int::ONE << 299usize) - Int::ONE);
        assert_eq!(r, Int::ONE);
        let mut entries = [&huge * Int::from(6), Int::ZERO, &huge * Int::from(-9)];
        assert_eq!(make_primitive(&mut entries), huge * Int::from(3));
        assert_eq!(entries, [2, 0, -3].map(Int::from));
    }

    #[test]
    fn points_get_the_least_denominator() {
        let point = [(1, 6), (-3, 4), (2, 1)].map(|(n, d)| ratio(Int::from(n), Int::from(d)));
        let (numerators, denominator) = over_common_denominator(&point);
        assert_eq!(numerators, [2, -9, 24].map(Int::from));
        assert_eq!(denominator, Int::from(12));
        assert_eq!(
            (floor(&point[1]), ceil(&point[1])),
            (Int::NEG_ONE, Int::ZERO)
        );
        assert_eq!(over_common_denominator(&[]), (vec![], Int::ONE));
    }
}
