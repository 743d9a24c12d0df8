//! Proofs for any number of threads, against all interleavings of few of them on a machine of its own: what goes wrong
//! with one to four threads must not be proved.

use std::time::Duration;

use rhumb_certify::proof::{AllSchedules, Followed};
use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_logic::{Budget, Work};
use rhumb_program::Program;
use rhumb_truth::threads::crowd::generate;
use rhumb_truth::threads::enumerate::enumerate_created;

const MOST_THREADS: usize = 4;
const MOST_STATES: usize = 5_000;

/// What a proof may take: some 100,000 steps, and what is left of it when no question can be asked any more.
const UNITS: u64 = 600_000;

fn lowered(source: String) -> Program {
    let source = load_text("case.c", source.into_bytes(), &LoadOptions::default());
    let compiled = compile(source.expect("it is C").map, &Options::default());
    compiled.program.expect("it is valid")
}

/// Whether the proof for any number of threads comes to an end soon.
fn is_proved(program: &Program) -> bool {
    let mut crowd = AllSchedules::crowded(program);
    let budget = Budget::time(Duration::from_secs(60)).with_allowance(UNITS);
    matches!(crowd.go_on(&budget, Work::secs(60)), Followed::Complete(_))
}

/// Whether an assertion fails with some number of threads that is small enough to be enumerated; and whether one was.
fn fails(program: &rhumb_truth::threads::crowd::Crowd) -> Option<bool> {
    let mut known = None;
    for created in 1..=MOST_THREADS {
        match enumerate_created(&program.kinds, created, MOST_STATES) {
            Some(truth) if truth.fails => return Some(true),
            Some(_) => known = Some(false),
            None => break,
        }
    }
    known
}

#[test]
fn what_few_threads_do_wrong_is_not_proved_of_many() {
    // More of them where somebody asks for that.
    let asked = std::env::var("RHUMB_CROWDS").ok();
    let count: u64 = asked.and_then(|count| count.parse().ok()).unwrap_or(30);
    let (mut safe, mut failing, mut proved) = (0, 0, 0);
    for seed in 0..count {
        let program = generate(seed);
        let Some(fails) = fails(&program) else {
            continue;
        };
        let source = program.source();
        let is_proved = is_proved(&lowered(source.clone()));
        assert!(!(is_proved && fails), "seed {seed} is not safe:\n{source}");
        safe += u64::from(!fails);
        failing += u64::from(fails);
        proved += u64::from(is_proved);
    }
    assert!(failing >= count / 10, "{failing} fail of {count}");
    assert!(8 * proved >= safe, "{proved} proved of {safe}");
}
