//! The second opinion: what it accepts, and what not.
//!
//! The solver is not part of a plain build. Where it isn't there the tests say that they were skipped; with `RHUMB_SECOND_FETCH` set, as
//! in CI, they fetch it and fail if they can't.

#![allow(missing_docs, clippy::print_stdout)]

mod contracts;
mod engines;
mod exploration;
mod files;
mod joins;
mod meetings;
mod memory;
mod random;
mod runs;
mod support;
mod tabulation;
