//! Runs with random inputs: they find what formulas can't follow.

mod common;

use common::{Answer, program, search};
use rhumb_summary::Preset;

/// An array that is too large for formulas to know its contents.
#[test]
fn errors_behind_memory_are_found() {
    let program = program(
        "
int main(void) {
  int cells[40] = {3, 5, 4, 9};
  int at = __VERIFIER_nondet_int();
  if (at < 0 || at > 3) return 0;
  if (cells[at] == 4) reach_error();
  return 0;
}",
    );
    let found = search(&program, "gps", Preset::Full, 10);
    assert!(matches!(found.answer, Answer::Unsafe(_)));
    // Not by what the paper's prototype has, and not by an engine that runs no tests.
    for (engine, preset) in [("gps", Preset::Paper), ("impact", Preset::Full)] {
        assert_eq!(
            search(&program, engine, preset, 10).answer.word(),
            "UNKNOWN"
        );
    }
}

/// What rounding does to a sum of three, for some of the numbers in a range.
#[test]
fn numbers_with_digits_are_tried() {
    let text = |sum: &str| {
        format!(
            "
extern double __VERIFIER_nondet_double(void);
int main(void) {{
  double a = __VERIFIER_nondet_double();
  if (!(a >= 30 && a <= 35)) return 0;
  if ({sum} != a) reach_error();
  return 0;
}}"
        )
    };
    let answer = |sum: &str| search(&program(&text(sum)), "gps", Preset::Full, 10).answer;
    assert!(matches!(answer("a * 3 - a * 2"), Answer::Unsafe(_)));
    // Exact, whatever the digits are.
    assert!(!matches!(answer("a * 2 - a"), Answer::Unsafe(_)));
}
