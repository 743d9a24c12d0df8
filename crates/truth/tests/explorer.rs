//! Exploration against programs whose answer is plain, and against the interpreter.

#![allow(missing_docs, clippy::print_stdout)]

use rhumb_difftest::rng::Rng;
use rhumb_program::interp::{InputSource, Machine, Outcome, RunLimits};
use rhumb_program::{InputSiteId, Type};
use rhumb_truth::campaign::confirm;
use rhumb_truth::explore::{ExploreLimits, Failure, explore};
use rhumb_truth::generate::sample;
use rhumb_truth::lower;

const DECLARATIONS: &str = "extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
";

#[track_caller]
fn is_safe(body: &str) -> bool {
    let program = lower(&format!("{DECLARATIONS}{body}")).unwrap();
    let explored = explore(&program, &[], ExploreLimits::default()).unwrap();
    confirm(&program, &explored).unwrap();
    explored.is_safe()
}

#[test]
fn inputs_fall_into_parts_where_they_are_compared() {
    // Exact at the ends of the type, with very few states.
    let body = |test: &str| {
        format!(
            "int main(void) {{ int x = __VERIFIER_nondet_int(); if ({test}) reach_error(); return 0; }}"
        )
    };
    assert!(!is_safe(&body("x == 2147483647")));
    assert!(!is_safe(&body("x == -2147483647 - 1")));
    assert!(!is_safe(&body("x > 2147483646 && x >= 5")));
    assert!(is_safe(&body("x > 10 && x < 11")));
    assert!(!is_safe(&body("x > 10 && x < 12 && x * x == 121")));
    assert!(is_safe(&body(
        "10 >= x && 8 <= x && x != 8 && x != 9 && 10 != x"
    )));
}

#[test]
fn an_input_is_the_same_wherever_it_is_looked_at() {
    let body = "int main(void) { unsigned char a = __VERIFIER_nondet_uchar(); unsigned char b = a; int c = a;
        if (a != b || c - b != 0) reach_error(); return 0; }";
    assert!(is_safe(body));
    let body = "unsigned char g; static void set(void) { g = __VERIFIER_nondet_uchar(); if (g > 9) g = 9; }
        int main(void) { set(); unsigned char a = g; set(); if (a == 9 && g == 3) reach_error(); return 0; }";
    assert!(!is_safe(body));
}

#[test]
fn calls_keep_their_locals() {
    let body = "static int f(int n) { int kept = n * 3; if (n > 0) { int below = f(n - 1); return kept - below; } return kept; }
        int main(void) { if (f(4) != 12 - (9 - (6 - (3 - 0)))) reach_error(); return 0; }";
    assert!(is_safe(body));
    let body = "static int f(int n) { return n > 0 ? f(n - 1) + 1 : 0; } int main(void) { if (f(9) == 9) reach_error(); return 0; }";
    assert!(!is_safe(body));
}

#[test]
fn undefined_behaviour_ends_a_run() {
    let body =
        "int main(void) { int x = 2147483640; while (1) { x += 1; if (x < 0) reach_error(); } }";
    assert!(is_safe(body));
    let body =
        "int main(void) { unsigned char x = 0; while (1) { x += 7; if (x == 1) reach_error(); } }";
    assert!(!is_safe(body));
}

#[test]
fn what_is_too_large_is_refused() {
    let refused = |body: &str| {
        let program = lower(&format!("{DECLARATIONS}{body}")).unwrap();
        explore(&program, &[], ExploreLimits::default()).err()
    };
    let body = "int main(void) { unsigned x = 0; while (1) { x += 1; if (x == 77777777) reach_error(); } }";
    assert_eq!(refused(body), Some(Failure::TooLarge));
    let body = "int main(void) { int x = __VERIFIER_nondet_int(); if (x + 1 == 7) reach_error(); return 0; }";
    assert_eq!(refused(body), Some(Failure::TooLarge));
    let body =
        "int main(void) { int x = 1; int *p = &x; *p = 2; if (x == 2) reach_error(); return 0; }";
    assert!(matches!(refused(body), Some(Failure::NotHere(_))));
}

/// Small numbers, often the last one again.
struct Small(Rng);

impl InputSource for Small {
    fn value(&mut self, _: InputSiteId, _: u64, _: Type) -> u128 {
        self.0.between(-4, 12) as u128
    }

    fn bytes(&mut self, _: InputSiteId, _: u64, _: &mut [u8]) {}
}

/// What is explored can be done, and what is done was explored.
#[test]
fn the_interpreter_agrees() {
    let (mut reached, mut ended, mut programs) = (0, 0, 0);
    for seed in 0..200 {
        let sample = match sample(seed, ExploreLimits::default()) {
            Ok(sample) => sample,
            Err(Failure::TooLarge) => continue,
            Err(Failure::NotHere(what)) => panic!("seed {seed}: {what}"),
        };
        programs += 1;
        let program = lower(&sample.text).unwrap();
        if let Err(why) = confirm(&program, &sample.truth) {
            panic!("seed {seed}: {why}\n{}", sample.text);
        }
        let machine = Machine::compile(&program);
        let limits = RunLimits {
            steps: 2_000,
            ..RunLimits::default()
        };
        for run in 0..40 {
            let run = machine.run(&mut Small(Rng::new(seed ^ (run << 32))), &limits);
            match run.outcome {
                Outcome::Target(target) => {
                    let known = sample.truth.reached.contains_key(&target);
                    assert!(known, "seed {seed}: {target:?}\n{}", sample.text);
                    reached += 1;
                }
                _ => ended += 1,
            }
        }
    }
    println!("{programs} programs, {reached} runs reached a target, {ended} didn't");
    assert!(programs >= 120 && reached >= 200, "{programs} {reached}");
}
