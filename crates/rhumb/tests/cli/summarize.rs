//! `rhumb summarize` and the block graph.

use crate::support::{Folder, rhumb_in};

const COUNTER: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
     int n = __VERIFIER_nondet_int(), i = 0, sum = 0;\n  while (i < n) {\n    sum += __VERIFIER_nondet_int() ? 4 : 8;\n    i++;\n  }\n  \
     if (sum % 4 != 0)\n    reach_error();\n}\n";

/// Source names, places, the values afterwards and the counter.
#[test]
fn loops_are_shown_with_their_summaries() {
    let folder = Folder::new();
    folder.file("a.c", COUNTER);
    let called = rhumb_in(folder.path(), ["summarize", "a.c"]).expect(0, &[]);
    for expected in [
        "loop n1 at a.c:5:3:",
        "  always:\n",
        "    4 | sum\n",
        "  one iteration:\n",
        "  k iterations:\n",
        "i + k == i'",
        "sum + 4*k <= sum'",
        "sum' <= sum + 8*k",
        "  of that by recurrences (",
        "  of that by strides (",
        "reaches a goal: never",
    ] {
        assert!(
            called.stdout.contains(expected),
            "no `{expected}` in:\n{}",
            called.stdout
        );
    }
    assert!(!called.stdout.contains("gas"), "{}", called.stdout);
}

#[test]
fn gas_goes_down_with_every_iteration() {
    let folder = Folder::new();
    folder.file("a.c", COUNTER);
    let called = rhumb_in(folder.path(), ["summarize", "--gas", "a.c"]).expect(0, &[]);
    assert!(
        called.stdout.contains("gas == gas' + k") || called.stdout.contains("gas' + k == gas"),
        "{}",
        called.stdout
    );
}

/// What is required of a state at the loop, in words of the source, for every preset; with gas also in the form without it.
#[test]
fn what_a_goal_requires_is_shown() {
    const DOWN: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
         int n = __VERIFIER_nondet_int();\n  while (n > 3)\n    n -= 2;\n  if (n == 3)\n    reach_error();\n}\n";
    let folder = Folder::new();
    folder.file("a.c", DOWN);
    let shown = |args: &[&str]| {
        let args = [&["summarize", "a.c"], args].concat();
        rhumb_in(folder.path(), args).expect(0, &[]).stdout
    };
    let plain = shown(&[]);
    let expected = "  reaches a goal only if:\n    2 | n + 1\n";
    assert!(plain.contains(expected), "{plain}");
    assert!(!plain.contains("for proofs"), "{plain}");
    let with_gas = shown(&["--gas"]);
    assert!(with_gas.contains("  for proofs:\n"), "{with_gas}");
    let of_paper = shown(&["--preset", "paper"]);
    assert!(of_paper.contains("reaches a goal only if"), "{of_paper}");
}

/// What it took is said on demand only: it is different every time.
#[test]
fn costs_are_shown_on_demand() {
    let folder = Folder::new();
    folder.file("a.c", COUNTER);
    let silent = rhumb_in(folder.path(), ["summarize", "a.c"]).expect(0, &[]);
    assert!(!silent.stdout.contains("costs:"), "{}", silent.stdout);
    let called = rhumb_in(folder.path(), ["summarize", "--stats", "a.c"]).expect(0, &[]);
    for expected in ["costs:\n", "  recurrences: ", " queries, "] {
        assert!(called.stdout.contains(expected), "{}", called.stdout);
    }
}

/// Without time the summaries say little, and the command ends all the same.
#[test]
fn no_time_is_no_error() {
    let folder = Folder::new();
    folder.file("a.c", COUNTER);
    let args = ["summarize", "a.c", "--timeout", "0ms"];
    rhumb_in(folder.path(), args).expect(0, &["coarse"]);
}

#[test]
fn a_program_without_goals_has_nothing_to_summarise() {
    let folder = Folder::new();
    folder.file("a.c", "int main(void) { return 0; }\n");
    rhumb_in(folder.path(), ["summarize", "a.c"]).expect(0, &[]);
}

#[test]
fn blocks_are_shown_as_text_and_as_a_picture() {
    let folder = Folder::new();
    folder.file("a.c", COUNTER);
    let text = rhumb_in(folder.path(), ["cfa", "--blocks", "a.c"]).expect(0, &[]);
    assert!(text.stdout.contains("i := (i + 1)"), "{}", text.stdout);
    let dot = rhumb_in(folder.path(), ["cfa", "--blocks", "--dot", "a.c"]).expect(0, &[]);
    assert!(dot.stdout.starts_with("digraph blocks"), "{}", dot.stdout);
    rhumb_in(folder.path(), ["cfa", "--blocks", "--checks", "a.c"]).expect(1, &["--checks"]);
}
