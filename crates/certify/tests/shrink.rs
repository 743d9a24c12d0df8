//! Counterexamples made simpler.

#![allow(missing_docs, clippy::print_stdout)]

mod support;

use std::time::{Duration, Instant};

use rhumb_certify::counterexample::{Budget, Counterexample, check, compress, shrink};
use rhumb_program::Program;
use rhumb_program::interp::{KeyedInputs, RandomInputs, Recorder};
use support::*;

fn shrunk(program: &Program, inputs: &KeyedInputs) -> Counterexample {
    let budget = Budget::default();
    let found = compress(program, inputs, &budget).unwrap_or_else(|why| panic!("{why}"));
    let small = shrink(program, &found, &budget);
    let checked = check(program, &small, &budget).unwrap();
    assert_eq!(checked.target, found.target);
    small
}

fn values(counterexample: &Counterexample) -> Vec<(u128, u64)> {
    let runs = counterexample.inputs.value_runs();
    runs.flat_map(|(_, runs)| runs.map(|run| (run.value, run.count)).collect::<Vec<_>>())
        .collect()
}

#[test]
fn magnitudes_and_iterations_become_small() {
    let program = program(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void); extern int __VERIFIER_nondet_int(void);
int main(void) { unsigned n = __VERIFIER_nondet_uint(); int m = __VERIFIER_nondet_int(); unsigned i, x = 0;
  for (i = 0; i < n; i++) x += 2;
  if (x > 40 && m < -3) reach_error(); return 0; }",
    );
    let small = shrunk(&program, &inputs(&program, &[2_000_000_000, -1_234_567]));
    assert_eq!(values(&small), [(21, 1), (0xffff_fffc, 1)]);
}

#[test]
fn inputs_that_do_not_matter_vanish() {
    let program = program(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int count = 0; while (__VERIFIER_nondet_int() != 0) { if (__VERIFIER_nondet_int() > 1000) count++; }
  if (count >= 3) reach_error(); return 0; }",
    );
    let mut inputs = KeyedInputs::new();
    for n in 0..40u128 {
        inputs.push_value(site(&program, 0), n + 17, 1);
        inputs.push_value(site(&program, 1), n * 100, 1);
    }
    let small = shrunk(&program, &inputs);
    assert_eq!(values(&small), [(1, 3), (1001, 3)]);
}

#[test]
fn random_counterexamples_stay_right_and_become_simpler() {
    let program = program(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) { int a[3]; int sum = 0; for (int i = 0; i < 20; i++) { int x = __VERIFIER_nondet_int(); if (x > 0 && x < 1000) sum += x; }
  unsigned char c = __VERIFIER_nondet_uchar(); if (sum > 10 && c > 3) reach_error(); return 0; }",
    );
    let budget = Budget::default();
    let mut count = 0;
    for seed in 0..30 {
        let mut recorder = Recorder::new(RandomInputs::new(seed));
        rhumb_program::interp::Machine::compile(&program).run(&mut recorder, &budget.limits);
        let inputs = recorder.into_inputs();
        if compress(&program, &inputs, &budget).is_err() {
            continue;
        }
        count += 1;
        let small = shrunk(&program, &inputs);
        assert!(values(&small).len() <= 3, "{:?}", values(&small));
    }
    assert!(count > 5, "{count}");
}

#[test]
fn the_budget_is_kept() {
    let program = program(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int a[100]; int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) { a[i % 100] = i; }
  if (n > 100000) reach_error(); return 0; }",
    );
    let inputs = inputs(&program, &[1_000_000]);
    let found = compress(&program, &inputs, &Budget::default()).unwrap();
    let start = Instant::now();
    let budget = Budget {
        time: rhumb_logic::Budget::time(Duration::from_millis(300)),
        ..Budget::default()
    };
    let small = shrink(&program, &found, &budget);
    assert!(start.elapsed() < Duration::from_secs(5));
    check(&program, &small, &Budget::default()).unwrap();
}
