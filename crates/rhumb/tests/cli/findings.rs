//! Living with findings: planted bugs of each class, and findings that are known.

use std::path::Path;

use crate::support::{Called, Folder, rhumb_in};

/// The file, what is found in it with the bug, and what a C programmer is told.
const CLASSES: [(&str, &str, &str); 14] = [
    ("midpoint", "signed overflow", "doesn't fit int"),
    ("mean", "division by zero", "the divisor is zero"),
    ("mask", "bad shift", "shift out of range: by 32"),
    (
        "percent",
        "conversion of a float out of range",
        "doesn't fit int",
    ),
    (
        "table",
        "bad write",
        "4 bytes at offset 32 of `price` of 32 bytes",
    ),
    ("lookup", "bad read", "null pointer"),
    ("after_free", "bad read", "the object was freed"),
    ("double_free", "bad free", "the object was freed before"),
    (
        "wrong_free",
        "bad free",
        "pointer to offset 1 of the object allocated at",
    ),
    (
        "traffic",
        "unreachable",
        "reached a point declared unreachable",
    ),
    (
        "order",
        "unsequenced",
        "a variable is changed and accessed in no order",
    ),
    ("rows", "bad array size", "array size out of range"),
    ("flag", "bad truth value", "neither 0 nor 1"),
    ("bytes", "left shift into the sign", "doesn't fit int"),
];

#[test]
fn one_planted_bug_of_each_class_is_found() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/undefined");
    let files = std::fs::read_dir(&examples).expect("there are examples");
    assert_eq!(files.count(), CLASSES.len());
    for (name, what, told) in CLASSES {
        let file = format!("{name}.c");
        let right = rhumb_in(&examples, ["check", &file]).expect(0, &[]);
        assert_eq!(right.last_line(), "verdict: SAFE", "{name}");
        let wrong = rhumb_in(&examples, ["check", &file, "-D", "BUG"]).expect(10, &[]);
        let found = format!(": {what}: UNSAFE\n");
        assert!(wrong.stdout.contains(&found), "{name}\n{}", wrong.stdout);
        let error = wrong
            .stdout
            .lines()
            .find(|line| line.starts_with("error: "));
        assert!(
            error.is_some_and(|line| line.contains(told)),
            "{name}\n{}",
            wrong.stdout
        );
    }
}

const TWO: &str = "int __VERIFIER_nondet_int(void);\nint next(int x) { return x + 1; }\n\
    int main(void) {\n int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n if (x > 0)\n  return next(x) > 7;\n\
    return 10 / y; }\n";

fn call(folder: &Folder, more: &[&str]) -> Called {
    rhumb_in(folder.path(), ["check", "input.c"].iter().chain(more))
}

/// A list of known findings holds after lines have moved, and new ones are reported all the same.
#[test]
fn a_baseline_outlives_moved_lines() {
    let folder = Folder::new();
    folder.file("input.c", TWO);
    let first = call(&folder, &["--write-baseline", "known.txt"]).expect(10, &[]);
    assert!(first.stdout.contains("2 fail"), "{}", first.stdout);
    folder.file(
        "input.c",
        format!("\n\n/* moved */\n{}", TWO.replace("x + 1", "x  +  1")),
    );
    let again = call(&folder, &["--baseline", "known.txt"]).expect(0, &[]);
    let assumes = "assumes: no signed overflow at input.c:5, which is known\n";
    assert!(again.stdout.contains(assumes), "{}", again.stdout);
    // Something new.
    folder.file("input.c", TWO.replace("x + 1", "x + 1 + 1"));
    let new = call(&folder, &["--baseline", "known.txt"]).expect(10, &[]);
    assert!(
        new.stdout.contains("signed overflow: UNSAFE"),
        "{}",
        new.stdout
    );
    assert!(
        !new.stdout.contains("division by zero: UNSAFE"),
        "{}",
        new.stdout
    );
    call(&folder, &["--baseline", "lost.txt"]).expect(2, &["lost.txt"]);
}

/// Findings in functions of the same name are told apart by their files, whose names are the same from wherever a project is checked.
#[test]
fn keys_tell_files_apart() {
    let part = |name: &str| {
        format!(
            "static int half(int x) {{ return 10 / x; }} int {name}(int x) {{ return half(x); }}\n"
        )
    };
    let main = "int __VERIFIER_nondet_int(void); int one(int); int two(int);\n\
        int main(void) { return one(__VERIFIER_nondet_int()) + two(1); }\n";
    let folder = Folder::new();
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    folder.file("a/part.c", part("one"));
    folder.file("b/part.c", part("two"));
    folder.file("main.c", main);
    let files = ["check", "main.c", "a/part.c", "b/part.c"];
    let known = ["--write-baseline", "known.txt"];
    let first = rhumb_in(folder.path(), files.iter().chain(&known)).expect(10, &[]);
    assert!(first.stdout.contains("1 fail"), "{}", first.stdout);
    let written = std::fs::read_to_string(folder.path().join("known.txt")).unwrap();
    assert!(
        written.contains("a/part.c: half: division by zero"),
        "{written}"
    );
    // The same in the other file is new, also where files are named in another way.
    folder.file(
        "main.c",
        main.replace("two(1)", "two(__VERIFIER_nondet_int())"),
    );
    let absolute: Vec<String> = (files[1..].iter())
        .map(|file| folder.path().join(file).display().to_string())
        .collect();
    let args = std::iter::once("check").chain(absolute.iter().map(String::as_str));
    let args = args.chain(["--baseline", "known.txt"]);
    let again = rhumb_in(folder.path(), args).expect(10, &[]);
    assert!(again.stdout.contains("1 fail"), "{}", again.stdout);
    assert!(again.stdout.contains("which is known"), "{}", again.stdout);
}

/// A remark or an option says that a finding is known, and why; keys are in the formats for tools.
#[test]
fn findings_are_known_by_a_remark_or_an_option() {
    let folder = Folder::new();
    let text = TWO.replace(
        "return x + 1; }",
        "return x + 1; } // rhumb: known: tested elsewhere",
    );
    folder.file("input.c", &text);
    let called = call(&folder, &[]).expect(10, &[]);
    assert!(
        !called.stdout.contains("signed overflow: UNSAFE"),
        "{}",
        called.stdout
    );
    let reason = "assumes: no signed overflow at input.c:2, which is known (tested elsewhere)\n";
    assert!(called.stdout.contains(reason), "{}", called.stdout);
    let key = "input.c: main: division by zero: 10 / y [1]";
    let known = format!("{key} # never zero here");
    let called = call(&folder, &["--known", &known]).expect(0, &[]);
    assert!(
        called.stdout.contains("(never zero here)"),
        "{}",
        called.stdout
    );
    for format in ["json", "sarif"] {
        let called = call(&folder, &["--format", format]).expect(10, &[]);
        assert!(called.stdout.contains(key), "{}", called.stdout);
    }
}
