//! Obligations for other solvers.

use std::fmt::Write;

use rhumb_logic::{Symbol, Term, Terms};

use super::condition::Batch;
use super::encode::Range;
use super::reject::{Obligation, Rejected};
use super::solve::{Judge, is_false};
use super::subject::Subject;
use crate::file::text::{Dialect, Unwritable, sort_text, write};

/// Writes obligations down instead of deciding them.
pub(super) struct Exporter<'t> {
    subject: &'t Subject<'t>,
    terms: &'t Terms,
    asserted: Vec<Term>,
    pub(super) scripts: Vec<(Obligation, String)>,
}

impl<'t> Exporter<'t> {
    pub(super) fn new(subject: &'t Subject<'t>, terms: &'t Terms) -> Exporter<'t> {
        Exporter {
            subject,
            terms,
            asserted: Vec::new(),
            scripts: Vec::new(),
        }
    }

    /// A script that is unsatisfiable if the formulas are.
    fn script(&self, title: &str, formulas: &[Term]) -> Result<String, Unwritable> {
        let mut text = format!("; {}\n(set-logic ALL)\n", title.replace(['\n', '\r'], " "));
        let symbols = self.terms.symbols(formulas.iter().copied());
        for &symbol in &symbols {
            let sort = sort_text(self.terms.symbol_info(symbol).sort)?;
            let _ = writeln!(
                text,
                "(declare-const |{}| {sort})",
                name(self.terms, &symbols, symbol)
            );
        }
        for &formula in formulas {
            let naming = |symbol: Symbol| name(self.terms, &symbols, symbol);
            let formula = write(self.terms, formula, Dialect::SmtLib, naming)?;
            let _ = writeln!(text, "(assert {formula})");
        }
        text.push_str("(check-sat)\n");
        Ok(text)
    }
}

/// The name of a symbol, and its place in a script.
fn name(terms: &Terms, symbols: &[Symbol], symbol: Symbol) -> String {
    let word = &terms.symbol_info(symbol).name;
    let plain = |character: &char| character.is_ascii_alphanumeric() || *character == '_';
    let word: String = word.chars().filter(plain).collect();
    let place = symbols.partition_point(|&other| other < symbol);
    // A name must not begin with a dot, and a temporary has none.
    format!("v_{word}.{place}")
}

impl Judge for Exporter<'_> {
    fn bound(&mut self, _: &[(Symbol, Range)]) {}

    fn assert(&mut self, formula: Term) {
        self.asserted.push(formula);
    }

    fn may_hold(&mut self, formulas: &[Term]) -> bool {
        !is_false(self.terms, formulas)
    }

    fn show(&mut self, batch: &Batch) -> Result<(), Rejected> {
        for condition in &batch.conditions {
            let all = self
                .asserted
                .iter()
                .chain(&batch.common)
                .chain(&condition.formulas);
            let all: Vec<Term> = all.copied().collect();
            let obligation = condition.about.obligation(self.subject, self.terms);
            let script = self.script(&obligation.to_string(), &all);
            let script = script.map_err(|error| Rejected::Program(error.to_string()))?;
            self.scripts.push((obligation, script));
        }
        Ok(())
    }
}
