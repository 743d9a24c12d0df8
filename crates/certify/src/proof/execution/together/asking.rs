//! Questions about runs that are followed side by side: whether their conditions can hold.
//!
//! All integers of a run have bounds, so questions are about bits: what was chosen by conditions on the way is a choice
//! of bits for the solver, where it would be a choice between polyhedra for one of integers. One solver is kept for
//! small questions, and what it is told stays; a question that has to be decided gets a solver of its own.

use std::sync::Arc;

use rhumb_logic::session::{Answer, Session, SessionOptions, SolverKind};
use rhumb_logic::{Budget, Sort, Term, Terms, Work};

use super::super::questions::{PURPOSE, QUESTION, Reply, Symbols, ask_about_bits};
use super::conditions::Conditions;
use crate::proof::bits::Translation;

/// Work for small questions that need not be asked.
const LITTLE: Work = Work::secs(1);

/// The solver, and what it was told.
pub(super) struct Asking {
    terms: Arc<Terms>,
    translation: Translation,
    session: Session,
    /// How many ranges of symbols the translation knows.
    ranges: usize,
    /// How many constraints of the translation were asserted.
    constrained: usize,
    /// Work for small questions so far.
    spent: Work,
    asked: u64,
}

impl Asking {
    pub(super) fn new(terms: Arc<Terms>) -> Asking {
        let options = SessionOptions {
            solver: SolverKind::BitVectors,
            ..SessionOptions::default()
        };
        let mut session = Session::new(terms.clone(), options);
        session.set_purpose(PURPOSE);
        Asking {
            translation: Translation::new(&terms),
            terms,
            session,
            ranges: 0,
            constrained: 0,
            spent: Work::units(0),
            asked: 0,
        }
    }

    /// Number of questions so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked + self.session.statistics().total().queries()
    }

    /// Whether small questions have taken so little so far that more of them are worth it.
    pub(super) fn is_cheap(&self) -> bool {
        self.spent < LITTLE
    }

    /// Whether some conditions can hold. A solver of its own prepares the question as a whole, which hard ones are worth.
    pub(super) fn ask(
        &mut self,
        symbols: &Symbols,
        conditions: &Conditions,
        budget: &Budget,
    ) -> Reply {
        self.ask_with(symbols, conditions, None, budget)
    }

    fn ask_with(
        &mut self,
        symbols: &Symbols,
        conditions: &Conditions,
        condition: Option<Term>,
        budget: &Budget,
    ) -> Reply {
        self.asked += 1;
        let all = conditions.all().into_iter().chain(condition);
        ask_about_bits(&self.terms, all.collect(), symbols, budget)
    }

    /// Whether some conditions can hold, and another one with them; what is not decided soon is followed.
    pub(super) fn ask_quickly(
        &mut self,
        symbols: &Symbols,
        conditions: &Conditions,
        condition: Option<Term>,
        budget: &Budget,
    ) -> Reply {
        let budget = &budget.with_units(QUESTION);
        if symbols.has_floats {
            return self.ask_with(symbols, conditions, condition, budget);
        }
        self.translation.extend(&symbols.ranges[self.ranges..]);
        self.ranges = symbols.ranges.len();
        let Some(assumptions) = self.tell(conditions, condition) else {
            return Reply::Undecided;
        };
        let begin = Work::so_far();
        // A solver looks at much of what it was told for each question, and doesn't count that.
        Work::units(self.translation.len() as u64).count();
        let answer = self.session.check_assuming(&assumptions, budget);
        self.spent += Work::since(begin);
        match answer {
            Answer::Unsat(_) => Reply::Impossible,
            Answer::Sat(model) => Reply::Possible(self.translation.restore(model.assignment())),
            Answer::Unknown(_) => Reply::Undecided,
        }
    }

    /// What the solver has to assume for these conditions; none if one of them can't be said. A list of conditions has
    /// a name that implies them, so it is told of each once, for good.
    fn tell(&mut self, conditions: &Conditions, condition: Option<Term>) -> Option<Vec<Term>> {
        let (terms, translation, session) = (&self.terms, &mut self.translation, &mut self.session);
        let name = conditions.named(|before, condition| {
            let image = translation.formula(condition)?;
            let name = terms.fresh("strand", Sort::Bool);
            let all = terms.and(before.into_iter().chain([image]));
            session.assert(terms.implies(name, all));
            Some(name)
        });
        if name.is_none() && conditions.len() > 0 {
            return None;
        }
        let image = match condition {
            Some(condition) => Some(translation.formula(condition)?),
            None => None,
        };
        for &constraint in &translation.constraints()[self.constrained..] {
            session.assert(constraint);
        }
        self.constrained = translation.constraints().len();
        Some(name.into_iter().chain(image).collect())
    }
}
