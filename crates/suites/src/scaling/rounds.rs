//! The knob is the number of rounds of EX-1 that the error needs.

use super::{Twin, twins};
use crate::source::{fill, program};
use crate::{Domain, Domains, Family, Inputs, SuiteTask};

/// The largest int.
const MAX: u64 = 2_147_483_647;

pub(super) fn safe_family() -> Family {
    Family {
        name: "rounds-safe",
        description: "EX-1: an input bounds the rounds of a loop that counts them, and is turned away if it is as large as the error asks for.",
        stands_for: "length checks before loops over a request",
        knob: "rounds until the error",
        sizes: 1..=MAX,
        shipped: &[10, 6_000, 3_600_000, MAX],
        make: |size| {
            let name = format!("rounds-safe-{size}");
            const SMALL: i64 = 8;
            let domains = Domains::fixed([Domain::Range(-3, SMALL + 3)]);
            let near_misses = match size {
                ..=10_000_000 => vec![key(size - 1), key(size), key(size + 1)],
                _ => vec![key(size)],
            };
            let small = |size, twin| text("small", size, twin);
            SuiteTask::safe(
                &name,
                text(&name, size, Twin::Safe),
                twins([1, 4, SMALL as u64], small, domains, near_misses),
            )
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "rounds-unsafe",
        description: "EX-1: an input bounds the rounds of a loop that counts them; the error asks for many.",
        stands_for: "parsers and servers that fail only on long enough requests",
        knob: "rounds until the error",
        sizes: 1..=MAX,
        shipped: &[10, 6_000, 3_600_000, MAX],
        make: |size| {
            let name = format!("rounds-unsafe-{size}");
            SuiteTask::broken(&name, text(&name, size, Twin::Unsafe), key(size))
        },
    }
}

fn key(size: u64) -> Inputs {
    Inputs::new().then(size as i64)
}

fn text(name: &str, size: u64, twin: Twin) -> String {
    let (guard, why) = match twin {
        Twin::Safe => (
            format!("\n  if (n >= {size})\n    return 0;"),
            "SAFE: lines equals i, which stops at n, and requests that are too long were turned away.",
        ),
        Twin::Unsafe => (
            String::new(),
            "UNSAFE: a request of exactly that length is enough.",
        ),
    };
    let body = fill(
        "
int main(void) {
  int n = __VERIFIER_nondet_int();$guard
  int i = 0;
  int lines = 0;
  while (i < n) {
    lines = lines + 1;
    i = i + 1;
  }
  if (lines >= $size)
    reach_error();
  return 0;
}
",
        &[("guard", &guard), ("size", &size)],
    );
    program(
        name,
        "EX-1: counts the lines of a request whose length is an input.",
        why,
        &body,
    )
}
