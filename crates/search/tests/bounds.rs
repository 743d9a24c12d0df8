//! Accesses to objects whose sizes are computed.

mod common;

use std::time::{Duration, Instant};

use common::{Answer, program, search};
use rhumb_certify::proof::Argument;
use rhumb_logic::Budget;
use rhumb_program::Checks;
use rhumb_search::{Outcome, decide, entry};
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

/// What is read twice has one value, whoever knows nothing of the memory.
#[test]
fn two_strings_end_where_the_first_does() {
    let text = |condition: &str| {
        format!(
            "extern void *malloc(unsigned); extern void free(void *);
             int main(void) {{
               unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint();
               if (n < 1 || n > 1000 || m < 1 || m > 1000) return 0;
               char *a = malloc(n), *b = malloc(m), *p = a, *q = b;
               for (unsigned i = 0; i < n - 1; i++) a[i] = __VERIFIER_nondet_char();
               for (unsigned i = 0; i < m - 1; i++) b[i] = __VERIFIER_nondet_char();
               a[n - 1] = b[m - 1] = 0;
               while ({condition}) {{ p++; q++; }}
               free(a); free(b);
               return 0;
             }}"
        )
    };
    is_proved_by_bounds(&text("*p == *q && *p != 0"));
    // The end of one is not that of the other.
    let wrong = answer(&text("*p == *q || *p != 0"));
    assert!(matches!(wrong, Answer::Unsafe(_)), "{wrong:?}");
}

/// A check that the first share of the work is too little for is looked at again while there is more.
#[test]
fn nobody_gives_up_while_time_is_left() {
    let text = program(
        "int main(void) {
           int a[100], n = __VERIFIER_nondet_int(), key = __VERIFIER_nondet_int();
           if (n < 0 || n > 100) return 0;
           for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
           int low = 0, high = n;
           while (low < high) {
             int middle = low + (high - low) / 2;
             if (a[middle] < key) low = middle + 1; else high = middle;
           }
           if (low < 0 || low > n) reach_error();
           return 0;
         }",
    );
    let program = Checks::parse("all")
        .expect("there are such checks")
        .apply(text);
    let engine = entry("gps").expect("there is such an engine");
    // Shares as for half a minute, and as much time as a busy machine may need.
    let mut budget = Budget::time(Duration::from_secs(30));
    budget.deadline = Some(Instant::now() + Duration::from_secs(300));
    let decision = decide(&program, engine, Preset::Full, &budget, &mut ());
    let outcomes = &decision.targets;
    assert!(outcomes.len() > 4);
    assert!(
        outcomes.iter().all(|it| *it == Outcome::Safe),
        "{outcomes:?}"
    );
}

/// An array of the heap that is filled is a new shape in each round: who looks at shapes leaves those to others before
/// they are all that there is room for.
#[test]
fn shapes_of_arrays_are_left_to_others() {
    let text = |last: &str| {
        format!(
            "extern void *malloc(unsigned); extern void free(void *);
             int main(void) {{
               int n = __VERIFIER_nondet_int();
               if (n < 0 || n > 50000) return 0;
               int *p = malloc(n * sizeof(int));
               for (int i = 0; i {last} n; i++) p[i] = 0;
               free(p);
               return 0;
             }}"
        )
    };
    assert_eq!(answer(&text("<=")).word(), "UNSAFE");
    assert_eq!(answer(&text("<")).word(), "SAFE");
}
