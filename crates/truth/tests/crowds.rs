//! Proofs for any number of threads, against all interleavings of few of them on a machine of its own: what goes wrong
//! with one to four threads must not be proved.

use std::time::Duration;

use rhumb_certify::Verdict;
use rhumb_certify::proof::{AllSchedules, Followed};
use rhumb_logic::{Budget, Work};
use rhumb_program::Program;
use rhumb_search::{Means, decide_together};
use rhumb_truth::lower;
use rhumb_truth::threads::crowd::generate;
use rhumb_truth::threads::enumerate::enumerate_created;

const MOST_THREADS: usize = 4;
const MOST_STATES: usize = 5_000;

/// What a proof may take: some 100,000 steps, and what is left of it when no question can be asked any more.
const UNITS: u64 = 600_000;

fn lowered(source: String) -> Program {
    lower(&source).expect("it is valid")
}

/// Whether the proof for any number of threads comes to an end soon.
fn is_proved(program: &Program) -> bool {
    let mut crowd = AllSchedules::crowded(program);
    let budget = Budget::time(Duration::from_secs(60)).with_allowance(UNITS);
    matches!(crowd.go_on(&budget, Work::secs(60)), Followed::Complete(_))
}

/// Whether it is proved of each of the threads, among others that keep promises. Who reads the proof again is asked, too.
fn is_proved_alone(program: &Program) -> bool {
    let engine = rhumb_search::entry("alone").expect("an engine");
    let budget = Budget::time(Duration::from_secs(60)).within(Work::secs(3));
    let found = decide_together(program, engine, Means::default(), &budget, &mut ());
    matches!(found.verdict, Verdict::Safe(_))
}

/// Whether an assertion fails with some number of threads that is small enough to be enumerated; and whether one was.
fn fails(program: &rhumb_truth::threads::crowd::Crowd) -> Option<bool> {
    let mut known = None;
    for created in 1..=MOST_THREADS {
        match enumerate_created(&program.kinds, created, MOST_STATES) {
            Some(truth) if truth.fails => return Some(true),
            Some(_) => known = Some(false),
            None => break,
        }
    }
    known
}

/// A program that creates threads without an end, which run `f` or `g` with the address of `a` or of `b`.
fn endless(globals: &str, f: &str, g: &str) -> Program {
    lowered(format!(
        "#include <pthread.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
         extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n\
         {globals}\n\
         void *f(void *p) {{ {f} return 0; }}\n\
         void *g(void *p) {{ {g} return 0; }}\n\
         int main(void) {{ pthread_t t; while (1) {{ pthread_create(&t, 0, f, &a);\n\
           pthread_create(&t, 0, f, &b); pthread_create(&t, 0, g, 0); }} }}\n"
    ))
}

#[test]
fn threads_that_have_different_globals_are_not_alike() {
    // Some set a, some set b: neither stays as it was.
    for global in ["a", "b"] {
        let wrong = format!("assert({global} == 0);");
        let program = endless("int a, b;", "int *q = p; *q = 1;", &wrong);
        assert!(!is_proved(&program), "{global}");
    }
    let program = endless(
        "int a, b, c;",
        "int *q = p; *q = 1;",
        "assert(a < 2 && b < 2);",
    );
    assert!(is_proved(&program));
}

#[test]
fn objects_of_one_thread_are_not_those_of_another() {
    let set = "int own = 0, *q = &own;";
    let wrong = format!("{set} *q = a; a = 1; assert(own == 0);");
    assert!(!is_proved(&endless("int a, b;", &wrong, "")));
    // What each has from outside is its own.
    let own = "int own, *q = &own; *q = __VERIFIER_nondet_int() & 1; a = 1; b = *q;";
    assert!(!is_proved(&endless("int a, b;", own, "assert(b == 0);")));
    assert!(!is_proved(&endless(
        "int a, b;",
        own,
        "assert(b == 1 || a == 0);"
    )));
    assert!(is_proved(&endless("int a, b;", own, "assert(b < 2);")));
}

#[test]
fn states_that_allow_more_stand_for_others_only_where_they_are_the_same() {
    // The first thread that comes takes the place; the others must not be taken for it.
    let take = "int own = 0; __VERIFIER_atomic_begin(); if (a == 0) { a = 1; own = 1; } __VERIFIER_atomic_end();";
    let right = format!("{take} if (own) {{ b = 1; b = 0; b = 1; assert(b == 1); }}");
    assert!(is_proved(&endless("int a, b;", &right, "")));
    let wrong = format!("{take} if (own) {{ b = 1; a = 0; b = 2; assert(b == 2); }}");
    assert!(!is_proved(&endless("int a, b;", &wrong, "")));
}

#[test]
fn what_few_threads_do_wrong_is_not_proved_of_many() {
    // More of them where somebody asks for that.
    let asked = std::env::var("RHUMB_CROWDS").ok();
    let count: u64 = asked.and_then(|count| count.parse().ok()).unwrap_or(30);
    let (mut safe, mut failing, mut proved) = (0, 0, 0);
    let (mut asked_alone, mut alone) = (0, 0);
    for seed in 0..count {
        let program = generate(seed);
        let Some(fails) = fails(&program) else {
            continue;
        };
        let mut is_proved = false;
        for source in [program.source(), program.source_with_objects()] {
            is_proved = self::is_proved(&lowered(source.clone()));
            assert!(!(is_proved && fails), "seed {seed} is not safe:\n{source}");
        }
        // It takes longer, so not of all.
        let is_asked = seed % 3 == 0;
        let source = program.source();
        let is_proved_alone = is_asked && is_proved_alone(&lowered(source.clone()));
        assert!(!(is_proved_alone && fails), "seed {seed}, alone:\n{source}");
        asked_alone += u64::from(is_asked && !fails);
        alone += u64::from(is_proved_alone);
        safe += u64::from(!fails);
        failing += u64::from(fails);
        proved += u64::from(is_proved);
    }
    assert!(failing >= count / 10, "{failing} fail of {count}");
    assert!(8 * proved >= safe, "{proved} proved of {safe}");
    assert!(
        16 * alone >= asked_alone,
        "{alone} proved alone of {asked_alone}"
    );
}
