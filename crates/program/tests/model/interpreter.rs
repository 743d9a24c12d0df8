//! The passes against the exact interpreter, on random programs.

use rhumb_program::interp::{InputSource, Machine, Outcome, RunLimits};
use rhumb_program::passes::{Goals, Passed, Restore, constants, contract, dead, inline, prune};
use rhumb_program::*;

use crate::exec::{self, input};
use crate::generate;
use crate::properties::numbers;

/// The inputs of the tests' own executor.
struct Seeded(u64);

impl InputSource for Seeded {
    fn value(&mut self, site: InputSiteId, occurrence: u64, _: Type) -> u128 {
        input(self.0, site, occurrence as usize) as u128
    }

    fn bytes(&mut self, _: InputSiteId, _: u64, _: &mut [u8]) {}
}

fn outcome(program: &Program, seed: u64) -> Outcome {
    let limits = RunLimits {
        steps: 20_000,
        ..RunLimits::default()
    };
    Machine::compile(program)
        .run(&mut Seeded(seed), &limits)
        .outcome
}

fn kind(outcome: &Outcome) -> exec::Outcome {
    match outcome {
        Outcome::Target(id) => exec::Outcome::Target(*id),
        Outcome::Exit(code) => exec::Outcome::End(EndKind::Exit, i128::from(*code)),
        Outcome::Abort => exec::Outcome::End(EndKind::Abort, 0),
        Outcome::AssumptionFailed => exec::Outcome::End(EndKind::AssumptionFailed, 0),
        Outcome::Undefined(fault) => exec::Outcome::Ub(fault.kind),
        Outcome::Unsupported(_) => exec::Outcome::Unsupported,
        _ => exec::Outcome::Limit,
    }
}

#[test]
fn passes_keep_what_the_interpreter_does() {
    let mut compared = 0;
    for seed in 0..1000 {
        let program = generate::program(&numbers(seed, 600));
        let goals = Goals::all_targets(&program);
        let kept = inline::run(&program, 100_000)
            .passed
            .then(constants::run)
            .then(dead::run)
            .then(contract::run)
            .then(constants::run);
        let pruned = Passed {
            program: kept.program.clone(),
            restore: kept.restore.clone(),
        }
        .then(|program| prune::run(program, &goals));
        for inputs in 0..5 {
            let own = exec::run(&program, &Restore::identity(&program), inputs, 2_000);
            if own.outcome == exec::Outcome::Limit {
                continue;
            }
            compared += 1;
            let before = kind(&outcome(&program, inputs));
            assert_eq!(before, own.outcome, "{}", program.to_text());
            assert_eq!(kind(&outcome(&kept.program, inputs)), before);
            let after = kind(&outcome(&pruned.program, inputs));
            if matches!(
                before,
                exec::Outcome::Target(_) | exec::Outcome::Unsupported
            ) {
                assert_eq!(after, before);
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}
