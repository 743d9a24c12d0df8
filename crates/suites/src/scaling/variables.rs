//! The knob is how many variables a loop moves.

use super::{Twin, twins};
use crate::inputs::value;
use crate::source::{fill, lines, program};
use crate::{DataModel, Domain, Domains, Family, Inputs, SuiteTask};

/// The most rounds.
const LIMIT: u64 = 10_000;

pub(super) fn safe_family() -> Family {
    Family {
        name: "variables-safe",
        description: "A shift register, one variable per bit, with a counter of its ones; at the end the counter is the sum of the bits.",
        stands_for: "wide states with one invariant over all variables",
        knob: "variables",
        sizes: 1..=1000,
        shipped: &[2, 4, 8, 16, 32],
        make: |size| {
            let name = format!("variables-safe-{size}");
            let domains = Domains {
                first: vec![Domain::Range(-1, 7)],
                then: vec![Domain::Values(vec![0, 1, -5])],
                reads: 6,
            };
            let small = |size, twin| text("small", size, 5, twin);
            SuiteTask::safe(
                &name,
                text(&name, size, LIMIT, Twin::Safe),
                twins(
                    [1, 2, 3],
                    small,
                    domains,
                    vec![key(size), Inputs::new().then(value(LIMIT)).repeat(1, LIMIT)],
                ),
            )
            .under(DataModel::Lp64)
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "variables-unsafe",
        description: "The same shift register; the error needs all bits to be ones.",
        stands_for: "errors that need many variables to have the right value at once",
        knob: "variables",
        sizes: 1..=1000,
        shipped: &[2, 4, 8, 16, 32],
        make: |size| {
            let name = format!("variables-unsafe-{size}");
            SuiteTask::broken(&name, text(&name, size, LIMIT, Twin::Unsafe), key(size))
                .under(DataModel::Lp64)
        },
    }
}

fn key(size: u64) -> Inputs {
    Inputs::new().then(value(size)).repeat(1, size)
}

fn text(name: &str, size: u64, limit: u64, twin: Twin) -> String {
    let (test, why) = match twin {
        Twin::Safe => {
            let sum: Vec<String> = (0..size).map(|k| format!("x{k}")).collect();
            (
                format!("ones != {}", sum.join(" + ")),
                "SAFE: a round adds the new bit to the counter and takes the lost one away.",
            )
        }
        Twin::Unsafe => (
            format!("ones == {size}"),
            "UNSAFE: as many ones as bits, in as many rounds.",
        ),
    };
    let last = size - 1;
    let body = fill(
        "
int main(void) {
  int rounds = __VERIFIER_nondet_int();
  if (rounds < 0 || rounds > $limit)
    return 0;
$declarations
  int ones = 0;
  while (rounds > 0) {
    int bit = __VERIFIER_nondet_int() != 0;
    ones = ones + bit - x$last;
$shifts
    x0 = bit;
    rounds = rounds - 1;
  }
  if ($test)
    reach_error();
  return 0;
}
",
        &[
            ("limit", &limit),
            (
                "declarations",
                &lines(0..size, |k| format!("  int x{k} = 0;")),
            ),
            ("last", &last),
            (
                "shifts",
                &lines((1..size).rev(), |k| format!("    x{k} = x{};", k - 1)),
            ),
            ("test", &test),
        ],
    );
    let what = format!("A shift register of {size} bits and a counter of the ones in it.");
    program(name, &what, why, &body)
}
