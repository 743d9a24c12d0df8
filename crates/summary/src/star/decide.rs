//! A body without the conditions that its guard settles.
//!
//! The bodies of phases still have both sides of every branch. Where the guard says which side is taken, the branch
//! goes away: what is left is often a single path, for which exact closures are known.

use rhumb_logic::hull::{Abstraction, Settled};
use rhumb_logic::{Budget, Node, Symbol, Term, Terms, Transition};
use rustc_hash::FxHashMap;

use super::Loop;

/// So many conditions are tried.
const TRIED: usize = 48;

/// An equal relation in which conditions that the guard settles are conjuncts of it and occur nowhere else. The
/// abstraction is that of the guard.
pub(super) fn decided(of: Loop<'_>, guard: &mut Abstraction, budget: &Budget) -> Transition {
    let Loop {
        terms,
        iteration: step,
        ..
    } = of;
    let conjuncts = terms.conjuncts(step.guard);
    let (literals, others): (Vec<Term>, Vec<Term>) = conjuncts
        .into_iter()
        .partition(|&conjunct| is_literal(terms, conjunct));
    let values = step.updates.iter().map(|update| update.1);
    let mut conditions: Vec<Term> = terms
        .postorder(others.iter().copied().chain(values))
        .into_iter()
        .filter(|&term| is_atom(terms, term))
        .collect();
    if conditions.is_empty() {
        return step.clone();
    }
    conditions.truncate(TRIED);
    let settled: FxHashMap<Term, Term> = match guard.settled(&conditions, budget) {
        Settled::NoModel => return step.restrict(terms, terms.bool(false)),
        Settled::Values(values) => (conditions.iter().zip(values))
            .filter_map(|(&condition, value)| Some((condition, terms.bool(value?))))
            .collect(),
    };
    if settled.is_empty() {
        return step.clone();
    }
    let values = step.updates.iter().map(|update| update.1);
    let mut done = settled.clone();
    for term in terms.postorder(others.iter().copied().chain(values)) {
        if !done.contains_key(&term) {
            let rebuilt = terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child));
            done.insert(term, rebuilt);
        }
    }
    // An input that is settled has one value wherever it matters, and needs no mention.
    let is_settled_input = |literal: Term| {
        let atom = match terms.node(literal) {
            Node::Not(inner) => *inner,
            _ => literal,
        };
        let input = terms.as_symbol(atom);
        settled.contains_key(&atom) && input.is_some_and(|input| step.inputs.contains(&input))
    };
    let known = settled.iter().map(|(&condition, &value)| {
        if terms.as_bool(value) == Some(true) {
            condition
        } else {
            terms.not(condition)
        }
    });
    let literals = literals.iter().copied().chain(known);
    let literals = literals.filter(|&literal| !is_settled_input(literal));
    let guard = terms.and(literals.chain(others.iter().map(|other| done[other])));
    let updates: Vec<(Symbol, Term)> = (step.updates.iter())
        .map(|&(symbol, value)| (symbol, done[&value]))
        .collect();
    let step = Transition::new(terms, updates, guard, step.inputs.iter().copied());
    step.without_idle_inputs(terms)
}

fn is_atom(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..) => true,
        Node::Symbol(symbol) => terms.symbol_info(*symbol).sort == rhumb_logic::Sort::Bool,
        _ => false,
    }
}

fn is_literal(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::Not(inner) => is_atom(terms, *inner),
        _ => is_atom(terms, term),
    }
}
