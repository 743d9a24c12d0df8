//! The knob is how many letters a machine must read to reach its last state.

use super::{Twin, twins};
use crate::source::{character, fill, lines, program};
use crate::{Domain, Domains, Family, Inputs, SuiteTask};

pub(super) fn safe_family() -> Family {
    Family {
        name: "states-safe",
        description: "A machine takes one letter per round and starts again at a wrong one; there is one round less than letters.",
        stands_for: "protocol automata with a budget of messages",
        knob: "letters",
        sizes: 2..=2000,
        shipped: &[4, 8, 16, 32, 64],
        make: |size| {
            let name = format!("states-safe-{size}");
            const SMALL: u64 = 4;
            let mut letters: Vec<i64> = (0..SMALL).map(|k| i64::from(letter(k))).collect();
            letters.push(0);
            let domains = Domains {
                first: Vec::new(),
                then: vec![Domain::Values(letters)],
                reads: SMALL as usize,
            };
            let small = |size, twin| text("small", size, twin);
            SuiteTask::safe(
                &name,
                text(&name, size, Twin::Safe),
                twins([2, 3, SMALL], small, domains, vec![key(size)]),
            )
        },
    }
}

pub(super) fn unsafe_family() -> Family {
    Family {
        name: "states-unsafe",
        description: "The same machine without end; the error is its last state.",
        stands_for: "protocol automata that need one long sequence of right inputs",
        knob: "letters",
        sizes: 1..=2000,
        shipped: &[4, 8, 16, 32, 64],
        make: |size| {
            let name = format!("states-unsafe-{size}");
            SuiteTask::broken(&name, text(&name, size, Twin::Unsafe), key(size))
        },
    }
}

/// The letter that leads on from state `k`; neighbours differ.
fn letter(k: u64) -> u8 {
    b'a' + (7 * k % 26) as u8
}

fn key(size: u64) -> Inputs {
    (0..size).map(|k| i64::from(letter(k))).collect()
}

fn text(name: &str, size: u64, twin: Twin) -> String {
    let (head, end, why) = match twin {
        Twin::Safe => (
            format!("for (int round = 0; round < {}; round++)", size - 1),
            "\n  return 0;",
            "SAFE: the state is at most the number of rounds, whatever the number of letters is.",
        ),
        Twin::Unsafe => (
            "for (;;)".to_owned(),
            "",
            "UNSAFE: all letters in succession.",
        ),
    };
    let cases = lines(0..size, |k| {
        format!(
            "    case {k}:\n      state = c == {letter} ? {next} : 0;\n      break;",
            letter = character(letter(k)),
            next = k + 1
        )
    });
    let body = fill(
        "
int main(void) {
  int state = 0;
  $head {
    int c = __VERIFIER_nondet_int();
    switch (state) {
$cases
    }
    if (state == $size)
      reach_error();
  }$end
}
",
        &[
            ("head", &head),
            ("cases", &cases),
            ("size", &size),
            ("end", &end),
        ],
    );
    let what = format!("A machine that wants {size} letters in succession, one in each round.");
    program(name, &what, why, &body)
}
