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
