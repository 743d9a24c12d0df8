//! Floating-point constants: the exact semantics of [`eval`](crate::interp::eval), operation by operation.
//!
//! Comparisons, signs and truncation are exact in any direction of rounding. What is rounded is evaluated where the
//! program never leaves round-to-nearest; and a NaN that is computed is left alone, since C leaves its pattern open.

use super::Known;
use crate::expr::{BinOp, UnOp};
use crate::interp::eval;
use crate::types::{IntType, Type};

/// A binary operator on floats of a type; `nearest`: whether arithmetic rounds to nearest.
pub(super) fn binary(op: BinOp, ty: Type, first: Known, second: Known, nearest: bool) -> Known {
    let (Known::Bits(a), Known::Bits(b)) = (first, second) else {
        return Known::Nothing;
    };
    match (op, eval::binary(op, ty, a, ty, b)) {
        (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, Ok(truth)) => Known::Bits(truth),
        (_, Ok(bits)) if nearest => number(ty, bits),
        _ => Known::Nothing,
    }
}

/// The other sign.
pub(super) fn unary(op: UnOp, ty: Type, bits: u128) -> Known {
    eval::unary(op, ty, bits).map_or(Known::Nothing, Known::Bits)
}

/// A conversion from or to a floating-point type.
pub(super) fn cast(from: Type, to: Type, bits: u128, nearest: bool) -> Known {
    match (to, eval::cast(from, to, bits)) {
        (Type::Float(_), Ok(bits)) if nearest => number(to, bits),
        (Type::Int(_), Ok(bits)) => Known::Bits(bits),
        _ => Known::Nothing,
    }
}

/// Whether a truncated value is outside a type.
pub(super) fn cast_overflows(to: IntType, from: Type, arg: Known) -> Known {
    let Known::Bits(bits) = arg else {
        return Known::Nothing;
    };
    eval::cast_overflows(to, from, bits).map_or(Known::Nothing, Known::truth)
}

fn number(ty: Type, bits: u128) -> Known {
    match eval::binary(BinOp::Eq, ty, bits, ty, bits) {
        Ok(1) => Known::Bits(bits),
        _ => Known::Nothing,
    }
}
