//! Shows the block graph of a C file, or, for a directory of task files, a table of what is exact.
//!
//! `cargo run -p rhumb-encode --example blocks -- FILE.c|FILE.yml|DIRECTORY`

// A program for people: it prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rhumb_cfront::compile_file;
use rhumb_encode::{BlockGraph, Cause, CutPolicy, NodeKind, prepare};
use rhumb_logic::Terms;
use rhumb_program::Program;
use rhumb_program::passes::Goals;

fn main() {
    for argument in std::env::args_os().skip(1) {
        let path = PathBuf::from(argument);
        if path.is_dir() {
            table(&path);
        } else {
            match read(&path) {
                Ok(program) => println!("{}", encode(&program).display()),
                Err(error) => eprintln!("{}: {error}", path.display()),
            }
        }
    }
}

fn read(path: &Path) -> Result<Program, String> {
    let compiled = compile_file(path).map_err(|error| error.to_string())?;
    compiled.program.ok_or_else(|| "not valid C".to_owned())
}

fn encode(program: &Program) -> BlockGraph {
    let prepared = prepare(program, &Goals::all_targets(program));
    BlockGraph::build(
        &prepared.program,
        &Arc::new(Terms::new()),
        CutPolicy::LoopHeads,
    )
}

/// What a task's graph is like.
fn classes(graph: &BlockGraph) -> Vec<&'static str> {
    let mut classes = Vec::new();
    let causes = || {
        graph
            .edges
            .iter()
            .flat_map(|edge| edge.approximations.iter().map(|a| a.0))
    };
    let mut add = |holds: bool, name| {
        if holds {
            classes.push(name);
        }
    };
    add(causes().any(|cause| cause == Cause::Memory), "memory");
    add(causes().any(|cause| cause == Cause::Float), "float");
    add(
        causes().any(|cause| matches!(cause, Cause::Call | Cause::Model(_))),
        "calls",
    );
    add(graph.edges.iter().any(|edge| edge.nonlinear), "nonlinear");
    let is_call = |kind| matches!(kind, NodeKind::Call(_) | NodeKind::Unsupported(_));
    add(
        graph.nodes.iter().any(|node| is_call(node.kind)),
        "unsupported",
    );
    classes
}

fn table(directory: &Path) {
    let mut tasks = Vec::new();
    find(directory, &mut tasks);
    tasks.sort();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for task in &tasks {
        let program = match read(task) {
            Ok(program) => program,
            Err(error) => {
                println!("{:60} {error}", task.display());
                continue;
            }
        };
        let begin = Instant::now();
        let graph = encode(&program);
        let time = begin.elapsed();
        let classes = classes(&graph).join(" ");
        let size: usize = graph.terms.len();
        let name = task.strip_prefix(directory).unwrap_or(task);
        println!(
            "{:70} {:5} nodes {:5} blocks {:8} terms {:8.1} ms  {}",
            name.display(),
            graph.nodes.len(),
            graph.edges.len(),
            size,
            time.as_secs_f64() * 1000.0,
            if classes.is_empty() {
                "exact"
            } else {
                &classes
            },
        );
        *counts.entry(classes).or_default() += 1;
    }
    println!();
    for (classes, count) in counts {
        println!(
            "{count:5}  {}",
            if classes.is_empty() {
                "exact and linear"
            } else {
                &classes
            }
        );
    }
}

fn find(directory: &Path, tasks: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, tasks);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            tasks.push(path);
        }
    }
}
