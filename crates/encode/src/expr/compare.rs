//! Comparisons and overflow predicates.

use rhumb_logic::{Int, Node, Term};
use rhumb_program::{ArithOp, ExprId, IntType};

use super::Encoder;
use crate::values::Interval;
use crate::values::int_range;

/// A comparison with a choice between constants becomes a formula over the choice's conditions up to this depth.
const MAX_DEPTH: u32 = 6;

impl Encoder<'_> {
    /// `a <= b`.
    pub(super) fn at_most(&mut self, a: Term, b: Term) -> Term {
        let difference = self.terms.sub(a, b);
        let range = self.range(difference);
        if range.high <= Int::ZERO {
            return self.terms.bool(true);
        } else if range.low > Int::ZERO {
            return self.terms.bool(false);
        }
        self.by_choice(difference, MAX_DEPTH, &|value| *value <= Int::ZERO)
            .unwrap_or_else(|| self.terms.le(a, b))
    }

    /// `a < b`.
    pub(super) fn less(&mut self, a: Term, b: Term) -> Term {
        let not = self.at_most(b, a);
        self.terms.not(not)
    }

    /// `a = b`.
    pub(super) fn equal(&mut self, a: Term, b: Term) -> Term {
        let difference = self.terms.sub(a, b);
        if !self.range(difference).contains(&Int::ZERO) {
            return self.terms.bool(false);
        }
        self.by_choice(difference, MAX_DEPTH, &|value| value.is_zero())
            .unwrap_or_else(|| self.terms.eq(a, b))
    }

    /// What a predicate says about a term that is a choice between constants (shifted and scaled), as a formula over
    /// its conditions: the form in which C tests a truth value that went through an `int`.
    fn by_choice(&self, term: Term, depth: u32, holds: &dyn Fn(&Int) -> bool) -> Option<Term> {
        let terms = self.terms;
        if let Some(value) = terms.as_int(term) {
            return Some(terms.bool(holds(value)));
        }
        let sum = terms.as_linear(term);
        let [(part, factor)] = &*sum.parts else {
            return None;
        };
        let Node::Ite(condition, then, other) = *terms.node(*part) else {
            return None;
        };
        let depth = depth.checked_sub(1)?;
        let case = |value: Term| {
            let scaled = terms.scale(factor.clone(), value);
            let shifted = terms.add(scaled, terms.int(sum.constant.clone()));
            self.by_choice(shifted, depth, holds)
        };
        Some(terms.ite(condition, case(then)?, case(other)?))
    }

    /// Whether the exact result doesn't fit the operands' type.
    pub(super) fn overflows(&mut self, op: ArithOp, lhs: ExprId, rhs: ExprId) -> Term {
        let Some(ty) = self.program.exprs.ty(lhs).as_int() else {
            return self.terms.bool(false);
        };
        let (a, b) = (self.value(lhs), self.value(rhs));
        let terms = self.terms;
        match op {
            ArithOp::Add => self.outside(terms.add(a, b), ty),
            ArithOp::Sub => self.outside(terms.sub(a, b), ty),
            ArithOp::Mul => {
                let product = self.product(a, b);
                self.outside(product, ty)
            }
            ArithOp::Div if ty.signed => {
                let least = self.equal(a, terms.int(int_range(ty).low));
                let minus_one = self.equal(b, terms.int(-1));
                terms.and([least, minus_one])
            }
            ArithOp::Div => terms.bool(false),
            ArithOp::Shl => {
                let negative = self.less(a, terms.int(0));
                let large = self.by_amount(ty, b, |encoder, amount| {
                    let limit = int_range(ty).high >> amount as usize;
                    let fits = encoder.at_most(a, terms.int(limit));
                    let large = terms.not(fits);
                    encoder.truth_value(large)
                });
                // An amount out of range is another check's business; with it, only zero "fits".
                let amounts = Interval::new(0, i64::from(ty.width) - 1);
                let odd = if amounts.covers(&self.range(b)) {
                    terms.bool(false)
                } else {
                    let zero = self.equal(a, terms.int(0));
                    let low = self.less(b, terms.int(0));
                    let high = self.less(terms.int(amounts.high), b);
                    terms.and([terms.or([low, high]), terms.not(zero)])
                };
                let large = self.is_true(large);
                terms.or([negative, large, odd])
            }
        }
    }

    /// Whether the term lies outside the range of the type.
    fn outside(&mut self, exact: Term, ty: IntType) -> Term {
        let range = int_range(ty);
        let low = self.less(exact, self.terms.int(range.low));
        let high = self.less(self.terms.int(range.high), exact);
        self.terms.or([low, high])
    }
}
