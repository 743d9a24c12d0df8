//! The command: thousands of programs, put to any engine.
#![allow(clippy::print_stdout, clippy::print_stderr)] // This is the part that talks.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use rhumb_difftest::reduce::reduce;
use rhumb_search::{CATALOG, Entry, entry};
use rhumb_summary::Preset;
use rhumb_truth::ask::{Said, ask};
use rhumb_truth::campaign::{Campaign, Finding, Tally, Worth, confirm, judge};
use rhumb_truth::explore::ExploreLimits;
use rhumb_truth::generate::{Family, sample_of};
use rhumb_truth::kinds::Kind;
use rhumb_truth::{checker, evidence};

/// Puts small random programs, whose answer is known by enumeration, to the engines.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// How many programs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Programs with functions that call themselves or each other.
    #[arg(long)]
    recursion: bool,
    /// Programs about something else than integers in variables. What is true about them is found by running them on
    /// all inputs, or on a sample.
    #[arg(long, value_enum, conflicts_with = "recursion")]
    kind: Option<Kind>,
    /// The number that the first program is made from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Engines, separated by commas; by default all.
    #[arg(long, value_delimiter = ',')]
    engine: Vec<String>,
    /// Let them use no more than the paper's artifact does.
    #[arg(long)]
    paper: bool,
    /// Time for each program and engine.
    #[arg(long, default_value = "10s", value_parser = rhumb_units::duration)]
    timeout: Duration,
    /// Seconds for everything: no program is begun after that.
    #[arg(long)]
    seconds: Option<u64>,
    /// Programs at the same time; by default one per processor.
    #[arg(long)]
    jobs: Option<usize>,
    /// States of a program that are explored at most.
    #[arg(long)]
    states: Option<usize>,
    /// Put programs on which an engine is wrong, as made and made smaller, into this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Print the program made from the seed, and what is true about it, and stop.
    #[arg(long)]
    show: bool,
    /// Change so many tokens of each program before it is put to the engines.
    #[arg(long, default_value_t = 0)]
    changes: usize,
    /// Put proofs to the checker instead of programs to engines.
    #[arg(long, value_enum)]
    checker: Option<Proofs>,
    /// Attack the evidence for this many safe and this many unsafe programs: put it to mutants of which the opposite is true.
    #[arg(long)]
    evidence: Option<u64>,
    /// Say which programs were not decided.
    #[arg(long)]
    undecided: bool,
}

/// What proofs to put to the checker.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Proofs {
    /// The empty proof of programs without loops, which holds if and only if the program is safe.
    LoopFree,
    /// All reachable states of programs with loops, and the same without one of them.
    Loops,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut limits = ExploreLimits::default();
    if let Some(states) = arguments.states {
        limits.states = states;
        limits.steps = states.saturating_mul(50);
    }
    let family = match (arguments.kind, arguments.recursion) {
        (Some(kind), _) => Family::Of(kind),
        (None, true) => Family::Recursion,
        (None, false) => Family::Loops,
    };
    if arguments.show {
        return show(family, arguments.seed, limits);
    }
    if let Some(proofs) = arguments.checker {
        return put_to_checker(proofs, arguments);
    }
    if let Some(of_each) = arguments.evidence {
        return attack_evidence(of_each, arguments);
    }
    let engines = match arguments.engine.is_empty() {
        true => CATALOG.iter().collect(),
        false => {
            let named = arguments.engine.iter().map(|name| engine(name));
            named.collect::<Result<Vec<_>>>()?
        }
    };
    let time = arguments.timeout;
    let begin = Instant::now();
    let campaign = Campaign {
        first_seed: arguments.seed,
        count: arguments.count,
        family,
        engines,
        preset: match arguments.paper {
            true => Preset::Paper,
            false => Preset::Full,
        },
        time,
        limits,
        jobs: arguments.jobs.unwrap_or_else(processors),
        changes: arguments.changes,
        until: arguments.seconds.map(|s| begin + Duration::from_secs(s)),
    };
    let mut failure = None;
    let tally = campaign.run(&mut |finding| {
        if let Err(error) = report(finding, &campaign, arguments) {
            failure = Some(error);
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    print_tally(&tally, begin.elapsed());
    Ok(status(tally.is_clean()))
}

/// The exit status: 10 if something was wrong.
fn status(is_clean: bool) -> ExitCode {
    match is_clean {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(10),
    }
}

/// Says everything that was wrong, and gives the exit status.
fn told(wrong: &[String]) -> ExitCode {
    for wrong in wrong {
        println!("WRONG: {wrong}");
    }
    status(wrong.is_empty())
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Proofs that are known to be right or wrong, for the checker.
fn put_to_checker(proofs: Proofs, arguments: &Arguments) -> Result<ExitCode> {
    let begin = Instant::now();
    let tally = checker::Campaign {
        kind: match proofs {
            Proofs::LoopFree => checker::Kind::LoopFree,
            Proofs::Loops => checker::Kind::Loops,
        },
        first_seed: arguments.seed,
        count: arguments.count,
        time: arguments.timeout,
        jobs: arguments.jobs.unwrap_or_else(processors),
    }
    .run();
    let status = told(&tally.wrong);
    println!(
        "{} safe and {} unsafe programs ({} had too many states): {} proofs accepted, {} rejected, {} wrong; {:.1} s in all",
        tally.safe,
        tally.not_safe,
        tally.too_large,
        tally.accepted,
        tally.rejected,
        tally.wrong.len(),
        begin.elapsed().as_secs_f64()
    );
    Ok(status)
}

/// Evidence, put to programs that it isn't about.
fn attack_evidence(of_each: u64, arguments: &Arguments) -> Result<ExitCode> {
    let begin = Instant::now();
    let tally = evidence::Attack {
        first_seed: arguments.seed,
        of_each,
        mutants: 40,
        time: arguments.timeout,
        jobs: arguments.jobs.unwrap_or_else(processors),
    }
    .run();
    let status = told(&tally.wrong);
    println!(
        "{} proofs and {} counterexamples hold again; proofs rejected for {} unsafe mutants, counterexamples for {} safe ones; \
         {} other mutants have the same evidence; {} wrong; {:.1} s in all",
        tally.proofs,
        tally.runs,
        tally.unsafe_mutants,
        tally.safe_mutants,
        tally.same,
        tally.wrong.len(),
        begin.elapsed().as_secs_f64()
    );
    Ok(status)
}

fn engine(name: &str) -> Result<&'static Entry> {
    entry(name).with_context(|| format!("there is no engine {name}"))
}

fn show(family: Family, seed: u64, limits: ExploreLimits) -> Result<ExitCode> {
    match sample_of(family, seed, limits) {
        Ok(sample) => {
            print!("{}", sample.text);
            println!(
                "// {} states, reached: {:?}",
                sample.truth.states, sample.truth.reached
            );
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => bail!("no program: {why:?}"),
    }
}

/// Says what is wrong, and keeps it.
fn report(finding: &Finding, campaign: &Campaign, arguments: &Arguments) -> Result<()> {
    let sample = &finding.sample;
    for (name, answer, worth) in &finding.answers {
        match worth {
            Worth::Right | Worth::Unchecked => {}
            Worth::Unknown(why) if arguments.undecided => {
                let kind = if sample.truth.is_safe() {
                    "safe"
                } else {
                    "unsafe"
                };
                let seconds = answer.time.as_secs_f64();
                println!("seed {} ({kind}) {name} {seconds:.1} s: {why}", sample.seed);
            }
            Worth::Unknown(_) => {}
            Worth::Wrong(what) | Worth::Rejected(what) => {
                let word = match worth {
                    Worth::Wrong(_) => "WRONG",
                    _ => "REJECTED",
                };
                println!(
                    "{word}: seed {}: {name} says {what}\n{}",
                    sample.seed, sample.text
                );
                if let Some(folder) = &arguments.keep {
                    keep(folder, finding, (engine(name)?, worth), campaign)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes a program on which an engine is wrong, and a smaller one.
fn keep(
    folder: &Path,
    finding: &Finding,
    (engine, worth): (&'static Entry, &Worth),
    campaign: &Campaign,
) -> Result<()> {
    let sample = &finding.sample;
    let mut still_wrong = |text: &str| {
        let Ok(program) = campaign.family.lower(text) else {
            return false;
        };
        let truth = campaign.family.truth(&program, campaign.limits);
        if truth
            .as_ref()
            .is_ok_and(|truth| confirm(&program, truth).is_err())
        {
            return false;
        }
        let answer = ask(&Arc::new(program), engine, campaign.preset, campaign.time);
        let kind = std::mem::discriminant::<Worth>;
        match (&answer.said, truth) {
            (Said::Decision(_), Ok(truth)) => kind(&judge(&truth, &answer)) == kind(worth),
            (Said::Decision(_), Err(_)) => false,
            (Said::Panicked(_) | Said::Hung, _) => true,
        }
    };
    let smaller = reduce(&sample.text, &mut still_wrong);
    println!("smaller:\n{smaller}");
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for (kind, text) in [("made", &sample.text), ("smaller", &smaller)] {
        let path = folder.join(format!("{}-{}-{kind}.c", sample.seed, engine.name));
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn print_tally(tally: &Tally, time: Duration) {
    println!(
        "{:<12} {:>12} {:>12} {:>8} {:>8} {:>6} {:>8} {:>9} {:>18}",
        "engine", "proved", "refuted", "decided", "targets", "wrong", "rejected", "mean", "slowest"
    );
    for (name, engine) in &tally.engines {
        let programs = engine.safe + engine.not_safe;
        println!(
            "{name:<12} {:>12} {:>12} {:>7.1}% {:>7.1}% {:>6} {:>8} {:>6.0} ms {:>7.1} s ({})",
            format!("{}/{}", engine.proved, engine.safe),
            format!("{}/{}", engine.refuted, engine.not_safe),
            100.0 * engine.decided(),
            100.0 * engine.decided_targets_share(),
            engine.wrong.len(),
            engine.rejected.len(),
            1000.0 * engine.time.as_secs_f64() / programs.max(1) as f64,
            engine.slowest.0.as_secs_f64(),
            engine.slowest.1,
        );
    }
    for (name, engine) in &tally.engines {
        let mut reasons: Vec<_> = engine.unknown.iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, first)) in reasons {
            println!("{name}: {count:>5} x {reason} (seed {first})");
        }
    }
    for (seed, what) in &tally.broken {
        println!("BROKEN: seed {seed}: {what}");
    }
    println!(
        "{} programs had too many states, {} were put to the engines all the same; {:.1} s in all",
        tally.too_large,
        tally.unchecked,
        time.as_secs_f64()
    );
}
