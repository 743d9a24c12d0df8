//! Loop operators: from one iteration of a loop to any number of them.
//!
//! A [`LoopOperator`] gives, for the [`Body`] of a loop, facts `S_k` about the states before and after `k` iterations. The contract that makes summaries closed,
//! and proofs out of them possible: `S_0` is the identity, and an iteration followed by `S_k` is contained in `S_(k+1)`. [`star`] takes what all operators
//! say, for one and the same `k`: a conjunction of relations that keep the contract keeps it. Adding an operator is adding a file and a line in
//! [`OPERATORS`].

mod guards;
mod recurrences;
mod split;
mod strides;

use std::sync::Arc;

use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Transition};

/// An operator: what it says of a number of iterations, at least one.
pub struct LoopOperator {
    /// Its name.
    pub name: &'static str,
    /// What it is right for, in a sentence.
    pub about: &'static str,
    /// A formula over the states before and after and the number of iterations that holds for every number from one on.
    iterated: fn(&mut Body, &Ends, &Budget) -> Term,
}

/// All operators.
pub const OPERATORS: &[LoopOperator] =
    &[recurrences::OPERATOR, strides::OPERATOR, guards::OPERATOR];

/// One iteration of a loop, prepared for abstraction.
pub struct Body {
    terms: Arc<Terms>,
    /// The variables that an iteration changes, with their new values.
    updates: Vec<(Symbol, Term)>,
    /// Variables that it reads and doesn't change.
    constants: Vec<Symbol>,
    abstraction: Abstraction,
}

/// The states at both ends of a number of iterations, as terms.
struct Ends {
    /// For each changed variable: its symbol, and the term for its value afterwards.
    changed: Vec<(Term, Term)>,
    /// The number of iterations.
    count: Term,
}

impl Body {
    fn new(of: Loop<'_>) -> Body {
        let Loop {
            terms,
            iteration,
            state,
            ..
        } = of;
        let roots = iteration.updates.iter().map(|update| update.1);
        let used = terms.symbols(roots.chain([iteration.guard]));
        let is_changed = |symbol: &Symbol| {
            let updates = &iteration.updates;
            updates
                .binary_search_by_key(symbol, |update| update.0)
                .is_ok()
        };
        Body {
            terms: terms.clone(),
            constants: used
                .into_iter()
                .filter(|symbol| state.binary_search(symbol).is_ok() && !is_changed(symbol))
                .collect(),
            updates: iteration.updates.clone(),
            abstraction: Abstraction::new(terms.clone(), iteration.guard, Options::default()),
        }
    }

    /// How much each changed variable grows in an iteration.
    fn growth(&self) -> Vec<Term> {
        let grown =
            |&(symbol, value): &(Symbol, Term)| self.terms.sub(value, self.terms.var(symbol));
        self.updates.iter().map(grown).collect()
    }
}

/// A loop whose iterations are to be summarised.
#[derive(Clone, Copy)]
pub struct Loop<'a> {
    /// The store.
    pub terms: &'a Arc<Terms>,
    /// One iteration.
    pub iteration: &'a Transition,
    /// What holds at the head, before and after every iteration.
    pub invariant: Term,
    /// All symbols of the state, sorted.
    pub state: &'a [Symbol],
}

/// Any number of iterations, as a transition whose inputs are the number, the values afterwards, and what lies between.
struct Iterated {
    transition: Transition,
    /// The number of iterations.
    count: Term,
}

/// Any number of iterations of a loop: what the operators say of the whole body, and what they say of its phases ([`split`]).
pub fn star(of: Loop<'_>, budget: &Budget) -> Transition {
    let terms = of.terms;
    let iteration = of
        .iteration
        .restrict(terms, of.invariant)
        .restrict_after(terms, of.invariant);
    let of = Loop {
        iteration: &iteration,
        ..of
    };
    let mut all = repeated(of, budget);
    for phases in split::phases(of, budget) {
        let together = all.transition.meet(terms, &phases.transition);
        let equal = terms.eq(all.count, phases.count);
        all.transition = together.restrict(terms, equal);
    }
    all.transition
}

/// What all operators say of a body.
fn repeated(of: Loop<'_>, budget: &Budget) -> Iterated {
    let Loop {
        terms, iteration, ..
    } = of;
    let count = terms.symbol("k", Sort::Int);
    let after: Vec<(Symbol, Symbol)> = iteration
        .updates
        .iter()
        .map(|&(symbol, _)| (symbol, terms.fresh_copy(symbol)))
        .collect();
    let ends = Ends {
        changed: after
            .iter()
            .map(|&(before, after)| (terms.var(before), terms.var(after)))
            .collect(),
        count: terms.var(count),
    };
    let mut body = Body::new(of);
    let iterated = OPERATORS
        .iter()
        .map(|operator| (operator.iterated)(&mut body, &ends, budget));
    let several = terms.and(iterated.collect::<Vec<_>>());
    let same = ends
        .changed
        .iter()
        .map(|&(before, after)| terms.eq(before, after));
    let zero = terms.eq(ends.count, terms.int(0));
    let none = terms.and(same.chain([zero]).collect::<Vec<_>>());
    let some = terms.and([terms.ge(ends.count, terms.int(1)), several]);
    let inputs = after.iter().map(|pair| pair.1).chain([count]);
    let updates = after
        .iter()
        .map(|&(before, after)| (before, terms.var(after)));
    Iterated {
        transition: Transition::new(
            terms,
            updates.collect::<Vec<_>>(),
            terms.or([none, some]),
            inputs.collect::<Vec<_>>(),
        ),
        count: ends.count,
    }
}
