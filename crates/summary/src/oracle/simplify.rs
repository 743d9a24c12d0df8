//! Smaller formulas that say the same where something is known.
//!
//! Contextual simplification: a part of a formula matters only where the parts beside it leave its value open. Inside a conjunction the other members may be
//! taken for granted, inside a disjunction that none of the others holds; a part that is then always true or never goes away.

use rhumb_logic::session::Session;
use rhumb_logic::{Budget, Node, Term, Terms};

/// Questions to the solver for one formula.
const QUERIES: usize = 300;

/// Resource units for one question: small ones are decided within it, and others aren't worth it.
const UNITS: u64 = 200_000;

/// A formula that is equivalent to the given one wherever `known` holds, with fewer parts if there are any to spare. Nothing may be asserted in the session
/// that doesn't follow from `known`.
pub(super) fn simplified(
    session: &mut Session,
    formula: Term,
    known: Term,
    budget: &Budget,
) -> Term {
    let terms = session.terms().clone();
    if terms.as_bool(formula).is_some() {
        return formula;
    }
    let mut simplifier = Simplifier {
        session,
        queries: QUERIES,
        budget: &budget.with_units(UNITS),
    };
    simplifier.under(known, |simplifier| simplifier.simplify(&terms, formula))
}

struct Simplifier<'s> {
    session: &'s mut Session,
    /// Questions that are left.
    queries: usize,
    budget: &'s Budget,
}

impl Simplifier<'_> {
    /// Does something while one more thing is taken for granted.
    fn under<T>(&mut self, known: Term, work: impl FnOnce(&mut Self) -> T) -> T {
        self.session.push();
        self.session.assert(known);
        let result = work(self);
        self.session.pop();
        result
    }

    fn simplify(&mut self, terms: &Terms, formula: Term) -> Term {
        match terms.node(formula) {
            _ if self.queries == 0 || self.budget.is_spent() => formula,
            Node::And(_) => {
                let members = self.members(terms, terms.conjuncts(formula), |others| {
                    terms.and(others.iter().copied())
                });
                terms.and(members)
            }
            Node::Or(_) => {
                let members = self.members(terms, terms.disjuncts(formula), |others| {
                    terms.not(terms.or(others.iter().copied()))
                });
                terms.or(members)
            }
            _ => self.decided(terms, formula),
        }
    }

    /// Simplifies members one after the other, each in the context that the others make for it.
    fn members(
        &mut self,
        terms: &Terms,
        mut members: Vec<Term>,
        context: impl Fn(&[Term]) -> Term,
    ) -> Vec<Term> {
        // The later members tend to be the larger ones; what is settled early makes the rest cheaper.
        for place in 0..members.len() {
            let member = members.swap_remove(place);
            let assumed = context(&members);
            let simpler = self.under(assumed, |simplifier| simplifier.simplify(terms, member));
            members.push(simpler);
            let last = members.len() - 1;
            members.swap(place, last);
        }
        members
    }

    /// A literal, or the truth value that it has in the context.
    fn decided(&mut self, terms: &Terms, literal: Term) -> Term {
        self.queries = self.queries.saturating_sub(1);
        if self.session.is_sat(&[terms.not(literal)], self.budget) == Some(false) {
            return terms.bool(true);
        }
        if self.session.is_sat(&[literal], self.budget) == Some(false) {
            return terms.bool(false);
        }
        literal
    }
}
