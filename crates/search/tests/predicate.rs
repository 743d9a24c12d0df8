//! Predicate abstraction: what it decides, by what, and that no setting says anything wrong.

mod common;

use common::{program, search};
use rhumb_summary::Preset;

/// The settings.
const ENGINES: [&str; 3] = ["predicate", "predicate-cartesian", "predicate-fine"];

/// Programs with their answers.
const PROGRAMS: [(&str, &str); 7] = [
    // A lock that is only given back where it was taken.
    (
        "SAFE",
        "int main(void) {
           int locked = 0;
           while (__VERIFIER_nondet_bool()) {
             int wanted = __VERIFIER_nondet_int();
             if (wanted) { if (locked) reach_error(); locked = 1; }
             if (wanted) { if (!locked) reach_error(); locked = 0; }
           }
           return 0;
         }",
    ),
    // A machine with states that follow each other, and one that is never come to.
    (
        "SAFE",
        "int main(void) {
           int state = 10, blown = 0;
           while (1) {
             int c = __VERIFIER_nondet_int();
             if (state == 10) { state = c ? 20 : 30; }
             else if (state == 20) { if (c == 7) state = 30; }
             else if (state == 30) { if (blown) reach_error(); state = 10; }
             else { blown = 1; }
           }
         }",
    ),
    // Two flags of which at most one is up: neither is known alone.
    (
        "SAFE",
        "int main(void) {
           int a = 0, b = 0;
           while (__VERIFIER_nondet_bool()) {
             if (__VERIFIER_nondet_bool()) { a = 1; b = 0; } else { a = 0; b = 1; }
             if (a && b) reach_error();
           }
           if (a && b) reach_error();
           return 0;
         }",
    ),
    // What a first loop leaves behind matters after a second one.
    (
        "SAFE",
        "int main(void) {
           int mode = __VERIFIER_nondet_int(), seen = 0;
           if (mode != 1 && mode != 2) return 0;
           while (__VERIFIER_nondet_bool()) if (mode == 1) seen = 1;
           while (__VERIFIER_nondet_bool()) if (mode == 2 && seen) reach_error();
           return 0;
         }",
    ),
    (
        "UNSAFE",
        "int main(void) {
           int n = 0;
           while (__VERIFIER_nondet_bool()) { if (__VERIFIER_nondet_int() == 4711) n++; }
           if (n == 3) reach_error();
           return 0;
         }",
    ),
    // The error is one round too late for the first states.
    (
        "UNSAFE",
        "int main(void) {
           int state = 0;
           while (1) {
             int c = __VERIFIER_nondet_int();
             if (state == 0 && c == 'a') state = 1;
             else if (state == 1 && c == 'b') state = 2;
             else if (state == 2 && c == 'c') reach_error();
           }
         }",
    ),
    (
        "UNSAFE",
        "int step(int x) { return x > 3 ? x - 1 : x + 2; }
         int main(void) {
           int x = __VERIFIER_nondet_int(), y = step(x);
           if (x == 9 && step(y) == 7) reach_error();
           return 0;
         }",
    ),
];

#[test]
fn every_setting_decides_real_programs() {
    for engine in ENGINES {
        let mut refinements = 0;
        for preset in [Preset::Full, Preset::Paper] {
            for (expected, text) in PROGRAMS {
                let found = search(&program(text), engine, preset, 30);
                let told = found.answer.word();
                assert_eq!(told, expected, "{engine} {preset:?}: {text}");
                refinements += found.count("refinements");
            }
        }
        assert!(refinements > 0, "{engine} had nothing to refine");
    }
}

/// What no predicate that paths ask for can say: a sum that grows and grows. Nothing wrong is said of it.
#[test]
fn it_says_when_it_does_not_know() {
    let apart = "int main(void) {
       int n = __VERIFIER_nondet_int(), x = 0, y = 0;
       if (n < 0 || n > 1000000) return 0;
       while (x < n) { x++; y += 2; }
       if (y != 2 * n) reach_error();
       return 0;
     }";
    for engine in ENGINES {
        let found = search(&program(apart), engine, Preset::Full, 2);
        assert_ne!(found.answer.word(), "UNSAFE", "{engine}");
    }
}

/// Only what lies below the first node that lacks a predicate is built anew: of many states before it, none is computed twice.
#[test]
fn what_a_refinement_does_not_concern_is_kept() {
    let chain: String = (0..6)
        .map(|_| "while (__VERIFIER_nondet_bool()) x++;".to_owned())
        .collect();
    let text = format!(
        "int main(void) {{
           unsigned x = 0; int late = 0, mode = __VERIFIER_nondet_int();
           {chain}
           while (__VERIFIER_nondet_bool()) {{ if (mode == 1 && late) reach_error(); if (mode == 2) late = 1; }}
           if (x == 3) late = 0;
           return 0;
         }}"
    );
    let found = search(&program(&text), "predicate", Preset::Full, 20);
    assert_eq!(found.answer.word(), "SAFE");
    // Each of the loops is looked at a few times, whatever the refinements behind them ask for.
    let states = found.count("abstractions");
    assert!(states < 60, "{states} abstract states");
}
