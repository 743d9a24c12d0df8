//! What is linear about a number of iterations times what each of them adds.
//!
//! The class: loops that add a sum `h` of variables which they don't change and which is bounded, by its sign for
//! example. `k` iterations add `k·h`. If `h` is at least `l`, then `(k - 1)·(h - l) >= 0` for `k` from 1 on, so that is
//! at least `l·k + h - l`; and at most `u·k + h - u`, if `h` is at most `u`. With another iteration before both sides
//! grow, the left one by `h` and the right one by `l`: the contract holds.

use rhumb_logic::{Budget, Sort, Symbol, Term};

use super::{Body, Ends, How, LoopOperator};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "products",
    about: "loops that add variables which they don't change and whose sign or bounds are known",
    how: How::Facts(iterated),
};

fn iterated(body: &mut Body, ends: &Ends, budget: &Budget) -> Term {
    let terms = body.terms.clone();
    let is_constant = |symbol: &Symbol| {
        let sort = terms.symbol_info(*symbol).sort;
        sort == Sort::Int && body.constants.contains(symbol)
    };
    let mut added = Vec::new();
    for (&(symbol, value), &(before, after)) in body.updates.iter().zip(&ends.changed) {
        if terms.symbol_info(symbol).sort != Sort::Int {
            continue;
        }
        let by = terms.sub(value, before);
        let symbols = terms.symbols([by]);
        if !symbols.is_empty() && symbols.iter().all(is_constant) {
            added.push((by, terms.sub(after, before)));
        }
    }
    if added.is_empty() {
        return terms.bool(true);
    }
    let dimensions: Vec<Term> = added.iter().map(|pair| pair.0).collect();
    let hull = body.intervals(&dimensions, budget);
    let mut facts = Vec::new();
    for (&(by, grown), range) in added.iter().zip(hull.shape.sides()) {
        let product = |bound: &rhumb_logic::Int| {
            let rest = terms.sub(by, terms.int(bound.clone()));
            terms.add(terms.scale(bound.clone(), ends.count), rest)
        };
        facts.extend(range.lower().map(|low| terms.ge(grown, product(low))));
        facts.extend(range.upper().map(|high| terms.le(grown, product(high))));
    }
    terms.and(facts)
}
