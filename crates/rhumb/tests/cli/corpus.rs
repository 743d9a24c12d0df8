//! The tasks of the corpus, where it stands beside the repository.

use std::path::{Path, PathBuf};

use rhumb_cfront::compile_file;

/// All task files of the corpus, or none with a word about it.
fn tasks() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gps-paper");
    let mut tasks = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yml") {
                tasks.push(path);
            }
        }
    }
    if tasks.is_empty() {
        println!("skipped: no corpus at {}", root.display());
    }
    tasks.sort();
    tasks
}

/// Every task parses, types and lowers to a well-formed program without an unsupported construct.
#[test]
fn every_task_is_lowered() {
    let mut failures = Vec::new();
    let tasks = tasks();
    for path in &tasks {
        if let Err(message) = lower(path) {
            failures.push(format!("{}: {message}", path.display()));
        }
    }
    println!("{} tasks, {} not lowered", tasks.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn lower(path: &Path) -> Result<(), String> {
    let compiled = compile_file(path).map_err(|error| error.to_string())?;
    let Some(program) = compiled.program else {
        let messages: Vec<_> = compiled
            .diagnostics
            .iter()
            .map(|diagnostic| &diagnostic.message)
            .collect();
        return Err(format!("{messages:?}"));
    };
    if let Some(unsupported) = program.unsupported.first() {
        return Err(format!("unsupported: {}", unsupported.what));
    }
    if program.targets.is_empty() {
        return Err("no target".to_owned());
    }
    program.validate().map_err(|invalid| invalid.to_string())
}
