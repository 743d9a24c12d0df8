//! The checker.

use rhumb_logic::Budget;
use rhumb_program::Program;

use super::argument::{Argument, Invariants, Proof};
use super::condition::Conditions;
use super::formula::{Vocabulary, validated};
use super::reject::Rejected;
use super::solve::Solver;
use super::subject::Subject;
use super::unroll;

/// What was done to accept a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Obligations that were shown.
    pub obligations: usize,
    /// Questions to the solver.
    pub queries: u64,
}

/// Checks a proof that the program, as the front end lowered it, reaches none of its targets, and nothing that is unsupported.
pub fn check(program: &Program, proof: &Proof, budget: &Budget) -> Result<Accepted, Rejected> {
    let subject = Subject::new(program);
    let symbols = subject.symbols(proof)?;
    let mut solver = Solver::new(&subject, &proof.terms, &symbols, budget);
    match &proof.argument {
        Argument::Invariants(invariants) => {
            let vocabulary = Vocabulary::new(&symbols);
            check_invariants(proof, invariants, &vocabulary, &mut solver)?;
        }
        Argument::Unrolling { depth } => unroll::check(*depth, &mut solver)?,
    }
    Ok(Accepted {
        obligations: solver.shown,
        queries: solver.queries(),
    })
}

fn check_invariants(
    proof: &Proof,
    invariants: &Invariants,
    vocabulary: &Vocabulary,
    solver: &mut Solver<'_>,
) -> Result<(), Rejected> {
    let invariants = validated(proof, invariants, vocabulary)?;
    let conditions = Conditions::new(
        solver.subject,
        &proof.terms,
        solver.symbols,
        vocabulary,
        &invariants,
    )?;
    let (batch, ranges) = conditions.start();
    solver.bound(&ranges);
    solver.show(&batch)?;
    for point in conditions.points() {
        if let Some((batch, ranges)) = conditions.region(point)? {
            solver.bound(&ranges);
            solver.show(&batch)?;
        }
    }
    Ok(())
}
