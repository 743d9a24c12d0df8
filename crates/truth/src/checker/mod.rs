//! The checker of proofs, put to the test as what it is: a verifier.
//!
//! Two kinds of proof are known to be right exactly when the program is. Without loops it is the empty one: nothing has
//! to be known anywhere. With loops it is the set of all states that a run can be in, at every place where ways meet:
//! it is inductive by its making, so it must be accepted if no target can be reached, must be rejected otherwise, and
//! must be rejected when a single state is taken out of it.

mod campaign;
mod reachable;

use std::time::Duration;

use rhumb_certify::proof::{Proof, Rejected, check};
use rhumb_difftest::rng::Rng;
use rhumb_logic::{Budget, Terms};
use rhumb_program::Program;

pub use campaign::{Campaign, Kind, Tally};

use crate::explore::{ExploreLimits, Failure, explore, snapshots};
use crate::generate::sample;
use crate::generate::tangle::tangle;
use crate::lower::lower;
use reachable::Reachable;

/// More states than this make formulas that are no fun.
const STATES: usize = 400;

/// How far a program is explored for a proof made of its states.
const LIMITS: ExploreLimits = ExploreLimits {
    states: STATES,
    steps: STATES * 50,
};

/// How often a state is taken out of a set.
const REMOVALS: usize = 2;

/// A proof, and what has to come of it.
struct Case {
    text: String,
    program: Program,
    proof: Proof,
    holds: bool,
}

/// What came of a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Whether the program is safe.
    pub is_safe: bool,
    /// Proofs that were accepted, as they should.
    pub accepted: u64,
    /// Proofs that were rejected, as they should.
    pub rejected: u64,
    /// Proofs on which the checker was wrong, or had no answer: in words, with the program.
    pub wrong: Vec<String>,
}

/// Puts the proofs of one program to the checker. No report if the program has too many states.
pub fn put(kind: Kind, seed: u64, time: Duration) -> Result<Option<Report>, String> {
    let cases = match kind {
        Kind::LoopFree => trivial(seed),
        Kind::Loops => states(seed),
    };
    let cases = match cases {
        Ok(cases) => cases,
        Err(Failure::TooLarge) => return Ok(None),
        Err(Failure::NotHere(what)) => return Err(what),
    };
    let mut report = Report {
        is_safe: cases.first().is_some_and(|case| case.holds),
        ..Report::default()
    };
    for case in cases {
        let answer = check(&case.program, &case.proof, &Budget::time(time));
        match (answer, case.holds) {
            (Ok(_), true) => report.accepted += 1,
            (Err(Rejected::Fails(_)), false) => report.rejected += 1,
            (answer, holds) => {
                let expected = if holds { "accepted" } else { "rejected" };
                let got = match answer {
                    Ok(_) => "accepted".to_owned(),
                    Err(why) => format!("rejected: {why}"),
                };
                let text = &case.text;
                report
                    .wrong
                    .push(format!("seed {seed}: {got}, should be {expected}\n{text}"));
            }
        }
    }
    Ok(Some(report))
}

/// The empty proof of a program without loops.
fn trivial(seed: u64) -> Result<Vec<Case>, Failure> {
    let made = tangle(seed, false);
    let broken = |why: String| Failure::NotHere(format!("{why} in\n{}", made.text));
    let stand_in = lower(&made.stand_in).map_err(broken)?;
    let truth = explore(&stand_in, &[], ExploreLimits::default())?;
    let program = lower(&made.text).map_err(broken)?;
    Ok(vec![Case {
        program,
        proof: Proof::invariants(std::sync::Arc::new(Terms::new())),
        holds: truth.is_safe(),
        text: made.text,
    }])
}

/// The reachable states of a program with loops, and the same with single states taken out.
fn states(seed: u64) -> Result<Vec<Case>, Failure> {
    let mut rng = Rng::new(seed);
    let text = match rng.percent(50) {
        true => sample(rng.bits(), LIMITS)?.text,
        // Calls that can't be inlined have no states that a proof could name.
        false => tangle(rng.bits(), true).stand_in,
    };
    let lowered = || lower(&text).map_err(|why| Failure::NotHere(format!("{why} in\n{text}")));
    let program = lowered()?;
    let (truth, snapshots) = snapshots(&program, LIMITS)?;
    let everywhere = rng.percent(30);
    let states = Reachable::of(&program, &snapshots, everywhere);
    let mut cases = Vec::new();
    for _ in 0..REMOVALS {
        if let Some(proof) = states.without_one(&program, &mut rng) {
            cases.push(Case {
                text: text.clone(),
                program: lowered()?,
                proof,
                holds: false,
            });
        }
    }
    let proof = states.proof(&program, None);
    cases.insert(
        0,
        Case {
            text,
            program,
            proof,
            holds: truth.is_safe(),
        },
    );
    Ok(cases)
}
