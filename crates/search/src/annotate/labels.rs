//! What is known of locations and edges: conditions under which no goal can be reached.

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::{Term, Terms};

/// A condition under which no goal can be reached from a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label {
    /// Over the variables there.
    pub(super) formula: Term,
    /// If no more back edges than this are left to be taken (the paper's conjunct `tau < n + 1`); none if it holds whatever is left.
    pub(super) bound: Option<u32>,
}

impl Label {
    /// Whether it says something of runs with so many back edges left.
    pub(super) fn applies(&self, left: u32) -> bool {
        self.bound.is_none_or(|bound| left <= bound)
    }

    /// What blocks all of these ways at once.
    pub(super) fn conjoin(terms: &Terms, labels: &[Label]) -> Label {
        Label {
            formula: terms.and(labels.iter().map(|label| label.formula)),
            bound: labels.iter().filter_map(|label| label.bound).min(),
        }
    }

    /// Whether the other one says no more.
    fn covers(&self, other: &Label) -> bool {
        let is_longer = match (self.bound, other.bound) {
            (None, _) => true,
            (Some(bound), Some(other)) => bound >= other,
            (Some(_), None) => false,
        };
        is_longer && self.formula == other.formula
    }
}

/// Labels of all places, each place with the disjunction of its own. A place without labels is one of which nothing is known.
#[derive(Debug)]
pub(super) struct Annotation {
    pub(super) nodes: IndexVec<NodeId, Vec<Label>>,
    pub(super) edges: IndexVec<BlockEdgeId, Vec<Label>>,
}

impl Annotation {
    pub(super) fn empty(graph: &BlockGraph) -> Annotation {
        Annotation {
            nodes: graph.nodes.iter().map(|_| Vec::new()).collect(),
            edges: graph.edges.iter().map(|_| Vec::new()).collect(),
        }
    }

    /// The states at a node from which no goal can be reached: by labels without a bound, and by those that apply.
    pub(super) fn blocked(&self, terms: &Terms, node: NodeId, left: u32) -> (Term, Term) {
        let always = self.nodes[node]
            .iter()
            .filter(|label| label.bound.is_none());
        let now = self.nodes[node].iter().filter(|label| label.applies(left));
        (
            terms.or(always.map(|label| label.formula)),
            terms.or(now.map(|label| label.formula)),
        )
    }

    /// The number of labels.
    pub(super) fn len(&self) -> usize {
        let nodes = self.nodes.iter().map(Vec::len).sum::<usize>();
        nodes + self.edges.iter().map(Vec::len).sum::<usize>()
    }
}

/// Adds a label, and drops those that say no more.
pub(super) fn add(labels: &mut Vec<Label>, label: Label) {
    if !labels.iter().any(|known| known.covers(&label)) {
        labels.retain(|known| !label.covers(known));
        labels.push(label);
    }
}
