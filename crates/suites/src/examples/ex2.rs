//! EX-2: a loop adds up its own counter; which sums can occur?

use crate::source::{fill, program};
use crate::{Domain, Domains, Evidence, Inputs, SuiteTask};

pub(super) fn tasks() -> Vec<SuiteTask> {
    vec![plain(), gap(), sum(), sixteen_bits(), even()]
}

const INT: (&str, &str) = ("int", "int");

fn add_up(
    name: &str,
    why: &str,
    kind: (&str, &str),
    guard: &str,
    term: &str,
    target: u64,
) -> String {
    let body = fill(
        "
int main(void) {
  $type n = __VERIFIER_nondet_$read();$guard
  $type r = 0;
  while (n > 0) {
    r = r + $term;
    n = n - 1;
  }
  if (r == $target)
    reach_error();
  return 0;
}
",
        &[
            ("type", &kind.0),
            ("read", &kind.1),
            ("guard", &guard),
            ("term", &term),
            ("target", &target),
        ],
    );
    program(
        name,
        "EX-2: adds up n, n - 1, ..., 1 and asks for one sum.",
        why,
        &body,
    )
}

fn guard(limit: u64) -> String {
    format!("\n  if (n > {limit})\n    return 0;")
}

fn plain() -> SuiteTask {
    let make = |name, limit, target| {
        let why = "SAFE: the sum is 0, 1, 3 or more; the limit keeps it below 2^31.";
        add_up(name, why, INT, &guard(limit), "n", target)
    };
    SuiteTask::safe(
        "ex2",
        make("ex2", 60_000, 2),
        Evidence::of_one(
            [make("small", 12, 2), make("flipped", 12, 3)],
            Domains::fixed([Domain::Range(-3, 15)]),
            vec![[1].into(), [2].into(), [60_000].into()],
        ),
    )
}

fn gap() -> SuiteTask {
    let make = |name, limit, target| {
        let why = "SAFE: the target lies between two neighbouring triangular numbers, 4851 and 4950, and \
                   the limit keeps the sum below 2^31.";
        add_up(name, why, INT, &guard(limit), "n", target)
    };
    SuiteTask::safe(
        "ex2-gap",
        make("ex2-gap", 60_000, 4944),
        Evidence::of_one(
            [make("small", 12, 11), make("flipped", 12, 10)],
            Domains::fixed([Domain::Range(-3, 15)]),
            vec![[98].into(), [99].into(), [60_000].into()],
        ),
    )
}

fn sum() -> SuiteTask {
    let why = "UNSAFE: the numbers from 1 to 1234 make 761995.";
    SuiteTask::broken(
        "ex2-sum",
        add_up("ex2-sum", why, INT, &guard(60_000), "n", 761_995),
        Inputs::from([1234]),
    )
}

fn sixteen_bits() -> SuiteTask {
    let why = "UNSAFE: sums of 16 bits wrap, and modulo 2^16 every value is a triangular number.";
    // n (n + 1) = 4 modulo 2^17 has exactly one solution below 2^16, because the derivative 2n + 1 is odd.
    let key = (0..1 << 16)
        .find(|n| n * (n + 1) / 2 % (1 << 16) == 2)
        .unwrap_or_default();
    SuiteTask::broken(
        "ex2-ushort",
        add_up("ex2-ushort", why, ("unsigned short", "ushort"), "", "n", 2),
        Inputs::from([key]),
    )
}

fn even() -> SuiteTask {
    let make = |name, kind, target| {
        let why = "SAFE: every term is even, and wrapping around keeps that; the target is odd.";
        add_up(name, why, kind, "", "2 * n", target)
    };
    let byte = ("unsigned char", "uchar");
    SuiteTask::safe(
        "ex2-unsigned",
        make("ex2-unsigned", ("unsigned int", "uint"), 7),
        Evidence::of_one(
            [make("small", byte, 7), make("flipped", byte, 6)],
            Domains::fixed([Domain::Range(0, 255)]),
            vec![[2].into(), [3].into(), [1_000_000].into()],
        ),
    )
}
