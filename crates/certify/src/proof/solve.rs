//! Deciding verification conditions.

use std::sync::Arc;
use std::time::Duration;

use rhumb_logic::session::{Answer, Model, Purpose, Session, SessionOptions, Unknown};
use rhumb_logic::{Budget, Symbol, Term, Terms, eval};
use rhumb_program::{IndexVec, VarId};

use super::condition::{Batch, Condition};
use super::reject::{Failure, Rejected};
use super::subject::Subject;

/// The first attempt at a condition takes at most that long; each further one twice as long as the one before.
const FIRST_ATTEMPT: Duration = Duration::from_secs(4);

/// A solver for conditions, and what it has done.
pub(super) struct Solver<'p> {
    pub(super) subject: &'p Subject<'p>,
    pub(super) terms: &'p Arc<Terms>,
    pub(super) symbols: &'p IndexVec<VarId, Symbol>,
    pub(super) budget: &'p Budget,
    session: Session,
    /// Conditions that were shown.
    pub(super) shown: usize,
}

impl<'p> Solver<'p> {
    pub(super) fn new(
        subject: &'p Subject<'p>,
        terms: &'p Arc<Terms>,
        symbols: &'p IndexVec<VarId, Symbol>,
        budget: &'p Budget,
    ) -> Solver<'p> {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.set_purpose(Purpose("certify"));
        Solver {
            subject,
            terms,
            symbols,
            budget,
            session,
            shown: 0,
        }
    }

    /// Number of queries so far.
    pub(super) fn queries(&self) -> u64 {
        self.session.statistics().total().queries()
    }

    /// Shows all conditions of a batch, or says which one fails.
    pub(super) fn show(&mut self, batch: &Batch) -> Result<(), Rejected> {
        let open = |condition: &&Condition| !self.is_false(&condition.formulas);
        let open: Vec<&Condition> = batch.conditions.iter().filter(open).collect();
        if !open.is_empty() {
            self.session.push();
            for &formula in &batch.common {
                self.session.assert(formula);
            }
            let result = self.show_asserted(batch, &open);
            self.session.pop();
            result?;
        }
        self.shown += batch.conditions.len();
        Ok(())
    }

    /// All together first: usually they hold. Then one by one, to name the one that doesn't.
    fn show_asserted(&mut self, batch: &Batch, open: &[&Condition]) -> Result<(), Rejected> {
        if let [_, _, ..] = open {
            let each = open
                .iter()
                .map(|condition| self.terms.and(condition.formulas.iter().copied()));
            let any = self.terms.or(each.collect::<Vec<Term>>());
            let quick = self.budget.within(FIRST_ATTEMPT);
            if self.attempt(&[any], &quick).is_unsat() {
                return Ok(());
            }
        }
        for condition in open {
            match self.decide(&condition.formulas) {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => {
                    let failure = self.failure(condition, &batch.common, &model);
                    return Err(Rejected::Fails(Box::new(failure)));
                }
                Answer::Unknown(reason) => {
                    return Err(Rejected::Undecided {
                        obligation: Box::new(condition.obligation.clone()),
                        reason,
                    });
                }
            }
        }
        Ok(())
    }

    fn is_false(&self, formulas: &[Term]) -> bool {
        formulas
            .iter()
            .any(|&formula| self.terms.as_bool(formula) == Some(false))
    }

    /// Whether formulas can hold together with what is asserted, with growing effort.
    fn decide(&mut self, formulas: &[Term]) -> Answer {
        let mut limit = FIRST_ATTEMPT;
        loop {
            let answer = self.attempt(formulas, &self.budget.within(limit));
            match answer {
                Answer::Unknown(Unknown::Timeout | Unknown::Abandoned)
                    if !self.budget.is_spent() =>
                {
                    limit = limit.saturating_mul(2);
                }
                answer => return answer,
            }
        }
    }

    fn attempt(&mut self, formulas: &[Term], budget: &Budget) -> Answer {
        self.session.push();
        for &formula in formulas {
            self.session.assert(formula);
        }
        let answer = self.session.check(budget);
        self.session.pop();
        answer
    }

    /// What a model says about the program's variables.
    fn failure(&self, condition: &Condition, common: &[Term], model: &Model) -> Failure {
        let values = model.assignment();
        let used = self
            .terms
            .symbols(common.iter().chain(&condition.formulas).copied());
        let before = self.symbols.iter_enumerated().filter_map(|(var, symbol)| {
            used.binary_search(symbol).ok()?;
            let value = model.value_or_default(self.terms, *symbol)?;
            Some(self.subject.shown(var, value))
        });
        let after = condition.after.iter().filter_map(|&(var, term)| {
            let value = eval::evaluate(self.terms, term, values)?;
            Some(self.subject.shown(var, value))
        });
        Failure {
            obligation: condition.obligation.clone(),
            before: before.collect(),
            after: after.collect(),
        }
    }

    /// Asserts something for good.
    pub(super) fn assert(&mut self, formula: Term) {
        self.session.assert(formula);
    }

    /// Whether formulas may hold together with what is asserted for good: unless it is known that they can't.
    pub(super) fn may_hold(&mut self, formulas: &[Term]) -> bool {
        let quick = self.budget.within(FIRST_ATTEMPT);
        !self.is_false(formulas) && self.session.is_sat(formulas, &quick) != Some(false)
    }
}
