//! Programs of guarded commands.

use crate::support::{Folder, rhumb_in};

const TWO: &str = "control a = 1, b = 1; var x;\n\
    process p { t1: a = 1 -> a := 2, x := nondet; }\n\
    process q { t2: b = 1 && x > 3 -> b := 2; }\n";

#[test]
fn they_are_checked_like_c() {
    let folder = Folder::new();
    folder.file("bad.gcl", format!("{TWO}never a = 2 && b = 2;\n"));
    folder.file(
        "good.gcl",
        format!("{TWO}never b = 2 && x <= 3 && a = 1;\n"),
    );
    folder.file("wrong.gcl", format!("{TWO}never z = 2;\n"));
    let called = rhumb_in(folder.path(), ["check", "bad.gcl"]);
    assert_eq!(called.status, 10, "{}", called.stderr);
    assert!(called.stdout.contains("p  | q"), "{}", called.stdout);
    assert_eq!(called.last_line(), "verdict: UNSAFE");
    let called = rhumb_in(folder.path(), ["check", "good.gcl"]);
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    let called = rhumb_in(folder.path(), ["check", "wrong.gcl"]);
    assert_eq!(called.status, 2);
    assert!(
        called
            .stderr
            .contains("wrong.gcl:4:7: error: `z` is not declared")
    );
    let called = rhumb_in(folder.path(), ["check", "good.gcl", "--engine", "bmc"]);
    assert_eq!(called.status, 1);
    let called = rhumb_in(folder.path(), ["guarded", ".", "--engine", "ur"]);
    assert!(called.stdout.contains("good"), "{}", called.stdout);
}
