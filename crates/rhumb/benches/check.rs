//! `cargo bench -p rhumb --bench check`: from the start of the process to the verdict, certification included.
//!
//! How long a trivial program takes, and that the number of rounds of a loop makes no difference. Best of several;
//! ratios are taken within one run.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const REPEATS: u32 = 7;

const HEAD: &str = "extern unsigned __VERIFIER_nondet_uint(void);\nextern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!("cold start");
    let trivial = [
        (
            "no loop",
            0,
            "int main(void) { int x = 1; if (x != 1) reach_error(); return 0; }".to_owned(),
        ),
        (
            "an input",
            10,
            "int main(void) { if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }"
                .to_owned(),
        ),
        ("a loop, safe", 0, counting(10, "i != 10")),
        ("a loop, unsafe", 10, counting(10, "i == 10")),
    ];
    group(folder.path(), &trivial);
    println!("\na loop whose length is an input; the error after so many rounds");
    let bounds = [10_i64, 10_000, 1_000_000, 2_147_483_647];
    let rounds = bounds.map(|bound| (format!("{bound}"), 10, long(bound)));
    group(
        folder.path(),
        &rounds
            .each_ref()
            .map(|(name, status, text)| (name.as_str(), *status, text.clone())),
    );
    println!("\nnested loops, each to 2^32 - 2");
    let depths = [1, 2, 3, 4, 5].map(|depth| (format!("depth {depth}"), 10, nested(depth)));
    group(
        folder.path(),
        &depths
            .each_ref()
            .map(|(name, status, text)| (name.as_str(), *status, text.clone())),
    );
}

/// A loop with a constant bound.
fn counting(bound: i64, wrong: &str) -> String {
    format!(
        "int main(void) {{ int i = 0; while (i < {bound}) i++; if ({wrong}) reach_error(); return 0; }}"
    )
}

/// Every round of a loop takes one of what an input gives; the error asks for the number of rounds.
fn long(bound: i64) -> String {
    format!(
        "int main(void) {{ int n = __VERIFIER_nondet_int(), done = 0; while (n > 0) {{ n--; done++; }} if (done >= {bound}) reach_error(); return 0; }}"
    )
}

fn nested(depth: usize) -> String {
    let names: Vec<String> = (0..depth).map(|level| format!("v{level}")).collect();
    let mut text = format!("int main(void) {{ unsigned {};\n", names.join(", "));
    for name in &names {
        text.push_str(&format!(
            "for ({name} = 0; {name} < 4294967294u; {name}++)\n"
        ));
    }
    text.push_str(";\n");
    let last: Vec<String> = names
        .iter()
        .map(|name| format!("{name} == 4294967294u"))
        .collect();
    text.push_str(&format!(
        "if ({}) reach_error(); return 0; }}",
        last.join(" && ")
    ));
    text
}

/// Checks programs and prints how long each took, also as a multiple of the first.
fn group(folder: &Path, programs: &[(&str, i32, String)]) {
    let mut first = None;
    for (name, status, text) in programs {
        let path = folder.join("program.c");
        std::fs::write(&path, format!("{HEAD}{text}\n")).expect("room for a file");
        let best = (0..REPEATS)
            .map(|_| check(&path, *status))
            .min()
            .unwrap_or_default();
        let first = *first.get_or_insert(best);
        println!(
            "{name:<16} {:>8.1} ms {:>7.2}x",
            best.as_secs_f64() * 1e3,
            best.as_secs_f64() / first.as_secs_f64()
        );
    }
}

fn check(path: &Path, status: i32) -> Duration {
    let begun = Instant::now();
    let ended = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .arg("check")
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the binary starts");
    let time = begun.elapsed();
    assert_eq!(ended.code(), Some(status), "{}", path.display());
    time
}
