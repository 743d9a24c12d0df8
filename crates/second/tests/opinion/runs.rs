//! Proofs without formulas, or about memory: all runs are followed again, and those of the broken twin reach an error.

use rhumb_certify::proof::Proof;
use rhumb_program::Checks;
use rhumb_second::{Opinion, OpinionLimits, check};
use rhumb_truth::kinds::{Kind, sample};

use crate::support::{certificate, lower, opinion, samples, solver};

/// Programs in which `RIGHT` makes the assertion hold and `WRONG` doesn't.
const PROGRAMS: &[(&str, &str, &str)] = &[
    // An index that depends on an input.
    (
        "int a[5] = {4, 3, 2, 1, 0};
         int main(void) { unsigned i = __VERIFIER_nondet_uint(); if (i >= 5) return 0;
             a[i] = 9; if (a[i] + a[4 - i] < {}) reach_error(); return 0; }",
        "9",
        "14",
    ),
    // Records on the heap, linked.
    (
        "extern void *malloc(unsigned long); extern void free(void *);
         struct node { struct node *next; int value; };
         int main(void) { struct node *list = 0; int sum = 0;
             for (int i = 0; i < 4; i++) { struct node *new = malloc(sizeof *new);
                 new->value = __VERIFIER_nondet_uchar(); sum += new->value; new->next = list; list = new; }
             while (list) { struct node *next = list->next; sum -= list->value; free(list); list = next; }
             if (sum != {}) reach_error(); return 0; }",
        "0",
        "1",
    ),
    // Bytes of a word, a bit-field, a copy.
    (
        "struct s { unsigned low : 5; int high : 11; } s, t;
         extern void *memcpy(void *, const void *, unsigned long);
         int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned char *bytes = (unsigned char *)&x;
             s.low = x; s.high = -3; memcpy(&t, &s, sizeof s);
             if (((bytes[0] & 31) != t.low) || t.high != {}) reach_error(); return 0; }",
        "-3",
        "3",
    ),
    // Recursion, out-parameters, a call through a pointer.
    (
        "static void twice(int *p) { *p += *p; } static void inc(int *p) { ++*p; }
         static int apply(void (*f)(int *), int n, int *p) { if (n == 0) return *p; f(p); return apply(f, n - 1, p); }
         int main(void) { int x = __VERIFIER_nondet_uchar(), y = x; void (*f)(int *) = x > 100 ? inc : twice;
             int z = apply(f, 3, &y);
             if (x > 100 ? z != x + 3 : z != {} * x) reach_error(); return 0; }",
        "8",
        "6",
    ),
    // Memory of a size that is an input, left as it is; pointers compared.
    (
        "extern void *malloc(unsigned long);
         int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (n < 2 || n > 1000) return 0;
             int *p = malloc(n * sizeof *p), *end = p + n; p[1] = p[0];
             if (p[1] != p[0] || end - p != n || p == {}) reach_error(); return 0; }",
        "end",
        "end - n",
    ),
    // A float that doesn't depend on inputs, beside one that is not looked at.
    (
        "extern double __VERIFIER_nondet_double(void);
         int main(void) { double d[2] = {0.5, __VERIFIER_nondet_double()}; int x = __VERIFIER_nondet_int();
             if (x == 7 && d[0] * 2 != {}) reach_error(); return 0; }",
        "1.0",
        "1.5",
    ),
];

#[test]
fn runs_are_followed_to_their_ends() {
    let Some(solver) = solver() else { return };
    for (text, right, wrong) in PROGRAMS {
        let claim = Proof::execution(1_000_000);
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

/// Floats that depend on inputs: compared, asked for their kind, computed with. In the broken twins the error can be reached.
const FLOATS: &[(&str, &str, &str)] = &[
    (
        "extern double __VERIFIER_nondet_double(void);
         int main(void) { double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
             if (x < y && y < {}) reach_error(); if (x == y && -x != -y) reach_error(); return 0; }",
        "x",
        "1.0",
    ),
    (
        "extern float __VERIFIER_nondet_float(void);
         int main(void) { float x = __VERIFIER_nondet_float();
             if (x != x && !__builtin_isnan(x)) reach_error(); if (__builtin_isinf(x) && x < {}) reach_error(); return 0; }",
        "-1.0f / 0.0f",
        "0",
    ),
    (
        "extern double __VERIFIER_nondet_double(void);
         int main(void) { double x = __VERIFIER_nondet_double(); if (!(x >= -1.0 && x <= 1.0)) return 0;
             double y = x * x * x - x / 2.0 + 3.0; if (y < {}) reach_error(); return 0; }",
        "2.45",
        "2.6",
    ),
];

#[test]
fn floats_of_inputs_are_looked_at_in_boxes() {
    let Some(solver) = solver() else { return };
    for (text, right, wrong) in FLOATS {
        let claim = Proof::execution(1_000_000);
        let safe = lower(&text.replace("{}", right));
        let of_safe = opinion(&safe, &certificate(&safe, &claim), &solver);
        assert_eq!(of_safe, Opinion::Valid, "{text}");
        let broken = lower(&text.replace("{}", wrong));
        let of_broken = opinion(&broken, &certificate(&broken, &claim), &solver);
        match text.contains('*') {
            // The solver chose the values of what was computed, so nobody knows.
            true => assert_ne!(of_broken, Opinion::Valid, "{text}"),
            false => assert!(matches!(of_broken, Opinion::Rejected(_)), "{of_broken:?}"),
        }
    }
}

#[test]
fn no_error_with_floats_is_missed() {
    let Some(solver) = solver() else { return };
    let (mut valid, mut not_safe) = (0, 0);
    for seed in 0..samples(40) {
        let Ok(sample) = sample(Kind::Floats, seed) else {
            continue;
        };
        let program = Kind::Floats.lower(&sample.text).expect("it is a program");
        let claim = certificate(&program, &Proof::execution(1_000_000));
        let limits = OpinionLimits::new(std::time::Duration::from_secs(4), &|| false);
        let said = check(&program, &claim, &solver, &limits).expect("it is a proof");
        match sample.truth.is_safe() {
            true if sample.truth.is_sampled => {}
            true => assert!(
                !matches!(said, Opinion::Rejected(_)),
                "{said:?}, seed {seed}"
            ),
            false => assert_ne!(said, Opinion::Valid, "seed {seed}"),
        }
        valid += usize::from(said == Opinion::Valid);
        not_safe += usize::from(!sample.truth.is_safe());
    }
    println!("{valid} accepted, {not_safe} not safe");
    assert!(not_safe >= 5, "{valid} {not_safe}");
}

/// Memory that is handed around, and freed or not.
const LEAKS: &str = "extern void *malloc(unsigned long); extern void free(void *);
     struct node { struct node *next; };
     static struct node *push(struct node *list) { struct node *new = malloc(sizeof *new); new->next = list; return new; }
     int main(void) { struct node *list = 0;
         for (int i = 0; i < 3; i++) if (__VERIFIER_nondet_int()) list = push(list);
         while (list) { struct node *next = list->next; {} list = next; } return 0; }";

#[test]
fn memory_that_is_lost_is_found() {
    let Some(solver) = solver() else { return };
    let claim = Proof::execution(1_000_000);
    let lost = Checks::parse("leaks").expect("there is such a check");
    let asking = |text: &str| lost.apply(lower(&LEAKS.replace("{}", text)));
    let safe = asking("free(list);");
    assert_eq!(
        opinion(&safe, &certificate(&safe, &claim), &solver),
        Opinion::Valid
    );
    let broken = asking("if (__VERIFIER_nondet_int()) free(list);");
    let of_broken = opinion(&broken, &certificate(&broken, &claim), &solver);
    assert!(matches!(of_broken, Opinion::Rejected(_)), "{of_broken:?}");
}

/// Two threads that add to a counter, with and without a lock.
const THREADS: &str = "typedef unsigned long pthread_t; typedef union { char size[40]; long align; } pthread_mutex_t;
     extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
     extern int pthread_join(pthread_t, void **);
     extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
     pthread_mutex_t m; int counter;
     void *add(void *arg) { LOCK; int c = counter; counter = c + 1; UNLOCK; return 0; }
     int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0);
         pthread_join(a, 0); pthread_join(b, 0); if (counter != 2) reach_error(); return 0; }";

#[test]
fn schedules_are_followed_too() {
    let Some(solver) = solver() else { return };
    let claim = Proof::execution(1_000_000);
    let locked = THREADS
        .replace("UNLOCK", "pthread_mutex_unlock(&m)")
        .replace("LOCK", "pthread_mutex_lock(&m)");
    let locked = lower(&locked);
    let of_locked = opinion(&locked, &certificate(&locked, &claim), &solver);
    assert_eq!(of_locked, Opinion::Valid);
    let racing = lower(&THREADS.replace("UNLOCK", "").replace("LOCK", ""));
    let of_racing = opinion(&racing, &certificate(&racing, &claim), &solver);
    assert!(matches!(of_racing, Opinion::Rejected(_)), "{of_racing:?}");
}
