//! The keys of our own suites, tried by the interpreter.

use rhumb_suites::{Verdict, shelf};

use crate::support::{Folder, rhumb_in};

/// Programs whose key takes longer than this are left to the engines.
const MAX_STEPS: &str = "20000000";

#[test]
fn every_key_reaches_the_error() {
    let folder = Folder::new();
    folder.file("unreach-call.prp", rhumb_suites::UNREACH_CALL);
    let (mut opened, mut too_long) = (0, 0);
    for task in shelf().into_iter().flat_map(|shelf| shelf.tasks) {
        let Verdict::Unsafe(key) = &task.verdict else {
            continue;
        };
        let file = folder.file("task.c", &task.program);
        let model = format!("--data-model={}", task.data_model.name());
        let inputs = format!("--inputs={key}");
        let file = file.to_string_lossy();
        let args = [
            "run",
            &file,
            &model,
            &inputs,
            "--steps",
            MAX_STEPS,
            "--property",
            "unreach-call.prp",
        ];
        let called = rhumb_in(folder.path(), args);
        if called.stderr.contains("outcome: step limit") {
            too_long += 1;
        } else {
            called.expect(10, &["outcome: target reached"]);
            opened += 1;
        }
    }
    println!("{opened} keys reach the error, {too_long} take more than {MAX_STEPS} steps");
    assert!(opened >= 60, "only {opened}");
}

/// No engine says anything wrong about our own tasks, and the default one decides most of them.
#[test]
fn verdicts_are_right_and_not_rare() {
    /// Every so many tasks one is tried, with each engine.
    const STRIDE: usize = 6;
    let folder = Folder::new();
    folder.file("unreach-call.prp", rhumb_suites::UNREACH_CALL);
    let tasks = shelf().into_iter().flat_map(|shelf| shelf.tasks);
    let (mut tried, mut decided) = (0, 0);
    for task in tasks.step_by(STRIDE) {
        folder.file("task.c", &task.program);
        let model = format!("--data-model={}", task.data_model.name());
        for (engine, time) in [
            ("gps", "4s"),
            ("gps-nosum", "1s"),
            ("impact", "1s"),
            ("cra", "1s"),
            ("bmc", "1s"),
        ] {
            let args = ["check", "task.c", &model, "--engine", engine];
            let limits = ["--timeout", time, "--property", "unreach-call.prp"];
            let called = rhumb_in(folder.path(), args.iter().chain(&limits));
            let right = match task.verdict {
                Verdict::Unsafe(_) => "verdict: UNSAFE",
                _ => "verdict: SAFE",
            };
            let last = called.last_line();
            let unknown = last.starts_with("verdict: UNKNOWN");
            assert!(last == right || unknown, "{engine}: {last}, not {right}");
            if engine == "gps" {
                tried += 1;
                decided += usize::from(!unknown);
            }
        }
    }
    println!("{decided} of {tried} decided");
    assert!(2 * decided >= tried, "{decided} of {tried}");
}
