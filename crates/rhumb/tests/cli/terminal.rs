//! What people see in a terminal of 80 columns, for many kinds of programs, with and without colour: `terminal/*.txt`,
//! which `RHUMB_UPDATE=1` writes anew. Each file has the program, and the answer to it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Folder, rhumb_in};

/// The width of the terminal.
const WIDTH: usize = 80;
/// Between a program and its answer.
const MARK: &str = "\n---- ";

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/terminal");
    let entries = std::fs::read_dir(folder).expect("a folder of ours");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// A text without the marks for colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = behind.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

#[test]
fn answers_are_as_they_were() {
    let files = files();
    assert!(files.len() >= 15, "{}", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file of ours");
        let (program, rest) = text.split_once(MARK).expect("a program and an answer");
        let (command, shown) = rest.split_once('\n').unwrap_or((rest, ""));
        let folder = Folder::new();
        folder.file("a.c", program);
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let called = rhumb_in(folder.path(), &words);
        let said = called.stderr.clone() + &called.stdout;
        if std::env::var_os("RHUMB_UPDATE").is_some() {
            let new = format!("{program}{MARK}{command}\n{said}");
            std::fs::write(&path, new).expect("room for a file");
        } else {
            assert_eq!(
                said,
                shown,
                "{}: RHUMB_UPDATE=1 writes it anew",
                path.display()
            );
        }
        let wide = called
            .stdout
            .lines()
            .filter(|line| line.chars().count() > WIDTH);
        let wide: Vec<&str> = wide.collect();
        assert!(
            wide.is_empty(),
            "{}: more than {WIDTH} columns: {wide:#?}",
            path.display()
        );
        let coloured = rhumb_in(folder.path(), words.iter().chain(&["--color", "always"]));
        assert!(coloured.stdout.contains("\x1b["), "{}", path.display());
        assert_eq!(plain(&coloured.stdout), called.stdout, "{}", path.display());
        assert_eq!(called.status, coloured.status);
    }
}

const SLOW: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), c = __VERIFIER_nondet_uint();
  if (a > 1 && b > 1 && a < 60000 && b < 60000 && a * b == 4093082899u && c * a * a == 77777 + b * b * c) reach_error();
  for (unsigned i = 0; i < a; i++) { b = b * c + i * i; c = c * b ^ a; }
  if (b * c * a == 1234567) reach_error();
}
";

/// What comes on standard error while a slow program is checked on a terminal, or into a pipe.
fn told(on_terminal: bool, args: &[&str], log: &str) -> String {
    let folder = Folder::new();
    folder.file("slow.c", SLOW);
    let mut words = vec![
        env!("CARGO_BIN_EXE_rhumb"),
        "check",
        "slow.c",
        "--timeout",
        "2500ms",
    ];
    words.extend(args);
    let mut command = match on_terminal {
        // A terminal of its own, for whoever has the tool for it.
        true => {
            let mut command = Command::new("script");
            command.args(["-qec", &words.join(" "), "/dev/null"]);
            command
        }
        false => {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]);
            command
        }
    };
    command
        .env("RUST_LOG", log)
        .current_dir(folder.path())
        .stdin(Stdio::null());
    let stream = if on_terminal {
        Stdio::null()
    } else {
        Stdio::piped()
    };
    let Ok(mut child) = command.stdout(Stdio::piped()).stderr(stream).spawn() else {
        println!("skipped: there is no `script` to make a terminal");
        return String::new();
    };
    let mut said = String::new();
    match child.stderr.take() {
        Some(mut stream) => stream.read_to_string(&mut said),
        None => child
            .stdout
            .take()
            .expect("a pipe")
            .read_to_string(&mut said),
    }
    .expect("text");
    let _ = child.wait();
    said
}

#[test]
fn progress_is_shown_on_a_terminal_only() {
    let piped = told(false, &[], "");
    assert!(
        !piped.contains('\r') && !piped.contains("of 2 s"),
        "{piped}"
    );
    let shown = told(true, &[], "");
    if !shown.is_empty() {
        assert!(
            shown.contains("\r\u{1b}[K") && shown.contains(" s, search"),
            "{shown:?}"
        );
        assert!(shown.contains("verdict: "), "{shown:?}");
    }
}

#[test]
fn it_is_told_how_it_goes() {
    let told_lines = told(false, &["-v"], "");
    for phase in ["frontend", "encode", "search"] {
        assert!(
            told_lines.contains(&format!(" s  {phase}\n")),
            "{told_lines}"
        );
    }
    assert!(!told_lines.contains("rhumb_search"), "{told_lines}");
    // Those who want to know more are told where it comes from.
    let more = told(false, &[], "rhumb=debug");
    assert!(more.contains("DEBUG rhumb_search::"), "{more}");
    assert_eq!(told(false, &["--quiet"], "off"), "");
}
