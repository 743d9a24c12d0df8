//! Runs that are too many to be followed one by one: they meet, and those of the broken twin still reach the error.

use rhumb_certify::proof::Proof;
use rhumb_second::Opinion;

use crate::support::{certificate, lower, opinion, solver};

/// Programs in which the first text makes the assertion hold and the second doesn't.
const PROGRAMS: &[(&str, &str, &str)] = &[
    // The largest of thirty numbers, found from either end: 2^60 ways.
    (
        "int main(void) { int a[30], up = -2147483647 - 1, down = up;
             for (int i = 0; i < 30; i++) a[i] = __VERIFIER_nondet_int();
             for (int i = 0; i < 30; i++) if (a[i] > up) up = a[i];
             for (int i = 29; i >= {}; i--) if (a[i] > down) down = a[i];
             if (up != down) reach_error(); return 0; }",
        "0",
        "1",
    ),
    // The same numbers in another order have the same sum, and the same bits in common.
    (
        "int main(void) { int a[60]; long sum = 0, other = 0; int bits = 0, others = 0;
             for (int i = 0; i < 60; i++) a[i] = __VERIFIER_nondet_int();
             for (int i = 0; i < 60; i++) { sum = sum + i + a[i]; bits ^= a[i]; }
             for (int i = 59; i >= 0; i--) { other = other + a[i] + {}; others ^= a[i]; }
             if (sum != other || bits != others) reach_error(); return 0; }",
        "i",
        "1",
    ),
    // Inputs choose what is called and what is stored, through a pointer and in a record.
    (
        "struct pair { int least, most; } p; static void note(struct pair *p, int x) { if (x < p->least) p->least = x; if (x > p->most) p->most = x; }
         int main(void) { p.least = p.most = 0;
             for (int i = 0; i < 25; i++) { unsigned char c = __VERIFIER_nondet_uchar(); if (c & 1) note(&p, c); else note(&p, -c); }
             if (p.least < -254 || p.most > {}) reach_error(); return 0; }",
        "255",
        "253",
    ),
];

#[test]
fn many_ways_meet() {
    let Some(solver) = solver() else { return };
    let claim = Proof::execution(1_000_000);
    for (text, right, wrong) in PROGRAMS {
        let safe = lower(&text.replace("{}", right));
        let of_safe = opinion(&safe, &certificate(&safe, &claim), &solver);
        assert_eq!(of_safe, Opinion::Valid, "{text}");
        let broken = lower(&text.replace("{}", wrong));
        let of_broken = opinion(&broken, &certificate(&broken, &claim), &solver);
        assert!(
            matches!(of_broken, Opinion::Rejected(_)),
            "{of_broken:?}: {text}"
        );
    }
}

/// Two threads with a buffer each, one place long, that an input may empty early; the third looks on.
const BUFFERS: &str = "typedef unsigned long pthread_t;
     extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
     extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); extern void *__VERIFIER_nondet_pointer(void);
     extern void __VERIFIER_assume(int);
     int x, y, bx, by, hasx, hasy, seen_x, seen_y, done;
     #define ATOMIC(text) __VERIFIER_atomic_begin(); text __VERIFIER_atomic_end();
     #define FLUSH if (hasx && __VERIFIER_nondet_int()) { x = bx; hasx = 0; } if (hasy && __VERIFIER_nondet_int()) { y = by; hasy = 0; }
     void *first(void *arg) { ATOMIC(bx = 1; hasx = 1;) ATOMIC(FLUSH) ATOMIC({}) ATOMIC(seen_y = y;) ATOMIC(done = done + 1;) return __VERIFIER_nondet_pointer(); }
     void *second(void *arg) { ATOMIC(by = 1; hasy = 1;) ATOMIC(FLUSH) ATOMIC(if (hasy) { y = by; hasy = 0; }) ATOMIC(seen_x = x;) ATOMIC(done = done + 1;) return __VERIFIER_nondet_pointer(); }
     int main(void) { pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0);
         ATOMIC(int all = done == 2;) __VERIFIER_assume(all);
         if (seen_x == 0 && seen_y == 0) reach_error(); return 0; }";

#[test]
fn schedules_and_inputs_meet() {
    let Some(solver) = solver() else { return };
    let claim = Proof::execution(1_000_000);
    let fenced = lower(&BUFFERS.replace("{}", "if (hasx) { x = bx; hasx = 0; }"));
    let of_fenced = opinion(&fenced, &certificate(&fenced, &claim), &solver);
    assert_eq!(of_fenced, Opinion::Valid);
    let broken = lower(&BUFFERS.replace(
        "{}",
        "if (hasx && __VERIFIER_nondet_int()) { x = bx; hasx = 0; }",
    ));
    let of_broken = opinion(&broken, &certificate(&broken, &claim), &solver);
    // A pointer from outside is returned, so the run is not certain.
    assert_ne!(of_broken, Opinion::Valid);
}
