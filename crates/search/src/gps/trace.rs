//! What a test did.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::Value;
use rhumb_logic::num::Int;

/// A concrete run over blocks.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// What it did, one after the other.
    pub(crate) steps: Vec<Taken>,
    /// Where and why it ended.
    pub(crate) end: End,
}

/// A part of a run.
#[derive(Clone, Debug)]
pub(crate) enum Taken {
    /// A block.
    Block {
        /// Which one.
        edge: BlockEdgeId,
        /// The values of its inputs, in the order of the transition's list.
        inputs: Box<[Value]>,
    },
    /// A cycle, so many times.
    Jump {
        /// The cycle.
        cycle: Vec<Taken>,
        /// How often it is taken.
        times: Int,
    },
}

/// Where and why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// In a goal.
    Goal(NodeId),
    /// At a node from where no goal can be reached any more.
    DeadEnd(NodeId),
    /// At a node where it had used up what it may do.
    Effort(NodeId),
    /// At a node where the solver didn't say how to go on.
    Unknown(NodeId),
}
