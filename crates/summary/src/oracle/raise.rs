//! More precision for single loops, later on.
//!
//! The new summary of a loop holds beside the old one, and so does everything that was derived from it: what was
//! excluded once stays excluded. Only what depends on the loop is derived again.

use index_vec::IndexVec;
use rhumb_encode::NodeId;
use rhumb_logic::{Budget, Term};
use rustc_hash::FxHashMap;

use super::Oracle;
use super::closed::Closed;
use super::simplify::simplified;

/// What was derived before loops were raised.
#[derive(Default)]
pub(super) struct Before {
    /// What was required of states, with gas.
    required: FxHashMap<NodeId, Term>,
    /// The formulas for proofs.
    closed: Option<IndexVec<NodeId, Term>>,
}

impl Oracle {
    /// Looks closer at a loop, and says whether its summary has changed: then what depends on it will be derived again,
    /// and includes what was required before.
    pub fn raise(&mut self, head: NodeId, budget: &Budget) -> bool {
        if !self.options.summaries {
            return false;
        }
        let nodes = self.summaries.raise(head, budget);
        for &node in &nodes {
            self.windows.remove(&node);
            if let Some(required) = self.required.remove(&node) {
                self.before.required.insert(node, required.formula);
            }
        }
        if !nodes.is_empty()
            && let Some(closed) = self.closed.take()
        {
            self.before.closed = Some(closed.formulas);
        }
        !nodes.is_empty()
    }

    /// What is required of a state, with what was required of it before.
    pub(super) fn with_former(&mut self, node: NodeId, formula: Term, budget: &Budget) -> Term {
        let Some(&former) = self.before.required.get(&node) else {
            return formula;
        };
        let known = self.steps().nodes[node].known;
        let both = self.plain.terms.and([formula, former]);
        simplified(self.projector.session(), both, known, budget)
    }

    /// Closed formulas together with those from before: a conjunction of closed formulas is closed.
    pub(super) fn with_former_closed(&mut self, mut closed: Closed, budget: &Budget) -> Closed {
        let Some(former) = &self.before.closed else {
            return closed;
        };
        let terms = self.plain.terms.clone();
        for (node, formula) in closed.formulas.iter_mut_enumerated() {
            let known = self.plain.nodes[node].known;
            let both = terms.and([*formula, former[node]]);
            *formula = simplified(self.projector.session(), both, known, budget);
        }
        closed
    }
}
