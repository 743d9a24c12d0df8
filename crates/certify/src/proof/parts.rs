//! Proofs for some targets each.
//!
//! A run ends at the first target that it gets to. So it is a run of the program that is asked for this target and some
//! others: there the targets that are left out end runs, too, or, where memory is lost, let them go on. If each target
//! is asked for in one of the programs, and none of these reaches a target, nothing is reached.

use rhumb_logic::Budget;
use rhumb_program::Program;

use super::argument::{Argument, Part};
use super::check::{Accepted, Checker};
use super::reject::{Invalid, Rejected};

/// The program that a part is about. Parts have no parts, and name each of their targets once.
pub(super) fn asked(program: &Program, part: &Part) -> Result<Program, Rejected> {
    let targets = &part.targets;
    let in_order = targets.windows(2).all(|pair| pair[0] < pair[1]);
    let are_there = targets.iter().all(|id| id.index() < program.targets.len());
    match in_order && are_there && !matches!(part.proof.argument, Argument::Parts(_)) {
        true => Ok(program.asking(targets)),
        false => Err(Invalid::Parts.into()),
    }
}

/// Checks that each target is one of a part, and each part.
pub(super) fn check(
    program: &Program,
    parts: &[Part],
    budget: &Budget,
) -> Result<Accepted, Rejected> {
    are_all(program, parts)?;
    let mut accepted = Accepted {
        obligations: 0,
        queries: 0,
    };
    for part in parts {
        let program = asked(program, part)?;
        let of_part = Checker::new(&program).check(&part.proof, budget)?;
        accepted.obligations += of_part.obligations;
        accepted.queries += of_part.queries;
    }
    Ok(accepted)
}

/// A proof says more than that no target is reached: nothing that is unsupported is, either. One part is enough for
/// that, so there has to be one.
pub(crate) fn are_all(program: &Program, parts: &[Part]) -> Result<(), Rejected> {
    let mut all = program.targets.indices();
    let has = |part: &Part, id| part.targets.contains(&id);
    match !parts.is_empty() && all.all(|id| parts.iter().any(|part| has(part, id))) {
        true => Ok(()),
        false => Err(Invalid::Parts.into()),
    }
}
