//! Undefined behaviour is named, with its line.

use crate::support::run;

/// Runs a body of `main` that starts on line 3 and fails unless undefined behaviour on this line is named so.
#[track_caller]
fn undefined(body: &str, line: u32, name: &str) {
    let text = format!("#include <stdlib.h>\nint main(void) {{\n{body}\nreturn 0; }}\n");
    run(&text, &[]).expect(
        5,
        &[
            &format!("outcome: undefined behaviour at input.c:{line}"),
            name,
        ],
    );
}

#[test]
fn signed_overflow() {
    undefined("int x = 2147483647;\nx = x + 1;", 4, "signed overflow");
    undefined("int x = -2147483647 - 1;\nx = -x;", 4, "signed overflow");
    undefined("long long x = 1LL << 62;\nx *= 2;", 4, "signed overflow");
    undefined("int x = -2147483647 - 1;\nx /= -1;", 4, "signed overflow");
    undefined("int x = 2147483647;\nx++;", 4, "signed overflow");
}

#[test]
fn division_by_zero() {
    undefined("int x = 0;\nx = 1 / x;", 4, "division by zero");
    undefined("unsigned x = 0;\nx = 1 % x;", 4, "division by zero");
}

#[test]
fn bad_shift() {
    undefined("int x = 32;\nx = 1 << x;", 4, "shift");
    undefined("int x = -1;\nx = 1 >> x;", 4, "shift");
    undefined("long long x = 64;\nx = 1LL << x;", 4, "shift");
}

#[test]
fn float_that_does_not_fit() {
    undefined("double x = 1e10;\nint y = x;", 4, "float");
}

#[test]
fn out_of_bounds_read() {
    undefined("int a[4] = {1}, i = 4;\nint x = a[i];", 4, "read");
    undefined("int a[4] = {1}, i = -1;\nint x = a[i];", 4, "read");
    undefined("char *p = malloc(3);\nint x = p[3];", 4, "read");
}

#[test]
fn out_of_bounds_write() {
    undefined("int a[4], i = 4;\na[i] = 1;", 4, "write");
    undefined(
        "struct { char c[3]; } s, *p = &s;\np->c[7] = 1;",
        4,
        "write",
    );
    undefined("char *s = \"literal\";\ns[0] = 'L';", 4, "write");
}

#[test]
fn dead_object() {
    undefined("int *p;\n{ int x = 1; p = &x; }\nreturn *p;", 5, "lifetime");
    undefined("int *p = malloc(4);\nfree(p);\nreturn *p;", 5, "free");
}

#[test]
fn dead_object_of_a_function_that_returned() {
    let text =
        "int *f(void) { int x = 1; int *p = &x; return p; }\nint main(void) {\n  return *f();\n}\n";
    run(text, &[]).expect(5, &["undefined behaviour at input.c:3", "lifetime"]);
}

#[test]
fn null_dereference() {
    undefined("int *p = 0;\nreturn *p;", 4, "null");
    undefined("int *p = 0;\n*p = 1;", 4, "null");
    undefined("struct { int a, b; } *p = 0;\nreturn p->b;", 4, "null");
}

#[test]
fn bad_free() {
    undefined("int *p = malloc(8);\nfree(p + 1);", 4, "free");
    undefined("int *p = malloc(8);\nfree(p);\nfree(p);", 5, "free");
    undefined("int x;\nfree(&x);", 4, "free");
}

#[test]
fn bad_call() {
    undefined("int (*f)(int) = 0;\nreturn f(1);", 4, "call");
}

#[test]
fn what_is_defined_is_not_called_undefined() {
    let text = "int main(void) {\n  unsigned x = 0; x--;\n  int y = (signed char)200;\n  int z = -8 >> 1;\n  int a[2] = {0}; int *end = a + 2;\n  \
                return (x == 4294967295u) + (y == -56) + (z == -4) + (end - a == 2);\n}\n";
    run(text, &[]).expect(0, &["outcome: exit 4"]);
}

/// Whether all runs end: with measures, or by a run that doesn't; and the certificates say the same when they are read again.
#[test]
fn whether_runs_end() {
    let folder = crate::support::Folder::new();
    folder.file("p.prp", "CHECK( init(main()), LTL(F end) )\n");
    let loops = |body: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n  int x = __VERIFIER_nondet_int();\n  {body}\n  return 0;\n}}\n"
        )
    };
    for (body, status, said) in [
        (
            "while (x > 0)\n    x -= 2;",
            0,
            [
                "SAFE: all runs end\n",
                "measure: input.c:4: x falls with each round\n",
            ],
        ),
        (
            "if (x == 7)\n    while (x > 0)\n      x = 8 - x;",
            10,
            ["a run without an end", "verdict: UNSAFE"],
        ),
    ] {
        folder.file("input.c", loops(body));
        for asked in [["--property", "p.prp"], ["--checks", "termination"]] {
            let limits = [
                "check",
                "input.c",
                "--timeout",
                "20s",
                "--cpu-timeout",
                "4s",
            ];
            let written = ["--certificate", "c.json"];
            let all = limits.into_iter().chain(asked).chain(written);
            let called = crate::support::rhumb_in(folder.path(), all).expect(status, &[]);
            let is_said = said.iter().all(|line| called.stdout.contains(line));
            assert!(is_said, "{}", called.stdout);
            let again = ["validate", "input.c", "--certificate", "c.json"];
            crate::support::rhumb_in(folder.path(), again).expect(0, &[]);
        }
    }
}
