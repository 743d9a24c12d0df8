//! Real tasks, where they are at hand.

use std::path::{Path, PathBuf};

use rhumb_program::DataModel;

use super::validate::broken_promises;
use super::{analyse, unsupported};
use crate::{LoadOptions, load, load_task};

fn task_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            task_files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            out.push(path);
        }
    }
}

#[test]
fn every_task_of_the_paper_is_analysed_without_an_error() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("RHUMB_CORPUS")
        .map_or(beside, PathBuf::from)
        .join("gps-paper");
    let mut tasks = Vec::new();
    task_files(&root, &mut tasks);
    if tasks.is_empty() {
        eprintln!("skipped: there is no corpus at {}", root.display());
        return;
    }
    tasks.sort();
    let mut problems = Vec::new();
    for path in &tasks {
        let task = load_task(path).expect("a task file can be read");
        let data_model = task.data_model.unwrap_or(DataModel::Ilp32);
        let options = LoadOptions {
            data_model,
            ..LoadOptions::default()
        };
        let program = task.program().expect("one file");
        let source = load(program, &options).expect("a program can be read");
        let result = analyse(source.map.text(), data_model);
        let mut messages = result.errors();
        messages.extend(unsupported(&result.unit));
        messages.extend(broken_promises(&result));
        let messages = messages.into_iter();
        problems.extend(messages.map(|message| format!("{}: {message}", program.display())));
    }
    assert!(
        problems.is_empty(),
        "{} tasks:\n{}",
        tasks.len(),
        problems.join("\n")
    );
}
