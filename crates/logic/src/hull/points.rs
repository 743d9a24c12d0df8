//! Hulls that grow point by point: affine spaces and lattices.

use crate::budget::Budget;
use crate::domain::affine::AffineSpace;
use crate::domain::lattice::Lattice;
use crate::num::Int;
use crate::term::Term;

use super::{Abstraction, Facts, Hull, Outcome};

/// A family of sets closed under intersection in which each set is the least around finitely many points. It has no
/// infinite ascending chains.
trait Span {
    fn nothing(dimensions: usize) -> Self;
    fn everything(dimensions: usize) -> Self;
    /// Grows to the least set around the point as well.
    fn add(&mut self, point: &[Int]);
    fn facts(&self) -> Facts;
}

impl Span for AffineSpace {
    fn nothing(dimensions: usize) -> Self {
        AffineSpace::empty(dimensions)
    }

    fn everything(dimensions: usize) -> Self {
        AffineSpace::universe(dimensions)
    }

    fn add(&mut self, point: &[Int]) {
        self.add_integer_point(point);
    }

    fn facts(&self) -> Facts {
        Facts::of(self.constraints())
    }
}

impl Span for Lattice {
    fn nothing(dimensions: usize) -> Self {
        Lattice::empty(dimensions)
    }

    fn everything(dimensions: usize) -> Self {
        Lattice::universe(dimensions)
    }

    fn add(&mut self, point: &[Int]) {
        self.add_point(point);
    }

    fn facts(&self) -> Facts {
        let (congruences, constraints) = self.constraints();
        Facts {
            constraints,
            congruences,
        }
    }
}

impl Abstraction {
    /// The least affine space around the values of the terms. It takes at most one query more than its dimension plus one.
    pub fn affine(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<AffineSpace> {
        self.span(dimensions, budget)
    }

    /// The least lattice around the values of the terms: their strides, and what is linear between them.
    pub fn lattice(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<Lattice> {
        self.span(dimensions, budget)
    }

    fn span<S: Span>(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<S> {
        let hull = self.grow(dimensions, budget);
        self.trim();
        let exact = hull.is_some();
        let shape = hull.unwrap_or_else(|| S::everything(dimensions.len()));
        Hull {
            facts: shape.facts(),
            shape,
            exact,
        }
    }

    /// Adds points until no model lies outside; none if that can't be told.
    fn grow<S: Span>(&mut self, dimensions: &[Term], budget: &Budget) -> Option<S> {
        let view = self.view(dimensions);
        let mut shape = S::nothing(dimensions.len());
        for model in self.models() {
            shape.add(&view.point(&self.terms, model)?);
        }
        let mut rounds = self.options.rounds;
        loop {
            let facts = shape.facts();
            if facts.is_empty() {
                return Some(shape);
            }
            let outside = self.terms.not(facts.to_formula(&self.terms, dimensions));
            match self.query(outside, &mut rounds, budget) {
                Outcome::Model(model) => {
                    shape.add(&view.point(&self.terms, &self.models[model])?);
                }
                Outcome::Covered => return Some(shape),
                Outcome::Unknown => return None,
            }
        }
    }
}
