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
