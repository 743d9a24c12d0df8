//! Real tasks: how many of them are encoded exactly.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_cfront::compile_file;
use rhumb_encode::{BlockGraph, CutPolicy, prepare};
use rhumb_logic::Terms;
use rhumb_program::passes::Goals;

/// Number of tasks below a directory, and of those whose blocks are all exact.
fn exact_tasks(directory: &Path) -> (usize, usize) {
    let mut tasks = Vec::new();
    find(directory, &mut tasks);
    let exact = tasks.iter().filter(|task| is_exact(task)).count();
    (tasks.len(), exact)
}

fn is_exact(path: &Path) -> bool {
    let compiled = compile_file(path).expect("a task and its program");
    let program = compiled.program.expect("valid C");
    let prepared = prepare(&program, &Goals::all_targets(&program));
    let terms = Arc::new(Terms::new());
    let graph = BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads);
    graph.edges.iter().all(|edge| edge.exact())
}

fn find(directory: &Path, tasks: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, tasks);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            tasks.push(path);
        }
    }
}

#[test]
fn our_own_tasks_are_exact() {
    let (all, exact) = exact_tasks(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks"));
    assert!(all > 100, "{all}");
    assert_eq!(exact, all);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn tasks_of_the_paper_are_nearly_all_exact() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gps-paper");
    if !corpus.is_dir() {
        eprintln!("skipped: {} is not there", corpus.display());
        return;
    }
    let (all, exact) = exact_tasks(&corpus);
    assert!(all > 200 && exact * 100 >= all * 98, "{exact} of {all}");
}
