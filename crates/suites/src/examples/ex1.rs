//! EX-1: the number of rounds is an input, and only many rounds, or exactly so many, reach the error.

use crate::source::{fill, literal, program};
use crate::{DataModel, Domain, Domains, Evidence, Inputs, SuiteTask};

pub(super) fn tasks() -> Vec<SuiteTask> {
    vec![
        plain(),
        plain_unsigned(),
        limited(),
        step(),
        step_off(),
        wrap(),
        wrap_limited(),
        long_lp64(),
        long_ilp32(),
        below_zero(),
    ]
}

/// Counts the rounds one by one.
fn count_lines(name: &str, why: &str, kind: (&str, &str), guard: &str, threshold: u64) -> String {
    let body = fill(
        "
int main(void) {
  $type n = __VERIFIER_nondet_$read();$guard
  $type i = 0;
  $type lines = 0;
  while (i < n) {
    lines = lines + 1;
    i = i + 1;
  }
  if (lines >= $threshold)
    reach_error();
  return 0;
}
",
        &[
            ("type", &kind.0),
            ("read", &kind.1),
            ("guard", &guard),
            ("threshold", &threshold),
        ],
    );
    program(
        name,
        "EX-1: counts the lines of a request whose length is an input.",
        why,
        &body,
    )
}

const INT: (&str, &str) = ("int", "int");
const UNSIGNED: (&str, &str) = ("unsigned int", "uint");

fn guard(limit: i64) -> String {
    format!("\n  if (n > {limit})\n    return 0;")
}

fn plain() -> SuiteTask {
    SuiteTask::broken(
        "ex1",
        count_lines("ex1", "UNSAFE: 1000 lines are enough.", INT, "", 1000),
        Inputs::from([1000]),
    )
}

fn plain_unsigned() -> SuiteTask {
    let why = "UNSAFE: five million lines are enough.";
    SuiteTask::broken(
        "ex1-unsigned",
        count_lines("ex1-unsigned", why, UNSIGNED, "", 5_000_000),
        Inputs::from([5_000_000]),
    )
}

fn limited() -> SuiteTask {
    let make = |name, limit, threshold| {
        let why = "SAFE: lines equals i, which stops at n, and longer requests were turned away.";
        count_lines(name, why, INT, &guard(limit), threshold)
    };
    SuiteTask::safe(
        "ex1-limited",
        make("ex1-limited", 999, 1000),
        Evidence::of_one(
            [make("small", 9, 10), make("flipped", 10, 10)],
            Domains::fixed([Domain::Range(-3, 15)]),
            vec![[999].into(), [1000].into(), [-1].into()],
        ),
    )
}

/// Adds a constant in each round and waits for one exact sum.
fn add_steps(
    name: &str,
    why: &str,
    kind: (&str, &str),
    limit: u64,
    step: u64,
    target: u64,
) -> String {
    let body = fill(
        "
int main(void) {
  $type n = __VERIFIER_nondet_$read();
  if (n > $limit)
    return 0;
  $type sum = 0;
  for ($type i = 0; i < n; i++)
    sum = sum + $step;
  if (sum == $target)
    reach_error();
  return 0;
}
",
        &[
            ("type", &kind.0),
            ("read", &kind.1),
            ("limit", &limit),
            ("step", &step),
            ("target", &target),
        ],
    );
    program(
        name,
        "EX-1 with another step: only one exact sum opens the lock.",
        why,
        &body,
    )
}

fn step() -> SuiteTask {
    let why = "UNSAFE: 6000 steps of 7 make 42000.";
    SuiteTask::broken(
        "ex1-step",
        add_steps("ex1-step", why, INT, 100_000, 7, 42_000),
        Inputs::from([6000]),
    )
}

fn step_off() -> SuiteTask {
    let make = |name, limit, target| {
        let why =
            "SAFE: the sum stays a multiple of 7 and far from the largest int; the target is none.";
        add_steps(name, why, INT, limit, 7, target)
    };
    SuiteTask::safe(
        "ex1-step-off",
        make("ex1-step-off", 100_000, 42_001),
        Evidence::of_one(
            [make("small", 12, 15), make("flipped", 12, 14)],
            Domains::fixed([Domain::Range(-2, 16)]),
            vec![[6000].into(), [6001].into(), [100_000].into()],
        ),
    )
}

/// Rounds until the sum of `STEP`s, which wraps once on the way, is `TARGET`.
const ROUNDS: u64 = 50_000;
const STEP: u64 = 100_003;
const TARGET: u64 = (ROUNDS * STEP) % (1 << 32);

fn wrap() -> SuiteTask {
    let why =
        "UNSAFE: the target is no multiple of the step; the sum meets it after it wrapped around.";
    SuiteTask::broken(
        "ex1-wrap",
        add_steps("ex1-wrap", why, UNSIGNED, 60_000, STEP, TARGET),
        Inputs::from([50_000]),
    )
}

fn wrap_limited() -> SuiteTask {
    let make = |name, kind, limit, step, target| {
        let why = "SAFE: the step is odd, so sums repeat only after as many rounds as the type has values; \
                   the first round that meets the target is the one after the limit.";
        add_steps(name, why, kind, limit, step, target)
    };
    let byte = ("unsigned char", "uchar");
    SuiteTask::safe(
        "ex1-wrap-limited",
        make("ex1-wrap-limited", UNSIGNED, ROUNDS - 1, STEP, TARGET),
        Evidence::of_one(
            [
                make("small", byte, 99, 37, 100 * 37 % 256),
                make("flipped", byte, 100, 37, 100 * 37 % 256),
            ],
            Domains::fixed([Domain::Range(0, 255)]),
            vec![[49_999].into(), [50_000].into()],
        ),
    )
}

/// Takes slices off a `long`: how many there are depends on the data model.
fn slices(name: &str, why: &str, kind: (&str, &str), slice: u64, threshold: u64) -> String {
    let body = fill(
        "
int main(void) {
  $type n = __VERIFIER_nondet_$read();
  int slices = 0;
  while (n > 0) {
    n = n - $slice;
    slices = slices + 1;
  }
  if (slices >= $threshold)
    reach_error();
  return 0;
}
",
        &[
            ("type", &kind.0),
            ("read", &kind.1),
            ("slice", &slice),
            ("threshold", &threshold),
        ],
    );
    let what =
        "EX-1 over a long, cut into slices: 43 of them are more than a long of 32 bits can hold.";
    program(name, what, why, &body)
}

const LONG: (&str, &str) = ("long", "long");

fn long_lp64() -> SuiteTask {
    let why = "UNSAFE under LP64: 2150000001 makes 44 slices.";
    SuiteTask::broken(
        "ex1-long-lp64",
        slices("ex1-long-lp64", why, LONG, 50_000_000, 44),
        Inputs::from([2_150_000_001]),
    )
    .under(DataModel::Lp64)
}

fn long_ilp32() -> SuiteTask {
    let make = |name, kind, slice, threshold| {
        let why = "SAFE under ILP32: the largest value makes one slice less than asked for.";
        slices(name, why, kind, slice, threshold)
    };
    let short = ("short", "short");
    SuiteTask::safe(
        "ex1-long-ilp32",
        make("ex1-long-ilp32", LONG, 50_000_000, 44),
        Evidence::of_one(
            [
                make("small", short, 500, 67),
                make("flipped", short, 500, 66),
            ],
            Domains::fixed([Domain::Range(-32_768, 32_767)]),
            vec![[2_147_483_647].into(), [-2_147_483_648].into()],
        ),
    )
}

fn below_zero() -> SuiteTask {
    let make = |name, limit: u64, floor: u64| {
        let body = fill(
            "
int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  if (n < 1 || n > $limit)
    return 0;
  unsigned int x = 0;
  while (n > 0) {
    x = x - 1;
    n = n - 1;
  }
  if (x < $floor)
    reach_error();
  return 0;
}
",
            &[("limit", &limit), ("floor", &literal(floor))],
        );
        let what = "EX-1 downwards: an unsigned counter steps below zero and goes on from the largest value.";
        let why = "SAFE: after n rounds x is 2^32 - n, and n is at most the limit; a tool that lets x become \
                   negative sees an error.";
        program(name, what, why, &body)
    };
    const TOP: u64 = 1 << 32;
    SuiteTask::safe(
        "ex1-below-zero",
        make("ex1-below-zero", 1000, TOP - 1000),
        Evidence::of_one(
            [make("small", 9, TOP - 9), make("flipped", 9, TOP - 8)],
            Domains::fixed([Domain::Range(0, 12)]),
            vec![[0].into(), [1].into(), [1000].into()],
        ),
    )
}
