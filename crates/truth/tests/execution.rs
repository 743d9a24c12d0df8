//! Following all runs, against the interpreter: on given inputs it goes the same way, and with inputs left open every
//! path is one of the interpreter's runs.

use rhumb_certify::proof::{AllRuns, Followed};
use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_difftest::generate::{self, generate};
use rhumb_logic::{Budget, Work};
use rhumb_program::Program;
use rhumb_program::interp::{ListInputs, Machine, Outcome, Recorder, RunLimits};

/// Random programs for the comparison of the interpreter with gcc: arrays, records, unions, bit-fields, pointers, calls, heap.
fn program(seed: u64, size: u32) -> Option<(Program, Vec<i128>)> {
    let model = match seed % 2 {
        0 => rhumb_difftest::model::DataModel::Lp64,
        _ => rhumb_difftest::model::DataModel::Ilp32,
    };
    let mut options = generate::Options::new(model);
    options.size = size;
    let made = generate(seed, &options);
    let data_model = model.into();
    let load = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    let source = load_text("case.c", made.source.into_bytes(), &load).ok()?;
    let options = Options {
        data_model,
        ..Options::default()
    };
    let compiled = compile(source.map, &options);
    Some((compiled.program?, made.inputs))
}

fn limits() -> RunLimits {
    RunLimits {
        steps: 20_000,
        ..RunLimits::default()
    }
}

#[test]
fn on_given_inputs_it_is_the_interpreters_run() {
    let (mut tried, mut followed) = (0, 0);
    for seed in 0..400 {
        let Some((program, inputs)) = program(seed, 3) else {
            continue;
        };
        let mut inputs = Recorder::new(ListInputs::new(&program, inputs));
        let run = Machine::compile(&program).run(&mut inputs, &limits());
        if matches!(run.outcome, Outcome::StepLimit | Outcome::Unsupported(_)) {
            continue;
        }
        tried += 1;
        let mut runs = AllRuns::on(&program, inputs.into_inputs()).telling_ends();
        match runs.go_on(&Budget::unlimited(), Work::secs(5)) {
            Followed::Ended {
                at,
                inputs: Some(_),
            } => {
                let end = Some((run.end.function, run.end.location));
                assert_eq!(at, end, "seed {seed}: {:?}", run.outcome);
                let steps = runs.extent().steps;
                assert!(
                    steps == run.steps || steps == run.steps + 1,
                    "seed {seed}: {steps} steps, not {}",
                    run.steps
                );
                followed += 1;
            }
            Followed::Reached { target, .. } => {
                assert_eq!(run.outcome, Outcome::Target(target), "seed {seed}");
                followed += 1;
            }
            _ => {}
        }
    }
    assert!(tried >= 200, "{tried} programs");
    assert!(
        followed * 100 >= tried * 60,
        "{followed} of {tried} were followed"
    );
}

#[test]
fn every_path_is_a_run() {
    let (mut paths, mut without_inputs) = (0, 0);
    for seed in 5_000..5_150 {
        let Some((program, _)) = program(seed, 2) else {
            continue;
        };
        let machine = Machine::compile(&program);
        let mut runs = AllRuns::new(&program).telling_ends();
        for _ in 0..20 {
            match runs.go_on(&Budget::unlimited(), Work::millis(100)) {
                Followed::Ended { at, inputs } => match inputs {
                    Some(inputs) => {
                        let run = machine.run(&mut inputs.clone(), &RunLimits::default());
                        let end = Some((run.end.function, run.end.location));
                        assert_eq!(at, end, "seed {seed}: {:?} {inputs:?}", run.outcome);
                        paths += 1;
                    }
                    None => without_inputs += 1,
                },
                Followed::Lost { .. } | Followed::Reached { .. } => {}
                Followed::Working | Followed::Complete(_) | Followed::Incomplete => break,
            }
        }
    }
    println!("{paths} paths are runs, {without_inputs} were approximated");
    assert!(
        paths >= 100,
        "{paths} paths, and {without_inputs} that were approximated"
    );
}
