//! Lazy annotation, procedure by procedure.

mod common;

use common::{Answer, Searched, program, search};
use rhumb_certify::proof::{Argument, Contract, Contracts, Proof};
use rhumb_logic::Symbol;
use rhumb_summary::Preset;
use rustc_hash::FxHashMap;

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

const DOWN: &str = "
    void down(int n) { if (n < 0) reach_error(); if (n > 0) down(n - 1); }
    int main(void) {
      int n = __VERIFIER_nondet_int();
      if (n >= 0) down(n);
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
        ("a goal inside", DOWN),
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

/// The one contract of a proof.
fn contract(found: &Searched) -> (&Proof, &Contracts, &Contract) {
    let Answer::Safe(proof) = &found.answer else {
        panic!("{:?}", found.answer);
    };
    let Argument::Contracts(contracts) = &proof.argument else {
        panic!("{proof:?}");
    };
    let mut functions = contracts.functions.values();
    let contract = functions.next().expect("a function that calls itself");
    assert!(functions.next().is_none());
    (proof, contracts, contract)
}

/// Whether formulas hold, all symbols being given.
fn hold(proof: &Proof, formulas: &[rhumb_logic::Term], values: &[(Symbol, i64)]) -> bool {
    let terms = &proof.terms;
    let values: FxHashMap<Symbol, _> = values
        .iter()
        .map(|&(symbol, value)| (symbol, terms.int(value)))
        .collect();
    let formula = terms.and(formulas.iter().copied());
    let value = terms.as_bool(terms.substitute(formula, &values));
    value.expect("a formula over the given symbols")
}

#[test]
fn the_summary_of_rec1_says_what_it_does_not_come_to() {
    let found = searched(REC1);
    let (proof, contracts, contract) = contract(&found);
    let before = *contracts.entry.keys().next().expect("the global");
    let after = *proof.variables.keys().next().expect("the global");
    let allows = |old, new| hold(proof, &contract.ensures, &[(before, old), (after, new)]);
    assert!(!allows(0, -1) && !allows(5, -1));
    assert!(allows(0, 1) && allows(0, 3) && allows(5, 6));
    // No goal is inside, so nothing is asked of who calls it.
    assert!(contract.requires.is_empty());
}

#[test]
fn who_calls_what_may_fail_has_to_see_to_it() {
    let found = searched(DOWN);
    let (proof, _, contract) = contract(&found);
    let given = *proof.variables.keys().next().expect("the parameter");
    let allows = |value| hold(proof, &contract.requires, &[(given, value)]);
    assert!(allows(0) && allows(7) && !allows(-1));
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
