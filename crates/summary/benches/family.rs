//! `cargo bench -p rhumb-summary --bench family`: the time that summaries take on a family of state machines whose loop body grows.
//!
//! Each machine takes the letters of one word in one round of an endless loop: a sequence of as many branches, each on an input and on the state. Formulas
//! whose text doubles with every branch show here. Times are the best of several; the last column says how the time grows against the
//! number of letters, compared with the machine before: 1 is linear growth. Operators have limits of time of their own: times that stop growing, at the same
//! value for several machines, are such a limit and no merit. So the second table has every operator by itself, once.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_encode::{BlockGraph, CutPolicy, prepare};
use rhumb_logic::{Budget, Terms};
use rhumb_program::Program;
use rhumb_program::passes::Goals;
use rhumb_summary::star::{Loop, OPERATORS, star_by};
use rhumb_summary::{Gas, Steps, Summaries, forward};

const REPEATS: u32 = 3;
const LETTERS: [usize; 5] = [11, 15, 22, 40, 100];

fn main() {
    println!(
        "{:>8} {:>12} {:>12} {:>8} {:>8} {:>8}",
        "letters", "invariants", "summaries", "terms", "time", "growth"
    );
    for with_gas in [false, true] {
        println!("{}", if with_gas { "with gas" } else { "without gas" });
        let mut previous: Option<(usize, Duration)> = None;
        for letters in LETTERS {
            let measured = (0..REPEATS).map(|_| measure(letters, with_gas));
            let best = measured.min_by_key(|measured| measured.summaries);
            let Some(best) = best else { continue };
            let (ratio, growth) = match previous {
                Some((before, time)) => {
                    let ratio = best.summaries.as_secs_f64() / time.as_secs_f64();
                    let factor = letters as f64 / before as f64;
                    (format!("{ratio:.2}x"), format!("{:.2}", ratio / factor))
                }
                None => (String::new(), String::new()),
            };
            println!(
                "{letters:>8} {:>9.1} ms {:>9.1} ms {:>8} {ratio:>8} {growth:>8}",
                milliseconds(best.invariants),
                milliseconds(best.summaries),
                best.size
            );
            previous = Some((letters, best.summaries));
        }
    }
    operators();
}

/// What each operator takes by itself, without gas.
fn operators() {
    print!("\n{:>8}", "letters");
    for operator in OPERATORS {
        print!(" {:>15}", operator.name);
    }
    println!();
    let budget = Budget::unlimited();
    for letters in LETTERS {
        let graph = graph(letters);
        let known = forward::at_nodes(&graph, &budget);
        let mut summaries = Summaries::new(Steps::of(&graph, &known));
        let loops = summaries.loops(&budget);
        let steps = summaries.steps();
        print!("{letters:>8}");
        for operator in OPERATORS {
            let begun = Instant::now();
            for of in &loops {
                let iterations = Loop {
                    terms: &steps.terms,
                    iteration: &of.iteration,
                    invariant: steps.nodes[of.head].known,
                    state: &steps.state,
                };
                star_by(iterations, std::slice::from_ref(operator), &budget);
            }
            print!(" {:>12.1} ms", milliseconds(begun.elapsed()));
        }
        println!();
    }
}

/// What one machine takes.
struct Measured {
    invariants: Duration,
    summaries: Duration,
    /// Terms of the summary from the entry to the goal.
    size: usize,
}

fn measure(letters: usize, with_gas: bool) -> Measured {
    let graph = graph(letters);
    let budget = Budget::unlimited();
    let begun = Instant::now();
    let known = forward::at_nodes(&graph, &budget);
    let invariants = begun.elapsed();
    let begun = Instant::now();
    let mut steps = Steps::of(&graph, &known);
    if with_gas {
        Gas::instrument(&mut steps);
    }
    let mut summaries = Summaries::new(steps);
    let whole = summaries.to_goals(graph.entry, &budget);
    Measured {
        invariants,
        summaries: begun.elapsed(),
        size: graph.terms.size(whole.guard),
    }
}

fn graph(letters: usize) -> BlockGraph {
    let program = program(letters);
    let terms = Arc::new(Terms::new());
    let prepared = prepare(&program, &Goals::all_targets(&program));
    BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads)
}

/// The machine for the first letters of the word, said over and over.
fn program(letters: usize) -> Program {
    let word: String = "abracadabra".chars().cycle().take(letters).collect();
    let task = rhumb_suites::make("word-machine", &word).expect("a word of letters");
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

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
