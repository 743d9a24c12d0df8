//! The key is how often a loop runs (the examples of Godefroid and Luchaup, "Automatic Partial Loop Summarization in Dynamic Test
//! Generation", and of Saxena et al., "Loop-Extended Symbolic Execution").

use crate::inputs::value;
use crate::source::{fill, program};
use crate::{Family, Inputs, SuiteTask};

/// The most rounds that the countdowns allow; it keeps every counter within an int.
pub(super) const LIMIT: u64 = 1_000_000_000;

pub(super) fn inside() -> Family {
    Family {
        name: "godefroid-issta-1a",
        description: "A countdown from an input counts its rounds; the error lies inside the loop, in one round.",
        stands_for: "errors in the middle of a long loop, with a nonlinear sum beside it",
        knob: "the round of the error",
        sizes: 1..=LIMIT - 1,
        shipped: &[100, 1000, 10_000],
        make: |size| {
            let name = format!("godefroid-issta-1a-{size}");
            let body = fill(
                "
int main(void) {
  int x = __VERIFIER_nondet_int();
  int rounds = 0;
  unsigned int sum = 0;
  while (x > 0) {
    if (rounds == $size)
      reach_error();
    rounds = rounds + 1;
    sum = sum + rounds;
    x = x - 1;
  }
  return 0;
}
",
                &[("size", &size)],
            );
            let what = "Counts down from an input, counts the rounds, and adds up their numbers.";
            let why = format!(
                "UNSAFE: the countdown has a round number {size} if it starts above {size}."
            );
            SuiteTask::broken(&name, program(&name, what, &why, &body), key(size + 1))
        },
    }
}

pub(super) fn after() -> Family {
    Family {
        name: "godefroid-issta-1b",
        description: "The same countdown; the error lies behind the loop and asks for the exact number of rounds.",
        stands_for: "length fields that must agree with what a loop has consumed",
        knob: "the number of rounds",
        sizes: 1..=LIMIT,
        shipped: &[100, 1000, 10_000],
        make: |size| {
            let name = format!("godefroid-issta-1b-{size}");
            let why = format!("UNSAFE: the countdown starts at {size}.");
            SuiteTask::broken(&name, countdown(&name, &why, LIMIT, 1, size), key(size))
        },
    }
}

/// Counts down from an input, adds `step` to `rounds` each time, and asks for one value of `rounds`.
pub(super) fn countdown(name: &str, why: &str, limit: u64, step: u64, target: u64) -> String {
    let body = fill(
        "
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > $limit)
    return 0;
  int rounds = 0;
  unsigned int sum = 0;
  while (x > 0) {
    rounds = rounds + $step;
    sum = sum + rounds;
    x = x - 1;
  }
  if (rounds == $target)
    reach_error();
  return 0;
}
",
        &[("limit", &limit), ("step", &step), ("target", &target)],
    );
    let what = "Counts down from an input and asks behind the loop for one exact count.";
    program(name, what, why, &body)
}

pub(super) fn product() -> Family {
    Family {
        name: "godefroid-issta-2",
        description: "An inner loop counts y in every round of an outer loop with two exits; the error asks for y times the size.",
        stands_for: "nested loops over tables whose two dimensions are inputs",
        knob: "the number of outer rounds",
        sizes: 1..=100_000,
        shipped: &[11, 101, 1001],
        make: |size| {
            let name = format!("godefroid-issta-2-{size}");
            let body = fill(
                "
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  int z = __VERIFIER_nondet_int();
  if (x > 1000000 || y < 1 || y > 1000)
    return 0;
  int cells = 0;
  while (x > 0) {
    int rest = y;
    while (rest > 0) {
      cells = cells + 1;
      rest = rest - 1;
    }
    if (z <= 0)
      break;
    x = x - 1;
    z = z - 1;
  }
  if (cells == y * $size)
    reach_error();
  return 0;
}
",
                &[("size", &size)],
            );
            let what = "Counts the cells of rows of length y; the rows end when x or z is used up.";
            let why = format!("UNSAFE: {size} rows, so x = {size} and z at least {size} - 1.");
            SuiteTask::broken(
                &name,
                program(&name, what, &why, &body),
                key(size).then(2).then(value(size) - 1),
            )
        },
    }
}

pub(super) fn lese() -> Family {
    Family {
        name: "lese",
        description: "A loop whose length is an input uses up room; the error comes when no room is left.",
        stands_for: "buffer overruns on long input",
        knob: "the room",
        sizes: 1..=LIMIT,
        shipped: &[100, 1000, 10_000],
        make: |size| {
            let name = format!("lese-{size}");
            let why = format!("UNSAFE: {size} items fill the room.");
            SuiteTask::broken(&name, fill_room(&name, &why, size, None), key(size))
        },
    }
}

/// Puts as many items as an input says into a room; `limit` turns longer inputs away.
pub(super) fn fill_room(name: &str, why: &str, room: u64, limit: Option<u64>) -> String {
    let guard = limit.map_or(String::new(), |limit| {
        format!("\n  if (items > {limit})\n    return 0;")
    });
    let body = fill(
        "
int main(void) {
  int items = __VERIFIER_nondet_int();$guard
  int room = $room;
  int stored = 0;
  while (stored < items) {
    stored = stored + 1;
    room = room - 1;
  }
  if (room <= 0)
    reach_error();
  return 0;
}
",
        &[("guard", &guard), ("room", &room)],
    );
    program(
        name,
        "Stores items without looking at the room that is left.",
        why,
        &body,
    )
}

fn key(size: u64) -> Inputs {
    Inputs::new().then(value(size))
}
