//! Order of evaluation: where it is open and matters, both orders are possible runs; where it is undefined, a run ends.

use crate::support::{Called, Folder, check, check_without_checks, rhumb_in, run};

const HEAD: &str = "extern void reach_error(void); extern void exit(int); extern int __VERIFIER_nondet_int(void);\n\
    int g, h; int array[4];\n\
    int set(int v) { g = v; return v; }\n\
    int read_g(void) { return g; }\n\
    int leave(void) { exit(0); return 0; }\n\
    int fail(void) { reach_error(); return 0; }\n\
    int pure(int v) { return v + 1; }\n\
    int add(int a, int b) { return a + b; }\n";

fn checked(body: &str) -> Called {
    check_without_checks(format!("{HEAD}int main(void) {{\n{body}\nreturn 0; }}\n"))
}

#[track_caller]
fn verdict(body: &str, expected: &str) {
    let called = checked(body);
    let line = format!("verdict: {expected}");
    assert!(
        called.last_line().starts_with(&line),
        "{body}\n{}{}",
        called.stdout,
        called.stderr
    );
}

#[test]
fn both_orders_are_runs() {
    for (first, second) in [
        // Arguments.
        (
            "add(set(1), set(2)); if (g == 1)",
            "add(set(1), set(2)); if (g == 2)",
        ),
        // An operand that is read before or after the call.
        (
            "g = 1; int r = g + set(5); if (r == 6)",
            "g = 1; int r = g + set(5); if (r == 10)",
        ),
        (
            "g = 1; int r = read_g() + set(5); if (r == 6)",
            "g = 1; int r = read_g() + set(5); if (r == 10)",
        ),
        // Where a value is stored.
        (
            "g = 1; array[g] = set(2); if (array[1] == 2)",
            "g = 1; array[g] = set(2); if (array[2] == 2)",
        ),
        // `op=` reads its left side before or after the right one.
        (
            "g = 1; g += set(5); if (g == 6)",
            "g = 1; g += set(5); if (g == 10)",
        ),
        // Comparisons.
        ("g = 1; if (g == set(5))", "g = 1; if (g != set(5))"),
        // One call ends the run before the other reaches the error.
        ("if (leave() + fail())", "if (fail() + leave())"),
    ] {
        for body in [first, second] {
            let is_array = body.contains("array");
            let text = format!("{body} reach_error();");
            if is_array {
                // Memory is opaque to the engines; the interpreter is not.
                let program = format!("{HEAD}int main(void) {{ {text} return 0; }}\n");
                let reached = ["1", "2", "3", "4", "5", "6"].iter().any(|seed| {
                    let called = run(&program, &["--seed", seed]);
                    called.stderr.contains("target reached")
                });
                assert!(reached, "{body}");
            } else {
                verdict(&text, "UNSAFE");
            }
        }
    }
}

#[test]
fn nothing_is_asked_where_it_does_not_matter() {
    for body in [
        "int x = pure(1) + pure(2); if (x != 5) reach_error();",
        "h = 1; int r = h + set(5); if (r != 6) reach_error();",
        "int i = 0; i = i + set(3); if (i != 3) reach_error();",
        "g = set(3) + 1; if (g != 4) reach_error();",
        "int x = __VERIFIER_nondet_int(), y = pure(1) + pure(x > 0); if (y > 4) reach_error();",
        "int i = 0; i = pure(i++); if (i != 1) reach_error();",
        "g = 1; int r = (g, set(5)) + 0; if (r != 5) reach_error();",
        "g = 1; if (g == 1 && set(5) == 5 && g != 5) reach_error();",
    ] {
        let called = checked(body);
        assert_eq!(
            called.last_line(),
            "verdict: SAFE",
            "{body}{}",
            called.stderr
        );
        let folder = Folder::new();
        folder.file(
            "input.c",
            format!("{HEAD}int main(void) {{ {body} return 0; }}\n"),
        );
        let automata = rhumb_in(folder.path(), ["cfa", "input.c"]);
        assert!(!automata.stdout.contains("order of evaluation"), "{body}");
    }
}

#[test]
fn unsequenced_side_effects_end_a_run() {
    for body in [
        "int i = 1; i = i++ + 1;",
        "int i = 1; int r = i++ + i;",
        "int i = 0; array[i++] = i;",
        "int i = 0; add(i++, i++);",
        "g = 1; g += g++;",
        "int i = 1; i = (i = 2);",
    ] {
        let text = format!("{HEAD}int main(void) {{ {body} reach_error(); return 0; }}\n");
        run(&text, &[]).expect(5, &["undefined behaviour", "in no order"]);
    }
    // Sequenced after all.
    for body in [
        "int i = 1; i = (i++, i + 1); if (i != 3) reach_error();",
        "int i = 1; if (i++ && i != 2) reach_error();",
        "int i = 1; i = i ? i + 1 : i; if (i != 2) reach_error();",
        "int i = 0, j = 1; i = j++ + j-- * 0; reach_error();",
    ] {
        let text = format!("{HEAD}int main(void) {{ {body} return 0; }}\n");
        let called = run(&text, &[]);
        let is_last = body.contains("j++");
        assert_eq!(
            called.stderr.contains("undefined"),
            is_last,
            "{body}{}",
            called.stderr
        );
    }
    // Not certain: refused by name.
    verdict(
        "int i = 1; int r = (g ? i++ : 0) + i; if (r > 5) reach_error();",
        "UNKNOWN (unsupported side effects",
    );
}

#[test]
fn three_at_once_are_refused() {
    verdict(
        "int r = set(1) + set(2) + set(3); if (g > 3) reach_error();",
        "UNKNOWN (unsupported more than two orders",
    );
}

#[test]
fn a_harness_can_not_choose() {
    let folder = Folder::new();
    folder.file(
        "input.c",
        format!("{HEAD}int main(void) {{ g = 1; int r = g + set(5); if (r == 10) reach_error(); return 0; }}\n"),
    );
    let called = rhumb_in(folder.path(), ["check", "input.c", "--harness", "h.c"]);
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("the order of evaluation, which the compiler chooses"),
        "{}",
        called.stderr
    );
    assert!(
        called.stdout.contains("order of evaluation"),
        "{}",
        called.stdout
    );
}

#[test]
fn many_calls_and_many_reads_are_seen() {
    let calls = "pure(0) + ".repeat(40);
    verdict(
        &format!("g = 1; int r = ({calls}set(5)) + read_g(); if (r == 46) reach_error();"),
        "UNSAFE",
    );
    verdict(
        &format!("g = 1; int r = ({calls}set(5)) + read_g(); if (r == 50) reach_error();"),
        "UNSAFE",
    );
    // More variables than are told apart: refused, and not passed over.
    let names: Vec<String> = (0..60).map(|index| format!("v{index}")).collect();
    let text = format!(
        "extern void reach_error(void);\nint {};\nint f(void) {{ v0 = 1; return 0; }}\n\
         int main(void) {{ int s = ({}) + f(); if (s == 1) reach_error(); return 0; }}\n",
        names.join(", "),
        names.join(" + ")
    );
    let called = check(text);
    assert!(called.last_line().contains("orders of evaluation"));
}

#[test]
fn subscripts_have_two_operands() {
    for (body, expected) in [
        ("g = 1; int r = (read_g(), array)[set(2)];", "SAFE"),
        (
            "if ((g ? reach_error() : (void)0, array)[set(2)]) g = 0;",
            "UNSAFE",
        ),
        ("if ((leave(), array)[fail()]) g = 0;", "UNSAFE"),
        (
            "int a[4][4] = {{0}}; int i = 0; i = a[i++][i]; reach_error();",
            "SAFE",
        ),
    ] {
        verdict(body, expected);
    }
}

#[test]
fn a_call_that_may_not_return_hides_another() {
    for (functions, expected) in [
        ("int a(void) { for (;;) ; }", "UNSAFE"),
        ("int a(void) { return a(); }", "UNSAFE"),
        ("int a(void) { again: goto again; }", "UNSAFE"),
        (
            "int a(void) { exit(0); } __attribute__((destructor)) static void last(void) { if (g) reach_error(); }",
            "UNSAFE",
        ),
    ] {
        let text = format!(
            "extern void reach_error(void); extern void exit(int); int g;\n{functions}\n\
             int b(void) {{ g = 1; {} return 0; }}\nint main(void) {{ return a() + b(); }}\n",
            if functions.contains("last") {
                ""
            } else {
                "reach_error();"
            }
        );
        let called = check(text);
        assert!(
            called
                .last_line()
                .starts_with(&format!("verdict: {expected}")),
            "{functions}"
        );
    }
}

#[test]
fn what_the_library_keeps_is_shared() {
    let text = "#include <stdio.h>\nextern void reach_error(void);\n\
        int main(void) { int s = (getchar() == EOF) + 2 * (getchar() != EOF); if (s == 3) reach_error(); return 0; }\n";
    assert!(check(text).last_line().starts_with("verdict: UNSAFE"));
}

#[test]
fn initialisers_come_in_any_order() {
    for (body, expected) in [
        (
            "g = 1; int a[2] = {read_g(), set(5)}; if (a[0] == 5) reach_error();",
            "UNSAFE",
        ),
        (
            "g = 1; int a[2] = {read_g(), set(5)}; if (a[0] == 1) reach_error();",
            "UNSAFE",
        ),
        (
            "g = 1; int a[2] = {[1] = set(5), [0] = g}; if (a[0] == 1) reach_error();",
            "UNSAFE",
        ),
        ("int i = 0; int a[2] = {i++, i}; reach_error();", "UNKNOWN"),
    ] {
        verdict(body, expected);
    }
}

#[test]
fn atomic_updates_come_last() {
    let head = "extern void reach_error(void); _Atomic int a; int g; int f(void) { a = 10; g = 10; return 1; }\n";
    for (body, expected) in [
        ("a = 0; a += f(); if (a != 11) reach_error();", "SAFE"),
        (
            "int x = 0; int i = 0; __sync_fetch_and_add(&i, i++); if (i == 2) reach_error();",
            "SAFE",
        ),
        (
            "int x = 3; __sync_val_compare_and_swap(&x, 3, f()); if (x != 1) reach_error();",
            "SAFE",
        ),
    ] {
        let called = check(format!("{head}int main(void) {{ {body} return 0; }}\n"));
        assert!(
            called
                .last_line()
                .starts_with(&format!("verdict: {expected}")),
            "{body} {}",
            called.last_line()
        );
    }
}

#[test]
fn names_are_not_the_only_way_to_an_object() {
    for body in [
        "int i = 0; int *p = &i; i = i++ + 1; reach_error();",
        "int i = 0; array[i] += i++; reach_error();",
    ] {
        verdict(body, "SAFE");
    }
}

/// A call that ends the run doesn't keep what another operand does from being undefined: it may come first.
#[test]
fn what_ends_may_come_behind_what_is_undefined() {
    let text = "int over(int v) { return 1 / v; } int main(void) { int v = __VERIFIER_nondet_int(); if (v < LEAST) return 0; return SUM; }\n";
    for sum in ["leave() + over(v)", "add(leave(), over(v))"] {
        for (least, expected) in [("0", "UNSAFE"), ("1", "SAFE")] {
            let called = check(format!(
                "{HEAD}{}",
                text.replace("LEAST", least).replace("SUM", sum)
            ));
            let line = format!("verdict: {expected}");
            assert!(called.last_line().starts_with(&line), "{}", called.stdout);
        }
    }
}
