//! Labels with a bound for each cycle, and the labels of all places of all procedures.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::{Term, Terms};
use rustc_hash::FxHashMap;

use super::model::Procedure;

/// A negative summary: how an activation is not left from a place, over the state there and the symbols of the exit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Label {
    pub(super) formula: Term,
    /// It holds if of each of these parts no more than this is left; sorted.
    pub(super) bounds: Vec<(usize, u32)>,
}

impl Label {
    /// Whether it says something of runs with so much left.
    pub(super) fn applies(&self, left: &[u32]) -> bool {
        self.bounds.iter().all(|&(part, bound)| left[part] <= bound)
    }

    /// What blocks all of these ways at once.
    pub(super) fn conjoin(terms: &Terms, labels: &[Label]) -> Label {
        let mut least: FxHashMap<usize, u32> = FxHashMap::default();
        for &(part, bound) in labels.iter().flat_map(|label| &label.bounds) {
            let known = least.entry(part).or_insert(bound);
            *known = bound.min(*known);
        }
        let mut bounds: Vec<(usize, u32)> = least.into_iter().collect();
        bounds.sort_unstable();
        Label {
            formula: terms.and(labels.iter().map(|label| label.formula)),
            bounds,
        }
    }

    /// Whether the other one says no more.
    fn covers(&self, other: &Label) -> bool {
        let mut bounds = self.bounds.iter();
        self.formula == other.formula
            && bounds.all(|&(part, bound)| {
                let mut others = other.bounds.iter();
                others.any(|&(known, least)| known == part && least <= bound)
            })
    }
}

/// What is known at a place, for runs with so much left.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// How an activation is not left from there.
    pub(super) formula: Term,
    /// The parts of the bounds that this rests on.
    pub(super) parts: Vec<usize>,
}

/// Labels of all places.
pub(super) struct Annotation {
    pub(super) nodes: FxHashMap<(usize, NodeId), Vec<Label>>,
    pub(super) edges: FxHashMap<(usize, BlockEdgeId), Vec<Label>>,
    /// Counts what was added.
    pub(super) version: u64,
}

impl Annotation {
    /// What is known before anything is learned: of goals, and of returns.
    pub(super) fn given(procedures: &[Procedure]) -> Annotation {
        let mut annotation = Annotation {
            nodes: FxHashMap::default(),
            edges: FxHashMap::default(),
            version: 0,
        };
        for (place, procedure) in procedures.iter().enumerate() {
            for node in procedure.graph.nodes.indices() {
                if let Some(formula) = procedure.given_label(node) {
                    let bounds = Vec::new();
                    let label = Label { formula, bounds };
                    annotation.nodes.insert((place, node), vec![label]);
                }
            }
        }
        annotation
    }

    /// The labels of a node.
    pub(super) fn at(&self, procedure: usize, node: NodeId) -> &[Label] {
        self.nodes
            .get(&(procedure, node))
            .map_or(&[], Vec::as_slice)
    }

    /// What holds at a node if so much is left; with nothing given, whatever is left.
    pub(super) fn known(
        &self,
        terms: &Terms,
        procedure: usize,
        node: NodeId,
        left: Option<&[u32]>,
    ) -> Known {
        let labels = self.at(procedure, node).iter();
        let labels = labels.filter(|label| match left {
            Some(left) => label.applies(left),
            None => label.bounds.is_empty(),
        });
        let labels: Vec<&Label> = labels.collect();
        let parts = labels.iter().flat_map(|label| &label.bounds);
        let mut parts: Vec<usize> = parts.map(|bound| bound.0).collect();
        parts.sort_unstable();
        parts.dedup();
        Known {
            formula: terms.or(labels.iter().map(|label| label.formula)),
            parts,
        }
    }

    pub(super) fn label_node(&mut self, procedure: usize, node: NodeId, label: Label) {
        self.version += 1;
        add(self.nodes.entry((procedure, node)).or_default(), label);
    }

    pub(super) fn label_edge(&mut self, procedure: usize, edge: BlockEdgeId, label: Label) {
        add(self.edges.entry((procedure, edge)).or_default(), label);
    }

    /// The number of labels.
    pub(super) fn len(&self) -> usize {
        let nodes = self.nodes.values().map(Vec::len).sum::<usize>();
        nodes + self.edges.values().map(Vec::len).sum::<usize>()
    }
}

/// Adds a label, and drops those that say no more.
fn add(labels: &mut Vec<Label>, label: Label) {
    if !labels.iter().any(|known| known.covers(&label)) {
        labels.retain(|known| !label.covers(known));
        labels.push(label);
    }
}
