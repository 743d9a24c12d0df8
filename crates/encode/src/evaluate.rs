//! Compiled blocks: what a block does to one state, in nanoseconds instead of a query.

use rhumb_logic::eval::{Evaluator, Frame};
use rhumb_logic::{Symbol, Value};

use crate::graph::{BlockEdgeId, BlockGraph};

/// A block as code.
///
/// A state is a list of values, of the cells at the block's source in the order of [`BlockGraph::state_at`]; at its
/// target in the same way. Inputs come in the order of the transition's list.
#[derive(Clone, Debug)]
pub struct CompiledBlock {
    evaluator: Evaluator,
    /// Number of values of a state before.
    before: usize,
    /// Number of values that never change.
    constants: usize,
}

/// What a block does to a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<T> {
    /// It can't be taken.
    Blocked,
    /// It leads to this state.
    To(Vec<T>),
    /// The answer is not a number that fits, or not known.
    Unknown,
}

impl BlockGraph {
    /// Compiles a block.
    pub fn compile(&self, edge: BlockEdgeId) -> CompiledBlock {
        let block = &self.edges[edge];
        let source = self.state_at(block.source);
        let mut inputs: Vec<Symbol> = source.map(|cell| cell.symbol).collect();
        let before = inputs.len();
        inputs.extend(&block.transition.inputs);
        let after = self.live(block.target).map(|cell| cell.symbol);
        let updates = &block.transition.updates;
        let value = |symbol: Symbol| match updates.binary_search_by_key(&symbol, |update| update.0)
        {
            Ok(place) => updates[place].1,
            Err(_) => self.terms.var(symbol),
        };
        let mut outputs = vec![block.transition.guard];
        outputs.extend(after.map(value));
        CompiledBlock {
            evaluator: Evaluator::new(&self.terms, &inputs, &outputs),
            before,
            constants: self.state.constants().count(),
        }
    }
}

impl CompiledBlock {
    /// Memory to evaluate in.
    pub fn frame(&self) -> Frame {
        self.evaluator.frame()
    }

    /// Takes the block, on numbers that fit 128 bits. `Unknown` where some number on the way doesn't: then ask
    /// [`CompiledBlock::step_exact`].
    pub fn step(&self, frame: &mut Frame, state: &[i128], inputs: &[i128]) -> Step<i128> {
        let given: Vec<i128> = state.iter().chain(inputs).copied().collect();
        let Some(mut outputs) = self.evaluator.small(frame, &given) else {
            return Step::Unknown;
        };
        if outputs.next() != Some(1) {
            return Step::Blocked;
        }
        let kept = state.get(self.before - self.constants..self.before);
        Step::To(outputs.chain(kept.into_iter().flatten().copied()).collect())
    }

    /// Takes the block, on any numbers.
    pub fn step_exact(&self, frame: &mut Frame, state: &[Value], inputs: &[Value]) -> Step<Value> {
        let given: Vec<Value> = state.iter().chain(inputs).cloned().collect();
        let mut outputs = self.evaluator.eval(frame, &given).into_iter();
        match outputs.next().flatten() {
            Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => return Step::Blocked,
            _ => return Step::Unknown,
        }
        let Some(mut values) = outputs.collect::<Option<Vec<Value>>>() else {
            return Step::Unknown;
        };
        let kept = state.get(self.before - self.constants..self.before);
        values.extend(kept.into_iter().flatten().cloned());
        Step::To(values)
    }
}
