//! Integer arithmetic, and the reduction of exact results to the range of a type.

use rhumb_logic::num::floor_div;
use rhumb_logic::{Int, Node, Op, Term, Terms};
use rhumb_program::{ArithOp, BinOp, ExprId, IntType};

use super::Encoder;
use crate::values::Interval;
use crate::values::{int_range, power};

/// Up to this many multiples of the modulus are told apart by case distinction instead of by a remainder.
const MAX_CASES: u32 = 3;

impl Encoder<'_> {
    /// A binary operator on integers of one type.
    pub(super) fn int_binary(&mut self, op: BinOp, ty: IntType, lhs: ExprId, rhs: ExprId) -> Term {
        let (a, b) = (self.value(lhs), self.value(rhs));
        match op {
            BinOp::Add => self.checked(ArithOp::Add, ty, a, b, |terms| terms.add(a, b)),
            BinOp::Sub => self.checked(ArithOp::Sub, ty, a, b, |terms| terms.sub(a, b)),
            BinOp::Mul => {
                let product = self.product(a, b);
                self.checked(ArithOp::Mul, ty, a, b, |_| product)
            }
            BinOp::Div => {
                let quotient = self.quotient(a, b);
                self.checked(ArithOp::Div, ty, a, b, |_| quotient)
            }
            BinOp::Rem => self.remainder(a, b),
            BinOp::And | BinOp::Or | BinOp::Xor => self.bitwise(op, ty, a, b),
            BinOp::Shl => self.shift_left(ty, a, b),
            BinOp::Shr => self.shift_right(ty, a, b),
            // Comparisons are of type `Bool`.
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => self.terms.int(0),
        }
    }

    /// The result of an operation, reduced to the type unless a check that was passed says that it fits.
    pub(super) fn checked(
        &mut self,
        op: ArithOp,
        ty: IntType,
        a: Term,
        b: Term,
        exact: impl FnOnce(&Terms) -> Term,
    ) -> Term {
        let exact = exact(self.terms);
        let at = self.at;
        let (facts, known) = self.known();
        if ty.signed && facts.is_fitting(&known, at, op, a, b) {
            return exact;
        }
        self.reduce(exact, ty)
    }

    /// The value of the type that is congruent modulo 2^width.
    pub(super) fn reduce(&mut self, exact: Term, ty: IntType) -> Term {
        self.reduce_to(exact, &int_range(ty))
    }

    /// The value in the interval that is congruent modulo the interval's length.
    pub(super) fn reduce_to(&mut self, exact: Term, to: &Interval) -> Term {
        let modulus = to.len();
        let range = self.range(exact);
        let first = floor_div(&(&range.low - &to.low), &modulus);
        let last = floor_div(&(&range.high - &to.low), &modulus);
        let terms = self.terms;
        let less = |excess: &Int| terms.sub(exact, terms.int(excess * &modulus));
        if &last - &first >= Int::from(MAX_CASES) {
            let low = terms.int(to.low.clone());
            return terms.add(terms.modulo(terms.sub(exact, low), modulus), low);
        }
        let mut result = less(&last);
        let mut excess = last;
        while excess > first {
            excess -= Int::ONE;
            let limit = &to.high + &excess * &modulus;
            let fits = terms.le(exact, terms.int(limit));
            result = terms.ite(fits, less(&excess), result);
        }
        self.learn(result, to);
        result
    }

    /// The product, linear where one side has two values or fewer.
    pub(super) fn product(&mut self, a: Term, b: Term) -> Term {
        let terms = self.terms;
        for (chosen, other) in [(a, b), (b, a)] {
            if let Node::Ite(condition, then, otherwise) = *terms.node(chosen)
                && terms.as_int(then).is_some()
                && terms.as_int(otherwise).is_some()
            {
                return terms.ite(
                    condition,
                    terms.mul(then, other),
                    terms.mul(otherwise, other),
                );
            }
            if self.range(chosen) == Interval::new(0, 1) && terms.as_int(other).is_none() {
                let one = terms.ge(chosen, terms.int(1));
                return terms.ite(one, other, terms.int(0));
            }
        }
        terms.mul(a, b)
    }

    /// The quotient, truncated towards zero, not reduced.
    fn quotient(&mut self, a: Term, b: Term) -> Term {
        let result = self.by_sign(a, b, |terms, a, divisor| match divisor {
            Divisor::Constant(divisor) => terms.div(a, divisor.clone()),
            Divisor::Term(b) => terms.op(Op::IntDiv, [a, *b]),
        });
        let (a, b) = (self.range(a), self.range(b));
        // It is never further from zero than the dividend.
        let size = a.size();
        let positive = a.low >= Int::ZERO && b.low >= Int::ZERO;
        let low = if positive { Int::ZERO } else { -&size };
        self.learn(result, &Interval::new(low, size));
        result
    }

    /// The remainder, with the sign of the dividend.
    fn remainder(&mut self, a: Term, b: Term) -> Term {
        // It doesn't depend on the sign of the divisor.
        let b = match self.terms.as_int(b) {
            Some(divisor) if *divisor < Int::ZERO => self.terms.neg(b),
            _ => b,
        };
        let result = self.by_sign(a, b, |terms, a, divisor| match divisor {
            Divisor::Constant(divisor) => terms.modulo(a, divisor.clone()),
            Divisor::Term(b) => terms.op(Op::IntMod, [a, *b]),
        });
        let (a, b) = (self.range(a), self.range(b));
        let size = (b.size() - Int::ONE).min(a.size()).max(Int::ZERO);
        let low = if a.low >= Int::ZERO {
            Int::ZERO
        } else {
            -&size
        };
        let high = if a.high <= Int::ZERO { Int::ZERO } else { size };
        self.learn(result, &Interval::new(low, high));
        result
    }

    /// `f(a)` if `a` is not negative, else `-f(-a)`: C's division in terms of one that is only used for dividends from
    /// 0 on, where truncating is rounding down for positive divisors and SMT-LIB's division for all.
    fn by_sign(&mut self, a: Term, b: Term, f: impl Fn(&Terms, Term, &Divisor) -> Term) -> Term {
        let terms = self.terms;
        let (divisor, negative_divisor) = match terms.as_int(b) {
            // The edge is never taken: a check stands before it.
            Some(divisor) if divisor.is_zero() => return terms.int(0),
            Some(divisor) if *divisor < Int::ZERO => (Divisor::Constant(-divisor), true),
            Some(divisor) => (Divisor::Constant(divisor.clone()), false),
            None => {
                // Whoever evaluates the term where it doesn't matter must not stumble over a zero.
                let safe = if self.ranges.of(terms, b).contains(&Int::ZERO) {
                    terms.ite(terms.eq(b, terms.int(0)), terms.int(1), b)
                } else {
                    b
                };
                (Divisor::Term(safe), false)
            }
        };
        // What holds of the part everywhere: SMT-LIB's quotient and remainder are no further from zero than the larger operand.
        let size = self
            .ranges
            .of(terms, a)
            .size()
            .max(self.ranges.of(terms, b).size());
        let part = |encoder: &mut Self, a: Term| {
            let result = f(terms, a, &divisor);
            if let Divisor::Term(_) = divisor {
                encoder
                    .ranges
                    .define(result, Interval::new(-&size, size.clone()));
            }
            result
        };
        let range = self.range(a);
        let result = if range.low >= Int::ZERO {
            part(self, a)
        } else {
            let inner = part(self, terms.neg(a));
            let negative = terms.neg(inner);
            if range.high <= Int::ZERO {
                negative
            } else {
                terms.ite(terms.ge(a, terms.int(0)), part(self, a), negative)
            }
        };
        if negative_divisor {
            terms.neg(result)
        } else {
            result
        }
    }

    /// Multiplication by a power of two.
    pub(super) fn doubled(&self, a: Term, times: u32) -> Term {
        self.terms.scale(power(times), a)
    }
}

/// What is divided by.
enum Divisor {
    /// A positive integer.
    Constant(Int),
    /// A term that is not zero.
    Term(Term),
}
