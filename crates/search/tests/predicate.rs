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

/// InterpChecker's settings.
const INTERP: [&str; 6] = [
    "interp-r",
    "interp-rs",
    "interp-re",
    "interp-rse",
    "interp-rsw",
    "interp-rsew",
];

#[test]
fn every_setting_of_interp_decides_real_programs() {
    for engine in INTERP {
        for (expected, text) in PROGRAMS {
            let found = search(&program(text), engine, Preset::Full, 30);
            assert_eq!(found.answer.word(), expected, "{engine}: {text}");
        }
    }
}

/// The last place that a path gets to is not safe by the one edge that the path fails at: as published, the first path
/// makes the comparison of `y` a full place with `y <= 5`, which the second path implies; but that one goes on by the
/// other edge, to the error.
#[test]
fn a_place_is_full_by_all_of_its_edges() {
    let missed = "int main(void) {
       int x = __VERIFIER_nondet_int(), y;
       if (x > 0) { y = 1; } else { y = x; }
       if (y > 5) { reach_error(); }
       else if (y == -7) { reach_error(); }
       return 0;
     }";
    // The same without the error: then safety facts are right.
    let whole = missed.replace("y == -7", "y == 3");
    for engine in INTERP {
        let found = search(&program(missed), engine, Preset::Full, 20);
        assert_eq!(found.answer.word(), "UNSAFE", "{engine}");
        let found = search(&program(&whole), engine, Preset::Full, 20);
        assert_eq!(found.answer.word(), "SAFE", "{engine}");
    }
}

/// An interpolant between the end of a path and its beginning is more than what leads to the error: as published, the
/// first path leaves `x > 1` or `x > 3` behind, and the second, with `x = 5`, would be called an error.
#[test]
fn an_error_is_reached_from_all_states_of_a_fact() {
    let text = |second: u32| {
        format!(
            "int main(void) {{
               int x;
               if (__VERIFIER_nondet_bool()) {{ x = 1; }} else {{ x = {second}; }}
               while (__VERIFIER_nondet_bool()) {{ if (x > 3 && x % 2 == 0) reach_error(); }}
               return 0;
             }}"
        )
    };
    for engine in INTERP {
        let found = search(&program(&text(5)), engine, Preset::Full, 20);
        assert_eq!(found.answer.word(), "SAFE", "{engine}");
        let found = search(&program(&text(6)), engine, Preset::Full, 20);
        assert_eq!(found.answer.word(), "UNSAFE", "{engine}");
    }
}

/// A program after the description of the paper's example: some ways to one comparison, on which a number grows by a
/// little or by more, and only the last of them by enough.
const GROWS: &str = "int main(void) {
   int s = 1, a = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
   if (a != 1) { if (i <= 1) { s = s + 2; } else { s = s + 1; } }
   else { if (i > 1) { s = s + 1; } else { s = s + 3; } }
   if (k) { a = 0; } else { a = 2; }
   if (s > 3) { if (a < 3) reach_error(); }
   return 0;
 }";

#[test]
fn facts_spare_states() {
    let states = |engine: &str| {
        let found = search(&program(GROWS), engine, Preset::Paper, 20);
        assert_eq!(found.answer.word(), "UNSAFE", "{engine}");
        found.count("tree")
    };
    let plain = states("interp-r");
    for engine in &INTERP[1..] {
        let fewer = states(engine);
        assert!(fewer <= plain, "{engine}: {fewer} states, not {plain}");
    }
}

/// Ways multiply with every branch; what is counted along them must not.
#[test]
fn many_branches_have_weights() {
    let branches: String = (0..80)
        .map(|place| format!("if (__VERIFIER_nondet_int() == {place}) x = {place}; else x = -1;"))
        .collect();
    let text =
        format!("int main(void) {{ int x = 0; {branches} if (x == 80) reach_error(); return 0; }}");
    for engine in &INTERP[1..] {
        let found = search(&program(&text), engine, Preset::Paper, 5);
        assert_ne!(found.answer.word(), "UNSAFE", "{engine}");
    }
}
