//! Implicants: a conjunction of literals that holds in a model and implies a formula.
//!
//! A model makes most of a formula irrelevant: one disjunct is enough of a true disjunction, one branch of an `ite`.
//! The cube of what is left is what projection, hulls and interpolation compute with. It is found in one walk over the
//! graph, and it is kept small: of several disjuncts the cheapest is taken, one that is already in the cube costs
//! nothing, and literals that others imply are dropped.

mod extract;
mod reduce;
mod valuation;

use crate::term::{Term, Terms};
use crate::value::Assignment;

pub(crate) use extract::{Region, mentioning};
pub use reduce::reduce;
pub(crate) use valuation::Valuation;

/// Literals of a formula whose conjunction holds in the model and implies the formula; none if the model doesn't satisfy it, or if
/// that can't be seen (its truth depends on an array or an uninterpreted function).
///
/// A literal is a linear inequality, an equation, a congruence, a symbol, an atom of another theory, or the negation of
/// one of these. No `ite` is left in it: the model chose the branch, and the condition is in the cube.
///
/// ```
/// use rhumb_logic::{Assignment, Sort, Terms, Value, Int, cube::implicant};
/// let terms = Terms::new();
/// let x = terms.symbol("x", Sort::Int);
/// let v = terms.var(x);
/// let absolute = terms.ite(terms.ge(v, terms.int(0)), v, terms.neg(v));
/// let model = Assignment::from_iter([(x, Value::Int(Int::from(-7)))]);
/// let cube = implicant(&terms, terms.gt(absolute, terms.int(3)), &model).unwrap();
/// assert_eq!(cube, [terms.lt(v, terms.int(-3))]);
/// ```
pub fn implicant(terms: &Terms, formula: Term, model: &Assignment) -> Option<Vec<Term>> {
    Region::everything(terms, formula)
        .implicant(terms, model)
        .map(|literals| reduce(terms, literals))
}
