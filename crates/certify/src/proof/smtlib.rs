//! Obligations for other solvers.

use rhumb_logic::session::smtlib;
use rhumb_logic::{Symbol, Term, Terms};

use super::condition::Batch;
use super::encode::Range;
use super::reject::{Obligation, Rejected};
use super::solve::{Judge, is_false};
use super::subject::Subject;

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
            // Unsatisfiable if the obligation holds.
            let title = obligation.to_string().replace(['\n', '\r'], " ");
            let script = format!("; {title}\n{}", smtlib(self.terms, &all));
            self.scripts.push((obligation, script));
        }
        Ok(())
    }
}
