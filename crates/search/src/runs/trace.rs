//! What a test did.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::{Sort, Value};

/// A concrete run over blocks.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// What it did, one after the other.
    pub(crate) steps: Vec<Taken>,
    /// Where and why it ended.
    pub(crate) end: End,
}

/// A part of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// A block.
    Block {
        /// Which one.
        edge: BlockEdgeId,
        /// The values of its inputs, in the order of the transition's list.
        inputs: Box<[Value]>,
    },
    /// A cycle, several times. In a box, since most parts of a long run are blocks.
    Jump(Box<Jump>),
}

/// A cycle that is taken several times. Every iteration takes the same blocks with the same inputs, and adds the same to the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Jump {
    /// One iteration.
    pub(crate) cycle: Vec<Taken>,
    /// How often it is taken.
    pub(crate) times: Times,
}

/// How often a cycle is taken: a number, or, inside the cycles of other jumps, one that depends linearly on their iterations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    /// The number when all enclosing jumps are in their first iteration.
    pub(crate) first: Int,
    /// What each iteration of the enclosing jumps adds, the innermost of them first; what is missing adds nothing.
    pub(crate) growth: Vec<Int>,
}

/// Where and why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(
    clippy::enum_variant_names,
    reason = "a dead end is called so everywhere"
)]
pub(crate) enum End {
    /// In a goal.
    Goal(NodeId),
    /// At a node from where no goal can be reached any more.
    DeadEnd(NodeId),
    /// At a node where it had used up what it may do.
    Effort(NodeId),
    /// At a node where the solver didn't say how to go on.
    Unknown(NodeId),
    /// At a node where it would need numbers that tests don't have.
    TooLarge(NodeId),
}

/// The value of a number or a truth value as a number of tests, if it fits. Other sorts have none.
pub(crate) fn to_number(value: &Value) -> Option<i128> {
    match value {
        Value::Int(value) => i128::try_from(value).ok(),
        Value::Bool(value) => Some(i128::from(*value)),
        Value::Real(_) | Value::Bits(_) => None,
    }
}

/// The value of a sort that a number of tests stands for.
pub(crate) fn of_number(sort: Sort, number: i128) -> Option<Value> {
    match sort {
        Sort::Int => Some(Value::Int(Int::from(number))),
        Sort::Bool => Some(Value::Bool(number != 0)),
        Sort::Real | Sort::BitVec(_) | Sort::Float(..) | Sort::Array(_) => None,
    }
}

impl Taken {
    /// A block.
    pub(crate) fn block(edge: BlockEdgeId, inputs: &[i128]) -> Taken {
        let inputs = inputs.iter().map(|&value| Value::Int(Int::from(value)));
        Taken::Block {
            edge,
            inputs: inputs.collect(),
        }
    }
}

impl Times {
    /// Always the same number.
    pub(crate) fn constant(times: impl Into<Int>) -> Times {
        Times {
            first: times.into(),
            growth: Vec::new(),
        }
    }

    /// The number in these iterations of the enclosing jumps (from 0), the innermost of them last.
    pub(crate) fn at(&self, iterations: &[Int]) -> Int {
        let growth = self.growth.iter().zip(iterations.iter().rev());
        growth.fold(self.first.clone(), |sum, (growth, iteration)| {
            sum + growth * iteration
        })
    }
}
