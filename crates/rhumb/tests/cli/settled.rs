//! Programs of which simplification leaves nothing to look for: what it knows the checker of proofs finds out by
//! itself, and if not, others go on.

use crate::support::{Folder, rhumb_in};

const HEAD: &str = "#include <stdlib.h>\n#include <ctype.h>\nextern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
    struct bits { unsigned a : 3; int b : 4; };\n#define SOME_ROUNDS int n = __VERIFIER_nondet_int(); while (n > 0) n--;\n";

/// The last line, and how many proofs were rejected before.
fn checked(body: &str) -> (String, usize) {
    let folder = Folder::new();
    folder.file("input.c", format!("{HEAD}{body}\n"));
    let command = [
        "check",
        "input.c",
        "--checks",
        "none",
        "--stats",
        "--timeout",
        "20s",
    ];
    let called = rhumb_in(folder.path(), command);
    let rejected = called.stdout.matches("certificate rejected").count();
    (called.last_line().to_owned(), rejected)
}

/// Proved at once, and with the other condition refuted.
#[track_caller]
fn exactly(text: &str, holds: &str, fails: &str) {
    let with = |condition: &str| {
        checked(&text.replace("CHECK", &format!("if (!({condition})) reach_error();")))
    };
    assert_eq!(with(holds), ("verdict: SAFE".to_owned(), 0), "{holds}");
    assert_eq!(with(fails).0, "verdict: UNSAFE", "{fails}");
}

#[test]
fn bits_of_bit_fields() {
    let local = "int main(void) { struct bits s = {0}; s.a = s.b = __VERIFIER_nondet_int(); SOME_ROUNDS CHECK }";
    exactly(local, "s.a < 8", "s.a < 7");
    exactly(local, "s.b >= -8", "s.b > -8");
    let heap = "int main(void) { struct bits *p = malloc(sizeof *p); if (!p) return 0; p->a = __VERIFIER_nondet_uint(); SOME_ROUNDS CHECK }";
    exactly(heap, "p->a < 8", "p->a < 7");
    let array = "struct bits g[100]; int main(void) { for (unsigned i = 0; i < 100; i++) g[i].a = i; unsigned k = __VERIFIER_nondet_uint(); if (k < 100) CHECK }";
    exactly(array, "g[k].a <= 7", "g[k].a <= 6");
}

#[test]
fn floating_point_constants() {
    let record =
        "int main(void) { struct { double x, y; } s = { 1.5, 2.5 }, t = s; SOME_ROUNDS CHECK }";
    exactly(record, "t.x == 1.5", "t.y == 1.5");
    let table = "float g[2] = { 0.5f, 1.5f }; int main(void) { SOME_ROUNDS CHECK }";
    exactly(table, "g[0] < g[1]", "g[1] < 1");
    let computed = "static double twice(double x) { return 2 * x; } int main(void) { double x = 0.1; SOME_ROUNDS x = twice(x); _Bool b = x; CHECK }";
    exactly(computed, "x == 0.2 && b", "(int)(x * 10) == 1");
    let choice = "int main(void) { int k = 1.0 > 0.5 ? 3 : 4; CHECK }";
    exactly(choice, "k == 3", "k == 4");
    let set = "int main(void) { double x = 1.5; int n = __VERIFIER_nondet_int(); while (n > 0) { n--; x = x + 0.0; } CHECK }";
    exactly(set, "x == 1.5", "x < 1.5 || n > 0");
}

#[test]
fn addresses_of_functions() {
    let text = "static int f(int x) { return x; } int main(void) { SOME_ROUNDS int (*p)(int) = n < -5 ? f : isdigit; CHECK }";
    exactly(text, "p == f || p == isdigit", "p != f");
}

/// Who isn't believed lets others go on: no formula at a loop says which function a variable points to, but all runs can be followed.
#[test]
fn others_go_on_after_a_rejection() {
    let (verdict, rejected) = checked(
        "int main(void) { int (*p)(int) = isdigit, n = __VERIFIER_nondet_int(); if (n > 6) return 0; while (n > 0) n--; if (p != isdigit) reach_error(); }",
    );
    assert_eq!(verdict, "verdict: SAFE");
    assert!(rejected > 0, "this test is about a proof that is rejected");
}

/// A pointer may lie at any byte of a record that has no value at first: that it is from outside has to be said of each.
#[test]
fn pointers_in_packed_records() {
    for packed in ["__attribute__((packed))", ""] {
        let text = format!(
            "struct {packed} s {{ char c; int *p; short k; int *q; }}; int main(void) {{ struct s s, t; int x = 1, y = 2; s.p = &x; s.q = &y; t = s; SOME_ROUNDS x = 5; CHECK }}"
        );
        exactly(&text, "*t.p == 5 && *t.q == 2", "*t.q == 5");
        // What was not set may be anything.
        let (verdict, _) = checked(&format!(
            "struct {packed} s {{ char c; int *p; }}; int main(void) {{ struct s s; if (s.p) reach_error(); }}"
        ));
        assert_ne!(verdict, "verdict: SAFE");
    }
}
