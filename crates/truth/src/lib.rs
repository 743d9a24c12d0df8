//! Whether the engines tell the truth.
//!
//! [`generate`] makes small random programs. [`explore`](mod@explore) finds out what they can do, state by state,
//! without a formula anywhere: operators are those of the interpreter's reference, one value at a time.
//! [`ask`](mod@ask) puts a program to an engine, and what the engine claims to the checker of certificates, as `rhumb
//! check` does. [`kinds`] makes programs about memory, undefined behaviour, bits and floats; what is true about those
//! is found run by run ([`runs`]). [`mutate`](mod@mutate) changes programs, so that [`evidence`] can be put to one that
//! it isn't about. [`checker`] puts proofs that are known to be right or wrong to the checker itself. [`campaign`] does
//! that for many programs and counts: an engine may be right, or say that it doesn't know.

pub mod ask;
pub mod campaign;
pub mod checker;
pub mod evidence;
pub mod explore;
pub mod generate;
pub mod kinds;
mod lower;
pub mod mutate;
pub mod runs;
pub mod threads;

pub use lower::lower;
