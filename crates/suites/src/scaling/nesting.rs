//! The knob is how deep loops are nested.

use std::fmt::Write as _;

use super::{Twin, twins};
use crate::source::program;
use crate::{DataModel, Domain, Domains, Family, Inputs, SuiteTask, Verdict};

pub(super) fn safe_family() -> Family {
    Family {
        name: "nesting-safe",
        description: "Every loop of a nest runs as often as an input says and marks itself open; in the middle all loops are open.",
        stands_for: "deep loop nests whose invariants relate the levels",
        knob: "nesting depth",
        sizes: 1..=200,
        shipped: &[1, 2, 4, 8, 16],
        make: |size| {
            let name = format!("nesting-safe-{size}");
            let then = vec![Domain::Range(-1, 3)];
            let domains = Domains {
                first: Vec::new(),
                then,
                reads: 7,
            };
            let small = |size, twin| text("small", size, 2, twin);
            SuiteTask::safe(
                &name,
                text(&name, size, 1000, Twin::Safe),
                twins(
                    [1, 2, 3],
                    small,
                    domains,
                    vec![Inputs::new().repeat(1, size)],
                ),
            )
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "nesting-unsafe",
        description: "Every loop of a nest runs at most twice, as an input says; the error needs two rounds of all loops, every time.",
        stands_for: "errors that need every loop of a nest to run to its end",
        knob: "nesting depth",
        sizes: 1..=20,
        shipped: &[1, 2, 4, 8, 16],
        make: |size| {
            let name = format!("nesting-unsafe-{size}");
            SuiteTask {
                program: text(&name, size, 2, Twin::Unsafe),
                name,
                data_model: DataModel::Ilp32,
                // Level k is entered 2^(k-1) times and reads one input each time.
                verdict: Verdict::Unsafe(Inputs::new().repeat(2, (1 << size) - 1)),
            }
        },
    }
}

fn text(name: &str, depth: u64, limit: u64, twin: Twin) -> String {
    let (counter, why) = match twin {
        Twin::Safe => (
            "open",
            "SAFE: at the head of the loop on level k, exactly k - 1 loops are open.",
        ),
        Twin::Unsafe => ("visits", "UNSAFE: every loop runs twice each time."),
    };
    let mut body = format!("int main(void) {{\n  int {counter} = 0;\n");
    for level in 1..=depth {
        let indent = "  ".repeat(level as usize);
        let _ = writeln!(body, "{indent}int n{level} = __VERIFIER_nondet_int();");
        let _ = writeln!(
            body,
            "{indent}for (int i{level} = 0; i{level} < n{level} && i{level} < {limit}; i{level}++) {{"
        );
        if twin == Twin::Safe {
            let _ = writeln!(body, "{indent}  open = open + 1;");
        }
    }
    let indent = "  ".repeat(depth as usize + 1);
    match twin {
        Twin::Safe => {
            let _ = writeln!(
                body,
                "{indent}if (open != {depth})\n{indent}  reach_error();"
            );
        }
        Twin::Unsafe => {
            let _ = writeln!(body, "{indent}visits = visits + 1;");
        }
    }
    for level in (1..=depth).rev() {
        let indent = "  ".repeat(level as usize);
        if twin == Twin::Safe {
            let _ = writeln!(body, "{indent}  open = open - 1;");
        }
        let _ = writeln!(body, "{indent}}}");
    }
    let test = match twin {
        Twin::Safe => "open != 0".to_owned(),
        Twin::Unsafe => format!("visits == {}", 1u64 << depth),
    };
    let _ = write!(body, "  if ({test})\n    reach_error();\n  return 0;\n}}\n");
    let what = format!("A nest of {depth} loops; each is told by an input how often to run.");
    program(name, &what, why, &body)
}
