//! Lazy annotation, procedure by procedure.

mod common;

use common::{Searched, program, search};
use rhumb_summary::Preset;

fn searched(text: &str) -> Searched {
    search(&program(text), "lazy-annotation", Preset::Full, 60)
}

const REC1: &str = "
    int x;
    void rec1(void) {
      if (__VERIFIER_nondet_bool()) { rec1(); rec1(); }
      if (x < 1000000) x = x + 1;
    }
    int main(void) {
      x = 0;
      rec1();
      if (x < 0) reach_error();
      return 0;
    }";

const SUM: &str = "
    int count(int n) { if (n <= 0) return 0; return count(n - 1) + 1; }
    int main(void) {
      int a = __VERIFIER_nondet_int();
      if (a < 0 || a > 1000) return 0;
      if (count(a) < 0) reach_error();
      return 0;
    }";

#[test]
fn functions_that_call_themselves_are_proved_by_contracts() {
    let mut open = Vec::new();
    for (name, text) in [
        ("rec1", REC1),
        ("count", SUM),
        (
            "two that call each other",
            "int odd(int n);
             int even(int n) { if (n == 0) return 1; return odd(n - 1); }
             int odd(int n) { if (n == 0) return 0; return even(n - 1); }
             int main(void) {
               int n = __VERIFIER_nondet_int();
               if (n < 0) return 0;
               int e = even(n);
               if (e < 0 || e > 1) reach_error();
               return 0;
             }",
        ),
        (
            "a goal inside",
            "void down(int n) { if (n < 0) reach_error(); if (n > 0) down(n - 1); }
             int main(void) {
               int n = __VERIFIER_nondet_int();
               if (n >= 0) down(n);
               return 0;
             }",
        ),
        (
            "a loop inside",
            "int g;
             void f(int n) {
               int i = 0;
               while (i < n) { if (g < 1000) g = g + 1; i = i + 1; }
               if (n > 0) f(n - 1);
             }
             int main(void) {
               int n = __VERIFIER_nondet_int();
               if (n < 100) f(n);
               if (g < 0) reach_error();
               return 0;
             }",
        ),
    ] {
        let found = searched(text);
        if found.answer.word() != "SAFE" || found.count("calls.entered") == 0 {
            open.push(format!("{name}: {:?}", found.answer));
        }
    }
    assert!(open.is_empty(), "{open:#?}");
}

#[test]
fn errors_behind_and_inside_of_calls_are_reached() {
    for (name, text) in [
        (
            "behind",
            "int count(int n) { if (n <= 0) return 0; return count(n - 1) + 2; }
             int main(void) {
               int a = __VERIFIER_nondet_int();
               if (count(a) == 6) reach_error();
               return 0;
             }",
        ),
        (
            "inside, with an input on each level",
            "void f(int n) {
               int x = __VERIFIER_nondet_int();
               if (n == 0 && x == 77) reach_error();
               if (n > 0 && x == n + 5) f(n - 1);
             }
             int main(void) { f(3); return 0; }",
        ),
        (
            "after a return, in the second of two calls",
            "int g;
             void f(int n) { if (n > 0) { g = g + n; f(n - 1); } }
             int main(void) {
               f(2);
               int n = __VERIFIER_nondet_int();
               f(n);
               if (g == 9) reach_error();
               return 0;
             }",
        ),
    ] {
        let found = searched(text);
        assert_eq!(found.answer.word(), "UNSAFE", "{name}: {:?}", found.answer);
    }
}

/// Many calls of one function, each with its own value.
fn calls(count: usize) -> String {
    let mut text = "int g;
        void f(int n) { if (n > 0) { if (g < 1000) g = g + 1; f(n - 1); } }
        int main(void) {\n"
        .to_owned();
    for _ in 0..count {
        text += "f(__VERIFIER_nondet_int());\n";
    }
    text + "if (g < 0) reach_error(); return 0; }"
}

#[test]
fn what_is_learned_of_a_function_is_used_at_other_calls() {
    let entered = |count| {
        let found = searched(&calls(count));
        assert_eq!(found.answer.word(), "SAFE", "{:?}", found.answer);
        (found.count("calls.entered"), found.count("calls.reused"))
    };
    let (two, four) = (entered(2), entered(4));
    // Each call is entered for the way through it; whether it can fail inside is known from the first one.
    assert!(four.0 <= two.0 + 2, "{two:?} {four:?}");
    assert!(four.1 >= two.1 + 2, "{two:?} {four:?}");
}
