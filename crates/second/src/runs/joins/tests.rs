//! The road by itself, on random programs of which the answer is known: it agrees with true claims, and with no false
//! one.

use std::time::Duration;

use rhumb_cfront::{Options, compile_text};
use rhumb_program::Program;
use rhumb_truth::kinds::{Kind, sample};
use rhumb_truth::threads::enumerate::enumerate;
use rhumb_truth::threads::generate;

use crate::decide::OpinionLimits;
use crate::runs::{Runs, opinion};
use crate::{Opinion, Solver};

fn lowered(text: &str) -> Program {
    compile_text("case.c", text, &Options::default()).expect("it is valid")
}

fn meets(program: &Program, solver: &Solver) -> Opinion {
    let limits = OpinionLimits::new(Duration::from_secs(3), &|| false);
    let mut runs = Runs::new(program, solver, &limits, true);
    opinion(runs.all_joined())
}

fn follows(program: &Program, solver: &Solver) -> Opinion {
    let limits = OpinionLimits::new(Duration::from_secs(3), &|| false);
    let mut runs = Runs::new(program, solver, &limits, false);
    opinion(runs.all())
}

/// Counts what was said of safe programs and of others, and fails where it is wrong.
#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    agreed: usize,
    broken: usize,
    refused: usize,
}

impl Tally {
    fn add(&mut self, is_safe: bool, said: &Opinion, what: &str) {
        match is_safe {
            true => assert!(!matches!(said, Opinion::Rejected(_)), "{said:?}: {what}"),
            false => assert_ne!(*said, Opinion::Valid, "{what}"),
        }
        self.safe += usize::from(is_safe);
        self.agreed += usize::from(*said == Opinion::Valid);
        self.broken += usize::from(!is_safe);
        self.refused += usize::from(matches!(said, Opinion::Rejected(_)));
    }

    /// Whether there were true claims and false ones, and both were told from one another.
    fn is_useful(&self) -> bool {
        self.agreed >= 2 && self.refused >= 2
    }
}

#[test]
fn schedules_that_meet_are_all_schedules() {
    let Ok(solver) = Solver::if_there() else {
        return;
    };
    let (mut met, mut followed) = (Tally::default(), Tally::default());
    for seed in 0..20 {
        let threaded = generate(seed);
        let Some(truth) = enumerate(&threaded, 20_000) else {
            continue;
        };
        let text = threaded.source(false);
        let program = lowered(&text);
        met.add(!truth.fails, &meets(&program, &solver), &text);
        followed.add(!truth.fails, &follows(&program, &solver), &text);
    }
    assert!(met.is_useful(), "{met:?}");
    assert!(followed.is_useful(), "{followed:?}");
}

#[test]
fn ways_that_meet_are_all_ways() {
    let Ok(solver) = Solver::if_there() else {
        return;
    };
    for kind in [Kind::Memory, Kind::Checks, Kind::Bits] {
        let mut met = Tally::default();
        for seed in 0..12 {
            let Ok(sample) = sample(kind, seed) else {
                continue;
            };
            let program = kind.lower(&sample.text).expect("it is a program");
            if sample.truth.is_safe() && sample.truth.is_sampled {
                continue;
            }
            met.add(
                sample.truth.is_safe(),
                &meets(&program, &solver),
                &sample.text,
            );
        }
        assert!(met.agreed + met.refused >= 3, "{kind:?}: {met:?}");
    }
}
