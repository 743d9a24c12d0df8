//! Many programs, every engine, and the count of what came of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rhumb_certify::Verdict;
use rhumb_program::Program;
use rhumb_program::interp::{Limits as RunLimits, Machine, Outcome};
use rhumb_search::Entry;

use crate::decide::{Answer, Said, ask};
use crate::explore::{Explored, Failure, Limits};
use crate::generate::{Sample, sample};
use crate::lower::lower;

/// Programs to be put to engines.
#[derive(Clone)]
pub struct Campaign {
    /// The first number that a program is made from.
    pub first_seed: u64,
    /// How many programs. (Numbers whose program has too many states are passed over.)
    pub count: u64,
    /// The engines.
    pub engines: Vec<&'static Entry>,
    /// Time for each engine and program.
    pub time: Duration,
    /// How much of a program is explored.
    pub limits: Limits,
    /// How many programs are worked on at the same time.
    pub jobs: usize,
}

/// What an engine's answer is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Worth {
    /// It is true.
    Right,
    /// The engine doesn't know, for this reason.
    Unknown(String),
    /// It is not true, or there was none: what was said and what is true.
    Wrong(String),
}

/// A program and what the engines said.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The program.
    pub sample: Sample,
    /// The engines by name, with their answers and what these are worth.
    pub answers: Vec<(&'static str, Answer, Worth)>,
}

/// What an answer is worth, given what is true.
pub fn judge(truth: &Explored, answer: &Answer) -> Worth {
    let verdict = match &answer.said {
        Said::Verdict(verdict) => verdict,
        Said::Panicked(message) => return Worth::Wrong(format!("a panic: {message}")),
        Said::Hung => return Worth::Wrong("no answer".to_owned()),
    };
    match &**verdict {
        Verdict::Unknown(reason) => Worth::Unknown(reason.clone()),
        Verdict::Safe(_) if truth.is_safe() => Worth::Right,
        Verdict::Safe(_) => Worth::Wrong(format!("SAFE, but {:?}", truth.reached)),
        Verdict::Unsafe(found) => match truth.reached.contains_key(&found.evidence().target) {
            true => Worth::Right,
            false => Worth::Wrong(format!(
                "UNSAFE with {:?}, but only {:?} can be reached",
                found.evidence(),
                truth.reached.keys()
            )),
        },
    }
}

/// Whether the interpreter confirms what exploration says can be reached.
pub fn confirm(program: &Program, truth: &Explored) -> Result<(), String> {
    for (target, inputs) in &truth.reached {
        let run = Machine::compile(program).run(&mut inputs.clone(), &RunLimits::default());
        if run.outcome != Outcome::Target(*target) {
            return Err(format!("{target:?} on {inputs:?}: {:?}", run.outcome));
        }
    }
    Ok(())
}

impl Campaign {
    /// Puts all programs to all engines; `report` sees every finding, in no particular order.
    pub fn run(&self, report: &mut dyn FnMut(&Finding)) -> Tally {
        let (next, left) = (AtomicU64::new(self.first_seed), AtomicU64::new(self.count));
        let (sender, findings) = mpsc::channel();
        let mut tally = Tally::default();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let (next, left, sender) = (&next, &left, sender.clone());
                scope.spawn(move || {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        let take = |left: u64| left.checked_sub(1);
                        let made = sample(seed, self.limits);
                        if made.is_ok()
                            && left
                                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                                .is_err()
                        {
                            break;
                        }
                        let found = made.and_then(|sample| self.put(sample));
                        if sender.send((seed, found)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for (seed, found) in findings {
                match found {
                    Ok(finding) => {
                        tally.add(&finding);
                        report(&finding);
                    }
                    Err(Failure::TooLarge) => tally.too_large += 1,
                    Err(Failure::NotHere(what)) => tally.broken.push((seed, what)),
                }
            }
        });
        tally
    }

    /// Puts a program to all engines.
    fn put(&self, sample: Sample) -> Result<Finding, Failure> {
        let program = Arc::new(lower(&sample.text).map_err(Failure::NotHere)?);
        confirm(&program, &sample.truth).map_err(Failure::NotHere)?;
        let answers = self.engines.iter().map(|&engine| {
            let answer = ask(&program, engine, self.time);
            let worth = judge(&sample.truth, &answer);
            (engine.name, answer, worth)
        });
        let answers = answers.collect();
        Ok(Finding { sample, answers })
    }
}

/// What a campaign came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By engine.
    pub engines: BTreeMap<&'static str, EngineTally>,
    /// Numbers whose program has too many states.
    pub too_large: u64,
    /// Numbers whose program is not one that exploration handles, or on which it errs: defects of this crate.
    pub broken: Vec<(u64, String)>,
}

/// What an engine did.
#[derive(Clone, Debug, Default)]
pub struct EngineTally {
    /// Safe programs.
    pub safe: u64,
    /// Those that it proved.
    pub proved: u64,
    /// Unsafe programs.
    pub not_safe: u64,
    /// Those whose error it found.
    pub refuted: u64,
    /// Numbers of the programs on which it was wrong.
    pub wrong: Vec<u64>,
    /// Why it didn't know, with numbers left out; how often, and for which number first.
    pub unknown: BTreeMap<String, (u64, u64)>,
    /// Time of all programs together.
    pub time: Duration,
    /// The longest time that a program took, and its number.
    pub slowest: (Duration, u64),
}

impl EngineTally {
    /// The share of programs that it decided.
    pub fn decided(&self) -> f64 {
        share(self.proved + self.refuted, self.safe + self.not_safe)
    }

    /// The share of safe programs that it proved.
    pub fn proved_share(&self) -> f64 {
        share(self.proved, self.safe)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

impl Tally {
    fn add(&mut self, finding: &Finding) {
        let safe = finding.sample.truth.is_safe();
        let seed = finding.sample.seed;
        for (name, answer, worth) in &finding.answers {
            let tally = self.engines.entry(name).or_default();
            let (all, decided) = match safe {
                true => (&mut tally.safe, &mut tally.proved),
                false => (&mut tally.not_safe, &mut tally.refuted),
            };
            *all += 1;
            match worth {
                Worth::Right => *decided += 1,
                Worth::Wrong(_) => tally.wrong.push(seed),
                Worth::Unknown(reason) => {
                    let kind = match safe {
                        true => "safe",
                        false => "unsafe",
                    };
                    let reason = format!("{kind}: {}", without_numbers(reason));
                    let count = tally.unknown.entry(reason).or_insert((0, seed));
                    count.0 += 1;
                }
            }
            tally.time += answer.time;
            tally.slowest = tally.slowest.max((answer.time, seed));
        }
    }

    /// Whether no engine was wrong and nothing here is broken.
    pub fn is_clean(&self) -> bool {
        self.broken.is_empty() && self.engines.values().all(|tally| tally.wrong.is_empty())
    }
}

/// The same text for the same reason: numbers and places don't matter.
fn without_numbers(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or("");
    let mut text = String::new();
    for c in line.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    match text.char_indices().nth(100) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}
