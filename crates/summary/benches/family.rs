//! `cargo bench -p rhumb-summary --bench family [LARGEST]`: the time that summaries take on two families of state machines.
//!
//! A machine of the first family takes the letters of one word in one round of an endless loop: a sequence of as many
//! branches, each on an input and on the state. One of the second takes a letter per round. Formulas whose text doubles
//! with every branch show here, and so does work that is done again for each of them. Times are the best of several;
//! the column "growth" says how the time of the cores grows against the number of letters, compared with the machine
//! before: 1 is linear growth. The tables below say where the time of the last repetition goes.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_encode::{BlockGraph, CutPolicy, prepare};
use rhumb_logic::{Budget, Terms};
use rhumb_program::Program;
use rhumb_program::passes::Goals;
use rhumb_summary::star::Cost;
use rhumb_summary::{Gas, Steps, Summaries, Supply, forward};
use rustix::time::{ClockId, clock_gettime};

const REPEATS: u32 = 3;
const LETTERS: [usize; 7] = [11, 15, 22, 23, 40, 60, 100];

/// How a machine takes the letters of its word.
#[derive(Clone, Copy, Debug)]
enum Family {
    AllInOneRound,
    OnePerRound,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let largest = arguments.find_map(|argument| argument.parse().ok());
    let sizes: Vec<usize> = (LETTERS.into_iter())
        .filter(|&size| size <= largest.unwrap_or(usize::MAX))
        .collect();
    for family in [Family::AllInOneRound, Family::OnePerRound] {
        for with_gas in [false, true] {
            let gas = if with_gas { "with gas" } else { "without gas" };
            println!("{family:?}, {gas}");
            table(family, with_gas, &sizes);
        }
    }
}

fn table(family: Family, with_gas: bool, sizes: &[usize]) {
    println!(
        "{:>8} {:>12} {:>12} {:>12} {:>9} {:>8} {:>8} {:>8}",
        "letters", "invariants", "summaries", "of cores", "units", "terms", "time", "growth"
    );
    let mut previous: Option<(usize, Duration)> = None;
    let mut costs: Vec<(usize, Vec<Cost>)> = Vec::new();
    for &letters in sizes {
        let measured = (0..REPEATS).map(|_| measure(family, letters, with_gas));
        let best = measured.min_by_key(|measured| (measured.of_cores, measured.summaries));
        let Some(best) = best else { continue };
        let (ratio, growth) = match previous {
            Some((before, time)) => {
                let ratio = best.of_cores.as_secs_f64() / time.as_secs_f64();
                let factor = letters as f64 / before as f64;
                (format!("{ratio:.2}x"), format!("{:.2}", ratio / factor))
            }
            None => (String::new(), String::new()),
        };
        println!(
            "{letters:>8} {:>9.1} ms {:>9.1} ms {:>9.1} ms {:>8}k {:>8} {ratio:>8} {growth:>8}",
            milliseconds(best.invariants),
            milliseconds(best.summaries),
            milliseconds(best.of_cores),
            best.costs.iter().map(|cost| cost.units).sum::<u64>() / 1000,
            best.size
        );
        previous = Some((letters, best.of_cores));
        costs.push((letters, best.costs));
    }
    let mut names: Vec<&str> = Vec::new();
    for cost in costs.iter().flat_map(|(_, costs)| costs) {
        if !names.contains(&cost.name) {
            names.push(cost.name);
        }
    }
    names.sort_unstable();
    print!("{:>8}", "letters");
    names.iter().for_each(|name| print!(" {name:>25}"));
    println!();
    for (letters, costs) in &costs {
        print!("{letters:>8}");
        for name in &names {
            match costs.iter().find(|cost| cost.name == *name) {
                Some(cost) => print!(
                    " {:>2}x {:>4}q {:>5}k {:>6.0} ms",
                    cost.uses,
                    cost.queries,
                    cost.units / 1000,
                    milliseconds(cost.time)
                ),
                None => print!(" {:>25}", ""),
            }
        }
        println!();
    }
    println!();
}

/// What one machine takes.
struct Measured {
    invariants: Duration,
    summaries: Duration,
    /// The time that all threads of the process had for the summaries, which hardly depends on what else the machine does.
    of_cores: Duration,
    /// Terms of the summary from the entry to the goal.
    size: usize,
    /// Time by operator.
    costs: Vec<Cost>,
}

fn measure(family: Family, letters: usize, with_gas: bool) -> Measured {
    let graph = graph(family, letters);
    let budget = Budget::unlimited();
    let begun = Instant::now();
    let known = forward::at_nodes(&graph, &budget);
    let invariants = begun.elapsed();
    let (begun, had) = (Instant::now(), time_of_cores());
    let mut steps = Steps::of(&graph, &known);
    if with_gas {
        Gas::instrument(&mut steps, Supply::ForEachLoop);
    }
    let mut summaries = Summaries::new(steps);
    let whole = summaries.to_goals(graph.entry, &budget);
    Measured {
        invariants,
        summaries: begun.elapsed(),
        of_cores: time_of_cores() - had,
        size: graph.terms.size(whole.guard),
        costs: summaries.costs(),
    }
}

fn graph(family: Family, letters: usize) -> BlockGraph {
    let program = program(family, letters);
    let terms = Arc::new(Terms::new());
    let prepared = prepare(&program, &Goals::all_targets(&program));
    BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads)
}

/// The machine for the first letters of the word, said over and over.
fn program(family: Family, letters: usize) -> Program {
    let word: String = "abracadabra".chars().cycle().take(letters).collect();
    let task = match family {
        Family::AllInOneRound => rhumb_suites::make("word-machine", &word),
        Family::OnePerRound => rhumb_suites::make("sequence-machine", &format!("{word}/reset")),
    };
    let task = task.expect("a word of letters");
    let source = load_text(
        "machine.c",
        task.program.into_bytes(),
        &LoadOptions::default(),
    )
    .expect("C text");
    compile(source.map, &Options::default())
        .program
        .expect("valid C")
}

/// The time that all threads of this process have had.
fn time_of_cores() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
