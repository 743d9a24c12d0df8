//! From a program as lowered to the one that is encoded: the passes that every engine wants, in the order in which they help each other.

use std::sync::Arc;

use rhumb_program::passes::inline::{self, LeftCall};
use rhumb_program::passes::{Goals, Passed, Restore, constants, contract, dead, prune};
use rhumb_program::{LocId, Program};

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
        program: mut whole,
        restore: restore_inlined,
    } = inlined.passed;
    mark_heads(&mut whole);
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

/// Marks the heads of loops that are made of jumps like those of other loops, so that they stay cut points when simplification takes the loop apart: in the
/// program that proofs are about it is still one, and what is known there must be said there.
fn mark_heads(program: &mut Program) {
    let cfa = &mut program.functions[program.start].cfa;
    let heads: Vec<LocId> = cfa.loops().heads().to_vec();
    for head in heads {
        let location = &mut cfa.locations[head];
        let next = location.outgoing.first().map(|&edge| cfa.edges[edge].span);
        location.loop_statement = location.loop_statement.or(next);
    }
}
