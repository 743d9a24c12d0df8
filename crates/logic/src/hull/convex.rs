//! Closed convex hulls.

use crate::budget::Budget;
use crate::domain::polyhedron::{Generator, Polyhedron};
use crate::domain::{Constraint, DomainLimits, Kind, LinearForm, TooLarge};
use crate::num::Int;
use crate::term::Term;

use super::extreme::Extreme;
use super::facts::{combination, left_side, statement};
use super::integral::outwards;
use super::view::View;
use super::{Abstraction, Facts, Hull, Outcome};

/// So many models are joined as they come. Where each brings but a little, it is better to look for those that bring
/// most: a counter that can grow by any amount up to a hundred would take as many models.
const PLAIN_JOINS: usize = 4;

/// So many queries look for a model that brings more.
const STRIDES: usize = 24;

/// A hull in the making.
struct Growing {
    shape: Polyhedron,
    /// Whether all cubes so far were linear.
    is_linear: bool,
}

/// Why a hull is not finished.
pub(super) struct GivenUp;

impl From<TooLarge> for GivenUp {
    fn from(_: TooLarge) -> GivenUp {
        GivenUp
    }
}

impl Abstraction {
    /// The least closed polyhedron around the values of the terms: the closure of their convex hull.
    ///
    /// The cubes of the formula are joined one after the other, each projected to the terms over the rationals and
    /// rounded to what integers can reach; then the result is cut down to the integers. Without
    /// [`Options::integral`](super::Options::integral) it is not cut, and may contain more: but nothing outside of the
    /// convex hull of the rational solutions of the cubes.
    ///
    /// Where a part of the formula is not linear, or cutting is given up, each inequality is still one that a model
    /// attains. Where the join is given up, the result is what can be shown then: the affine hull, the intervals, and
    /// those inequalities of the unfinished hull that hold.
    pub fn convex(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<Polyhedron> {
        let view = self.view(dimensions);
        let mut growing = Growing {
            shape: Polyhedron::empty(dimensions.len()),
            is_linear: true,
        };
        let finished = self
            .join_cubes(&view, &mut growing, budget)
            .and_then(|()| self.refined(&view, &growing, budget));
        let hull = finished.unwrap_or_else(|GivenUp| self.salvaged(&view, &growing, budget));
        self.trim();
        hull
    }

    /// Joins cubes until no model lies outside.
    fn join_cubes(
        &mut self,
        view: &View,
        growing: &mut Growing,
        budget: &Budget,
    ) -> Result<(), GivenUp> {
        let limits = self.options.limits;
        let mut rounds = self.options.rounds;
        for place in 0..self.live().len() {
            if let Some(&model) = self.live().get(place) {
                self.join(view, growing, model)?;
            }
            if budget.is_spent() {
                return Err(GivenUp);
            }
        }
        let mut joins = 0;
        loop {
            let facts = Facts::of(growing.shape.constraints(&limits)?);
            if facts.is_empty() {
                return Ok(());
            }
            let inside = facts.to_formula(&self.terms, &view.dimensions);
            match self.query(self.terms.not(inside), &mut rounds, budget) {
                Outcome::Model(model) => {
                    joins += 1;
                    if joins > PLAIN_JOINS {
                        self.go_on(view, &facts, model, budget);
                    }
                    for model in model..self.models.len() {
                        self.join(view, growing, model)?;
                    }
                }
                Outcome::Covered => return Ok(()),
                Outcome::Unknown => return Err(GivenUp),
            }
        }
    }

    /// Looks for models that lie farthest in the direction in which a model lies outside.
    fn go_on(&mut self, view: &View, inside: &Facts, model: usize, budget: &Budget) {
        let point = view.point(&self.terms, &self.models[model]);
        let direction = point.and_then(|point| outwards(&inside.constraints, &point));
        if let Some(LinearForm { coefficients, .. }) = direction {
            let form = combination(&self.terms, &view.dimensions, &coefficients, Int::ZERO);
            self.greatest_within(STRIDES, self.terms.linear(&form), None, budget);
        }
    }

    /// Joins the cube around a model, or the model alone if its cube can't be seen. Does nothing if the model lies inside.
    fn join(&self, view: &View, growing: &mut Growing, model: usize) -> Result<(), GivenUp> {
        let limits = &self.options.limits;
        let model = &self.models[model];
        let point = view.point(&self.terms, model).ok_or(GivenUp)?;
        let coordinates: Vec<_> = point.iter().cloned().map(Into::into).collect();
        if growing.shape.contains(&coordinates, limits)? {
            return Ok(());
        }
        let relaxation = view.relaxation(&self.terms, &self.levels, model);
        let cell = relaxation.and_then(|relaxation| {
            let shadow = relaxation.shadow(&self.terms, model, &self.options.projection)?;
            Some((shadow, relaxation.is_linear))
        });
        growing.shape = match cell {
            Some((shadow, is_linear)) => {
                growing.is_linear &= is_linear;
                let rounded = shadow.tightened_to_integers(limits).unwrap_or(shadow);
                growing.shape.join(&rounded, limits)?
            }
            None => {
                growing.is_linear = false;
                let point =
                    Polyhedron::from_generators(point.len(), [Generator::integer_point(point)]);
                growing.shape.join(&point, limits)?
            }
        };
        Ok(())
    }

    /// The finished hull, cut where that is known to lose no model.
    fn refined(
        &mut self,
        view: &View,
        growing: &Growing,
        budget: &Budget,
    ) -> Result<Hull<Polyhedron>, GivenUp> {
        let limits = self.options.limits;
        let mut shape = growing.shape.clone();
        if shape.is_empty(&limits)? {
            return finish(shape, true, &limits);
        }
        if !self.options.integral {
            return finish(shape, growing.is_linear, &limits);
        }
        if growing.is_linear {
            if let Ok(shape) = self.integral(view, &shape, budget) {
                return finish(shape, true, &limits);
            }
        } else {
            // Where the relaxation of a product is unbounded, its values need not be.
            let (sides, _) = self.bounds(&view.dimensions, budget);
            shape.add_constraints(sides.constraints(), &limits)?;
        }
        let constraints = shape.constraints(&limits)?.into_iter();
        let attained: Vec<Constraint> = constraints
            .map(|constraint| self.attained(view, constraint, budget))
            .collect();
        let shape = Polyhedron::from_constraints(view.dimensions.len(), attained);
        finish(shape, false, &limits)
    }

    /// A constraint that holds; an inequality is moved to where a model attains it, if that can be found.
    fn attained(&mut self, view: &View, constraint: Constraint, budget: &Budget) -> Constraint {
        if constraint.kind() == Kind::Eq {
            return constraint;
        }
        let tight = constraint.tightened();
        let side = left_side(&self.terms, &view.dimensions, &tight);
        let shortfall = self.terms.linear(&side.times(&Int::NEG_ONE));
        match self.greatest(shortfall, Some(Int::ZERO), budget) {
            Extreme::Greatest(most, _) => {
                let constant = tight.constant() + most;
                Constraint::new(Kind::Ge, tight.coefficients().to_vec(), constant)
            }
            _ => tight,
        }
    }

    /// What can be said although the hull is not finished.
    fn salvaged(&mut self, view: &View, growing: &Growing, budget: &Budget) -> Hull<Polyhedron> {
        let limits = self.options.limits;
        let mut constraints = self.affine(&view.dimensions, budget).facts.constraints;
        let (sides, _) = self.bounds(&view.dimensions, budget);
        constraints.extend(sides.constraints());
        let candidates = growing.shape.constraints(&limits).unwrap_or_default();
        for candidate in candidates.into_iter().take(self.options.rounds) {
            let holds = statement(&self.terms, &view.dimensions, &candidate);
            if self.session.entails(holds, budget) == Some(true) {
                constraints.push(candidate);
            }
        }
        let dimensions = view.dimensions.len();
        let shape = Polyhedron::from_constraints(dimensions, constraints);
        finish(shape, false, &limits).unwrap_or_else(|GivenUp| Hull {
            shape: Polyhedron::universe(dimensions),
            facts: Facts::default(),
            exact: false,
        })
    }
}

fn finish(
    shape: Polyhedron,
    exact: bool,
    limits: &DomainLimits,
) -> Result<Hull<Polyhedron>, GivenUp> {
    let facts = Facts::of(shape.constraints(limits)?);
    Ok(Hull {
        shape,
        facts,
        exact,
    })
}
