//! Tasks that name several properties: all that can be decided are, and the others are named.

use crate::support::{Called, Folder, rhumb_in};

const OVERFLOW: &str = "CHECK( init(main()), LTL(G ! overflow) )\n";
const MEMORY: &str =
    "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n";
const CALL: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
const END: &str = "CHECK( init(main()), LTL(F end) )\n";
const OTHER: &str = "CHECK( init(begin()), LTL(G ! overflow) )\n";

/// Checks a task with these properties, in their order.
fn check(text: &str, properties: &[&str], more: &[&str]) -> Called {
    let folder = Folder::new();
    let head = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";
    folder.file("a.c", format!("{head}{text}"));
    for (name, property) in [
        ("overflow", OVERFLOW),
        ("memory", MEMORY),
        ("call", CALL),
        ("end", END),
        ("other", OTHER),
    ] {
        folder.file(&format!("{name}.prp"), property);
    }
    let listed = properties
        .iter()
        .map(|name| format!("  - property_file: {name}.prp\n"));
    let listed: String = listed.collect();
    folder.file(
        "a.yml",
        format!("format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n{listed}"),
    );
    let command = ["check", "a.yml", "--timeout", "20s"];
    rhumb_in(folder.path(), command.iter().chain(more))
}

#[track_caller]
fn has(called: &Called, lines: &[&str]) {
    for line in lines {
        let mut all = called.stdout.lines();
        assert!(all.any(|found| found == *line), "{line}: {}", called.stdout);
    }
}

const NEGATED: &str = "int main(void) { int a = __VERIFIER_nondet_int(), *p = &a; if (*p < 0) *p = -*p; return a; }\n";

#[test]
fn the_worst_of_all_is_the_verdict() {
    let called = check(NEGATED, &["memory", "overflow"], &[]).expect(10, &[]);
    has(&called, &["property overflow: UNSAFE", "verdict: UNSAFE"]);
    let careful = NEGATED.replace("*p < 0", "*p < 0 && *p > -5");
    let called = check(&careful, &["memory", "overflow"], &[]).expect(0, &[]);
    has(
        &called,
        &[
            "property memory: SAFE",
            "property overflow: SAFE",
            "verdict: SAFE",
        ],
    );
    let reaches = careful.replace("return a", "if (a == 7) reach_error(); return a");
    let called = check(&reaches, &["overflow", "memory", "call"], &[]).expect(10, &[]);
    has(
        &called,
        &[
            "property overflow: SAFE (up to a violation of another property)",
            "property call: UNSAFE",
            "verdict: UNSAFE",
        ],
    );
}

#[test]
fn one_may_be_asked_for_alone() {
    let called = check(
        NEGATED,
        &["memory", "overflow"],
        &["--property", "memory.prp"],
    );
    let called = called.expect(0, &[]);
    assert!(!called.stdout.contains("property "), "{}", called.stdout);
    let called = check(NEGATED, &["overflow"], &[]).expect(10, &[]);
    assert!(!called.stdout.contains("property "), "{}", called.stdout);
}

#[test]
fn what_is_not_looked_at_is_named() {
    let ends = "int main(void) { return 0; }\nint begin(void) { return 0; }\n";
    let properties = ["end", "call", "other", "none"];
    let called = check(ends, &properties, &[]).expect(0, &[]);
    has(
        &called,
        &[
            "property end: UNKNOWN (not looked at: it is a question by itself (--property))",
            "property call: SAFE",
            "property other: UNKNOWN (not looked at: it asks about another start of the program)",
            "property none: UNKNOWN (not looked at: its file can't be read)",
            "verdict: SAFE",
        ],
    );
    let called = check(ends, &properties, &["--format", "json"]).expect(0, &[]);
    let json: serde_json::Value = serde_json::from_str(&called.stdout).expect("a document");
    let words: Vec<_> = json["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let words: Vec<&str> = words
        .iter()
        .map(|one| one["verdict"].as_str().expect("a word"))
        .collect();
    assert_eq!(words, ["UNKNOWN", "SAFE", "UNKNOWN", "UNKNOWN"]);
    // The question by itself is asked where there is no other.
    let called = check(ends, &["end", "none"], &[]).expect(0, &[]);
    assert_eq!(called.last_line(), "verdict: SAFE");
}
