//! The questions of a run that is led, most of which need no solver.
//!
//! Right for long runs that meet inputs one by one: a condition asks for a value of one input, of which little else is
//! known. Then another value of it, in the model that the run has, is an answer, if all conditions that speak of it
//! still hold. Only where that doesn't help the solver is asked.

use std::sync::Arc;

use rhumb_logic::{Assignment, Budget, Int, Symbol, Term, Terms, Value, eval};
use rustc_hash::FxHashMap;

use super::super::questions::{Questions, Reply, Symbols};

/// Work that trying a value is worth, in units.
const TRY: u64 = 1;

/// A condition with more symbols is left to the solver, and so many values are tried for each.
const MAX_SYMBOLS: usize = 4;
const MAX_VALUES: usize = 24;

/// The conditions of a run, level by level, and who speaks of which symbol.
pub(super) struct Asking {
    terms: Arc<Terms>,
    questions: Questions,
    about: FxHashMap<Symbol, Vec<Term>>,
    /// The symbols of conditions, with the levels of those, in the order in which they came.
    trail: Vec<(usize, Symbol)>,
}

impl Asking {
    pub(super) fn new(terms: Arc<Terms>) -> Asking {
        Asking {
            questions: Questions::new(terms.clone()),
            terms,
            about: FxHashMap::default(),
            trail: Vec::new(),
        }
    }

    pub(super) fn level(&self) -> usize {
        self.questions.level()
    }

    pub(super) fn push(&mut self) {
        self.questions.push();
    }

    pub(super) fn pop_to(&mut self, level: usize) {
        self.questions.pop_to(level);
        while let Some(&(at, symbol)) = self.trail.last()
            && at > level
        {
            self.trail.pop();
            if let Some(conditions) = self.about.get_mut(&symbol) {
                conditions.pop();
            }
        }
    }

    pub(super) fn assert(&mut self, symbols: &Symbols, condition: Term) {
        let level = self.questions.level();
        for symbol in self.terms.symbols([condition]) {
            self.about.entry(symbol).or_default().push(condition);
            self.trail.push((level, symbol));
        }
        self.questions.assert(symbols, condition);
    }

    pub(super) fn is_about_floats(&self, symbols: &Symbols, condition: Term) -> bool {
        self.questions.is_about_floats(symbols, condition)
    }

    /// Whether the conditions can hold, and another one with them. The model is one of the conditions.
    pub(super) fn ask(
        &mut self,
        symbols: &Symbols,
        model: Option<&Assignment>,
        condition: Term,
        budget: &Budget,
    ) -> Reply {
        if let Some(model) = model
            && !symbols.has_floats
            && let Some(changed) = self.changed(model, condition, budget)
        {
            return Reply::Possible(changed);
        }
        self.questions.ask(symbols, Some(condition), budget)
    }

    pub(super) fn ask_patiently(&mut self, symbols: &Symbols, budget: &Budget) -> Reply {
        self.questions.ask_patiently(symbols, budget)
    }

    /// A model of all conditions and another one that gives one symbol of that another value.
    fn changed(&self, model: &Assignment, condition: Term, budget: &Budget) -> Option<Assignment> {
        let symbols = self.terms.symbols([condition]);
        if symbols.len() > MAX_SYMBOLS {
            return None;
        }
        let values = self.candidates(model, condition);
        let mut model = model.clone();
        for symbol in symbols {
            let Some(Value::Int(before)) = model.get(&symbol).cloned() else {
                continue;
            };
            for value in &values {
                budget.spend(TRY);
                model.insert(symbol, Value::Int(value.clone()));
                let others = self.about.get(&symbol).into_iter().flatten();
                let mut all = std::iter::once(condition).chain(others.copied());
                if all.all(|it| self.holds(&model, it)) {
                    return Some(model);
                }
            }
            model.insert(symbol, Value::Int(before));
        }
        None
    }

    fn holds(&self, model: &Assignment, condition: Term) -> bool {
        let value = eval::evaluate(&self.terms, condition, model);
        value.and_then(|value| value.as_bool()) == Some(true)
    }

    /// The numbers that a condition speaks of, as a model has them, and those next to them.
    fn candidates(&self, model: &Assignment, condition: Term) -> Vec<Int> {
        let parts = self.terms.postorder([condition]);
        let values = eval::evaluate_all(&self.terms, &parts, model);
        let mut candidates = Vec::new();
        let mut add = |value: Int| {
            if candidates.len() < MAX_VALUES && !candidates.contains(&value) {
                candidates.push(value);
            }
        };
        let numbers: Vec<Int> = (values.into_iter().flatten())
            .filter_map(|value| value.as_int().cloned())
            .collect();
        for number in &numbers {
            add(number.clone());
        }
        for number in &numbers {
            add(number.clone() + Int::ONE);
            add(number.clone() - Int::ONE);
        }
        add(Int::ONE);
        candidates
    }
}
