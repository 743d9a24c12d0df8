//! The questions of a run that is led, most of which need no solver.
//!
//! Right for long runs that meet inputs one by one: see [`changed`]. Only where that doesn't help the solver is asked.

use std::sync::Arc;

use rhumb_logic::{Assignment, Budget, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::super::changed::changed;
use super::super::questions::{Questions, Reply, Symbols};

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
            && let Some(changed) = changed(&self.terms, model, condition, budget, |symbol| {
                self.about.get(&symbol).cloned().unwrap_or_default()
            })
        {
            return Reply::Possible(changed);
        }
        self.questions.ask(symbols, Some(condition), budget)
    }

    pub(super) fn ask_patiently(&mut self, symbols: &Symbols, budget: &Budget) -> Reply {
        self.questions.ask_patiently(symbols, budget)
    }
}
