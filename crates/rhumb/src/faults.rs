//! What is wrong where a check fails: the property that is violated, and what exactly is undefined.

use rhumb_certify::counterexample::Counterexample;
use rhumb_program::interp::{self, Machine, RunLimits};
use rhumb_program::{Leak, Program, TargetKind, ThreadFault, UbKind};

/// The property of the competition that is violated where a check fails.
pub(crate) fn property_of(kind: &TargetKind) -> Option<&'static str> {
    Some(match kind {
        TargetKind::Undefined(kind) => match kind {
            UbKind::SignedOverflow => "no-overflow",
            UbKind::BadRead | UbKind::BadWrite | UbKind::BadCall => "valid-deref",
            UbKind::BadFree => "valid-free",
            _ => "def-behavior",
        },
        TargetKind::Leak(Leak::Lost) => "valid-memtrack",
        TargetKind::Leak(Leak::Unfreed) => "valid-memcleanup",
        TargetKind::Thread(ThreadFault::Race) => "no-data-race",
        TargetKind::Thread(ThreadFault::Deadlock) => "no-deadlock",
        TargetKind::Endless(_) => "termination",
        TargetKind::Call(_)
        | TargetKind::Assertion
        | TargetKind::Label(_)
        | TargetKind::Goal(_) => return None,
    })
}

/// Steps of the interpreter that finding words for an error is worth.
const STEPS_FOR_WORDS: u64 = 10_000_000;

/// What exactly is undefined at the end of a run: the program is executed again as if nobody had asked for it.
pub(crate) fn fault(program: &Program, counterexample: &Counterexample) -> Option<String> {
    let program = program.without_checks();
    let limits = RunLimits {
        steps: STEPS_FOR_WORDS,
        ..RunLimits::default()
    };
    let mut inputs = counterexample.inputs.clone();
    match Machine::compile(&program).run(&mut inputs, &limits).outcome {
        interp::Outcome::Undefined(fault) => Some(fault.describe(&program)),
        _ => None,
    }
}
