//! Programs of guarded commands: one of them by `rhumb check`, many as a table by `rhumb guarded`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rhumb_guarded::ase::{Check, Settings};
use rhumb_guarded::check::Verdict;
use rhumb_guarded::text::run_text;
use rhumb_guarded::{Answer, Options, Program, parse};
use rhumb_logic::Budget;
use rhumb_search::CATALOG;

use super::print;
use crate::cli::{CheckArgs, FormatArg, GuardedArgs, GuardedEngineArg};
use crate::exit::Exit;
use crate::last_word::LastWord;
use crate::watchdog::{self, WatchdogLimits};

/// Whether the files are a program of guarded commands.
pub(crate) fn is_one(files: &[PathBuf]) -> bool {
    files.first().is_some_and(|file| has_suffix(file))
}

fn has_suffix(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("gcl"))
}

/// Decides one program.
pub(crate) fn check(args: &CheckArgs, budget: &Budget) -> LastWord {
    if let Some(problem) = refused(args) {
        return LastWord::err(format!("error: {problem}"), Exit::Usage);
    }
    let file = &args.input.files[0];
    let program = match load(file) {
        Ok(program) => program,
        Err(problem) => return LastWord::err(problem, Exit::BadInput),
    };
    let options = Options {
        settings: Settings::ASE,
    };
    let answer = rhumb_guarded::check(&program, options, budget);
    let (said, exit) = told(file, &program, &answer);
    let figures = match args.stats || args.verbose {
        true => format!("{}\n", figures(&answer)),
        false => String::new(),
    };
    LastWord {
        out: said,
        err: figures,
        exit,
    }
}

/// An option that says nothing about guarded commands is refused: it would be a surprise if it did nothing.
fn refused(args: &CheckArgs) -> Option<&'static str> {
    let writes = [
        &args.report,
        &args.certificate,
        &args.witness,
        &args.harness,
        &args.standalone,
        &args.input.property,
    ];
    if args.input.files.len() > 1 {
        Some("one program of guarded commands at a time; `rhumb guarded` takes many")
    } else if args.engine.name != CATALOG[0].name {
        Some("that engine is for C; guarded commands have `rhumb guarded --engine ase` and `ur`")
    } else if args.format != FormatArg::Text {
        Some("for guarded commands there is the format text only")
    } else if args.checks.checks.is_some() || writes.iter().any(|file| file.is_some()) {
        Some("that option is for C, not for guarded commands")
    } else {
        None
    }
}

fn load(file: &Path) -> Result<Program, String> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| format!("error: {name}: {error}"))?;
    parse(&text).map_err(|problem| problem.report(&name, &text))
}

fn told(file: &Path, program: &Program, answer: &Answer) -> (String, Exit) {
    let name = file.display();
    match &answer.verdict {
        Verdict::Safe(_, check) => (
            format!(
                "SAFE: the property of {name} always holds ({})\nverdict: SAFE\n",
                check_name(*check)
            ),
            Exit::Success,
        ),
        Verdict::Unsafe(run, states) => (
            format!(
                "UNSAFE: the property of {name} is violated after {} steps\n{}verdict: UNSAFE\n",
                run.steps.len(),
                run_text(program, run, states)
            ),
            Exit::Unsafe,
        ),
        Verdict::Unknown(why) => (format!("verdict: UNKNOWN ({why})\n"), Exit::Unknown),
    }
}

fn check_name(check: Check) -> &'static str {
    match check {
        Check::SafeFragment => "safe fragment",
        Check::InductiveInvariant => "inductive invariant",
        Check::AllExact => "all transitions are exact",
    }
}

fn figures(answer: &Answer) -> String {
    let figures = answer.figures;
    format!(
        "{} iterations, {} predicates, {} queries, {} questions to split states, {} symbolic and {} abstract states",
        figures.iterations,
        figures.predicates,
        figures.queries,
        figures.splits,
        figures.states,
        figures.abstract_states
    )
}

/// The table of many programs.
pub(crate) fn table(args: &GuardedArgs) -> LastWord {
    watchdog::start(WatchdogLimits::default(), |reason| {
        LastWord::err(format!("error: {reason}"), Exit::Unknown)
    });
    let settings = match args.engine {
        GuardedEngineArg::Ase => Settings::ASE,
        GuardedEngineArg::Ur => Settings::UR,
    };
    let mut problems = String::new();
    let mut exit = Exit::Success;
    print(format!("{}\n", row(&HEAD.map(str::to_owned))));
    for file in files(&args.files) {
        let program = match load(&file) {
            Ok(program) => program,
            Err(problem) => {
                problems += &format!("{problem}\n");
                exit = Exit::BadInput;
                continue;
            }
        };
        let budget = Budget::time(args.timeout);
        let answer = rhumb_guarded::check(&program, Options { settings }, &budget);
        let name = file.file_stem().map(OsStr::to_string_lossy);
        let name = name.unwrap_or_default().into_owned();
        let papers = paper(&file, args.engine).remove(&name);
        print(format!("{}\n", row(&cells(name, &answer, papers))));
    }
    LastWord {
        out: String::new(),
        err: problems,
        exit,
    }
}

const HEAD: [&str; 8] = [
    "program",
    "verdict",
    "iterations",
    "predicates",
    "queries",
    "states",
    "check",
    "paper: iterations, predicates, queries, states, check",
];

fn cells(name: String, answer: &Answer, paper: Option<String>) -> [String; 8] {
    let figures = answer.figures;
    let (verdict, check) = match &answer.verdict {
        Verdict::Safe(_, Check::SafeFragment) => ("SAFE".to_owned(), "SF"),
        Verdict::Safe(_, Check::InductiveInvariant) => ("SAFE".to_owned(), "II"),
        Verdict::Safe(_, Check::AllExact) => ("SAFE".to_owned(), "exact"),
        Verdict::Unsafe(..) => ("UNSAFE".to_owned(), "-"),
        Verdict::Unknown(why) => (format!("UNKNOWN ({why})"), "-"),
    };
    [
        name,
        verdict,
        figures.iterations.to_string(),
        figures.predicates.to_string(),
        figures.queries.to_string(),
        format!("{}/{}", figures.states, figures.abstract_states),
        check.to_owned(),
        paper.unwrap_or_default(),
    ]
}

fn row(cells: &[String; 8]) -> String {
    let widths = [22, 8, 10, 10, 8, 12, 6, 0];
    let cells = cells.iter().zip(widths);
    let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
    let row = cells.collect::<Vec<_>>().join(" ");
    row.trim_end().to_owned()
}

/// The programs, with those of folders in their place, sorted.
fn files(given: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in given {
        match std::fs::read_dir(path) {
            Ok(entries) => {
                let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
                let mut files: Vec<PathBuf> = files.filter(|file| has_suffix(file)).collect();
                files.sort_unstable();
                all.extend(files);
            }
            Err(_) => all.push(path.clone()),
        }
    }
    all
}

/// What the paper says of programs that lie beside this one, by name: an engine, a program and figures on each line of its table.
fn paper(file: &Path, engine: GuardedEngineArg) -> BTreeMap<String, String> {
    let engine = match engine {
        GuardedEngineArg::Ase => "ase",
        GuardedEngineArg::Ur => "ur",
    };
    let table = file.with_file_name("paper.csv");
    let text = std::fs::read_to_string(table).unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let (of, rest) = line.split_once(',')?;
        let (name, figures) = rest.split_once(',')?;
        (of == engine).then(|| (name.to_owned(), figures.replace(',', ", ")))
    });
    lines.collect()
}
