//! Formulas and the solver that decides them.
//!
//! This is the one crate that knows Z3: it will hold the terms that the analyses compute with and the solver sessions
//! that answer questions about them. For now it settles how the solver is linked (see `build/build.rs`) and tells which
//! one it is.

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

pub use budget::{Budget, Cancel};
pub use num::{Int, Rat};
pub use process::resident_bytes;
pub use session::{Answer, Model, Purpose, Session, SessionOptions, Unknown, Wanted};
pub use term::{Linear, Node, Op, Relation, Renaming, Sort, Symbol, Term, Terms};
pub use transition::Transition;
pub use value::{Assignment, Value};

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
