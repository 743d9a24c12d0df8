//! Proofs by execution: all runs are followed, with their inputs left open.

use std::time::Duration;

use rhumb_certify::file::ProofFile;
use rhumb_certify::proof::{Lost, Proof, Rejected, check};
use rhumb_logic::Budget;

use crate::support::lower;

const PRELUDE: &str = "
typedef unsigned long size_t;
void *malloc(size_t); void free(void *); void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
void reach_error(void); int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);
unsigned __VERIFIER_nondet_uint(void);
";

/// Checks the proof that says nothing but "follow all runs", written and read again.
fn followed(body: &str, steps: u64) -> Result<(), Rejected> {
    let program = lower(&format!("{PRELUDE}{body}"));
    let proof = Proof::execution(steps);
    let file = ProofFile::new(&program, &proof).expect("it can be written");
    let text = file.to_json().expect("it is JSON");
    let again = ProofFile::from_json(&text).and_then(|file| file.proof(&program));
    let again = again.expect("it can be read again");
    check(&program, &again, &Budget::time(Duration::from_secs(30))).map(|_| ())
}

/// The program is safe if `CHECK` is the first condition, and not if it is the second.
#[track_caller]
fn told_apart(body: &str, holds: &str, fails: &str) {
    let program = |check: &str| body.replace("CHECK", &format!("if (!({check})) reach_error();"));
    if let Err(rejected) = followed(&program(holds), 1_000_000) {
        panic!("{holds}: {rejected}");
    }
    let wrong = followed(&program(fails), 1_000_000);
    assert!(
        matches!(wrong, Err(Rejected::Lost(Lost::Target(_)))),
        "{fails}: {wrong:?}"
    );
}

#[test]
fn lists() {
    told_apart(
        "struct node { int value; struct node *next; };
         int main(void) {
           struct node *head = 0; int sum = 0, found = 0, count = 0;
           for (int i = 0; i < 3; i++) {
             struct node *p = malloc(sizeof *p); if (!p) return 0;
             p->value = __VERIFIER_nondet_uchar(); sum += p->value; p->next = head; head = p;
           }
           while (head) { struct node *next = head->next; found += head->value; count++; free(head); head = next; }
           CHECK return 0; }",
        "found == sum && count == 3",
        "found == sum && count == 3 && sum != 700",
    );
}

#[test]
fn recursion() {
    told_apart(
        "int depth; int f(int n) { depth++; return n <= 0 ? 0 : 1 + f(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 6) return 0;
           int r = f(n); CHECK return 0; }",
        "r == n && depth == n + 1",
        "r == n && depth < 7",
    );
}

#[test]
fn numbers_in_pieces() {
    told_apart(
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned char b[4]; memcpy(b, &x, 4);
           unsigned y = b[0] + 256u * b[1] + 65536u * b[2] + 16777216u * b[3];
           b[1] = 0; unsigned z; memcpy(&z, b, 4); CHECK return 0; }",
        "x == y && z == (x & 0xffff00ffu)",
        "x == y && z == (x & 0xffff01ffu)",
    );
}

#[test]
fn unions_and_bit_fields() {
    told_apart(
        "union u { unsigned whole; struct { unsigned low : 5, middle : 20, high : 7; } parts; };
         int main(void) { union u u; u.whole = __VERIFIER_nondet_uint(); unsigned before = u.whole;
           u.parts.middle = 3; CHECK return 0; }",
        "u.parts.low == (before & 31) && u.parts.middle == 3 && (u.whole & 31) == u.parts.low",
        "u.whole != 127",
    );
}

#[test]
fn signed_bit_fields() {
    told_apart(
        "struct s { int a : 3; int b : 13; }; int main(void) { struct s s = {0, 0}; int x = __VERIFIER_nondet_int();
           s.b = -7; s.a = x; CHECK return 0; }",
        "s.a >= -4 && s.a <= 3 && s.b == -7",
        "s.a >= -3",
    );
}

#[test]
fn an_index_that_is_an_input() {
    told_apart(
        "int main(void) { int a[4] = {3, 1, 4, 1}; int k = __VERIFIER_nondet_int(); if (k < 0 || k > 3) return 0;
           a[k] = 9; int sum = a[0] + a[1] + a[2] + a[3]; CHECK return 0; }",
        "sum == 15 || sum == 17 || sum == 14",
        "sum == 15 || sum == 17",
    );
}

#[test]
fn structures_by_value() {
    told_apart(
        "struct s { int a; char b; int *p; }; struct s swap(struct s s, int x) { s.a = x; *s.p += 1; return s; }
         int main(void) { int n = __VERIFIER_nondet_int() & 15, m = 2; struct s s = {n, 1, &m}; struct s t = swap(s, 5); CHECK return 0; }",
        "s.a == n && t.a == 5 && m == 3 && t.p == s.p",
        "s.a == n && t.a == 5 && m == 3 && n != 11",
    );
}

#[test]
fn calls_through_pointers() {
    told_apart(
        "int one(int x) { return x + 1; } int two(int x) { return x * 2; } int (*table[2])(int) = {one, two};
         int main(void) { int k = __VERIFIER_nondet_int() & 1; int r = table[k](10); CHECK return 0; }",
        "r == 11 || r == 20",
        "r == 11",
    );
}

#[test]
fn contents_that_nobody_set() {
    told_apart(
        "int main(void) { int a[2]; a[0] = 1; int x = a[1]; a[1] = 5; CHECK return 0; }",
        "a[0] == 1 && a[1] == 5",
        "x != 123456",
    );
}

#[test]
fn what_is_freed_is_not_used() {
    // A run ends where behaviour is undefined, so there is no error behind it; without the free there is.
    let program = |free: &str| {
        format!(
            "int main(void) {{ int *p = malloc(4); if (!p) return 0; *p = 1; {free} if (*p == 1) reach_error(); return 0; }}"
        )
    };
    assert!(followed(&program("free(p);"), 1000).is_ok());
    let wrong = followed(&program(""), 1000);
    assert!(
        matches!(wrong, Err(Rejected::Lost(Lost::Target(_)))),
        "{wrong:?}"
    );
}

#[test]
fn locals_end_with_their_block() {
    let program = |kept: &str| {
        format!(
            "int main(void) {{ int *p = 0; int y = 1; for (int i = 0; i < 2; i++) {{ int x = i; if (i == 0) p = &{kept}; else if (*p == 1) reach_error(); x++; }} return 0; }}"
        )
    };
    assert!(followed(&program("x"), 1000).is_ok());
    let wrong = followed(&program("y"), 1000);
    assert!(
        matches!(wrong, Err(Rejected::Lost(Lost::Target(_)))),
        "{wrong:?}"
    );
}

#[test]
fn where_objects_lie_is_open() {
    for condition in ["&a < &b", "&a + 1 == &b", "(size_t)&a % 3 == 0"] {
        let text =
            format!("int main(void) {{ int a, b; if ({condition}) reach_error(); return 0; }}");
        let result = followed(&text, 1000);
        assert!(
            matches!(result, Err(Rejected::Lost(Lost::Gap { .. }))),
            "{condition}: {result:?}"
        );
    }
}

#[test]
fn other_addresses_are_told_apart() {
    told_apart(
        "int a, b; int main(void) { int *p = __VERIFIER_nondet_int() ? &a : &b; *p = 1; CHECK return 0; }",
        "p != 0 && a + b == 1 && (p == &a) == (a == 1)",
        "p == &a",
    );
}

#[test]
fn floats_that_depend_on_nothing_are_exact() {
    told_apart(
        "int main(void) { double x = 0.1; float f = 0.1f; double s = 0; for (int i = 0; i < 10; i++) s += x; CHECK return 0; }",
        "s != 1.0 && f > x",
        "s == 1.0",
    );
}

#[test]
fn steps_are_counted() {
    let text = "int main(void) { for (int i = 0; i < 100; i++) ; return 0; }";
    assert!(followed(text, 100_000).is_ok());
    let short = followed(text, 50);
    assert!(
        matches!(short, Err(Rejected::Lost(Lost::Long(50)))),
        "{short:?}"
    );
}

#[test]
fn runs_that_never_end_are_no_proof() {
    let text = "int main(void) { unsigned i = 0; while (1) i++; return 0; }";
    let endless = followed(text, 10_000);
    assert!(
        matches!(endless, Err(Rejected::Lost(Lost::Long(_)))),
        "{endless:?}"
    );
}
