//! Induction over several steps.
//!
//! A formula that is kept by every two (three) steps in a row, but not by every single one, is made one that is:
//! together with the weakest precondition of itself, and of that. So induction over k steps needs no rule of its own,
//! and its proofs are as any other. Right for programs that take a few iterations to get where the error is, from
//! states that nobody reaches.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::project::{ProjectionLimits, Projector};
use rhumb_logic::{Budget, Term, Terms};

use crate::facts::Facts;

/// Steps before what must not be.
const STEPS: usize = 3;

/// Candidates of a node that are looked at together.
const TOGETHER: usize = 8;

/// Limits of one projection: preconditions that take more are of no use as candidates.
const LIMITS: ProjectionLimits = ProjectionLimits {
    rounds: 48,
    literals: 600,
};

/// Preconditions as candidates: that no goal is reached within 1, 2, 3 blocks, and that candidates of the store hold for so long.
pub(super) fn deeper(graph: &BlockGraph, facts: &Facts, budget: &Budget) -> Vec<(NodeId, Term)> {
    let terms = &graph.terms;
    let mut projector = Projector::with_limits(terms.clone(), LIMITS);
    let mut found = Vec::new();
    let goals = graph
        .nodes
        .iter()
        .map(|node| terms.bool(node.kind.is_goal()));
    let broken = graph.nodes.indices().map(|node| {
        let candidates: Vec<Term> = facts.candidates(node).collect();
        let last = candidates.len().saturating_sub(TOGETHER);
        terms.not(terms.and(candidates[last..].iter().copied()))
    });
    for start in [goals.collect(), broken.collect()] {
        let mut bad: IndexVec<NodeId, Term> = start;
        if bad
            .iter()
            .all(|&formula| terms.as_bool(formula) == Some(false))
        {
            continue;
        }
        for _ in 0..STEPS {
            let Some(before) = precondition(graph, facts, &mut projector, &bad, budget) else {
                break;
            };
            let inner = before.iter_enumerated().filter(|(node, formula)| {
                **formula != bad[*node] && !graph.nodes[*node].kind.is_goal()
            });
            found.extend(inner.map(|(node, &formula)| (node, terms.not(formula))));
            bad = before;
        }
    }
    found
}

/// The states in which something is, or can be after one block, as it must not be; none if that can't be said within the limits.
fn precondition(
    graph: &BlockGraph,
    facts: &Facts,
    projector: &mut Projector,
    bad: &IndexVec<NodeId, Term>,
    budget: &Budget,
) -> Option<IndexVec<NodeId, Term>> {
    let terms = &graph.terms;
    let mut before = bad.clone();
    for (node, block) in graph.nodes.iter_enumerated() {
        let known = facts.proved(node).chain([graph.ranges(node)]);
        let known = terms.and(known.collect::<Vec<_>>());
        for &edge in &block.outgoing {
            let edge = &graph.edges[edge];
            if terms.as_bool(bad[edge.target]) == Some(false) {
                continue;
            }
            let step = edge.transition.before(terms, bad[edge.target]);
            // What is known keeps the projection small, and is no part of the precondition.
            let step = terms.and([known, step]);
            let leads = projector
                .exact(step, &edge.transition.inputs, budget)
                .ok()?;
            before[node] = terms.or([before[node], without(terms, leads, known)]);
        }
    }
    Some(before)
}

/// A formula without those conjuncts of its disjuncts that are known.
fn without(terms: &Terms, formula: Term, known: Term) -> Term {
    let known = terms.conjuncts(known);
    let disjuncts = terms.disjuncts(formula).into_iter().map(|cube| {
        let literals = terms.conjuncts(cube).into_iter();
        terms.and(literals.filter(|literal| !known.contains(literal)))
    });
    terms.or(disjuncts.collect::<Vec<_>>())
}
