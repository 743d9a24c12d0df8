//! The greatest value of a term, and boxes.

use dashu_base::BitTest;

use crate::budget::Budget;
use crate::domain::interval::{Interval, IntervalBox};
use crate::num::{Int, ceil_div};
use crate::term::{Linear, Term};

use super::relax::End;
use super::view::View;
use super::{Abstraction, Facts, Hull, Outcome};

/// Steps that double are not taken beyond so many bits: what is larger counts as unbounded.
const BITS: usize = 128;

/// How large a term gets.
pub(super) enum Extreme {
    /// The greatest value, and the number of a model that has it.
    Greatest(Int, usize),
    /// There are arbitrarily large ones.
    Unbounded,
    /// Not known.
    Unknown,
}

impl Abstraction {
    /// The least box around the values of the terms: every bound is attained, and where there is none the values are
    /// unbounded. A bound that could not be found is missing.
    pub fn intervals(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<IntervalBox> {
        let (shape, exact) = self.bounds(dimensions, budget);
        self.trim();
        Hull {
            facts: Facts::of(shape.constraints()),
            shape,
            exact,
        }
    }

    /// The box, and whether it is the least one.
    pub(super) fn bounds(&mut self, dimensions: &[Term], budget: &Budget) -> (IntervalBox, bool) {
        let mut rounds = self.options.rounds;
        match self.first_model(&mut rounds, budget) {
            Outcome::Model(_) => {}
            Outcome::Covered => return (IntervalBox::empty(dimensions.len()), true),
            Outcome::Unknown => return (IntervalBox::universe(dimensions.len()), false),
        }
        let mut exact = true;
        let mut bound = |extreme| match extreme {
            Extreme::Greatest(value, _) => Some(value),
            Extreme::Unbounded => None,
            Extreme::Unknown => {
                exact = false;
                None
            }
        };
        let mut sides = Vec::with_capacity(dimensions.len());
        for &dimension in dimensions {
            let upper = bound(self.greatest(dimension, None, budget));
            let opposite = self.terms.neg(dimension);
            let lower = bound(self.greatest(opposite, None, budget)).map(|value| -value);
            sides.push(Interval::new(lower, upper));
        }
        (IntervalBox::new(sides), exact)
    }

    /// The greatest value of a term, of which a bound may be known already. There must be a model.
    ///
    /// The search goes from model to model. The cube around a model says where it ends at best: that is asked for next.
    /// Where this leads nowhere, the steps double until there is a bound, and then the gap is halved.
    pub(super) fn greatest(&mut self, form: Term, bound: Option<Int>, budget: &Budget) -> Extreme {
        self.greatest_within(self.options.rounds, form, bound, budget)
    }

    /// The greatest value of a term, if it is found within so many queries. Either way the models that were met on the way are kept.
    pub(super) fn greatest_within(
        &mut self,
        mut rounds: usize,
        form: Term,
        bound: Option<Int>,
        budget: &Budget,
    ) -> Extreme {
        let view = self.view(&[form]);
        let Some((mut best, mut at)) = self.best(&view) else {
            return Extreme::Unknown;
        };
        let mut bound = bound;
        let mut step = Int::ONE;
        let mut is_new = true;
        loop {
            if bound.as_ref().is_some_and(|bound| *bound <= best) {
                return Extreme::Greatest(best, at);
            }
            let end = if is_new { self.end(&view, at) } else { None };
            let target = match (end, &bound) {
                (Some(End::Never), _) => return Extreme::Unbounded,
                (Some(End::At(end)), None) if end > best => end,
                (Some(End::At(end)), Some(bound)) if end > best && end <= *bound => end,
                (_, None) if step.bit_len() > BITS => return Extreme::Unknown,
                (_, bound) => {
                    let half = bound
                        .as_ref()
                        .map(|bound| ceil_div(&(bound - &best), &Int::from(2)));
                    let stride = half.unwrap_or_else(|| step.clone()).min(step.clone());
                    step <<= 1;
                    &best + stride
                }
            };
            let beyond = self.terms.as_linear(form);
            let short = Linear::constant(target.clone()).plus(&Int::NEG_ONE, &beyond);
            let beyond = self.terms.at_most_zero(&short);
            match self.query(beyond, &mut rounds, budget) {
                Outcome::Model(model) => {
                    let Some(value) = self.value(&view, model).filter(|value| *value >= target)
                    else {
                        return Extreme::Unknown;
                    };
                    (best, at, is_new) = (value, model, true);
                }
                Outcome::Covered => {
                    bound = Some(target - Int::ONE);
                    is_new = false;
                }
                Outcome::Unknown => return Extreme::Unknown,
            }
        }
    }

    /// The known model with the greatest value.
    fn best(&self, view: &View) -> Option<(Int, usize)> {
        let values = self
            .live()
            .iter()
            .map(|&model| Some((self.value(view, model)?, model)));
        values.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    fn value(&self, view: &View, model: usize) -> Option<Int> {
        view.point(&self.terms, &self.models[model])?.pop()
    }

    /// Where the cube around a model ends, as far as that is known for sure.
    fn end(&self, view: &View, model: usize) -> Option<End> {
        let relaxation = view.relaxation(&self.terms, &self.levels, &self.models[model])?;
        match relaxation.end(&self.options.projection) {
            End::Never if !relaxation.is_linear => None,
            end => Some(end),
        }
    }
}
