//! The fast path: code run on integers of 128 bits, every operation checked.

use super::code::{Bits, Code, One, Part, Step, Sum, Two};

/// A number doesn't fit, or an operation has no value here or is known to the exact evaluation alone.
pub(super) struct Escaped;

/// Bit-vectors up to this width are small numbers.
pub(super) const SMALL_WIDTH: u32 = 127;

impl Code {
    /// Runs the code. The inputs are in their registers.
    pub(super) fn run(&self, registers: &mut [i128]) -> Result<(), Escaped> {
        let mut next = 0;
        while let Some(&step) = self.steps.get(next) {
            next += 1;
            let get = |register: u32| registers[register as usize];
            let (to, value) = match step {
                Step::Escape => return Err(Escaped),
                Step::Jump(end) => {
                    next = end as usize;
                    continue;
                }
                Step::Unless(test, end) => {
                    if get(test) == 0 {
                        next = end as usize;
                    }
                    continue;
                }
                Step::Decide {
                    operand,
                    value,
                    to,
                    end,
                } => {
                    if (get(operand) != 0) != value {
                        continue;
                    }
                    next = end as usize;
                    (to, i128::from(value))
                }
                Step::One(operation, to, a) => (to, one(operation, get(a))),
                Step::Two(operation, to, a, b) => {
                    (to, two(operation, get(a), get(b)).ok_or(Escaped)?)
                }
                Step::Select(to, test, a, b) => (to, if get(test) != 0 { get(a) } else { get(b) }),
                Step::Sum(operation, to, start, end) => {
                    let parts = &self.parts[start as usize..end as usize];
                    let total = sum(parts, registers).ok_or(Escaped)?;
                    let value = match operation {
                        Sum::Value => total,
                        Sum::AtMostZero => i128::from(total <= 0),
                        Sum::Zero => i128::from(total == 0),
                    };
                    (to, value)
                }
                Step::Bits(operation, width, to, a, b) => {
                    (to, bits(operation, width, get(a), get(b)))
                }
            };
            registers[to as usize] = value;
        }
        Ok(())
    }
}

#[inline]
fn sum(parts: &[Part], registers: &[i128]) -> Option<i128> {
    let mut total = 0i128;
    for part in parts {
        let value = registers[part.register as usize];
        total = match part.coefficient {
            1 => total.checked_add(value)?,
            -1 => total.checked_sub(value)?,
            factor => total.checked_add(product(factor, value)?)?,
        };
    }
    Some(total)
}

/// Nearly all factors have 64 bits: their product is one instruction and can't overflow.
#[inline]
fn product(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    }
}

#[inline]
fn one(operation: One, a: i128) -> i128 {
    let low = |shift: u32| a & ((1i128 << shift) - 1);
    match operation {
        One::Copy => a,
        One::Not => a ^ 1,
        One::DivPower(shift) => a >> shift,
        One::ModPower(shift) => low(shift),
        One::PowerDivides(shift) => i128::from(low(shift) == 0),
    }
}

#[inline]
fn two(operation: Two, a: i128, b: i128) -> Option<i128> {
    match operation {
        Two::Add => a.checked_add(b),
        Two::Sub => a.checked_sub(b),
        Two::Mul => product(a, b),
        Two::Div => match (i64::try_from(a), i64::try_from(b)) {
            (Ok(a), Ok(b)) => a.checked_div_euclid(b).map(i128::from),
            _ => None,
        }
        .or_else(|| a.checked_div_euclid(b)),
        Two::Mod => remainder(a, b),
        Two::Divides => remainder(a, b).map(|rest| i128::from(rest == 0)),
        Two::AtMost => Some(i128::from(a <= b)),
        Two::Same => Some(i128::from(a == b)),
    }
}

#[inline]
fn remainder(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => a.checked_rem_euclid(b).map(i128::from),
        _ => None,
    }
    .or_else(|| a.checked_rem_euclid(b))
}

/// Bit-vectors of at most [`SMALL_WIDTH`] bits. They have no undefined operations.
fn bits(operation: Bits, width: u32, a: i128, b: i128) -> i128 {
    let mask = (1u128 << width) - 1;
    let signed = |value: i128, width: u32| {
        let spare = u128::BITS - width;
        (value << spare) >> spare
    };
    // Where a small number stands for its low bits, that is its two's complement.
    let low = |value: i128| (value as u128 & mask) as i128;
    let shift = u32::try_from(b).ok().filter(|&shift| shift < width);
    let (first, second) = (signed(a, width), signed(b, width));
    match operation {
        Bits::Signed => first,
        Bits::FromInt => low(a),
        Bits::Neg => low(-a),
        Bits::Not => low(!a),
        // Neither sum nor difference of numbers of up to 127 bits leaves 128 bits as an unsigned number modulo 2^128.
        Bits::Add => low(a.wrapping_add(b)),
        Bits::Sub => low(a - b),
        Bits::Mul => low(a.wrapping_mul(b)),
        Bits::Udiv => a.checked_div(b).unwrap_or(mask as i128),
        Bits::Urem => a.checked_rem(b).unwrap_or(a),
        Bits::Sdiv => match (first < 0, second) {
            (true, 0) => 1,
            (false, 0) => mask as i128,
            _ => low(first / second),
        },
        Bits::Srem if second == 0 => a,
        Bits::Srem => low(first % second),
        Bits::And => a & b,
        Bits::Or => a | b,
        Bits::Xor => a ^ b,
        Bits::Shl => shift.map_or(0, |shift| low(a << shift)),
        Bits::Lshr => shift.map_or(0, |shift| a >> shift),
        Bits::Ashr => low(first >> shift.unwrap_or(width - 1)),
        Bits::Slt => i128::from(first < second),
        Bits::Sle => i128::from(first <= second),
        Bits::Extract(place) => low(a >> place),
        Bits::SignExtend(from) => low(signed(a, from)),
        Bits::Concat(behind) => (a << behind) | b,
    }
}
