//! Corners of the language: every program of a table means what gcc says, or is refused by name. Being silently different is a bug.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Folder, rhumb_in};

const CASES: &str = include_str!("corners/cases.txt");

/// How many of the programs have to be understood, so that refusing everything is no way out.
const FLOOR: usize = 315;

/// What stands before the declarations of each.
const PRELUDE: &str =
    "int printf(const char *, ...);\nstatic void out(long long v) { printf(\"%lld\\n\", v); }\n";

/// The programs of the table with their names.
fn cases() -> Vec<(&'static str, String)> {
    let pieces = CASES.split("\n=== ").skip(1);
    pieces
        .map(|piece| {
            let (name, text) = piece.split_once('\n').expect("a name and a program");
            let (declarations, statements) = text.split_once("@@").expect("declarations");
            let main = format!("int main(void) {{\n{statements}\nreturn 0; }}\n");
            (name, format!("{PRELUDE}{declarations}\n{main}"))
        })
        .collect()
}

/// What gcc's program prints, and its exit status; `None` without a gcc.
fn by_gcc(folder: &Path) -> Option<(String, Option<i32>)> {
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-O0", "-w", "-o", "program", "input.c"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{messages}");
    let run = Command::new(folder.join("program"))
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    Some((output, run.status.code()))
}

/// Whether a program means what gcc says; `false` if it is refused by name.
fn is_understood(name: &str, text: &str) -> bool {
    let folder = Folder::new();
    folder.file("input.c", text);
    let called = rhumb_in(folder.path(), ["run", "--quiet", "input.c"]);
    let (outcome, caveat) = (&called.stderr, called.stderr.contains("caveat: "));
    if caveat || outcome.contains("outcome: unsupported ") {
        return false;
    }
    let Some((output, code)) = by_gcc(folder.path()) else {
        return true;
    };
    assert_eq!(called.stdout, output, "{name}: {outcome}\n{text}");
    // A program that a signal ends is one that aborts.
    let end = code.map_or("abort".to_owned(), |code| format!("exit {code} ("));
    let expected = format!("outcome: {end}");
    assert!(outcome.contains(&expected), "{name}: {outcome}\n{text}");
    true
}

#[test]
fn right_or_refused_by_name() {
    let cases = cases();
    let halves = cases.split_at(cases.len() / 2);
    let understood: usize = std::thread::scope(|scope| {
        let workers = [halves.0, halves.1].map(|half| {
            scope.spawn(move || {
                let understood = half.iter().filter(|(name, text)| is_understood(name, text));
                understood.count()
            })
        });
        let counts = workers.map(|worker| worker.join().expect("all of them"));
        counts.iter().sum()
    });
    assert!(understood >= FLOOR, "only {understood} of {}", cases.len());
}
