//! Real tasks: whatever proof is offered, a program with an error is never accepted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rhumb_certify::proof::{Proof, check};
use rhumb_cfront::{LoadOptions, Options, TargetSpec, compile, load, load_task};
use rhumb_logic::{Budget, Terms};
use rhumb_program::Program;

/// Every so many tasks of the whole corpus are enough.
const STEP: usize = 4;

fn tasks(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            tasks(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            found.push(path);
        }
    }
}

/// The program of a task, and whether it is expected to be safe.
fn program(path: &Path) -> Option<(Program, bool)> {
    let task = load_task(path).ok()?;
    let reaches = |path: &Path| {
        path.file_name()
            .is_some_and(|name| name == "unreach-call.prp")
    };
    let property = task
        .properties
        .iter()
        .find(|property| reaches(&property.property_file))?;
    let data_model = task.data_model?;
    let options = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    let source = load(task.program().ok()?, &options).ok()?;
    let options = Options {
        data_model,
        targets: TargetSpec::Call("reach_error".into()),
        ..Options::default()
    };
    Some((
        compile(source.map, &options).program?,
        property.expected_verdict?,
    ))
}

#[test]
fn no_proof_of_a_program_with_an_error_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut own, mut corpus) = (Vec::new(), Vec::new());
    tasks(&root.join("benchmarks"), &mut own);
    tasks(&root.join("../shared/corpus"), &mut corpus);
    let mut all: Vec<PathBuf> = own.into_iter().chain(corpus).collect();
    all.sort();
    let (mut right, mut wrong) = (0, 0);
    for path in all.into_iter().step_by(STEP) {
        let Some((program, is_safe)) = program(&path) else {
            continue;
        };
        // No formula at all, and loops that end soon: right for some programs.
        for proof in [
            Proof::invariants(Arc::new(Terms::new())),
            Proof::unrolling(12),
        ] {
            if check(&program, &proof, &Budget::time(Duration::from_secs(1))).is_ok() {
                assert!(is_safe, "{}", path.display());
                right += 1;
            }
        }
        wrong += usize::from(!is_safe);
    }
    assert!(right > 0 && wrong > 5, "{right} {wrong}");
}
