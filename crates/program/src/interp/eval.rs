//! The meaning of the model's pure operators on bit patterns, one value at a time.
//!
//! This is the reference: the machine's fast instructions agree with it, and passes that fold constants use it, so that
//! there is one meaning only. Operators on pointers need memory and are not here.

use std::cmp::Ordering;

use rustc_apfloat::Round;

use super::arith;
use super::float::{self, FloatOp};
use super::math;
use crate::builtin::Builtin;
use crate::expr::{ArithOp, BinOp, UnOp};
use crate::types::{FloatType, IntType, Type};

/// Why an operator has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// Division or remainder by zero.
    DivisionByZero,
    /// A shift amount that is negative or not less than the width.
    ShiftAmount,
    /// A floating-point value outside the integer type.
    FloatToInt,
    /// Which of two NaNs the result is depends on how the operation is compiled.
    OpenNan,
    /// The operator is not defined on operands of these types (pointers, or an ill-typed expression).
    Type,
}

/// A unary operator on a value of type `ty`; the result has the same type.
pub fn unary(op: UnOp, ty: Type, bits: u128) -> Result<u128, NoValue> {
    match (op, ty) {
        (UnOp::Not, Type::Bool) => Ok(bits ^ 1),
        (UnOp::BitNot, Type::Int(int)) => Ok(int.wrap(!bits)),
        (UnOp::Neg, Type::Int(int)) => Ok(int.wrap(bits.wrapping_neg())),
        (UnOp::Neg, Type::Float(ty)) => Ok(float::negate(ty, bits)),
        _ => Err(NoValue::Type),
    }
}

/// A binary operator. Both operands have type `ty`, except the right one of a shift, which is `rhs_ty`.
/// A comparison gives 0 or 1, everything else a value of type `ty`.
///
/// Floats are rounded to nearest.
pub fn binary(op: BinOp, ty: Type, lhs: u128, rhs_ty: Type, rhs: u128) -> Result<u128, NoValue> {
    binary_rounded(op, ty, lhs, rhs_ty, rhs, Round::NearestTiesToEven)
}

/// The same, in a direction of rounding.
pub(super) fn binary_rounded(
    op: BinOp,
    ty: Type,
    lhs: u128,
    rhs_ty: Type,
    rhs: u128,
    round: Round,
) -> Result<u128, NoValue> {
    match ty {
        Type::Bool => boolean(op, lhs, rhs),
        Type::Int(int) => match op {
            BinOp::Shl | BinOp::Shr => {
                let amount_ty = rhs_ty.as_int().ok_or(NoValue::Type)?;
                let amount =
                    arith::shift_amount(int, amount_ty, rhs).ok_or(NoValue::ShiftAmount)?;
                Ok(if op == BinOp::Shl {
                    arith::shift_left(int, lhs, amount)
                } else {
                    arith::shift_right(int, lhs, amount)
                })
            }
            BinOp::Eq => Ok((lhs == rhs).into()),
            BinOp::Ne => Ok((lhs != rhs).into()),
            BinOp::Lt => Ok(arith::less(int, lhs, rhs).into()),
            BinOp::Le => Ok((!arith::less(int, rhs, lhs)).into()),
            _ => arith::binary(op, int, lhs, rhs).ok_or(NoValue::DivisionByZero),
        },
        Type::Float(ty) => {
            let order = || float::compare(ty, lhs, rhs);
            let arithmetic = |op| match float::is_open(op, ty, lhs, rhs) {
                true => Err(NoValue::OpenNan),
                false => Ok(float::binary(op, ty, lhs, rhs, round)),
            };
            match op {
                BinOp::Add => arithmetic(FloatOp::Add),
                BinOp::Sub => arithmetic(FloatOp::Sub),
                BinOp::Mul => arithmetic(FloatOp::Mul),
                BinOp::Div => arithmetic(FloatOp::Div),
                BinOp::Eq => Ok((order() == Some(Ordering::Equal)).into()),
                BinOp::Ne => Ok((order() != Some(Ordering::Equal)).into()),
                BinOp::Lt => Ok((order() == Some(Ordering::Less)).into()),
                BinOp::Le => Ok(order().is_some_and(Ordering::is_le).into()),
                _ => Err(NoValue::Type),
            }
        }
        Type::Ptr => Err(NoValue::Type),
    }
}

fn boolean(op: BinOp, lhs: u128, rhs: u128) -> Result<u128, NoValue> {
    match op {
        BinOp::And => Ok(lhs & rhs),
        BinOp::Or => Ok(lhs | rhs),
        BinOp::Xor => Ok(lhs ^ rhs),
        BinOp::Eq => Ok((lhs == rhs).into()),
        BinOp::Ne => Ok((lhs != rhs).into()),
        BinOp::Lt => Ok((lhs < rhs).into()),
        BinOp::Le => Ok((lhs <= rhs).into()),
        _ => Err(NoValue::Type),
    }
}

/// Whether the exact result doesn't fit the left operand's integer type.
pub fn overflows(
    op: ArithOp,
    ty: Type,
    lhs: u128,
    rhs_ty: Type,
    rhs: u128,
) -> Result<bool, NoValue> {
    match (ty, rhs_ty) {
        (Type::Int(ty), Type::Int(rhs_ty)) => Ok(arith::overflows(op, ty, lhs, rhs_ty, rhs)),
        _ => Err(NoValue::Type),
    }
}

/// A conversion, as [`Exprs::cast`](crate::Exprs::cast) lists them (those from and to pointers excepted).
///
/// Floats are rounded to nearest.
pub fn cast(from: Type, to: Type, bits: u128) -> Result<u128, NoValue> {
    cast_rounded(from, to, bits, Round::NearestTiesToEven)
}

/// The same, in a direction of rounding.
pub(super) fn cast_rounded(
    from: Type,
    to: Type,
    bits: u128,
    round: Round,
) -> Result<u128, NoValue> {
    const BOOL: IntType = IntType::unsigned(1);
    match (from, to) {
        _ if from == to => Ok(bits),
        (Type::Bool, Type::Int(to)) => Ok(arith::convert(BOOL, to, bits)),
        (Type::Bool, Type::Float(to)) => Ok(float::from_int(to, BOOL, bits, round)),
        (Type::Int(from), Type::Int(to)) => Ok(arith::convert(from, to, bits)),
        (Type::Int(from), Type::Float(to)) => Ok(float::from_int(to, from, bits, round)),
        (Type::Float(from), Type::Int(to)) => {
            float::to_int(from, bits, to).ok_or(NoValue::FloatToInt)
        }
        (Type::Float(from), Type::Float(to)) => Ok(float::convert_rounded(from, to, bits, round)),
        _ => Err(NoValue::Type),
    }
}

/// The result of a library function that is arithmetic on floats, rounded to nearest; none if it is no such function of
/// so many arguments, or C leaves its result open.
pub fn library(builtin: Builtin, args: &[u128]) -> Option<u128> {
    match (builtin, args) {
        (Builtin::Math(function, ty), &[bits]) => {
            Some(math::unary(function, ty, bits, float::NEAREST))
        }
        (Builtin::Math2(function, ty), &[lhs, rhs]) => {
            let is_open = math::zero_is_open(function, ty, lhs, rhs);
            (!is_open).then(|| math::binary(function, ty, lhs, rhs))
        }
        (Builtin::Classify(function, ty), &[bits]) => {
            Some(u128::from(math::classify(function, ty, bits) as u32))
        }
        _ => None,
    }
}

/// Whether a floating-point number is neither infinite nor NaN.
pub fn is_finite(ty: FloatType, bits: u128) -> bool {
    !matches!(
        float::classify(ty, bits),
        float::Class::Nan | float::Class::Infinite
    )
}

/// Whether the truncated value of a float doesn't fit the integer type.
pub fn cast_overflows(to: IntType, from: Type, bits: u128) -> Result<bool, NoValue> {
    match from {
        Type::Float(from) => Ok(float::to_int(from, bits, to).is_none()),
        _ => Err(NoValue::Type),
    }
}
