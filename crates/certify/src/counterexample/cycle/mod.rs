//! Cycles that a run takes again and again: what one iteration does, how often it can be repeated, and what that leads to.
//!
//! # The argument
//!
//! Let a run stand at a location, in a state `S` (the values of the scalar variables of the current activation and of the globals, and how
//! often each input site was passed). Let `w` be a sequence of edges that leads back to the location, in the same activation, and `D` a
//! vector of integers, one for each integer variable and input site (zero for all but finitely many; truth values, floats and pointers
//! have no entry). The claim `P(j)` is: after `j` times `w` the state is `S + j·D`.
//!
//! `P(0)` holds. The step from `P(j)` to `P(j+1)` is shown once for all `0 ≤ j < k`: [`Cycle::limit`] executes `w` on
//! the state `S + j·D` with `j` as a symbol. Every value is a linear form `a + b·j` with known integers `a` and `b`. An
//! operator whose exact result is not linear in `j`, or only under a condition, *requires* that condition of all `0 ≤ j
//! < k`:
//!
//! - Arithmetic is reduced to the range of its type by subtracting `q·2^w`, where `q` is the number of times that it
//!   wraps when `j = 0`; required is that the difference lies in the range. So nothing wraps in one iteration and not
//!   in another. (Division, remainders, shifts and masks by constants are quotients, too. If `2^w`, or the divisor,
//!   divides `b`, nothing is required: the quotient is linear by itself.)
//! - A comparison has the outcome that it has for `j = 0`; required is that it has it always. A condition on an edge, a check for undefined
//!   behaviour among them, must have the outcome that lets the edge be taken; so `w` is the path that the program takes.
//! - An input is the value of a run of equal inputs; required is that all its passages lie in that run.
//!
//! Each requirement is a linear inequality in `j`, so it holds for all `0 ≤ j < k` if it holds at both ends, and the
//! greatest `k` is one division away; "not equal" excludes one `j`. What has no such form (a product of two values that
//! change, memory, pointers) is an [`Obstacle`]. Finally, every variable and site that was written must have the form
//! `S + (j+1)·D`, and `D` must be zero for all others. That proves the claim for all `j ≤ k`: by induction, without any
//! assumption about what `w` does. Translations, resets to values that don't change, copies of variables that move,
//! sums with constant steps: whatever is linear in `j` from the first iteration on is covered.
//!
//! # Nesting
//!
//! `w` may contain a cycle of its own that is taken `c` times, where `c` is linear in the numbers of the enclosing
//! iterations. The claim for the inner cycle is made and shown in the same way with one more symbol: before its `i`-th
//! iteration the state is `T(j) + i·E` for an integer vector `E`, where `T(j)` is the state before the inner cycle. All
//! values are linear forms in `j` and `i`; a requirement must hold for all `0 ≤ j < k` and `0 ≤ i < c(j)`. As a linear
//! form takes its least value over `i` at one of the ends `0` and `c(j) − 1`, and as both give a linear form in `j`,
//! the levels are eliminated from the innermost out, exactly. (`c(j) ≥ 1` is itself required.) Behind the inner cycle
//! the state is `T(j) + c(j)·E`, which is linear again.

mod form;
mod limit;
mod region;
mod state;
mod value;
mod walk;

use std::fmt;
use std::sync::Arc;

use dashu_int::IBig;
use rhumb_program::interp::Execution;
use rhumb_program::{EdgeId, FuncId, InputSiteId, IntType, LocId, VarId};

pub use limit::{Cycle, Limit};
pub(crate) use value::{bits, integer};

use super::Count;

/// A piece of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// An edge of this function.
    Edge(FuncId, EdgeId),
    /// A cycle, several times.
    Jump(Arc<Repeated>),
}

/// A cycle that a path takes several times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeated {
    /// One iteration.
    pub body: Vec<Item>,
    /// What each iteration adds.
    pub effect: Effect,
    /// How often.
    pub count: Count,
}

/// What each iteration of a cycle adds: to variables of the current activation and globals, and to the number of passages of input sites.
/// What is not mentioned stays as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// Integer variables that change, with what is added; in increasing order.
    pub vars: Vec<(VarId, IBig)>,
    /// Input sites that are passed, and how often; in increasing order.
    pub sites: Vec<(InputSiteId, IBig)>,
}

/// The state at the start of a cycle.
pub trait Start {
    /// Bits of the value of a variable of the current activation or of a global.
    fn value(&self, var: VarId) -> Option<u128>;

    /// How often an input site was passed.
    fn occurrences(&self, site: InputSiteId) -> u64;
}

impl Start for Execution<'_, '_> {
    fn value(&self, var: VarId) -> Option<u128> {
        Execution::value(self, var)
    }

    fn occurrences(&self, site: InputSiteId) -> u64 {
        Execution::occurrences(self, site)
    }
}

/// Where a cycle begins and ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CyclePlace {
    /// The function.
    pub function: FuncId,
    /// The location.
    pub location: LocId,
}

/// Why a cycle can't be taken over by a proof, or not more often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// A condition would have another outcome.
    Condition,
    /// A value would leave the range of this type, or wrap another number of times.
    Range(IntType),
    /// A quotient or remainder would change other than linearly.
    Quotient,
    /// An input with another value would come.
    Input,
    /// A cycle inside would be taken less than once.
    Count,
    /// A value that is not linear in the iteration number.
    NotLinear,
    /// An operator that is not handled on values that change.
    Operator,
    /// A pointer is used or changed.
    Pointer,
    /// An action on memory.
    Memory,
    /// A library function, or a call through a pointer, or of a function with local memory.
    Call,
    /// An approximated step.
    Approximation,
    /// The path doesn't lead back to where it began.
    NotClosed,
    /// One iteration doesn't add the same as the one before.
    Effect,
    /// The budget for proving is used up.
    Operations,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::Condition => "a condition doesn't have the same outcome in all iterations",
            Obstacle::Range(ty) => {
                return write!(f, "a value passes the limit of its type ({ty}) on the way");
            }
            Obstacle::Quotient => "a quotient or remainder doesn't change linearly",
            Obstacle::Input => "an input is not the same in all iterations",
            Obstacle::Count => "an inner cycle is not taken in all iterations",
            Obstacle::NotLinear => "a value is not linear in the number of the iteration",
            Obstacle::Operator => "an operator on values that change from iteration to iteration",
            Obstacle::Pointer => "a pointer is used",
            Obstacle::Memory => "memory is used",
            Obstacle::Call => "a call that is not plain",
            Obstacle::Approximation => "an approximated step",
            Obstacle::NotClosed => "the cycle doesn't lead back to where it began",
            Obstacle::Effect => "two iterations don't have the same effect",
            Obstacle::Operations => "the budget for the proof is used up",
        })
    }
}

impl std::error::Error for Obstacle {}
