//! `cargo bench -p rhumb --bench many`: programs with many checks for undefined behaviour, up to 500 lines, against the
//! same programs asked for their assertions alone. Ratios are taken within one run.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Sizes of programs; the last one has 500 lines.
const STATIONS: [usize; 4] = [1, 2, 4, 16];

const TIMEOUT: &str = "120s";

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
    let file = folder.path().join("many.c");
    for stations in STATIONS {
        let text = program(stations);
        std::fs::write(&file, &text).expect("a file can be written");
        let (alone, assertions) = check(&file, &["--checks", "none"]);
        let (all, checks) = check(&file, &[]);
        println!(
            "{} lines: assertions {:.2} s ({assertions}), with all checks {:.2} s, {:.1} times as long ({checks})",
            text.lines().count(),
            alone.as_secs_f64(),
            all.as_secs_f64(),
            all.as_secs_f64() / alone.as_secs_f64()
        );
    }
}

/// How long it takes, and what is said: of the checks, if there are any, else of the program.
fn check(file: &Path, options: &[&str]) -> (Duration, String) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(["check", "--timeout", TIMEOUT])
        .args(options)
        .arg(file)
        .output()
        .expect("the command runs");
    let took = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    let checks = text.lines().find(|line| line.contains(" checks: "));
    let said = checks.or(text.lines().last()).unwrap_or_default();
    (took, said.to_owned())
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
    int part = {limit}00 / gain;
    if (part > {limit})
        last = last + 1;
    low -= gain << {shift};
    high += gain * {factor} + 1;
    int mean = (low + high) / 2;
    total_{number} = (high - low) * 2 + mean - last;
    require(low < high);
    return last - total_{number} + gain;
}}
",
        size = 2 * most,
    )
}
