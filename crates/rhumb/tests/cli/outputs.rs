//! Files that a check writes: problems are said before the search, and a verdict is printed whatever becomes of a file.

use std::process::{Command, Stdio};

use crate::support::{Folder, rhumb_in};

const UNSAFE: &str = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); }\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("a.c", UNSAFE);
    folder
}

#[test]
fn an_output_is_no_input() {
    let folder = folder();
    folder.file("stubs.c", "int helper(void) { return 0; }\n");
    for (option, path) in [
        ("--harness", "a.c"),
        ("--standalone", "./a.c"),
        ("--certificate", "stubs.c"),
    ] {
        let args = ["check", "a.c", "--model", "stubs.c", option, path];
        rhumb_in(folder.path(), args).expect(2, &["would write over it", option]);
    }
    std::os::unix::fs::symlink("a.c", folder.path().join("link.c")).expect("a link");
    rhumb_in(folder.path(), ["check", "a.c", "--harness", "link.c"])
        .expect(2, &["would write over it"]);
    let text = std::fs::read_to_string(folder.path().join("a.c")).expect("the program");
    assert_eq!(text, UNSAFE);
}

#[test]
fn two_outputs_are_two_files() {
    let args = ["check", "a.c", "--harness", "h.c", "--standalone", "./h.c"];
    rhumb_in(folder().path(), args).expect(2, &["h.c", "--harness", "--standalone"]);
}

#[test]
fn what_can_t_be_written_is_said_before_the_search() {
    let folder = folder();
    let missing = ["check", "a.c", "--witness", "none/w.yml"];
    let called = rhumb_in(folder.path(), missing);
    let called = called.expect(2, &["none/w.yml: can't be written", "no folder none"]);
    assert_eq!(called.stdout, "");
    std::fs::create_dir(folder.path().join("dir")).expect("a folder");
    rhumb_in(folder.path(), ["check", "a.c", "--harness", "dir"])
        .expect(2, &["dir: can't be written"]);
    // What is not there is not made for a verdict without evidence.
    folder.file("safe.c", "int main(void) { return 0; }\n");
    rhumb_in(folder.path(), ["check", "safe.c", "--harness", "h.c"]).expect(0, &[]);
    assert!(!folder.path().join("h.c").exists());
}

#[test]
fn a_folder_that_is_read_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let inside = folder.path().join("locked");
    std::fs::create_dir(&inside).expect("a folder");
    let mut permissions = std::fs::metadata(&inside).expect("a folder").permissions();
    permissions.set_mode(0o555);
    std::fs::set_permissions(&inside, permissions.clone()).expect("a folder of ours");
    if std::fs::write(inside.join("probe"), "").is_ok() {
        println!("skipped: whoever runs this may write everywhere");
        return;
    }
    let args = ["check", "a.c", "--certificate", "locked/c.json"];
    rhumb_in(folder.path(), args).expect(2, &["locked/c.json: can't be written"]);
}

#[test]
fn a_full_disk_takes_no_verdict_away() {
    if !std::path::Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let args = ["check", "a.c", "--certificate", "/dev/full"];
    let called = rhumb_in(folder().path(), args).expect(10, &["error: /dev/full: "]);
    assert_eq!(called.last_line(), "verdict: UNSAFE");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(["check", "a.c"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(10));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}
