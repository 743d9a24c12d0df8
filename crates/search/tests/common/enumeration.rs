//! Random programs about arrays, held against all of their runs.

use std::time::Duration;

use rhumb_certify::Verdict;
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_search::{decide, entry};
use rhumb_summary::Preset;

use super::program;

/// A small generator.
pub struct Draw(pub u64);

impl Draw {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    pub fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// How many programs are right, how many of these were proved, and how many are wrong.
#[derive(Default)]
pub struct Tally {
    pub right: u32,
    pub proved: u32,
    pub wrong: u32,
}

/// Asks the engine for elements about programs, which read a length, up to the given one, and an index: none that is
/// wrong is proved, none that is right is refuted.
pub fn against_enumeration(
    texts: impl Iterator<Item = String>,
    longest: u128,
    work: Work,
) -> Tally {
    let mut tally = Tally::default();
    for text in texts {
        let is_wrong = fails(&text, longest);
        let budget = Budget::time(Duration::from_secs(3600)).within(work);
        let engine = entry("elements").expect("an engine");
        let decision = decide(&program(&text), engine, Preset::Full, &budget, &mut ());
        match decision.verdict {
            Verdict::Safe(_) => assert!(!is_wrong, "proved, and wrong\n{text}"),
            Verdict::Unsafe(_) => assert!(is_wrong, "refuted, and right\n{text}"),
            Verdict::Unknown(_) => {}
        }
        tally.wrong += u32::from(is_wrong);
        tally.right += u32::from(!is_wrong);
        tally.proved += u32::from(matches!(decision.verdict, Verdict::Safe(_)));
    }
    tally
}

/// Whether a run reaches the error, by running all of them.
fn fails(text: &str, longest: u128) -> bool {
    let program = program(text);
    let machine = Machine::compile(&program);
    let sites: Vec<_> = program.inputs.indices().collect();
    (0..=longest).any(|n| {
        (0..20).any(|j| {
            let mut inputs = KeyedInputs::new();
            for (&site, value) in sites.iter().zip([n, j]) {
                inputs.push_value(site, value, 1);
            }
            let run = machine.run(&mut inputs, &RunLimits::default());
            matches!(run.outcome, Outcome::Target { .. })
        })
    })
}
