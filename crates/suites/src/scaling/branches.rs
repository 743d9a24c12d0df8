//! The knob is how many branches a loop body has, one after the other: 2^knob paths.

use super::{Twin, twins};
use crate::inputs::value;
use crate::source::{fill, lines, program};
use crate::{Domain, Domains, Family, Inputs, SuiteTask};

/// The most rounds, and those that the error asks for.
const ROUNDS: (u64, u64) = (100, 10);

pub(super) fn safe_family() -> Family {
    Family {
        name: "branches-safe",
        description: "A loop body with many independent branches counts each up or down; the counters add up to branches times rounds.",
        stands_for: "loop bodies with many paths that all keep one invariant",
        knob: "branches per round",
        sizes: 1..=1000,
        shipped: &[2, 4, 8, 16, 32],
        make: |size| {
            let name = format!("branches-safe-{size}");
            let domains = Domains {
                first: vec![Domain::Range(-1, 5)],
                then: vec![Domain::Values(vec![0, 1])],
                reads: 10,
            };
            let small = |size, twin| text("small", size, (3, 3), twin);
            let all_up = |rounds| Inputs::new().then(value(rounds)).repeat(1, rounds * size);
            SuiteTask::safe(
                &name,
                text(&name, size, ROUNDS, Twin::Safe),
                twins(
                    [1, 2, 3],
                    small,
                    domains,
                    vec![
                        [0].into(),
                        key(size),
                        all_up(ROUNDS.0),
                        all_up(ROUNDS.0 + 1),
                    ],
                ),
            )
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "branches-unsafe",
        description: "The same loop body; the error needs ten rounds in which every branch counts up.",
        stands_for: "errors behind one path of exponentially many",
        knob: "branches per round",
        sizes: 1..=1000,
        shipped: &[2, 4, 8, 16, 32],
        make: |size| {
            let name = format!("branches-unsafe-{size}");
            SuiteTask::broken(&name, text(&name, size, ROUNDS, Twin::Unsafe), key(size))
        },
    }
}

fn key(size: u64) -> Inputs {
    Inputs::new()
        .then(value(ROUNDS.1))
        .repeat(1, ROUNDS.1 * size)
}

fn text(name: &str, branches: u64, (limit, asked): (u64, u64), twin: Twin) -> String {
    let (test, why) = match twin {
        Twin::Safe => (
            format!("up + down != {branches} * rounds"),
            "SAFE: every path through the body adds the number of branches to up + down.",
        ),
        Twin::Unsafe => (
            format!("rounds == {asked} && down == 0"),
            "UNSAFE: the right number of rounds, and always up.",
        ),
    };
    let branch =
        "    if (__VERIFIER_nondet_int())\n      up = up + 1;\n    else\n      down = down + 1;";
    let body = fill(
        "
int main(void) {
  int rounds = __VERIFIER_nondet_int();
  if (rounds < 0 || rounds > $limit)
    return 0;
  int up = 0;
  int down = 0;
  for (int i = 0; i < rounds; i++) {
$branches
  }
  if ($test)
    reach_error();
  return 0;
}
",
        &[
            ("limit", &limit),
            ("branches", &lines(0..branches, |_| branch.to_owned())),
            ("test", &test),
        ],
    );
    let what = format!("Takes {branches} independent decisions in each round and counts them.");
    program(name, &what, why, &body)
}
