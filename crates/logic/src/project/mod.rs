//! Projection: formulas without some of their symbols.
//!
//! `∃ k. F` says which values of the other symbols some `k` goes with. Analyses ask for it in four strengths.

mod eliminate;
mod linearise;
mod literal;
mod model_based;
mod row;
mod system;

pub use model_based::model_based;
