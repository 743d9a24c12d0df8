//! What the tree is about: the blocks of a program, what is known at their ends, and where a goal can still be reached from.

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::{Term, Transition};

/// A block graph with what is proved about it. Gas does not occur here: what labels say holds for every amount of it.
pub(crate) struct Space<'t> {
    /// The graph.
    pub(crate) graph: &'t BlockGraph,
    /// Invariants at each node, one by one.
    known: IndexVec<NodeId, Vec<Term>>,
    /// For each node a formula that holds wherever a goal can be reached, closed under the blocks.
    reaches: IndexVec<NodeId, Term>,
    /// For each node sets of states from which no goal can be reached, beside those that `reaches` excluded at first.
    /// Every block leads from them to such states only, so what a goal takes stays closed without them.
    blocked: IndexVec<NodeId, Vec<Term>>,
    /// The blocks, from states in which the invariants hold.
    blocks: IndexVec<BlockEdgeId, Transition>,
}

impl<'t> Space<'t> {
    /// A graph with invariants, which may use each other. Nothing is known yet of what a goal takes.
    pub(crate) fn new(graph: &'t BlockGraph, known: IndexVec<NodeId, Vec<Term>>) -> Space<'t> {
        let mut space = Space {
            graph,
            known,
            reaches: graph.nodes.iter().map(|_| graph.terms.bool(true)).collect(),
            blocked: graph.nodes.iter().map(|_| Vec::new()).collect(),
            blocks: graph
                .edges
                .iter()
                .map(|edge| edge.transition.clone())
                .collect(),
        };
        for node in graph.nodes.indices() {
            space.restrict(node);
        }
        space
    }

    /// What holds at a node, one by one, without what its types say.
    pub(crate) fn invariants(&self, node: NodeId) -> &[Term] {
        &self.known[node]
    }

    /// What holds at a node.
    pub(crate) fn known(&self, node: NodeId) -> Term {
        let known = self.known[node].iter().copied();
        self.graph
            .terms
            .and(known.chain([self.graph.ranges(node)]).collect::<Vec<_>>())
    }

    /// What holds at a node wherever a goal can be reached.
    pub(crate) fn reaches(&self, node: NodeId) -> Term {
        self.reaches[node]
    }

    /// Whether nothing excludes that a goal can be reached from a node.
    pub(crate) fn always_reaches(&self, node: NodeId) -> bool {
        self.graph.terms.as_bool(self.reaches[node]) == Some(true)
    }

    /// A block, from states in which the invariants hold.
    pub(crate) fn block(&self, edge: BlockEdgeId) -> &Transition {
        &self.blocks[edge]
    }

    /// Adds an invariant that was proved.
    pub(crate) fn learn(&mut self, node: NodeId, invariant: Term) {
        self.known[node].push(invariant);
        self.restrict(node);
    }

    /// Says what a goal takes.
    pub(crate) fn set_reaches(&mut self, reaches: IndexVec<NodeId, Term>) {
        self.reaches = reaches;
        for node in self.graph.nodes.indices() {
            for states in self.blocked[node].clone() {
                self.exclude(node, states);
            }
        }
    }

    /// From now on no goal can be reached from some states: every block leads from them to states of this kind.
    pub(crate) fn block_states(&mut self, node: NodeId, states: Term) {
        self.blocked[node].push(states);
        self.exclude(node, states);
    }

    fn exclude(&mut self, node: NodeId, states: Term) {
        let terms = &self.graph.terms;
        self.reaches[node] = terms.and([self.reaches[node], terms.not(states)]);
    }

    fn restrict(&mut self, node: NodeId) {
        let known = self.known(node);
        for &edge in &self.graph.nodes[node].outgoing {
            let block = &self.graph.edges[edge].transition;
            self.blocks[edge] = block.restrict(&self.graph.terms, known);
        }
    }
}
