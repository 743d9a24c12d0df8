//! Signs of variables, and affine equalities between them: what the prototype of the paper on GPS knows of loop heads.

use rhumb_logic::domain::affine::AffineSpace;
use rhumb_logic::domain::interval::{Interval, IntervalBox};
use rhumb_logic::domain::{Constraint, TooLarge};
use rhumb_logic::hull::{Abstraction, Facts};
use rhumb_logic::num::Int;
use rhumb_logic::{Budget, Term};

use super::Shape;

/// Points whose coordinates have some signs and satisfy some equalities.
#[derive(Clone)]
pub(super) struct Signed {
    /// A side ends at -1, 0 or 1, or nowhere.
    signs: IntervalBox,
    equalities: AffineSpace,
}

impl Shape for Signed {
    const DIMENSIONS: usize = 40;

    fn universe(dimensions: usize) -> Signed {
        Signed {
            signs: IntervalBox::universe(dimensions),
            equalities: AffineSpace::universe(dimensions),
        }
    }

    fn hull(of: &mut Abstraction, terms: &[Term], budget: &Budget) -> Signed {
        let equalities = of.affine(terms, budget).shape;
        let sides = terms.iter().map(|&term| sign(of, term, budget));
        Signed {
            signs: IntervalBox::new(sides.collect()),
            equalities,
        }
    }

    fn is_nothing(&self) -> Result<bool, TooLarge> {
        Ok(self.equalities.is_empty() || self.signs.is_empty())
    }

    fn around(&self, other: &Signed) -> Result<Signed, TooLarge> {
        Ok(Signed {
            signs: self.signs.join(&other.signs),
            equalities: self.equalities.join(&other.equalities),
        })
    }

    /// Signs and directions are soon used up.
    fn widened(&self, next: &Signed, _: &[Constraint]) -> Result<Signed, TooLarge> {
        self.around(next)
    }

    /// Nothing was given away that could be taken back.
    fn narrowed(&self, _: &Signed) -> Result<Signed, TooLarge> {
        Ok(self.clone())
    }

    fn contains(&self, other: &Signed) -> Result<bool, TooLarge> {
        Ok(self.signs.includes(&other.signs) && self.equalities.includes(&other.equalities))
    }

    fn facts(&self) -> Result<Facts, TooLarge> {
        let mut constraints = self.equalities.constraints();
        constraints.extend(self.signs.constraints());
        Ok(Facts {
            constraints,
            congruences: Vec::new(),
        })
    }
}

/// The signs that a term can have, as far as they are an interval.
fn sign(of: &mut Abstraction, term: Term, budget: &Budget) -> Interval {
    let terms = of.terms().clone();
    let zero = terms.int(0);
    let mut can = |sign: Term| {
        of.push(sign);
        let is_possible = !of.affine(&[], budget).shape.is_empty();
        of.pop();
        is_possible
    };
    let below = can(terms.lt(term, zero));
    let at = can(terms.eq(term, zero));
    let above = can(terms.gt(term, zero));
    let end = |is_passed: bool, beyond: Int| match (is_passed, at) {
        (true, _) => None,
        (false, true) => Some(Int::ZERO),
        (false, false) => Some(beyond),
    };
    Interval::new(end(below, Int::ONE), end(above, Int::NEG_ONE))
}
