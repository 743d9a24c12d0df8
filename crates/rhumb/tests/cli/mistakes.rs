//! Mistakes that newcomers make, and what they are told: `docs/mistakes.md`, which `RHUMB_UPDATE=1` writes anew.

use crate::support::{Folder, rhumb_in};

/// What goes wrong, and the command that shows it.
const MISTAKES: &[(&str, &[&str])] = &[
    ("A file is not there", &["check", "program.c"]),
    ("The name of a file is misspelt", &["check", "libary.c"]),
    ("The command is forgotten", &["good.c"]),
    (
        "An option is misspelt",
        &["check", "good.c", "--timeot", "5s"],
    ),
    (
        "An engine is misspelt",
        &["check", "good.c", "--engine", "gsp"],
    ),
    (
        "A duration is no number",
        &["check", "good.c", "--timeout", "long"],
    ),
    ("A size has no unit", &["check", "good.c", "--memory", "4"]),
    (
        "A data model is named by its bits",
        &["check", "good.c", "--data-model", "64"],
    ),
    ("It is C++", &["check", "class.cpp"]),
    ("It is compiled already", &["check", "good.o"]),
    ("The file is empty", &["check", "empty.c"]),
    (
        "A header is not found: -I is forgotten",
        &["check", "header.c"],
    ),
    (
        "A macro is not defined: -D is forgotten",
        &["check", "macro.c"],
    ),
    ("There is no main function", &["check", "library.c"]),
    (
        "The entry function is misspelt",
        &["check", "library.c", "--entry", "clmap"],
    ),
    (
        "Two files have a main function",
        &["check", "good.c", "other.c"],
    ),
    ("The folder has no C files", &["check", "build"]),
    ("A file is given twice", &["check", "good.c", "./good.c"]),
    (
        "An output would write over the program",
        &["check", "good.c", "--harness", "good.c"],
    ),
    (
        "The folder of an output is missing",
        &["check", "good.c", "--witness", "out/w.yml"],
    ),
    (
        "The property is given as a program",
        &["check", "reach.prp"],
    ),
    (
        "A label is not there",
        &["check", "good.c", "--error-label", "EROR"],
    ),
    (
        "An input is no number",
        &["run", "good.c", "--inputs", "1,two"],
    ),
    ("A semicolon is missing", &["check", "semicolon.c"]),
    ("A name is misspelt", &["check", "name.c"]),
    (
        "The evidence is for another program",
        &["validate", "other.c", "--certificate", "good.json"],
    ),
];

const FILES: &[(&str, &str)] = &[
    (
        "good.c",
        "extern void reach_error(void);\nint main(void) {\n  int x = 1;\n  if (x == 2)\n    reach_error();\n  return 0;\n}\n",
    ),
    ("other.c", "int main(void) {\n  return 0;\n}\n"),
    ("class.cpp", "class A {};\nint main() { return 0; }\n"),
    ("good.o", "\u{7f}ELF"),
    ("empty.c", ""),
    (
        "header.c",
        "#include <limits/own.h>\nint main(void) { return OWN; }\n",
    ),
    (
        "macro.c",
        "int main(void) {\n  int cells[SIZE];\n  return 0;\n}\n",
    ),
    (
        "library.c",
        "int clamp(int x) {\n  return x < 0 ? 0 : x > 9 ? 9 : x;\n}\n",
    ),
    (
        "reach.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    ),
    (
        "semicolon.c",
        "int main(void) {\n  int x = 1\n  return x;\n}\n",
    ),
    (
        "name.c",
        "int main(void) {\n  int total = 0;\n  return totla;\n}\n",
    ),
];

#[test]
fn mistakes_are_told_with_what_to_do() {
    let folder = Folder::new();
    for (name, text) in FILES {
        folder.file(name, text);
    }
    std::fs::create_dir(folder.path().join("build")).expect("a folder");
    rhumb_in(
        folder.path(),
        ["check", "good.c", "--certificate", "good.json"],
    )
    .expect(0, &[]);
    let mut page = String::from(
        "# Mistakes, and what is said about them\n\nA test runs these commands and compares what they say with this page.\n",
    );
    for (what, args) in MISTAKES {
        let called = rhumb_in(folder.path(), *args);
        assert!(
            [1, 2].contains(&called.status),
            "{what}: {}{}",
            called.stdout,
            called.stderr
        );
        assert!(!called.stderr.contains("panicked"), "{}", called.stderr);
        let said: Vec<&str> = called.stderr.lines().map(str::trim_end).collect();
        let said = said.join("\n");
        page.push_str(&format!(
            "\n## {what}\n\n```console\n$ rhumb {}\n{}\n```\n",
            args.join(" "),
            said.trim_end()
        ));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mistakes.md");
    if std::env::var_os("RHUMB_UPDATE").is_some() {
        std::fs::write(path, &page).expect("room for a page");
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(page, known, "RHUMB_UPDATE=1 writes docs/mistakes.md anew");
}
