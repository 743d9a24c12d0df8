//! The mathematical library functions that the model knows, exact for every format.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};

use super::float::{self, Class, Format};
use crate::builtin::{ClassifyFn, Math2Fn, MathFn};
use crate::types::FloatType;

/// A function of one argument where the machine has it.
macro_rules! rounded {
    ($function:expr, $x:expr) => {{
        let x = $x;
        match $function {
            MathFn::Fabs => x.abs(),
            MathFn::Sqrt => x.sqrt(),
            MathFn::Floor => x.floor(),
            MathFn::Ceil => x.ceil(),
            MathFn::Trunc => x.trunc(),
            MathFn::Round => x.round(),
            MathFn::Rint => x.round_ties_even(),
        }
    }};
}

/// A function of one argument.
pub(super) fn unary(function: MathFn, ty: FloatType, bits: u128, rounding: Round) -> u128 {
    if function == MathFn::Fabs {
        return bits & !Format::of(ty).sign_bit();
    }
    if float::is_nan(ty, bits) {
        return float::quiet(ty, bits);
    }
    let depends = matches!(function, MathFn::Sqrt | MathFn::Rint);
    match ty {
        FloatType::F32 if !depends || rounding == float::NEAREST => {
            let result = rounded!(function, f32::from_bits(bits as u32));
            number_or_default_nan(ty, result.is_nan(), result.to_bits().into())
        }
        FloatType::F64 if !depends || rounding == float::NEAREST => {
            let result = rounded!(function, f64::from_bits(bits as u64));
            number_or_default_nan(ty, result.is_nan(), result.to_bits().into())
        }
        _ => {
            let round = match function {
                MathFn::Fabs => return bits,
                MathFn::Sqrt => return soft_sqrt(ty, bits, rounding),
                MathFn::Floor => Round::TowardNegative,
                MathFn::Ceil => Round::TowardPositive,
                MathFn::Trunc => Round::TowardZero,
                MathFn::Round => Round::NearestTiesToAway,
                MathFn::Rint => rounding,
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
fn soft_sqrt(ty: FloatType, bits: u128, rounding: Round) -> u128 {
    match float::classify(ty, bits) {
        Class::Zero | Class::Nan => return bits,
        _ if float::is_negative(ty, bits) => return float::nan_result(ty, 0, 0),
        Class::Infinite => return bits,
        Class::Normal | Class::Subnormal => {}
    }
    let (mut significand, mut exponent) = float::decompose(ty, bits);
    // Bring the significand to exactly 114 or 113 bits so that the exponent is even; 115 digits of the root are then
    // enough for a correct rounding.
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
    // The root is far from the ends of every format, so scaling is exact.
    match ty {
        FloatType::F32 => rounded::<Single>(scaled, scale, rounding),
        FloatType::F64 => rounded::<Double>(scaled, scale, rounding),
        FloatType::X87 => rounded::<X87DoubleExtended>(scaled, scale, rounding),
        FloatType::F128 => rounded::<Quad>(scaled, scale, rounding),
    }
}

/// Whether compilers differ about `rint`: gcc computes it from the absolute value, with the direction of rounding as it
/// is. The other result, or the other zero, comes out for negative numbers and for those that round to zero.
pub(super) fn rint_is_open(ty: FloatType, bits: u128, rounding: Round) -> bool {
    let directed = matches!(rounding, Round::TowardNegative | Round::TowardPositive);
    let truncated = || unary(MathFn::Trunc, ty, bits, rounding);
    directed
        && !float::is_nan(ty, bits)
        && truncated() != bits
        && (float::is_negative(ty, bits) || float::classify(ty, truncated()) == Class::Zero)
}

/// `number * 2^scale`, rounded.
fn rounded<F: Float>(number: u128, scale: i32, rounding: Round) -> u128 {
    // Single precision ends at 2^128: there is room for a number of 116 bits.
    F::from_u128_r(number, rounding)
        .value
        .scalbn(scale)
        .to_bits()
}

/// The directions of rounding by the numbers that x86 has for them.
const DIRECTIONS: [(u32, Round); 4] = [
    (0, Round::NearestTiesToEven),
    (0x400, Round::TowardNegative),
    (0x800, Round::TowardPositive),
    (0xc00, Round::TowardZero),
];

/// The direction that has this number.
pub(super) fn direction(number: u32) -> Option<Round> {
    let mut known = DIRECTIONS.iter();
    known
        .find(|(known, _)| *known == number)
        .map(|&(_, round)| round)
}

/// The number of a direction.
pub(super) fn direction_number(round: Round) -> u32 {
    let mut known = DIRECTIONS.iter();
    known
        .find(|(_, known)| *known == round)
        .map_or(0, |&(number, _)| number)
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

/// Whether `fmin` or `fmax` has to choose among zeros of different signs: C leaves that open, and compilers and libraries differ.
pub(super) fn zero_is_open(function: Math2Fn, ty: FloatType, lhs: u128, rhs: u128) -> bool {
    let is_zero = |bits| float::classify(ty, bits) == Class::Zero;
    matches!(function, Math2Fn::Fmin | Math2Fn::Fmax) && lhs != rhs && is_zero(lhs) && is_zero(rhs)
}

/// The operand that is `wanted` (less or greater) than the other. C leaves open which of two zeros is taken: this is
/// what glibc does on x86-64.
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
            let x = f64::from_bits(rhumb_random::next(&mut state) & !(1 << 63) & !(1 << 62));
            for ty in [FloatType::X87, FloatType::F128] {
                let wide = float::convert(FloatType::F64, ty, x.to_bits().into());
                let root = unary(MathFn::Sqrt, ty, wide, float::NEAREST);
                let narrow = float::convert(ty, FloatType::F64, root);
                assert_eq!(narrow as u64, x.sqrt().to_bits(), "sqrt({x:e}) in {ty}");
            }
        }
    }

    #[test]
    fn soft_square_root_is_exact_on_squares() {
        for ty in [FloatType::X87, FloatType::F128] {
            for n in [1u128, 2, 3, 10, 12345, (1 << 31) + 1, (1 << 32) - 1] {
                let square = float::from_int(ty, IntType::unsigned(64), n * n, float::NEAREST);
                let root = float::from_int(ty, IntType::unsigned(64), n, float::NEAREST);
                assert_eq!(unary(MathFn::Sqrt, ty, square, float::NEAREST), root);
            }
            // The least number: 2^-16445 or 2^-16494.
            let root = unary(MathFn::Sqrt, ty, 1, float::NEAREST);
            let squared = float::binary(float::FloatOp::Mul, ty, root, root, float::NEAREST);
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
                assert_eq!(unary(MathFn::Floor, ty, to(x), float::NEAREST), to(floor));
                assert_eq!(unary(MathFn::Ceil, ty, to(x), float::NEAREST), to(ceil));
                assert_eq!(unary(MathFn::Trunc, ty, to(x), float::NEAREST), to(trunc));
                assert_eq!(unary(MathFn::Round, ty, to(x), float::NEAREST), to(round));
                assert_eq!(unary(MathFn::Rint, ty, to(x), float::NEAREST), to(rint));
            }
        }
    }
}
