//! The steps of an oracle as code, and what else a test wants to know about the graph.

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_program::graph::LoopNest;
use rhumb_summary::{Gas, Oracle};
use rustc_hash::FxHashMap;

use super::code::{Code, Condition};
use super::prover::Prepared;
use super::state::Layouts;
use crate::task::Task;

/// The steps of an oracle, compiled where they were taken.
pub(super) struct Program {
    pub(super) layouts: Layouts,
    gas: Option<Gas>,
    steps: IndexVec<BlockEdgeId, Option<Box<Code>>>,
    /// What is required of states, where it was asked for.
    pub(super) required: FxHashMap<NodeId, Condition>,
    ways: IndexVec<NodeId, Ways>,
    is_head: IndexVec<NodeId, bool>,
    pub(super) prepared: Prepared,
}

/// The blocks from a node, those first that lead closer to a goal; without those from which no goal is reached.
#[derive(Default)]
pub(super) struct Ways {
    /// Those that the state decides.
    pub(super) silent: Vec<BlockEdgeId>,
    /// Those that read something, or stand for more than one thing.
    pub(super) open: Vec<BlockEdgeId>,
}

impl Program {
    /// Prepares the steps of an oracle.
    pub(super) fn new(task: &Task<'_>, oracle: &Oracle) -> Program {
        let graph = &task.graph;
        let distance = distances(graph);
        let ways = graph.nodes.iter().map(|node| {
            let far = |edge: BlockEdgeId| distance[graph.edges[edge].target];
            let edges = node.outgoing.iter().copied();
            let mut edges: Vec<BlockEdgeId> = edges.filter(|&edge| far(edge).is_some()).collect();
            edges.sort_by_key(|&edge| far(edge));
            let reads = |edge: &BlockEdgeId| {
                let step = &oracle.steps().edges[*edge];
                !step.transition.inputs.is_empty()
            };
            let (open, silent) = edges.into_iter().partition(reads);
            Ways { silent, open }
        });
        let none = |nodes: usize| IndexVec::from_vec(vec![false; nodes]);
        let mut is_head: IndexVec<NodeId, bool> = none(graph.nodes.len());
        if !graph.nodes.is_empty() {
            for &head in LoopNest::of(&graph.graph(), graph.entry).heads() {
                is_head[head] = true;
            }
        }
        Program {
            layouts: Layouts::new(graph, oracle),
            gas: oracle.gas(),
            steps: graph.edges.iter().map(|_| None).collect(),
            required: FxHashMap::default(),
            ways: ways.collect(),
            is_head,
            prepared: Prepared::default(),
        }
    }

    /// Whether this is about the steps of the oracle as it is now.
    pub(super) fn is_of(&self, oracle: &Oracle) -> bool {
        self.gas == oracle.gas()
    }

    /// The blocks from a node.
    pub(super) fn ways(&self, node: NodeId) -> &Ways {
        &self.ways[node]
    }

    /// Whether a node is the head of a loop.
    pub(super) fn is_head(&self, node: NodeId) -> bool {
        self.is_head[node]
    }

    /// The code of a step.
    pub(super) fn code(
        &mut self,
        task: &Task<'_>,
        oracle: &Oracle,
        edge: BlockEdgeId,
    ) -> &mut Code {
        let layouts = &self.layouts;
        let make = || Box::new(Code::new(&task.graph, oracle, layouts, edge));
        self.steps[edge].get_or_insert_with(make)
    }
}

/// The number of blocks from each node to the nearest goal, where there is a way.
fn distances(graph: &BlockGraph) -> IndexVec<NodeId, Option<u32>> {
    let mut distance: IndexVec<NodeId, Option<u32>> =
        IndexVec::from_vec(vec![None; graph.nodes.len()]);
    let mut queue: Vec<NodeId> = graph.goals().collect();
    for &goal in &queue {
        distance[goal] = Some(0);
    }
    let mut at = 0;
    while let Some(&node) = queue.get(at) {
        at += 1;
        let further = distance[node].map(|blocks| blocks + 1);
        for &edge in &graph.nodes[node].incoming {
            let source = graph.edges[edge].source;
            if distance[source].is_none() {
                distance[source] = further;
                queue.push(source);
            }
        }
    }
    distance
}
