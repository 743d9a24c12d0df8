//! Many tasks on many input vectors.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Agreement, GccTask, SettleLimits, TaskSubject, random_vectors, settle};
use crate::campaign::in_parallel;
use crate::rng::Rng;
use crate::subject::Refusal;

/// Runs of tasks through a reference and a subject.
#[derive(Clone, Debug)]
pub struct TaskCampaign<'a> {
    /// The tasks.
    pub tasks: &'a [GccTask],
    /// Determines the input vectors of all tasks.
    pub seed: u64,
    /// Input vectors per task.
    pub vectors: usize,
    /// How long runs may take.
    pub limits: SettleLimits,
    /// How many tasks are worked on at the same time.
    pub jobs: usize,
}

/// A task on one input vector.
#[derive(Clone, Debug)]
pub struct TaskFinding<'a> {
    /// The task.
    pub task: &'a GccTask,
    /// The number of the vector; it can be made again from the seed.
    pub vector: usize,
    /// The values.
    pub inputs: Vec<i128>,
    /// What comparing the runs came to.
    pub agreement: Agreement,
}

/// What a campaign came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSummary {
    /// Runs that ended the same way, by outcome.
    pub same: BTreeMap<String, u64>,
    /// Runs that were not compared, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Runs that differed.
    pub different: u64,
}

impl TaskSummary {
    /// Takes one finding into account.
    pub fn add(&mut self, finding: &TaskFinding<'_>) {
        match &finding.agreement {
            Agreement::Same(outcome) => *self.same.entry(outcome.to_string()).or_default() += 1,
            Agreement::Skipped(reason) => *self.skipped.entry(reason.clone()).or_default() += 1,
            Agreement::Different { .. } => self.different += 1,
        }
    }

    /// How many runs were compared.
    pub fn compared(&self) -> u64 {
        self.same.values().sum::<u64>() + self.different
    }

    /// How many runs were not compared.
    pub fn skipped_count(&self) -> u64 {
        self.skipped.values().sum()
    }
}

impl<'a> TaskCampaign<'a> {
    /// The input vectors of the task at `index`.
    pub fn vectors_of(&self, index: usize) -> Vec<Vec<i128>> {
        let mut rng = Rng::new(self.seed).fork(index as u64);
        random_vectors(&mut rng, self.vectors)
    }

    /// Runs everything; `report` sees every finding, in no particular order.
    pub fn run(
        &self,
        reference: &dyn TaskSubject,
        subject: &dyn TaskSubject,
        report: &mut dyn FnMut(&TaskFinding<'a>),
    ) -> TaskSummary {
        let next = AtomicUsize::new(0);
        let more = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let task = self.tasks.get(index)?;
            Some(self.run_task(index, task, reference, subject))
        };
        let mut summary = TaskSummary::default();
        in_parallel(self.jobs, more, |finding| {
            summary.add(&finding);
            report(&finding);
        });
        summary
    }

    fn run_task(
        &self,
        index: usize,
        task: &'a GccTask,
        reference: &dyn TaskSubject,
        subject: &dyn TaskSubject,
    ) -> Vec<TaskFinding<'a>> {
        let vectors = self.vectors_of(index);
        let agreements = self
            .compare(task, &vectors, reference, subject)
            .unwrap_or_else(|Refusal(reason)| vec![Agreement::Skipped(reason); vectors.len()]);
        agreements
            .into_iter()
            .zip(vectors)
            .enumerate()
            .map(|(vector, (agreement, inputs))| TaskFinding {
                task,
                vector,
                inputs,
                agreement,
            })
            .collect()
    }

    fn compare(
        &self,
        task: &GccTask,
        vectors: &[Vec<i128>],
        reference: &dyn TaskSubject,
        subject: &dyn TaskSubject,
    ) -> Result<Vec<Agreement>, Refusal> {
        let named = |Refusal(reason)| Refusal(format!("reference: {reason}"));
        let reference = reference.open(task).map_err(named)?;
        let subject = subject.open(task)?;
        let expected = reference
            .run(vectors, self.limits.reference_steps)
            .map_err(named)?;
        let actual = subject.run(vectors, self.limits.subject_steps)?;
        let runs = expected.into_iter().zip(actual).zip(vectors);
        runs.map(|((expected, actual), inputs)| {
            settle(
                (reference.as_ref(), expected),
                (subject.as_ref(), actual),
                inputs,
                &self.limits,
            )
        })
        .collect()
    }
}
