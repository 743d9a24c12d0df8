//! Differential testing of Rhumb's exact interpreter against gcc.
//!
//! Two questions are asked of the interpreter, both with gcc as the judge:
//!
//! * Random well-defined programs ([`generate`]) must print the same and end the same way when they
//!   are interpreted and when they are compiled, under both data models ([`campaign`]).
//! * Verification tasks with random inputs must end the same way: target reached, exit, abort,
//!   assumption failed, or no end within a limit ([`outcome`]).
//!
//! Whatever runs programs is a [`subject::Subject`]; [`gcc`] has the reference.

pub mod campaign;
pub mod feature;
pub mod gcc;
pub mod generate;
pub mod interpreter;
pub mod model;
pub mod outcome;
pub mod reduce;
pub mod rng;
pub mod subject;
