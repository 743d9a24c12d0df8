//! Lattices: equalities, and congruences of sums.

use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::{Constraint, TooLarge};
use rhumb_logic::hull::{Abstraction, Facts};
use rhumb_logic::{Budget, Term};

use super::Shape;

impl Shape for Lattice {
    const DIMENSIONS: usize = 40;

    fn universe(dimensions: usize) -> Lattice {
        Lattice::universe(dimensions)
    }

    fn hull(of: &mut Abstraction, terms: &[Term], budget: &Budget) -> Lattice {
        of.lattice(terms, budget).shape
    }

    fn is_nothing(&self) -> Result<bool, TooLarge> {
        Ok(self.is_empty())
    }

    fn around(&self, other: &Lattice) -> Result<Lattice, TooLarge> {
        Ok(self.join(other))
    }

    /// A lattice can only grow so often: every time it gets a direction, or its cells get smaller by a factor.
    fn widened(&self, next: &Lattice, _: &[Constraint]) -> Result<Lattice, TooLarge> {
        Ok(self.join(next))
    }

    /// Nothing was given away that could be taken back.
    fn narrowed(&self, _: &Lattice) -> Result<Lattice, TooLarge> {
        Ok(self.clone())
    }

    fn contains(&self, other: &Lattice) -> Result<bool, TooLarge> {
        Ok(self.includes(other))
    }

    fn facts(&self) -> Result<Facts, TooLarge> {
        let (congruences, constraints) = self.constraints();
        Ok(Facts {
            constraints,
            congruences,
        })
    }
}
