//! Proofs about all elements of arrays: programs that are right are proved, and no program that enumeration finds wrong is.

mod common;

use common::enumeration::{Draw, Tally, against_enumeration};
use common::{Answer, program, search};
use rhumb_logic::Work;
use rhumb_summary::Preset;

/// Programs that hold for arrays of any length, or of lengths that nobody goes through one by one.
const RIGHT: [(&str, &str); 18] = [
    (
        "fill",
        "int a[100000]; int main(void) { for (int i = 0; i < 100000; i++) a[i] = 5; \
          for (int i = 0; i < 100000; i++) if (a[i] != 5) reach_error(); }",
    ),
    (
        "fill from the end",
        "int a[100000]; int main(void) { for (int i = 99999; i >= 0; i--) a[i] = 5; \
          for (int i = 0; i < 100000; i++) if (a[i] != 5) reach_error(); }",
    ),
    (
        "copy",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 100000) return 0; int a[n], b[n]; \
          for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) b[i] = a[i]; \
          for (int i = 0; i < n; i++) if (a[i] != b[i]) reach_error(); }",
    ),
    (
        "values that depend on the index",
        "int a[5000]; int main(void) { for (int i = 0; i < 5000; i++) a[i] = 2 * i + 1; \
          for (int i = 0; i < 5000; i++) if (a[i] != 2 * i + 1) reach_error(); }",
    ),
    (
        "sums of two",
        "int a[3000], b[3000], c[3000]; int main(void) { for (int i = 0; i < 3000; i++) { a[i] = 1; b[i] = 2; } \
          for (int i = 0; i < 3000; i++) c[i] = a[i] + b[i]; for (int i = 0; i < 3000; i++) if (c[i] < 3) reach_error(); }",
    ),
    (
        "through pointers and functions",
        "void fill(int *p, int n, int v) { for (int i = 0; i < n; i++) p[i] = v; } int a[2000], b[2000]; \
          int main(void) { fill(a, 2000, 1); fill(b, 2000, 2); for (int i = 0; i < 2000; i++) if (a[i] >= b[i]) reach_error(); }",
    ),
    (
        "records",
        "struct s { int x; int y; }; struct s t[700]; int main(void) { for (int i = 0; i < 700; i++) { t[i].x = 3; t[i].y = 4; } \
          for (int i = 0; i < 700; i++) if (t[i].x + t[i].y != 7) reach_error(); }",
    ),
    (
        "rows and columns",
        "int m[300][200]; int main(void) { for (int i = 0; i < 300; i++) for (int j = 0; j < 200; j++) m[i][j] = 9; \
          for (int i = 0; i < 300; i++) for (int j = 0; j < 200; j++) if (m[i][j] != 9) reach_error(); }",
    ),
    (
        "least element",
        "int a[900]; int main(void) { for (int i = 0; i < 900; i++) a[i] = __VERIFIER_nondet_int(); int least = a[0]; \
          for (int i = 1; i < 900; i++) if (a[i] < least) least = a[i]; for (int i = 0; i < 900; i++) if (a[i] < least) reach_error(); }",
    ),
    (
        "one of two things",
        "int a[6000]; int main(void) { for (int i = 0; i < 6000; i++) { if (__VERIFIER_nondet_int()) a[i] = 7; else a[i] = 0; } \
          for (int i = 0; i < 6000; i++) if (a[i] < 5 && a[i] != 0) reach_error(); }",
    ),
    (
        "tiles of three",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 10000 || n % 3) return 0; int a[n]; \
          for (int i = 1; i <= n / 3; i++) for (int j = 3; j >= 1; j--) { if (j >= 2) a[i * 3 - j] = j; else a[i * 3 - j] = 0; } \
          for (int i = 0; i < n; i++) if (a[i] < 2 && a[i] != 0) reach_error(); }",
    ),
    (
        "even places, then odd ones",
        "int a[6000]; int main(void) { for (int i = 0; i < 3000; i++) a[2 * i] = 4; for (int i = 0; i < 3000; i++) a[2 * i + 1] = 5; \
          for (int i = 0; i < 6000; i++) if (a[i] < 4) reach_error(); }",
    ),
    (
        "no less than the index",
        "int a[8000]; int main(void) { for (int i = 0; i < 8000; i++) { if (i + 1 < 8000) a[i + 1] = i; a[i] = i + 1; } \
          for (int i = 0; i < 8000; i++) if (a[i] < i) reach_error(); }",
    ),
    (
        "in two steps",
        "int a[8000], b[8000]; int main(void) { for (int i = 0; i < 8000; i++) a[i] = 42; for (int i = 0; i < 8000; i++) b[i] = a[i]; \
          for (int i = 0; i < 8000; i++) b[i] = b[i] + i; for (int i = 0; i < 8000; i++) if (b[i] != 42 + i) reach_error(); }",
    ),
    (
        "backwards",
        "int a[7000], b[7000]; int main(void) { int n = __VERIFIER_nondet_int(); if (n < 2 || n > 7000) return 0; \
          for (int i = 0; i < n; i++) b[i] = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) a[i] = b[n - i - 1]; \
          for (int i = 0; i < n; i++) if (a[i] != b[n - i - 1]) reach_error(); }",
    ),
    (
        "all places but one",
        "int a[4000], b[4000], c[4000]; int main(void) { for (int i = 0; i < 4000; i++) a[i] = __VERIFIER_nondet_int(); \
          for (int i = 0; i < 4000; i++) if (i != 1234) b[i] = a[i]; \
          for (int i = 0; i < 4000; i++) { if (i == 1234) c[i] = a[i]; else c[i] = b[i]; } \
          for (int i = 0; i < 4000; i++) if (c[i] != a[i]) reach_error(); }",
    ),
    (
        "in steps of three, where another array says so",
        "int a[9000], b[9000]; int main(void) { for (int i = 1; i < 9000; i += 3) { a[i] = __VERIFIER_nondet_int(); if (a[i] == 3) b[i] = 4; } \
          for (int i = 1; i < 9000; i += 3) if (a[i] == 3 && b[i] != 4) reach_error(); }",
    ),
    (
        "some columns",
        "int m[200][300]; int main(void) { for (int i = 0; i < 200; i++) for (int j = 0; j < 120; j++) m[i][j] = 9; \
          for (int i = 0; i < 200; i++) for (int j = 0; j < 120; j++) if (m[i][j] != 9) reach_error(); }",
    ),
];

/// Programs like some of those above, each wrong in one place.
const WRONG: [(&str, &str); 3] = [
    (
        "all places but one",
        "int a[4000], b[4000], c[4000]; int main(void) { for (int i = 0; i < 4000; i++) a[i] = __VERIFIER_nondet_int(); \
          for (int i = 0; i < 4000; i++) if (i != 1234) b[i] = a[i]; \
          for (int i = 0; i < 4000; i++) { if (i == 1233) c[i] = a[i]; else c[i] = b[i]; } \
          for (int i = 0; i < 4000; i++) if (c[i] != a[i]) reach_error(); }",
    ),
    (
        "in steps of three, where another array says so",
        "int a[9000], b[9000]; int main(void) { for (int i = 0; i < 9000; i++) a[i] = 3; \
          for (int i = 1; i < 9000; i += 3) { a[i] = __VERIFIER_nondet_int(); if (a[i] == 3) b[i] = 4; } \
          for (int i = 2; i < 9000; i += 3) if (a[i] == 3 && b[i] != 4) reach_error(); }",
    ),
    (
        "some columns",
        "int m[200][300]; int main(void) { for (int i = 0; i < 200; i++) for (int j = 0; j < 120; j++) m[i][j] = 9; \
          for (int i = 0; i < 200; i++) for (int j = 0; j < 121; j++) if (m[i][j] != 9) reach_error(); }",
    ),
];

#[test]
fn programs_that_are_wrong_in_one_place_are_not_proved() {
    for (name, text) in WRONG {
        let found = search(&program(text), "elements", Preset::Full, 10);
        assert!(!matches!(found.answer, Answer::Safe(_)), "{name}\n{text}");
    }
}

#[test]
fn programs_that_are_right_are_proved() {
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
    /// A loop over an array, from either end, in steps, perhaps not all of it.
    fn header(&mut self) -> String {
        let first = self.below(3);
        let last = ["20", "20", "20", "19", "n", "n"][self.below(6) as usize];
        match self.below(4) {
            0 => format!("for (int i = {last} - 1; i >= {first}; i--)"),
            1 => format!("for (int i = {first}; i < {last}; i += 2)"),
            _ => format!("for (int i = {first}; i < {last}; i++)"),
        }
    }

    fn value(&mut self) -> String {
        match self.below(6) {
            0 => "i".to_owned(),
            1 => "a[i]".to_owned(),
            2 => "b[i]".to_owned(),
            3 => "b[19 - i]".to_owned(),
            _ => self.below(3).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let array = self.pick(&["a", "b"]);
        let op = self.pick(&["==", "<=", ">=", "!="]);
        let other = match self.below(4) {
            0 => self.pick(&["a[i]", "b[i]", "i"]).to_owned(),
            _ => self.below(3).to_string(),
        };
        format!("{array}[i] {op} {other}")
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "int a[20], b[20]; int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 20) return 0; \
              int j = __VERIFIER_nondet_int(); if (j < 0 || j > 19) return 0; ",
        );
        for _ in 0..1 + self.below(3) {
            let array = self.pick(&["a", "b"]);
            let step = match self.below(5) {
                0 => {
                    let value = self.below(3);
                    format!("{array}[j] = {value}; ")
                }
                1 => {
                    let head = self.header();
                    let (test, value) = (self.condition(), self.value());
                    format!("{head} if ({test}) {array}[i] = {value}; ")
                }
                _ => {
                    let head = self.header();
                    let value = self.value();
                    format!("{head} {array}[i] = {value}; ")
                }
            };
            text.push_str(&step);
        }
        let head = self.header();
        let test = self.condition();
        text.push_str(&format!("{head} if (!({test})) reach_error(); }}"));
        text
    }
}

#[test]
fn random_programs_are_not_proved_against_enumeration() {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let texts = std::iter::repeat_with(|| draw.program()).take(60);
    let Tally {
        right,
        proved,
        wrong,
    } = against_enumeration(texts, 20, Work::secs(2));
    assert!(wrong >= 10 && right >= 5, "{wrong} wrong, {right} right");
    assert!(2 * proved >= right, "{proved} of {right} are proved");
}
