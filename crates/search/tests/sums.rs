//! Sums over arrays: programs that add up the same elements twice are proved, and no program that enumeration finds wrong is.

mod common;

use std::time::Duration;

use common::{Answer, program, search};
use rhumb_certify::Verdict;
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_search::{decide, entry};
use rhumb_summary::Preset;

/// Programs that hold for arrays of any length and any contents.
const RIGHT: [(&str, &str); 5] = [
    (
        "there and back",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 10000) return 0; int a[n]; long s = 0; \
          for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int(); \
          for (int i = 0; i < n; i++) s += a[i]; for (int i = n - 1; i >= 0; i--) s -= a[i]; if (s != 0) reach_error(); }",
    ),
    (
        "a function that is called twice",
        "int n; long sum(int *p) { long s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; } \
          int main(void) { n = __VERIFIER_nondet_int(); if (n < 1 || n > 10000) return 0; int a[n]; \
          for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int(); long x = sum(a), y = sum(a); if (x != y) reach_error(); }",
    ),
    (
        "by index and by pointer",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 10000) return 0; int a[n]; long s = 0; \
          for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int(); \
          for (int *p = a; p < a + n; p++) s += *p; for (int i = 0; i < n; i++) s -= a[i]; if (s != 0) reach_error(); }",
    ),
    (
        "an object of known size",
        "short a[5000]; int main(void) { int s = 0; for (int i = 0; i < 5000; i++) a[i] = __VERIFIER_nondet_int(); \
          for (int i = 0; i < 5000; i++) s += a[i]; for (int i = 0; i < 5000; i++) s -= a[i]; if (s != 0) reach_error(); }",
    ),
    (
        "four loops",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 10000) return 0; int a[n]; long s = 0; \
          for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) s += a[i]; \
          for (int i = 0; i < n; i++) s += a[i]; for (int i = 0; i < n; i++) s -= a[i]; for (int i = 0; i < n; i++) s -= a[i]; \
          if (s != 0) reach_error(); }",
    ),
];

#[test]
fn the_same_elements_have_the_same_sum() {
    for (name, text) in RIGHT {
        let found = search(&program(text), "elements", Preset::Full, 300);
        assert!(
            matches!(found.answer, Answer::Safe(_)),
            "{name}: {:?}\n{text}",
            found.answer.word()
        );
    }
}

/// A small generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    /// A loop over an array, from either end, mostly all of it.
    fn header(&mut self) -> &'static str {
        [
            "for (int i = 0; i < 20; i++)",
            "for (int i = 0; i < 20; i++)",
            "for (int i = 19; i >= 0; i--)",
            "for (int i = 0; i < 20; i += 2)",
            "for (int i = 1; i < 20; i++)",
            "for (int i = 0; i <= n; i++)",
        ][self.below(6) as usize]
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "int a[20], b[20]; int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0; \
              int j = __VERIFIER_nondet_int(); if (j < 0 || j > 19) return 0; long s = 0; \
              for (int i = 0; i < 20; i++) { a[i] = i * j - n; b[i] = a[i]; } ",
        );
        for sign in ["+", "-"] {
            let head = self.header();
            let array = self.pick(&["a", "a", "a", "b"]);
            let more = self.pick(&[
                "",
                "",
                "",
                "",
                " a[j] = 2;",
                " b[n] = 0;",
                " if (i == j) i++;",
            ]);
            text.push_str(&format!("{head} {{ s {sign}= {array}[i];{more} }} "));
            text.push_str(self.pick(&["", "", "", "a[j] += n; ", "b[j]++; ", "s++; "]));
        }
        text.push_str("if (s != 0) reach_error(); }");
        text
    }
}

/// Whether a run reaches the error, by running all of them.
fn fails(text: &str) -> bool {
    let program = program(text);
    let machine = Machine::compile(&program);
    let sites: Vec<_> = program.inputs.indices().collect();
    (0..=3).any(|n| {
        (0..20).any(|j| {
            let mut inputs = KeyedInputs::new();
            for (&site, value) in sites.iter().zip([n, j]) {
                inputs.push_value(site, value, 1);
            }
            let run = machine.run(&mut inputs, &RunLimits::default());
            matches!(run.outcome, Outcome::Target { .. })
        })
    })
}

#[test]
fn random_sums_are_not_proved_against_enumeration() {
    let mut draw = Draw(0x2545_f491_4f6c_dd1d);
    let (mut right, mut proved, mut wrong) = (0, 0, 0);
    for _ in 0..60 {
        let text = draw.program();
        let is_wrong = fails(&text);
        let budget = Budget::time(Duration::from_secs(3600)).within(Work::secs(2));
        let engine = entry("elements").expect("an engine");
        let decision = decide(&program(&text), engine, Preset::Full, &budget, &mut ());
        match decision.verdict {
            Verdict::Safe(_) => assert!(!is_wrong, "proved, and wrong\n{text}"),
            Verdict::Unsafe(_) => assert!(is_wrong, "refuted, and right\n{text}"),
            Verdict::Unknown(_) => {}
        }
        let is_proved = matches!(decision.verdict, Verdict::Safe(_));
        wrong += u32::from(is_wrong);
        right += u32::from(!is_wrong);
        proved += u32::from(is_proved);
    }
    assert!(wrong >= 10 && right >= 3, "{wrong} wrong, {right} right");
    assert!(proved >= 1, "none of {right} is proved");
}
