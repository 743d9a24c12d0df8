//! The exact path: values of terms by the definition of their nodes, with numbers of any size.

use dashu_base::UnsignedAbs;
use rustc_hash::FxHashMap;

use crate::num::{self, Int, Rat, floor_div_mod, floor_mod};
use crate::term::{Linear, Node, Op, Sort, Symbol, Term, Terms};
use crate::value::Value;

use super::bits;

/// The values of some terms without named relations; nothing for a term whose value is not known.
pub(super) fn values(
    terms: &Terms,
    roots: &[Term],
    symbol: impl Fn(Symbol) -> Option<Value>,
) -> Vec<Option<Value>> {
    let known = table(terms, roots, symbol);
    let value = |root| known.get(root).cloned().flatten();
    roots.iter().map(value).collect()
}

/// The values of all terms below some roots without named relations, themselves included.
pub(super) fn table(
    terms: &Terms,
    roots: &[Term],
    symbol: impl Fn(Symbol) -> Option<Value>,
) -> FxHashMap<Term, Option<Value>> {
    let mut known: FxHashMap<Term, Option<Value>> = FxHashMap::default();
    let order = terms.postorder(roots.iter().copied());
    extend(&mut known, terms, &order, symbol);
    known
}

/// Adds the values of more terms, each behind its children.
pub(super) fn extend(
    known: &mut FxHashMap<Term, Option<Value>>,
    terms: &Terms,
    order: &[Term],
    symbol: impl Fn(Symbol) -> Option<Value>,
) {
    for &term in order {
        let scope = Scope { terms, known };
        let value = match terms.as_symbol(term) {
            Some(at) => symbol(at).or_else(|| Value::default_of(terms.sort(term))),
            None => scope.value(term),
        };
        known.insert(term, value);
    }
}

/// The terms whose value was computed already.
struct Scope<'a> {
    terms: &'a Terms,
    known: &'a FxHashMap<Term, Option<Value>>,
}

impl<'a> Scope<'a> {
    fn get(&self, term: Term) -> Option<&'a Value> {
        self.known.get(&term)?.as_ref()
    }

    fn truth(&self, term: Term) -> Option<bool> {
        self.get(term)?.as_bool()
    }

    fn int(&self, term: Term) -> Option<&'a Int> {
        self.get(term)?.as_int()
    }

    fn real(&self, term: Term) -> Option<&'a Rat> {
        match self.get(term)? {
            Value::Real(value) => Some(value),
            _ => None,
        }
    }

    fn sum(&self, sum: &Linear) -> Option<Int> {
        let mut total = sum.constant.clone();
        for (term, coefficient) in &sum.parts {
            total += coefficient * self.int(*term)?;
        }
        Some(total)
    }

    /// A conjunction or disjunction: what one operand decides holds even if another has no value.
    fn junction(&self, args: &[Term], decides: bool) -> Option<bool> {
        let mut all = true;
        for &arg in args {
            match self.truth(arg) {
                Some(value) if value == decides => return Some(decides),
                Some(_) => {}
                None => all = false,
            }
        }
        all.then_some(!decides)
    }

    fn value(&self, term: Term) -> Option<Value> {
        let truth = |value: Option<bool>| value.map(Value::Bool);
        match self.terms.node(term) {
            Node::Bool(value) => Some(Value::Bool(*value)),
            Node::Int(value) => Some(Value::Int(value.clone())),
            Node::Real(value) => Some(Value::Real(value.clone())),
            Node::Bits(_, value) => Some(Value::Bits(value.clone())),
            // Symbols are the business of the caller; relations were expanded; functions have no known values.
            Node::Symbol(_) | Node::Call(..) | Node::Apply(..) => None,
            Node::Not(a) => truth(self.truth(*a).map(|value| !value)),
            Node::And(args) => truth(self.junction(args, false)),
            Node::Or(args) => truth(self.junction(args, true)),
            Node::Iff(a, b) | Node::Equal(a, b) => {
                Some(Value::Bool(self.get(*a)? == self.get(*b)?))
            }
            Node::Ite(condition, then, other) => {
                let chosen = if self.truth(*condition)? { then } else { other };
                self.get(*chosen).cloned()
            }
            Node::Sum(sum) => Some(Value::Int(self.sum(sum)?)),
            Node::Product(a, b) => Some(Value::Int(self.int(*a)? * self.int(*b)?)),
            Node::Div(a, divisor) => Some(Value::Int(num::floor_div(self.int(*a)?, divisor))),
            Node::Mod(a, divisor) => Some(Value::Int(floor_mod(self.int(*a)?, divisor))),
            Node::AtMostZero(sum) => Some(Value::Bool(self.sum(sum)? <= Int::ZERO)),
            Node::Zero(sum) => Some(Value::Bool(self.sum(sum)?.is_zero())),
            Node::Divides(divisor, sum) => {
                let rest = floor_mod(&self.sum(sum)?, divisor);
                Some(Value::Bool(rest.is_zero()))
            }
            Node::Op(op, args) => self.op(*op, args),
        }
    }

    fn op(&self, op: Op, args: &[Term]) -> Option<Value> {
        let arg = |index: usize| args.get(index).copied();
        let ints = || Some((self.int(arg(0)?)?, self.int(arg(1)?)?));
        match op {
            Op::IntDiv => {
                let (a, b) = ints()?;
                euclidean(a, b).map(|(quotient, _)| Value::Int(quotient))
            }
            Op::IntMod => {
                let (a, b) = ints()?;
                euclidean(a, b).map(|(_, rest)| Value::Int(rest))
            }
            Op::ToReal => Some(Value::Real(Rat::from(self.int(arg(0)?)?.clone()))),
            Op::Floor => Some(Value::Int(num::floor(self.real(arg(0)?)?))),
            Op::RealAdd | Op::RealMul => {
                let start = if op == Op::RealAdd {
                    Rat::ZERO
                } else {
                    Rat::ONE
                };
                let value = args.iter().try_fold(start, |total, &next| {
                    let next = self.real(next)?;
                    Some(if op == Op::RealAdd {
                        total + next
                    } else {
                        total * next
                    })
                })?;
                Some(Value::Real(value))
            }
            Op::RealLe => Some(Value::Bool(self.real(arg(0)?)? <= self.real(arg(1)?)?)),
            Op::IntToBv(width) => {
                let modulus = Int::ONE << width as usize;
                let low = floor_mod(self.int(arg(0)?)?, &modulus);
                Some(Value::Bits(low.unsigned_abs()))
            }
            _ => {
                let operands: Option<Vec<bits::Operand<'_>>> = args
                    .iter()
                    .map(|&arg| match (self.terms.sort(arg), self.get(arg)?) {
                        (Sort::BitVec(width), Value::Bits(value)) => {
                            Some(bits::Operand { width, value })
                        }
                        _ => None,
                    })
                    .collect();
                bits::apply(op, &operands?)
            }
        }
    }
}

/// Quotient and remainder of SMT-LIB: the remainder is from 0 on, whatever the signs; nothing for a zero divisor.
fn euclidean(a: &Int, b: &Int) -> Option<(Int, Int)> {
    if b.is_zero() {
        return None;
    }
    let (quotient, rest) = floor_div_mod(a, b);
    if rest < Int::ZERO {
        // Only for a negative divisor.
        Some((quotient + Int::ONE, rest - b))
    } else {
        Some((quotient, rest))
    }
}
