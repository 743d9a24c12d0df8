//! The mathematical library functions that the model knows, exact for every format.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Quad, X87DoubleExtended};
use rustc_apfloat::{Float, Round};

use super::float::{self, Class, Format};
use crate::builtin::{ClassifyFn, Math2Fn, MathFn};
use crate::types::FloatType;

/// A function of one argument.
pub(super) fn unary(function: MathFn, ty: FloatType, bits: u128) -> u128 {
    if function == MathFn::Fabs {
        return bits & !Format::of(ty).sign_bit();
    }
    if float::is_nan(ty, bits) {
        return float::quiet(ty, bits);
    }
    match ty {
        FloatType::F32 => {
            let x = f32::from_bits(bits as u32);
            let result = match function {
                MathFn::Fabs => x.abs(),
                MathFn::Sqrt => x.sqrt(),
                MathFn::Floor => x.floor(),
                MathFn::Ceil => x.ceil(),
                MathFn::Trunc => x.trunc(),
                MathFn::Round => x.round(),
                MathFn::Rint => x.round_ties_even(),
            };
            number_or_default_nan(ty, result.is_nan(), result.to_bits().into())
        }
        FloatType::F64 => {
            let x = f64::from_bits(bits as u64);
            let result = match function {
                MathFn::Fabs => x.abs(),
                MathFn::Sqrt => x.sqrt(),
                MathFn::Floor => x.floor(),
                MathFn::Ceil => x.ceil(),
                MathFn::Trunc => x.trunc(),
                MathFn::Round => x.round(),
                MathFn::Rint => x.round_ties_even(),
            };
            number_or_default_nan(ty, result.is_nan(), result.to_bits().into())
        }
        FloatType::X87 | FloatType::F128 => {
            let round = match function {
                MathFn::Fabs => return bits,
                MathFn::Sqrt => return soft_sqrt(ty, bits),
                MathFn::Floor => Round::TowardNegative,
                MathFn::Ceil => Round::TowardPositive,
                MathFn::Trunc => Round::TowardZero,
                MathFn::Round => Round::NearestTiesToAway,
                MathFn::Rint => Round::NearestTiesToEven,
            };
            float::soft!(ty, |make| make(bits)
                .round_to_integral(round)
                .value
                .to_bits())
        }
    }
}

fn number_or_default_nan(ty: FloatType, is_nan: bool, bits: u128) -> u128 {
    if is_nan {
        // Which NaN the host's library gives is its own affair; an invalid operation gives the default one.
        float::nan_result(ty, 0, 0)
    } else {
        bits
    }
}

/// Correctly rounded square root, digit by digit.
fn soft_sqrt(ty: FloatType, bits: u128) -> u128 {
    match float::classify(ty, bits) {
        Class::Zero | Class::Nan => return bits,
        _ if float::is_negative(ty, bits) => return float::nan_result(ty, 0, 0),
        Class::Infinite => return bits,
        Class::Normal | Class::Subnormal => {}
    }
    let (mut significand, mut exponent) = float::decompose(ty, bits);
    // Bring the significand to exactly 114 or 113 bits so that the exponent is even; 115 digits of the root are then enough for a correct rounding.
    let shift = 114 - (128 - significand.leading_zeros() as i32);
    significand <<= shift;
    exponent -= shift;
    if exponent % 2 != 0 {
        significand >>= 1;
        exponent += 1;
    }
    // The significand lost no bit: it had at most 113 of them and got at least one zero below.
    const DIGITS: u32 = 115;
    let (mut root, mut remainder) = (0u128, 0u128);
    for digit in 0..DIGITS {
        let pair = if digit < 57 {
            significand >> (2 * (56 - digit)) & 3
        } else {
            0
        };
        remainder = remainder << 2 | pair;
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
    }
    // root = floor(sqrt(significand * 4^(DIGITS-57))); one more digit says whether something is left.
    let scaled = root << 1 | u128::from(remainder != 0);
    let scale = exponent / 2 - (DIGITS as i32 - 57) - 1;
    match ty {
        FloatType::X87 => X87DoubleExtended::from_u128(scaled)
            .value
            .scalbn(scale)
            .to_bits(),
        _ => Quad::from_u128(scaled).value.scalbn(scale).to_bits(),
    }
}

/// A function of two arguments.
pub(super) fn binary(function: Math2Fn, ty: FloatType, lhs: u128, rhs: u128) -> u128 {
    match function {
        Math2Fn::Copysign => {
            let sign = Format::of(ty).sign_bit();
            lhs & !sign | rhs & sign
        }
        Math2Fn::Fmin => choose(ty, lhs, rhs, Ordering::Less),
        Math2Fn::Fmax => choose(ty, lhs, rhs, Ordering::Greater),
        Math2Fn::Fmod => remainder(ty, lhs, rhs),
    }
}

/// The operand that is `wanted` (less or greater) than the other. C leaves open which of two zeros is taken: this is what glibc does on x86-64.
fn choose(ty: FloatType, lhs: u128, rhs: u128, wanted: Ordering) -> u128 {
    match float::compare(ty, lhs, rhs) {
        Some(Ordering::Equal) if ty == FloatType::X87 && wanted == Ordering::Less => rhs,
        Some(Ordering::Equal) => lhs,
        Some(order) if order == wanted => lhs,
        Some(_) => rhs,
        None if signalling(ty, lhs) || signalling(ty, rhs) => float::nan_result(ty, lhs, rhs),
        // Of two NaNs the x87 unit chooses as it does in a sum.
        None if ty == FloatType::X87 && float::is_nan(ty, lhs) && float::is_nan(ty, rhs) => {
            float::nan_result(ty, lhs, rhs)
        }
        None if float::is_nan(ty, rhs) => lhs,
        None => rhs,
    }
}

fn signalling(ty: FloatType, bits: u128) -> bool {
    float::is_nan(ty, bits) && float::quiet(ty, bits) != bits
}

fn remainder(ty: FloatType, lhs: u128, rhs: u128) -> u128 {
    let invalid = float::is_nan(ty, lhs)
        || float::is_nan(ty, rhs)
        || float::classify(ty, lhs) == Class::Infinite
        || float::classify(ty, rhs) == Class::Zero;
    if invalid {
        return float::nan_result(ty, lhs, rhs);
    }
    match ty {
        FloatType::F32 => {
            let result = f32::from_bits(lhs as u32) % f32::from_bits(rhs as u32);
            result.to_bits().into()
        }
        FloatType::F64 => {
            let result = f64::from_bits(lhs as u64) % f64::from_bits(rhs as u64);
            result.to_bits().into()
        }
        FloatType::X87 | FloatType::F128 => {
            float::soft!(ty, |make| make(lhs).c_fmod(make(rhs)).value.to_bits())
        }
    }
}

/// A question about a number; the answer is an `int`.
pub(super) fn classify(function: ClassifyFn, ty: FloatType, bits: u128) -> i32 {
    let class = float::classify(ty, bits);
    let negative = float::is_negative(ty, bits);
    match function {
        ClassifyFn::IsNan => i32::from(class == Class::Nan),
        ClassifyFn::IsInf if class == Class::Infinite => {
            if negative {
                -1
            } else {
                1
            }
        }
        ClassifyFn::IsInf => 0,
        ClassifyFn::IsFinite => i32::from(!matches!(class, Class::Nan | Class::Infinite)),
        ClassifyFn::IsNormal => i32::from(class == Class::Normal),
        ClassifyFn::SignBit => i32::from(negative),
        ClassifyFn::FpClassify => match class {
            Class::Nan => 0,
            Class::Infinite => 1,
            Class::Zero => 2,
            Class::Subnormal => 3,
            Class::Normal => 4,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntType;

    #[test]
    fn soft_square_root_agrees_with_the_host() {
        // The root of a double, computed in 80 or 128 bits and rounded to double, is the host's root
        // unless the first rounding lands on a tie, which these don't.
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let x = f64::from_bits(state & !(1 << 63) & !(1 << 62));
            for ty in [FloatType::X87, FloatType::F128] {
                let wide = float::convert(FloatType::F64, ty, x.to_bits().into());
                let root = unary(MathFn::Sqrt, ty, wide);
                let narrow = float::convert(ty, FloatType::F64, root);
                assert_eq!(narrow as u64, x.sqrt().to_bits(), "sqrt({x:e}) in {ty}");
            }
        }
    }

    #[test]
    fn soft_square_root_is_exact_on_squares() {
        for ty in [FloatType::X87, FloatType::F128] {
            for n in [1u128, 2, 3, 10, 12345, (1 << 31) + 1, (1 << 32) - 1] {
                let square = float::from_int(ty, IntType::unsigned(64), n * n);
                let root = float::from_int(ty, IntType::unsigned(64), n);
                assert_eq!(unary(MathFn::Sqrt, ty, square), root);
            }
            // The least number: 2^-16445 or 2^-16494.
            let root = unary(MathFn::Sqrt, ty, 1);
            let squared = float::binary(float::FloatOp::Mul, ty, root, root);
            assert!(squared <= 1);
        }
    }

    #[test]
    fn minimum_and_maximum() {
        let bits = |x: f64| u128::from(x.to_bits());
        let f64s = |function, a, b| {
            f64::from_bits(binary(function, FloatType::F64, bits(a), bits(b)) as u64)
        };
        assert_eq!(f64s(Math2Fn::Fmin, 1.0, f64::NAN), 1.0);
        assert_eq!(f64s(Math2Fn::Fmax, f64::NAN, -1.0), -1.0);
        assert!(f64s(Math2Fn::Fmax, -0.0, 0.0).is_sign_negative());
        assert_eq!(f64s(Math2Fn::Fmod, -7.5, 2.0), -1.5);
        assert!(f64s(Math2Fn::Fmod, 1.0, 0.0).is_sign_negative());
        assert_eq!(f64s(Math2Fn::Copysign, 3.0, -0.0), -3.0);
    }

    #[test]
    fn rounding_functions() {
        for (x, floor, ceil, trunc, round, rint) in [
            (2.5, 2.0, 3.0, 2.0, 3.0, 2.0),
            (-2.5, -3.0, -2.0, -2.0, -3.0, -2.0),
            (0.4, 0.0, 1.0, 0.0, 0.0, 0.0),
        ] {
            for ty in [
                FloatType::F32,
                FloatType::F64,
                FloatType::X87,
                FloatType::F128,
            ] {
                let to = |x: f64| float::convert(FloatType::F64, ty, x.to_bits().into());
                assert_eq!(unary(MathFn::Floor, ty, to(x)), to(floor));
                assert_eq!(unary(MathFn::Ceil, ty, to(x)), to(ceil));
                assert_eq!(unary(MathFn::Trunc, ty, to(x)), to(trunc));
                assert_eq!(unary(MathFn::Round, ty, to(x)), to(round));
                assert_eq!(unary(MathFn::Rint, ty, to(x)), to(rint));
            }
        }
    }
}
