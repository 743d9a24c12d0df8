//! Programs without loops, or with calls that stay: the empty proof is one exactly if the program is safe.

use rhumb_second::Opinion;

use crate::support::{lower, of_nothing, solver};

/// Ways that meet where one of them can't be taken.
const UNSAFE: &[&str] = &[
    // Both ways to the meeting are told apart by a test that was made before.
    "int main(void) { int k = __VERIFIER_nondet_int(), seen = 0, other = 0;
     if (k == 4) { if (k != 5) goto both; seen = 7; goto out; } else { if (k != 4) goto both; seen = 8; goto out; }
     both: seen = 9; goto end;
     out: other = 1;
     end: if (seen == 9) reach_error(); return other; }",
    // The same in a switch, with a way that skips an assignment.
    "int main(void) { int k = __VERIFIER_nondet_int(), fine = 0;
     switch (k) { case 3: if (k == 8) goto skip; break; default: if (k == 3) goto skip; }
     fine = 1;
     skip: if (fine && k == 98765) reach_error(); return 0; }",
    // A call that stays may change global variables.
    "int state; int again(int n) { return n > 0 ? again(n - 1) : (state = __VERIFIER_nondet_int()); }
     int main(void) { int x = 0; state = 1; again(1);
     if (state == 1) { if (state != 2) goto meet; } else { if (state != 1) goto meet; }
     goto last;
     meet: x = 3;
     last: if (x == 3 && state == 77) reach_error(); return 0; }",
    // What is called through a pointer may do the same.
    "int state; void clear(void) { state = 0; } void fill(void) { state = 5; }
     int main(void) { void (*todo)(void) = __VERIFIER_nondet_int() ? clear : fill; state = 1; todo(); if (state == 5) reach_error(); return 0; }",
    // The error lies in a call that stays.
    "int down(int n) { if (n == 3) reach_error(); return n > 0 ? down(n - 1) : 0; }
     int main(void) { return down(__VERIFIER_nondet_int()); }",
    // Wraps, conversions and shifts.
    "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x + 1 < x) reach_error(); return 0; }",
    "int main(void) { int x = __VERIFIER_nondet_int(); if ((signed char)x != x && x > 0 && (signed char)x < 0) reach_error(); return 0; }",
    "int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); if ((c << 3 & 255) == 8 && c > 40) reach_error(); return 0; }",
    "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (b < 0 && b > -9 && a / b == 3 && a % b == -2) reach_error(); return 0; }",
    "int main(void) { long p = __VERIFIER_nondet_long(); if (p * 3 == 21 && p != 7) return 0; if (p == 7) reach_error(); return 0; }",
];

const SAFE: &[&str] = &[
    "int main(void) { int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int(), a = 0, b = 0;
     if (p != 0) a = 1;
     if (q != 0) b = 1;
     if (p != 0) { if (a != 1) goto bad; }
     if (q != 0) { if (b != 1) goto bad; }
     return 0;
     bad: reach_error(); return 1; }",
    "int main(void) { int k = __VERIFIER_nondet_int(), fine = 0;
     switch (k) { case 3: if (k == 8) goto skip; break; case 5: return 0; default: if (k == 3) goto skip; fine = 2; }
     if (fine == 0 && k != 3) goto bad;
     skip: return 0;
     bad: reach_error(); return 0; }",
    // What a recursive call doesn't touch stays: the caller's own variables.
    "int state; int again(int n) { state++; return n > 0 ? again(n - 1) : 0; }
     int main(void) { int mine = 6; again(2); if (mine != 6) reach_error(); return state; }",
    // Nor what nothing sets that it may run.
    "int state, other = 4; int again(int n) { state++; return n > 0 ? again(n - 1) : 0; }
     int main(void) { again(2); if (other != 4) reach_error(); other = 5; return state; }",
    // `main` is taken apart, even if it calls itself.
    "int main(int n, char **words) { if (n > 5 && n < 3) { reach_error(); return main(1, words); } return 0; }",
    // Whoever calls `exit` doesn't come back.
    "void stop(int n) { if (n > 5) exit(1); } int main(void) { int n = __VERIFIER_nondet_int(); stop(n); if (n > 5) reach_error(); return 0; }",
    // One function, called twice.
    "int twice(int n) { if (n > 100 || n < -100) return 0; return 2 * n; }
     int main(void) { int n = __VERIFIER_nondet_int(); int a = twice(n), b = twice(a); if (b > 200 || b % 2 != 0) reach_error(); return 0; }",
    // Overflow of a signed number ends the run.
    "int main(void) { int x = __VERIFIER_nondet_int(); int y = x + 1; if (y < x) reach_error(); return 0; }",
    "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); int z = x << 2; if (z % 4 != 0 || (y > 0 && y < 31 && 1 << y < 2)) reach_error(); return 0; }",
    "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if ((x & 0xf0u) > 240 || (x ^ x) != 0 || (x | 1) % 2 == 0 || x >> 31 > 1) reach_error(); return 0; }",
    "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (b == 0) return 0; if (a / -7 * -7 + a % -7 != a || a % b == b) reach_error(); return 0; }",
    "int main(void) { unsigned char c = __VERIFIER_nondet_uchar(), d = __VERIFIER_nondet_uchar(); if ((c & d) > c || (c | d) < d || c * d > 65025) reach_error(); return 0; }",
    // Addresses are not null, and those of global objects don't change.
    "int cell[4]; int main(void) { int *p = cell, *q = cell; if (p == 0 || p != q) reach_error(); return 0; }",
    "int main(void) { return 0; }",
];

#[test]
fn nothing_is_no_proof_of_an_unsafe_program() {
    let Some(solver) = solver() else { return };
    for text in UNSAFE {
        let opinion = of_nothing(&lower(text), &solver);
        assert!(
            matches!(opinion, Opinion::Rejected(_)),
            "{opinion:?}: {text}"
        );
    }
}

#[test]
fn nothing_is_a_proof_of_a_safe_one() {
    let Some(solver) = solver() else { return };
    for text in SAFE {
        assert_eq!(of_nothing(&lower(text), &solver), Opinion::Valid, "{text}");
    }
}
