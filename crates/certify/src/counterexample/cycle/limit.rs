//! How often a cycle can be taken.

use dashu_int::IBig;
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{EdgeId, FuncId, Program};

use super::walk::Walk;
use super::{CyclePlace, Effect, Item, Obstacle, Start};

impl Effect {
    /// What a path that begins and ends at the place adds when it is taken once from the start state: a guess at what it adds every time.
    /// `None` if the path has an [`Obstacle`].
    pub fn predict(
        program: &Program,
        place: CyclePlace,
        body: &[Item],
        start: &dyn Start,
        inputs: &KeyedInputs,
        operations: &mut u64,
    ) -> Option<Effect> {
        Walk::new(program, start, inputs, operations, place).effect(body)
    }
}

/// A path that leads back to where it began, and what one time adds.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<'a> {
    /// Where it begins and ends.
    pub place: CyclePlace,
    /// The path.
    pub body: &'a [Item],
    /// What one iteration adds: a claim, which [`Cycle::limit`] proves or refutes.
    pub effect: &'a Effect,
}

/// How often a cycle can be taken from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The greatest number for which the proof holds; `None` if it holds for every number. Zero says nothing about the
    /// cycle but that it is not proved.
    pub count: Option<IBig>,
    /// What stands against one time more, and at which edge.
    pub obstacle: Option<(Obstacle, FuncId, EdgeId)>,
    /// If a remainder is among what stands against it: the number of iterations after which it comes round. So many times the path may
    /// make a better cycle.
    pub period: Option<IBig>,
}

impl Limit {
    /// Whether the cycle can be taken so often.
    pub fn allows(&self, count: &IBig) -> bool {
        self.count.as_ref().is_none_or(|limit| count <= limit)
    }
}

impl Cycle<'_> {
    /// How often the cycle can be taken from the start state, on these inputs: for every number up to the limit, the
    /// run takes the path so often, and then stands where it began in the start state plus the effect so many times.
    /// Takes from `operations` what it costs.
    ///
    /// The documentation of the [module](super) has the argument.
    pub fn limit(
        &self,
        program: &Program,
        start: &dyn Start,
        inputs: &KeyedInputs,
        operations: &mut u64,
    ) -> Limit {
        Walk::new(program, start, inputs, operations, self.place).limit(self)
    }
}
