//! Guarded commands: a second, small language, and the engine that is at home in it.
//!
//! A program ([`syntax`]) has integer variables without bounds, an initial condition, processes with guarded
//! transitions, and a property that is to hold in every reachable state. Its text is read by [`parse`]; the grammar is
//! in `docs/guarded.md`. [`machine`] executes it exactly, [`enumerate`] explores it state by state where that is
//! possible.
//!
//! [`ase`] searches for errors and proofs: symbolic execution with abstract matching (Albarghouthi, Gurfinkel, Wei,
//! Chechik 2010). What it finds is a claim: a run is executed by the machine, a proof is examined by [`certify`], which
//! shares nothing with the engine but formulas and the solver.

pub mod ase;
pub mod certify;
pub mod check;
pub mod enumerate;
mod lex;
pub mod machine;
pub mod parse;
pub mod syntax;
pub mod text;

pub use check::{Answer, Options, check};
pub use parse::parse;
pub use syntax::Program;
