//! Expressions as sums of variables, as long as nothing wraps.

use std::collections::BTreeMap;

use rhumb_program::{BinOp, ExprId, ExprKind, Exprs, IntType, Sum, Term, Type, UnOp};

/// Factors that are larger are of no use.
const LARGEST: i128 = 1 << 40;

/// A number plus multiples of variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Linear {
    pub(super) constant: i128,
    pub(super) parts: BTreeMap<Term, i128>,
}

impl Linear {
    /// A term alone.
    pub(super) fn term(term: Term) -> Linear {
        Linear {
            constant: 0,
            parts: BTreeMap::from([(term, 1)]),
        }
    }

    /// What an expression of integer type is, or of a pointer, if it is a sum.
    pub(super) fn of(exprs: &Exprs, expr: ExprId) -> Option<Linear> {
        let node = &exprs[expr];
        let int = match node.ty {
            Type::Int(int) => int,
            Type::Ptr => return Linear::of_pointer(exprs, node.kind),
            Type::Bool | Type::Float(_) => return None,
        };
        match node.kind {
            ExprKind::Const(bits) => {
                let constant = int.extend(bits);
                (constant.abs() <= LARGEST).then(|| Linear {
                    constant,
                    parts: BTreeMap::new(),
                })
            }
            ExprKind::Var(var) if int.width <= 64 => Some(Linear::term(Term::Var(var))),
            ExprKind::Cast(arg) => Linear::of(exprs, arg),
            ExprKind::Unary(UnOp::Neg, arg) => Some(Linear::of(exprs, arg)?.times(-1)),
            ExprKind::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (Linear::of(exprs, lhs)?, Linear::of(exprs, rhs)?);
                match op {
                    BinOp::Add => Some(lhs.plus(&rhs)),
                    BinOp::Sub => Some(lhs.plus(&rhs.times(-1))),
                    BinOp::Mul if lhs.parts.is_empty() => Some(rhs.times(lhs.constant)),
                    BinOp::Mul if rhs.parts.is_empty() => Some(lhs.times(rhs.constant)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// An address.
    fn of_pointer(exprs: &Exprs, kind: ExprKind) -> Option<Linear> {
        match kind {
            ExprKind::Var(var) => Some(Linear::term(Term::Var(var))),
            ExprKind::PtrAdd(from, by) => {
                let by = match exprs.as_int_const(by) {
                    // Backwards is forwards by a large number.
                    Some((int, bits)) => Linear {
                        constant: IntType::signed(int.width).extend(bits),
                        parts: BTreeMap::new(),
                    },
                    None => Linear::of(exprs, by)?,
                };
                Some(Linear::of(exprs, from)?.plus(&by))
            }
            _ => None,
        }
    }

    pub(super) fn plus(&self, other: &Linear) -> Linear {
        let mut sum = self.clone();
        sum.constant = sum.constant.saturating_add(other.constant);
        for (&term, &factor) in &other.parts {
            let own = sum.parts.entry(term).or_default();
            *own = own.saturating_add(factor);
        }
        sum.parts.retain(|_, factor| *factor != 0);
        sum
    }

    pub(super) fn times(&self, factor: i128) -> Linear {
        let parts = self.parts.iter();
        let parts = parts.map(|(&term, &own)| (term, own.saturating_mul(factor)));
        Linear {
            constant: self.constant.saturating_mul(factor),
            parts: parts.filter(|part| part.1 != 0).collect(),
        }
    }

    /// The same with a term replaced.
    pub(super) fn with(&self, term: Term, value: &Linear) -> Linear {
        let Some(&factor) = self.parts.get(&term) else {
            return self.clone();
        };
        let mut rest = self.clone();
        rest.parts.remove(&term);
        rest.plus(&value.times(factor))
    }

    /// Its value where terms have these.
    pub(super) fn value(&self, values: &dyn Fn(Term) -> Option<i128>) -> Option<i128> {
        self.parts
            .iter()
            .try_fold(self.constant, |sum, (&term, factor)| {
                sum.checked_add(values(term)?.checked_mul(*factor)?)
            })
    }

    /// As a part of a measure.
    pub(super) fn sum(&self) -> Option<Sum> {
        let small = |number: i128| (number.abs() <= LARGEST).then(|| i64::try_from(number).ok())?;
        let parts = self.parts.iter();
        let parts = parts.map(|(&term, &factor)| Some((small(factor)?, term)));
        Some(Sum {
            constant: small(self.constant)?,
            parts: parts.collect::<Option<_>>()?,
        })
    }
}
