//! What the rest of a program can still do.
//!
//! For every cut point of a block graph the paths from there to a goal are a regular language; [`path`] gives it as an
//! expression, for all cut points from one elimination. [`Summaries`] evaluates the expressions to formulas, with the
//! operators of [`star`] for loops and the invariants of [`forward`] at their heads. They are made of [`Steps`], the
//! transitions of a block graph, which [`Gas`] can bound.

pub mod forward;
mod gas;
mod oracle;
pub mod path;
mod preset;
pub mod readable;
pub mod star;
mod steps;
mod sum;

pub use gas::{Gas, Supply};
pub use oracle::{Oracle, OracleOptions, Precision};
pub use preset::Preset;
pub use steps::{Step, StepNode, Steps};
pub use sum::{LoopSummary, Summaries};
