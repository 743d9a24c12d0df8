//! Random programs with loops: a run that is followed by jumps ends as plain execution does, after as many steps and with the same values.

#![allow(missing_docs, clippy::print_stdout)]

mod support;

use dashu_int::UBig;
use rhumb_certify::counterexample::{Budget, check, compress, replay};
use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use support::generate::{Generator, Random};
use support::*;

const PROGRAMS: u64 = 1500;

#[test]
fn jumps_agree_with_plain_execution() {
    let budget = Budget {
        limits: RunLimits {
            steps: 3_000_000,
            ..RunLimits::default()
        },
        ..Budget::default()
    };
    let (mut reached, mut jumped, mut saved, mut total) = (0, 0, 0u64, 0u64);
    for seed in 0..PROGRAMS {
        let text = Generator::program(seed);
        let program = program(&text);
        let mut random = Random::new(seed);
        let mut inputs = KeyedInputs::new();
        for _ in 0..random.below(4) {
            let (value, count) = (random.below(9) as i128 - 3, 1 + random.next() % 100);
            inputs.push_value(site(&program, 0), value as u128, count);
        }
        let plain = Machine::compile(&program).run(&mut inputs.clone(), &budget.limits);
        let found = compress(&program, &inputs, &budget);
        let Outcome::Target(target) = plain.outcome else {
            if plain.outcome != Outcome::StepLimit {
                assert!(found.is_err(), "seed {seed}: {:?}\n{text}", plain.outcome);
            }
            continue;
        };
        reached += 1;
        let found = found.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let checked = check(&program, &found, &budget)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}\n{:?}", found.segments));
        assert_eq!(checked.target, target);
        assert_eq!(
            checked.steps,
            Some(UBig::from(plain.steps)),
            "seed {seed}\n{text}"
        );
        assert_eq!(checked.run.output, plain.output, "seed {seed}\n{text}");
        assert_eq!(
            replay(&program, &inputs, &budget).unwrap().executed,
            plain.steps
        );
        jumped += u32::from(checked.proved_jumps > 0);
        saved += plain.steps - checked.executed.min(plain.steps);
        total += plain.steps;
    }
    println!(
        "{reached} of {PROGRAMS} runs reach the error, {jumped} with jumps, which save {saved} of {total} steps"
    );
    assert!(reached > PROGRAMS / 2, "{reached}");
    assert!(u64::from(jumped) > reached / 2, "{jumped}");
}
