//! What is looked at: predicates, place by place.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::term::Node;
use rhumb_logic::{Term, Terms};
use rustc_hash::FxHashMap;

/// What a clause of a label leaves behind as predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pieces {
    /// Itself: then a conjunction of predicates can say it.
    Clauses,
    /// Its atoms: then a combination of predicates can say it, and others.
    Atoms,
}

/// The predicates of every place, in the order in which they came.
#[derive(Debug)]
pub(super) struct Precision {
    at: IndexVec<NodeId, Vec<Term>>,
    places: FxHashMap<(NodeId, Term), usize>,
    pieces: Pieces,
}

impl Precision {
    /// No predicates.
    pub(super) fn new(graph: &BlockGraph, pieces: Pieces) -> Precision {
        Precision {
            at: graph.nodes.iter().map(|_| Vec::new()).collect(),
            places: FxHashMap::default(),
            pieces,
        }
    }

    /// The predicates of a place.
    pub(super) fn at(&self, node: NodeId) -> &[Term] {
        &self.at[node]
    }

    /// The number of predicates of all places.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds what it takes to express a clause. Returns how many of the place's predicates, the first ones, are enough for it.
    pub(super) fn add(&mut self, terms: &Terms, node: NodeId, clause: Term) -> usize {
        let pieces = match self.pieces {
            Pieces::Clauses => vec![clause],
            Pieces::Atoms => atoms(terms, clause),
        };
        let places = pieces.into_iter().map(|piece| {
            // A predicate and its negation are one.
            let predicate = piece.min(terms.not(piece));
            let at = &mut self.at[node];
            let place = *self.places.entry((node, predicate)).or_insert_with(|| {
                at.push(predicate);
                at.len() - 1
            });
            place + 1
        });
        places.max().unwrap_or(0)
    }
}

/// The atoms of a formula: what its connectives connect.
pub(super) fn atoms(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut pending = vec![formula];
    while let Some(term) = pending.pop() {
        match terms.node(term) {
            Node::Bool(_) => {}
            Node::Not(inner) => pending.push(*inner),
            Node::And(parts) | Node::Or(parts) => pending.extend(parts.iter().rev()),
            Node::Iff(a, b) => pending.extend([*b, *a]),
            _ if !found.contains(&term) => found.push(term),
            _ => {}
        }
    }
    found
}
