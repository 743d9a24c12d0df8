//! How many states the schedules of a program have, with and without reduction, for programs that grow.
//!
//! `cargo run --release -p rhumb-certify --example schedules`: a table for families of programs;
//! `… --example schedules -- FILE…`: for these programs.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use rhumb_certify::proof::{AllSchedules, Followed};
use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_logic::{Budget, Work};
use rhumb_program::Program;

/// Time for one of them.
const LIMIT: Duration = Duration::from_secs(10);

/// Threads, and accesses of each.
const SIZES: [(usize, usize); 8] = [
    (2, 2),
    (2, 4),
    (2, 8),
    (3, 2),
    (3, 4),
    (4, 2),
    (4, 4),
    (6, 2),
];

/// Programs that grow.
struct Family {
    name: &'static str,
    /// Whether main waits for the threads; if not, all do the same.
    joined: bool,
    /// What a thread does once.
    access: fn(usize) -> String,
}

const FAMILIES: [Family; 4] = [
    Family {
        name: "a variable of each thread, joined",
        joined: true,
        access: |thread| format!("v{thread} = v{thread} + 1;"),
    },
    Family {
        name: "the variable of the next thread, joined",
        joined: true,
        access: |thread| format!("v{thread} = v{};", thread + 1),
    },
    Family {
        name: "one variable, joined",
        joined: true,
        access: |thread| format!("x = {thread};"),
    },
    Family {
        name: "one variable, alike, not joined",
        joined: false,
        access: |_| "x = x + 1 & 3;".to_owned(),
    },
];

impl Family {
    fn source(&self, threads: usize, accesses: usize) -> String {
        let mut text =
            String::from("#include <pthread.h>\nextern void reach_error(void);\nint x;\n");
        for thread in 1..=threads + 1 {
            text += &format!("int v{thread};\n");
        }
        let kinds = if self.joined { threads } else { 1 };
        for kind in 1..=kinds {
            let body = (self.access)(kind).repeat(accesses);
            text += &format!("void *t{kind}(void *p) {{ {body} return 0; }}\n");
        }
        text += &format!("int main(void) {{\n  pthread_t id[{}];\n", threads + 1);
        for thread in 1..=threads {
            let kind = thread.min(kinds);
            text += &format!("  pthread_create(&id[{thread}], 0, t{kind}, 0);\n");
        }
        for thread in (1..=threads).filter(|_| self.joined) {
            text += &format!("  pthread_join(id[{thread}], 0);\n");
        }
        text + "  if (x > 1000) reach_error();\n  return 0;\n}\n"
    }
}

fn lowered(name: &str, text: Vec<u8>) -> Option<Program> {
    let source = load_text(name, text, &LoadOptions::default()).ok()?;
    compile(source.map, &Options::default()).program
}

/// What all schedules are, in a few words.
fn follow(mut schedules: AllSchedules<'_>) -> String {
    let begin = Instant::now();
    let budget = Budget::time(LIMIT);
    let followed = schedules.go_on(&budget, Work::secs(1000));
    let what = match followed {
        Followed::Complete(_) => "",
        Followed::Reached { .. } => ", a target",
        Followed::Lost { .. } => ", lost",
        _ => ", out of time",
    };
    let states = schedules.extent().paths;
    let seconds = begin.elapsed().as_secs_f64();
    format!("{states} ({seconds:.2} s{what})")
}

fn compare(name: &str, text: Vec<u8>) {
    match lowered(name, text) {
        Some(program) => {
            let reduced = follow(AllSchedules::new(&program));
            let plain = follow(AllSchedules::unreduced(&program));
            println!("| {name} | {reduced} | {plain} |");
        }
        None => println!("| {name} | not read | |"),
    }
}

fn main() {
    println!("| program | states | without reduction |\n|---|---|---|");
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        compare(file, std::fs::read(file).unwrap_or_default());
    }
    for family in FAMILIES.iter().filter(|_| files.is_empty()) {
        for (threads, accesses) in SIZES {
            let name = format!("{}: {threads} threads, {accesses} accesses", family.name);
            compare(&name, family.source(threads, accesses).into_bytes());
        }
    }
}
