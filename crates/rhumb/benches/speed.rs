//! `cargo bench -p rhumb --bench speed`: the interpreter against gcc -O0 on the same programs, and the front end in megabytes per second.
//!
//! Ratios are taken within one run, best of several, since absolute times say more about the machine.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_program::Program;
use rhumb_program::interp::{ListInputs, Machine, Outcome, RunLimits};

const REPEATS: u32 = 5;

/// Name, and a program that ends with a status of 0.
const PROGRAMS: [(&str, &str); 3] = [
    (
        "counting loop",
        "int main(void) {\n  unsigned sum = 0;\n  for (int i = 0; i < 20000000; i++)\n    sum += i ^ (sum >> 3);\n  return sum == 1;\n}\n",
    ),
    (
        "nested loops with arrays",
        "int a[64][64], b[64][64], c[64][64];\nint main(void) {\n  for (int i = 0; i < 64; i++)\n    for (int j = 0; j < 64; j++) {\n      \
         a[i][j] = i + j;\n      b[i][j] = i - j;\n    }\n  for (int round = 0; round < 12; round++)\n    for (int i = 0; i < 64; i++)\n      \
         for (int j = 0; j < 64; j++) {\n        int sum = 0;\n        for (int k = 0; k < 64; k++)\n          sum += a[i][k] * b[k][j];\n        \
         c[i][j] = sum;\n      }\n  return c[3][4] == 1;\n}\n",
    ),
    (
        "calls",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\nint main(void) { return fib(30) == 1; }\n",
    ),
];

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!(
        "{:<26} {:>10} {:>10} {:>8}",
        "program", "rhumb", "gcc -O0", "ratio"
    );
    for (name, text) in PROGRAMS {
        let ours = interpret(&program(text));
        match compiled(folder.path(), text) {
            Some(theirs) => println!(
                "{name:<26} {:>7.1} ms {:>7.1} ms {:>7.1}x",
                milliseconds(ours),
                milliseconds(theirs),
                ours.as_secs_f64() / theirs.as_secs_f64()
            ),
            None => println!("{name:<26} {:>7.1} ms    (no gcc)", milliseconds(ours)),
        }
    }
    front_end();
}

fn program(text: &str) -> Program {
    let source =
        load_text("bench.c", text.as_bytes().to_vec(), &LoadOptions::default()).expect("C text");
    compile(source.map, &Options::default())
        .program
        .expect("valid C")
}

fn interpret(program: &Program) -> Duration {
    let machine = Machine::compile(program);
    let limits = RunLimits {
        steps: u64::MAX,
        ..RunLimits::default()
    };
    best(|| {
        let run = machine.run(&mut ListInputs::new(program, []), &limits);
        assert_eq!(run.outcome, Outcome::Exit(0));
    })
}

fn compiled(folder: &Path, text: &str) -> Option<Duration> {
    let (source, binary) = (folder.join("bench.c"), folder.join("bench"));
    std::fs::write(&source, text).ok()?;
    let status = Command::new("gcc")
        .arg("-O0")
        .arg("-o")
        .arg(&binary)
        .arg(&source)
        .status()
        .ok()?;
    assert!(status.success());
    Some(best(|| {
        let status = Command::new(&binary).status().expect("a program of ours");
        assert!(status.success());
    }))
}

fn front_end() {
    let mut text = String::new();
    for index in 0..40_000 {
        text.push_str(&format!(
            "struct s{index} {{ int a; unsigned b : 3; char c[8]; }};\nstatic int f{index}(int a, struct s{index} *p) {{\n  int sum = {index};\n  \
             for (int i = 0; i < a; i++) {{\n    if (i % 3 == p->a && p->c[i & 7] != 'x')\n      sum += i * a; /* keep going */\n    else\n      \
             p->b -= a > 2 ? 1 : 2;\n  }}\n  return sum;\n}}\n"
        ));
    }
    text.push_str("int main(void) { return 0; }\n");
    let megabytes = text.len() as f64 / 1e6;
    let time = best(|| {
        program(&text);
    });
    println!(
        "front end: {megabytes:.1} MB, {:.1} MB/s",
        megabytes / time.as_secs_f64()
    );
}

fn best(mut action: impl FnMut()) -> Duration {
    (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
