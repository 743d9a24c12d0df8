//! All schedules of programs with threads, most of which are left out because their order makes no difference, against
//! all interleavings of a machine of its own; and with the reductions against without them.

use std::time::Duration;

use rhumb_certify::proof::{AllSchedules, Followed};
use rhumb_logic::{Budget, Work};
use rhumb_program::Program;
use rhumb_truth::lower;
use rhumb_truth::threads::enumerate::{enumerate, enumerate_created};
use rhumb_truth::threads::{few, generate};

const MOST_STATES: usize = 20_000;

/// What all schedules may take: some 250,000 steps.
const UNITS: u64 = 1_000_000;

fn lowered(source: &str) -> Program {
    lower(source).expect("it is valid")
}

/// Whether some schedule leads to a target; none if that was not found out. And how many states there are.
fn fails(mut schedules: AllSchedules<'_>) -> (Option<bool>, u64) {
    let budget = Budget::time(Duration::from_secs(120)).with_allowance(UNITS);
    let answer = match schedules.go_on(&budget, Work::secs(120)) {
        Followed::Complete(_) => Some(false),
        Followed::Reached { .. } => Some(true),
        _ => None,
    };
    (answer, schedules.extent().paths)
}

/// Compares with the truth; gives whether there was an answer.
fn compare(seed: u64, source: &str, truth: bool) -> bool {
    let program = lowered(source);
    let (answer, states) = fails(AllSchedules::new(&program));
    assert!(
        answer.is_none_or(|fails| fails == truth),
        "seed {seed}, {states} states, fails: {truth}:\n{source}"
    );
    answer.is_some()
}

/// `RHUMB_SCHEDULES=5000` for more programs.
fn count(usual: u64) -> u64 {
    let wanted = std::env::var("RHUMB_SCHEDULES").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn threads_that_are_waited_for() {
    let (mut tried, mut decided) = (0, 0);
    for seed in 5000..5000 + count(150) {
        let program = generate(seed);
        let Some(truth) = enumerate(&program, MOST_STATES) else {
            continue;
        };
        tried += 1;
        decided += u64::from(compare(seed, &program.source(false), truth.fails));
    }
    assert!(10 * decided >= 9 * tried, "{decided} of {tried}");
}

#[test]
fn threads_that_nobody_waits_for() {
    let (mut tried, mut decided, mut failing) = (0, 0, 0);
    for seed in 0..count(150) {
        let program = few::generate(seed);
        let Some(truth) = enumerate_created(&program.kinds, few::CREATED, MOST_STATES) else {
            continue;
        };
        tried += 1;
        failing += u64::from(truth.fails);
        let source = match seed % 2 {
            0 => program.source(),
            _ => program.source_with_objects(),
        };
        decided += u64::from(compare(seed, &source, truth.fails));
    }
    assert!(10 * decided >= 9 * tried, "{decided} of {tried}");
    assert!(
        6 * failing >= tried && 6 * failing <= 5 * tried,
        "{failing} of {tried}"
    );
}

/// A program whose threads run `f` and `g`, and what main does behind their creation.
fn two(globals: &str, f: &str, g: &str, main: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdlib.h>\nextern void reach_error(void);\n\
         extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
         extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n\
         {globals}\n\
         void *f(void *p) {{ {f} return 0; }}\n\
         void *g(void *p) {{ {g} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);\n\
           {main} }}\n"
    )
}

const JOIN: &str = "pthread_join(a, 0); pthread_join(b, 0);";

#[test]
fn orders_that_make_no_difference_are_followed_once() {
    let of_their_own = two(
        "int x, y;",
        "x = 1; x = 2; x = 3;",
        "y = 1; y = 2; y = 3;",
        JOIN,
    );
    let program = lowered(&of_their_own);
    let (answer, states) = fails(AllSchedules::new(&program));
    let (plain, all) = fails(AllSchedules::unreduced(&program));
    assert_eq!((answer, plain), (Some(false), Some(false)));
    assert!(4 * states < all, "{states} of {all}");
}

#[test]
fn what_matters_is_not_left_out() {
    let join = |check: &str| format!("{JOIN} {check} return 0;");
    let cases = [
        // One sees what the other one has done, through a pointer that came by memory.
        (
            "int x, r, *q;",
            "q = &x;",
            "int *o = q; if (o) *o = 1;",
            join("if (x == 1) reach_error();"),
            true,
        ),
        (
            "int x, r, *q;",
            "q = &x;",
            "int *o = q; if (o) *o = 1;",
            join("if (x == 2) reach_error();"),
            false,
        ),
        // A local object of one thread that the other one writes.
        (
            "int *q, done;",
            "int own = 0; q = &own; while (!done) ; if (own == 5) reach_error();",
            "int *o = q; if (o) *o = 5; done = 1;",
            JOIN.to_owned(),
            true,
        ),
        (
            "int *q, done;",
            "int own = 0; q = &own; while (!done) ; if (own == 6) reach_error();",
            "int *o = q; if (o) *o = 5; done = 1;",
            JOIN.to_owned(),
            false,
        ),
        // Through an object that is allocated, and a function that is called by a pointer.
        (
            "int *q; void set(int *o) { *o = 1; } void (*h)(int *) = set;",
            "q = malloc(4); *q = 0; int *o = q; if (*o) reach_error();",
            "if (q) h(q);",
            JOIN.to_owned(),
            true,
        ),
        (
            "int *q; void set(int *o) { *o = 0; } void (*h)(int *) = set;",
            "q = malloc(4); *q = 0; int *o = q; if (*o) reach_error();",
            "if (q) h(q);",
            JOIN.to_owned(),
            false,
        ),
        // Through a record that is copied.
        (
            "struct s { int *q; } one, two; int x;",
            "one.q = &x; __VERIFIER_atomic_begin(); two = one; __VERIFIER_atomic_end();",
            "int *o = two.q; if (o) *o = 1;",
            join("if (x) reach_error();"),
            true,
        ),
        // With what a thread ends.
        (
            "int x; void *h(void *p) { return &x; }",
            "pthread_t c; void *o; pthread_create(&c, 0, h, 0); pthread_join(c, &o); *(int *)o = 1;",
            "if (x) reach_error();",
            JOIN.to_owned(),
            true,
        ),
        // Main ends the run, unless it is late.
        (
            "int x;",
            "x = 1;",
            "if (x) reach_error();",
            "return 0;".to_owned(),
            true,
        ),
        // An assumption about what is read early leads nowhere; about what is read late it doesn't.
        (
            "int n, x; _Bool ok;",
            "x = 1; n = n + 1;",
            "x = 2; n = n + 1;",
            "ok = n == 2; __VERIFIER_assume(ok); if (x == 1) reach_error();".to_owned(),
            true,
        ),
        (
            "int n, x; _Bool ok;",
            "x = 1; n = n + 1;",
            "x = 2; n = n + 1;",
            "ok = n == 2; __VERIFIER_assume(ok); if (x == 0) reach_error();".to_owned(),
            false,
        ),
        // The flag that main sets before it ends the run is seen by others.
        (
            "int n; _Bool ok;",
            "if (ok) reach_error();",
            "n = 1;",
            "ok = n == 0; __VERIFIER_assume(!ok); return 0;".to_owned(),
            true,
        ),
        (
            "int n; _Bool ok;",
            "n = 1;",
            "n = 1;",
            "ok = n == 0; __VERIFIER_assume(!ok); if (n == 0) reach_error();".to_owned(),
            false,
        ),
        // A loop that never touches what others see doesn't keep the others from going on.
        (
            "int x, y;",
            "while (1) y = 1 - y;",
            "reach_error();",
            JOIN.to_owned(),
            true,
        ),
        (
            "int x, y;",
            "while (1) y = 1 - y;",
            "while (1) x = 1 - x;",
            "if (x == 2 || y == 2) reach_error(); ".to_owned() + JOIN,
            false,
        ),
        // Numbers of threads matter to those who look at them.
        (
            "unsigned long one, two;",
            "one = pthread_self();",
            "two = pthread_self();",
            join("if (one == two) reach_error();"),
            false,
        ),
        (
            "unsigned long one, two;",
            "one = pthread_self();",
            "two = pthread_self();",
            join("if (one < two) reach_error();"),
            true,
        ),
        // Freed by one, used by the other: the run ends there, unless it is used before.
        (
            "int *q, x;",
            "free(q);",
            "x = *q;",
            "x = 0;".to_owned() + JOIN + "if (x) reach_error();",
            false,
        ),
    ];
    for (globals, f, g, main, expected) in cases {
        let source = two(globals, f, g, &main);
        let program = lowered(&source);
        let (answer, _) = fails(AllSchedules::new(&program));
        assert_eq!(answer, Some(expected), "{source}");
        let (answer, _) = fails(AllSchedules::unreduced(&program));
        assert_eq!(answer, Some(expected), "without reduction:\n{source}");
    }
}

/// A program in which main does this, which creates threads that run `h` and `k`.
fn created(globals: &str, h: &str, k: &str, main: &str) -> String {
    let threads = format!(
        "{globals}\nvoid *h(void *p) {{ {h} return 0; }}\nvoid *k(void *p) {{ {k} return 0; }}\n"
    );
    let main = format!("pthread_t c, d; {main} return 0;");
    two(&threads, "", "", &main)
}

#[test]
fn threads_that_are_alike_are_told_apart_where_it_matters() {
    let both = "pthread_create(&c, 0, h, 0); pthread_create(&d, 0, h, 0);";
    let atomic = |what: &str| format!("__VERIFIER_atomic_begin(); {what} __VERIFIER_atomic_end();");
    let increase = atomic("x = x + 1;");
    let mut cases = Vec::new();
    // Whoever is waited for may be the first one.
    for id in ["c", "d"] {
        for (number, fails) in [(0, false), (1, true), (2, true)] {
            let main = format!("{both} pthread_join({id}, 0); if (x == {number}) reach_error();");
            cases.push((created("int x;", &increase, "", &main), fails));
        }
    }
    // The last one may be either of them, by its id: its number, and 1.
    let last = atomic("n = n + 1; if (n == 2) last = pthread_self();");
    for (number, fails) in [(2, false), (3, false), (4, true), (5, true), (6, false)] {
        let main =
            format!("{both} __VERIFIER_assume(n == 2); if (last == {number}) reach_error();");
        let globals = "int n; unsigned long last;";
        cases.push((created(globals, &last, "", &main), fails));
    }
    // One waits for a lock; what it does behind that another one sees.
    for (check, fails) in [("y == 1", true), ("y == 2", false)] {
        let h = format!("if ({check}) reach_error();");
        let main = "pthread_t e; pthread_mutex_lock(&m); pthread_create(&c, 0, h, 0);\n\
                    pthread_create(&e, 0, unlock, 0); pthread_create(&d, 0, k, 0);\n\
                    pthread_join(c, 0); pthread_join(d, 0); pthread_join(e, 0);";
        let globals = "int y; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                       void *unlock(void *p) { pthread_mutex_unlock(&m); return 0; }";
        let k = "pthread_mutex_lock(&m); y = 1;";
        cases.push((created(globals, &h, k, main), fails));
    }
    for (source, expected) in cases {
        let program = lowered(&source);
        let (answer, _) = fails(AllSchedules::new(&program));
        assert_eq!(answer, Some(expected), "{source}");
    }
}
