//! Formulas that have one and the same truth value in all models.

use std::sync::Arc;

use crate::budget::Budget;
use crate::eval::{Evaluator, Frame};
use crate::term::{Term, Terms};
use crate::value::{Assignment, Value};

use super::{Abstraction, Outcome};

/// Which formulas the models settle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// There is no model.
    NoModel,
    /// For each formula its truth value in all models; none if it has both, or if that is not known.
    Values(Vec<Option<bool>>),
}

impl Abstraction {
    /// Finds out which formulas are true in all models, and which in none.
    ///
    /// Known models sort out most of those that have both values. What is left is asked for in one query: a model in
    /// which any of them has the other value. So it takes as many queries as there are models to be found, and one
    /// more.
    pub fn settled(&mut self, formulas: &[Term], budget: &Budget) -> Settled {
        let mut rounds = self.options.rounds;
        match self.first_model(&mut rounds, budget) {
            Outcome::Model(_) => {}
            Outcome::Covered => return Settled::NoModel,
            Outcome::Unknown => return Settled::Values(vec![None; formulas.len()]),
        }
        let mut truth = Truth::new(&self.terms, formulas);
        let mut values: Vec<Option<bool>> = Vec::new();
        for (number, model) in self.models().enumerate() {
            let here = truth.in_model(model);
            if number == 0 {
                values = here;
            } else {
                agree(&mut values, &here);
            }
        }
        // Together, as long as that is decided; a formula that the solver can't decide must not hide the others, so then one by one.
        let mut is_decided = true;
        let mut next = 0;
        while is_decided || next < formulas.len() {
            let asked = if is_decided {
                0..formulas.len()
            } else {
                next..next + 1
            };
            let deviations = formulas[asked.clone()].iter().zip(&values[asked.clone()]);
            let deviations: Vec<Term> = deviations
                .filter_map(|(&formula, value)| match value {
                    Some(true) => Some(self.terms.not(formula)),
                    Some(false) => Some(formula),
                    None => None,
                })
                .collect();
            let outcome = if deviations.is_empty() {
                Outcome::Covered
            } else {
                self.query(self.terms.or(deviations), &mut rounds, budget)
            };
            match outcome {
                Outcome::Model(model) => {
                    let before = values[asked.clone()].iter().flatten().count();
                    agree(&mut values, &truth.in_model(&self.models[model]));
                    if values[asked.clone()].iter().flatten().count() == before {
                        // The model is not seen to do what it was asked for.
                        values[asked].fill(None);
                    }
                }
                Outcome::Covered if is_decided => break,
                Outcome::Covered => next += 1,
                Outcome::Unknown if is_decided => is_decided = false,
                Outcome::Unknown => {
                    values[next] = None;
                    next += 1;
                }
            }
        }
        self.trim();
        Settled::Values(values)
    }
}

/// Keeps the values that both have.
fn agree(values: &mut [Option<bool>], others: &[Option<bool>]) {
    for (value, other) in values.iter_mut().zip(others) {
        if value != other {
            *value = None;
        }
    }
}

/// Formulas, prepared for evaluation in many models.
pub(super) struct Truth {
    evaluator: Evaluator,
    frame: Frame,
    formulas: usize,
    /// What symbols without a value have.
    defaults: Vec<Option<Value>>,
}

impl Truth {
    pub(super) fn new(terms: &Arc<Terms>, formulas: &[Term]) -> Truth {
        let symbols = terms.symbols(formulas.iter().copied());
        let evaluator = Evaluator::new(terms, &symbols, formulas);
        let sorts = symbols.iter().map(|&symbol| terms.symbol_info(symbol).sort);
        Truth {
            formulas: formulas.len(),
            frame: evaluator.frame(),
            defaults: sorts.map(Value::default_of).collect(),
            evaluator,
        }
    }

    /// The truth values of the formulas in a model, as far as they are known.
    pub(super) fn in_model(&mut self, model: &Assignment) -> Vec<Option<bool>> {
        let values = self.evaluator.inputs().iter().zip(&self.defaults);
        let values =
            values.map(|(symbol, default)| model.get(symbol).or(default.as_ref()).cloned());
        let values: Option<Vec<Value>> = values.collect();
        let results = match values {
            Some(values) => self.evaluator.eval(&mut self.frame, &values),
            None => return vec![None; self.formulas],
        };
        (results.into_iter())
            .map(|value| value?.as_bool())
            .collect()
    }
}
