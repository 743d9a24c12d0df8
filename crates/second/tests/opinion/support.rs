//! Programs, certificates and opinions.

use std::time::Duration;

use rhumb_certify::file::{Certificate, ProofFile};
use rhumb_certify::proof::Proof;
use rhumb_certify::{Verdict, proof};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_search::{CATALOG, decide};
use rhumb_second::{Opinion, OpinionLimits, Solver, check};
use rhumb_summary::Preset;

pub(crate) const PRELUDE: &str = "extern void reach_error(void); extern void abort(void); extern void exit(int); \
    extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); \
    extern unsigned char __VERIFIER_nondet_uchar(void); extern long __VERIFIER_nondet_long(void);\n";

/// The solver, if the tests are to run.
pub(crate) fn solver() -> Option<Solver> {
    if std::env::var_os("RHUMB_SECOND_FETCH").is_some() {
        return Some(Solver::get().expect("the solver can be fetched"));
    }
    match Solver::if_there() {
        Ok(solver) => Some(solver),
        Err(why) => {
            println!("skipped: {why} (set RHUMB_SECOND_FETCH=1)");
            None
        }
    }
}

pub(crate) fn lower(text: &str) -> Program {
    rhumb_truth::lower(&format!("{PRELUDE}{text}"))
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The certificate of a proof.
pub(crate) fn certificate(program: &Program, proof: &Proof) -> String {
    let file = ProofFile::new(program, proof).expect("it can be written");
    file.to_json().expect("it is JSON")
}

/// The proof that says nothing.
pub(crate) fn empty() -> Proof {
    Proof::invariants(Default::default())
}

/// The proof that the default engine finds, as a certificate; none if it finds none.
pub(crate) fn proved(program: &Program, engine: usize) -> Option<String> {
    let budget = Budget::time(Duration::from_secs(10));
    let verdict = decide(program, &CATALOG[engine], Preset::Full, &budget, &mut ()).verdict;
    match &verdict {
        Verdict::Safe(_) => {
            let made = Certificate::of(program, &verdict)?.expect("it can be written");
            Some(made.to_json().expect("it is JSON"))
        }
        _ => None,
    }
}

/// What the second checker says.
pub(crate) fn opinion(program: &Program, certificate: &str, solver: &Solver) -> Opinion {
    let limits = OpinionLimits::new(Duration::from_secs(30), &|| false);
    check(program, certificate, solver, &limits).expect("a proof of this program")
}

/// What the second checker says of the proof that says nothing.
pub(crate) fn of_nothing(program: &Program, solver: &Solver) -> Opinion {
    opinion(program, &certificate(program, &empty()), solver)
}

/// Whether the first checker accepts a proof; none if it can't tell.
pub(crate) fn first(program: &Program, proof: &Proof) -> Option<bool> {
    let budget = Budget::time(Duration::from_secs(30));
    match proof::check(program, proof, &budget) {
        Ok(_) => Some(true),
        Err(proof::Rejected::Fails(_)) => Some(false),
        Err(_) => None,
    }
}

/// How many random programs are looked at: so many, or as many as `RHUMB_SECOND_SAMPLES` says.
pub(crate) fn samples(usual: u64) -> u64 {
    let given = std::env::var("RHUMB_SECOND_SAMPLES").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(usual)
}
