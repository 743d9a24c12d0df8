//! `--cache`: evidence is kept and checked again; nothing in the folder is believed.

use std::path::PathBuf;

use crate::support::{Called, Folder, rhumb_in};

const SAFE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int check(void) {
  int x = 0;
  while (__VERIFIER_nondet_int() && x < 1000)
    x += 2;
  if (x % 2)
    reach_error();
  return x;
}
";

const KEPT: &str = "from the cache, and was checked again";

fn check(folder: &Folder, args: &[&str]) -> Called {
    let all = ["check", "a.c", "--cache", "kept", "--stats"]
        .iter()
        .chain(args);
    rhumb_in(folder.path(), all)
}

fn entries(folder: &Folder) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.path().join("kept")).expect("a cache");
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect()
}

fn without_figures(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("stat: "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_has_not_changed_is_not_searched() {
    let folder = Folder::new();
    folder.file("a.c", SAFE);
    let first = check(&folder, &["--entry", "check"]).expect(0, &[]);
    assert!(!first.stderr.contains(KEPT) && first.stdout.contains("stat: phase search"));
    let second = check(&folder, &["--entry", "check"]).expect(0, &[KEPT]);
    assert!(
        !second.stdout.contains("stat: phase search"),
        "{}",
        second.stdout
    );
    assert_eq!(
        without_figures(&first.stdout),
        without_figures(&second.stdout)
    );
    // Lines and comments don't count.
    folder.file("a.c", format!("// moved\n\n{SAFE}"));
    let third = check(&folder, &["--entry", "check"]).expect(0, &[KEPT]);
    assert!(third.stdout.contains("a.c:10"), "{}", third.stdout);
    // The function itself does, and so do options.
    folder.file("a.c", SAFE.replace("x += 2", "x += 4"));
    let changed = check(&folder, &["--entry", "check"]).expect(0, &[]);
    assert!(!changed.stderr.contains(KEPT));
    let other = check(&folder, &["--entry", "check", "--engine", "cra"]);
    assert!(!other.stderr.contains(KEPT));
    // Evidence is written as ever.
    check(&folder, &["--entry", "check", "--certificate", "c.json"]).expect(0, &[KEPT]);
    let args = [
        "validate",
        "a.c",
        "--entry",
        "check",
        "--certificate",
        "c.json",
    ];
    rhumb_in(folder.path(), args).expect(0, &[]);
}

#[test]
fn errors_are_executed_again_and_unknowns_are_not_kept() {
    let folder = Folder::new();
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nint main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); }\n";
    folder.file("a.c", text);
    let first = check(&folder, &[]).expect(10, &[]);
    let second = check(&folder, &[]).expect(10, &[KEPT]);
    assert_eq!(
        without_figures(&first.stdout),
        without_figures(&second.stdout)
    );
    folder.file(
        "a.c",
        "void reach_error(void);\nint main(void) { __asm__(\"nop\"); reach_error(); }\n",
    );
    for _ in 0..2 {
        let unknown = check(&folder, &[]).expect(5, &[]);
        assert!(!unknown.stderr.contains(KEPT));
    }
}

#[test]
fn nothing_in_the_folder_is_believed() {
    let folder = Folder::new();
    // The proof of a safe program, in the place of that of a broken one.
    folder.file("a.c", SAFE);
    check(&folder, &["--entry", "check"]).expect(0, &[]);
    let safe = entries(&folder).pop().expect("an entry");
    let proof = std::fs::read(&safe).expect("an entry");
    std::fs::remove_file(&safe).expect("an entry");
    let broken = SAFE.replace("x += 2", "x += 3");
    folder.file("a.c", &broken);
    check(&folder, &["--entry", "check"]).expect(10, &[]);
    let place = entries(&folder).pop();
    for contents in [&proof[..], b"{}", b"", &proof[..proof.len() / 2]] {
        // Of a program with a target that is reached and others that aren't nothing is kept; then any name will do.
        let place = place.clone().unwrap_or_else(|| safe.clone());
        std::fs::write(place, contents).expect("room for an entry");
        let called = check(&folder, &["--entry", "check"]).expect(10, &[]);
        assert_eq!(called.last_line(), "verdict: UNSAFE");
    }
}

#[test]
fn a_cache_that_cannot_be_used_takes_no_answer_away() {
    let folder = Folder::new();
    folder.file("a.c", SAFE);
    folder.file("kept", "a file, no folder");
    check(&folder, &["--entry", "check"]).expect(0, &["warning: no cache: kept"]);
}
