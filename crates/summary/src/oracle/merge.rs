//! Fewer disjuncts that say the same.
//!
//! What is required before a choice is one disjunct for each of its outcomes, and so on backwards: after some choices
//! there are many, which often are the slices of one convex set (`n = s`, or `n = s + 1` and `s >= 1`, ...). Two of
//! them whose convex hull has no further integer points in it become one. Right for programs in which choices change
//! amounts step by step.

use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::domain::{Constraint, DomainLimits, Kind};
use rhumb_logic::hull::Facts;
use rhumb_logic::session::Session;
use rhumb_logic::{Budget, Int, Node, Symbol, Term, Terms, term::Linear};

/// Disjuncts, and symbols of them, that are looked at.
const DISJUNCTS: usize = 16;
const SYMBOLS: usize = 8;

/// Resource units for one question.
const UNITS: u64 = 100_000;

/// Bounds on polyhedra.
const LIMITS: DomainLimits = DomainLimits {
    rows: 60,
    work: 200_000,
    bits: 128,
};

/// A formula that is equivalent to the given one wherever `known` holds, with fewer disjuncts if some can be put
/// together. Nothing may be asserted in the session that doesn't follow from `known`.
pub(super) fn merged(session: &mut Session, formula: Term, known: Term, budget: &Budget) -> Term {
    let terms = session.terms().clone();
    let parts = terms.conjuncts(formula).into_iter();
    let parts: Vec<Term> = parts
        .map(|part| match terms.node(part) {
            Node::Or(_) => disjunction(session, &terms, part, known, budget),
            _ => part,
        })
        .collect();
    terms.and(parts)
}

fn disjunction(
    session: &mut Session,
    terms: &Terms,
    whole: Term,
    known: Term,
    budget: &Budget,
) -> Term {
    let symbols = terms.symbols([whole]);
    let mut members = terms.disjuncts(whole);
    if members.len() > DISJUNCTS || symbols.len() > SYMBOLS {
        return whole;
    }
    let dimensions: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
    let mut shapes: Vec<Option<Polyhedron>> = members
        .iter()
        .map(|&member| shape(terms, member, &symbols))
        .collect();
    let budget = &budget.with_units(UNITS);
    session.push();
    session.assert(known);
    session.assert(terms.not(whole));
    let mut place = 0;
    while place < members.len() && !budget.is_spent() {
        let found = (place + 1..members.len()).find_map(|other| {
            let (one, two) = (shapes[place].as_ref()?, shapes[other].as_ref()?);
            let both = one.join(two, &LIMITS).ok()?;
            let both = both.tightened_to_integers(&LIMITS).unwrap_or(both);
            let constraints = both.constraints(&LIMITS).ok()?;
            let facts = Facts {
                constraints,
                congruences: Vec::new(),
            };
            let formula = facts.to_formula(terms, &dimensions);
            let has_more = session.is_sat(&[formula], budget);
            (has_more == Some(false)).then_some((other, both, formula))
        });
        match found {
            Some((other, both, formula)) => {
                members[place] = formula;
                shapes[place] = Some(both);
                members.remove(other);
                shapes.remove(other);
                // It may go together with one that was looked at before.
                place = 0;
            }
            None => place += 1,
        }
    }
    session.pop();
    terms.or(members)
}

/// A conjunction of linear comparisons as a polyhedron over some symbols.
fn shape(terms: &Terms, conjunction: Term, symbols: &[Symbol]) -> Option<Polyhedron> {
    let constraints = terms.conjuncts(conjunction).into_iter();
    let constraints: Option<Vec<Constraint>> = constraints
        .map(|literal| match terms.node(literal) {
            Node::AtMostZero(sum) => {
                constraint(terms, Kind::Ge, &sum.times(&Int::NEG_ONE), symbols)
            }
            Node::Zero(sum) => constraint(terms, Kind::Eq, sum, symbols),
            _ => None,
        })
        .collect();
    Some(Polyhedron::from_constraints(symbols.len(), constraints?))
}

fn constraint(terms: &Terms, kind: Kind, sum: &Linear, symbols: &[Symbol]) -> Option<Constraint> {
    let mut coefficients = vec![Int::ZERO; symbols.len()];
    for (part, coefficient) in &sum.parts {
        let symbol = terms.as_symbol(*part)?;
        let place = symbols.binary_search(&symbol).ok()?;
        coefficients[place] = coefficient.clone();
    }
    Some(Constraint::new(kind, coefficients, sum.constant.clone()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rhumb_logic::Sort;
    use rhumb_logic::session::SessionOptions;

    use super::*;

    fn merge(disjuncts: impl Fn(&Terms, Term, Term) -> Vec<Term>) -> (usize, bool) {
        let terms = Arc::new(Terms::new());
        let [n, s] = ["n", "s"].map(|name| terms.var(terms.symbol(name, Sort::Int)));
        let whole = terms.or(disjuncts(&terms, n, s));
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        let known = terms.ge(s, terms.int(0));
        let budget = Budget::unlimited();
        let smaller = merged(&mut session, whole, known, &budget);
        let differs = terms.not(terms.iff(whole, smaller));
        let is_same = session.is_sat(&[known, differs], &budget) == Some(false);
        (terms.disjuncts(smaller).len(), is_same)
    }

    #[test]
    fn slices_of_a_convex_set_become_one() {
        let found = merge(|terms, n, s| {
            let slice = |lost: i64| {
                let rest = terms.eq(n, terms.add(s, terms.int(8 - lost)));
                terms.and([rest, terms.ge(s, terms.int(lost))])
            };
            (0..=8).map(slice).collect()
        });
        assert_eq!(found, (1, true));
    }

    #[test]
    fn what_lies_between_is_not_added() {
        let found = merge(|terms, n, s| {
            let slice = |lost: i64| terms.eq(n, terms.add(s, terms.int(lost)));
            vec![slice(0), slice(2), slice(3)]
        });
        assert_eq!(found, (2, true));
    }
}
