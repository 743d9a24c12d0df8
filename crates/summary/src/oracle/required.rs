//! What a summary requires of a state, without quantifiers.
//!
//! The counters and intermediate states of a summary are projected away: exactly where that can be had, else over the
//! reals, else only the convex hull of the states is kept. Each of them contains every state from which a goal can be
//! reached. Limits are counted in disjuncts, literals and work, so that results don't depend on the machine.

use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::project::Projector;
use rhumb_logic::{Budget, Symbol, Term, Work};

use super::merge::merged;
use super::simplify::simplified;

/// Resource units for one question.
const UNITS: u64 = 2_000_000;

/// Resource units for an exact projection, for one over the reals, and for making the result smaller.
const EXACT: u64 = 5_000_000;
const RATIONAL: u64 = 2_500_000;
const SIMPLIFICATION: u64 = 1_000_000;

/// The most work for the hull.
const HULL: Work = Work::millis(400);

/// The most work for one attempt.
const ATTEMPT: Work = Work::secs(10);

/// How much of what a summary requires is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Precision {
    /// Nothing: any state is allowed.
    Nothing,
    /// The convex hull of the states.
    Hull,
    /// All but that counters are integers.
    Rational,
    /// Everything.
    Exact,
}

/// What is required of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Required {
    /// The formula.
    pub(super) formula: Term,
    /// How much of it is kept, as far as the way to the next nodes goes.
    pub(super) precision: Precision,
}

/// A formula whose symbols are to go.
pub(super) struct Question<'a> {
    /// The formula.
    pub(super) formula: Term,
    /// The symbols.
    pub(super) eliminate: &'a [Symbol],
    /// What holds of every state anyway.
    pub(super) known: Term,
}

impl Question<'_> {
    /// `∃ eliminate. formula`, or a formula that follows from it.
    pub(super) fn answer(&self, projector: &mut Projector, budget: &Budget) -> Required {
        let terms = projector.terms().clone();
        let budget = &budget.with_units(UNITS);
        let attempt = |units: u64| half(budget).with_allowance(units);
        let exact = projector.exact(self.formula, self.eliminate, &attempt(EXACT));
        let found = match exact {
            Ok(formula) => Some((formula, Precision::Exact)),
            Err(_) => {
                let rational = projector.rational(self.formula, self.eliminate, &attempt(RATIONAL));
                let rational = rational.ok().map(|formula| (formula, Precision::Rational));
                rational.or_else(|| self.hull(projector, budget))
            }
        };
        let (formula, precision) = found.unwrap_or((terms.bool(true), Precision::Nothing));
        let formula = simplified(
            projector.session(),
            formula,
            self.known,
            &attempt(SIMPLIFICATION),
        );
        let formula = merged(
            projector.session(),
            formula,
            self.known,
            &attempt(SIMPLIFICATION),
        );
        Required { formula, precision }
    }

    fn hull(&self, projector: &mut Projector, budget: &Budget) -> Option<(Term, Precision)> {
        if budget.is_spent() {
            return None;
        }
        let terms = projector.terms().clone();
        let kept = terms.symbols([self.formula]).into_iter();
        let dimensions: Vec<Term> = kept
            .filter(|symbol| !self.eliminate.contains(symbol))
            .map(|symbol| terms.var(symbol))
            .filter(|&term| terms.sort(term) == rhumb_logic::Sort::Int)
            .collect();
        let mut states = Abstraction::new(terms.clone(), self.formula, Options::default());
        let hull = states.convex(&dimensions, &half(&budget.within(HULL)));
        let formula = hull.to_formula(&terms, &dimensions);
        (terms.as_bool(formula) != Some(true)).then_some((formula, Precision::Hull))
    }
}

/// Half of the work that is left, so that there is some for a cheaper attempt.
fn half(budget: &Budget) -> Budget {
    let left = budget.left().map_or(ATTEMPT, |left| left / 2);
    budget.within(left.min(ATTEMPT))
}
