//! Counterexamples: the evidence for UNSAFE, and its check.
//!
//! A [`Counterexample`] names a target, the inputs that lead there, and how the run on these inputs goes: as a list of [`Segment`]s, each a
//! number of steps that are executed, or a [`Jump`]: a cycle that is taken so many times. The run itself is determined by the program and
//! the inputs; the segments only say how to follow it without executing every step.
//!
//! [`check`] follows the segments on the program as lowered. Steps are executed by the exact interpreter. Of a jump, the first iteration is
//! executed; that the others go the same way, and what they lead to, is proved by the module [`cycle`], whose documentation has the
//! argument; the state of the interpreter is then replaced by the proved one. A jump that can't be proved is executed step by step, as far
//! as the budget goes. The counterexample is accepted if the run ends in the target it names, at the end of the last segment, without
//! undefined behaviour and without a caveat.
//!
//! [`replay`] checks inputs alone, by plain execution. [`compress`] finds the segments for given inputs, so that a long run can be
//! followed at all; [`shrink`] looks for smaller inputs that lead to the same error.

mod budget;
mod check;
mod compress;
pub mod cycle;
mod history;
mod reject;
mod shrink;
mod snapshot;
mod steps;

pub use budget::Budget;
pub(crate) use check::check_on;
pub use check::{Checked, check, replay};
pub use compress::compress;
pub(crate) use compress::follow;
pub use reject::{Reason, Rejected};
pub use shrink::shrink;
pub(crate) use shrink::shrink_on;

use dashu_int::{IBig, UBig};
use rhumb_program::TargetId;
use rhumb_program::interp::KeyedInputs;

/// The evidence for UNSAFE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// What is reached.
    pub target: TargetId,
    /// The inputs, by site and occurrence; what is not given is zero.
    pub inputs: KeyedInputs,
    /// The run from its start to the target.
    pub segments: Vec<Segment>,
}

/// A part of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Segment {
    /// So many edges of the program as lowered.
    Steps(u64),
    /// A cycle, several times.
    Jump(Jump),
}

/// A cycle that is taken several times. It begins where the run stands and leads back there: to the same location of the same activation.
/// Every iteration takes the edges that the first one takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jump {
    /// One iteration.
    pub cycle: Vec<Segment>,
    /// How often the cycle is taken, at least once.
    pub count: Count,
}

/// How often a cycle is taken: a number, or, inside the cycles of other jumps, one that depends linearly on their iterations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// The number when all enclosing jumps are in their first iteration.
    pub first: UBig,
    /// What each iteration of the enclosing jumps adds, the innermost enclosing jump first; what is missing adds nothing.
    pub growth: Vec<IBig>,
}

impl Count {
    /// Always the same number.
    pub fn constant(count: impl Into<UBig>) -> Count {
        Count {
            first: count.into(),
            growth: Vec::new(),
        }
    }

    /// The number in these iterations of the enclosing jumps (from 0), the innermost *last*.
    fn at(&self, iterations: &[IBig]) -> IBig {
        let growth = self.growth.iter().zip(iterations.iter().rev());
        growth.fold(
            IBig::from(self.first.clone()),
            |sum, (growth, iteration)| sum + growth * iteration,
        )
    }
}

impl From<u64> for Segment {
    fn from(steps: u64) -> Segment {
        Segment::Steps(steps)
    }
}
