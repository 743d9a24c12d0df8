//! Phases: a loop that behaves one way while a condition holds, and another way from then on.
//!
//! If no iteration makes a condition `p` false again, the loop is iterations without `p` followed by iterations with `p`, and each part is summarised by
//! itself (split predicates of compositional recurrence analysis). Candidates are the atoms of the body over the state before. Each part says
//! that it is empty or begins where its condition holds, exactly: that is what keeps the contract of the operators.

use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Node, Symbol, Term};

use super::{Closure, How, Loop, LoopOperator, OPERATORS, closure};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "phases",
    about: "loops in which a condition, once it holds, holds from then on",
    how: How::Parts(phases),
};

/// So many candidates are tried.
const CANDIDATES: usize = 12;

/// The loop as two phases, for each condition that splits it: for two of a loop, for one of a phase of it. More make the summary hard to solve.
fn phases(of: Loop<'_>, depth: usize, budget: &Budget) -> Vec<Closure> {
    let Loop {
        terms, iteration, ..
    } = of;
    let candidates = candidates(of);
    let mut found = Vec::new();
    if candidates.is_empty() {
        return found;
    }
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(iteration.guard);
    let mut after = iteration.substitution();
    for condition in candidates {
        if found.len() > depth || budget.is_spent() {
            break;
        }
        let opposite = terms.not(condition);
        let mut can = |assumed: &[Term]| !session.check_assuming(assumed, budget).is_unsat();
        if !can(&[condition]) || !can(&[opposite]) {
            continue;
        }
        let later = after.apply(terms, condition);
        let (first, second) = if !can(&[condition, terms.not(later)]) {
            (opposite, condition)
        } else if !can(&[opposite, later]) {
            (condition, opposite)
        } else {
            continue;
        };
        found.push(sequence(of, [first, second], depth, budget));
    }
    found
}

/// Iterations from states with the first condition, then iterations from states with the second.
fn sequence(of: Loop<'_>, conditions: [Term; 2], depth: usize, budget: &Budget) -> Closure {
    let terms = of.terms;
    let phase = |condition: Term| {
        let iteration = of.iteration.restrict(terms, condition);
        let Closure { transition, count } = closure(
            Loop {
                iteration: &iteration,
                ..of
            },
            OPERATORS,
            depth,
            budget,
        );
        let begins = terms.or([terms.eq(count, terms.int(0)), condition]);
        Closure {
            transition: transition.restrict(terms, begins),
            count,
        }
    };
    let [first, second] = conditions.map(phase);
    Closure {
        // The counts are made of symbols of their own, so composition leaves them alone.
        transition: first.transition.compose(terms, &second.transition),
        count: terms.add(first.count, second.count),
    }
}

/// The atoms of the body that speak of the state before alone, those of branches on single variables first.
fn candidates(of: Loop<'_>) -> Vec<Term> {
    let Loop {
        terms,
        iteration,
        state,
        ..
    } = of;
    let values = iteration.updates.iter().map(|update| update.1);
    let is_atom = |term: &Term| {
        matches!(
            terms.node(*term),
            Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..)
        )
    };
    let of_state = |symbols: &[Symbol]| {
        let known = |symbol: &Symbol| state.binary_search(symbol).is_ok();
        !symbols.is_empty() && symbols.iter().all(known)
    };
    let mut found: Vec<(usize, Term)> = terms
        .postorder(values.chain([iteration.guard]))
        .into_iter()
        .filter(is_atom)
        .filter_map(|atom| {
            let symbols = terms.symbols([atom]);
            of_state(&symbols).then_some((symbols.len(), atom))
        })
        .collect();
    found.sort_unstable();
    // An inequality and its opposite split alike.
    let mut atoms: Vec<Term> = Vec::new();
    for (_, atom) in found {
        if !atoms.contains(&terms.not(atom)) {
            atoms.push(atom);
        }
    }
    atoms.truncate(CANDIDATES);
    atoms
}
