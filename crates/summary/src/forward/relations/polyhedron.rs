//! Polyhedra: inequalities with coefficients.

use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::domain::{Constraint, DomainLimits, TooLarge};
use rhumb_logic::hull::{Abstraction, Facts};
use rhumb_logic::{Budget, Term};

use super::Shape;

const LIMITS: DomainLimits = DomainLimits {
    rows: 400,
    work: 50_000_000,
    bits: 256,
};

impl Shape for Polyhedron {
    const DIMENSIONS: usize = 8;

    fn universe(dimensions: usize) -> Polyhedron {
        Polyhedron::universe(dimensions)
    }

    fn hull(of: &mut Abstraction, terms: &[Term], budget: &Budget) -> Polyhedron {
        of.convex(terms, budget).shape
    }

    fn is_nothing(&self) -> Result<bool, TooLarge> {
        self.is_empty(&LIMITS)
    }

    fn around(&self, other: &Polyhedron) -> Result<Polyhedron, TooLarge> {
        self.join(other, &LIMITS)
    }

    fn widened(
        &self,
        next: &Polyhedron,
        thresholds: &[Constraint],
    ) -> Result<Polyhedron, TooLarge> {
        let joined = self.join(next, &LIMITS)?;
        self.widen_up_to(&joined, thresholds, &LIMITS)
    }

    fn narrowed(&self, other: &Polyhedron) -> Result<Polyhedron, TooLarge> {
        self.meet(other, &LIMITS)
    }

    fn contains(&self, other: &Polyhedron) -> Result<bool, TooLarge> {
        self.includes(other, &LIMITS)
    }

    fn facts(&self) -> Result<Facts, TooLarge> {
        Ok(Facts {
            constraints: self.constraints(&LIMITS)?,
            congruences: Vec::new(),
        })
    }
}
