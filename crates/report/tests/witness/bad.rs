//! Files that are no witnesses, or none of the program: an error that says what is wrong, never a panic.

use rhumb_report::witness::{MAX_SIZE, read};

use crate::support::{checked, head, invariants, lower};

const PROGRAM: &str = "extern void reach_error(void);\nint f(int x) { return x; }\nint main(void) {\n  int x = 0;\n  while (x < 10)\n    x++;\n  \
                       if (x != 10) reach_error();\n}\n";

#[track_caller]
fn complains(witness: &str, about: &str) {
    match checked(&lower(PROGRAM), witness) {
        Err(error) => assert!(error.to_string().contains(about), "{error}"),
        Ok(validation) => panic!("{validation:?}"),
    }
}

#[test]
fn texts_that_are_no_witnesses() {
    complains("", "not a witness");
    complains("a: b", "not a witness");
    complains("[", "not a witness");
    complains("- entry_type: invariant_set\n", "metadata");
    complains(&"[".repeat(100_000), "not a witness");
    complains("- &a [*a, *a]", "not a witness");
    assert!(read(&[0xff, 0xfe, 0]).is_err());
    let large = vec![b' '; MAX_SIZE + 1];
    assert!(read(&large).unwrap_err().to_string().contains("larger"));
}

#[test]
fn cut_off_anywhere() {
    let whole = invariants(PROGRAM, &[("line: 5", "x <= 10"), ("line: 5", "x >= 0")]);
    for end in 0..whole.len() {
        // Either it is noticed, or what is left makes sense.
        let _ = read(&whole.as_bytes()[..end]);
    }
    complains(&whole[..whole.len() / 2], "");
}

#[test]
fn other_versions_and_programs() {
    let good = invariants(PROGRAM, &[("line: 5", "x <= 10")]);
    checked(&lower(PROGRAM), &good).unwrap();
    complains(
        &good.replace("format_version: 2.0", "format_version: '1.0'"),
        "version `1.0`",
    );
    let other_hash = good.replacen(
        "input_file_hashes: {'./dir/test.c': ",
        "input_file_hashes: {'./dir/test.c': 00",
        1,
    );
    let validation = checked(&lower(PROGRAM), &other_hash).unwrap();
    assert!(
        validation.notes.iter().any(|note| note.contains("hash")),
        "{validation:?}"
    );
    complains(
        &other_hash.replace("./dir/test.c", "./dir/other.c"),
        "another program",
    );
    complains(&good.replace("LP64", "ILP32"), "data model");
    complains(&good.replace("language: C", "language: Java"), "language");
    complains(
        &good.replace("file_name: test.c", "file_name: b.c"),
        "another file",
    );
    complains(&good.replace("invariant_set", "ghost_set"), "`ghost_set`");
    complains(&good.replace("line: 5", "line: 2"), "no loop on line 2");
    complains(&good.replace("line: 5", "line: 500"), "no text");
    complains(&good.replace("line: 5", "line: -1"), "at least 1");
    complains(&good.replace("line: 5", "line: x"), "not a witness");
}

#[test]
fn expressions_that_are_none() {
    for (value, about) in [
        ("x = 3", "side effect"),
        ("x++ < 10", "side effect"),
        ("f(x) < 10", "calls `f`"),
        ("(*&f)(x) < 10", "side effect"),
        ("y < 10", "y"),
        ("x <", "x <"),
        ("x < 10)", "closing"),
        ("1); reach_error(", "closing"),
        ("x < 10; 1", "`;`"),
        ("", "no expression"),
        ("x -> y", "x -> y"),
        ("\\forall int i; i < 3", "no place"),
        ("x < \"a\"", "strings"),
        ("(struct s){1}.x", "no place"),
        ("x ==== 1", "x ===="),
    ] {
        complains(
            &invariants(PROGRAM, &[("line: 5", "1"), ("line: 5", value)]),
            about,
        );
    }
    complains(
        &invariants(PROGRAM, &[("line: 5", &"(".repeat(5_000))]),
        "nested",
    );
    let deep = format!("{}x{}", "(".repeat(5_000), ")".repeat(5_000));
    complains(&invariants(PROGRAM, &[("line: 5", &deep)]), "nested");
    complains(
        &invariants(
            PROGRAM,
            &[("line: 5", &format!("{} x", "!".repeat(200_000)))],
        ),
        "",
    );
    complains(
        &invariants(PROGRAM, &[("line: 5", &"x+".repeat(1 << 18))]),
        "too long",
    );
}

#[test]
fn sequences_that_are_none() {
    let head = head("violation_sequence", PROGRAM);
    let waypoint = |kind: &str, action: &str| {
        format!(
            "    - waypoint: {{type: {kind}, action: {action}, location: {{file_name: test.c, line: 7}}}}\n"
        )
    };
    let segment = "  - segment:\n";
    let target = waypoint("target", "follow");
    complains(&head.replace("content:\n", "content: []\n"), "no target");
    complains(
        &format!("{head}{segment}{}", waypoint("branching", "follow")),
        "no target",
    );
    complains(
        &format!("{head}{segment}{target}{segment}{target}"),
        "more than one target",
    );
    complains(&format!("{head}{segment}{target}{target}"), "comes after");
    complains(
        &format!("{head}{segment}{}", waypoint("target", "avoid")),
        "no waypoint to follow",
    );
    complains(
        &format!("{head}{segment}{}", waypoint("jump", "follow")),
        "type `jump`",
    );
    complains(
        &format!("{head}{segment}{}", waypoint("target", "cycle")),
        "action `cycle`",
    );
    complains(
        &format!("{head}{segment}{}", target.replace("line: 7", "line: 70")),
        "no text",
    );
}
