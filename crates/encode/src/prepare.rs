//! From a program as lowered to the one that is encoded: the passes that every engine wants, in the order in which they help each other.

use std::sync::Arc;

use rhumb_program::Program;
use rhumb_program::passes::inline::{self, LeftCall};
use rhumb_program::passes::{Goals, Passed, Restore, constants, contract, dead, prune};

/// Inlining stops where a program would get more edges than this.
pub const MAX_EDGES: usize = 200_000;

/// A program that is ready to be encoded.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The program, simplified. Its start function is the one to encode.
    pub program: Arc<Program>,
    /// The map from it back to the program as lowered, on which counterexamples are executed.
    pub restore: Restore,
    /// The program after inlining alone, on which proofs are checked.
    pub inlined: Arc<Program>,
    /// The map from the inlined program back to the program as lowered.
    pub restore_inlined: Restore,
    /// The map from the simplified program back to the inlined one.
    pub simplified: Restore,
    /// The calls that were not inlined, as edges of the inlined program.
    pub left: Vec<LeftCall>,
}

/// Prepares a program for the question whether the goals can be reached.
pub fn prepare(program: &Program, goals: &Goals) -> Prepared {
    let inlined = inline::run(program, MAX_EDGES);
    let Passed {
        program: whole,
        restore: restore_inlined,
    } = inlined.passed;
    let simplified = prune::run(&whole, goals)
        .then(constants::run)
        .then(|program| prune::run(program, goals))
        .then(dead::run)
        .then(contract::run);
    Prepared {
        restore: restore_inlined.then(&simplified.restore),
        program: Arc::new(simplified.program),
        inlined: Arc::new(whole),
        restore_inlined,
        simplified: simplified.restore,
        left: inlined.left,
    }
}
