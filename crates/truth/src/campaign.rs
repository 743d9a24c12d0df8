//! Many programs, every engine, and the count of what came of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rhumb_certify::Verdict;
use rhumb_difftest::rng::Rng;
use rhumb_program::Program;
use rhumb_program::interp::{self, Machine};
use rhumb_search::{Entry, Outcome};
use rhumb_summary::Preset;

use crate::ask::{Answer, Said, ask};
use crate::explore::{ExploreLimits, Explored, Failure};
use crate::generate::{Family, Sample, sample_of};
use crate::mutate::{Change, mutate};

/// Sets the random choices of changes apart from those of programs.
const CHANGED: u64 = 0x6d75_7461_6e74;

/// Programs to be put to engines.
#[derive(Clone)]
pub struct Campaign {
    /// The first number that a program is made from.
    pub first_seed: u64,
    /// How many programs. (Numbers whose program has too many states are passed over.)
    pub count: u64,
    /// What programs are made of.
    pub family: Family,
    /// The engines.
    pub engines: Vec<&'static Entry>,
    /// What the engines may use.
    pub preset: Preset,
    /// Time for each engine and program.
    pub time: Duration,
    /// How much of a program is explored.
    pub limits: ExploreLimits,
    /// How many programs are worked on at the same time.
    pub jobs: usize,
    /// Tokens of each program that are changed before it is put to the engines. What comes out may be no program, or
    /// too large to be explored: then all that is asked for is an answer.
    pub changes: usize,
    /// When to begin no further program.
    pub until: Option<Instant>,
}

/// What an engine's answer is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Worth {
    /// It is true.
    Right,
    /// The engine doesn't know, for this reason.
    Unknown(String),
    /// It is an answer; whether it is true, nobody knows.
    Unchecked,
    /// Nothing of it is wrong, but evidence was claimed on the way that was rejected: why.
    Rejected(String),
    /// It is not true, or there was none: what was said and what is true.
    Wrong(String),
}

/// A program and what the engines said.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The program.
    pub sample: Sample,
    /// Whether what is true about it is known.
    pub is_known: bool,
    /// The engines by name, with their answers and what these are worth.
    pub answers: Vec<(&'static str, Answer, Worth)>,
}

/// What an answer is worth, given what is true.
pub fn judge(truth: &Explored, answer: &Answer) -> Worth {
    let decision = match &answer.said {
        Said::Decision(decision) => decision,
        Said::Panicked(message) => return Worth::Wrong(format!("a panic: {message}")),
        Said::Hung => return Worth::Wrong("no answer".to_owned()),
    };
    for (target, outcome) in decision.targets.iter_enumerated() {
        let reached = truth.reached.contains_key(&target);
        let wrong = match outcome {
            Outcome::Safe => reached,
            // Its run was replayed, and who tried some inputs only has not seen all.
            Outcome::Unsafe => !reached && !truth.is_sampled,
            Outcome::Unknown(_) => false,
        };
        if wrong {
            let reached = &truth.reached;
            return Worth::Wrong(format!("{outcome:?} about {target:?}, but {reached:?}"));
        }
    }
    let is_true = match &decision.verdict {
        Verdict::Unknown(_) => true,
        Verdict::Safe(_) => truth.is_safe(),
        Verdict::Unsafe(found) => {
            truth.is_sampled || truth.reached.contains_key(&found.evidence().target)
        }
    };
    match (is_true, answer.rejected.first(), &decision.verdict) {
        (false, ..) => Worth::Wrong(format!("{:?}, but {:?}", decision.verdict, truth.reached)),
        (true, Some(why), _) => Worth::Rejected(why.clone()),
        (true, None, Verdict::Unknown(reason)) => Worth::Unknown(reason.clone()),
        (true, None, _) => Worth::Right,
    }
}

/// Whether the interpreter confirms what exploration says can be reached.
pub fn confirm(program: &Program, truth: &Explored) -> Result<(), String> {
    for (target, inputs) in &truth.reached {
        let run = Machine::compile(program).run(&mut inputs.clone(), &interp::RunLimits::default());
        if run.outcome != interp::Outcome::Target(*target) {
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
                        if self.until.is_some_and(|until| Instant::now() >= until) {
                            break;
                        }
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        let take = |left: u64| left.checked_sub(1);
                        let made = sample_of(self.family, seed, self.limits);
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
        let (sample, is_known) = match self.changes {
            0 => (sample, true),
            _ => self.change(sample)?,
        };
        let lowered = self.family.lower(&sample.text);
        let program = Arc::new(lowered.map_err(Failure::NotHere)?);
        confirm(&program, &sample.truth).map_err(Failure::NotHere)?;
        let answers = self.engines.iter().map(|&engine| {
            let answer = ask(&program, engine, self.preset, self.time);
            let worth = match (&answer.said, judge(&sample.truth, &answer)) {
                (Said::Decision(_), _) if !is_known => Worth::Unchecked,
                (_, worth) => worth,
            };
            (engine.name, answer, worth)
        });
        let answers = answers.collect();
        Ok(Finding {
            sample,
            is_known,
            answers,
        })
    }

    /// The program with some tokens changed, and whether what is true about it is known.
    fn change(&self, mut sample: Sample) -> Result<(Sample, bool), Failure> {
        let mut rng = Rng::new(sample.seed ^ CHANGED);
        for _ in 0..self.changes {
            let change = match rng.percent(50) {
                true => Change::Value,
                false => Change::Token,
            };
            // What doesn't compile is not changed to.
            if let Some(text) = mutate(&sample.text, change, &mut rng)
                && self.family.lower(&text).is_ok()
            {
                sample.text = text;
            }
        }
        let program = self.family.lower(&sample.text).map_err(Failure::NotHere)?;
        let truth = self.family.truth(&program, self.limits);
        let is_known = truth.is_ok();
        sample.truth = truth.unwrap_or_default();
        Ok((sample, is_known))
    }
}

/// What a campaign came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By engine.
    pub engines: BTreeMap<&'static str, EngineTally>,
    /// Numbers whose program has too many states.
    pub too_large: u64,
    /// Programs of which nobody knows what is true.
    pub unchecked: u64,
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
    /// Targets of all programs.
    pub targets: u64,
    /// The targets that it decided.
    pub decided_targets: u64,
    /// Numbers of the programs on which it was wrong.
    pub wrong: Vec<u64>,
    /// Numbers of the programs on which it claimed evidence that was rejected.
    pub rejected: Vec<u64>,
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

    /// The share of targets that it decided.
    pub fn decided_targets_share(&self) -> f64 {
        share(self.decided_targets, self.targets)
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
        if !finding.is_known {
            self.unchecked += 1;
        }
        let safe = finding.sample.truth.is_safe();
        let seed = finding.sample.seed;
        for (name, answer, worth) in &finding.answers {
            let tally = self.engines.entry(name).or_default();
            tally.time += answer.time;
            tally.slowest = tally.slowest.max((answer.time, seed));
            if *worth == Worth::Unchecked {
                continue;
            }
            let (all, decided) = match safe {
                true => (&mut tally.safe, &mut tally.proved),
                false => (&mut tally.not_safe, &mut tally.refuted),
            };
            *all += 1;
            if let Said::Decision(decision) = &answer.said {
                let open = |outcome: &&Outcome| matches!(outcome, Outcome::Unknown(_));
                let unknown = decision.targets.iter().filter(open).count();
                tally.targets += decision.targets.len() as u64;
                tally.decided_targets += (decision.targets.len() - unknown) as u64;
            }
            match worth {
                Worth::Unchecked => {}
                Worth::Right => *decided += 1,
                Worth::Wrong(_) => tally.wrong.push(seed),
                Worth::Rejected(_) => {
                    tally.rejected.push(seed);
                    *decided += u64::from(answer.is_verdict());
                }
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
        }
    }

    /// Whether no engine was wrong, no evidence was rejected, and nothing here is broken.
    pub fn is_clean(&self) -> bool {
        let is_clean = |tally: &EngineTally| tally.wrong.is_empty() && tally.rejected.is_empty();
        self.broken.is_empty() && self.engines.values().all(is_clean)
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
