//! Undefined behaviour as a finding: properties, checks by name, and what is said about them.

use crate::support::{Called, Folder, rhumb_in};

const MEMORY: &str = "CHECK( init(main()), LTL(G valid-free) )\n\
                      CHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n";
const OVERFLOW: &str = "CHECK( init(main()), LTL(G ! overflow) )\n";
const CLEANUP: &str = "CHECK( init(main()), LTL(G valid-memcleanup) )\n";
const DEFINED: &str = "CHECK( init(main()), LTL(G def-behavior) )\n";

fn ask(property: &str, text: &str) -> Called {
    let folder = Folder::new();
    folder.file("input.c", text);
    folder.file("p.prp", property);
    rhumb_in(
        folder.path(),
        ["check", "input.c", "--property", "p.prp", "--quiet"],
    )
}

/// The verdict; of UNSAFE what is violated, and on which line.
fn answer(property: &str, text: &str) -> String {
    let called = ask(property, text);
    let line = |start: &str| {
        let mut lines = called.stdout.lines();
        lines.find_map(|line| line.strip_prefix(start).map(str::to_owned))
    };
    match called.last_line() {
        "verdict: UNSAFE" => {
            let place = line("reached: input.c:").unwrap_or_default();
            let place = place.split(' ').next().unwrap_or_default().to_owned();
            format!("{} at {place}", line("violates: ").unwrap_or_default())
        }
        other => other.to_owned(),
    }
}

#[track_caller]
fn expect(property: &str, text: &str, expected: &str) {
    let found = answer(property, text);
    assert_eq!(found, expected, "{text}");
}

const INPUT: &str = "int __VERIFIER_nondet_int(void);\n";

#[test]
fn overflow() {
    let text = |guard: &str| {
        format!(
            "{INPUT}int main(void) {{\n int x = __VERIFIER_nondet_int();\n if ({guard})\n  x = x + 1;\n return x; }}\n"
        )
    };
    expect(OVERFLOW, &text("1"), "no-overflow at 5");
    expect(OVERFLOW, &text("x < 7"), "verdict: SAFE");
    // Other undefined behaviour only ends the run.
    expect(
        OVERFLOW,
        "int main(void) { int a[2]; int *p = a; p[2] = 1; int x = 2147483647; return x + 1; }\n",
        "verdict: SAFE",
    );
    for operation in ["-x", "x - 1", "x / y", "x * 2", "x--"] {
        let text = format!(
            "int main(void) {{ int x = -2147483647 - 1, y = -1;\n return {operation}; }}\n"
        );
        expect(OVERFLOW, &text, "no-overflow at 2");
    }
    for operation in ["x % y", "x * 2u", "(short)x", "x >> 1", "(long)x * 2"] {
        let text = format!("int main(void) {{ int x = 2147483647, y = 1; return {operation}; }}\n");
        expect(OVERFLOW, &text, "verdict: SAFE");
    }
}

#[test]
fn memory_safety_has_three_parts() {
    let text = |body: &str| {
        format!("#include <stdlib.h>\n{INPUT}int main(void) {{\n{body}\nreturn 0; }}\n")
    };
    for (body, expected) in [
        ("int *p = malloc(4); *p = 1; free(p);", "verdict: SAFE"),
        ("int *p = malloc(4);\nfree(p); free(p);", "valid-free at 5"),
        ("int x; free(&x);", "valid-free at 4"),
        ("int *p = malloc(8); free(p + 1);", "valid-free at 4"),
        ("int *p = malloc(4); p[1] = 1; free(p);", "valid-deref at 4"),
        (
            "int *p = malloc(4); free(p);\nreturn *p;",
            "valid-deref at 5",
        ),
        ("int *p = 0; *p = 1;", "valid-deref at 4"),
        (
            "int *p; { int x = 1; p = &x; } return *p;",
            "valid-deref at 4",
        ),
        ("void (*f)(void) = 0; f();", "valid-deref at 4"),
        ("int *p = malloc(4); *p = 1;", "valid-memtrack at 3"),
        (
            "int *p = malloc(4); p = 0;\nexit(0);",
            "valid-memtrack at 5",
        ),
        // A pointer of a function that has not returned is one.
        ("int *p = malloc(4); exit(p == 0);", "verdict: SAFE"),
        ("static int *p; p = malloc(4);", "verdict: SAFE"),
        ("static int *p; p = malloc(8); p++;", "verdict: SAFE"),
        (
            "static int **p; p = malloc(8); *p = malloc(4);",
            "verdict: SAFE",
        ),
        (
            "static int **p; p = malloc(8); *p = malloc(4);\n*p = 0;",
            "valid-memtrack at 3",
        ),
        ("{ int *p = malloc(4); }\nabort();", "valid-memtrack at 5"),
    ] {
        expect(MEMORY, &text(body), expected);
    }
}

/// Runs without an end lose memory as well.
#[test]
fn memory_is_lost_before_the_end() {
    for body in [
        "int *p = malloc(4); p = 0; while (1) { }",
        "while (1) { int *p = malloc(4); *p = 1; }",
    ] {
        let text = format!("#include <stdlib.h>\nint main(void) {{ {body} }}\n");
        expect(MEMORY, &text, "valid-memtrack at 2");
    }
    // What waits to be an argument is not lost.
    let waiting = "#include <stdlib.h>\nint one(void) { int i = 0; while (i < 3) i++; return i; }\n\
        void take(int *p, int x) { *p = x; free(p); }\n\
        int main(void) { take(malloc(4), one()); return 0; }\n";
    expect(MEMORY, waiting, "verdict: SAFE");
}

#[test]
fn all_memory_is_freed_at_the_end() {
    let text = |body: &str| {
        format!(
            "#include <stdlib.h>\nint *p;\nint main(void) {{\np = malloc(4);\n{body}\nreturn 0; }}\n"
        )
    };
    expect(CLEANUP, &text("free(p);"), "verdict: SAFE");
    expect(CLEANUP, &text(""), "valid-memcleanup at 3");
    assert!(answer(CLEANUP, &text("abort();")).starts_with("verdict: UNKNOWN (unsupported "));
}

#[test]
fn defined_behaviour() {
    for (body, line) in [
        ("int x = 0;\nreturn 1 / x;", 4),
        ("int x = 40;\nreturn 1 << x;", 4),
        ("double x = 1e30;\nreturn (int)x;", 4),
        ("int x = 2147483647;\nreturn x + 1;", 4),
        ("int n = -1;\nint a[n]; return sizeof a;", 4),
        ("int x = 1;\nx = x++ + 1; return x;", 4),
    ] {
        let text = format!("int main(void) {{\n\n{body}\n}}\n").replacen("\n\n", "\n", 1);
        let found = answer(DEFINED, &text);
        let at = format!(" at {}", line - 1);
        assert!(found.ends_with(&at), "{text}: {found}");
    }
    expect(
        DEFINED,
        "int main(void) { int x = 3; return 10 / x; }\n",
        "verdict: SAFE",
    );
}

/// An index that is an object's address by accident, behind a null pointer, is no index of the object; a pointer to an
/// earlier object at the same place is none to the one that is there now.
#[test]
fn addresses_are_not_enough() {
    let accident = "int __VERIFIER_nondet_int(void);\nint a[4];\nint main(void) {\n\
        int i = __VERIFIER_nondet_int(), *p = 0;\n if (__VERIFIER_nondet_int()) p = a;\n\
        if (i >= 0x400000 && i < 0x1c00000) p[i] = 1;\n return 0; }\n";
    expect(MEMORY, accident, "valid-deref at 6");
    let earlier = "int __VERIFIER_nondet_int(void);\nint main(void) {\n int *p = 0, k = 0;\n\
        for (int i = 0; i < __VERIFIER_nondet_int(); i++) {\n  int x = 1;\n\
        if (i == 0) p = &x;\n else k = *p; }\n return k; }\n";
    expect(MEMORY, earlier, "valid-deref at 7");
}

/// Bounds of objects that have become variables.
#[test]
fn bounds_are_proved() {
    let text = |guard: &str| {
        format!(
            "{INPUT}int main(void) {{\n int a[8] = {{0}}, *p = a, s = 0;\n\
            for (int k = 0; k < __VERIFIER_nondet_int(); k++) {{\n\
            int i = __VERIFIER_nondet_int();\n if ({guard}) {{ a[i] = 1; s += p[i] != 0; }} }}\n return 0; }}\n"
        )
    };
    expect(MEMORY, &text("0 <= i && i < 8"), "verdict: SAFE");
    expect(MEMORY, &text("0 <= i && i <= 8"), "valid-deref at 6");
    expect(MEMORY, &text("i < 8"), "valid-deref at 6");
}

#[test]
fn what_is_allocated_on_the_stack_of_a_function_ends_with_it() {
    let text = |body: &str| {
        format!(
            "#include <alloca.h>\n{INPUT}int *kept;\n\
            int f(int x) {{ int *p = alloca(sizeof(int)); *p = x; kept = p; return *p; }}\n\
            int main(void) {{ int s = f(1) + f(3);\n\
            for (int i = 0; i < __VERIFIER_nondet_int(); i++) {{ {body} }}\n return s; }}\n"
        )
    };
    expect(MEMORY, &text("s = i;"), "verdict: SAFE");
    expect(MEMORY, &text("s = *kept;"), "valid-deref at 6");
}

#[test]
fn checks_by_name() {
    let folder = Folder::new();
    let text = "extern void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint main(void) {\n\
        int x = __VERIFIER_nondet_int();\n int y = x + 1;\n int z = 100 / (y > 0 ? y : 1);\n\
        if (z > 100) reach_error();\n return 0; }\n";
    folder.file("input.c", text);
    let call = |checks: &str| rhumb_in(folder.path(), ["check", "input.c", "--checks", checks]);
    let none = call("none").expect(0, &[]);
    assert_eq!(none.last_line(), "verdict: SAFE");
    assert!(!none.stdout.contains("check"), "{}", none.stdout);
    let division = call("division").expect(0, &[]);
    assert!(
        division.stdout.contains("1 check: 1 holds\n"),
        "{}",
        division.stdout
    );
    let all = call("all").expect(10, &[]);
    for line in [
        "target input.c:7, call of reach_error: SAFE\n",
        "line 5: signed overflow: UNSAFE\n",
        "2 checks: 1 holds, 1 fails\n",
        "violates: no-overflow\n",
        "error: signed overflow: 2147483647 + 1 doesn't fit int",
    ] {
        assert!(all.stdout.contains(line), "{line}{}", all.stdout);
    }
    call("overflows").expect(1, &["`overflows` is no check", "overflow, division"]);
}

const BOTH: &str = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {\n int a[4] = {0};\n\
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();\n int k = i + 1;\n if (0 <= j && j <= 4)\n  a[j] = 1;\n\
    if (0 <= j && j < 4)\n  k = a[j];\n assert(k == k);\n return 0; }\n";

/// Without any option: assertions and undefined behaviour, each failing check with inputs of its own.
#[test]
fn by_default_undefined_behaviour_is_reported() {
    let folder = Folder::new();
    folder.file("input.c", BOTH);
    let call = |more: &[&str]| rhumb_in(folder.path(), ["check", "input.c"].iter().chain(more));
    let usual = call(&[]).expect(10, &[]);
    for line in [
        "target input.c:11, assertion: SAFE\n",
        "line 6: signed overflow: UNSAFE\n",
        "line 8: bad write: UNSAFE\n",
        "3 checks: 1 holds, 2 fail\n",
        "doesn't fit int\n",
        "4 bytes at offset 16 of `a` of 16 bytes\n",
        "input.c:5 = 2147483647\n",
        "input.c:5 = 4\n",
    ] {
        assert!(usual.stdout.contains(line), "{line}{}", usual.stdout);
    }
    assert_eq!(call(&["--checks", "default"]).stdout, usual.stdout);
    // Whoever says what is asked for gets that.
    for asked in [&["--checks", "none"][..], &["--checks", "division"]] {
        assert_eq!(call(asked).expect(0, &[]).last_line(), "verdict: SAFE");
    }
    let wraps = call(&["--signed-overflow", "wrap"]).expect(10, &[]);
    assert!(
        !wraps.stdout.contains("signed overflow"),
        "{}",
        wraps.stdout
    );
    assert!(wraps.stdout.contains("line 8: bad write: UNSAFE\n"));
}

/// The proof of a verdict about assertions and checks is valid in a fresh process, for the question that it answers.
#[test]
fn certificates_say_what_was_looked_for() {
    let folder = Folder::new();
    let text = BOTH
        .replace("int k = i + 1", "int k = i / 2 + 1")
        .replace("j <= 4", "j < 4");
    folder.file("input.c", text);
    let call = |args: &[&str]| rhumb_in(folder.path(), args);
    let called = call(&["check", "input.c", "--certificate", "c.json"]).expect(0, &[]);
    assert!(
        called.stdout.contains("2 checks: 2 hold\n"),
        "{}",
        called.stdout
    );
    let validate = ["validate", "input.c", "--certificate", "c.json"];
    call(&validate).expect(0, &[]);
    let others = [&validate[..], &["--checks", "none"]].concat();
    call(&others).expect(2, &["c.json"]);
    // Of a run that goes wrong, too, and as a witness.
    folder.file("input.c", BOTH);
    call(&[
        "check",
        "input.c",
        "--certificate",
        "c.json",
        "--witness",
        "w.yml",
    ])
    .expect(10, &[]);
    call(&validate).expect(0, &[]);
    let witness = std::fs::read_to_string(folder.path().join("w.yml")).expect("a witness");
    assert!(
        witness.contains("G ! overflow") || witness.contains("valid-deref"),
        "{witness}"
    );
    call(&["validate", "input.c", "--witness", "w.yml"]).expect(0, &[]);
}

/// What can't be checked is assumed by default, and said; who asks for it gets no answer.
#[test]
fn what_is_not_checked_is_said() {
    let folder = Folder::new();
    folder.file(
        "print.c",
        "#include <stdio.h>\nint main(void) {\n char text[3] = {'a', 'b', 0};\n printf(\"%s\", text);\n return 0; }\n",
    );
    folder.file(
        "threads.c",
        "#include <pthread.h>\n#include <assert.h>\nint x;\nvoid *set(void *p) { x = 1; return p; }\n\
         int main(void) {\n pthread_t t;\n pthread_create(&t, 0, set, 0);\n pthread_join(t, 0);\n assert(x == 1);\n return 0; }\n",
    );
    for (file, assumes) in [
        ("print.c", "assumes: what is printed as a string is one\n"),
        (
            "threads.c",
            "assumes: nothing is undefined: with threads, that is not looked for\n",
        ),
    ] {
        let called = rhumb_in(folder.path(), ["check", file]).expect(0, &[]);
        assert!(called.stdout.contains(assumes), "{}", called.stdout);
        rhumb_in(folder.path(), ["check", file, "--checks", "bounds"]).expect(5, &[]);
    }
}

/// Where nothing is known of many checks for one reason, it is said once.
#[test]
fn reasons_are_grouped() {
    let folder = Folder::new();
    let text = "int __VERIFIER_nondet_int(void);\nint main(void) {\n int x = __VERIFIER_nondet_int();\n if (x > 9) __asm__(\"hlt\");\n\
        if (x < 1) return 0;\n x = x + 1;\n x = x * 2;\n x = x / x;\n return x; }\n";
    folder.file("input.c", text);
    let called = rhumb_in(folder.path(), ["check", "input.c"]);
    let called = called.expect(5, &[]);
    let (out, reason) = (&called.stdout, "unsupported inline assembly");
    assert_eq!(out.matches(reason).count(), 2, "{out}");
    assert!(out.contains("unknown for these 4: "), "{out}");
}
