//! The oracle: from which states a goal can still be reached.
//!
//! It knows the forward invariants of a block graph and the summaries of the paths to its goals, and gives what they require of a state in two forms
//! without quantifiers: one for evaluation in tests, and one that is closed under the blocks, for proofs.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::project::Projector;
use rhumb_logic::{Budget, Term, Transition};
use rustc_hash::FxHashMap;

use crate::forward;
use crate::gas::Gas;
use crate::preset::Preset;
use crate::steps::Steps;
use crate::sum::Summaries;

/// What goes into an oracle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OracleOptions {
    /// Whether loops are summarised. If not, nothing is required of a state from which the graph has a way to a goal.
    pub summaries: bool,
    /// Whether runs are bounded by gas.
    pub gas: bool,
    /// Which operators and invariants there are.
    pub preset: Preset,
}

/// From which states a goal can still be reached.
pub struct Oracle {
    known: IndexVec<NodeId, Vec<Term>>,
    summaries: Summaries,
    gas: Option<Gas>,
    projector: Projector,
    prune: FxHashMap<NodeId, Term>,
}

impl Oracle {
    /// Prepares an oracle: invariants are computed now, summaries when they are asked for.
    pub fn new(graph: &BlockGraph, options: OracleOptions, budget: &Budget) -> Oracle {
        let known = forward::at_nodes(graph, budget);
        let mut steps = Steps::of(graph, &known);
        let gas = options.gas.then(|| Gas::instrument(&mut steps));
        Oracle {
            known,
            summaries: Summaries::new(steps),
            gas,
            projector: Projector::new(graph.terms.clone()),
            prune: FxHashMap::default(),
        }
    }

    /// What holds at a node on every run.
    pub fn known(&self, node: NodeId) -> &[Term] {
        &self.known[node]
    }

    /// The transitions that summaries are made of, with gas if there is any.
    pub fn steps(&self) -> &Steps {
        self.summaries.steps()
    }

    /// The gas, if runs are bounded by it.
    pub fn gas(&self) -> Option<Gas> {
        self.gas
    }

    /// The summary of all paths from a node to a goal: its guard is what they require, over the state (and gas) at the node and its inputs.
    pub fn summary(&mut self, node: NodeId, budget: &Budget) -> Transition {
        self.summaries.to_goals(node, budget)
    }

    /// What the summary requires of a state, without quantifiers, perhaps less: for evaluation. Over the state, and gas if there is any.
    pub fn prune(&mut self, node: NodeId, budget: &Budget) -> Term {
        if let Some(&known) = self.prune.get(&node) {
            return known;
        }
        let summary = self.summaries.to_goals(node, budget);
        let projector = &mut self.projector;
        let reaches = projector
            .exact(summary.guard, &summary.inputs, budget)
            .or_else(|_| projector.rational(summary.guard, &summary.inputs, budget))
            .unwrap_or_else(|_| self.summaries.steps().terms.bool(true));
        self.prune.insert(node, reaches);
        reaches
    }
}
