//! What summaries are made of: a graph of transitions, with what is known at its nodes.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::{Symbol, Term, Terms, Transition};
use rhumb_program::graph::Graph;

/// A graph of transitions. Its nodes and edges are those of a block graph; the transitions may say more than the blocks
/// do ([`Gas`](crate::Gas)).
#[derive(Clone, Debug)]
pub struct Steps {
    /// The store.
    pub terms: Arc<Terms>,
    /// The symbols of the state, sorted.
    pub state: Vec<Symbol>,
    /// Where runs begin.
    pub entry: NodeId,
    /// The nodes.
    pub nodes: IndexVec<NodeId, StepNode>,
    /// The edges.
    pub edges: IndexVec<BlockEdgeId, Step>,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct StepNode {
    /// Whether the paths that are wanted end there.
    pub is_goal: bool,
    /// What every path may take for granted there.
    pub known: Term,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it begins.
    pub source: NodeId,
    /// Where it ends.
    pub target: NodeId,
    /// What it does.
    pub transition: Transition,
}

impl Steps {
    /// The blocks of a graph. Known at a node is what is given for it (see
    /// [`forward::at_nodes`](crate::forward::at_nodes)) and what the graph itself assumes there.
    pub fn of(graph: &BlockGraph, invariants: &IndexVec<NodeId, Vec<Term>>) -> Steps {
        let terms = graph.terms.clone();
        let vars = graph.state.vars().iter();
        let mut state: Vec<Symbol> = vars.filter_map(|&var| graph.state.symbol(var)).collect();
        state.sort_unstable();
        let nodes = graph.nodes.iter_enumerated().map(|(id, node)| {
            let given = invariants.get(id).into_iter().flatten().copied();
            StepNode {
                is_goal: node.kind.is_goal(),
                known: terms.and(given.chain([graph.ranges(id)]).collect::<Vec<_>>()),
            }
        });
        let edges = graph.edges.iter().map(|block| Step {
            source: block.source,
            target: block.target,
            transition: block.transition.clone(),
        });
        Steps {
            state,
            entry: graph.entry,
            nodes: nodes.collect(),
            edges: edges.collect(),
            terms,
        }
    }

    /// The graph of the nodes, for graph algorithms.
    pub fn graph(&self) -> Graph<NodeId> {
        let edges = self.edges.iter();
        Graph::new(
            self.nodes.len(),
            edges.map(|edge| (edge.source, edge.target)),
        )
    }
}
