//! From the hull of rational solutions to that of the integer ones.

use crate::budget::Budget;
use crate::domain::polyhedron::{Generator, Polyhedron};
use crate::domain::{Constraint, Kind, LinearForm};
use crate::num::{self, Int, Rat};
use crate::term::Linear;

use super::convex::GivenUp;
use super::extreme::Extreme;
use super::facts::combination;
use super::view::View;
use super::{Abstraction, Facts, Outcome};

impl Abstraction {
    /// The least closed polyhedron around the models, given the hull of the rational solutions of their cubes, all of
    /// which are linear and have a model.
    ///
    /// Both are unbounded in the same directions (R. R. Meyer, 1974). So if each vertex is the image of a model, the rational hull is the
    /// least one; with lines, each minimal face must have one. Otherwise the hull is built anew from the models that
    /// were found and those directions: for an inequality that does not hold for all models, the model that violates it most is added.
    pub(super) fn integral(
        &mut self,
        view: &View,
        outer: &Polyhedron,
        budget: &Budget,
    ) -> Result<Polyhedron, GivenUp> {
        let limits = self.options.limits;
        let mut rounds = self.options.rounds;
        let constraints = outer.constraints(&limits)?;
        let generators = outer.generators(&limits)?;
        if generators.len() > rounds {
            return Err(GivenUp);
        }
        let models = self.models().map(|model| view.point(&self.terms, model));
        let known: Vec<Vec<Int>> = models.collect::<Option<_>>().ok_or(GivenUp)?;
        let mut found = Vec::with_capacity(generators.len());
        let (mut has_point, mut all) = (false, true);
        for generator in generators {
            if !generator.is_point() {
                found.push(generator);
                continue;
            }
            let face = face(&constraints, &generator.coordinates());
            match self.model_on(view, face, &known, &mut rounds, budget)? {
                Some(point) => {
                    has_point = true;
                    found.push(Generator::integer_point(point));
                }
                None => all = false,
            }
        }
        if all {
            return Ok(outer.clone());
        }
        if !has_point {
            let point = known.into_iter().next().ok_or(GivenUp)?;
            found.push(Generator::integer_point(point));
        }
        let mut inner = Polyhedron::from_generators(view.dimensions.len(), found);
        loop {
            let constraints = inner.constraints(&limits)?;
            let inside = Facts::of(constraints.clone()).to_formula(&self.terms, &view.dimensions);
            let model = match self.query(self.terms.not(inside), &mut rounds, budget) {
                Outcome::Model(model) => model,
                Outcome::Covered => return Ok(inner),
                Outcome::Unknown => return Err(GivenUp),
            };
            let point = self.image(view, model)?;
            let outwards = outwards(&constraints, &point).ok_or(GivenUp)?;
            let most = outer
                .range(&outwards, &limits)?
                .and_then(|range| range.maximum);
            let form = self.form(view, &outwards);
            let form = self.terms.linear(&form);
            let extreme = self.greatest(form, most.as_ref().map(num::floor), budget);
            let Extreme::Greatest(_, model) = extreme else {
                return Err(GivenUp);
            };
            let extreme = self.image(view, model)?;
            inner.add_generator(Generator::integer_point(extreme), &limits)?;
        }
    }

    /// The image of a model on a face; none if there is none.
    fn model_on(
        &mut self,
        view: &View,
        face: Facts,
        known: &[Vec<Int>],
        rounds: &mut usize,
        budget: &Budget,
    ) -> Result<Option<Vec<Int>>, GivenUp> {
        let lies_on = |point: &&Vec<Int>| {
            let equalities = face.constraints.iter();
            equalities.into_iter().all(|equality| {
                (num::dot(equality.coefficients(), point) + equality.constant()).is_zero()
            })
        };
        if let Some(point) = known.iter().find(lies_on) {
            return Ok(Some(point.clone()));
        }
        let formula = face.to_formula(&self.terms, &view.dimensions);
        match self.query(formula, rounds, budget) {
            Outcome::Model(model) => self.image(view, model).map(Some),
            Outcome::Covered => Ok(None),
            Outcome::Unknown => Err(GivenUp),
        }
    }

    fn image(&self, view: &View, model: usize) -> Result<Vec<Int>, GivenUp> {
        view.point(&self.terms, &self.models[model]).ok_or(GivenUp)
    }

    fn form(&self, view: &View, form: &LinearForm) -> Linear {
        let constant = form.constant.clone();
        combination(&self.terms, &view.dimensions, &form.coefficients, constant)
    }
}

/// The equalities of the smallest face around a point.
fn face(constraints: &[Constraint], point: &[Rat]) -> Facts {
    let saturated = constraints
        .iter()
        .filter(|constraint| constraint.form().value(point) == Rat::ZERO);
    Facts::of(
        saturated
            .map(|constraint| Constraint::zero(constraint.form()))
            .collect(),
    )
}

/// A form that is positive at the point because a constraint is violated there.
pub(super) fn outwards(constraints: &[Constraint], point: &[Int]) -> Option<LinearForm> {
    constraints.iter().find_map(|constraint| {
        let value = num::dot(constraint.coefficients(), point) + constraint.constant();
        let sign = match constraint.kind() {
            _ if value < Int::ZERO => Int::NEG_ONE,
            Kind::Eq if value > Int::ZERO => Int::ONE,
            _ => return None,
        };
        let coefficients = constraint.coefficients().iter();
        let coefficients = coefficients
            .map(|coefficient| coefficient * &sign)
            .collect();
        Some(LinearForm::new(coefficients, constraint.constant() * sign))
    })
}
