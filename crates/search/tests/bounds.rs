//! Accesses to objects whose sizes are computed.

mod common;

use common::{Answer, program, search};
use rhumb_certify::proof::Argument;
use rhumb_program::Checks;
use rhumb_summary::Preset;

fn answer(text: &str) -> Answer {
    let checks = Checks::parse("bounds,free,leaks").expect("there are such checks");
    let program = checks.apply(program(text));
    search(&program, "gps", Preset::Full, 30).answer
}

#[track_caller]
fn is_proved_by_bounds(text: &str) {
    match answer(text) {
        Answer::Safe(proof) => assert!(matches!(proof.argument, Argument::Bounds(_))),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn loops_over_allocated_arrays_stay_inside() {
    is_proved_by_bounds(
        "extern void *__builtin_alloca(unsigned);
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n < 1 || n > 100000) return 0;
           int *a = __builtin_alloca(n * sizeof(int));
           for (int i = 0; i < n; i++) a[i] = i;
           for (int i = n - 1; i >= 0; i--) a[i] = 0;
           return 0;
         }",
    );
}

#[test]
fn pointers_walk_through_what_is_freed_then() {
    is_proved_by_bounds(
        "extern void *malloc(unsigned); extern void free(void *);
         int main(void) {
           unsigned n = __VERIFIER_nondet_uint();
           if (n < 1 || n > 100000) return 0;
           char *a = malloc(n);
           for (char *p = a; p < a + n; p++) *p = 0;
           free(a);
           return 0;
         }",
    );
}

#[test]
fn an_element_too_far_is_found() {
    let text = "extern void *__builtin_alloca(unsigned);
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n < 1 || n > 100000) return 0;
           int *a = __builtin_alloca(n * sizeof(int));
           for (int i = 0; i <= n; i++) a[i] = i;
           return 0;
         }";
    assert!(matches!(answer(text), Answer::Unsafe(_)), "{text}");
}

/// A string of computed length with anything in it, and another one with room for a copy.
const STRINGS: &str = "extern void *malloc(unsigned); extern void free(void *);
     int main(void) {
       int n = __VERIFIER_nondet_int();
       if (n < 1 || n > 100000) return 0;
       char *s = malloc(n), *t = malloc(n);
       for (int i = 0; i < n - 1; i++) s[i] = __VERIFIER_nondet_int();
       s[HERE] = 0;
       char *p = s, *q = t;
       while (*p) *q++ = *p++;
       *q = 0;
       free(s); free(t);
       return 0;
     }";

#[test]
fn loops_over_strings_end_at_the_terminator() {
    is_proved_by_bounds(&STRINGS.replace("HERE", "n - 1"));
    let text = STRINGS.replace("HERE", "0");
    assert!(matches!(answer(&text), Answer::Safe(_)));
}

#[test]
fn a_string_without_an_end_is_left() {
    let text = STRINGS.replace("s[HERE] = 0;", "").replace("100000", "3");
    let found = answer(&text);
    assert!(matches!(found, Answer::Unsafe(_)), "{found:?}");
}
