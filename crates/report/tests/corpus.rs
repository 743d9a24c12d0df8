//! Real tasks that are known to be unsafe, if they are there: inputs found by chance lead to errors that are followed, checked, made
//! simpler, written down and confirmed by gcc.

#![allow(missing_docs, clippy::print_stdout)]

mod gcc;
#[path = "../../certify/tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gcc::{runs_32_bit, status};
use rhumb_certify::counterexample::{Budget, Counterexample, check, compress, shrink};
use rhumb_certify::file::CounterexampleFile;
use rhumb_cfront::{LoadOptions, Options, TargetSpec, compile, load, load_task};
use rhumb_program::interp::{KeyedInputs, Machine, RandomInputs, Recorder, RunLimits};
use rhumb_program::{DataModel, Program};
use rhumb_report::harness;

fn tasks(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            tasks(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            found.push(path);
        }
    }
}

/// The text that is parsed, and the program.
fn unsafe_program(path: &Path) -> Option<(Vec<u8>, Program)> {
    let task = load_task(path).ok()?;
    let mut properties = task.properties.iter();
    properties.find(|property| {
        let is_reachability =
            (property.property_file.file_stem()).is_some_and(|name| name == "unreach-call");
        is_reachability && property.expected_verdict == Some(false)
    })?;
    let data_model = task.data_model.unwrap_or_default();
    let options = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    let source = load(task.program().ok()?, &options).ok()?;
    let text = source.map.text().to_vec();
    let options = Options {
        data_model,
        targets: TargetSpec::Call("reach_error".into()),
        ..Options::default()
    };
    Some((text, compile(source.map, &options).program?))
}

fn search(program: &Program) -> Option<Counterexample> {
    let budget = Budget {
        limits: RunLimits {
            steps: 200_000,
            ..RunLimits::default()
        },
        operations: 2_000_000,
        ..Budget::default()
    };
    if let Ok(found) = compress(program, &KeyedInputs::new(), &budget) {
        return Some(found);
    }
    let machine = Machine::compile(program);
    (0..8).find_map(|seed| {
        let mut recorder = Recorder::new(RandomInputs::new(seed));
        let limits = RunLimits {
            steps: 20_000,
            ..RunLimits::default()
        };
        machine.run(&mut recorder, &limits);
        compress(program, &recorder.into_inputs(), &budget).ok()
    })
}

#[test]
fn known_errors_are_confirmed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/gps-paper/suite1-svcomp");
    let mut paths = Vec::new();
    tasks(&corpus, &mut paths);
    if paths.is_empty() {
        println!("skipped: the tasks are not there");
        return;
    }
    paths.sort();
    let folder = tempfile::tempdir().unwrap();
    let gcc_32 = runs_32_bit(folder.path());
    let budget = Budget::default();
    let (mut all, mut found, mut confirmed) = (0, 0, 0);
    for path in &paths {
        let Some((text, program)) = unsafe_program(path) else {
            continue;
        };
        all += 1;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let Some(first) = search(&program) else {
            println!("{name}: not found");
            continue;
        };
        found += 1;
        check(&program, &first, &budget).unwrap_or_else(|why| panic!("{name}: {why}"));
        let limited = Budget {
            time: rhumb_logic::Budget::time(Duration::from_millis(200)),
            ..budget.clone()
        };
        let small = shrink(&program, &first, &limited);
        let start = Instant::now();
        let checked =
            check(&program, &small, &budget).unwrap_or_else(|why| panic!("{name}: {why}"));
        let time = start.elapsed();
        let json = CounterexampleFile::new(&program, &small).to_json();
        let read = CounterexampleFile::from_json(json.as_bytes()).unwrap();
        assert_eq!(read.counterexample(&program).as_ref(), Ok(&small), "{name}");
        let steps = checked.steps.clone().unwrap_or_default();
        println!(
            "{name}: {steps} steps, {} executed, {} jumps, checked in {time:?}",
            checked.executed, checked.proved_jumps
        );
        let short = steps < 100_000_000u32.into();
        let runs_here = program.data_model == DataModel::Lp64 || gcc_32;
        if short && runs_here {
            let harness = harness::write(&program, &text, &small, &budget)
                .unwrap_or_else(|why| panic!("{name}: {why}"));
            let alone = harness.standalone();
            let status = status(folder.path(), program.data_model, &[("alone.c", &alone)]);
            assert_eq!(status, Some(10), "{name}");
            confirmed += 1;
        }
    }
    println!("{found} of {all} found by chance, {confirmed} confirmed by gcc");
    assert!(found * 2 > all, "{found} of {all}");
    assert!(confirmed * 2 > found || !gcc_32, "{confirmed} of {found}");
}
