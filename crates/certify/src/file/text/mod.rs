//! Formulas as text: the syntax of SMT-LIB terms, with `let` for what occurs more than once.
//!
//! Writing and reading are linear in the formula's graph and need no stack of their own, however deep it is. Reading
//! has limits, so that a file from anywhere does no harm.

mod read;
mod sexpr;
mod write;

pub use read::{Names, ReadError, read, sort_of};
pub use write::{Unwritable, sort_text, write};
