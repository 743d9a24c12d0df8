//! Lazy annotation on the fragments of the paper's first figure, and on what it is for.

mod common;

use common::{Searched, program, search};
use rhumb_summary::Preset;

fn searched(text: &str, engine: &str) -> Searched {
    search(&program(text), engine, Preset::Full, 60)
}

const LOOP1: &str = "int main(void) {
    int x = __VERIFIER_nondet_int(), y = x, n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) x = x + 1;
    if (x < y) reach_error();
    return 0;
  }";

#[test]
fn fragments_of_the_paper_are_proved() {
    for (name, text) in [
        (
            "simple",
            "int main(void) {
               int x = 0;
               if (__VERIFIER_nondet_bool()) {
                 int y = __VERIFIER_nondet_int();
                 if (y < 0) return 0;
                 x = x + y;
               }
               if (x < 0) reach_error();
               return 0;
             }",
        ),
        (
            "diamond",
            "int main(void) {
               int p = __VERIFIER_nondet_int(), a, x = 0;
               if (!p) return 0;
               if (__VERIFIER_nondet_bool()) a = 1; else a = 0;
               if (a) x = x + 1; else x = x - 1;
               if (!p) reach_error();
               return x;
             }",
        ),
        ("loop1", LOOP1),
        (
            "call1",
            "int x;
             static void foo(void) { x = x + 1; }
             int main(void) {
               int y = __VERIFIER_nondet_int();
               x = y;
               foo();
               if (x < y) reach_error();
               return 0;
             }",
        ),
    ] {
        let found = searched(text, "lazy-annotation");
        assert_eq!(found.answer.word(), "SAFE", "{name}: {:?}", found.answer);
    }
}

#[test]
fn errors_are_reached() {
    for text in [
        "int main(void) {
           int x = __VERIFIER_nondet_int();
           if (x > 10) { x = x - 3; if (x == 4242) reach_error(); }
           return 0;
         }",
        // Several rounds have to be gone: more than the first search allows.
        "int main(void) {
           int n = __VERIFIER_nondet_int(), i = 0;
           while (i < n) i++;
           if (i == 5) reach_error();
           return 0;
         }",
    ] {
        for engine in ["lazy-annotation", "lazy-annotation-nolearn"] {
            let found = searched(text, engine);
            assert_eq!(
                found.answer.word(),
                "UNSAFE",
                "{engine}: {:?}",
                found.answer
            );
        }
    }
}

/// A row of diamonds that all depend on inputs, and a condition that none of them touches.
fn diamonds(count: usize) -> String {
    let mut text =
        "int main(void) { int p = __VERIFIER_nondet_int(), x = 0; if (!p) return 0;\n".to_owned();
    for _ in 0..count {
        text += "if (__VERIFIER_nondet_bool()) x = x + 1; else x = x - 1;\n";
    }
    // What the branches did is used, so they stay.
    text + "if (x == 1000) return 1; if (!p) reach_error(); return 0; }"
}

#[test]
fn a_row_of_diamonds_takes_linearly_many_backtracks() {
    let backtracks = |count| {
        let found = searched(&diamonds(count), "lazy-annotation");
        assert_eq!(found.answer.word(), "SAFE", "{:?}", found.answer);
        found.count("backtracks")
    };
    let [three, six, nine] = [3, 6, 9].map(backtracks);
    assert!(six > three && nine > six);
    assert!(nine - six <= 2 * (six - three), "{three} {six} {nine}");
}

#[test]
fn weakest_preconditions_do_for_diamonds_but_not_for_loops() {
    let [three, six] = [3, 6].map(|count| {
        let found = searched(&diamonds(count), "lazy-annotation-wp");
        assert_eq!(found.answer.word(), "SAFE", "{:?}", found.answer);
        found.count("backtracks")
    });
    assert!(six <= 3 * three, "{three} {six}");
    // They keep what no round changes beside what matters: `x >= y || i < n`, which is not inductive.
    let text = program(LOOP1);
    let found = search(&text, "lazy-annotation-wp", Preset::Full, 2);
    assert_eq!(found.answer.word(), "UNKNOWN", "{:?}", found.answer);
}

#[test]
fn nearer_goals_first_comes_to_the_same() {
    for text in [LOOP1, &diamonds(4)] {
        let found = searched(text, "lazy-annotation-near");
        assert_eq!(found.answer.word(), "SAFE", "{:?}", found.answer);
    }
}

#[test]
fn without_learning_all_paths_are_gone() {
    let backtracks =
        |count| searched(&diamonds(count), "lazy-annotation-nolearn").count("backtracks");
    let [three, six] = [3, 6].map(backtracks);
    assert!(six >= 6 * three, "{three} {six}");
}
