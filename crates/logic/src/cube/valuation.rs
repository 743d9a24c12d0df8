//! Values of all terms of a formula under one assignment.

use rustc_hash::FxHashMap;

use crate::num::{Int, Rat, floor_div, floor_mod};
use crate::term::{Linear, Node, Sort, Symbol, Term, Terms};
use crate::value::{Assignment, Value};

/// The value of every term below some roots; a term without one can't be evaluated (an array, an uninterpreted function).
///
/// Connectives are evaluated as far as what is known decides them, so a formula can be true although a part of it has no value.
#[derive(Debug, Default)]
pub(crate) struct Valuation {
    values: FxHashMap<Term, Option<Value>>,
}

impl Valuation {
    /// Evaluates terms that are given with all that lies below them, children first.
    pub(crate) fn new(terms: &Terms, order: &[Term], model: &Assignment) -> Valuation {
        let mut valuation = Valuation::default();
        valuation.values.reserve(order.len());
        for &term in order {
            let value = valuation.evaluate(terms, term, model);
            valuation.values.insert(term, value);
        }
        valuation
    }

    /// The truth value of a formula.
    pub(crate) fn truth(&self, term: Term) -> Option<bool> {
        self.value(term)?.as_bool()
    }

    /// The value of a term of sort `Int`.
    pub(crate) fn int(&self, term: Term) -> Option<&Int> {
        self.value(term)?.as_int()
    }

    /// The value of a term.
    pub(crate) fn value(&self, term: Term) -> Option<&Value> {
        self.values.get(&term)?.as_ref()
    }

    fn sum(&self, sum: &Linear) -> Option<Int> {
        let mut total = sum.constant.clone();
        for (term, coefficient) in &sum.parts {
            total += coefficient * self.int(*term)?;
        }
        Some(total)
    }

    /// A junction: `absorbing` decides it wherever it occurs.
    fn junction(&self, args: &[Term], absorbing: bool) -> Option<bool> {
        let mut known = true;
        for &arg in args {
            match self.truth(arg) {
                Some(value) if value == absorbing => return Some(absorbing),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(!absorbing)
    }

    fn evaluate(&self, terms: &Terms, term: Term, model: &Assignment) -> Option<Value> {
        let truth = Value::Bool;
        match terms.node(term) {
            Node::Bool(value) => Some(truth(*value)),
            Node::Int(value) => Some(Value::Int(value.clone())),
            Node::Real(value) => Some(Value::Real(value.clone())),
            Node::Bits(_, value) => Some(Value::Bits(value.clone())),
            Node::Symbol(symbol) => symbol_value(terms, *symbol, model),
            Node::Not(a) => self.truth(*a).map(|value| truth(!value)),
            Node::And(args) => self.junction(args, false).map(truth),
            Node::Or(args) => self.junction(args, true).map(truth),
            Node::Iff(a, b) => Some(truth(self.truth(*a)? == self.truth(*b)?)),
            Node::Ite(condition, a, b) => {
                let chosen = if self.truth(*condition)? { a } else { b };
                self.value(*chosen).cloned()
            }
            Node::Sum(sum) => self.sum(sum).map(Value::Int),
            Node::Product(a, b) => Some(Value::Int(self.int(*a)? * self.int(*b)?)),
            Node::Div(a, by) => Some(Value::Int(floor_div(self.int(*a)?, by))),
            Node::Mod(a, by) => Some(Value::Int(floor_mod(self.int(*a)?, by))),
            Node::AtMostZero(sum) => Some(truth(self.sum(sum)? <= Int::ZERO)),
            Node::Zero(sum) => Some(truth(self.sum(sum)?.is_zero())),
            Node::Divides(by, sum) => Some(truth(floor_mod(&self.sum(sum)?, by).is_zero())),
            Node::Equal(a, b) => Some(truth(self.value(*a)? == self.value(*b)?)),
            Node::Apply(..) | Node::Call(..) | Node::Op(..) => None,
        }
    }
}

/// The value of a symbol; one that the assignment lacks has the default of its sort.
pub(crate) fn symbol_value(terms: &Terms, symbol: Symbol, model: &Assignment) -> Option<Value> {
    if let Some(value) = model.get(&symbol) {
        return Some(value.clone());
    }
    match terms.symbol_info(symbol).sort {
        Sort::Bool => Some(Value::Bool(false)),
        Sort::Int => Some(Value::Int(Int::ZERO)),
        Sort::Real => Some(Value::Real(Rat::ZERO)),
        Sort::BitVec(_) => Some(Value::Bits(dashu_int::UBig::ZERO)),
        Sort::Float(..) | Sort::Array(_) => None,
    }
}
