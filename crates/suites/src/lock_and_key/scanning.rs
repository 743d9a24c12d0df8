//! A scan finds one number, and only then a second input is looked at (the examples of Ma et al., "Directed Symbolic Execution", figures 4
//! and 6).

use crate::inputs::value;
use crate::source::{fill, program};
use crate::{Family, Inputs, SuiteTask};

/// In the second program, smaller numbers are turned away before the scan.
const GATE: u64 = 30;

pub(super) fn refute1() -> Family {
    Family {
        name: "ccbse-refute1",
        description: "A scan stops at the number m; the error needs one m and a second input with six clear low bits.",
        stands_for: "request dispatch by table scan, with a rare combination behind it",
        knob: "the number the scan must stop at",
        sizes: 1..=500_000_000,
        shipped: &[100, 1000, 10_000],
        make: |size| {
            let main = "
int main(void) {
  int m = __VERIFIER_nondet_int();
  int n = __VERIFIER_nondet_int();
  scan(m, n);
  return 0;
}
";
            task(format!("ccbse-refute1-{size}"), main, size)
        },
    }
}

pub(super) fn refute2() -> Family {
    Family {
        name: "ccbse-refute2",
        description: "As ccbse-refute1, behind a gate that turns small numbers away.",
        stands_for: "checks in several layers of calls above the faulty code",
        knob: "the number the scan must stop at",
        sizes: GATE..=500_000_000,
        shipped: &[100, 1000, 10_000],
        make: |size| {
            let main = fill(
                "
static void gate(int m, int n) {
  if (m >= $gate)
    scan(m, n);
}

int main(void) {
  int m = __VERIFIER_nondet_int();
  int n = __VERIFIER_nondet_int();
  gate(m, n);
  return 0;
}
",
                &[("gate", &GATE)],
            );
            task(format!("ccbse-refute2-{size}"), &main, size)
        },
    }
}

fn task(name: String, main: &str, size: u64) -> SuiteTask {
    let body = fill(
        "
static int low_bits(int n) {
  int set = 0;
  for (int k = 0; k < 6; k++) {
    if (n % 2 != 0)
      set = set + 1;
    n = n / 2;
  }
  return set;
}

static void examine(int m, int n) {
  int set = low_bits(n);
  for (;;) {
    if (set == 0 && m == $size)
      reach_error();
  }
}

static void scan(int m, int n) {
  for (int i = 0; i < $end; i++) {
    if (i == m)
      examine(m, n);
  }
}
$main",
        &[
            ("size", &size),
            ("end", &size.saturating_mul(3).max(30_000)),
            ("main", &main),
        ],
    );
    let what = "Scans numbers from 0 on; the number m is examined together with n, and examination never ends.";
    let why = format!("UNSAFE: m = {size}, and n with its six low bits clear.");
    SuiteTask::broken(
        &name,
        program(&name, what, &why, &body),
        Inputs::new().then(value(size)).then(64),
    )
}
