//! Values of all terms of a formula under one assignment.

use rustc_hash::FxHashMap;

use crate::eval;
use crate::num::Int;
use crate::term::{Term, Terms};
use crate::value::{Assignment, Value};

/// The value of every term below some roots; a term without one can't be evaluated (an array, an uninterpreted function).
///
/// Connectives are evaluated as far as what is known decides them, so a formula can be true although a part of it has no value.
#[derive(Debug)]
pub(crate) struct Valuation {
    values: FxHashMap<Term, Option<Value>>,
}

impl Valuation {
    /// Evaluates terms without named relations, and all that lies below them.
    pub(crate) fn new(terms: &Terms, roots: &[Term], model: &Assignment) -> Valuation {
        Valuation {
            values: eval::table(terms, roots, model),
        }
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
}
