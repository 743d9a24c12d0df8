//! Loops that change more than numbers.
//!
//! Operators subtract: they are about numbers. What is none takes part in every iteration as a value that is not known,
//! so that what is said of the numbers holds whatever it is; of itself nothing is said but that it stays where there is
//! no iteration.

use rhumb_logic::{Sort, Symbol, Term, Transition};

use super::{Closure, Loop};

/// The closure of a loop by operators that see only what it does to numbers.
pub(super) fn over_numbers(of: Loop<'_>, close: impl FnOnce(Loop<'_>) -> Closure) -> Closure {
    let terms = of.terms;
    let changed = of.iteration.updates.iter().map(|update| update.0);
    let others: Vec<Symbol> = changed
        .filter(|&symbol| terms.symbol_info(symbol).sort != Sort::Int)
        .collect();
    if others.is_empty() {
        return close(of);
    }
    let iteration = of.iteration.forget(terms, &others);
    let Closure { transition, count } = close(Loop {
        iteration: &iteration,
        ..of
    });
    let none = terms.eq(count, terms.int(0));
    let after: Vec<(Symbol, Symbol)> = others
        .into_iter()
        .map(|symbol| (symbol, terms.fresh_copy(symbol)))
        .collect();
    let kept = after.iter().map(|&(symbol, after)| {
        let same = terms.eq(terms.var(symbol), terms.var(after));
        terms.implies(none, same)
    });
    let guard: Vec<Term> = kept.chain([transition.guard]).collect();
    let updates = after
        .iter()
        .map(|&(symbol, after)| (symbol, terms.var(after)));
    let updates: Vec<(Symbol, Term)> = transition.updates.into_iter().chain(updates).collect();
    let inputs = after.iter().map(|pair| pair.1);
    let inputs: Vec<Symbol> = transition.inputs.into_iter().chain(inputs).collect();
    Closure {
        transition: Transition::new(terms, updates, terms.and(guard), inputs),
        count,
    }
}
