//! One run of one tool on one task: from the command line to the row.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::evidence::{self, Witness};
use crate::outdir::{Evidence, OutDir};
use crate::process::{self, End, Finished, Launch, ProcessLimits};
use crate::property;
use crate::results::{Row, one_line, write_beside};
use crate::tasks::{BenchTask, Content};
use crate::tool::{Answer, Output, Statistics, Template, Tool, Values};
use crate::verdict::{Status, Verdict};

/// What all runs of a measurement have in common.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The name of the property.
    pub property: &'a str,
    /// The limits of each run.
    pub limits: &'a ProcessLimits,
    /// The limits that it is told.
    pub told: &'a ProcessLimits,
    /// Whether harnesses are compiled and run.
    pub confirm: bool,
    /// Whether certificates are validated.
    pub recheck: bool,
    /// Whether proofs get a second opinion.
    pub second: bool,
    /// Where results go.
    pub out: &'a OutDir,
    /// Becomes true when we are to stop.
    pub cancel: &'a AtomicBool,
}

/// Runs a tool on a task; `None` when we were stopped, so that there is no result.
pub(crate) fn run(context: &Context<'_>, task: &BenchTask, tool: &Tool) -> Option<Row> {
    let mut row = Row {
        task: task.id.clone(),
        suite: task.suite.clone(),
        engine: tool.name.clone(),
        property: context.property.to_owned(),
        expected: None,
        verdict: None,
        status: Status::Error,
        reason: String::new(),
        cpu_s: 0.0,
        wall_s: 0.0,
        memory_mb: 0.0,
        phases: String::new(),
        certificate: String::new(),
        confirmed: String::new(),
        rechecked: String::new(),
        second: String::new(),
        family: task
            .size
            .as_ref()
            .map(|size| size.family.clone())
            .unwrap_or_default(),
        size: task.size.as_ref().map(|size| size.size),
    };
    match &task.content {
        Err(reason) => row.reason = format!("task: {reason}"),
        Ok(content) => {
            row.expected = content.expected;
            if let Err(error) = fill(&mut row, context, task, content, tool) {
                row.reason = format!("can't be run: {error}");
            }
        }
    }
    row.reason = one_line(&row.reason);
    (!context.cancel.load(Ordering::Relaxed)).then_some(row)
}

/// A limit as tools are told it.
fn whole_seconds(time: Duration) -> u64 {
    (time.as_secs_f64().ceil() as u64).max(1)
}

/// Runs the tool and fills in what came of it.
fn fill(
    row: &mut Row,
    context: &Context<'_>,
    task: &BenchTask,
    content: &Content,
    tool: &Tool,
) -> io::Result<()> {
    let folder = tempfile::Builder::new().prefix("rhumb-bench-").tempdir()?;
    let evidence = evidence_paths(context, folder.path(), tool, task)?;
    let property = property::provide(&content.property, folder.path())?;
    let values = Values {
        files: &content.files,
        property: &property,
        task: &task.path,
        data_model: content.data_model,
        timeout_s: whole_seconds(context.told.cpu),
        wall_s: whole_seconds(context.told.wall),
        memory_mb: (context.told.memory / 1_000_000).max(1),
        harness: &evidence.harness,
        certificate: &evidence.certificate,
    };
    let (program, args) = tool.command.fill(&values);
    let launch = Launch {
        program,
        args,
        dir: folder.path().to_owned(),
    };
    let run = process::run(&launch, context.limits, context.cancel)?;
    let output = Output::of(&run);
    let statistics = Statistics::read(&output.stdout);
    row.cpu_s = rounded(run.usage.cpu, 6);
    row.wall_s = rounded(run.usage.wall, 6);
    row.memory_mb = (run.usage.memory as f64 / 1e3).round() / 1e3;
    row.phases = one_line(&statistics.times_field().to_string());
    row.certificate = one_line(statistics.certificate.as_deref().unwrap_or_default());
    judge(row, tool, &output, &statistics);
    judge_part(row, content, &output);
    write_log(context.out, row, &launch, &run, &output)?;
    if context.confirm && row.verdict == Some(Verdict::Unsafe) {
        row.confirmed = one_line(&evidence::confirm(
            &evidence.harness,
            content.data_model,
            Witness::of(context.property),
            folder.path(),
            context.cancel,
        ));
    }
    let ask = |command: Option<&Template>| {
        let (folder, limits) = (folder.path(), context.limits);
        one_line(&evidence::recheck(
            command,
            &values,
            folder,
            limits,
            context.cancel,
        ))
    };
    if context.recheck && row.verdict.is_some() {
        row.rechecked = ask(tool.patterns.validate.as_ref());
    }
    if context.second && row.verdict == Some(Verdict::Safe) {
        row.second = ask(tool.patterns.second.as_ref());
    }
    Ok(())
}

/// Evidence that nobody will look at goes where the run takes place, and away with it.
fn evidence_paths(
    context: &Context<'_>,
    folder: &Path,
    tool: &Tool,
    task: &BenchTask,
) -> io::Result<Evidence> {
    let harness = folder.join("harness.c");
    let certificate = folder.join("certificate.json");
    match (context.confirm, context.recheck || context.second) {
        (false, false) => Ok(Evidence {
            harness,
            certificate,
        }),
        (confirm, certified) => {
            let kept = context.out.evidence(&tool.name, &task.id)?;
            let paths = Evidence {
                harness: if confirm { kept.harness } else { harness },
                certificate: if certified {
                    kept.certificate
                } else {
                    certificate
                },
            };
            // What an interrupted run has left is no evidence of this one.
            for stale in [&paths.harness, &paths.certificate] {
                match std::fs::remove_file(stale) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            Ok(paths)
        }
    }
}

/// The limits come first: an answer that came too late is none.
fn judge(row: &mut Row, tool: &Tool, output: &Output, statistics: &Statistics) {
    let during = statistics
        .phase
        .as_ref()
        .map(|phase| format!(", in {phase}"))
        .unwrap_or_default();
    (row.status, row.reason) = match output.end {
        End::CpuLimit => (Status::Timeout, format!("CPU time{during}")),
        End::WallLimit => (Status::Timeout, format!("wall time{during}")),
        End::MemoryLimit => (Status::OutOfMemory, format!("memory{during}")),
        End::Interrupted => (Status::Error, "interrupted".to_owned()),
        End::Exited(_) | End::Signalled(_) => match tool.patterns.answer(output) {
            Answer::Verdict(verdict) => {
                row.verdict = Some(verdict);
                (Status::of_answer(verdict, row.expected), String::new())
            }
            Answer::Unknown(reason) => (Status::Unknown, reason),
            Answer::Timeout(reason) => (Status::Timeout, format!("by itself: {reason}{during}")),
            Answer::OutOfMemory(reason) => {
                (Status::OutOfMemory, format!("by itself: {reason}{during}"))
            }
            Answer::Error(reason) => (Status::Error, reason),
        },
    };
}

/// A violation of another part of the property than the expected one is a wrong answer, if the tool says which part it means.
fn judge_part(row: &mut Row, content: &Content, output: &Output) {
    let told = output.stdout.lines().rev();
    let told = told
        .filter_map(|line| line.strip_prefix("violates: "))
        .next();
    if let (Some(told), Some(expected), Status::Correct, Some(Verdict::Unsafe)) =
        (told, &content.subproperty, row.status, row.verdict)
        && told != expected
    {
        row.status = Status::Wrong;
        row.reason = format!("violates {told}, expected {expected}");
    }
}

fn write_log(
    out: &OutDir,
    row: &Row,
    launch: &Launch,
    run: &Finished,
    output: &Output,
) -> io::Result<()> {
    let words = |word: &OsString| format!("{:?}", word.to_string_lossy());
    let command: Vec<String> = std::iter::once(&launch.program)
        .chain(&launch.args)
        .map(words)
        .collect();
    write_beside(&out.log(&row.engine, &row.task), |log| {
        writeln!(log, "command: {}", command.join(" "))?;
        writeln!(
            log,
            "end: {:?}, {:.3} s CPU, {:.3} s wall, {:.1} MB",
            run.end, row.cpu_s, row.wall_s, row.memory_mb
        )?;
        if run.left_behind > 0 {
            writeln!(log, "left behind: {} processes, killed", run.left_behind)?;
        }
        writeln!(
            log,
            "--- standard output\n{}\n--- standard error\n{}",
            output.stdout, output.stderr
        )
    })
}

fn rounded(time: Duration, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (time.as_secs_f64() * scale).round() / scale
}
