//! Locks that look like the others and that no key opens: each is one constant away from an unsafe one.

use super::counting::{LIMIT, countdown, fill_room};
use super::machines::{advance, reads};
use crate::source::{fill, lines, program};
use crate::{Domain, Domains, Evidence, Inputs, SuiteTask};

pub(super) fn tasks() -> Vec<SuiteTask> {
    vec![room(), even_rounds(), late_word()]
}

fn room() -> SuiteTask {
    let make = |name, room, limit| {
        let why = "SAFE: room and stored add up to the room at the start, and fewer items than that are let in.";
        fill_room(name, why, room, Some(limit))
    };
    SuiteTask::safe(
        "lese-jammed",
        make("lese-jammed", 10_000, 9999),
        Evidence::of_one(
            [make("small", 10, 9), make("flipped", 10, 10)],
            Domains::fixed([Domain::Range(-3, 15)]),
            vec![[9999].into(), [10_000].into()],
        ),
    )
}

fn even_rounds() -> SuiteTask {
    let make = |name, limit, target| {
        let why = "SAFE: rounds stays even and within an int, and the count asked for is odd.";
        countdown(name, why, limit, 2, target)
    };
    SuiteTask::safe(
        "godefroid-issta-1b-jammed",
        make("godefroid-issta-1b-jammed", LIMIT, 10_001),
        Evidence::of_one(
            [make("small", 10, 7), make("flipped", 10, 8)],
            Domains::fixed([Domain::Range(-3, 15)]),
            vec![[5000].into(), [5001].into(), [10_001].into()],
        ),
    )
}

/// The word machine with its tests in the opposite order, so that a round takes at most one letter.
fn late_word() -> SuiteTask {
    const WORD: &[u8] = b"abracadabra";
    let make = |name, word: &[u8], rounds: usize| {
        let backwards = (0..word.len() as u64).rev();
        let tests = lines(backwards, |k| {
            advance(k, &format!("s{k}"), word[k as usize])
        });
        let body = fill(
            "
int main(void) {
  int state = 0;
  for (int round = 0; round < $rounds; round++) {
$reads
$tests
    if (state == $last)
      reach_error();
  }
  return 0;
}
",
            &[
                ("rounds", &rounds),
                ("reads", &reads(word)),
                ("tests", &tests),
                ("last", &word.len()),
            ],
        );
        let what =
            "The machine that takes the letters of one word, with its tests in the opposite order.";
        let why =
            "SAFE: each round takes at most one letter, and there is one round less than letters.";
        program(name, what, why, &body)
    };
    let small = b"abc";
    let letters = small.map(|letter| Domain::Values(vec![0, i64::from(letter)]));
    let near_miss = Inputs::from_iter(WORD.repeat(WORD.len()).into_iter().map(i64::from));
    SuiteTask::safe(
        "abracadabra-jammed",
        make("abracadabra-jammed", WORD, WORD.len() - 1),
        Evidence::of_one(
            [make("small", small, 2), make("flipped", small, 3)],
            Domains {
                first: Vec::new(),
                then: letters.into(),
                reads: 9,
            },
            vec![near_miss],
        ),
    )
}
