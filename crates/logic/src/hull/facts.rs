//! What is known of a point, and the formula that says it of terms.

use crate::domain::lattice::Congruence;
use crate::domain::{Constraint, Kind};
use crate::num::Int;
use crate::term::{Linear, Term, Terms};

/// Constraints and congruences that all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Equalities and inequalities.
    pub constraints: Vec<Constraint>,
    /// Congruences.
    pub congruences: Vec<Congruence>,
}

impl Facts {
    /// That the constraints hold.
    pub(super) fn of(constraints: Vec<Constraint>) -> Facts {
        Facts {
            constraints,
            congruences: Vec::new(),
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty() && self.congruences.is_empty()
    }

    /// That the facts hold of the values of the terms, one per dimension.
    ///
    /// # Panics
    /// If a fact is of another dimension.
    pub fn to_formula(&self, terms: &Terms, dimensions: &[Term]) -> Term {
        let constraints = self.constraints.iter();
        let congruences = self.congruences.iter().map(|congruence| {
            let constant = -&congruence.residue;
            let sum = combination(terms, dimensions, &congruence.coefficients, constant);
            terms.divides_linear(&congruence.modulus, &sum)
        });
        let constraints = constraints.map(|constraint| statement(terms, dimensions, constraint));
        terms.and(constraints.chain(congruences))
    }
}

/// That the constraint holds of the values of the terms.
pub(super) fn statement(terms: &Terms, dimensions: &[Term], constraint: &Constraint) -> Term {
    let sum = left_side(terms, dimensions, constraint);
    match constraint.kind() {
        Kind::Eq => terms.zero(&sum),
        Kind::Ge => terms.at_most_zero(&sum.times(&Int::NEG_ONE)),
    }
}

/// The form that a constraint compares with zero.
pub(super) fn left_side(terms: &Terms, dimensions: &[Term], constraint: &Constraint) -> Linear {
    let constant = constraint.constant().clone();
    combination(terms, dimensions, constraint.coefficients(), constant)
}

/// A combination of the terms.
pub(super) fn combination(
    terms: &Terms,
    dimensions: &[Term],
    coefficients: &[Int],
    constant: Int,
) -> Linear {
    assert_eq!(dimensions.len(), coefficients.len(), "dimensions differ");
    let parts = coefficients.iter().zip(dimensions);
    let parts = parts.filter(|(coefficient, _)| !coefficient.is_zero());
    Linear::combine(
        constant,
        parts.map(|(coefficient, &term)| (coefficient, terms.as_linear(term))),
    )
}
