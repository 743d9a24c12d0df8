//! Formulas and the solver that decides them.
//!
//! Terms ([`term`]) and relations between states ([`transition`]), their values ([`eval`]), questions about them
//! ([`session`]), and what is computed from the answers: projections ([`project`]), hulls over numerical domains
//! ([`domain`]), interpolants ([`interpolate`]). This is the one crate that knows Z3; how it is linked settles
//! `build/build.rs`.

pub mod budget;
pub mod cube;
pub mod domain;
pub mod eval;
pub mod hull;
pub mod interpolate;
pub mod num;
mod process;
pub mod project;
pub mod session;
pub mod term;
pub mod transition;
pub mod value;
mod work;

pub use budget::{Allowance, Budget, Cancel};
pub use num::{Int, Rat};
pub use process::resident_bytes;
pub use session::{Answer, Model, Purpose, Session, SessionOptions, SolverPool, Unknown, Wanted};
pub use term::{Linear, Node, Op, Relation, Renaming, Rounding, Sort, Symbol, Term, Terms};
pub use transition::Transition;
pub use value::{Assignment, Value};
pub use work::Work;

/// The version of the Z3 library that this process has loaded, in Z3's own words: numbers separated by dots, possibly
/// followed by a description of the build.
///
/// ```
/// let version = rhumb_logic::z3_version();
/// assert!(version.starts_with(|first: char| first.is_ascii_digit()));
/// ```
pub fn z3_version() -> &'static str {
    z3::full_version()
}
