//! Compiled steps and conditions.

use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::eval::{Evaluator, Frame};
use rhumb_logic::{Int, Symbol, Term, Value};
use rhumb_summary::Oracle;

use super::state::{Layouts, small};

/// What a step comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It leads to another state.
    Taken,
    /// It can't be taken.
    Blocked,
    /// That is not known, or a number doesn't fit.
    Unknown,
}

/// A step as code: a block, with gas if there is any.
pub(super) struct Code {
    evaluator: Evaluator,
    frame: Frame,
    /// Where it leads.
    pub(super) target: NodeId,
    /// The places of the block's own inputs among those of the step; the others are gas that is handed out.
    own: Vec<usize>,
    given: Vec<i128>,
}

impl Code {
    /// Compiles the step of a block.
    pub(super) fn new(
        graph: &BlockGraph,
        oracle: &Oracle,
        layouts: &Layouts,
        edge: BlockEdgeId,
    ) -> Code {
        let step = &oracle.steps().edges[edge];
        let transition = &step.transition;
        let mut inputs = layouts.at(step.source).to_vec();
        inputs.extend(&transition.inputs);
        let after = layouts.at(step.target).iter();
        let values = after.map(|&symbol| transition.value_of(&graph.terms, symbol));
        let outputs: Vec<Term> = [transition.guard].into_iter().chain(values).collect();
        let evaluator = Evaluator::new(&graph.terms, &inputs, &outputs);
        let own = graph.edges[edge].transition.inputs.iter();
        let place = |input: &Symbol| transition.inputs.iter().position(|other| other == input);
        Code {
            frame: evaluator.frame(),
            evaluator,
            target: step.target,
            own: own.filter_map(place).collect(),
            given: Vec::new(),
        }
    }

    /// Takes the step from a state; `after` is the state that it leads to.
    #[inline]
    pub(super) fn step(
        &mut self,
        state: &[i128],
        inputs: &[i128],
        after: &mut Vec<i128>,
    ) -> Outcome {
        self.given.clear();
        self.given.extend_from_slice(state);
        self.given.extend_from_slice(inputs);
        after.clear();
        if let Some(mut outputs) = self.evaluator.small(&mut self.frame, &self.given) {
            if outputs.next() != Some(1) {
                return Outcome::Blocked;
            }
            after.extend(outputs);
            return Outcome::Taken;
        }
        self.step_exact(after)
    }

    /// The same where numbers on the way don't fit.
    fn step_exact(&mut self, after: &mut Vec<i128>) -> Outcome {
        let given = self.given.iter();
        let given: Vec<Value> = given.map(|&value| Value::Int(Int::from(value))).collect();
        let mut outputs = self.evaluator.eval(&mut self.frame, &given).into_iter();
        match outputs.next().flatten() {
            Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => return Outcome::Blocked,
            _ => return Outcome::Unknown,
        }
        for value in outputs {
            match value.as_ref().and_then(small) {
                Some(value) => after.push(value),
                None => return Outcome::Unknown,
            }
        }
        Outcome::Taken
    }

    /// The values of the block's own inputs.
    pub(super) fn own(&self, inputs: &[i128]) -> Vec<i128> {
        let values = self.own.iter();
        values
            .filter_map(|&place| inputs.get(place).copied())
            .collect()
    }
}

/// A condition on the states at a node, as code.
pub(super) struct Condition {
    /// The formula.
    pub(super) formula: Term,
    evaluator: Evaluator,
    frame: Frame,
}

impl Condition {
    /// Compiles a formula over the state at a node.
    pub(super) fn new(
        graph: &BlockGraph,
        layouts: &Layouts,
        node: NodeId,
        formula: Term,
    ) -> Condition {
        let evaluator = Evaluator::new(&graph.terms, layouts.at(node), &[formula]);
        Condition {
            formula,
            frame: evaluator.frame(),
            evaluator,
        }
    }

    /// Whether a state is known not to satisfy it.
    #[inline]
    pub(super) fn excludes(&mut self, state: &[i128]) -> bool {
        self.evaluator.holds(&mut self.frame, state) == Some(false)
    }
}
