//! `rhumb bench` as the command line sees it.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use crate::compare::{self, Reference};
use crate::cores;
use crate::interrupt::Interrupt;
use crate::job::Context;
use crate::opinions::Opinions;
use crate::outdir::{OutDir, Settings, ToolSettings};
use crate::overrun;
use crate::own::Rhumb;
use crate::page;
use crate::process::{self, ProcessLimits};
use crate::progress::Progress;
use crate::report;
use crate::same::{self, Comparison};
use crate::scaling;
use crate::session;
use crate::tasks::{self, BenchTask};
use crate::tool::{self, Patterns, Template, Tool};
use crate::verdict::Status;

/// Run engines and other verifiers on sets of tasks, and print tables.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Task definitions (.yml), folders, globs, or SV-COMP .set files; with --same also C files
    #[arg(required = true, value_name = "SET")]
    pub sets: Vec<String>,
    /// Engines to run (default: the one that `check` uses, unless tools are named); gps:paper is gps with --preset paper
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub engine: Vec<String>,
    /// Another verifier, with the command to run; {file}, {property}, {task}, {data_model}, {bits}, {timeout_s}, {wall_s}, {memory_mb}, {harness} and
    /// {certificate} are filled in. Verdict patterns and a command are there for cbmc, cpachecker, esbmc, gps, klee, symbiotic, uautomizer
    #[arg(long, value_name = "NAME[=COMMAND]")]
    pub tool: Vec<String>,
    /// Verdict patterns for a tool, if not those that belong to its name
    #[arg(long, value_name = "NAME=FILE.toml")]
    pub patterns: Vec<String>,
    /// The rhumb to measure (default: this one)
    #[arg(long, value_name = "PROGRAM")]
    pub rhumb: Option<PathBuf>,
    /// The property, by the name of its file
    #[arg(long, value_name = "NAME", default_value = "unreach-call")]
    pub property: String,
    /// CPU time per run, all processes together
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = rhumb_units::duration)]
    pub timeout: Duration,
    /// Wall time per run (default: a fifth more than the CPU time, and a second)
    #[arg(long, value_name = "TIME", value_parser = rhumb_units::duration)]
    pub wall_timeout: Option<Duration>,
    /// Memory per run, all processes together
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = rhumb_units::bytes)]
    pub memory: u64,
    /// How many runs at the same time (default: the number of physical cores)
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// The folder for results and logs; nothing in it is written over (default: the next free bench-results/run-N)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with an interrupted measurement
    #[arg(long)]
    pub resume: bool,
    /// Compare with earlier results, or with a table of others (may be given several times)
    #[arg(long, value_name = "CSV")]
    pub against: Vec<PathBuf>,
    /// Compile and run the harness of every UNSAFE, if that is short enough
    #[arg(long)]
    pub confirm: bool,
    /// Validate every saved certificate in a fresh process
    #[arg(long)]
    pub recheck: bool,
    /// Let runs go on beyond the limits that they are told, and report the worst: whether tools keep limits by
    /// themselves. The time counts on the wall
    #[arg(long)]
    pub overrun: bool,
    /// Get a second opinion on every proof: `validate --second` in a fresh process, by another road and with another solver
    #[arg(long)]
    pub second: bool,
    /// Fit how time grows with size, for families of tasks (folders with a family.toml)
    #[arg(long)]
    pub scaling: bool,
    /// Check every task so many times, and compare verdicts, certificates and witnesses byte for byte; nothing is measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..))]
    pub same: Option<u8>,
    /// With --same: threads that are kept busy meanwhile
    #[arg(long, value_name = "N", default_value_t = 0, requires = "same")]
    pub busy: usize,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// How `rhumb bench` ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// Everything was run, and no verdict was wrong.
    Success,
    /// Wrong usage: options that contradict each other, unknown tools, a folder that can't be used.
    Usage,
    /// A set or file can't be read.
    BadInput,
    /// Something failed that should not.
    Internal,
    /// With `--overrun`: a run went beyond a limit, or ended without a verdict.
    Overrun,
    /// With `--same`: a program had not the same answer every time, or none had an answer twice.
    Different,
    /// At least one verdict was wrong, or a second opinion speaks against one.
    WrongVerdict,
    /// Second opinions were asked for, and too many of them were none.
    TooFewOpinions,
    /// We were interrupted; `--resume` goes on.
    Interrupted,
}

impl ExitStatus {
    /// The number for the operating system.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Success => 0,
            ExitStatus::Usage => 1,
            ExitStatus::BadInput => 2,
            ExitStatus::Internal => 6,
            ExitStatus::Overrun => 7,
            ExitStatus::Different => 8,
            ExitStatus::WrongVerdict => 10,
            ExitStatus::TooFewOpinions => 5,
            ExitStatus::Interrupted => 130,
        }
    }
}

/// Where text goes.
pub struct Console<'a> {
    /// Tables.
    pub out: &'a mut dyn Write,
    /// Progress and errors.
    pub log: &'a mut dyn Write,
    /// Whether progress may be a moving bar on standard error.
    pub bar: bool,
}

/// Why nothing came of it.
struct Failure(ExitStatus, String);

impl Failure {
    fn usage(message: impl Display) -> Failure {
        Failure(ExitStatus::Usage, message.to_string())
    }

    fn input(message: impl Display) -> Failure {
        Failure(ExitStatus::BadInput, message.to_string())
    }

    fn internal(message: impl Display) -> Failure {
        Failure(ExitStatus::Internal, message.to_string())
    }
}

/// Measures, with tables on standard output and progress on standard error.
pub fn run(args: &BenchArgs) -> ExitStatus {
    let (mut out, mut log) = (io::stdout(), io::stderr());
    let bar = log.is_terminal();
    run_with(
        args,
        &mut Console {
            out: &mut out,
            log: &mut log,
            bar,
        },
    )
}

/// Measures, with text to wherever the caller likes.
pub fn run_with(args: &BenchArgs, console: &mut Console<'_>) -> ExitStatus {
    match measure(args, console) {
        Ok(status) => status,
        Err(Failure(status, message)) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(console.log, "error: {message}");
            status
        }
    }
}

fn measure(args: &BenchArgs, console: &mut Console<'_>) -> Result<ExitStatus, Failure> {
    // Everything that can be wrong is looked at before the first run.
    process::check_support().map_err(Failure::internal)?;
    if let Some(times) = args.same {
        return compare_runs(args, times.into(), console);
    }
    let references = read_references(&args.against)?;
    let tasks = find_tasks(args, &args.sets, console)?;
    let tools = choose_tools(args)?;
    let told = told(args);
    let limits = if args.overrun {
        overrun::enforced(&told)
    } else {
        told
    };
    let settings = settings(args, &limits, &tools);
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| OutDir::default_path(args.resume));
    let (out, mut recorder, done) = if args.resume {
        OutDir::resume(&path, &settings).map_err(Failure::usage)?
    } else {
        let (out, recorder) = OutDir::create(&path, &settings).map_err(Failure::usage)?;
        (out, recorder, Vec::new())
    };

    let interrupt = Interrupt::on_signals().map_err(Failure::internal)?;
    let context = Context {
        property: &args.property,
        limits: &limits,
        told: &told,
        confirm: args.confirm,
        recheck: args.recheck,
        second: args.second,
        out: &out,
        cancel: interrupt.flag(),
    };
    let jobs = args.jobs.unwrap_or_else(cores::physical);
    let mut progress = match (args.quiet, console.bar) {
        (true, _) => Progress::silent(),
        (false, true) => Progress::bar(),
        (false, false) => Progress::lines(console.log),
    };
    let outcome = session::run(
        &context,
        &tasks,
        &tools,
        jobs,
        done,
        &mut recorder,
        &mut progress,
    )
    .map_err(Failure::internal)?;
    drop(progress);

    let opinions = Opinions::of(&outcome.rows);
    let mut text = report::full(&outcome.rows);
    let worst = args
        .overrun
        .then(|| overrun::Worst::of(&outcome.rows, &told));
    if let Some(worst) = &worst {
        text += &worst.to_string();
    }
    if args.second {
        text += &opinions.to_string();
    }
    if args.scaling {
        text += &scaling::report(&outcome.rows);
    }
    for (path, references) in args.against.iter().zip(&references) {
        text += &compare::report(&outcome.rows, references, path);
    }
    text += &format!("Results: {}\n", out.results().display());
    match page::write(&out, &settings, &outcome.rows, &references) {
        Ok(()) => text += &format!("Page: {}\n", out.path().join("index.html").display()),
        // The results stand, whatever becomes of the page.
        Err(error) => text += &format!("No page: {error}\n"),
    }
    if outcome.missing > 0 {
        text += &format!(
            "INTERRUPTED: {} runs are missing; the same command with --resume --out {} goes on\n",
            outcome.missing,
            path.display()
        );
    }
    console
        .out
        .write_all(text.as_bytes())
        .and_then(|()| console.out.flush())
        .map_err(Failure::internal)?;
    Ok(
        if outcome.rows.iter().any(|row| row.status == Status::Wrong) || opinions.against > 0 {
            ExitStatus::WrongVerdict
        } else if outcome.missing > 0 {
            ExitStatus::Interrupted
        } else if worst.is_some_and(|worst| !worst.is_kept()) {
            ExitStatus::Overrun
        } else if opinions.are_too_few() {
            ExitStatus::TooFewOpinions
        } else {
            ExitStatus::Success
        },
    )
}

/// The limits that a run is told.
fn told(args: &BenchArgs) -> ProcessLimits {
    let wall = match args.overrun {
        true => args.timeout,
        false => args.timeout.mul_f64(1.2) + Duration::from_secs(1),
    };
    ProcessLimits {
        cpu: args.timeout,
        wall: args.wall_timeout.unwrap_or(wall),
        memory: args.memory,
    }
}

/// The tasks of some sets: at least one.
fn find_tasks(
    args: &BenchArgs,
    sets: &[String],
    console: &mut Console<'_>,
) -> Result<Vec<BenchTask>, Failure> {
    let found = tasks::discover(sets, &args.property).map_err(Failure::input)?;
    for note in &found.notes {
        writeln!(console.log, "note: {note}").map_err(Failure::internal)?;
    }
    match found.tasks.is_empty() {
        true => Err(Failure::input(format!(
            "no task with the property {}",
            args.property
        ))),
        false => Ok(found.tasks),
    }
}

/// Checks everything several times, and compares.
fn compare_runs(
    args: &BenchArgs,
    times: usize,
    console: &mut Console<'_>,
) -> Result<ExitStatus, Failure> {
    let is_source = |set: &String| [".c", ".i"].iter().any(|end| set.ends_with(end));
    let (sources, sets): (Vec<String>, Vec<String>) =
        args.sets.iter().cloned().partition(is_source);
    let absolute = |path: PathBuf| std::path::absolute(path).map_err(Failure::usage);
    let mut programs: Vec<PathBuf> = sources.into_iter().map(PathBuf::from).collect();
    if !sets.is_empty() {
        let tasks = find_tasks(args, &sets, console)?;
        programs.extend(tasks.into_iter().map(|task| task.path));
    }
    let programs: Vec<PathBuf> = programs
        .into_iter()
        .map(absolute)
        .collect::<Result<_, _>>()?;
    let engine = match &args.engine[..] {
        [] => None,
        [engine] => Some(&**engine),
        _ => return Err(Failure::usage("--same compares the runs of one engine")),
    };
    let folder = tempfile::tempdir().map_err(Failure::internal)?;
    let interrupt = Interrupt::on_signals().map_err(Failure::internal)?;
    let comparison = Comparison {
        rhumb: &executable(args)?,
        engine,
        programs: &programs,
        times,
        busy: args.busy,
        limits: &told(args),
        folder: folder.path(),
        cancel: interrupt.flag(),
    };
    let log = &mut *console.log;
    let equality = same::compare(&comparison, |program| {
        if !args.quiet {
            // Progress that nobody can see is no reason to stop.
            let _ = writeln!(log, "{}", program.display());
        }
    });
    let equality = equality.map_err(Failure::internal)?;
    write!(console.out, "{equality}").map_err(Failure::internal)?;
    Ok(
        match (interrupt.flag().load(Ordering::Relaxed), equality.holds()) {
            (true, _) => ExitStatus::Interrupted,
            (false, true) => ExitStatus::Success,
            (false, false) => ExitStatus::Different,
        },
    )
}

/// The rhumb that is meant.
fn executable(args: &BenchArgs) -> Result<PathBuf, Failure> {
    match &args.rhumb {
        Some(path) => std::path::absolute(path).map_err(Failure::usage),
        None => std::env::current_exe().map_err(Failure::internal),
    }
}

fn read_references(paths: &[PathBuf]) -> Result<Vec<Vec<Reference>>, Failure> {
    paths
        .iter()
        .map(|path| compare::read(path).map_err(Failure::input))
        .collect()
}

fn settings(args: &BenchArgs, limits: &ProcessLimits, tools: &[Tool]) -> Settings {
    let tool = |tool: &Tool| ToolSettings {
        name: tool.name.clone(),
        command: tool.command.to_string(),
        version: tool.version.clone(),
    };
    Settings {
        rhumb_bench: 1,
        property: args.property.clone(),
        timeout_s: limits.cpu.as_secs_f64(),
        wall_s: limits.wall.as_secs_f64(),
        memory: limits.memory,
        confirm: args.confirm,
        recheck: args.recheck,
        second: args.second,
        tools: tools.iter().map(tool).collect(),
    }
}

/// The engines and tools, each under a name of its own.
fn choose_tools(args: &BenchArgs) -> Result<Vec<Tool>, Failure> {
    let mut tools = Vec::new();
    if !args.engine.is_empty() || args.tool.is_empty() {
        let rhumb = Rhumb::probe(&executable(args)?).map_err(Failure::usage)?;
        let mut add = |engine: Option<&str>| -> Result<(), Failure> {
            tools.push(
                rhumb
                    .tool(engine, args.confirm, args.recheck || args.second)
                    .map_err(Failure::usage)?,
            );
            Ok(())
        };
        if args.engine.is_empty() {
            add(None)?;
        }
        for engine in &args.engine {
            if !engine.split(':').all(tool::is_valid_name) {
                return Err(Failure::usage(format!(
                    "{engine:?} can't be the name of an engine"
                )));
            }
            add(Some(engine))?;
        }
    }
    let mut patterns = own_patterns(&args.patterns)?;
    for text in &args.tool {
        tools.push(choose_tool(text, &mut patterns)?);
    }
    if let Some((name, _)) = patterns.first() {
        return Err(Failure::usage(format!(
            "--patterns {name}=...: there is no such tool"
        )));
    }
    let mut names = HashSet::new();
    match tools.iter().find(|tool| !names.insert(tool.name.as_str())) {
        Some(twice) => Err(Failure::usage(format!(
            "the name {} is used twice",
            twice.name
        ))),
        None => Ok(tools),
    }
}

/// Pattern files of the user's, by the name of the tool.
fn own_patterns(texts: &[String]) -> Result<Vec<(String, Patterns)>, Failure> {
    let read = |text: &String| {
        let (name, path) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--patterns {text}: expected NAME=FILE.toml")))?;
        let content =
            fs::read_to_string(path).map_err(|error| Failure::input(format!("{path}: {error}")))?;
        let patterns = Patterns::parse(&content)
            .map_err(|error| Failure::input(format!("{path}: {error}")))?;
        Ok((name.to_owned(), patterns))
    };
    texts.iter().map(read).collect()
}

/// A tool from `NAME` or `NAME=COMMAND`; takes its patterns out of those that were given.
fn choose_tool(text: &str, given: &mut Vec<(String, Patterns)>) -> Result<Tool, Failure> {
    let (name, command) = match text.split_once('=') {
        Some((name, command)) => (
            name.trim(),
            Some(
                Template::parse(command)
                    .map_err(|error| Failure::usage(format!("--tool {name}: {error}")))?,
            ),
        ),
        None => (text.trim(), None),
    };
    if !tool::is_valid_name(name) {
        return Err(Failure::usage(format!(
            "--tool {text}: {name:?} can't be the name of a tool"
        )));
    }
    let patterns = match given.iter().position(|(for_tool, _)| for_tool == name) {
        Some(index) => given.remove(index).1,
        None => {
            let shipped = tool::patterns_for(name).ok_or_else(|| {
                let names: Vec<&str> = tool::shipped_names().collect();
                let names = names.join(", ");
                Failure::usage(format!("--tool {name}: no verdict patterns; begin the name with one of {names}, or give --patterns {name}=FILE.toml"))
            })?;
            shipped.map_err(Failure::internal)?
        }
    };
    let command = command.or_else(|| patterns.command.clone());
    let command = command.ok_or_else(|| {
        Failure::usage(format!(
            "--tool {name}: which command? give --tool {name}=COMMAND"
        ))
    })?;
    if !command.program_exists() {
        return Err(Failure::usage(format!(
            "--tool {name}: the program of the command `{command}` is not there, or can't be executed"
        )));
    }
    Ok(Tool {
        name: name.to_owned(),
        command,
        patterns,
        version: None,
    })
}
