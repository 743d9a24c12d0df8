//! Witnesses on the command line.

use std::path::PathBuf;

use crate::support::{Folder, rhumb_in};

fn examples() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(folder).expect("the examples are there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

/// Every verdict of an engine about an example has a witness that another process accepts.
#[test]
fn examples_make_the_round_trip() {
    let listed = rhumb_in(&PathBuf::from("."), ["engines"]).stdout;
    let engines: Vec<&str> = listed
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    let mut accepted = 0;
    for (example, engine) in examples()
        .iter()
        .flat_map(|e| engines.iter().map(move |n| (e, n)))
    {
        let folder = Folder::new();
        let file = example
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        folder.file(&file, std::fs::read(example).expect("a text"));
        let check = [
            "check",
            &file,
            "--engine",
            engine,
            "--timeout",
            "2s",
            "--witness",
            "w.yml",
        ];
        let called = rhumb_in(folder.path(), check);
        let verdict = match called.status {
            0 => "SAFE",
            10 => "UNSAFE",
            _ => {
                println!("{file}: no verdict of {engine}: {}", called.last_line());
                continue;
            }
        };
        let validated = rhumb_in(folder.path(), ["validate", &file, "--witness", "w.yml"]);
        let validated = validated.expect(0, &[]);
        assert_eq!(
            validated.last_line(),
            format!("witness: valid: {verdict}"),
            "{file}"
        );
        accepted += 1;
    }
    assert!(accepted >= 3, "{accepted}");
}

const LOOP: &str = "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  while (x < 7)\n    x++;\n  if (x != 7) reach_error();\n}\n";

/// A witness of ours for the loop above, with another invariant.
fn witness(folder: &Folder, value: &str) -> String {
    folder.file("a.c", LOOP);
    let called = rhumb_in(folder.path(), ["check", "a.c", "--witness", "w.yml"]);
    called.expect(0, &[]);
    let text = std::fs::read_to_string(folder.path().join("w.yml")).expect("a witness");
    text.replace("value: \"1\"", &format!("value: {value:?}"))
}

#[test]
fn the_answer_is_in_the_status() {
    let folder = Folder::new();
    let validate = |text: &str| {
        folder.file("v.yml", text);
        rhumb_in(folder.path(), ["validate", "a.c", "--witness", "v.yml"])
    };
    let good = witness(&folder, "x <= 7");
    assert_eq!(
        validate(&good).expect(0, &[]).last_line(),
        "witness: valid: SAFE"
    );
    let wrong = validate(&good.replace("x <= 7", "x < 3")).expect(10, &[]);
    assert!(
        wrong.last_line().starts_with("witness: rejected: "),
        "{}",
        wrong.stdout
    );
    for (value, about) in [
        ("y < 3", "`y < 3` on line 4: "),
        ("x = 3", "side effect"),
        ("x <", "line 4: "),
        ("f(x)", "calls"),
    ] {
        validate(&good.replace("x <= 7", value)).expect(2, &["error: v.yml: ", about]);
    }
    validate(&good[..good.len() / 2]).expect(2, &["error: v.yml: "]);
    validate(&good.replace("\"2.0\"", "\"1.0\"")).expect(2, &["line 3: format version `1.0`"]);
    validate("").expect(2, &["not a witness"]);
    validate(&"[".repeat(1 << 20)).expect(2, &["not a witness"]);
    validate(&"# nothing\n".repeat(7 << 20)).expect(2, &["larger than"]);
    let many = "- {}\n".repeat(1 << 20);
    validate(&many).expect(2, &["error: v.yml: "]);
    let edited = good.replace(
        "input_file_hashes:\n        \"a.c\": \"",
        "input_file_hashes:\n        \"a.c\": \"0",
    );
    validate(&edited).expect(0, &["note: the hash of the program"]);
    folder.file("b.c", LOOP.replace('7', "8"));
    rhumb_in(folder.path(), ["validate", "b.c", "--witness", "v.yml"])
        .expect(2, &["another program: a.c"]);
    rhumb_in(folder.path(), ["validate", "a.c", "--witness", "none.yml"]).expect(2, &["none.yml"]);
    rhumb_in(folder.path(), ["validate", "a.c"]).expect(1, &["--witness"]);
}

#[test]
fn a_witness_can_be_made_again() {
    let folder = Folder::new();
    folder.file("a.c", LOOP);
    let made = || {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_rhumb"))
            .args(["check", "a.c", "--witness", "w.yml"])
            .current_dir(folder.path())
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .output();
        assert!(output.expect("it runs").status.success());
        std::fs::read_to_string(folder.path().join("w.yml")).expect("a witness")
    };
    let first = made();
    assert!(
        first.contains("creation_time: \"2023-11-14T22:13:20Z\""),
        "{first}"
    );
    assert_eq!(first, made());
}

/// A body may begin on the line of its function's head, where a witness without columns names the line alone.
#[test]
fn bodies_on_the_line_of_the_head() {
    let head = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\n";
    for text in [
        "int main(void) { unsigned u = __VERIFIER_nondet_uint(); long l = -1; assert(l < u); return 0; }\n",
        "static int f(int x) { assert(x); return x; } int main(void) { assert(f(3)); return 0; }\n",
        "int main(void)\n{ assert(__VERIFIER_nondet_uint() + 1l); return 0; }\n",
        "int main(void) {\n assert(__VERIFIER_nondet_uint() + 1l); return 0; }\n",
    ] {
        let folder = Folder::new();
        folder.file("a.c", format!("{head}{text}"));
        let check = ["check", "a.c", "--checks", "none", "--witness", "w.yml"];
        rhumb_in(folder.path(), check).expect(0, &[]);
        let validate = ["validate", "a.c", "--witness", "w.yml"];
        let called = rhumb_in(folder.path(), validate).expect(0, &[]);
        assert_eq!(called.last_line(), "witness: valid: SAFE", "{text}");
        // What doesn't hold there is rejected all the same.
        let written = std::fs::read_to_string(folder.path().join("w.yml")).expect("a witness");
        assert!(written.contains("value: \"1\""), "{written}");
        folder.file("w.yml", written.replace("value: \"1\"", "value: \"0\""));
        rhumb_in(folder.path(), validate).expect(10, &[]);
    }
}
