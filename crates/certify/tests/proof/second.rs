//! Whatever the checker says of a proof, the second one says, too.

#![allow(clippy::print_stdout)]

use std::sync::OnceLock;
use std::time::Duration;

use rhumb_certify::file::ProofFile;
use rhumb_certify::proof::{Accepted, Proof, Rejected};
use rhumb_program::Program;
use rhumb_second::{Opinion, OpinionLimits, Solver, check};

/// The second solver, if it is there: a plain build doesn't fetch it.
fn solver() -> Option<&'static Solver> {
    static SOLVER: OnceLock<Option<Solver>> = OnceLock::new();
    let found = SOLVER.get_or_init(|| match std::env::var_os("RHUMB_SECOND_FETCH") {
        Some(_) => Some(Solver::get().expect("the solver can be fetched")),
        None => {
            let found = Solver::if_there();
            if let Err(why) = &found {
                println!("skipped the second opinion: {why} (set RHUMB_SECOND_FETCH=1)");
            }
            found.ok()
        }
    });
    found.as_ref()
}

/// Asks for a second opinion on a proof that was accepted, or rejected since an obligation doesn't hold.
pub(crate) fn agrees(program: &Program, proof: &Proof, first: &Result<Accepted, Rejected>) {
    let Some(solver) = solver() else { return };
    let Ok(text) = ProofFile::new(program, proof).and_then(|file| file.to_json()) else {
        return;
    };
    let limits = OpinionLimits::new(Duration::from_secs(20), &|| false);
    let Ok(second) = check(program, &text, solver, &limits) else {
        return;
    };
    match (first, &second) {
        (Ok(_), Opinion::Rejected(why)) => panic!("the second checker rejects it: {why}\n{text}"),
        (Err(Rejected::Fails(failure)), Opinion::Valid) => {
            panic!("the second checker accepts it: {failure}\n{text}")
        }
        _ => {}
    }
}
