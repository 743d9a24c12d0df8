//! Where a loop can begin and where it can have come to: the hulls of the states before and after one iteration.
//!
//! Whoever makes at least one iteration was before it in a state that allows one, and is afterwards in a state that one
//! leads to. Exact, together with the recurrences, for translations with a conjunctive guard: the guard at both ends
//! implies it in between.

use rhumb_logic::{Budget, Symbol, Term};
use rustc_hash::FxHashMap;

use super::{Body, Ends, How, LoopOperator};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "guards",
    about: "loops with conditions on the states before and after an iteration",
    how: How::Facts(iterated),
};

fn iterated(body: &mut Body, ends: &Ends, budget: &Budget) -> Term {
    let terms = body.terms.clone();
    let constants = body.constants.iter().map(|&symbol| terms.var(symbol));
    let constants: Vec<Term> = constants.collect();
    let before: Vec<Term> = (body.updates.iter().map(|&(symbol, _)| terms.var(symbol)))
        .chain(constants.iter().copied())
        .collect();
    let after: Vec<Term> = (body.updates.iter().map(|&(_, value)| value))
        .chain(constants.iter().copied())
        .collect();
    let first = body.convex(&before, budget);
    let last = body.convex(&after, budget);
    let finally: FxHashMap<Symbol, Term> = (body.updates.iter())
        .zip(&ends.changed)
        .map(|(&(symbol, _), &(_, after))| (symbol, after))
        .collect();
    let last = last.to_formula(&terms, &before);
    terms.and([
        first.to_formula(&terms, &before),
        terms.substitute(last, &finally),
    ])
}
