//! Gas: a bound on the number of iterations that a run makes, which the run itself chooses.
//!
//! A run begins with any amount of gas that is not negative, and whoever goes on from a loop head has to have some and uses one unit up, also when leaving the
//! loop. So no run is endless, and nothing that a goal needs is lost, since the amount is free. It goes in before summaries are built: then they say how
//! much gas a way to the goal takes, and from a state with little of it only steps that make progress are left.
//!
//! Gas is a ghost. What is proved about a program holds for every amount of it.

use rhumb_encode::NodeId;
use rhumb_logic::{Sort, Symbol, Transition};
use rhumb_program::graph::LoopNest;

use crate::steps::Steps;

/// The gas of a graph of transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gas {
    /// Its symbol, part of the state from now on.
    pub symbol: Symbol,
}

impl Gas {
    /// Makes every way round a loop cost gas.
    pub fn instrument(steps: &mut Steps) -> Gas {
        let terms = steps.terms.clone();
        let gas = terms.symbol("gas", Sort::Int);
        let (amount, zero) = (terms.var(gas), terms.int(0));
        let graph = steps.graph();
        let entry = steps.entry;
        // An entry that runs come back to can't hand out gas; there the state at the beginning, of which nothing is known, has it already.
        let is_filled_at_entry = !steps.edges.iter().any(|edge| edge.target == entry);
        let heads = if graph.is_empty() {
            Vec::new()
        } else {
            LoopNest::of(&graph, entry).heads().to_vec()
        };
        let is_head = |node: NodeId| heads.contains(&node);
        let burn = Transition::assign(&terms, [(gas, terms.sub(amount, terms.int(1)))])
            .restrict(&terms, terms.gt(amount, zero));
        for edge in &mut steps.edges {
            if edge.source == entry && is_filled_at_entry {
                let filled =
                    Transition::havoc(&terms, [gas]).restrict_after(&terms, terms.ge(amount, zero));
                edge.transition = filled.compose(&terms, &edge.transition);
            } else if is_head(edge.source) {
                edge.transition = burn.compose(&terms, &edge.transition);
            }
        }
        for (id, node) in steps.nodes.iter_mut_enumerated() {
            if id != entry || !is_filled_at_entry {
                node.known = terms.and([node.known, terms.ge(amount, zero)]);
            }
        }
        steps.state.push(gas);
        steps.state.sort_unstable();
        Gas { symbol: gas }
    }
}
