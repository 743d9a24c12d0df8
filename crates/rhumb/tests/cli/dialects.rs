//! Programs that are written for other tools: what they assert, assume and read is what those tools take it for.

use crate::support::{Called, Folder, check, rhumb_in, run};

/// One program in the words of several tools: inputs, an assumption, an assertion. `ok` makes the assertion hold.
fn spellings(ok: bool) -> Vec<(&'static str, String)> {
    let bound = if ok { "x < 20" } else { "x < 19" };
    let program = |before: &str, input: &str, assume: &str, assert: &str| {
        format!(
            "{before}\nint main(void) {{\n  int x = {input};\n  {assume};\n  x = x + 10;\n  {assert};\n  return 0;\n}}\n"
        )
    };
    let from_klee = program(
        "int klee_int(const char *); void klee_assume(unsigned long);",
        "klee_int(\"x\")",
        "klee_assume(0 <= x & x < 10)",
        &format!("klee_assert({bound})"),
    );
    let labelled = program(
        "extern int __VERIFIER_nondet_int(void); extern void abort(void);",
        "__VERIFIER_nondet_int()",
        "if (x < 0 || x >= 10) abort()",
        &format!("if (!({bound})) goto ERROR; return 0; ERROR: x = 0"),
    );
    vec![
        (
            "sv-comp",
            program(
                "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); extern void reach_error(void);",
                "__VERIFIER_nondet_int()",
                "__VERIFIER_assume(0 <= x && x < 10)",
                &format!("if (!({bound})) reach_error()"),
            ),
        ),
        (
            "cbmc",
            program(
                "int nondet_int(void); void __CPROVER_assume(__CPROVER_bool); void __CPROVER_assert(__CPROVER_bool, const char *);",
                "nondet_int()",
                "__CPROVER_assume(0 <= x && x < 10)",
                &format!("__CPROVER_assert({bound}, \"small\")"),
            ),
        ),
        (
            "esbmc",
            program(
                "",
                "nondet_int()",
                "__ESBMC_assume(0 <= x && x < 10)",
                &format!("__ESBMC_assert({bound}, \"small\")"),
            ),
        ),
        ("klee", from_klee),
        (
            "undeclared",
            program(
                "",
                "nondet()",
                "assume(0 <= x && x < 10)",
                &format!("static_assert({bound})"),
            ),
        ),
        (
            "smack",
            program(
                "",
                "__SMACK_nondet_int()",
                "__VERIFIER_assume(0 <= x && x < 10)",
                &format!("sassert({bound})"),
            ),
        ),
        (
            "rhumb.h",
            program(
                "#include <rhumb.h>",
                "rhumb_any(int)",
                "rhumb_assume(0 <= x && x < 10)",
                &format!("rhumb_assert({bound})"),
            ),
        ),
        ("label", labelled),
    ]
}

fn check_spelling(name: &str, text: &str) -> Called {
    let folder = Folder::new();
    folder.file("input.c", text);
    let mut args = vec!["check", "input.c"];
    if name == "label" {
        args.extend(["--error-label", "ERROR"]);
    }
    rhumb_in(folder.path(), args)
}

#[test]
fn one_program_in_many_spellings() {
    for (name, text) in spellings(true) {
        let called = check_spelling(name, &text);
        assert_eq!(
            called.last_line(),
            "verdict: SAFE",
            "{name}: {}",
            called.stderr
        );
    }
    for (name, text) in spellings(false) {
        let called = check_spelling(name, &text);
        assert_eq!(
            called.last_line(),
            "verdict: UNSAFE",
            "{name}: {}",
            called.stderr
        );
    }
}

#[test]
fn a_harness_makes_every_spelling_fail_for_real() {
    for (name, text) in spellings(false) {
        let folder = Folder::new();
        folder.file("input.c", &text);
        let mut args = vec!["check", "-q", "--standalone", "all.c", "input.c"];
        if name == "label" {
            args.extend(["--error-label", "ERROR"]);
        }
        rhumb_in(folder.path(), args).expect(10, &[]);
        let compiled = std::process::Command::new("gcc")
            .args([
                "-std=gnu11",
                "-w",
                "-D__CPROVER_bool=_Bool",
                "-o",
                "all",
                "all.c",
            ])
            .current_dir(folder.path())
            .output();
        ends_with(&folder, compiled, 10, name);
    }
}

#[test]
fn symbolic_objects_and_ranges_are_inputs() {
    let text = "void klee_make_symbolic(void *, unsigned long, const char *); int klee_range(int, int, const char *);\n\
                int main(void) { short s[2]; klee_make_symbolic(s, sizeof s, \"s\"); return s[0] + klee_range(5, 9, \"r\"); }\n";
    run(text, &["--inputs", "7"]).expect(0, &["exit 7"]);
    run(text, &["--inputs", "9"]).expect(0, &["assumption failed"]);
}

#[test]
fn our_header_compiles_alone() {
    let folder = Folder::new();
    folder.file(
        "input.c",
        "#include <rhumb.h>\nint main(void) { rhumb_assume(rhumb_any(int) == 0); rhumb_assert(rhumb_any(uchar) < 1); return 3; }\n",
    );
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include");
    let compiled = std::process::Command::new("gcc")
        .args(["-Wall", "-Werror", "-I", include, "-o", "all", "input.c"])
        .current_dir(folder.path())
        .output();
    ends_with(&folder, compiled, 3, "our header");
}

#[test]
fn an_assertion_that_nobody_knows_is_an_error() {
    for (text, name) in [
        (
            "extern void my_assert(int); int main(void) { my_assert(1); return 0; }",
            "my_assert",
        ),
        (
            "int main(void) { verifier_assume(0); return 0; }",
            "verifier_assume",
        ),
        (
            "int main(void) { return __CPROVER_same_object(0, 0); }",
            "__CPROVER_same_object",
        ),
    ] {
        let message = format!("`{name}` has no body");
        let option = format!("--ordinary-function {name}");
        check(text).expect(2, &[&message, &option]);
        let folder = Folder::new();
        folder.file("input.c", text);
        let args = ["check", "input.c", "--ordinary-function", name];
        let called = rhumb_in(folder.path(), args);
        assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    }
    // A function with a body is what its body says, and one that takes no condition is no assertion.
    for text in [
        "void my_assert(int c) { } int main(void) { my_assert(0); return 0; }",
        "struct s; extern int reset_control_assert(struct s *); int main(void) { return reset_control_assert(0); }",
    ] {
        let called = check(text);
        assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    }
}

#[test]
fn a_property_about_nothing_is_an_error() {
    let folder = Folder::new();
    folder.file("a.c", "int main(void) { L: return 0; }\n");
    for (formula, message) in [
        (
            "G ! call(reach_error())",
            "no function `reach_error` is declared or called",
        ),
        ("G ! label(ERROR)", "no function has a label `ERROR`"),
    ] {
        folder.file("p.prp", format!("CHECK( init(main()), LTL({formula}) )\n"));
        rhumb_in(folder.path(), ["check", "a.c", "--property", "p.prp"]).expect(2, &[message]);
    }
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! label(L)) )\n");
    let called = rhumb_in(folder.path(), ["check", "a.c", "--property", "p.prp"]);
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stderr);
}

/// What gcc made of a program ends with this status, if there is a gcc.
#[track_caller]
fn ends_with(
    folder: &Folder,
    compiled: std::io::Result<std::process::Output>,
    code: i32,
    name: &str,
) {
    let Ok(compiled) = compiled else {
        println!("skipped: there is no gcc");
        return;
    };
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{name}: {messages}");
    let status = std::process::Command::new(folder.path().join("all")).status();
    assert_eq!(status.expect("it starts").code(), Some(code), "{name}");
}
