//! The knob is how many steps an unsigned counter takes until it wraps around.

use super::{Twin, twins};
use crate::inputs::value;
use crate::source::{fill, literal, program};
use crate::{Domain, Domains, Family, Inputs, SuiteTask};

pub(super) fn safe_family() -> Family {
    Family {
        name: "unsigned-safe",
        description: "An unsigned counter takes large steps, at most one less than it needs to wrap around.",
        stands_for: "timers and sequence numbers close to their overflow",
        knob: "steps until the counter wraps",
        sizes: 2..=1 << 31,
        shipped: &[16, 256, 4096, 65_536, 1_048_576],
        make: |size| {
            let name = format!("unsigned-safe-{size}");
            let domains = Domains::fixed([Domain::Range(0, 40)]);
            let small = |size, twin| text("small", size, twin);
            let rounds = value(rounds(size));
            SuiteTask::safe(
                &name,
                text(&name, size, Twin::Safe),
                twins(
                    [2, 16, 29],
                    small,
                    domains,
                    vec![[0].into(), [1].into(), [rounds - 1].into(), [rounds].into()],
                ),
            )
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "unsigned-unsafe",
        description: "The same counter with one more step allowed; the error is that it became smaller than a step.",
        stands_for: "overflows of unsigned counters",
        knob: "steps until the counter wraps",
        sizes: 2..=1 << 31,
        shipped: &[16, 256, 4096, 65_536, 1_048_576],
        make: |size| {
            let name = format!("unsigned-unsafe-{size}");
            SuiteTask::broken(
                &name,
                text(&name, size, Twin::Unsafe),
                Inputs::new().then(value(rounds(size))),
            )
        },
    }
}

/// The step of the counter.
fn step(size: u64) -> u64 {
    (1 << 32) / size
}

/// The first round in which the counter wraps: the size itself when it is a power of two.
fn rounds(size: u64) -> u64 {
    (1u64 << 32).div_ceil(step(size))
}

fn text(name: &str, size: u64, twin: Twin) -> String {
    let rounds = rounds(size);
    let (limit, why) = match twin {
        Twin::Safe => (
            rounds - 1,
            "SAFE: at the loop head x is the step times i, and the limit times the step is below 2^32.",
        ),
        Twin::Unsafe => (
            rounds,
            "UNSAFE: in the last round that is allowed, x wraps around.",
        ),
    };
    let body = fill(
        "
int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  if (n > $limit)
    return 0;
  unsigned int x = 0;
  for (unsigned int i = 0; i < n; i++)
    x = x + $step;
  if (n > 0 && x < $step)
    reach_error();
  return 0;
}
",
        &[("limit", &literal(limit)), ("step", &literal(step(size)))],
    );
    program(
        name,
        "Counts in large steps, as often as an input says.",
        why,
        &body,
    )
}
