//! Programs on which a search of this kind goes wrong if it has one of the known defects.
//!
//! All of them have an error, which every defect hides in its own way: by a label that says less than the dead end that
//! it comes from, by a cover that rests on something that nobody looks at, or by a cover that should have been taken
//! back. Each engine has to find the error, or at least not to deny it.

mod common;

use common::{ENGINES, program, search};
use rhumb_summary::Preset;

struct Case {
    /// What a tool with the defect does.
    defect: &'static str,
    text: &'static str,
}

const CASES: [Case; 8] = [
    Case {
        defect: "the label of a dead end is the negated summary with the wrong quantifier: all too weak, so that the leaf covers others that are no dead ends",
        text: "
int main(void) {
  int k = 0;
  while (__VERIFIER_nondet_bool()) k = k + 1;
  int i = 0;
  while (i < k) i = i + 1;
  if (i == 3) reach_error();
  return 0;
}",
    },
    Case {
        defect: "the same, with a summary whose counter is not the number of iterations",
        text: "
int main(void) {
  int x = 10;
  while (__VERIFIER_nondet_bool()) x = x + 3;
  while (x > 6) x = x - 6;
  if (x == 1) reach_error();
  return 0;
}",
    },
    Case {
        defect: "a node is covered by one below a covered node: the part of the program where only the inner loop leads on is never looked at",
        text: "
int main(void) {
  int a = 0, b = 0, c = 0;
  while (__VERIFIER_nondet_bool()) {
    while (__VERIFIER_nondet_bool()) {
      if (a < 2) a = a + 1; else b = 1;
    }
    if (b == 1) c = c + 1;
  }
  if (c == 2) reach_error();
  return 0;
}",
    },
    Case {
        defect: "the same, with loops that take turns",
        text: "
int main(void) {
  int turn = 0;
  while (__VERIFIER_nondet_bool()) {
    if (turn % 2 == 0) turn = turn + 1;
    while (__VERIFIER_nondet_bool()) {
      if (turn % 2 == 1) turn = turn + 1;
    }
  }
  if (turn == 4) reach_error();
  return 0;
}",
    },
    Case {
        defect: "a dead end covers a node at the same place from where the error can be reached by another value",
        text: "
int main(void) {
  int x = __VERIFIER_nondet_int();
  int steps = 0;
  if (x < 0 || x > 100) return 0;
  while (__VERIFIER_nondet_bool()) { x = x - 1; steps = steps + 1; }
  while (x > 0) x = x - 2;
  if (x == -1 && steps == 2) reach_error();
  return 0;
}",
    },
    Case {
        defect: "a cover is kept although the label of the covering node has become stronger",
        text: "
int main(void) {
  int x = 0, y = 0;
  while (__VERIFIER_nondet_bool()) {
    if (x < 3) x = x + 1; else y = 1;
  }
  if (y == 1 && x == 3) reach_error();
  return 0;
}",
    },
    Case {
        defect: "a broken cover is remembered, and the node below it is taken for covered when it isn't",
        text: "
int main(void) {
  int p = 0, q = 0;
  while (__VERIFIER_nondet_bool()) {
    if (p == 0) p = 1; else if (q == 0) q = 1; else p = 2;
  }
  while (__VERIFIER_nondet_bool()) {
    if (q == 1) q = 2;
  }
  if (p == 2 && q == 2) reach_error();
  return 0;
}",
    },
    Case {
        defect: "gas or a bound on tests is taken for a bound on the program",
        text: "
int main(void) {
  unsigned n = 0;
  while (__VERIFIER_nondet_bool()) { if (n < 40) n = n + 1; }
  if (n == 40) reach_error();
  return 0;
}",
    },
];

/// How many of the errors each engine finds at least, in the time that it gets.
fn floor(preset: Preset) -> usize {
    match preset {
        Preset::Full => 6,
        Preset::Paper => 3,
    }
}

#[test]
fn no_error_is_denied() {
    for engine in ENGINES {
        for preset in [Preset::Full, Preset::Paper] {
            let mut found = 0;
            for Case { defect, text } in &CASES {
                let answer = search(&program(text), engine, preset, 4).answer;
                assert_ne!(answer.word(), "SAFE", "{engine}: {defect}");
                found += usize::from(answer.word() == "UNSAFE");
            }
            println!("{engine} {preset:?}: {found} of {}", CASES.len());
            assert!(found >= floor(preset), "{engine} {preset:?} found {found}");
        }
    }
}

/// The same programs with the error taken away: they are not hard.
#[test]
fn without_the_error_they_are_safe() {
    let safe = [
        (CASES[1].text.replace("x == 1)", "x == 7)"), "gps"),
        (CASES[2].text.replace("c == 2", "c == -1"), "gps"),
        (CASES[5].text.replace("x == 3)", "x == 4)"), "gps"),
        (CASES[5].text.replace("x == 3)", "x == 4)"), "impact"),
        (CASES[6].text.replace("q == 2)", "q == 3)"), "impact"),
        (CASES[7].text.replace("n == 40", "n == 41"), "gps"),
    ];
    for (text, engine) in safe {
        let answer = search(&program(&text), engine, Preset::Full, 10).answer;
        assert_eq!(answer.word(), "SAFE", "{engine}\n{text}");
    }
}
