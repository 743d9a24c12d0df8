//! Proofs by following all runs, where there is one run only: the interpreter makes it.

use rhumb_program::interp::{InputSource, Machine, Outcome, RunLimits};
use rhumb_program::{InputSiteId, Program, Type};

use crate::Opinion;

/// Gives zeros, and remembers that it was asked.
#[derive(Default)]
struct Asked(bool);

impl InputSource for Asked {
    fn value(&mut self, _: InputSiteId, _: u64, _: Type) -> u128 {
        self.0 = true;
        0
    }

    fn bytes(&mut self, _: InputSiteId, _: u64, _: &mut [u8]) {
        self.0 = true;
    }
}

/// Follows the run of a program that reads nothing. Of other programs there is no opinion.
pub(crate) fn check(program: &Program) -> Opinion {
    let mut inputs = Asked::default();
    let run = Machine::compile(program).run(&mut inputs, &RunLimits::default());
    let undecided = |why: &str| Opinion::Undecided(why.to_owned());
    match run.outcome {
        Outcome::Target(_) if run.is_definite() => {
            Opinion::Rejected("a run reaches a target".to_owned())
        }
        _ if inputs.0 => undecided("the program reads inputs, so it has many runs"),
        _ if !run.is_definite() => undecided("the run depends on what C leaves open"),
        Outcome::Exit(_) | Outcome::Abort | Outcome::AssumptionFailed | Outcome::Undefined(_) => {
            Opinion::Valid
        }
        Outcome::Target(_)
        | Outcome::Unsupported(_)
        | Outcome::StepLimit
        | Outcome::MemoryLimit
        | Outcome::StackLimit
        | Outcome::Deadlock => undecided("the run was not followed to its end"),
    }
}
