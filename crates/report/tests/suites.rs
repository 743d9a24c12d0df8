//! Our own tasks that are unsafe, with the inputs that show it: followed by jumps, checked, written down, and confirmed by gcc.

#![allow(missing_docs, clippy::print_stdout)]

mod gcc;
#[path = "../../certify/tests/support/mod.rs"]
mod support;

use std::time::Instant;

use gcc::{runs_32_bit, status};
use rhumb_certify::counterexample::{Budget, check, compress};
use rhumb_certify::file::CounterexampleFile;
use rhumb_program::interp::{KeyedInputs, ListInputs, Machine, Recorder, RunLimits};
use rhumb_program::{DataModel, Program};
use rhumb_report::harness;
use rhumb_suites::{Inputs, Verdict, shelf};
use support::*;

/// The inputs by site; `None` if that takes too long to find out.
fn keyed(program: &Program, inputs: &Inputs) -> Option<KeyedInputs> {
    let mut sites = sites(program);
    if let (Some(only), None) = (sites.next(), sites.next()) {
        let mut keyed = KeyedInputs::new();
        for &(value, count) in inputs.runs() {
            keyed.push_value(only, value as i128 as u128, count);
        }
        return Some(keyed);
    }
    if inputs.len() > 1_000_000 {
        return None;
    }
    let runs = inputs.runs().iter();
    let values = runs.flat_map(|&(value, count)| (0..count).map(move |_| i128::from(value)));
    let mut recorder = Recorder::new(ListInputs::new(program, values));
    let limits = RunLimits {
        steps: 50_000_000,
        ..RunLimits::default()
    };
    Machine::compile(program).run(&mut recorder, &limits);
    Some(recorder.into_inputs())
}

#[test]
fn our_unsafe_tasks_are_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let gcc_32 = runs_32_bit(folder.path());
    let budget = Budget::default();
    let (mut all, mut checked_tasks, mut jumped, mut confirmed) = (0, 0, 0, 0);
    for shelf in shelf() {
        let mut compiled = 0;
        for task in shelf.tasks.iter().rev() {
            let Verdict::Unsafe(inputs) = &task.verdict else {
                continue;
            };
            all += 1;
            let name = &task.name;
            let model = match task.data_model {
                rhumb_suites::DataModel::Ilp32 => DataModel::Ilp32,
                rhumb_suites::DataModel::Lp64 => DataModel::Lp64,
            };
            let program = program_in(&task.program, model);
            let Some(inputs) = keyed(&program, inputs) else {
                println!("{name}: too many inputs from several places");
                continue;
            };
            let found =
                compress(&program, &inputs, &budget).unwrap_or_else(|why| panic!("{name}: {why}"));
            let json = CounterexampleFile::new(&program, &found).to_json();
            let read = CounterexampleFile::from_json(json.as_bytes()).unwrap();
            let read = read.counterexample(&program).unwrap();
            let start = Instant::now();
            let checked =
                check(&program, &read, &budget).unwrap_or_else(|why| panic!("{name}: {why}"));
            let time = start.elapsed();
            checked_tasks += 1;
            jumped += u32::from(checked.proved_jumps > 0);
            let steps = checked.steps.clone().unwrap_or_default();
            println!(
                "{name}: {steps} steps, {} executed, {} jumps, {time:?}",
                checked.executed, checked.proved_jumps
            );
            // Two of each folder: the largest that are short enough.
            let short = steps < 100_000_000u32.into();
            if short && compiled < 2 && (model == DataModel::Lp64 || gcc_32) {
                let harness = harness::write(&program, task.program.as_bytes(), &found, &budget)
                    .unwrap_or_else(|why| panic!("{name}: {why}"));
                let alone = harness.standalone();
                let status = status(folder.path(), model, &[("alone.c", &alone)]);
                assert_eq!(status, Some(10), "{name}");
                compiled += 1;
                confirmed += 1;
            }
        }
    }
    println!("{checked_tasks} of {all} checked, {jumped} with jumps, {confirmed} confirmed by gcc");
    assert!(checked_tasks * 10 >= all * 9, "{checked_tasks} of {all}");
    assert!(jumped * 3 > checked_tasks, "{jumped} of {checked_tasks}");
    assert!(confirmed > 10 || !gcc_32, "{confirmed}");
}
