//! The checker's own encoder: from the automaton, instruction by instruction, to formulas with exactly C's meaning.
//!
//! Nothing here is shared with the search. Values are mathematical integers by type; truth values stay formulas. What
//! the encoder doesn't model (memory, floating point but for constants, addresses of local objects) has any value of
//! its type, which is sound for a proof.

pub(crate) mod arith;
mod bits;
mod expr;
mod floats;
pub(crate) mod number;
mod path;
mod region;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use expr::{Encoder, Value};
pub(crate) use number::Range;
pub(crate) use path::Paths;
pub(crate) use region::{Agreed, Agreement, Calls, Goal, GoalKind, Malformed, Region};
pub(crate) use state::SymbolicState;
