//! What the rest of a program can still do.
//!
//! For every cut point of a block graph the paths from there to a goal are a regular language; [`path`] gives it as an expression, for all cut points from one
//! elimination. [`Summaries`] evaluates the expressions to formulas, with the operators of [`star`] for loops and the invariants of [`forward`] at their
//! heads.

pub mod forward;
pub mod path;
pub mod star;
mod sum;

pub use sum::Summaries;
