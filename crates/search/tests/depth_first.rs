//! The engine that is the example for others: small, and a real one.

mod common;

use common::{program, search};
use rhumb_summary::Preset;

/// Programs with the answers that dead ends and covers alone come to.
const PROGRAMS: [(&str, &str); 6] = [
    // A lock that is taken and given back in turns, for as long as anybody likes.
    (
        "SAFE",
        "int main(void) {
           int locked = 0;
           while (__VERIFIER_nondet_bool()) {
             if (locked) { locked = 0; } else { locked = 1; }
             if (locked < 0 || locked > 1) reach_error();
           }
           return 0;
         }",
    ),
    // Two loops, one in the other, that never let go of what the first branch has found.
    (
        "SAFE",
        "int main(void) {
           int mode = __VERIFIER_nondet_int(), seen = 0;
           if (mode != 1 && mode != 2) return 0;
           while (__VERIFIER_nondet_bool()) {
             while (__VERIFIER_nondet_bool()) if (mode == 1) seen = 1;
             if (mode == 2 && seen) reach_error();
           }
           return 0;
         }",
    ),
    (
        "SAFE",
        "int main(void) {
           int x = __VERIFIER_nondet_int(), y = 0;
           if (x < 0 || x > 3) return 0;
           while (x > 0) { x--; y++; }
           if (y > 3) reach_error();
           return 0;
         }",
    ),
    // Five times round before anything happens.
    (
        "UNSAFE",
        "int main(void) {
           int n = 0;
           while (__VERIFIER_nondet_bool()) { if (__VERIFIER_nondet_int() == 4711) n++; }
           if (n == 5) reach_error();
           return 0;
         }",
    ),
    (
        "UNSAFE",
        "int main(void) {
           unsigned u = __VERIFIER_nondet_uint();
           if (u + 10 < u && u % 4 == 3) reach_error();
           return 0;
         }",
    ),
    // One of two targets, behind a state machine.
    (
        "UNSAFE",
        "int main(void) {
           int state = 0;
           while (1) {
             int c = __VERIFIER_nondet_int();
             if (state == 0 && c == 'a') state = 1;
             else if (state == 1 && c == 'b') state = 2;
             else if (state == 2 && c == 'c') reach_error();
             if (state > 2) reach_error();
           }
         }",
    ),
];

#[test]
fn the_example_engine_decides_real_programs() {
    for preset in [Preset::Full, Preset::Paper] {
        for (expected, text) in PROGRAMS {
            let found = search(&program(text), "impact-dfs", preset, 20);
            assert_eq!(found.answer.word(), expected, "{preset:?}: {text}");
            assert!(found.count("tree") > 1, "by a tree: {text}");
        }
    }
}

/// What needs a relation between counters takes more than paths: nothing wrong is said, and errors close by are found all the same.
#[test]
fn it_says_when_it_does_not_know() {
    let gap = "int main(void) {
           int a = 0, b = 0;
           while (__VERIFIER_nondet_bool()) { a += 2; b += 3; }
           if (3 * a != 2 * b + OFFSET) reach_error();
           return 0;
         }";
    let word = |offset: &str| {
        let program = program(&gap.replace("OFFSET", offset));
        search(&program, "impact-dfs", Preset::Full, 2)
            .answer
            .word()
    };
    assert_ne!(word("0"), "UNSAFE");
    assert_eq!(word("1"), "UNSAFE");
}
