//! Labels without bounds from those with bounds: what of them justifies itself, in all procedures at once.

use rhumb_encode::NodeId;
use rhumb_logic::session::Session;
use rhumb_logic::{Budget, Term};
use rustc_hash::FxHashMap;

use super::labels::{Annotation, Label};
use super::model::Procedure;

/// Takes the labels of nodes without their bounds and keeps the greatest part that is justified by itself: what a label
/// excludes is excluded behind every step, and a call is a step of which the labels at the callee's entry say what is
/// excluded. Says whether no run from the start reaches a goal then; none if the budget was spent before.
pub(super) fn strengthen(
    procedures: &[Procedure],
    annotation: &mut Annotation,
    session: &mut Session,
    budget: &Budget,
) -> Option<bool> {
    let terms = session.terms().clone();
    let mut kept: FxHashMap<(usize, NodeId), Vec<Term>> = FxHashMap::default();
    for (&place, labels) in &annotation.nodes {
        let mut formulas: Vec<Term> = labels.iter().map(|label| label.formula).collect();
        formulas.sort_unstable();
        formulas.dedup();
        kept.insert(place, formulas);
    }
    let mut places: Vec<(usize, NodeId)> = kept.keys().copied().collect();
    places.sort_unstable();
    // What is given needs no reason.
    places.retain(|&(place, node)| procedures[place].given_label(node).is_none());
    loop {
        let mut changes = false;
        for &(place, node) in &places {
            let procedure = &procedures[place];
            let outgoing = &procedure.graph.nodes[node].outgoing;
            let bad: Vec<Term> = outgoing
                .iter()
                .map(|&edge| {
                    let excluded = |place: usize, node: NodeId| {
                        let known = kept.get(&(place, node)).into_iter().flatten();
                        terms.or(known.copied())
                    };
                    let block = &procedure.graph.edges[edge];
                    let open = terms.not(excluded(place, block.target));
                    let Some(call) = procedure.calls.get(&edge) else {
                        return block.transition.before(&terms, open);
                    };
                    let callee = &procedures[call.callee];
                    let inside = excluded(call.callee, callee.graph.entry);
                    let returning = call.returning(&terms, &block.transition, callee, inside);
                    let aborting = call.aborting(&terms, callee, inside);
                    terms.or([
                        returning.before(&terms, open),
                        aborting.before(&terms, procedure.exit.aborting(&terms)),
                    ])
                })
                .collect();
            let formulas = kept.get(&(place, node)).cloned().unwrap_or_default();
            let mut justified = Vec::with_capacity(formulas.len());
            for &formula in &formulas {
                if budget.is_spent() {
                    return None;
                }
                let is_justified = bad.iter().all(|&bad| {
                    let question = [procedure.graph.ranges(node), formula, bad];
                    session.is_sat(&question, budget) == Some(false)
                });
                if is_justified {
                    justified.push(formula);
                }
            }
            changes |= justified.len() < formulas.len();
            kept.insert((place, node), justified);
        }
        if !changes {
            break;
        }
    }
    for &(place, node) in &places {
        for &formula in &kept[&(place, node)] {
            let bounds = Vec::new();
            annotation.label_node(place, node, Label { formula, bounds });
        }
    }
    let start = &procedures[0];
    let entry = annotation.known(&terms, 0, start.graph.entry, None);
    let question = [
        start.graph.ranges(start.graph.entry),
        start.exit.aborting(&terms),
        terms.not(entry.formula),
    ];
    Some(session.is_sat(&question, budget) == Some(false))
}
