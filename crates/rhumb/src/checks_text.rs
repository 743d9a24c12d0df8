//! Checks for undefined behaviour in words: grouped for people, with the property that is violated and what exactly is wrong.

use std::collections::BTreeMap;

use rhumb_certify::counterexample::Counterexample;
use rhumb_program::interp::{self, Limits, Machine};
use rhumb_program::{Leak, Program, TargetKind, UbKind};
use rhumb_search::Outcome;

use crate::report::TargetReport;

/// How many checks of which nothing is known are listed.
const UNKNOWN_CHECKS: usize = 10;

/// Checks of one kind on one line are one to people: the worst that is known of them.
#[derive(Default)]
pub(crate) struct Grouped {
    /// Those that fail, and some of those of which nothing is known.
    pub(crate) notable: Vec<(String, Outcome)>,
    hold: usize,
    fail: usize,
    unknown: usize,
}

impl Grouped {
    pub(crate) fn of(checks: &[&TargetReport]) -> Grouped {
        let mut worst: Vec<(&str, &Outcome)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for check in checks {
            let place = *places.entry(&check.name).or_insert(worst.len());
            match worst.get_mut(place) {
                Some(known) if badness(known.1) < badness(&check.outcome) => {
                    known.1 = &check.outcome
                }
                Some(_) => {}
                None => worst.push((&check.name, &check.outcome)),
            }
        }
        let mut grouped = Grouped::default();
        for (name, outcome) in worst {
            let is_notable = match outcome {
                Outcome::Safe => {
                    grouped.hold += 1;
                    false
                }
                Outcome::Unsafe => {
                    grouped.fail += 1;
                    true
                }
                Outcome::Unknown(_) => {
                    grouped.unknown += 1;
                    grouped.unknown <= UNKNOWN_CHECKS
                }
            };
            if is_notable {
                grouped.notable.push((name.to_owned(), outcome.clone()));
            }
        }
        grouped
    }

    /// How many of them there are of each sort.
    pub(crate) fn counts(&self) -> String {
        let all = self.hold + self.fail + self.unknown;
        if all == 0 {
            return String::new();
        }
        let mut parts = Vec::new();
        let plural = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        if self.hold > 0 {
            parts.push(plural(self.hold, "holds", "hold"));
        }
        if self.fail > 0 {
            parts.push(plural(self.fail, "fails", "fail"));
        }
        if self.unknown > 0 {
            parts.push(format!("{} unknown", self.unknown));
        }
        format!("{}: {}\n", plural(all, "check", "checks"), parts.join(", "))
    }
}

fn badness(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Safe => 0,
        Outcome::Unknown(_) => 1,
        Outcome::Unsafe => 2,
    }
}

/// The property of the competition that is violated where a check fails.
pub(crate) fn property_of(kind: &TargetKind) -> Option<&'static str> {
    Some(match kind {
        TargetKind::Undefined(kind) => match kind {
            UbKind::SignedOverflow => "no-overflow",
            UbKind::BadRead | UbKind::BadWrite | UbKind::BadCall => "valid-deref",
            UbKind::BadFree => "valid-free",
            _ => "def-behavior",
        },
        TargetKind::Leak(Leak::Lost) => "valid-memtrack",
        TargetKind::Leak(Leak::Unfreed) => "valid-memcleanup",
        TargetKind::Call(_)
        | TargetKind::Assertion
        | TargetKind::Label(_)
        | TargetKind::Goal(_) => return None,
    })
}

/// Steps of the interpreter that finding words for an error is worth.
const STEPS_FOR_WORDS: u64 = 10_000_000;

/// What exactly is undefined at the end of a run: the program is executed again as if nobody had asked for it.
pub(crate) fn fault(program: &Program, counterexample: &Counterexample) -> Option<String> {
    let program = program.without_checks();
    let limits = Limits {
        steps: STEPS_FOR_WORDS,
        ..Limits::default()
    };
    let mut inputs = counterexample.inputs.clone();
    match Machine::compile(&program).run(&mut inputs, &limits).outcome {
        interp::Outcome::Undefined(fault) => Some(fault.describe(&program)),
        _ => None,
    }
}
