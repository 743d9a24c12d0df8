//! EX-3: multiply, then subtract; divisibility decides.

use crate::source::{fill, literal, program};
use crate::{Domain, Domains, Evidence, Inputs, SuiteTask};

pub(super) fn tasks() -> Vec<SuiteTask> {
    vec![plain(), unsigned(), target(), seven(), wrap()]
}

const INT: (&str, &str) = ("int", "int");
const UNSIGNED: (&str, &str) = ("unsigned int", "uint");
const BYTE: (&str, &str) = ("unsigned char", "uchar");

/// The constants of the program: `x = start`, then `x = factor * x` and `x = x - less`, then the question `x == target`.
#[derive(Clone, Copy)]
struct Constants {
    start: u64,
    factor: u64,
    less: u64,
    target: u64,
}

fn grow_and_shrink(
    name: &str,
    why: &str,
    kind: (&str, &str),
    limits: Option<(u64, u64)>,
    constants: Constants,
) -> String {
    let guard = limits.map_or(String::new(), |(n, m)| {
        format!("\n  if (n > {n} || m > {m})\n    return 0;")
    });
    let body = fill(
        "
int main(void) {
  $type n = __VERIFIER_nondet_$read();
  $type m = __VERIFIER_nondet_$read();$guard
  $type x = $start;
  while (n > 0) {
    x = $factor * x;
    n = n - 1;
  }
  while (m > 0) {
    x = x - $less;
    m = m - 1;
  }
  if (x == $target)
    reach_error();
  return 0;
}
",
        &[
            ("type", &kind.0),
            ("read", &kind.1),
            ("guard", &guard),
            ("start", &constants.start),
            ("factor", &constants.factor),
            ("less", &constants.less),
            ("target", &literal(constants.target)),
        ],
    );
    let what = "EX-3: multiplies n times, subtracts m times, and asks for one result.";
    program(name, what, why, &body)
}

fn plain() -> SuiteTask {
    let make = |name, limits, target| {
        let why = "SAFE: x stays even, and the limits keep it within an int.";
        let constants = Constants {
            start: 2,
            factor: 2,
            less: 2,
            target,
        };
        grow_and_shrink(name, why, INT, Some(limits), constants)
    };
    SuiteTask::safe(
        "ex3",
        make("ex3", (29, 1_000_000), 1),
        Evidence::of_one(
            [make("small", (5, 40), 1), make("flipped", (5, 40), 0)],
            Domains::fixed([Domain::Range(-2, 7), Domain::Range(-2, 42)]),
            vec![[0, 0].into(), [0, 1].into(), [29, 1_000_000].into()],
        ),
    )
}

fn unsigned() -> SuiteTask {
    let make = |name, kind, target| {
        let why = "SAFE: x stays even; wrapping around and becoming 0 keep that.";
        let constants = Constants {
            start: 2,
            factor: 2,
            less: 2,
            target,
        };
        grow_and_shrink(name, why, kind, None, constants)
    };
    SuiteTask::safe(
        "ex3-unsigned",
        make("ex3-unsigned", UNSIGNED, 1),
        Evidence::of_one(
            [make("small", BYTE, 1), make("flipped", BYTE, 254)],
            Domains::fixed([Domain::Range(0, 255), Domain::Range(0, 255)]),
            vec![[0, 1].into(), [40, 1].into(), [1_000_000, 1_000_000].into()],
        ),
    )
}

fn target() -> SuiteTask {
    let why = "UNSAFE: 2^10 - 2 * 12 is 1000.";
    let constants = Constants {
        start: 2,
        factor: 2,
        less: 12,
        target: 1000,
    };
    SuiteTask::broken(
        "ex3-target",
        grow_and_shrink("ex3-target", why, INT, Some((29, 1_000_000)), constants),
        Inputs::from([9, 2]),
    )
}

fn seven() -> SuiteTask {
    let make = |name, limits, target| {
        let why = "SAFE: modulo 7 the value is 1 or 6 and the target is 3; the limits keep x within an int.";
        let constants = Constants {
            start: 1,
            factor: 6,
            less: 7,
            target,
        };
        grow_and_shrink(name, why, INT, Some(limits), constants)
    };
    SuiteTask::safe(
        "ex3-seven",
        make("ex3-seven", (11, 1_000_000), 1004),
        Evidence::of_one(
            [make("small", (3, 35), 10), make("flipped", (3, 35), 8)],
            Domains::fixed([Domain::Range(-2, 5), Domain::Range(-2, 37)]),
            vec![[4, 41].into(), [4, 42].into(), [11, 1_000_000].into()],
        ),
    )
}

fn wrap() -> SuiteTask {
    let why = "UNSAFE: 6^32 is 0 modulo 2^32, and 100 times 7 below that lies the target; modulo 7 no value \
               that didn't wrap is equal to it.";
    let constants = Constants {
        start: 1,
        factor: 6,
        less: 7,
        target: (1 << 32) - 700,
    };
    SuiteTask::broken(
        "ex3-wrap",
        grow_and_shrink("ex3-wrap", why, UNSIGNED, None, constants),
        Inputs::from([32, 100]),
    )
}
