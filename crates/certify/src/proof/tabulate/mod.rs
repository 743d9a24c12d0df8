//! Proofs by tabulation: for large programs of many functions in which whether something bad is reached hangs on few
//! numbers (drivers and their locks, counters of references, protocols), whatever the rest of the memory holds.
//!
//! Nothing is inlined. A function is explored once for each way in which it is entered, as far as the variables tell
//! that are followed; the states in which it returns are handed to everybody who called it so. Recursion needs nothing
//! special: a function that is being explored takes new returns when they come up. States are those of
//! [explorations](super::explicit): numbers, or symbols with bounds of their differences. From one function to another
//! goes what is known of the values, but not which symbol of one was which of the other.
//!
//! The proof says only which variables to follow. The walk is done by the checker, on the program as lowered, and no
//! solver is asked. What is not followed may be anything, memory above all, so no choice of variables is a wrong one.
//! Counters may be followed coarsely: up to some number.

mod answers;
mod avoid;
mod excluded;
mod frames;
mod layout;
mod procedures;
mod replay;
mod simulate;
mod trace;
mod unfolded;
mod view;
mod walk;
mod way;

pub use avoid::Avoided;
pub use procedures::{Judged, Procedures};
pub use view::Following;
pub use walk::{Tabulated, Tabulation};
pub use way::CallingWay;
pub(super) use way::WayStep;
