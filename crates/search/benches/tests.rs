//! `cargo bench -p rhumb-search --bench tests`: what concrete tests cost.
//!
//! First the time per block of runs that are executed block by block, without and with the search for cycles, which
//! must not cost much where there is none to be found. Then runs that no one could execute: loops in loops, each with
//! 2^32 - 2 iterations, where the time depends on the jumps alone.
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::Duration;

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_search::{Task, TestCost};

const REPEATS: usize = 5;

fn main() {
    println!(
        "{:28} {:>6} {:>9} {:>6} {:>6} {:>12} {:>10}",
        "run", "jumps", "blocks", "taken", "goal", "time", "per block"
    );
    for (name, body) in EXECUTED {
        let text = format!(
            "int main(void) {{ unsigned x = 1, y = 0, i; for (i = 0; i < 1000000; i++) {{ {body} }} if (x + y != 12345u) reach_error(); return 0; }}"
        );
        for jumps in [false, true] {
            show(name, &text, jumps);
        }
    }
    for depth in 1..=5 {
        show(&format!("{depth} equal counters"), &nest(depth, true), true);
        show(&format!("{depth} counters"), &nest(depth, false), true);
    }
}

/// Loop bodies: what never repeats, and what does.
const EXECUTED: [(&str, &str); 3] = [
    ("pseudo-random numbers", "x = x * 1664525u + 1013904223u;"),
    (
        "branches on them",
        "x = x * 1664525u + 1013904223u; if (x & 0x10000u) y++; else if (x & 0x20000u) y += 2; else y ^= 1;",
    ),
    ("a counter", "x += 3;"),
];

/// Loops in loops; the error lies at the last iteration of all of them, and with `equal` is found by comparing their counters.
fn nest(depth: usize, equal: bool) -> String {
    let names: Vec<String> = (0..depth).map(|level| format!("c{level}")).collect();
    let loops = names
        .iter()
        .map(|name| format!("for ({name} = 0; {name} < 4294967294u; ++{name}) "));
    let mut last = names.iter().map(|name| format!("{name} == 4294967293u"));
    let same = names
        .windows(2)
        .map(|pair| format!("{} == {}", pair[0], pair[1]));
    let condition: Vec<String> = if equal {
        same.chain(last.next_back()).collect()
    } else {
        last.collect()
    };
    format!(
        "int main(void) {{ unsigned {}; {} if ({}) reach_error(); return 0; }}",
        names.join(", "),
        loops.collect::<String>(),
        condition.join(" && "),
    )
}

fn show(name: &str, text: &str, jumps: bool) {
    let program = load(text);
    let task = Task::new(&program);
    let budget = Budget::time(Duration::from_secs(60));
    let costs = (0..REPEATS).map(|_| TestCost::measure(&task, jumps, &budget));
    let Some(best) = costs.min_by_key(|cost| cost.time) else {
        return;
    };
    let per_block = best.time.as_nanos() as f64 / best.steps.max(1) as f64;
    println!(
        "{name:28} {:>6} {:>9} {:>6} {:>6} {:>9.3} ms {per_block:>7.0} ns",
        if jumps { "yes" } else { "no" },
        best.steps,
        best.jumps,
        if best.is_goal { "yes" } else { "no" },
        best.time.as_secs_f64() * 1e3,
    );
}

fn load(text: &str) -> Program {
    let text = format!("extern void reach_error(void);\n{text}");
    let source = load_text("bench.i", text.into_bytes(), &LoadOptions::default());
    let source = source.expect("the text is in memory");
    let compiled = compile(source.map, &Options::default());
    compiled.program.expect("valid C")
}
