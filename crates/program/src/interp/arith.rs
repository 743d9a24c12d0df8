//! Integer arithmetic, exact to the bit, for every width from 1 to 128.
//!
//! Operands and results are bit patterns as [`IntType`] defines them: `u128` whose bits above the width are zero. These functions are the
//! meaning of the model's integer operators; the machine has faster code for the common widths and falls back to them for the rest.

use crate::expr::{ArithOp, BinOp};
use crate::types::IntType;

/// `lhs op rhs` for an operator whose operands have one type and whose result is an integer of that type.
/// `None` for a division by zero, and for operators that are not of this kind.
pub(super) fn binary(op: BinOp, ty: IntType, lhs: u128, rhs: u128) -> Option<u128> {
    Some(ty.wrap(match op {
        BinOp::Add => lhs.wrapping_add(rhs),
        BinOp::Sub => lhs.wrapping_sub(rhs),
        BinOp::Mul => lhs.wrapping_mul(rhs),
        BinOp::Div | BinOp::Rem if rhs == 0 => return None,
        BinOp::Div if ty.signed => ty.extend(lhs).wrapping_div(ty.extend(rhs)) as u128,
        BinOp::Div => lhs / rhs,
        BinOp::Rem if ty.signed => ty.extend(lhs).wrapping_rem(ty.extend(rhs)) as u128,
        BinOp::Rem => lhs % rhs,
        BinOp::And => lhs & rhs,
        BinOp::Or => lhs | rhs,
        BinOp::Xor => lhs ^ rhs,
        BinOp::Shl | BinOp::Shr | BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => return None,
    }))
}

/// The amount of a shift of a value of type `ty`, if it is in range.
pub(super) fn shift_amount(ty: IntType, amount_ty: IntType, amount: u128) -> Option<u32> {
    (!amount_ty.is_negative(amount) && amount < u128::from(ty.width)).then_some(amount as u32)
}

/// `lhs << amount`, wrapped; the amount is in range.
pub(super) fn shift_left(ty: IntType, lhs: u128, amount: u32) -> u128 {
    ty.wrap(lhs << amount)
}

/// `lhs >> amount`, arithmetic for signed types; the amount is in range.
pub(super) fn shift_right(ty: IntType, lhs: u128, amount: u32) -> u128 {
    if ty.signed {
        ty.wrap((ty.extend(lhs) >> amount) as u128)
    } else {
        lhs >> amount
    }
}

/// Whether `lhs < rhs` by the type's signedness.
pub(super) fn less(ty: IntType, lhs: u128, rhs: u128) -> bool {
    if ty.signed {
        ty.extend(lhs) < ty.extend(rhs)
    } else {
        lhs < rhs
    }
}

/// Whether the exact result of the operation doesn't fit the type of the left operand. Only a shift has a right operand of another type.
pub(super) fn overflows(op: ArithOp, ty: IntType, lhs: u128, rhs_ty: IntType, rhs: u128) -> bool {
    if ty.signed {
        let (a, b) = (ty.extend(lhs), rhs_ty.extend(rhs));
        let fits = |result: Option<i128>| result.is_some_and(|value| ty.contains(value));
        match op {
            ArithOp::Add => !fits(a.checked_add(b)),
            ArithOp::Sub => !fits(a.checked_sub(b)),
            ArithOp::Mul => !fits(a.checked_mul(b)),
            ArithOp::Div => b != 0 && !fits(a.checked_div(b)),
            ArithOp::Shl => a < 0 || shift_overflows(ty, lhs, rhs_ty, rhs),
        }
    } else {
        let fits = |result: Option<u128>| result.is_some_and(|value| value <= ty.mask());
        match op {
            ArithOp::Add => !fits(lhs.checked_add(rhs)),
            ArithOp::Sub => !fits(lhs.checked_sub(rhs)),
            ArithOp::Mul => !fits(lhs.checked_mul(rhs)),
            ArithOp::Div => false,
            ArithOp::Shl => shift_overflows(ty, lhs, rhs_ty, rhs),
        }
    }
}

/// Whether `lhs * 2^rhs` is greater than the type's greatest value, for a left operand that is not negative.
fn shift_overflows(ty: IntType, lhs: u128, rhs_ty: IntType, rhs: u128) -> bool {
    match shift_amount(ty, rhs_ty, rhs) {
        Some(amount) => lhs > ty.max_bits() >> amount,
        None => lhs != 0,
    }
}

/// Conversion between integer types: the value modulo 2 to the width of the new type.
pub(super) fn convert(from: IntType, to: IntType, bits: u128) -> u128 {
    to.wrap(from.extend(bits) as u128)
}
