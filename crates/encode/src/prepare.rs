//! From a program as lowered to the one that is encoded: the passes that every engine wants, in the order in which they help each other.

use std::sync::{Arc, OnceLock};

use rhumb_program::interp::KeyedInputs;
use rhumb_program::passes::inline::{self, LeftCall};
use rhumb_program::passes::scalars::{self, Explanations, Home, Piece, Plan, Refusal, Regions};
use rhumb_program::passes::slice::{self, Skipped};
use rhumb_program::passes::{Goals, Passed, Restore, constants, contract, dead, prune};
use rhumb_program::{LocId, Program, Span};

/// Inlining stops where a program would get more edges than this.
pub const MAX_EDGES: usize = 200_000;

/// A program that is ready to be encoded.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The program, simplified. Its start function is the one to encode.
    pub program: Arc<Program>,
    /// The map from it back to the program as lowered, on which counterexamples are executed.
    pub restore: Restore,
    /// The program after inlining alone, with variables for objects: the one on which proofs are checked.
    pub inlined: Arc<Program>,
    /// The map from the inlined program back to the program as lowered.
    pub restore_inlined: Restore,
    /// The map from the simplified program back to the inlined one.
    pub simplified: Restore,
    /// The calls that were not inlined, as edges of the program that was only inlined.
    pub left: Vec<LeftCall>,
    /// What became of objects.
    pub memory: Memory,
    /// Branches of the inlined program that decide nothing and were left out, if that was asked for.
    pub skipped: Vec<Skipped>,
}

/// What became of the objects of a program.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Inputs that are parts of other inputs.
    pieces: Vec<Piece>,
    /// The elements of large objects that are followed.
    pub plan: Plan,
    /// The objects that are none, and why.
    refused: Vec<(Home, Refusal, Span)>,
    /// Made when somebody asks.
    explanations: OnceLock<Explanations>,
}

impl Prepared {
    /// Inputs of the program as lowered, from inputs of the simplified one.
    pub fn inputs_as_lowered(&self, inputs: KeyedInputs) -> KeyedInputs {
        scalars::assemble(&self.memory.pieces, self.program.data_model, inputs)
    }

    /// Which elements of large objects to follow, beside what is known already; none if there are no such objects. The
    /// program is the one that was prepared.
    pub fn plan(&self, lowered: &Program) -> Option<Plan> {
        let refused = self.refused();
        if refused.is_empty() {
            return None;
        }
        let inlined = inline::run(lowered, MAX_EDGES).passed.program;
        let plan = scalars::plan(&inlined, &refused);
        (!plan.is_empty()).then_some(plan)
    }

    fn refused(&self) -> Vec<(Home, Refusal)> {
        let refused = self.memory.refused.iter();
        refused.map(|entry| (entry.0, entry.1)).collect()
    }

    /// The objects, and what pointers may point to, for people. The program is the one that was prepared.
    pub fn regions(&self, lowered: &Program) -> Regions {
        let inlined = inline::run(lowered, MAX_EDGES).passed.program;
        Regions::of(&inlined, &self.refused())
    }

    /// Why what is read from memory at a place of the text is not known. The program is the one that was prepared.
    pub fn why_memory(&self, lowered: &Program, span: Span) -> Option<&str> {
        let memory = &self.memory;
        let explanations = memory.explanations.get_or_init(|| {
            let inlined = inline::run(lowered, MAX_EDGES).passed.program;
            Explanations::of(&inlined, &memory.refused)
        });
        explanations.reason(span)
    }
}

/// Prepares a program for the question whether the goals can be reached.
pub fn prepare(program: &Program, goals: &Goals) -> Prepared {
    prepare_with(program, goals, &Plan::default())
}

/// The same with elements of large objects that are followed.
pub fn prepare_with(program: &Program, goals: &Goals, plan: &Plan) -> Prepared {
    let unfolded = unfold(program, plan);
    let simplified = simplify(prune::run(&unfolded.program, goals), goals);
    unfolded.prepared(simplified, Vec::new())
}

/// The same without branches that decide nothing about the goals, if there are loops among those. See [`slice`].
pub fn prepare_sliced(program: &Program, goals: &Goals) -> Option<Prepared> {
    let unfolded = unfold(program, &Plan::default());
    let sliced = slice::run(&unfolded.program, goals)?;
    let pruned = (sliced.passed).then(|program| prune::run(program, goals));
    Some(unfolded.prepared(simplify(pruned, goals), sliced.skipped))
}

/// A program in which calls are inlined and objects are variables.
struct Unfolded {
    program: Program,
    restore: Restore,
    left: Vec<LeftCall>,
    memory: Memory,
}

fn unfold(program: &Program, plan: &Plan) -> Unfolded {
    let inlined = inline::run(program, MAX_EDGES);
    let mut pieces = Vec::new();
    let mut refused = Vec::new();
    let Passed {
        program: mut whole,
        restore: restore_inlined,
    } = inlined.passed.then(|program| {
        let scalars = scalars::with_ghosts(program, plan);
        pieces = scalars.pieces;
        refused = scalars.refused;
        scalars.passed
    });
    mark_heads(&mut whole);
    Unfolded {
        program: whole,
        restore: restore_inlined,
        left: inlined.left,
        memory: Memory {
            pieces,
            plan: plan.clone(),
            refused,
            explanations: OnceLock::new(),
        },
    }
}

impl Unfolded {
    fn prepared(self, simplified: Passed, skipped: Vec<Skipped>) -> Prepared {
        Prepared {
            restore: self.restore.then(&simplified.restore),
            program: Arc::new(simplified.program),
            inlined: Arc::new(self.program),
            restore_inlined: self.restore,
            simplified: simplified.restore,
            left: self.left,
            memory: self.memory,
            skipped,
        }
    }
}

/// What can be said more simply, of a program from which what leads to no goal is gone.
fn simplify(pruned: Passed, goals: &Goals) -> Passed {
    (pruned.then(constants::run))
        .then(|program| prune::run(program, goals))
        .then(dead::run)
        .then(contract::run)
}

/// Marks the heads of loops that are made of jumps like those of other loops, so that they stay cut points when
/// simplification takes the loop apart: in the program that proofs are about it is still one, and what is known there
/// must be said there.
fn mark_heads(program: &mut Program) {
    let cfa = &mut program.functions[program.start].cfa;
    let heads: Vec<LocId> = cfa.loops().heads().to_vec();
    for head in heads {
        let location = &mut cfa.locations[head];
        let next = location.outgoing.first().map(|&edge| cfa.edges[edge].span);
        location.loop_statement = location.loop_statement.or(next);
    }
}
