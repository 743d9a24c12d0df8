//! Tests of the crate as its users see it.

mod branches;
mod generate;
mod graph;
mod interpreter;
mod replay;
mod size;
mod support;
mod tasks;
