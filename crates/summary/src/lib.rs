//! What the rest of a program can still do.
//!
//! For every cut point of a block graph the paths from there to a target are a regular language; [`path`] gives it as an expression, for all cut points
//! from one elimination.

pub mod forward;
pub mod path;
