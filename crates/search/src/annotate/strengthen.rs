//! Labels without bounds from those with bounds: what of them justifies itself.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::session::Session;
use rhumb_logic::{Budget, Term};

use super::labels::{Annotation, Label, add};

/// Takes the labels of nodes without their bounds and keeps the greatest part that is justified by itself: from a state
/// of a label every step leads to a state of a label. Says whether the labels of the entry hold of all states there
/// then; none if the budget was spent before.
pub(super) fn strengthen(
    graph: &BlockGraph,
    annotation: &mut Annotation,
    session: &mut Session,
    budget: &Budget,
) -> Option<bool> {
    let terms = graph.terms.clone();
    let formulas = annotation.nodes.iter().map(|labels| {
        let mut formulas: Vec<Term> = labels.iter().map(|label| label.formula).collect();
        formulas.sort_unstable();
        formulas.dedup();
        formulas
    });
    let mut kept: IndexVec<NodeId, Vec<Term>> = formulas.collect();
    loop {
        let mut changes = false;
        for node in graph.nodes.indices() {
            let mut index = 0;
            while let Some(&formula) = kept[node].get(index) {
                if budget.is_spent() {
                    return None;
                }
                let outgoing = graph.nodes[node].outgoing.iter();
                let is_justified = outgoing.map(|&edge| &graph.edges[edge]).all(|edge| {
                    let after = terms.or(kept[edge.target].iter().copied());
                    let bad = edge.transition.before(&terms, terms.not(after));
                    let question = [graph.ranges(node), formula, bad];
                    session.is_sat(&question, budget) == Some(false)
                });
                if is_justified {
                    index += 1;
                } else {
                    kept[node].remove(index);
                    changes = true;
                }
            }
        }
        if !changes {
            break;
        }
    }
    let entry = terms.or(kept[graph.entry].iter().copied());
    let question = [graph.ranges(graph.entry), terms.not(entry)];
    let holds = session.is_sat(&question, budget) == Some(false);
    for (node, formulas) in kept.into_iter_enumerated() {
        for formula in formulas {
            let bound = None;
            add(&mut annotation.nodes[node], Label { formula, bound });
        }
    }
    Some(holds)
}
