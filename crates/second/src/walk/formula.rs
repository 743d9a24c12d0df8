//! Formulas of the proof, at the end of a stretch.

use dashu_int::IBig;
use rhumb_program::{BinOp, IntType, UnOp};
use rustc_hash::FxHashMap;

use super::values::{Stretch, Values};
use crate::certificate::{Expression, Name, Operator, Part, Sort as Given};
use crate::pool::{Id, Pool, Sort};
use crate::unfold::Var;

/// What the names of a certificate are: variables of the program, or quantified.
pub(crate) struct Names {
    pub(crate) vars: Vec<Option<Var>>,
    pub(crate) sorts: Vec<Given>,
}

/// An expression of the proof with the values that variables have at the end of a stretch, and given values for other names. A name
/// without a value stands for anything: the same wherever it occurs in a region.
pub(crate) fn instance(
    expression: &Expression,
    names: &Names,
    given: &FxHashMap<Name, Id>,
    values: &mut Values<'_, '_>,
    at: Stretch,
) -> Id {
    let mut ids: Vec<Id> = Vec::with_capacity(expression.parts.len());
    for (part, _) in &expression.parts {
        let id = match part {
            Part::Bool(value) => values.pool.bool(*value),
            Part::Int(value) => values.pool.int(value.clone()),
            Part::Bits(width, bits) => values.pool.word(IntType::unsigned(*width), *bits),
            Part::Name(name) => match (given.get(name), names.vars[*name]) {
                (Some(&value), _) => value,
                (None, Some(var)) => {
                    let value = values.get(at, var);
                    values.pool.value(value)
                }
                (None, None) if values.unfolded.memory.distances.contains_key(name) => {
                    let (var, base) = values.unfolded.memory.distances[name];
                    let value = values.get(at, var);
                    let value = values.pool.value(value);
                    let base = values.pool.int(-IBig::from(base));
                    values.pool.sum(&[value, base])
                }
                (None, None) => {
                    let sort = sort(names.sorts[*name]);
                    let Values { free, pool, .. } = values;
                    *free.entry(*name).or_insert_with(|| pool.fresh(sort))
                }
            },
            Part::Apply(operator, args) => {
                let args: Vec<Id> = args.iter().map(|&arg| ids[arg]).collect();
                apply(&mut values.pool, *operator, &args)
            }
        };
        ids.push(id);
    }
    ids[expression.root]
}

/// The sort of a name.
pub(crate) fn sort(given: Given) -> Sort {
    match given {
        Given::Bool => Sort::Bool,
        Given::Int => Sort::Int,
        Given::Bits(width) => Sort::Word(IntType::unsigned(width)),
    }
}

/// An operator on arguments whose sorts fit: the reader has seen to that.
fn apply(pool: &mut Pool, operator: Operator, args: &[Id]) -> Id {
    let signed = |pool: &mut Pool, a: Id| {
        let width = pool.word_type(a).width;
        pool.cast(a, IntType::signed(width))
    };
    let unsigned = |pool: &mut Pool, a: Id, width: u16| pool.cast(a, IntType::unsigned(width));
    let width = |pool: &Pool, a: Id| pool.word_type(a).width;
    match (operator, args) {
        (Operator::Not, &[a]) => pool.not(a),
        (Operator::And, _) => pool.and(args.iter().copied()),
        (Operator::Or, _) => pool.or(args.iter().copied()),
        (Operator::Implies, &[a, b]) => {
            let a = pool.not(a);
            pool.or([a, b])
        }
        (Operator::Equal, &[a, b]) => pool.same(a, b),
        (Operator::Xor | Operator::Distinct, &[a, b]) => {
            let same = pool.same(a, b);
            pool.not(same)
        }
        (Operator::Ite, &[a, b, c]) => pool.ite(a, b, c),
        (Operator::Add, _) => pool.sum(args),
        (Operator::Subtract, &[a]) => pool.negative(a),
        (Operator::Subtract, &[first, ref rest @ ..]) => {
            let mut parts = vec![first];
            parts.extend(rest.iter().map(|&part| pool.negative(part)));
            pool.sum(&parts)
        }
        (Operator::Multiply, &[a, b]) => pool.product(a, b),
        (Operator::Div, &[a, b]) => pool.div(a, b),
        (Operator::Mod, &[a, b]) => pool.modulo(a, b),
        (Operator::AtMost, &[a, b]) | (Operator::AtLeast, &[b, a]) => pool.at_most(a, b),
        // Whole numbers: a < b is not b <= a.
        (Operator::Below, &[a, b]) | (Operator::Above, &[b, a]) => {
            let at_least = pool.at_most(b, a);
            pool.not(at_least)
        }
        (Operator::Unsigned, &[a]) => pool.value(a),
        (Operator::Signed, &[a]) => {
            let a = signed(pool, a);
            pool.value(a)
        }
        (Operator::ToBits(width), &[a]) => pool.reduced(a, width),
        (Operator::Extract(high, low), &[a]) => {
            let amount = pool.word(pool.word_type(a), u128::from(low));
            let shifted = match low {
                0 => a,
                _ => pool.binary(BinOp::Shr, a, amount),
            };
            unsigned(pool, shifted, high - low + 1)
        }
        (Operator::ZeroExtend(by), &[a]) => {
            let wide = width(pool, a) + by;
            unsigned(pool, a, wide)
        }
        (Operator::SignExtend(by), &[a]) => {
            let wide = width(pool, a) + by;
            let a = signed(pool, a);
            unsigned(pool, a, wide)
        }
        (Operator::Concat, &[a, b]) => {
            let low = width(pool, b);
            let wide = width(pool, a) + low;
            let (a, b) = (unsigned(pool, a, wide), unsigned(pool, b, wide));
            let amount = pool.word(IntType::unsigned(wide), u128::from(low));
            let a = pool.binary(BinOp::Shl, a, amount);
            pool.binary(BinOp::Or, a, b)
        }
        (Operator::BvNeg, &[a]) => pool.unary(UnOp::Neg, a),
        (Operator::BvNot, &[a]) => pool.unary(UnOp::BitNot, a),
        (Operator::BvUlt, &[a, b]) => pool.less(false, a, b),
        (Operator::BvUle, &[a, b]) => pool.less(true, a, b),
        (Operator::BvSlt | Operator::BvSle, &[a, b]) => {
            let (a, b) = (signed(pool, a), signed(pool, b));
            pool.less(operator == Operator::BvSle, a, b)
        }
        (Operator::BvSdiv | Operator::BvSrem | Operator::BvAshr, &[a, b]) => {
            let width = width(pool, a);
            let op = match operator {
                Operator::BvSdiv => BinOp::Div,
                Operator::BvSrem => BinOp::Rem,
                _ => BinOp::Shr,
            };
            let a = signed(pool, a);
            // The amount of a shift has no sign.
            let b = match op {
                BinOp::Shr => b,
                _ => signed(pool, b),
            };
            let result = pool.binary(op, a, b);
            unsigned(pool, result, width)
        }
        (_, &[a, b]) => {
            let op = match operator {
                Operator::BvAdd => BinOp::Add,
                Operator::BvSub => BinOp::Sub,
                Operator::BvMul => BinOp::Mul,
                Operator::BvUdiv => BinOp::Div,
                Operator::BvUrem => BinOp::Rem,
                Operator::BvAnd => BinOp::And,
                Operator::BvOr => BinOp::Or,
                Operator::BvXor => BinOp::Xor,
                Operator::BvShl => BinOp::Shl,
                _ => BinOp::Shr,
            };
            pool.binary(op, a, b)
        }
        // The reader lets nothing else through.
        _ => pool.int(IBig::ZERO),
    }
}
