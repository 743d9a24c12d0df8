//! Masks, shifts and bitwise operators.
//!
//! A mask is a sum of runs of ones, and the bits `l..h` of `x` are worth `x mod 2^h - x mod 2^l`, for negative numbers
//! in two's complement as well. `or` and `xor` with a mask follow from `and`: `x | m = x + m - (x & m)`, `x ^ m = x + m -
//! 2 (x & m)`. Two terms whose values have few bits are combined bit by bit; others become operations on bit-vectors,
//! which are exact for the solver and opaque to linear arithmetic.

use rhumb_logic::{Int, Op, Term};
use rhumb_program::{BinOp, IntType};

use super::Encoder;
use crate::ranges::op_range;
use crate::values::Interval;
use crate::values::{int_range, power};

/// Values of up to this many bits are combined bit by bit.
const MAX_BITS: usize = 8;

impl Encoder<'_> {
    /// `a & b`, `a | b` or `a ^ b`.
    pub(super) fn bitwise(&mut self, op: BinOp, ty: IntType, a: Term, b: Term) -> Term {
        let terms = self.terms;
        if a == b {
            return if op == BinOp::Xor { terms.int(0) } else { a };
        }
        let masked = match (terms.as_int(a), terms.as_int(b)) {
            (_, Some(mask)) => Some((a, b, mask)),
            (Some(mask), _) => Some((b, a, mask)),
            _ => None,
        };
        if let Some((value, mask, number)) = masked {
            let both = self.masked(ty, value, number);
            return self.beside_and(op, value, mask, both);
        }
        let (a_range, b_range) = (self.range(a), self.range(b));
        let small = Interval::new(Int::ZERO, power(MAX_BITS as u32) - Int::ONE);
        if small.covers(&a_range) && small.covers(&b_range) {
            let high = a_range.high.max(b_range.high);
            let width = (1..=MAX_BITS).find(|&width| high < Int::ONE << width);
            return self.bit_by_bit(op, a, b, width.unwrap_or(MAX_BITS));
        }
        let vector = |term| terms.op(Op::IntToBv(ty.width.into()), [term]);
        let and = terms.op(Op::BvAnd, [vector(a), vector(b)]);
        let back = if ty.signed {
            Op::BvToIntSigned
        } else {
            Op::BvToInt
        };
        let both = terms.op(back, [and]);
        let whole = op_range(back, ty.width.into());
        self.ranges.define(both, whole.clone());
        // The result has no bit that a non-negative operand doesn't have.
        let range = [a_range, b_range].iter().fold(whole, |range, operand| {
            if operand.low < Int::ZERO {
                return range;
            }
            range.meet(&Interval::new(Int::ZERO, operand.high.clone()))
        });
        self.learn(both, &range);
        self.beside_and(op, a, b, both)
    }

    /// The operator's result from that of `and`.
    fn beside_and(&mut self, op: BinOp, a: Term, b: Term, both: Term) -> Term {
        let terms = self.terms;
        match op {
            BinOp::And => both,
            BinOp::Or => terms.sub(terms.add(a, b), both),
            _ => terms.sub(terms.add(a, b), terms.scale(2, both)),
        }
    }

    /// `value & mask`.
    fn masked(&mut self, ty: IntType, value: Term, mask: &Int) -> Term {
        let width = usize::from(ty.width);
        // In two's complement the sign of a negative mask goes on for ever.
        let bit = |place: usize| -> bool {
            let place = if ty.signed {
                place.min(width - 1)
            } else {
                place
            };
            let shifted = mask >> place;
            shifted.clone() >> 1usize << 1usize != shifted
        };
        let terms = self.terms;
        let mut total = terms.int(0);
        let mut place = 0;
        while place < width {
            if !bit(place) {
                place += 1;
                continue;
            }
            let from = place;
            while place < width && bit(place) {
                place += 1;
            }
            let upper = if place == width && ty.signed {
                value
            } else {
                self.low_bits(value, place)
            };
            let lower = self.low_bits(value, from);
            total = terms.add(total, terms.sub(upper, lower));
        }
        total
    }

    /// `value mod 2^count`.
    fn low_bits(&mut self, value: Term, count: usize) -> Term {
        if count == 0 {
            return self.terms.int(0);
        }
        let to = Interval::new(Int::ZERO, (Int::ONE << count) - Int::ONE);
        self.reduce_to(value, &to)
    }

    /// The operator on two values from 0 on with few bits.
    fn bit_by_bit(&mut self, op: BinOp, a: Term, b: Term, width: usize) -> Term {
        let terms = self.terms;
        let mut both = terms.int(0);
        for place in 0..width {
            let mut bit = |term: Term| {
                let shifted = terms.div(term, Int::ONE << place);
                let range = self.range(shifted);
                if Interval::new(0, 1).covers(&range) {
                    shifted
                } else {
                    terms.modulo(shifted, 2)
                }
            };
            let (a, b) = (bit(a), bit(b));
            let and = terms.ite(terms.ge(a, terms.int(1)), b, terms.int(0));
            both = terms.add(both, terms.scale(Int::ONE << place, and));
        }
        self.learn(both, &op_range(Op::BvToInt, width as u32));
        self.beside_and(op, a, b, both)
    }

    /// `a << b`, reduced to the type.
    pub(super) fn shift_left(&mut self, ty: IntType, a: Term, b: Term) -> Term {
        self.by_amount(ty, b, |encoder, amount| {
            let shifted = encoder.doubled(a, amount);
            encoder.reduce(shifted, ty)
        })
    }

    /// `a >> b`, arithmetic for signed types: division that rounds down.
    pub(super) fn shift_right(&mut self, ty: IntType, a: Term, b: Term) -> Term {
        self.by_amount(ty, b, |encoder, amount| encoder.terms.div(a, power(amount)))
    }

    /// A function of the amount of a shift, for each amount that is in range and possible; out of range it doesn't matter.
    pub(super) fn by_amount(
        &mut self,
        ty: IntType,
        amount: Term,
        mut f: impl FnMut(&mut Self, u32) -> Term,
    ) -> Term {
        let allowed = Interval::new(0, i64::from(ty.width) - 1);
        let range = allowed.meet(&self.range(amount));
        // Both lie below the width.
        let bound = |value: &Int| u32::try_from(value).unwrap_or(0);
        let (low, high) = (bound(&range.low), bound(&range.high));
        let mut result = f(self, high);
        for value in (low..high).rev() {
            let case = f(self, value);
            let here = self.terms.le(amount, self.terms.int(value));
            result = self.terms.ite(here, case, result);
        }
        let whole = int_range(ty);
        self.learn(result, &whole);
        result
    }
}
