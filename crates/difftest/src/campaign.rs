//! Many programs, two subjects, and the count of what came of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use crate::feature::Feature;
use crate::generate::{GeneratedProgram, Options, generate};
use crate::model::DataModel;
use crate::subject::{Case, End, Observation, Refusal, Subject};

/// A run of generated programs through a reference and a subject.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Program number i has this seed plus i.
    pub first_seed: u64,
    /// How many seeds.
    pub count: u64,
    /// Each seed gives one program per data model.
    pub options: Vec<Options>,
    /// How many programs are handed to a subject at once.
    pub batch: u64,
    /// How many batches are worked on at the same time.
    pub jobs: usize,
}

/// The result of running one program twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Same output, same end.
    Same,
    /// Not compared, with the reason.
    Skipped(String),
    /// Not the same.
    Different(Box<Difference>),
}

/// Two runs of one program that should have been equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What the reference did.
    pub reference: Observation,
    /// What the subject did.
    pub subject: Observation,
}

/// A program together with what came of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The program.
    pub program: GeneratedProgram,
    /// The result.
    pub comparison: Comparison,
}

/// What a campaign came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Programs that ran in both and were the same.
    pub same: u64,
    /// Programs that were not compared, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Seed and data model of the programs that differed.
    pub different: Vec<(u64, DataModel)>,
    /// In how many programs each feature occurred.
    pub features: BTreeMap<Feature, u64>,
}

impl Summary {
    /// Takes one finding into account.
    pub fn add(&mut self, finding: &Finding) {
        match &finding.comparison {
            Comparison::Same => self.same += 1,
            Comparison::Skipped(reason) => *self.skipped.entry(reason.clone()).or_default() += 1,
            Comparison::Different(_) => self
                .different
                .push((finding.program.seed, finding.program.model)),
        }
        for feature in finding.program.features.iter() {
            *self.features.entry(feature).or_default() += 1;
        }
    }

    /// How many programs were not compared.
    pub fn skipped_count(&self) -> u64 {
        self.skipped.values().sum()
    }
}

/// Lets so many threads ask for findings until there are none, and hands them on, in no particular order.
pub(crate) fn in_parallel<F: Send>(
    jobs: usize,
    more: impl Fn() -> Option<Vec<F>> + Sync,
    mut receive: impl FnMut(F),
) {
    let (sender, findings) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (more, sender) = (&more, sender.clone());
            scope.spawn(move || {
                while let Some(found) = more() {
                    for finding in found {
                        if sender.send(finding).is_err() {
                            return;
                        }
                    }
                }
            });
        }
        drop(sender);
        findings.into_iter().for_each(&mut receive);
    });
}

impl Campaign {
    /// Runs all programs; `report` sees every finding, in no particular order.
    pub fn run(
        &self,
        reference: &dyn Subject,
        subject: &dyn Subject,
        report: &mut dyn FnMut(&Finding),
    ) -> Summary {
        let next = AtomicU64::new(0);
        let batch = self.batch.max(1);
        let more = || {
            let start = next.fetch_add(batch, Ordering::Relaxed);
            let end = self.count.min(start.saturating_add(batch));
            (start < end).then(|| self.run_batch(start..end, reference, subject))
        };
        let mut summary = Summary::default();
        in_parallel(self.jobs, more, |finding| {
            summary.add(&finding);
            report(&finding);
        });
        summary.different.sort_unstable();
        summary
    }

    fn run_batch(
        &self,
        indices: std::ops::Range<u64>,
        reference: &dyn Subject,
        subject: &dyn Subject,
    ) -> Vec<Finding> {
        let programs: Vec<GeneratedProgram> = indices
            .flat_map(|index| {
                let seed = self.first_seed.wrapping_add(index);
                self.options
                    .iter()
                    .map(move |options| generate(seed, options))
            })
            .collect();
        let cases: Vec<Case<'_>> = programs.iter().map(case_of).collect();
        let expected = reference.run_all(&cases);
        let actual = subject.run_all(&cases);
        let comparisons: Vec<Comparison> = expected
            .into_iter()
            .zip(actual)
            .map(|(expected, actual)| compare(expected, actual))
            .collect();
        programs
            .into_iter()
            .zip(comparisons)
            .map(|(program, comparison)| Finding {
                program,
                comparison,
            })
            .collect()
    }
}

/// The case that a generated program is.
pub fn case_of(program: &GeneratedProgram) -> Case<'_> {
    Case {
        source: &program.source,
        model: program.model,
        inputs: &program.inputs,
    }
}

/// Whether two runs of a well-defined program agree.
pub fn compare(
    reference: Result<Observation, Refusal>,
    subject: Result<Observation, Refusal>,
) -> Comparison {
    match (reference, subject) {
        (Err(Refusal(reason)), _) => Comparison::Skipped(format!("reference: {reason}")),
        (_, Err(Refusal(reason))) => Comparison::Skipped(reason),
        (Ok(reference), _) if reference.end == End::Limit => {
            Comparison::Skipped("reference: time limit".to_owned())
        }
        (Ok(reference), Ok(subject)) if reference == subject => Comparison::Same,
        (Ok(reference), Ok(subject)) => {
            Comparison::Different(Box::new(Difference { reference, subject }))
        }
    }
}
