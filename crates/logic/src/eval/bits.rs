//! Bit-vector operations on unsigned values of any width, as SMT-LIB defines them.

use dashu_base::{Signed, UnsignedAbs};
use dashu_int::UBig;

use crate::num::{Int, floor_mod};
use crate::term::Op;
use crate::value::Value;

/// A bit-vector.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) width: u32,
    pub(super) value: &'a UBig,
}

impl Operand<'_> {
    fn signed(self) -> Int {
        let value = Int::from(self.value.clone());
        if *self.value >= half(self.width) {
            value - Int::from(power(self.width))
        } else {
            value
        }
    }

    /// The value as a number of places to shift by, if something is left after such a shift.
    fn places(self) -> Option<usize> {
        usize::try_from(self.value)
            .ok()
            .filter(|&places| places < self.width as usize)
    }
}

fn power(width: u32) -> UBig {
    UBig::ONE << width as usize
}

fn half(width: u32) -> UBig {
    UBig::ONE << (width as usize).saturating_sub(1)
}

fn mask(width: u32) -> UBig {
    power(width) - UBig::ONE
}

/// The low bits of an integer.
fn low(value: &Int, width: u32) -> UBig {
    floor_mod(value, &Int::from(power(width))).unsigned_abs()
}

/// The result of an operation on bit-vectors; nothing for other operations, or for the wrong number of operands.
pub(super) fn apply(op: Op, operands: &[Operand<'_>]) -> Option<Value> {
    match *operands {
        [a] => unary(op, a),
        [a, b] => binary(op, a, b),
        _ => None,
    }
}

fn unary(op: Op, a: Operand<'_>) -> Option<Value> {
    let value = match op {
        Op::BvToInt => return Some(Value::Int(Int::from(a.value.clone()))),
        Op::BvToIntSigned => return Some(Value::Int(a.signed())),
        Op::BvNeg => (power(a.width) - a.value) & mask(a.width),
        Op::BvNot => mask(a.width) - a.value,
        Op::BvExtract(high, from) => {
            let width = high.checked_sub(from)?.checked_add(1)?;
            (a.value >> from as usize) & mask(width)
        }
        Op::BvZeroExtend(_) => a.value.clone(),
        Op::BvSignExtend(by) => low(&a.signed(), a.width.checked_add(by)?),
        _ => return None,
    };
    Some(Value::Bits(value))
}

fn binary(op: Op, a: Operand<'_>, b: Operand<'_>) -> Option<Value> {
    let width = a.width;
    if op == Op::BvConcat {
        return Some(Value::Bits((a.value << b.width as usize) | b.value));
    }
    if width != b.width {
        return None;
    }
    let value = match op {
        Op::BvUlt => return Some(Value::Bool(a.value < b.value)),
        Op::BvUle => return Some(Value::Bool(a.value <= b.value)),
        Op::BvSlt => return Some(Value::Bool(a.signed() < b.signed())),
        Op::BvSle => return Some(Value::Bool(a.signed() <= b.signed())),
        Op::BvAdd => (a.value + b.value) & mask(width),
        Op::BvSub => (power(width) + a.value - b.value) & mask(width),
        Op::BvMul => (a.value * b.value) & mask(width),
        Op::BvUdiv if b.value.is_zero() => mask(width),
        Op::BvUdiv => a.value / b.value,
        Op::BvUrem if b.value.is_zero() => a.value.clone(),
        Op::BvUrem => a.value % b.value,
        Op::BvSdiv if b.value.is_zero() => {
            if a.signed().is_negative() {
                UBig::ONE
            } else {
                mask(width)
            }
        }
        Op::BvSdiv => low(&(a.signed() / b.signed()), width),
        Op::BvSrem if b.value.is_zero() => a.value.clone(),
        Op::BvSrem => low(&(a.signed() % b.signed()), width),
        Op::BvAnd => a.value & b.value,
        Op::BvOr => a.value | b.value,
        Op::BvXor => a.value ^ b.value,
        Op::BvShl => b
            .places()
            .map_or(UBig::ZERO, |places| (a.value << places) & mask(width)),
        Op::BvLshr => b.places().map_or(UBig::ZERO, |places| a.value >> places),
        Op::BvAshr => {
            let places = b.places().unwrap_or((width as usize).saturating_sub(1));
            let divisor = Int::ONE << places;
            low(&crate::num::floor_div(&a.signed(), &divisor), width)
        }
        _ => return None,
    };
    Some(Value::Bits(value))
}
