//! The integer operators of the model, exactly, as terms.
//!
//! Operands are mathematical values of the operands' types. Sums, multiples, quotients by constants, masks and shifts
//! by constants are linear arithmetic; what is not (products and quotients of variables, bits of two variables, shifts
//! by a variable) is said exactly all the same, with products, general division and bit-vectors.

use rhumb_logic::{Int, Op, Term, Terms};
use rhumb_program::{ArithOp, BinOp, IntType};

use super::bits;
use super::number::{Number, Range, power, value_of};

/// Masks with more runs of ones than this are left to bit-vectors.
const RUNS: usize = 4;

/// Shift amounts of a variable left operand are told apart up to this many; beyond, bit-vectors do it.
const AMOUNTS: u16 = 4;

/// A binary operator on two integers of one type (for a shift the second has any type). A division by zero and a shift
/// out of range may have any value: no execution goes past them.
pub(crate) fn binary(terms: &Terms, op: BinOp, ty: IntType, a: &Number, b: &Number) -> Number {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => exact(terms, op, a, b).wrap(terms, ty),
        BinOp::Rem => remainder(terms, a, b),
        BinOp::And | BinOp::Or | BinOp::Xor => bitwise(terms, op, ty, a, b),
        BinOp::Shl => shift_left(terms, ty, a, b),
        BinOp::Shr => shift_right(terms, ty, a, b),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => {
            Number::from_truth(terms, compare(terms, op, a.term, b.term))
        }
    }
}

/// An operator on truth values.
pub(crate) fn connective(terms: &Terms, op: BinOp, a: Term, b: Term) -> Term {
    match op {
        BinOp::And => terms.and([a, b]),
        BinOp::Or => terms.or([a, b]),
        BinOp::Eq => terms.iff(a, b),
        BinOp::Lt => terms.and([terms.not(a), b]),
        BinOp::Le => terms.or([terms.not(a), b]),
        // Exclusive or and "not equal": the model has no other operator on truth values.
        _ => terms.not(terms.iff(a, b)),
    }
}

/// A comparison of two numbers.
pub(crate) fn compare(terms: &Terms, op: BinOp, a: Term, b: Term) -> Term {
    match op {
        BinOp::Eq => terms.eq(a, b),
        BinOp::Ne => terms.ne(a, b),
        BinOp::Lt => terms.lt(a, b),
        _ => terms.le(a, b),
    }
}

/// Sum, difference, product or truncated quotient before it is wrapped.
pub(crate) fn exact(terms: &Terms, op: BinOp, a: &Number, b: &Number) -> Number {
    match op {
        BinOp::Add => Number {
            term: terms.add(a.term, b.term),
            range: a.range.add(&b.range),
        },
        BinOp::Sub => Number {
            term: terms.sub(a.term, b.term),
            range: a.range.sub(&b.range),
        },
        BinOp::Mul => Number {
            term: terms.mul(a.term, b.term),
            range: a.range.mul(&b.range),
        },
        _ => quotient(terms, a, b),
    }
}

/// The operator whose exact result an overflow check is about, where that is a sum, a difference or a product.
pub(crate) fn checked_operator(op: ArithOp) -> Option<BinOp> {
    match op {
        ArithOp::Add => Some(BinOp::Add),
        ArithOp::Sub => Some(BinOp::Sub),
        ArithOp::Mul => Some(BinOp::Mul),
        ArithOp::Div | ArithOp::Shl => None,
    }
}

/// The formula that the exact result doesn't fit the type of the left operand.
pub(crate) fn overflows(terms: &Terms, op: ArithOp, ty: IntType, a: &Number, b: &Number) -> Term {
    let operator = match op {
        ArithOp::Add => BinOp::Add,
        ArithOp::Sub => BinOp::Sub,
        ArithOp::Mul => BinOp::Mul,
        ArithOp::Div => return quotient_overflows(terms, ty, a, b),
        ArithOp::Shl => return shift_overflows(terms, ty, a, b),
    };
    exact(terms, operator, a, b).leaves(terms, ty)
}

/// Only `MIN / -1` does; a zero divisor doesn't count.
fn quotient_overflows(terms: &Terms, ty: IntType, a: &Number, b: &Number) -> Term {
    if !ty.signed {
        return terms.bool(false);
    }
    let least = terms.int(Range::of_int(ty).low);
    terms.and([terms.eq(a.term, least), terms.eq(b.term, terms.int(-1))])
}

fn shift_overflows(terms: &Terms, ty: IntType, a: &Number, b: &Number) -> Term {
    let greatest = Range::of_int(ty).high;
    let mut cases = vec![terms.lt(a.term, terms.int(0))];
    for amount in 0..ty.width {
        let limit = terms.int(&greatest >> usize::from(amount));
        cases.push(terms.and([terms.eq(b.term, terms.int(amount)), terms.gt(a.term, limit)]));
    }
    let out_of_range = Range::new(0, ty.width - 1).holds(terms, b.term);
    cases.push(terms.and([terms.not(out_of_range), terms.ne(a.term, terms.int(0))]));
    terms.or(cases)
}

/// The number without its sign, and whether it has one.
fn magnitude(terms: &Terms, a: &Number) -> (Number, Term) {
    if a.range.low >= Int::ZERO {
        return (a.clone(), terms.bool(false));
    }
    let negative = terms.lt(a.term, terms.int(0));
    let high = (&-&a.range.low).max(&a.range.high).clone();
    let number = Number {
        term: terms.ite(negative, terms.neg(a.term), a.term),
        range: Range::new(Int::ZERO, high.max(Int::ZERO)),
    };
    (number, negative)
}

/// The quotient, truncated towards zero.
fn quotient(terms: &Terms, a: &Number, b: &Number) -> Number {
    let (size_a, negative_a) = magnitude(terms, a);
    let (size_b, negative_b) = magnitude(terms, b);
    let quotient = match size_b.as_constant(terms) {
        Some(divisor) => terms.div(size_a.term, divisor.clone()),
        None => terms.op(Op::IntDiv, [size_a.term, size_b.term]),
    };
    let differ = terms.not(terms.iff(negative_a, negative_b));
    Number {
        term: terms.ite(differ, terms.neg(quotient), quotient),
        // By zero the solver may take any number, by anything else no quotient is larger than the dividend.
        range: size_a.range.hull(&size_a.range.neg()),
    }
}

/// The remainder with the sign of the dividend.
fn remainder(terms: &Terms, a: &Number, b: &Number) -> Number {
    let (size_a, negative_a) = magnitude(terms, a);
    let (size_b, _) = magnitude(terms, b);
    let remainder = match size_b.as_constant(terms) {
        Some(divisor) => terms.modulo(size_a.term, divisor.clone()),
        None => terms.op(Op::IntMod, [size_a.term, size_b.term]),
    };
    let term = terms.ite(negative_a, terms.neg(remainder), remainder);
    let range = match terms.as_int(term) {
        Some(value) => Range::single(value.clone()),
        None if a.range.low >= Int::ZERO => Range::new(0, a.range.high.clone()),
        None => size_a.range.hull(&size_a.range.neg()),
    };
    Number { term, range }
}

fn bitwise(terms: &Terms, op: BinOp, ty: IntType, a: &Number, b: &Number) -> Number {
    let digits = Range::new(0, 1);
    if digits.contains(&a.range) && digits.contains(&b.range) {
        let [x, y] = [a, b].map(|number| terms.ge(number.term, terms.int(1)));
        let truth = match op {
            BinOp::And => terms.and([x, y]),
            BinOp::Or => terms.or([x, y]),
            _ => terms.not(terms.iff(x, y)),
        };
        return Number::from_truth(terms, truth);
    }
    let with_mask = match (a.as_constant(terms), b.as_constant(terms)) {
        (Some(mask), _) => masked(terms, b, mask).map(|common| (b, mask, common)),
        (_, Some(mask)) => masked(terms, a, mask).map(|common| (a, mask, common)),
        _ => None,
    };
    if let Some((number, mask, common)) = with_mask {
        // The sum counts the common bits twice.
        let factor = match op {
            BinOp::And => return common,
            BinOp::Or => Int::from(1),
            _ => Int::from(2),
        };
        let sum = terms.add(number.term, terms.int(mask.clone()));
        return Number {
            term: terms.sub(sum, terms.scale(factor, common.term)),
            range: Range::of_int(ty),
        };
    }
    let op = match op {
        BinOp::And => Op::BvAnd,
        BinOp::Or => Op::BvOr,
        _ => Op::BvXor,
    };
    let width = u32::from(ty.width);
    let bits = [a, b].map(|number| terms.op(Op::IntToBv(width), [number.term]));
    from_bits(terms, ty, bits::chain(terms, op, bits))
}

/// The integer of a type with these bits.
fn from_bits(terms: &Terms, ty: IntType, bits: Term) -> Number {
    let op = match ty.signed {
        true => Op::BvToIntSigned,
        false => Op::BvToInt,
    };
    Number {
        term: terms.op(op, [bits]),
        range: Range::of_int(ty),
    }
}

/// The bits that a number has in common with a mask, both in two's complement without end; none if the mask has too many runs of ones.
fn masked(terms: &Terms, a: &Number, mask: &Int) -> Option<Number> {
    let mut rest = mask.clone();
    if a.range.low >= Int::ZERO {
        // Above the bits of the number all is zero.
        rest &= (Int::ONE << bits_of(&a.range.high)) - Int::ONE;
    }
    let mut sum = terms.int(0);
    let mut place = 0usize;
    let mut runs = 0;
    while !rest.is_zero() {
        while (&rest & Int::ONE).is_zero() {
            rest >>= 1usize;
            place += 1;
        }
        runs += 1;
        if runs > RUNS {
            return None;
        }
        let length = run_length(&rest);
        let end = length.map(|length| place + length);
        let reaches_top =
            a.range.low >= Int::ZERO && end.is_some_and(|end| bits_of(&a.range.high) <= end);
        let shifted = terms.div(a.term, Int::ONE << place);
        let piece = match length {
            Some(length) if !reaches_top => terms.modulo(shifted, Int::ONE << length),
            _ => shifted,
        };
        sum = terms.add(sum, terms.scale(Int::ONE << place, piece));
        let Some(length) = length else { break };
        rest >>= length;
        place += length;
    }
    let range = match (mask >= &Int::ZERO, a.range.low >= Int::ZERO) {
        (true, true) => Range::new(0, mask.min(&a.range.high).clone()),
        (true, false) => Range::new(0, mask.clone()),
        (false, true) => Range::new(0, a.range.high.clone()),
        (false, false) => {
            // Clearing bits of a negative number makes it smaller, but not shorter.
            let low = (&a.range.low).min(mask);
            Range::new(
                -(Int::ONE << bits_of(&(-low - Int::ONE))),
                a.range.high.clone().max(Int::ZERO),
            )
        }
    };
    Some(Number { term: sum, range })
}

/// Number of ones at the end of an odd number in two's complement; none if there is no end of them.
fn run_length(value: &Int) -> Option<usize> {
    let mut length = 0;
    let mut rest = value.clone();
    while rest != Int::NEG_ONE {
        if (&rest & Int::ONE).is_zero() {
            return Some(length);
        }
        rest >>= 1usize;
        length += 1;
    }
    None
}

/// Number of bits of a number that is not negative.
fn bits_of(value: &Int) -> usize {
    let mut bits = 0;
    let mut rest = value.clone();
    while rest > Int::ZERO {
        rest >>= 1usize;
        bits += 1;
    }
    bits
}

/// The amounts from which a shift has to choose, if they are few enough to be told apart.
fn amounts(
    terms: &Terms,
    ty: IntType,
    a: &Number,
    b: &Number,
) -> Option<std::ops::RangeInclusive<u16>> {
    let last = Int::from(ty.width - 1);
    let low = u16::try_from(b.range.low.clone().max(Int::ZERO)).unwrap_or(0);
    let high = u16::try_from(b.range.high.clone().min(last)).unwrap_or(0);
    let few = low >= high || high - low < AMOUNTS || a.as_constant(terms).is_some();
    // Where no amount is in range, any value will do.
    few.then_some(low..=high.max(low))
}

/// The last of the numbers, unless the amount is that of an earlier one.
fn choose(terms: &Terms, amount: &Number, cases: Vec<(u16, Number)>) -> Number {
    let chosen = cases.into_iter().rev().reduce(|other, (place, number)| {
        let is_it = terms.eq(amount.term, terms.int(place));
        let number = Number {
            term: terms.ite(is_it, number.term, other.1.term),
            range: number.range.hull(&other.1.range),
        };
        (place, number)
    });
    match chosen {
        Some((_, number)) => number,
        None => Number::constant(terms, Int::ZERO),
    }
}

fn shift_left(terms: &Terms, ty: IntType, a: &Number, b: &Number) -> Number {
    if let Some(amounts) = amounts(terms, ty, a, b) {
        let cases = amounts.map(|amount| {
            let factor = Number::constant(terms, power(amount));
            (amount, exact(terms, BinOp::Mul, a, &factor).wrap(terms, ty))
        });
        return choose(terms, b, cases.collect());
    }
    shifted_bits(terms, Op::BvShl, ty, a, b)
}

fn shift_right(terms: &Terms, ty: IntType, a: &Number, b: &Number) -> Number {
    if let Some(amounts) = amounts(terms, ty, a, b) {
        let cases = amounts.map(|amount| {
            let by = usize::from(amount);
            let number = Number {
                term: terms.div(a.term, power(amount)),
                range: Range::new(&a.range.low >> by, &a.range.high >> by),
            };
            (amount, number)
        });
        return choose(terms, b, cases.collect());
    }
    let op = match ty.signed {
        true => Op::BvAshr,
        false => Op::BvLshr,
    };
    shifted_bits(terms, op, ty, a, b)
}

fn shifted_bits(terms: &Terms, op: Op, ty: IntType, a: &Number, b: &Number) -> Number {
    let width = u32::from(ty.width);
    let bits = [a, b].map(|number| terms.op(Op::IntToBv(width), [number.term]));
    from_bits(terms, ty, terms.op(op, bits))
}

/// Complement of every bit.
pub(crate) fn complement(terms: &Terms, ty: IntType, a: &Number) -> Number {
    let top = match ty.signed {
        true => Int::NEG_ONE,
        false => power(ty.width) - Int::ONE,
    };
    Number {
        term: terms.sub(terms.int(top.clone()), a.term),
        range: Range::single(top).sub(&a.range),
    }
}

/// Negation, wrapped.
pub(crate) fn negate(terms: &Terms, ty: IntType, a: &Number) -> Number {
    let negated = Number {
        term: terms.neg(a.term),
        range: a.range.neg(),
    };
    negated.wrap(terms, ty)
}

/// A constant of an integer type, by its bits.
pub(crate) fn constant(terms: &Terms, ty: IntType, bits: u128) -> Number {
    Number::constant(terms, value_of(ty, bits))
}
