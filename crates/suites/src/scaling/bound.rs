//! The knob is the bound of a loop.

use super::{Twin, twins};
use crate::source::{fill, program};
use crate::{Domain, Domains, Family, Inputs, SuiteTask};

pub(super) fn safe_family() -> Family {
    Family {
        name: "bound-safe",
        description: "A loop with a constant bound sends every item left or right; the two counters add up to the bound.",
        stands_for: "loops with a large constant bound and a relational invariant",
        knob: "loop bound",
        sizes: 1..=2_000_000_000,
        shipped: &[10, 1000, 100_000, 10_000_000, 1_000_000_000],
        make: |size| {
            let name = format!("bound-safe-{size}");
            let domains = Domains {
                first: Vec::new(),
                then: vec![Domain::Values(vec![-1, 0, 1])],
                reads: 8,
            };
            let near_misses = match size {
                ..=1_000_000 => vec![Inputs::new().repeat(1, size), key(size)],
                _ => Vec::new(),
            };
            let small = |size, twin| text("small", size, twin);
            SuiteTask::safe(
                &name,
                text(&name, size, Twin::Safe),
                twins([1, 4, 8], small, domains, near_misses),
            )
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "bound-unsafe",
        description: "The same loop; the error asks for exactly a quarter of the items on the right.",
        stands_for: "errors at the end of a long loop that reads an input in every round",
        knob: "loop bound",
        sizes: 1..=2_000_000_000,
        shipped: &[40, 400, 4000, 40_000, 400_000, 4_000_000],
        make: |size| {
            let name = format!("bound-unsafe-{size}");
            SuiteTask::broken(&name, text(&name, size, Twin::Unsafe), key(size))
        },
    }
}

fn key(size: u64) -> Inputs {
    Inputs::new().repeat(1, size - size / 4).repeat(0, size / 4)
}

fn text(name: &str, size: u64, twin: Twin) -> String {
    let (test, why) = match twin {
        Twin::Safe => (
            format!("left + right != {size}"),
            "SAFE: left + right equals i at the loop head, whatever the bound is.",
        ),
        Twin::Unsafe => (
            format!("right == {}", size / 4),
            "UNSAFE: a quarter of the items, rounded down, goes right.",
        ),
    };
    let body = fill(
        "
int main(void) {
  int left = 0;
  int right = 0;
  int i = 0;
  while (i < $size) {
    if (__VERIFIER_nondet_int())
      left = left + 1;
    else
      right = right + 1;
    i = i + 1;
  }
  if ($test)
    reach_error();
  return 0;
}
",
        &[("size", &size), ("test", &test)],
    );
    program(
        name,
        "Sends each of a fixed number of items left or right.",
        why,
        &body,
    )
}
