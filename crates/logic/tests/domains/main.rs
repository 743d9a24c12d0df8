//! The numerical domains against their definitions, on random small systems.
//!
//! Every test also counts how many of its cases were interesting, since most properties hold trivially of nothing and of everything.

mod intervals;
mod limits;
mod polyhedra;
mod programs;
mod spaces;
mod support;
