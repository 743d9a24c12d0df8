//! Figure 9: a machine that wants the letters of DOG in succession and those of CAT at once.

use crate::source::{fill, program};
use crate::{DataModel, Domain, Domains, Evidence, Inputs, SmallInstance, SuiteTask, Verdict};

pub(super) fn tasks() -> Vec<SuiteTask> {
    vec![plain(), gas(), gas_short(), parity(), stream()]
}

const D: i64 = b'D' as i64;
const O: i64 = b'O' as i64;
const G: i64 = b'G' as i64;
const C: i64 = b'C' as i64;
const A: i64 = b'A' as i64;
const T: i64 = b'T' as i64;

/// The inputs of three rounds that open the machine.
fn dog_and_cat() -> [i64; 12] {
    [D, 0, 0, 0, O, 0, 0, 0, G, C, A, T]
}

/// One round reads a letter of the first word, then the second word: every letter that matters and one that does not.
fn round() -> Vec<Domain> {
    let word = [C, A, T].map(|letter| Domain::Values(vec![0, letter]));
    [vec![Domain::Values(vec![0, D, O, G])], word.into()].concat()
}

const WHAT: &str =
    "Figure 9: waits for the letters D, O, G one after the other, and for C, A, T at once.";

/// A round of the machine.
const ROUND: &str = "    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    if (state == 0 && c == 'D')
      state = 1;
    if (state == 1 && c == 'O')
      state = 2;
    if (state == 2 && c == 'G')
      state = 3;
    if (state == 3 && s0 == 'C' && s1 == 'A' && s2 == 'T')
      reach_error();";

fn plain() -> SuiteTask {
    let body =
        format!("\nint main(void) {{\n  int state = 0;\n  while (1) {{\n{ROUND}\n  }}\n}}\n");
    SuiteTask::broken(
        "fig9",
        program(
            "fig9",
            WHAT,
            "UNSAFE: three rounds with the right letters.",
            &body,
        ),
        dog_and_cat().into(),
    )
}

/// The machine with a budget of rounds, as the refutation-completeness transformation writes it.
fn with_gas(name: &str, why: &str, guard: &str) -> String {
    let body = fill(
        "
int main(void) {
  int gas = __VERIFIER_nondet_int();$guard
  int state = 0;
  while (gas > 0) {
    gas = gas - 1;
$round
  }
  return 0;
}
",
        &[("guard", &guard), ("round", &ROUND)],
    );
    let what = format!("{WHAT} The number of rounds is an input, as if the program ran on gas.");
    program(name, &what, why, &body)
}

fn gas() -> SuiteTask {
    let why = "UNSAFE: gas for three rounds, and the right letters.";
    SuiteTask::broken(
        "fig9-gas",
        with_gas("fig9-gas", why, ""),
        Inputs::from_iter([3].into_iter().chain(dog_and_cat())),
    )
}

fn gas_short() -> SuiteTask {
    let make = |name, limit: u64| {
        let why =
            "SAFE: a round takes at most one letter of the three, and there is gas for two rounds.";
        with_gas(name, why, &format!("\n  if (gas > {limit})\n    return 0;"))
    };
    SuiteTask::safe(
        "fig9-gas-short",
        make("fig9-gas-short", 2),
        Evidence::of_one(
            [make("small", 2), make("flipped", 3)],
            Domains {
                first: vec![Domain::Range(-2, 5)],
                then: round(),
                reads: 13,
            },
            vec![
                Inputs::from_iter([2].into_iter().chain(dog_and_cat())),
                Inputs::from_iter([3].into_iter().chain(dog_and_cat())),
            ],
        ),
    )
}

fn parity() -> SuiteTask {
    let make = |name, parity: u64| {
        let body = fill(
            "
int main(void) {
  int state = 0;
  int odd = 0;
  while (1) {
    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    int next = 0;
    if (state == 0 && c == 'D' && odd == 0)
      next = 1;
    if (state == 1 && c == 'O' && odd == 1)
      next = 2;
    if (state == 2 && c == 'G' && odd == $parity)
      next = 3;
    state = next;
    odd = 1 - odd;
    if (state == 3 && s0 == 'C' && s1 == 'A' && s2 == 'T')
      reach_error();
  }
}
",
            &[("parity", &parity)],
        );
        let what = "Figure 9 with a clock: a wrong letter starts the word again, and each letter counts in odd \
                    or in even rounds only.";
        let why = "SAFE: D and O are taken in neighbouring rounds, so G would have to come in an even one, \
                   where it does not count.";
        program(name, what, why, &body)
    };
    SuiteTask {
        name: "fig9-parity".to_owned(),
        program: make("fig9-parity", 1),
        data_model: DataModel::Ilp32,
        verdict: Verdict::Safe(Evidence {
            small: vec![SmallInstance {
                safe: make("small", 1),
                flipped: make("flipped", 0),
            }],
            // The pairs (state, odd) that occur are four, so four rounds visit all of them.
            domains: Domains {
                first: Vec::new(),
                then: round(),
                reads: 16,
            },
            near_misses: vec![dog_and_cat().into()],
        }),
    }
}

fn stream() -> SuiteTask {
    let body = "
int main(void) {
  int matched = 0;
  for (;;) {
    char c = __VERIFIER_nondet_char();
    switch (matched) {
    case 0:
      matched = c == 'R';
      break;
    case 1:
      matched = c == 'H' ? 2 : c == 'R';
      break;
    case 2:
      matched = c == 'U' ? 3 : c == 'R';
      break;
    case 3:
      matched = c == 'M' ? 4 : c == 'R';
      break;
    default:
      matched = c == 'B' ? 5 : c == 'R';
    }
    if (matched == 5)
      reach_error();
  }
}
";
    let what = "Like figure 9, but one character at a time: looks for RHUMB anywhere in an endless stream.";
    SuiteTask::broken(
        "fig9-stream",
        program(
            "fig9-stream",
            what,
            "UNSAFE: the five letters in succession.",
            body,
        ),
        Inputs::from_iter(b"RHUMB".map(i64::from)),
    )
    .under(DataModel::Lp64)
}
