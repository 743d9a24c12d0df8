//! Runs with random inputs: they find what formulas can't follow.

mod common;

use std::time::Duration;

use common::{Answer, program, search};
use rhumb_certify::Verdict;
use rhumb_logic::Budget;
use rhumb_search::{Observer, Outcome, decide, entry};
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

/// Counts searches.
#[derive(Default)]
struct Searches(usize);

impl Observer for Searches {
    fn phase(&mut self, name: &'static str) {
        self.0 += usize::from(name == "search");
    }
}

/// Many errors that are easily found are found together: the first by a search, the others by random inputs that are
/// tried once, and what is left by another search. Each has a run of its own that was replayed; what no run reaches is
/// proved all the same.
#[test]
fn many_errors_are_one_search() {
    let cases: Vec<String> = (0..12)
        .map(|case| format!("    case {case}: reach_error(); break;"))
        .collect();
    let program = program(&format!(
        "
int main(void) {{
  unsigned x = __VERIFIER_nondet_uint();
  switch (x % 12) {{
{}
    case 12: reach_error(); break;
  }}
  return 0;
}}",
        cases.join("\n")
    ));
    let mut searches = Searches::default();
    let engine = entry("gps").expect("an engine");
    let budget = Budget::time(Duration::from_secs(20));
    let decision = decide(&program, engine, Preset::Full, &budget, &mut searches);
    let reached = |outcome: &&Outcome| **outcome == Outcome::Unsafe;
    assert_eq!(decision.targets.iter().filter(reached).count(), 12);
    assert_eq!(decision.errors.len(), 12);
    let is_error = |verdict: &Verdict| matches!(verdict, Verdict::Unsafe(_));
    assert!(decision.errors.iter().all(is_error));
    let safe = decision
        .targets
        .iter()
        .filter(|outcome| **outcome == Outcome::Safe);
    assert_eq!(safe.count(), 1);
    assert!(searches.0 <= 4, "{} searches", searches.0);
}

/// An element far behind that most contents make wrong: zeros are not among those.
#[test]
fn all_inputs_of_long_runs_are_tried() {
    let text = |bad: &str| {
        format!(
            "int a[30000]; int main(void) {{ for (int i = 0; i < 30000; i++) {{ int q = __VERIFIER_nondet_int(); \
              a[i] = q > 0 ? 1 : 0; }} for (int i = 0; i < 30000; i++) if (i > 20000 && a[i] == {bad}) reach_error(); }}"
        )
    };
    let answer = |bad: &str| search(&program(&text(bad)), "gps", Preset::Full, 20).answer;
    assert!(matches!(answer("1"), Answer::Unsafe(_)));
    assert!(!matches!(answer("2"), Answer::Unsafe(_)));
}
