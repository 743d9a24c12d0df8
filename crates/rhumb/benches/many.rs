//! `cargo bench -p rhumb --bench many`: a program of 500 lines with 300 checks for undefined behaviour, against the same
//! program asked for its assertions alone. Ratios are taken within one run.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const STATIONS: usize = 17;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void require(int cond)
{
    if (!cond)
        reach_error();
}
";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = program(STATIONS);
    let file = folder.path().join("many.c");
    std::fs::write(&file, &text).expect("a file can be written");
    let (alone, _) = check(&file, &["--checks", "none"]);
    let (all, said) = check(&file, &[]);
    println!("{} lines: {said}", text.lines().count());
    println!(
        "assertions alone {:.2} s, with all checks {:.2} s: {:.1} times as long",
        alone.as_secs_f64(),
        all.as_secs_f64(),
        all.as_secs_f64() / alone.as_secs_f64()
    );
}

/// How long it takes, and what is said of the checks.
fn check(file: &Path, options: &[&str]) -> (Duration, String) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(["check", "--timeout", "10min"])
        .args(options)
        .arg(file)
        .output()
        .expect("the command runs");
    let took = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.contains(" checks: "));
    assert!(
        output.status.success(),
        "{options:?}: {}",
        text.lines().last().unwrap_or_default()
    );
    (took, line.unwrap_or_default().to_owned())
}

/// Stations that each fill a window of readings and keep their range.
fn program(stations: usize) -> String {
    let mut text = HEAD.to_owned();
    for number in 0..stations {
        text += &station(number);
    }
    text += "
int main(void)
{
    int level = __VERIFIER_nondet_int();
    int gain = __VERIFIER_nondet_int();
    int rounds = __VERIFIER_nondet_int();
    int all = 0;
";
    for number in 0..stations {
        let _ = writeln!(text, "    all = station_{number}(level, gain, rounds);");
    }
    text + "    return all;\n}\n"
}

fn station(number: usize) -> String {
    let (most, factor) = (8 + number % 5, 3 + number % 4);
    let (limit, shift, modulus) = (100 + number, 1 + number % 3, factor + 2);
    format!(
        "
static int readings_{number}[{size}];
static int total_{number};

static int station_{number}(int level, int gain, int rounds)
{{
    int low = level;
    int high = level;
    int last = 0;
    if (level < -{limit} || level > {limit} || gain < 1 || gain > {most})
        return 0;
    if (rounds < 0 || rounds > {most})
        rounds = {most};
    for (int i = 0; i < rounds; i++) {{
        int value = level * {factor} + i * {factor};
        readings_{number}[2 * i] = value;
        readings_{number}[2 * i + 1] = value / {factor};
        last = value % {modulus} + i;
    }}
    low -= gain << {shift};
    high += {limit}00 / gain;
    total_{number} = high - low + last % gain;
    require(low < high);
    return last - total_{number};
}}
",
        size = 2 * most,
    )
}
