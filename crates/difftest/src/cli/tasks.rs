//! The command about verification tasks.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use rhumb_difftest::gcc::{Gcc, GccTasks, SignedOverflow};
use rhumb_difftest::outcome::{
    Agreement, SettleLimits, TaskCampaign, TaskFinding, TaskSubject, TaskSummary, find_tasks,
};

use super::subjects::SubjectName;

/// Runs tasks on random inputs with gcc and with a subject.
#[derive(Debug, Args)]
pub(crate) struct Tasks {
    /// Folder with task definitions (`.yml`), at any depth.
    folder: PathBuf,
    /// Random input vectors per task.
    #[arg(long, default_value_t = 20)]
    vectors: usize,
    /// Determines the input vectors.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What is compared with `gcc -O0`.
    #[arg(long, default_value = "rhumb")]
    subject: SubjectName,
    /// Basic blocks after which a compiled run counts as endless.
    #[arg(long, default_value_t = SettleLimits::default().reference_steps)]
    block_limit: u64,
    /// Steps after which the subject's run counts as endless.
    #[arg(long, default_value_t = SettleLimits::default().subject_steps)]
    step_limit: u64,
    /// Signed overflow wraps instead of ending the run.
    #[arg(long)]
    wrap: bool,
    /// Tasks at the same time; by default one per processor.
    #[arg(long)]
    jobs: Option<usize>,
}

impl Tasks {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let gcc = Gcc::find()?;
        let tasks = find_tasks(&self.folder)?;
        let overflow = if self.wrap {
            SignedOverflow::Wraps
        } else {
            SignedOverflow::Undefined
        };
        let reference = GccTasks::reference(&gcc, overflow);
        let subject = self.subject.open_tasks(&gcc, overflow);
        let limits = SettleLimits {
            reference_steps: self.block_limit,
            subject_steps: self.step_limit,
            ..SettleLimits::default()
        };
        let jobs = self
            .jobs
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let campaign = TaskCampaign {
            tasks: &tasks,
            seed: self.seed,
            vectors: self.vectors,
            limits,
            jobs,
        };
        println!(
            "seed {}, {} tasks, {} vectors each, {} against {}",
            self.seed,
            tasks.len(),
            self.vectors,
            subject.name(),
            reference.name()
        );
        let started = Instant::now();
        let summary = campaign.run(&reference, subject.as_ref(), &mut announce);
        conclude(&summary, started);
        Ok(if summary.different == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn announce(finding: &TaskFinding<'_>) {
    let (task, vector) = (&finding.task.name, finding.vector);
    match &finding.agreement {
        Agreement::Same(_) => {}
        Agreement::Skipped(reason) => println!("{task} vector {vector}: skipped: {reason}"),
        Agreement::Different { reference, subject } => {
            println!("{task} vector {vector}: DIFFERENT: {subject}, expected {reference}");
            let inputs: Vec<String> = finding.inputs.iter().map(ToString::to_string).collect();
            println!("  inputs: {}", inputs.join(","));
        }
    }
}

fn conclude(summary: &TaskSummary, started: Instant) {
    println!(
        "compared {}, different {}, skipped {} in {:.1} s",
        summary.compared(),
        summary.different,
        summary.skipped_count(),
        started.elapsed().as_secs_f64()
    );
    for (outcome, count) in &summary.same {
        println!("  {outcome}: {count}");
    }
    for (reason, count) in &summary.skipped {
        println!("  skipped {count}: {reason}");
    }
}
