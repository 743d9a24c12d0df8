//! Phases: a loop that behaves one way while a condition holds, and another way from then on.
//!
//! If no iteration makes a condition `p` false again, the loop is iterations without `p` followed by iterations with
//! `p`, and each part is summarised by itself (split predicates of compositional recurrence analysis). Candidates are
//! the atoms of the body over the state before. Each part says that it is empty or begins where its condition holds,
//! exactly: that is what keeps the contract of the operators.

use rhumb_logic::hull::Settled;
use rhumb_logic::{Budget, Node, Symbol, Term};

use super::{Closure, How, Loop, LoopOperator, part};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "phases",
    about: "loops in which a condition, once it holds, holds from then on",
    how: How::Parts(phases),
};

/// So many candidates are tried.
const CANDIDATES: usize = 12;

/// The loop as two phases, for each condition that splits it: for two of a loop, for one of a phase of it. More make
/// the summary hard to solve.
fn phases(of: Loop<'_>, depth: usize, budget: &Budget) -> Vec<Closure> {
    let candidates = candidates(of);
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for conditions in ordered(of, &candidates, budget) {
        if found.len() > depth || budget.is_spent() {
            break;
        }
        found.push(sequence(of, conditions, depth, budget));
    }
    found
}

/// Those of the candidates that iterations distinguish and no iteration makes false again, each behind its opposite; or
/// the other way round.
fn ordered(of: Loop<'_>, candidates: &[Term], budget: &Budget) -> Vec<[Term; 2]> {
    let Loop {
        terms,
        iteration,
        tools,
        ..
    } = of;
    let mut after = iteration.substitution();
    let questions = candidates.iter().flat_map(|&condition| {
        let later = after.apply(terms, condition);
        let (opposite, never) = (terms.not(condition), terms.not(later));
        let [falls, rises] = [[condition, never], [opposite, later]].map(|both| terms.and(both));
        [condition, falls, rises]
    });
    let questions: Vec<Term> = questions.collect();
    let mut abstraction = tools.abstraction(iteration.guard);
    let answers = abstraction.settled(&questions, budget);
    tools.keep(abstraction.models());
    let Settled::Values(answers) = answers else {
        return Vec::new();
    };
    let answers = candidates.iter().zip(answers.chunks(3));
    let ordered = answers.filter_map(|(&condition, answers)| {
        let opposite = terms.not(condition);
        match *answers {
            [None, Some(false), _] => Some([opposite, condition]),
            [None, _, Some(false)] => Some([condition, opposite]),
            _ => None,
        }
    });
    ordered.collect()
}

/// Iterations from states with the first condition, then iterations from states with the second.
fn sequence(of: Loop<'_>, conditions: [Term; 2], depth: usize, budget: &Budget) -> Closure {
    let terms = of.terms;
    let phase = |condition: Term| {
        let iteration = of.iteration.restrict(terms, condition);
        let of = Loop {
            iteration: &iteration,
            ..of
        };
        let Closure { transition, count } = part(of, depth, budget);
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
    let Loop { terms, state, .. } = of;
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
        .postorder(of.parts())
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
