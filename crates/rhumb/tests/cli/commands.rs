//! What the commands do on good input.

use crate::support::{Folder, check, rhumb, rhumb_in, run};

const LOCK: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                    int y = __VERIFIER_nondet_int();\n  if (x == 12 && y == -3)\n    reach_error();\n  return x % 100 + y % 100;\n}\n";

#[test]
fn check_answers_in_its_last_line() {
    let called = check(LOCK).expect(10, &[]);
    assert_eq!(called.last_line(), "verdict: UNSAFE");
    for expected in ["reached: input.c:7", "input.c:4 = 12", "input.c:5 = -3"] {
        assert!(called.stdout.contains(expected), "{}", called.stdout);
    }
    let safe = LOCK.replace("x == 12 &&", "x > 3 && x < 4 &&");
    let called = check(&safe).expect(0, &[]);
    let expected = "SAFE: no run gets to input.c:7, call of reach_error\nverdict: SAFE\n";
    assert_eq!(called.stdout, expected);
}

/// Each target has a verdict of its own; the program's is UNSAFE if one is.
#[test]
fn every_target_has_its_verdict() {
    let called = check(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int(), i = 0;\n  \
         if (n < 0) return 0;\n  while (i < n) i++;\n  if (i != n) reach_error();\n  if (n == 77) reach_error();\n  if (i == 1000000000) reach_error();\n  return 0;\n}\n",
    )
    .expect(10, &[]);
    for expected in [
        "target input.c:7, call of reach_error: SAFE\n",
        "target input.c:8, call of reach_error: UNSAFE\n",
        "target input.c:9, call of reach_error: UNSAFE\n",
    ] {
        assert!(called.stdout.contains(expected), "{}", called.stdout);
    }
    assert_eq!(called.last_line(), "verdict: UNSAFE");
}

/// The profile names the phases, on standard error.
#[test]
fn verbose_tells_where_the_time_went() {
    let folder = Folder::new();
    folder.file("a.c", LOCK);
    let called = rhumb_in(folder.path(), ["check", "-v", "a.c"]);
    called.expect(10, &["frontend", "encode", "search", "certify", "total"]);
}

/// What is printed as a verdict can be checked again by another process, and evidence that was tampered with is refused.
#[test]
fn certificates_hold_in_a_fresh_process() {
    let folder = Folder::new();
    folder.file("unsafe.c", LOCK);
    folder.file("safe.c", LOCK.replace("x == 12 &&", "x > 3 && x < 4 &&"));
    let call = |args: &[&str]| rhumb_in(folder.path(), args);
    for (file, status) in [("unsafe.c", 10), ("safe.c", 0)] {
        call(&["check", file, "--certificate", "out.json"]).expect(status, &[]);
        let called = call(&["validate", file, "--certificate", "out.json"]).expect(0, &[]);
        assert!(called.last_line().starts_with("certificate: valid: "));
        let other = if file == "safe.c" {
            "unsafe.c"
        } else {
            "safe.c"
        };
        call(&["validate", other, "--certificate", "out.json"]).expect(2, &["out.json"]);
    }
    call(&["check", "unsafe.c", "--certificate", "out.json"]).expect(10, &[]);
    let text = std::fs::read_to_string(folder.path().join("out.json")).expect("a certificate");
    assert!(text.contains("12"), "{text}");
    folder.file("wrong.json", text.replace("12", "13"));
    let called = call(&["validate", "unsafe.c", "--certificate", "wrong.json"]);
    assert!([2, 10].contains(&called.status), "{}", called.stdout);
    folder.file("cut.json", &text[..text.len() / 2]);
    call(&["validate", "unsafe.c", "--certificate", "cut.json"]).expect(2, &["cut.json"]);
    call(&["validate", "unsafe.c", "--certificate", "lost.json"]).expect(2, &["lost.json"]);
}

/// The harness makes compiled code reach the error.
#[test]
fn a_harness_reaches_the_error() {
    let folder = Folder::new();
    folder.file("a.c", LOCK);
    rhumb_in(
        folder.path(),
        ["check", "a.c", "--harness", "h.c", "--standalone", "s.c"],
    )
    .expect(10, &[]);
    for sources in [&["a.c", "h.c"][..], &["s.c"]] {
        let built = std::process::Command::new("gcc")
            .current_dir(folder.path())
            .args(sources)
            .args(["-w", "-o", "reach"])
            .status()
            .expect("gcc runs");
        assert!(built.success());
        let run = std::process::Command::new(folder.path().join("reach"))
            .status()
            .expect("the harness runs");
        assert_eq!(run.code(), Some(10));
    }
}

#[test]
fn limits_and_engines_are_checked() {
    rhumb(["check", "x.c", "--engine", "magic"]).expect(1, &["rhumb engines"]);
    rhumb(["check", "x.c", "--timeout", "soon"]).expect(1, &["timeout"]);
    let forever = "int main(void) { int x = 0; while (x >= 0) x = x ^ 1; __VERIFIER_error(); }";
    let folder = Folder::new();
    folder.file(
        "forever.c",
        format!("void __VERIFIER_error(void);\n{forever}\n"),
    );
    let args = ["check", "forever.c", "--engine", "bmc", "--timeout", "1s"];
    let called = rhumb_in(folder.path(), args).expect(5, &[]);
    assert!(
        called.last_line().contains("out of time at depth"),
        "{}",
        called.stdout
    );
}

#[test]
fn run_takes_inputs_in_order() {
    run(LOCK, &["--inputs", "12,-3"]).expect(10, &["outcome: target reached at input.c:7"]);
    run(LOCK, &["--inputs", "0xc,-0x3"]).expect(10, &["outcome: target reached"]);
    run(LOCK, &["--inputs", "7*2"]).expect(0, &["outcome: exit 14"]);
    run(LOCK, &["--inputs", "12"]).expect(0, &["outcome: exit 12"]);
    run(LOCK, &[]).expect(0, &["outcome: exit 0"]);
}

#[test]
fn floating_point_inputs_are_numbers() {
    let text = "double __VERIFIER_nondet_double(void);\nfloat __VERIFIER_nondet_float(void);\nint main(void) {\n  \
                double x = __VERIFIER_nondet_double();\n  float y = __VERIFIER_nondet_float();\n  return x == 1.5 && y == -2;\n}\n";
    run(text, &["--inputs", "1.5,-2", "--verbose"]).expect(
        0,
        &[
            "outcome: exit 1",
            "__VERIFIER_nondet_double() at input.c:4 = 1.5",
        ],
    );
}

#[test]
fn run_lists_the_inputs() {
    run(LOCK, &["--inputs", "5", "--verbose"]).expect(
        0,
        &[
            "input: __VERIFIER_nondet_int() at input.c:4 = 5",
            "input: __VERIFIER_nondet_int() at input.c:5 = 0",
        ],
    );
}

#[test]
fn a_seed_decides_everything() {
    let text = "#include <stdio.h>\nextern long __VERIFIER_nondet_long(void);\nint main(void) {\n  for (int i = 0; i < 20; i++)\n    \
                printf(\"%ld\\n\", __VERIFIER_nondet_long());\n  return 0;\n}\n";
    let first = run(text, &["--seed", "5"]);
    assert_eq!(first.stdout, run(text, &["--seed", "5"]).stdout);
    assert_ne!(first.stdout, run(text, &["--seed", "6"]).stdout);
}

#[test]
fn output_goes_to_standard_output() {
    let called = run(
        "#include <stdio.h>\nint main(void) { printf(\"%d %s %c %05.2f\\n\", 42, \"words\", 'c', 3.14159); return 3; }\n",
        &[],
    );
    assert_eq!(called.stdout, "42 words c 03.14\n");
    called.expect(0, &["outcome: exit 3"]);
}

#[test]
fn limits_are_outcomes() {
    run("int main(void) { for (;;); }\n", &["--steps", "1000"]).expect(5, &["outcome: step limit"]);
    run(
        "int f(int n) { return f(n + 1); }\nint main(void) { return f(0); }\n",
        &["--steps", "100000000"],
    )
    .expect(5, &["outcome: stack limit"]);
    run(
        "#include <stdlib.h>\nint main(void) { for (;;) malloc(1 << 20); }\n",
        &["--memory", "100MB"],
    )
    .expect(5, &["outcome: memory limit"]);
}

#[test]
fn ends_have_names() {
    run("#include <stdlib.h>\nint main(void) { abort(); }\n", &[])
        .expect(0, &["outcome: abort at input.c:2"]);
    run(
        "void __VERIFIER_assume(int);\nint main(void) { __VERIFIER_assume(0); }\n",
        &[],
    )
    .expect(0, &["outcome: assumption failed at input.c:2"]);
    run(
        "#include <assert.h>\nint main(void) {\n  assert(1 > 2);\n}\n",
        &[],
    )
    .expect(10, &["outcome: target reached at input.c:3"]);
}

#[test]
fn a_property_names_the_target() {
    let folder = Folder::new();
    folder.file(
        "a.c",
        "#include <assert.h>\nvoid bad(void) {} void reach_error(void);\nint main(void) { bad(); assert(0); }\n",
    );
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(bad())) )\n");
    folder.file(
        "q.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    folder.file("t.yml", "format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n  - property_file: p.prp\n    expected_verdict: false\n\
                 options:\n  language: C\n  data_model: ILP32\n");
    let call = |args: &[&str]| rhumb_in(folder.path(), args);
    call(&["run", "a.c"]).expect(10, &["target reached at a.c:3"]);
    call(&["run", "a.c", "--property", "p.prp"]).expect(10, &["target reached"]);
    call(&["run", "a.c", "--property", "q.prp"]).expect(0, &["outcome: abort"]);
    call(&["run", "t.yml"]).expect(10, &["target reached"]);
}

#[test]
fn data_models_differ() {
    let text = "int main(void) { return sizeof(long) + sizeof(void *); }\n";
    run(text, &[]).expect(0, &["exit 16"]);
    run(text, &["--data-model", "ILP32"]).expect(0, &["exit 8"]);
}

#[test]
fn signed_overflow_can_wrap() {
    let text = "int main(void) { int x = 2147483647; x++; return x == -2147483647 - 1; }\n";
    run(text, &[]).expect(5, &["signed overflow"]);
    run(text, &["--signed-overflow", "wrap"]).expect(0, &["exit 1"]);
}

#[test]
fn cfa_shows_the_automata() {
    let folder = Folder::new();
    folder.file("a.c", LOCK);
    let text = rhumb_in(folder.path(), ["cfa", "a.c"])
        .expect(0, &[])
        .stdout;
    assert!(text.contains("main") && text.contains("a.c:4"), "{text}");
    let dot = rhumb_in(folder.path(), ["cfa", "a.c", "--dot"])
        .expect(0, &[])
        .stdout;
    assert!(
        dot.starts_with("digraph") && dot.trim_end().ends_with('}'),
        "{dot}"
    );
}

#[test]
fn version_names_the_solver() {
    let called = rhumb(["--version"]).expect(0, &[]);
    assert!(called.stdout.contains("Z3"), "{}", called.stdout);
    assert!(called.stderr.is_empty());
}

#[test]
fn help_has_the_exit_statuses() {
    let called = rhumb(["--help"]).expect(0, &[]);
    assert!(called.stdout.contains("10  UNSAFE"), "{}", called.stdout);
}

#[test]
fn engines_lists_what_there_is() {
    rhumb(["engines"]).expect(0, &[]);
}

#[test]
fn a_size_without_a_unit_is_refused_with_a_hint_by_every_command() {
    let folder = Folder::new();
    folder.file("a.c", "int main(void) { return 0; }\n");
    for command in [
        &["check", "a.c"][..],
        &["validate", "a.c", "--witness", "w.yml"],
        &["run", "a.c"],
        &["cfa", "a.c"],
        &["summarize", "a.c"],
        &["bench", "."],
    ] {
        let args: Vec<&str> = command
            .iter()
            .copied()
            .chain(["--memory", "4096"])
            .collect();
        rhumb_in(folder.path(), &args).expect(1, &["4096MB"]);
    }
    rhumb_in(folder.path(), ["run", "a.c", "--memory", "64MB"]).expect(0, &["exit 0"]);
}
