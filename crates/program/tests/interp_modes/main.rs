//! Fast and traced code are made in different ways from the same automata; on random programs, at random limits, they agree in everything.

#![allow(missing_docs)]

mod generate;
#[path = "../support/mod.rs"]
mod support;

use generate::{Random, generate};
use rhumb_program::interp::{Machine, Outcome, Progress, RandomInputs, RunLimits};
use rhumb_program::*;
use support::*;

#[test]
fn both_codes_agree() {
    let mut seen = std::collections::BTreeMap::new();
    let mut definite = 0;
    for seed in 0..6000 {
        let b = generate(seed);
        let mut limits = RunLimits {
            steps: 2000,
            depth: 50,
            memory: 1 << 20,
            ..RunLimits::default()
        };
        // `run_with` compares the two.
        let run = b.run_with(&mut RandomInputs::new(seed), &limits);
        definite += u32::from(run.is_definite());
        let name = match run.outcome {
            Outcome::Undefined(ref fault) => format!("{:?}", fault.kind),
            ref outcome => format!("{outcome:?}").split('(').next().unwrap().to_owned(),
        };
        *seen.entry(name).or_insert(0) += 1;
        // Once more with a limit in the middle: exactly a prefix.
        limits.steps = run.steps / 2;
        let half = b.run_with(&mut RandomInputs::new(seed), &limits);
        if run.steps > 0 {
            assert_eq!(half.steps, limits.steps);
            assert_eq!(half.outcome, Outcome::StepLimit);
        }
    }
    // The programs are not all alike.
    for outcome in [
        "AssumptionFailed",
        "BadRead",
        "BadWrite",
        "Exit",
        "SignedOverflow",
        "StackLimit",
        "StepLimit",
        "Target",
        "Unsupported",
    ] {
        assert!(seen.contains_key(outcome), "no {outcome} in {seen:?}");
    }
    assert!(definite > 2000, "{definite} without caveats");
}

#[test]
fn runs_in_pieces_agree() {
    let mut pauses = 0;
    let mut replaced = 0;
    for seed in 0..3000 {
        let b = generate(seed);
        let limits = RunLimits {
            steps: 600,
            depth: 50,
            memory: 1 << 20,
            ..RunLimits::default()
        };
        let inputs = RandomInputs::new(seed);
        let machine = Machine::compile(&b.program);
        let whole = machine.run(&mut inputs.clone(), &limits);
        let mut random = Random(seed + 1);
        let mut execution = machine.start(&limits);
        let pieces = loop {
            let steps = random.next() % 40;
            let before = execution.steps();
            match execution.advance(&mut inputs.clone(), steps) {
                Progress::Ended(run) => break run,
                Progress::Paused => {
                    assert_eq!(execution.steps(), before + steps, "seed {seed}");
                    pauses += 1;
                }
            }
            // What is written back as it was changes nothing.
            for (var, _) in b.program.vars.iter_enumerated() {
                if let Some(bits) = execution.value(var) {
                    replaced += u32::from(execution.set_value(var, bits));
                }
            }
        };
        assert_eq!(whole, pieces, "seed {seed}");
    }
    assert!(pauses > 3000, "{pauses}");
    assert!(replaced > 10_000, "{replaced}");
}

#[test]
fn a_run_stops_before_a_passage_of_an_edge() {
    // for (i = 0; i < 10; i++) count++;
    let mut b = Builder::new(DataModel::Lp64);
    let (i, count) = (b.local("i", INT), b.local("count", INT));
    let zero = b.i32(0);
    b.assign(i, zero);
    let head = b.location();
    b.jump(head);
    b.move_to(head);
    let (read, ten, one) = (b.read(i), b.i32(10), b.i32(1));
    let more = b.binary(BinOp::Lt, read, ten);
    let (body, end) = (b.location(), b.location());
    b.branch_to(more, body, end);
    b.move_to(body);
    let read_count = b.read(count);
    let more_count = b.binary(BinOp::Add, read_count, one);
    let edge = b.step(Action::Assign {
        dst: count,
        value: more_count,
    });
    let next = b.binary(BinOp::Add, read, one);
    b.assign(i, next);
    b.jump(head);
    b.move_to(end);
    let code = b.read(count);
    b.exit(code);

    let machine = Machine::compile(&b.program);
    let mut execution = machine.start(&RunLimits::default());
    let start = b.program.start;
    let mut inputs = RandomInputs::new(0);
    let paused = execution.advance_to(&mut inputs, u64::MAX, start, edge, 4);
    assert_eq!(paused, Progress::Paused);
    assert_eq!(execution.position(), (start, body));
    assert_eq!(execution.value(i), Some(3));
    assert_eq!(execution.value(count), Some(3));
    assert!(execution.set_value(i, 9));
    let Progress::Ended(run) = execution.advance(&mut inputs, u64::MAX) else {
        panic!("it has an end");
    };
    assert_eq!(run.outcome, Outcome::Exit(4));
}
