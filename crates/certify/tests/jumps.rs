//! Long runs: found, followed and checked by jumps.

#![allow(missing_docs, clippy::print_stdout)]

mod support;

use std::time::Instant;

use rhumb_certify::counterexample::{Budget, Checked, Segment, check, compress};
use rhumb_program::Program;
use rhumb_program::interp::KeyedInputs;
use support::*;

fn confirmed(program: &Program, inputs: &KeyedInputs) -> Checked {
    let budget = Budget::default();
    let start = Instant::now();
    let found = compress(program, inputs, &budget).unwrap_or_else(|why| panic!("compress: {why}"));
    let compressed = start.elapsed();
    let checked = check(program, &found, &budget)
        .unwrap_or_else(|why| panic!("check: {why}\n{:?}", found.segments));
    println!(
        "{:?} steps, {} executed, {} jumps, compress {compressed:?}, check {:?}",
        checked.steps,
        checked.executed,
        checked.proved_jumps,
        start.elapsed() - compressed
    );
    checked
}

const HEADER: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void abort(void);
";

fn with_header(body: &str) -> Program {
    program(&format!("{HEADER}{body}"))
}

#[test]
fn a_counting_loop() {
    let program = with_header(
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0, x = 7;
         while (i < n) { i++; x += 2; }
         if (x == 4000000007u) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &inputs(&program, &[2_000_000_000]));
    assert!(checked.executed < 100);
    assert!(checked.proved_jumps >= 1);
}

#[test]
fn five_nested_loops() {
    let program = with_header(
        "int main(void) { unsigned a, b, c, d, e; unsigned n = 4294967294u;
         for (a = 0; a < n; ++a)
           for (b = 0; b < n; ++b)
             for (c = 0; c < n; ++c)
               for (d = 0; d < n; ++d)
                 for (e = 0; e < n; ++e) { if (a == b + 1 && e == 5 && d == 4294967295u) reach_error(); }
         if (a == n && b == n && c == n && d == n && e == n) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &KeyedInputs::new());
    assert!(checked.executed < 100_000, "{}", checked.executed);
}

#[test]
fn a_triangle() {
    let program = with_header(
        "int main(void) { long n = __VERIFIER_nondet_int(); long i, j, last = 0;
         for (i = 0; i < n; i++) { for (j = 0; j < i; j++) { last = j; } }
         if (last == n - 2 && last > 0) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &inputs(&program, &[1_000_000_000]));
    assert!(checked.executed < 10_000, "{}", checked.executed);
}

#[test]
fn a_remainder_and_alternating_branches() {
    let program = with_header(
        "int main(void) { int n = __VERIFIER_nondet_int(); int i = 0, odd = 0, even = 0, r = 0;
         while (i < n) { if (i % 2) odd++; else even += 2; r = i % 5; i++; }
         if (odd == 500000000 && even == 1000000000 && r == 4) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &inputs(&program, &[1_000_000_000]));
    assert!(checked.executed < 10_000, "{}", checked.executed);
}

#[test]
fn a_call_in_a_loop() {
    let program = with_header(
        "int total; int add(int x, int y) { int sum = x; sum = sum + y; return sum; }
         int twice(int x) { total = add(total, 1); return add(x, 2); }
         int main(void) { int n = __VERIFIER_nondet_int(); int x = 0;
         for (int i = 0; i < n; i++) x = twice(x);
         if (x == 2000000000 && total == 1000000000) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &inputs(&program, &[1_000_000_000]));
    assert!(checked.executed < 1000, "{}", checked.executed);
}

#[test]
fn inputs_in_a_loop() {
    let program = with_header(
        "int main(void) { int n = __VERIFIER_nondet_int(); long sum = 0;
         for (int i = 0; i < n; i++) sum += __VERIFIER_nondet_int();
         if (sum == 3000000000 + 7) reach_error(); return 0; }",
    );
    let mut inputs = inputs(&program, &[1_000_000_001]);
    inputs.push_value(site(&program, 1), 3, 1_000_000_000);
    inputs.push_value(site(&program, 1), 7, 1);
    let checked = confirmed(&program, &inputs);
    assert!(checked.executed < 1000, "{}", checked.executed);
}

#[test]
fn a_short_run_needs_no_jump() {
    let program = with_header(
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n == 3) reach_error(); return 0; }",
    );
    let found = compress(&program, &inputs(&program, &[3]), &Budget::default()).unwrap();
    assert!(matches!(found.segments[..], [Segment::Steps(_)]));
    confirmed(&program, &inputs(&program, &[3]));
}

#[test]
fn loops_in_calls_in_loops() {
    let program = with_header(
        "unsigned calls;
         unsigned drain(unsigned n, int *unused) { unsigned done = 0; while (n > 0) { n--; done++; } calls++; return done; }
         int main(void) { unsigned n = __VERIFIER_nondet_uint(), i, last = 0;
         for (i = 0; i < n; i++) last = drain(1000000, 0);
         if (last == 1000000 && calls == n && n > 5) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &inputs(&program, &[4_000_000_000]));
    assert!(checked.executed < 1000, "{}", checked.executed);
}

#[test]
fn recursion_is_executed() {
    let program = with_header(
        "int depth(int n) { int i, r = 0; if (n == 0) return 0; for (i = 0; i < 100; i++) r++; return depth(n - 1) + r / 100; }
         int main(void) { if (depth(__VERIFIER_nondet_int()) == 50) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &inputs(&program, &[50]));
    assert!(checked.proved_jumps >= 40, "{}", checked.proved_jumps);
}

#[test]
fn wide_types_and_wrapping_by_a_constant() {
    // Adding the greatest value of an unsigned type is a step down: it wraps in every iteration but one.
    let program = with_header(
        "int main(void) { unsigned __int128 big = (unsigned __int128)1 << 100; unsigned long long x = 5000000000ull; unsigned char c = 0;
         while (x > 7) { x += 18446744073709551615ull; big += 3; c = (unsigned char)(c + 256); }
         if (x == 7 && big - ((unsigned __int128)1 << 100) == (unsigned __int128)3 * 4999999993ull && c == 0) reach_error(); return 0; }",
    );
    let checked = confirmed(&program, &KeyedInputs::new());
    assert!(checked.executed < 100, "{}", checked.executed);
}
