//! Mistakes in programs: what is said, and where.

mod mistakes;

use rhumb_program::DataModel;

use super::{analyse, gcc};
use crate::diagnostic::Severity;
use mistakes::MISTAKES;

#[test]
fn a_mistake_is_reported_once_and_where_it_is() {
    let mut wrong = Vec::new();
    for &(text, expected) in MISTAKES {
        let found = analyse(text.as_bytes(), DataModel::Lp64).errors();
        if found != [expected] {
            wrong.push(format!(
                "{text}\n  expected {expected}\n  found    {}",
                found.join("; ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts that gcc accepts with a warning, and what is said.
const DOUBTS: &[(&str, &str)] = &[
    (
        "int *p = 5;",
        "1:10: initialization makes pointer from integer without a cast",
    ),
    (
        "int *p; int f(void) { return p; }",
        "1:30: return makes integer from pointer without a cast",
    ),
    (
        "int g(int *); int f(char *p) { return g(p); }",
        "1:41: argument 1 from incompatible pointer type",
    ),
    (
        "int f(const char *p) { char *q; q = p; return *q; }",
        "1:37: assignment discards qualifiers",
    ),
    (
        "int f(void) { return g(1); }",
        "1:22: implicit declaration of function `g`",
    ),
    (
        "int f(int *p, char *q) { return p == q; }",
        "1:33: comparison of distinct pointer types lacks a cast",
    ),
    (
        "int f(int *p) { return p == 1; }",
        "1:24: comparison between pointer and integer",
    ),
    (
        "int f(int x, int *p, char *q) { return (x ? p : q) != 0; }",
        "1:40: the branches have different pointer types",
    ),
    ("int f(void) { return 1 / 0; }", "1:22: division by zero"),
    (
        "int a[1] = { 1, 2 };",
        "1:17: excess elements in the initializer",
    ),
    (
        "char s[2] = \"abc\";",
        "1:13: the string is too long for the array",
    ),
    (
        "int f(void) { return; }",
        "1:15: `return` without a value in a function that returns one",
    ),
    (
        "void f(void) { return 1; }",
        "1:16: `return` with a value in a function that returns none",
    ),
    ("int a[];", "1:5: array `a` is taken to have one element"),
    ("int;", "1:1: this declares nothing"),
    (
        "int f(int x) { switch (x) { case 5 ... 3: ; } return 0; }",
        "1:29: the range of the case label is empty",
    ),
    (
        "int x = 99999999999999999999;",
        "1:9: the integer constant is too large for its type",
    ),
];

#[test]
fn a_doubt_is_a_warning() {
    for &(text, expected) in DOUBTS {
        let result = analyse(text.as_bytes(), DataModel::Lp64);
        assert_eq!(result.errors(), Vec::<String>::new(), "{text}");
        assert_eq!(result.messages(Severity::Warning), [expected], "{text}");
    }
}

#[test]
fn messages_point_to_what_they_are_about() {
    let label = |text: &str| {
        let result = analyse(text.as_bytes(), DataModel::Lp64);
        let first = result.diags.iter().next().cloned().expect("a message");
        let notes = first
            .notes
            .iter()
            .map(|(span, note)| format!("{}: {note}", result.map.position(*span).column));
        (first.label, notes.collect::<Vec<_>>())
    };
    assert_eq!(
        label("int counter; int f(void) { return conter; }").0,
        "did you mean `counter`?"
    );
    assert_eq!(
        label("struct s { int width; } v; int f(void) { return v.widht; }").0,
        "did you mean `width`?"
    );
    assert_eq!(
        label("struct s { int a; } *p; int f(void) { return p.a; }").0,
        "did you mean `->`?"
    );
    assert_eq!(
        label("int f(int, int); int g(void) { return f(1); }").0,
        "it takes 2 arguments, not 1"
    );
    assert_eq!(label("int x; char *x;").1, ["5: and as `int` here"]);
    assert_eq!(
        label("int f(int x) { switch (x) { case 1: case 1: ; } return 0; }").1,
        ["29: previously used here"]
    );
    assert_eq!(
        label("int n; enum { A = 2 * n };").1,
        ["23: this is not constant"]
    );
}

#[test]
fn gcc_refuses_the_mistakes_and_accepts_the_doubts() {
    if !gcc::is_available() {
        return;
    }
    for (text, _) in MISTAKES {
        assert!(
            gcc::check(text, DataModel::Lp64).is_err(),
            "gcc accepts {text}"
        );
    }
    for (text, _) in DOUBTS {
        assert_eq!(
            gcc::check(text, DataModel::Lp64),
            Ok(()),
            "gcc refuses {text}"
        );
    }
}
