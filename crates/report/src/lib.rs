//! Answers and evidence as text, for people and for other tools: the story of a run, reports in several formats,
//! harnesses, and witnesses of the competition's format, which are also read and validated.
//!
//! Nothing here has to be trusted: what is written tells of evidence that `certify` has accepted, and validation of a
//! witness ends in the checks of `certify`.

pub mod document;
pub mod harness;
pub mod html;
pub mod invariants;
mod originals;
mod scan;
pub mod story;
pub mod suite;
pub mod text;
pub mod witness;

use rhumb_program::{Action, Callee, FuncId, Program};

/// The function that the user's program begins with: the last one that the start function calls, since constructors are called before it.
fn entry_function(program: &Program) -> Option<FuncId> {
    let start = &program.functions.get(program.start)?.cfa;
    let mut calls = start.edges.iter().rev();
    calls.find_map(|edge| match edge.action {
        Action::Call {
            callee: Callee::Function(function),
            ..
        } => Some(function),
        _ => None,
    })
}
