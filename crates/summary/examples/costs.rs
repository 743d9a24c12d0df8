//! What summaries cost on a folder of tasks: time by operator, and the slowest tasks.
//!
//! `cargo run --release -p rhumb-summary --example costs -- [--paper] [--limit SECONDS] FOLDER|FILE...`
//!
//! Task files (`.yml`) are looked for in all folders below the given ones. For each the summary of all ways from its
//! entry to its goals is built, which needs nearly all of its loops.

// A program for people: it prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_cfront::compile_file;
use rhumb_encode::{BlockGraph, CutPolicy, prepare};
use rhumb_logic::{Budget, Terms};
use rhumb_program::Program;
use rhumb_program::passes::Goals;
use rhumb_summary::star::Cost;
use rhumb_summary::{Preset, Steps, Summaries, forward};
use rustix::time::{ClockId, clock_gettime};

/// So many of the slowest tasks are shown.
const SLOWEST: usize = 10;

/// What one task took.
struct Taken {
    name: String,
    nodes: usize,
    encoding: Duration,
    invariants: Duration,
    summaries: Duration,
    /// What all threads had for all three, which hardly depends on what else the machine does.
    of_cores: Duration,
    costs: Vec<Cost>,
}

fn main() {
    let mut preset = Preset::Full;
    let mut limit = Duration::from_secs(60);
    let mut files: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args();
    arguments.next();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--paper" => preset = Preset::Paper,
            "--limit" => {
                let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                limit = Duration::from_secs(seconds.unwrap_or(60));
            }
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    let mut all: Vec<Taken> = Vec::new();
    for file in &files {
        match read(file) {
            Ok(program) => {
                let taken = summarise(file, &program, preset, limit);
                if taken.summaries > Duration::from_secs(5) {
                    eprintln!("{}: {:.1} s", taken.name, taken.summaries.as_secs_f64());
                }
                all.push(taken);
            }
            Err(error) => eprintln!("{}: {error}", file.display()),
        }
    }
    print_operators(&all);
    print_slowest(all);
}

/// Adds a file, or the task files below a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => {
            for entry in entries.flatten() {
                let path = entry.path();
                if path.is_dir() || path.extension().is_some_and(|extension| extension == "yml") {
                    collect(&path, files);
                }
            }
        }
        Err(_) => files.push(path.to_owned()),
    }
}

fn read(path: &Path) -> Result<Program, String> {
    let compiled = compile_file(path).map_err(|error| error.to_string())?;
    compiled.program.ok_or_else(|| "not valid C".to_owned())
}

fn summarise(file: &Path, program: &Program, preset: Preset, limit: Duration) -> Taken {
    let had = time_of_cores();
    let begun = Instant::now();
    let prepared = prepare(program, &Goals::all_targets(program));
    let terms = Arc::new(Terms::new());
    let graph = BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads);
    let encoding = begun.elapsed();
    let budget = Budget::time(limit);
    let begun = Instant::now();
    let known = forward::at_nodes(&graph, &budget);
    let invariants = begun.elapsed();
    let begun = Instant::now();
    let mut summaries = Summaries::by(Steps::of(&graph, &known), preset);
    if !graph.nodes.is_empty() {
        summaries.to_goals(graph.entry, &budget);
    }
    Taken {
        name: file.file_stem().unwrap_or_default().display().to_string(),
        nodes: graph.nodes.len(),
        encoding,
        invariants,
        summaries: begun.elapsed(),
        of_cores: time_of_cores() - had,
        costs: summaries.costs(),
    }
}

/// The time that all threads of this process have had.
fn time_of_cores() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn print_operators(all: &[Taken]) {
    let mut totals: Vec<Cost> = Vec::new();
    for cost in all.iter().flat_map(|taken| &taken.costs) {
        match totals.iter_mut().find(|total| total.name == cost.name) {
            Some(total) => {
                total.time += cost.time;
                total.units += cost.units;
                total.queries += cost.queries;
                total.uses += cost.uses;
            }
            None => totals.push(*cost),
        }
    }
    totals.sort_by_key(|total| std::cmp::Reverse(total.time));
    println!(
        "{:>14} {:>10} {:>8} {:>9} {:>12}",
        "operator", "time", "uses", "queries", "units"
    );
    for total in &totals {
        println!(
            "{:>14} {:>8.1} s {:>8} {:>9} {:>11}k",
            total.name,
            total.time.as_secs_f64(),
            total.uses,
            total.queries,
            total.units / 1000
        );
    }
    let sum = |time: fn(&Taken) -> Duration| -> f64 {
        all.iter().map(|taken| time(taken).as_secs_f64()).sum()
    };
    println!(
        "{} tasks: encoding {:.1} s, invariants {:.1} s, summaries {:.1} s; {:.1} s of the cores",
        all.len(),
        sum(|taken| taken.encoding),
        sum(|taken| taken.invariants),
        sum(|taken| taken.summaries),
        sum(|taken| taken.of_cores)
    );
}

fn print_slowest(mut all: Vec<Taken>) {
    all.sort_by_key(|taken| std::cmp::Reverse(taken.of_cores));
    println!(
        "\n{:>40} {:>6} {:>9} {:>10} {:>9} {:>9}  dearest operators",
        "slowest task", "nodes", "encoding", "invariants", "summaries", "of cores"
    );
    for taken in all.iter().take(SLOWEST) {
        let dearest = taken.costs.iter().take(3);
        let dearest: Vec<String> = dearest
            .map(|cost| format!("{} {:.1} s", cost.name, cost.time.as_secs_f64()))
            .collect();
        println!(
            "{:>40} {:>6} {:>7.1} s {:>8.1} s {:>7.1} s {:>7.1} s  {}",
            taken.name,
            taken.nodes,
            taken.encoding.as_secs_f64(),
            taken.invariants.as_secs_f64(),
            taken.summaries.as_secs_f64(),
            taken.of_cores.as_secs_f64(),
            dearest.join(", ")
        );
    }
}
