//! Contracts and invariants from Horn clauses.

mod common;

use common::{Answer, program, search};
use rhumb_certify::proof::Argument;
use rhumb_summary::Preset;

fn answer(text: &str) -> Answer {
    search(&program(text), "horn", Preset::Full, 20).answer
}

/// Whether it is a proof, and one by contracts.
fn by_contracts(text: &str) -> bool {
    match answer(text) {
        Answer::Safe(proof) => matches!(proof.argument, Argument::Contracts(_)),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn functions_that_call_themselves_have_contracts() {
    for text in [
        // The result is a relation between what goes in.
        "int add(int m, int n) { if (n == 0) return m; return add(m + 1, n - 1); }
         int main(void) {
           int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
           if (m < 0 || m > 1000 || n < 0 || n > 1000) return 0;
           if (add(m, n) != m + n) reach_error();
           return 0;
         }",
        // Two calls, one after the other.
        "int fib(int n) { if (n < 2) return n < 0 ? 0 : n; return fib(n - 1) + fib(n - 2); }
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n <= 40 && fib(n) < 0) reach_error();
           return 0;
         }",
        // Two functions, and one call in the arguments of another.
        "int down(int n);
         int up(int n) { if (n <= 0) return 0; return down(n - 1) + 1; }
         int down(int n) { if (n <= 0) return 0; return up(down(n - 1)); }
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (up(n) < 0) reach_error();
           return 0;
         }",
        // What must not happen is in the function: what is required of its calls says why it doesn't.
        "void count(int from, int to) {
           if (from > to) reach_error();
           if (from < to) count(from + 1, to);
         }
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n >= 0) count(0, n);
           return 0;
         }",
        // Globals go in and come out, also those that the caller never names.
        "int depth, deepest;
         static void enter(void) { depth++; if (depth > deepest) deepest = depth; }
         void walk(int n) { if (n <= 0) return; enter(); walk(n - 1); depth--; }
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n > 1000) return 0;
           walk(n);
           if (depth != 0 || deepest < 0) reach_error();
           return 0;
         }",
        // A loop in a function that calls itself, and a function that is given back a value in the middle of one.
        "int tree(int n) {
           int nodes = 1;
           for (int i = 0; i < n && nodes < 1000; i++) { int below = tree(i); if (below > 1000) below = 1000; nodes += below; }
           return nodes;
         }
         int main(void) {
           if (tree(__VERIFIER_nondet_int()) < 1) reach_error();
           return 0;
         }",
        // Unsigned numbers wrap.
        "unsigned id(unsigned x) { if (x == 0) return 0; unsigned r = id(x - 1) + 1; return r > 2 ? 2 : r; }
         int main(void) {
           if (id(__VERIFIER_nondet_uint()) > 2) reach_error();
           return 0;
         }",
    ] {
        assert!(by_contracts(text), "{text}");
    }
}

#[test]
fn loops_have_invariants() {
    let text = "int main(void) {
           int x = 0, y = 0, n = __VERIFIER_nondet_int();
           while (x < n) { x++; if (__VERIFIER_nondet_bool()) y++; }
           if (y > x) reach_error();
           return 0;
         }";
    assert!(!by_contracts(text));
}

#[test]
fn errors_are_found_by_following_runs() {
    for text in [
        "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 2; }
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n < 20 && f(n) == 14) reach_error();
           return 0;
         }",
        "int odd(int n);
         int even(int n) { if (n == 0) return 1; return odd(n - 1); }
         int odd(int n) { if (n == 0) reach_error(); return even(n - 1); }
         int main(void) { even(__VERIFIER_nondet_int() & 7); return 0; }",
    ] {
        assert_eq!(answer(text).word(), "UNSAFE", "{text}");
    }
}

#[test]
fn the_same_program_has_the_same_proof() {
    let text = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 2; }
         int main(void) {
           int n = __VERIFIER_nondet_int();
           if (n < 1000 && f(n) < 0) reach_error();
           return 0;
         }";
    let told = || match answer(text) {
        Answer::Safe(proof) => {
            let Argument::Contracts(contracts) = &proof.argument else {
                panic!("{proof:?}");
            };
            let ensures = contracts
                .functions
                .values()
                .flat_map(|known| &known.ensures);
            let told = ensures.map(|&formula| proof.terms.display(formula).to_string());
            told.collect::<Vec<String>>()
        }
        other => panic!("{other:?}"),
    };
    let first = told();
    assert!(!first.is_empty());
    assert_eq!(first, told());
}
