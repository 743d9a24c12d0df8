//! SAFE, some targets at a time.

use rhumb_logic::Budget;
use rhumb_program::{Program, TargetId};

use super::{Certified, NotAccepted, Verdict};
use crate::proof::{Accepted, Checker, Invalid, Part, Proof, Rejected, are_all};

/// A program asked for some of its targets.
#[derive(Debug)]
pub struct Asked<'p> {
    whole: &'p Program,
    targets: Vec<TargetId>,
    program: Program,
}

impl<'p> Asked<'p> {
    /// For these targets, in the order of their numbers.
    pub fn of(whole: &'p Program, mut targets: Vec<TargetId>) -> Asked<'p> {
        targets.sort_unstable();
        targets.dedup();
        let program = whole.asking(&targets);
        Asked {
            whole,
            targets,
            program,
        }
    }

    /// The program, in which those are all of the targets.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The targets, as they are named in the whole program.
    pub fn targets(&self) -> &[TargetId] {
        &self.targets
    }
}

/// A part of a proof that was checked.
#[derive(Clone, Debug)]
pub struct CertifiedPart<'p> {
    whole: &'p Program,
    part: Part,
    check: Accepted,
}

/// A part, if the proof holds for the program that is asked for its targets, with the checker for that program.
pub fn certify_part<'p>(
    asked: &Asked<'p>,
    checker: &Checker<'_>,
    proof: Proof,
    budget: &Budget,
) -> Result<CertifiedPart<'p>, NotAccepted> {
    if !checker.is_for(&asked.program) {
        return Err(Rejected::Invalid(Invalid::Parts).into());
    }
    let check = checker.check(&proof, budget)?;
    let targets = asked.targets.clone();
    Ok(CertifiedPart {
        whole: asked.whole,
        part: Part { targets, proof },
        check,
    })
}

/// SAFE, if each target of the program belongs to a part.
pub fn certify_parts(
    program: &Program,
    parts: Vec<CertifiedPart<'_>>,
) -> Result<Verdict, NotAccepted> {
    if !parts.iter().all(|part| std::ptr::eq(part.whole, program)) {
        return Err(Rejected::Invalid(Invalid::Parts).into());
    }
    let check = Accepted {
        obligations: parts.iter().map(|part| part.check.obligations).sum(),
        queries: parts.iter().map(|part| part.check.queries).sum(),
    };
    let parts: Vec<Part> = parts.into_iter().map(|part| part.part).collect();
    are_all(program, &parts)?;
    Ok(Verdict::Safe(Certified {
        evidence: Proof::parts(parts),
        check,
    }))
}
