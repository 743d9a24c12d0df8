//! Evidence under attack: what an engine gives holds when it is read again, and not for a program of which the opposite is true.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rhumb_certify::counterexample::Budget as RunBudget;
use rhumb_certify::file::{Certificate, Recheck};
use rhumb_certify::{Verdict, counterexample, proof};
use rhumb_difftest::rng::Rng;
use rhumb_logic::Budget;
use rhumb_search::{CATALOG, decide};
use rhumb_summary::Preset;

use crate::explore::{ExploreLimits, explore};
use crate::generate::{Sample, sample};
use crate::lower::lower;
use crate::mutate::{Change, mutate};

/// Mutants, of a hundred, of which the same is true, that are looked at.
const SAME: u32 = 10;

/// How far programs and their mutants are explored.
const LIMITS: ExploreLimits = ExploreLimits {
    states: 1_000,
    steps: 20_000,
};

/// Programs whose evidence is attacked.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// The number that the first program is made from.
    pub first_seed: u64,
    /// How many programs there must be of each kind, safe and unsafe, at the least.
    pub of_each: u64,
    /// How many mutants of each program are made.
    pub mutants: u64,
    /// Time for each decision and each check.
    pub time: Duration,
    /// How many programs are worked on at the same time.
    pub jobs: usize,
}

/// What became of an attack.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Proofs that hold when they are read again.
    pub proofs: u64,
    /// Counterexamples that do.
    pub runs: u64,
    /// Unsafe mutants for which the proof was rejected.
    pub unsafe_mutants: u64,
    /// Safe mutants for which the counterexample was rejected.
    pub safe_mutants: u64,
    /// Mutants of which the same is true and that have the same evidence.
    pub same: u64,
    /// Evidence that didn't hold, or held for a program of which the opposite is true.
    pub wrong: Vec<String>,
}

impl Attack {
    /// Makes programs until there are enough of each kind, and attacks what the default engine says about them.
    pub fn run(&self) -> Tally {
        let (next, tally) = (
            AtomicU64::new(self.first_seed),
            Mutex::new(Tally::default()),
        );
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        let one = sample(seed, LIMITS).ok().and_then(|it| self.attack(&it));
                        let mut all = tally.lock().unwrap_or_else(PoisonError::into_inner);
                        one.into_iter().for_each(|one| all.add(one));
                        if all.proofs.min(all.runs) >= self.of_each || !all.wrong.is_empty() {
                            break;
                        }
                    }
                });
            }
        });
        tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn budget(&self) -> Budget {
        Budget::time(self.time)
    }

    /// Attacks the evidence for one program; nothing if there is none.
    fn attack(&self, sample: &Sample) -> Option<Tally> {
        let mut tally = Tally::default();
        let program = lower(&sample.text).ok()?;
        let engine = &CATALOG[0];
        let verdict = decide(&program, engine, Preset::Full, &self.budget(), &mut ()).verdict;
        let certificate = Certificate::of(&program, &verdict)?;
        match self.read_again(
            sample,
            &verdict,
            certificate.and_then(|made| made.to_json()),
        ) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(why) => {
                tally.wrong.push(why);
                return Some(tally);
            }
        }
        let is_safe = matches!(verdict, Verdict::Safe(_));
        match is_safe {
            true => tally.proofs = 1,
            false => tally.runs = 1,
        }
        let mut rng = Rng::new(sample.seed);
        for _ in 0..self.mutants {
            let Some(mutant) = mutate(&sample.text, Change::Value, &mut rng) else {
                continue;
            };
            let Ok(changed) = lower(&mutant) else {
                continue;
            };
            let Ok(truth) = explore(&changed, &[], LIMITS) else {
                continue;
            };
            let opposite = truth.is_safe() != is_safe;
            if !opposite && !rng.percent(SAME) {
                continue;
            }
            // The evidence itself, not its file: that is for one program only, by its fingerprint.
            let holds = match &verdict {
                Verdict::Safe(found) => {
                    proof::check(&changed, found.evidence(), &self.budget()).is_ok()
                }
                Verdict::Unsafe(found) => {
                    counterexample::check(&changed, found.evidence(), &RunBudget::default()).is_ok()
                }
                Verdict::Unknown(_) => continue,
            };
            match (opposite, holds) {
                (true, true) => tally.wrong.push(format!(
                    "seed {}: evidence holds for a mutant of which the opposite is true\n{mutant}",
                    sample.seed
                )),
                (true, false) if is_safe => tally.unsafe_mutants += 1,
                (true, false) => tally.safe_mutants += 1,
                (false, holds) => tally.same += u64::from(holds),
            }
        }
        Some(tally)
    }

    /// Whether evidence holds when it is read from its text alone, against a program that is lowered anew; or, if there
    /// was no time to tell, not.
    fn read_again(
        &self,
        sample: &Sample,
        verdict: &Verdict,
        text: Result<String, impl std::fmt::Display>,
    ) -> Result<bool, String> {
        let seed = sample.seed;
        let text = text.map_err(|why| format!("seed {seed}: not written: {why}"))?;
        let again = Certificate::from_json(text.as_bytes())
            .map_err(|why| format!("seed {seed}: not read: {why}"))?;
        let checked = again
            .check(&lower(&sample.text)?, &self.budget())
            .map_err(|why| format!("seed {seed}: not checked: {why}"))?;
        match (checked, verdict) {
            (Recheck::Safe, Verdict::Safe(_)) | (Recheck::Unsafe, Verdict::Unsafe(_)) => Ok(true),
            (Recheck::Undecided(_), _) => Ok(false),
            (other, _) => Err(format!("seed {seed}: {other:?}\n{}", sample.text)),
        }
    }
}

impl Tally {
    fn add(&mut self, one: Tally) {
        self.proofs += one.proofs;
        self.runs += one.runs;
        self.unsafe_mutants += one.unsafe_mutants;
        self.safe_mutants += one.safe_mutants;
        self.same += one.same;
        self.wrong.extend(one.wrong);
    }
}
