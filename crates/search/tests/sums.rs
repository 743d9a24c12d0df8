//! Sums over arrays: programs that add up the same elements twice are proved, and no program that enumeration finds wrong is.

mod common;

use common::enumeration::{Draw, Tally, against_enumeration};
use common::{Answer, program, search};
use rhumb_logic::Work;
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

impl Draw {
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

#[test]
fn random_sums_are_not_proved_against_enumeration() {
    let mut draw = Draw(0x2545_f491_4f6c_dd1d);
    let texts = std::iter::repeat_with(|| draw.program()).take(60);
    let Tally {
        right,
        proved,
        wrong,
    } = against_enumeration(texts, 3, Work::secs(2));
    assert!(wrong >= 10 && right >= 3, "{wrong} wrong, {right} right");
    assert!(proved >= 1, "none of {right} is proved");
}
