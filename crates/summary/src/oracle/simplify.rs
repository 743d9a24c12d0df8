//! Smaller formulas that say the same where something is known.
//!
//! Contextual simplification: a part of a formula matters only where the parts beside it leave its value open. Inside a
//! conjunction the other members may be taken for granted, inside a disjunction that none of the others holds; a part
//! that is then always true or never goes away.
//!
//! Every part gets a symbol that is equivalent to it, once, and contexts are lists of symbols that are assumed: the
//! solver is told each part once only.

use rhumb_logic::session::Session;
use rhumb_logic::{Budget, Node, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Questions to the solver for one formula.
const QUERIES: usize = 400;

/// Resource units for one question: small ones are decided within it, and others aren't worth it.
const UNITS: u64 = 100_000;

/// A formula that is equivalent to the given one wherever `known` holds, with fewer parts if there are any to spare.
/// Nothing may be asserted in the session that doesn't follow from `known`.
pub(super) fn simplified(
    session: &mut Session,
    formula: Term,
    known: Term,
    budget: &Budget,
) -> Term {
    let terms = session.terms().clone();
    // Where nothing can be, everything is the same: then the formula stays as it is.
    if terms.as_bool(formula).is_some() || terms.as_bool(known) == Some(false) {
        return formula;
    }
    let formula = without_known(&terms, formula, known);
    if terms.as_bool(formula).is_some() {
        return formula;
    }
    session.push();
    session.assert(known);
    let mut simplifier = Simplifier {
        terms: &terms,
        session,
        names: FxHashMap::default(),
        context: Vec::new(),
        queries: QUERIES,
        budget: &budget.with_units(UNITS),
    };
    let simpler = simplifier.simplify(formula);
    session.pop();
    simpler
}

/// The formula with the truth value of what is known in place of each part that is literally known.
fn without_known(terms: &Terms, formula: Term, known: Term) -> Term {
    let facts: FxHashSet<Term> = terms.conjuncts(known).into_iter().chain([known]).collect();
    let mut images: FxHashMap<Term, Term> = FxHashMap::default();
    for part in terms.postorder([formula]) {
        let image = if terms.sort(part) != Sort::Bool {
            continue;
        } else if facts.contains(&part) {
            terms.bool(true)
        } else if facts.contains(&terms.not(part)) {
            terms.bool(false)
        } else {
            terms.rebuild(part, |child| images.get(&child).copied().unwrap_or(child))
        };
        images.insert(part, image);
    }
    images.get(&formula).copied().unwrap_or(formula)
}

struct Simplifier<'s> {
    terms: &'s Terms,
    session: &'s mut Session,
    /// Symbols that are equivalent to parts.
    names: FxHashMap<Term, Term>,
    /// What is assumed now, by name.
    context: Vec<Term>,
    /// Questions that are left.
    queries: usize,
    budget: &'s Budget,
}

impl Simplifier<'_> {
    fn simplify(&mut self, formula: Term) -> Term {
        let terms = self.terms;
        if self.queries == 0 || self.budget.is_spent() {
            return formula;
        }
        match terms.node(formula) {
            Node::And(_) => {
                let members = self.members(terms.conjuncts(formula), true);
                terms.and(members)
            }
            Node::Or(_) => {
                let members = self.members(terms.disjuncts(formula), false);
                terms.or(members)
            }
            _ => self.decided(formula),
        }
    }

    /// Simplifies members one after the other, in a context in which all others hold, or none does.
    fn members(&mut self, mut members: Vec<Term>, hold: bool) -> Vec<Term> {
        let outside = self.context.len();
        for place in 0..members.len() {
            for (other, &member) in members.iter().enumerate() {
                if other != place && self.terms.as_bool(member) != Some(hold) {
                    let name = self.name(member);
                    let assumed = if hold { name } else { self.terms.not(name) };
                    self.context.push(assumed);
                }
            }
            members[place] = self.simplify(members[place]);
            self.context.truncate(outside);
        }
        members
    }

    /// A literal, or the truth value that it has in the context.
    fn decided(&mut self, literal: Term) -> Term {
        let name = self.name(literal);
        let opposite = self.terms.not(name);
        for (assumed, value) in [(opposite, true), (name, false)] {
            self.queries = self.queries.saturating_sub(1);
            self.context.push(assumed);
            let is_possible = self.session.is_sat(&self.context, self.budget);
            self.context.pop();
            if is_possible == Some(false) {
                return self.terms.bool(value);
            }
        }
        literal
    }

    fn name(&mut self, part: Term) -> Term {
        if let Some(&name) = self.names.get(&part) {
            return name;
        }
        let terms = self.terms;
        let name = terms.var(terms.symbol("part", Sort::Bool));
        self.session.assert(terms.iff(name, part));
        self.names.insert(part, name);
        name
    }
}
