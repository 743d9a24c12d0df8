//! Exact arithmetic on floating-point constants, by their bits.

use rhumb_program::{FloatType, IntType};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::hir::{BinaryOp, CompareOp};

/// Runs a generic function on the software float of a [`FloatType`].
macro_rules! dispatch {
    ($ty:expr, $function:ident ( $($arg:expr),* )) => {
        match $ty {
            FloatType::F32 => $function::<Single>($($arg),*),
            FloatType::F64 => $function::<Double>($($arg),*),
            FloatType::X87 => $function::<X87DoubleExtended>($($arg),*),
            FloatType::F128 => $function::<Quad>($($arg),*),
        }
    };
}

/// Reads a C floating constant without its suffix, correctly rounded.
pub(super) fn parse(text: &str, ty: FloatType) -> Option<u128> {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    match ty {
        // The standard library rounds correctly, too, and much faster; it doesn't read hexadecimal.
        FloatType::F32 if !hexadecimal => text
            .parse::<f32>()
            .ok()
            .map(|value| u128::from(value.to_bits())),
        FloatType::F64 if !hexadecimal => text
            .parse::<f64>()
            .ok()
            .map(|value| u128::from(value.to_bits())),
        _ => dispatch!(ty, parse_as(text)),
    }
}

fn parse_as<F: Float>(text: &str) -> Option<u128> {
    let parsed = F::from_str_r(text, Round::NearestTiesToEven).ok()?;
    Some(parsed.value.to_bits())
}

/// The result of an arithmetic operator; `None` for those that floats don't have.
pub(super) fn binary(ty: FloatType, op: BinaryOp, lhs: u128, rhs: u128) -> Option<u128> {
    dispatch!(ty, binary_as(op, lhs, rhs))
}

fn binary_as<F: Float>(op: BinaryOp, lhs: u128, rhs: u128) -> Option<u128> {
    let (lhs, rhs) = (F::from_bits(lhs), F::from_bits(rhs));
    let round = Round::NearestTiesToEven;
    let result = match op {
        BinaryOp::Add => lhs.add_r(rhs, round),
        BinaryOp::Sub => lhs.sub_r(rhs, round),
        BinaryOp::Mul => lhs.mul_r(rhs, round),
        BinaryOp::Div => lhs.div_r(rhs, round),
        _ => return None,
    };
    Some(result.value.to_bits())
}

/// The number with the other sign.
pub(super) fn negate(ty: FloatType, bits: u128) -> u128 {
    dispatch!(ty, negate_as(bits))
}

fn negate_as<F: Float>(bits: u128) -> u128 {
    (-F::from_bits(bits)).to_bits()
}

/// The outcome of a comparison.
pub(super) fn compare(ty: FloatType, op: CompareOp, lhs: u128, rhs: u128) -> bool {
    dispatch!(ty, compare_as(op, lhs, rhs))
}

fn compare_as<F: Float>(op: CompareOp, lhs: u128, rhs: u128) -> bool {
    let (lhs, rhs) = (F::from_bits(lhs), F::from_bits(rhs));
    match op {
        CompareOp::Eq => lhs == rhs,
        CompareOp::Ne => lhs != rhs,
        CompareOp::Lt => lhs < rhs,
        CompareOp::Le => lhs <= rhs,
        CompareOp::Gt => lhs > rhs,
        CompareOp::Ge => lhs >= rhs,
    }
}

/// Whether the number is neither +0 nor -0.
pub(super) fn is_nonzero(ty: FloatType, bits: u128) -> bool {
    dispatch!(ty, is_nonzero_as(bits))
}

fn is_nonzero_as<F: Float>(bits: u128) -> bool {
    F::from_bits(bits).is_non_zero()
}

/// An integer as a float.
pub(super) fn from_int(ty: FloatType, int: IntType, bits: u128) -> u128 {
    dispatch!(ty, from_int_as(int, bits))
}

fn from_int_as<F: Float>(int: IntType, bits: u128) -> u128 {
    let round = Round::NearestTiesToEven;
    let converted = if int.signed {
        F::from_i128_r(int.extend(bits), round)
    } else {
        F::from_u128_r(bits, round)
    };
    converted.value.to_bits()
}

/// A float truncated to an integer. One that doesn't fit becomes the nearest integer that does, and NaN becomes zero, as when gcc folds it.
pub(super) fn to_int(ty: FloatType, int: IntType, bits: u128) -> u128 {
    dispatch!(ty, to_int_as(int, bits))
}

fn to_int_as<F: Float>(int: IntType, bits: u128) -> u128 {
    let value = F::from_bits(bits);
    let width = usize::from(int.width);
    let mut exact = false;
    int.wrap(if int.signed {
        value.to_i128_r(width, Round::TowardZero, &mut exact).value as u128
    } else {
        value.to_u128_r(width, Round::TowardZero, &mut exact).value
    })
}

/// The number without its sign.
pub(super) fn abs(ty: FloatType, bits: u128) -> u128 {
    dispatch!(ty, abs_as(bits))
}

fn abs_as<F: Float>(bits: u128) -> u128 {
    F::from_bits(bits).abs().to_bits()
}

/// A float in another format.
pub(super) fn convert(from: FloatType, to: FloatType, bits: u128) -> u128 {
    dispatch!(from, convert_from(to, bits))
}

fn convert_from<F>(to: FloatType, bits: u128) -> u128
where
    F: Float
        + FloatConvert<Single>
        + FloatConvert<Double>
        + FloatConvert<X87DoubleExtended>
        + FloatConvert<Quad>,
{
    let value = F::from_bits(bits);
    let round = Round::NearestTiesToEven;
    let mut loses_info = false;
    match to {
        FloatType::F32 => {
            let result: Single = value.convert_r(round, &mut loses_info).value;
            result.to_bits()
        }
        FloatType::F64 => {
            let result: Double = value.convert_r(round, &mut loses_info).value;
            result.to_bits()
        }
        FloatType::X87 => {
            let result: X87DoubleExtended = value.convert_r(round, &mut loses_info).value;
            result.to_bits()
        }
        FloatType::F128 => {
            let result: Quad = value.convert_r(round, &mut loses_info).value;
            result.to_bits()
        }
    }
}

/// Positive infinity.
pub(super) fn infinity(ty: FloatType) -> u128 {
    dispatch!(ty, infinity_as())
}

fn infinity_as<F: Float>() -> u128 {
    F::INFINITY.to_bits()
}

/// The quiet NaN with a payload, as `__builtin_nan` gives it.
pub(super) fn nan(ty: FloatType, payload: u128) -> u128 {
    dispatch!(ty, nan_as(payload))
}

fn nan_as<F: Float>(payload: u128) -> u128 {
    F::qnan(Some(payload)).to_bits()
}
