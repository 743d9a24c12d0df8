//! The knob is how many loops follow each other.

use super::{Twin, twins};
use crate::inputs::value;
use crate::source::{fill, lines, program};
use crate::{DataModel, Domain, Domains, Family, Inputs, SuiteTask};

/// The largest amount that is passed on.
const LIMIT: u64 = 1000;

pub(super) fn safe_family() -> Family {
    Family {
        name: "sequence-safe",
        description: "Loops in a row pass an amount on, unit by unit; at the end it is all there.",
        stands_for: "pipelines of loops where each needs what the one before has established",
        knob: "number of loops",
        sizes: 1..=2000,
        shipped: &[2, 4, 8, 16, 32],
        make: |size| {
            let name = format!("sequence-safe-{size}");
            let domains = Domains {
                first: vec![Domain::Range(-2, 7)],
                then: vec![Domain::Values(vec![0, 1])],
                reads: 4,
            };
            let small = |size, twin| text("small", size, 5, twin);
            SuiteTask::safe(
                &name,
                text(&name, size, LIMIT, Twin::Safe),
                twins(
                    [1, 2, 3],
                    small,
                    domains,
                    vec![[0].into(), [1].into(), [1000].into(), [1001].into()],
                ),
            )
            .under(DataModel::Lp64)
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "sequence-unsafe",
        description: "The same loops, and an input before each may take one unit away; the error needs every one of these losses.",
        stands_for: "small faults that must add up over many phases",
        knob: "number of loops",
        sizes: 1..=2000,
        shipped: &[2, 4, 8, 16, 32],
        make: |size| {
            let name = format!("sequence-unsafe-{size}");
            // Every loop has to find a unit to lose.
            let limit = LIMIT.max(size);
            SuiteTask::broken(
                &name,
                text(&name, size, limit, Twin::Unsafe),
                Inputs::new().then(value(limit)).repeat(1, size),
            )
            .under(DataModel::Lp64)
        },
    }
}

fn text(name: &str, count: u64, limit: u64, twin: Twin) -> String {
    let phases = lines(1..=count, |k| {
        let from = k - 1;
        let loss = match twin {
            Twin::Safe => String::new(),
            Twin::Unsafe => format!(
                "  if (__VERIFIER_nondet_int() && v{from} > 0)\n    v{from} = v{from} - 1;\n"
            ),
        };
        format!(
            "{loss}  int v{k} = 0;\n  while (v{from} > 0) {{\n    v{from} = v{from} - 1;\n    v{k} = v{k} + 1;\n  }}"
        )
    });
    let (test, why) = match twin {
        Twin::Safe => (
            format!("v{count} != n"),
            "SAFE: in each loop the sum of the two amounts is n, and the first of them ends as 0.",
        ),
        Twin::Unsafe => (
            format!("v{count} + {count} == n"),
            "UNSAFE: a unit is lost before every loop.",
        ),
    };
    let body = fill(
        "
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > $limit)
    return 0;
  int v0 = n;
$phases
  if ($test)
    reach_error();
  return 0;
}
",
        &[("limit", &limit), ("phases", &phases), ("test", &test)],
    );
    let what = format!("Passes an amount through {count} loops, unit by unit.");
    program(name, &what, why, &body)
}
