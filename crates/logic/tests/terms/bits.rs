//! Bit-vectors.

use super::*;

/// Bit-vectors of 8 bits: every operation on every pair of corner values against the machine's own arithmetic, and both
/// paths against each other.
#[test]
fn bit_vectors_behave_like_the_machine() {
    let scope = Scope::new(0, 0);
    let terms = &scope.terms;
    let (a, b) = (
        terms.symbol("a", Sort::BitVec(8)),
        terms.symbol("b", Sort::BitVec(8)),
    );
    type Meaning = fn(u8, u8) -> u8;
    let operations: [(Op, Meaning); 15] = [
        (Op::BvAdd, u8::wrapping_add),
        (Op::BvSub, u8::wrapping_sub),
        (Op::BvMul, u8::wrapping_mul),
        (Op::BvUdiv, |a, b| a.checked_div(b).unwrap_or(u8::MAX)),
        (Op::BvUrem, |a, b| a.checked_rem(b).unwrap_or(a)),
        (Op::BvSdiv, |a, b| match (a as i8, b as i8) {
            (a, 0) => {
                if a < 0 {
                    1
                } else {
                    u8::MAX
                }
            }
            (a, b) => a.wrapping_div(b) as u8,
        }),
        (Op::BvSrem, |a, b| match (a as i8, b as i8) {
            (a, 0) => a as u8,
            (a, b) => a.wrapping_rem(b) as u8,
        }),
        (Op::BvAnd, |a, b| a & b),
        (Op::BvOr, |a, b| a | b),
        (Op::BvXor, |a, b| a ^ b),
        (Op::BvShl, |a, b| a.checked_shl(b.into()).unwrap_or(0)),
        (Op::BvLshr, |a, b| a.checked_shr(b.into()).unwrap_or(0)),
        (Op::BvAshr, |a, b| ((a as i8) >> b.min(7)) as u8),
        (Op::BvNeg, |a, _| a.wrapping_neg()),
        (Op::BvNot, |a, _| !a),
    ];
    type Relation = fn(u8, u8) -> bool;
    let relations: [(Op, Relation); 4] = [
        (Op::BvUlt, |a, b| a < b),
        (Op::BvUle, |a, b| a <= b),
        (Op::BvSlt, |a, b| (a as i8) < (b as i8)),
        (Op::BvSle, |a, b| (a as i8) <= (b as i8)),
    ];
    let args = |op: Op| -> Vec<Term> {
        match op {
            Op::BvNeg | Op::BvNot => vec![terms.var(a)],
            _ => vec![terms.var(a), terms.var(b)],
        }
    };
    let mut outputs: Vec<Term> = (operations.iter().map(|o| o.0))
        .chain(relations.iter().map(|o| o.0))
        .map(|op| terms.op(op, args(op)))
        .collect();
    let one = |op: Op| terms.op(op, [terms.var(a)].as_slice());
    outputs.extend([
        one(Op::BvToInt),
        one(Op::BvToIntSigned),
        one(Op::BvExtract(5, 2)),
        one(Op::BvZeroExtend(3)),
        one(Op::BvSignExtend(3)),
        terms.op(Op::BvConcat, [terms.var(a), terms.var(b)].as_slice()),
        terms.op(
            Op::IntToBv(5),
            [terms.sub(one(Op::BvToInt), terms.int(100))].as_slice(),
        ),
    ]);
    let evaluator = Evaluator::new(terms, &[a, b], &outputs);
    let mut frame = evaluator.frame();
    for x in 0..=u8::MAX {
        for y in (0..=u8::MAX).filter(|y| *y < 12 || *y > 250 || (125..131).contains(y)) {
            let mut expected: Vec<Option<Value>> = Vec::new();
            expected.extend(operations.iter().map(|o| Some(bits(o.1(x, y).into()))));
            expected.extend(relations.iter().map(|o| Some(Value::Bool(o.1(x, y)))));
            let int = |value: i32| Some(Value::Int(Int::from(value)));
            expected.extend([
                int(x.into()),
                int((x as i8).into()),
                Some(bits(((x >> 2) & 15).into())),
                Some(bits(x.into())),
                Some(bits(u128::from(i16::from(x as i8) as u16 & 0x7ff))),
                Some(bits(u128::from(x) << 8 | u128::from(y))),
                Some(bits((i32::from(x) - 100).rem_euclid(32) as u128)),
            ]);
            let inputs = [bits(x.into()), bits(y.into())];
            assert_eq!(evaluator.eval(&mut frame, &inputs), expected, "{x} {y}");
            assert!(evaluator.small(&mut frame, &[x.into(), y.into()]).is_some());
            let at = Assignment::from_iter([a, b].into_iter().zip(inputs));
            assert_eq!(evaluate_all(terms, &outputs, &at), expected, "{x} {y}");
        }
    }
}

/// Widths of 127 bits (the fast path's last), 128 and 200 agree with arithmetic on integers.
#[test]
fn wide_bit_vectors_are_exact() {
    let scope = Scope::new(0, 0);
    let terms = &scope.terms;
    let mut random = Random(5);
    for width in [1u32, 63, 64, 126, 127, 128, 129, 200] {
        let (a, b) = (
            terms.symbol("a", Sort::BitVec(width)),
            terms.symbol("b", Sort::BitVec(width)),
        );
        let pair = [terms.var(a), terms.var(b)];
        let outputs = [Op::BvAdd, Op::BvSub, Op::BvMul, Op::BvSdiv, Op::BvSlt]
            .map(|op| terms.op(op, pair.as_slice()));
        let evaluator = Evaluator::new(terms, &[a, b], &outputs);
        let mut frame = evaluator.frame();
        let modulus = Int::ONE << width as usize;
        for _ in 0..60 {
            let mut value = || {
                let near = Int::ONE << random.below(width as usize + 1);
                rhumb_logic::num::floor_mod(&(near + Int::from(random.between(-2, 2))), &modulus)
            };
            let (x, y) = (value(), value());
            let signed = |n: &Int| {
                if n * Int::from(2) >= modulus {
                    n - &modulus
                } else {
                    n.clone()
                }
            };
            let (s, t) = (signed(&x), signed(&y));
            let quotient = match (t.is_zero(), s < Int::ZERO) {
                (true, true) => Int::ONE,
                (true, false) => Int::NEG_ONE,
                _ => &s / &t,
            };
            let as_bits = |n: Int| {
                let low = rhumb_logic::num::floor_mod(&n, &modulus);
                Value::Bits(UBig::try_from(low).expect("not negative"))
            };
            let expected = [
                Some(as_bits(&x + &y)),
                Some(as_bits(&x - &y)),
                Some(as_bits(&x * &y)),
                Some(as_bits(quotient)),
                Some(Value::Bool(s < t)),
            ];
            let inputs = [as_bits(x), as_bits(y)];
            assert_eq!(evaluator.eval(&mut frame, &inputs), expected, "{width}");
        }
    }
}
