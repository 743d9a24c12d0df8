//! Gas: a bound on the number of iterations that a run makes, which the run itself chooses.
//!
//! A run begins with any amount of gas that is not negative, and whoever goes on from a loop head has to have some and
//! uses one unit up, also when leaving the loop. So no run is endless, and nothing that a goal needs is lost, since the
//! amount is free. It goes in before summaries are built: then they say how much gas a way to the goal takes, and from
//! a state with little of it only steps that make progress are left.
//!
//! It makes no difference to that whether the amount is for the whole run or whether there is another one for each loop
//! that the run comes to from outside, since loops that are left for good are left behind. But then what one loop takes
//! says nothing of what the next ones take, and what is required at a loop stays as small as the loop is, however many
//! follow: right for programs with many loops in a row.
//!
//! Gas is a ghost. What is proved about a program holds for every amount of it.

use rhumb_encode::NodeId;
use rhumb_logic::{Sort, Symbol, Transition};
use rhumb_program::graph::LoopNest;
use rustc_hash::FxHashSet;

use crate::preset::Preset;
use crate::steps::Steps;

/// The gas of a graph of transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gas {
    /// Its symbol, part of the state from now on.
    pub symbol: Symbol,
}

/// Where gas is handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supply {
    /// At the entry, for the whole run.
    ForRun,
    /// Wherever a loop is entered that is not part of the one before: for this loop, with all that are in it.
    ForEachLoop,
}

impl Supply {
    /// The paper has one amount for a run.
    pub(crate) fn of(preset: Preset) -> Supply {
        match preset {
            Preset::Paper => Supply::ForRun,
            Preset::Full => Supply::ForEachLoop,
        }
    }
}

impl Gas {
    /// Makes every way round a loop cost gas.
    pub fn instrument(steps: &mut Steps, supply: Supply) -> Gas {
        let terms = steps.terms.clone();
        let gas = terms.symbol("gas", Sort::Int);
        let (amount, zero) = (terms.var(gas), terms.int(0));
        let graph = steps.graph();
        let entry = steps.entry;
        // An entry that runs come back to can't hand out gas; there the state at the beginning, of which nothing is known, has it already.
        let is_filled_at_entry = !steps.edges.iter().any(|edge| edge.target == entry);
        let heads: FxHashSet<NodeId> = match graph.is_empty() {
            true => FxHashSet::default(),
            false => LoopNest::of(&graph, entry)
                .heads()
                .iter()
                .copied()
                .collect(),
        };
        let components = graph.components();
        let fills = |source: NodeId, target: NodeId| match supply {
            Supply::ForRun => source == entry && is_filled_at_entry,
            Supply::ForEachLoop => {
                components.is_cyclic(target) && components.of(source) != components.of(target)
            }
        };
        let burn = Transition::assign(&terms, [(gas, terms.sub(amount, terms.int(1)))])
            .restrict(&terms, terms.gt(amount, zero));
        for edge in &mut steps.edges {
            if heads.contains(&edge.source) {
                edge.transition = burn.compose(&terms, &edge.transition);
            }
            if fills(edge.source, edge.target) {
                // Each edge has an input of its own for that.
                let filled =
                    Transition::havoc(&terms, [gas]).restrict_after(&terms, terms.ge(amount, zero));
                edge.transition = edge.transition.compose(&terms, &filled);
            }
        }
        for (id, node) in steps.nodes.iter_mut_enumerated() {
            let has_gas = match supply {
                Supply::ForRun => id != entry || !is_filled_at_entry,
                Supply::ForEachLoop => components.is_cyclic(id),
            };
            if has_gas {
                node.known = terms.and([node.known, terms.ge(amount, zero)]);
            }
        }
        steps.state.push(gas);
        steps.state.sort_unstable();
        Gas { symbol: gas }
    }
}
