//! `rhumb cover`: tests for parts of a program.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use rhumb::{Coverage, Options};
use rhumb_program::coverage::Wanted;
use rhumb_search::Metric;
use rhumb_search::Observer;
use rhumb_search::cover::{CoverObserver, Suite};
use rhumb_summary::Preset;

use super::{print, say};
use crate::cli::{CoverArgs, SuiteFormatArg};
use crate::exit::Exit;
use crate::input;
use crate::last_word::{self, LastWord};
use crate::watchdog;

/// Makes tests.
pub(crate) fn run(args: &CoverArgs) -> LastWord {
    let budget = watchdog::start(args.limits.limits(), |reason| {
        LastWord::out(format!("coverage: unknown ({reason})\n"), Exit::Unknown)
    });
    let input = match input::load_for_tests(&args.input, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    let options = Options {
        engine: args.engine,
        preset: Preset::default(),
        metric: Metric::default(),
        budget,
        seed: 0,
    };
    let mut course = Course {
        shows: !args.input.quiet && std::io::stderr().is_terminal(),
    };
    let wanted = args.goals.as_ref().or(input.goals.as_ref());
    let wanted = wanted.unwrap_or(&Wanted::Branches);
    let coverage = rhumb::cover(&input, wanted, &options, &mut course);
    last_word::clear_line();
    if coverage.goals.is_empty() {
        say("note: the program has no such goals");
    }
    let incomplete = coverage.incomplete();
    if incomplete > 0 && args.out.is_some() {
        say(format!(
            "warning: {incomplete} of the tests depend on uninitialised values, which are not in their files"
        ));
    }
    if args.source {
        let in_colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        print(coverage.source(in_colour));
    }
    let exit = match coverage.suite.count() {
        [_, _, 0] => Exit::Success,
        _ => Exit::Unknown,
    };
    let mut word = LastWord::out(coverage.text(), exit);
    if let Some(folder) = &args.out
        && let Err(problem) = write(folder, args.format, &coverage)
    {
        word.err.push_str(&format!("error: {problem}\n"));
        word.exit = Exit::BadInput;
    }
    word
}

/// Writes the suite and the page.
fn write(folder: &Path, format: SuiteFormatArg, coverage: &Coverage<'_>) -> Result<(), String> {
    let mut files = match format {
        SuiteFormatArg::TestComp => {
            let files = coverage.test_comp(env!("CARGO_PKG_VERSION"));
            files.map_err(|why| why.to_string())?
        }
        SuiteFormatArg::C => coverage.c_files().map_err(|why| why.to_string())?,
        SuiteFormatArg::Csv => coverage.tables(),
    };
    files.push(("index.html".to_owned(), coverage.page()));
    let failed = |path: &Path, error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// Shows how it goes, and keeps a word for the case that the command is ended.
struct Course {
    shows: bool,
}

impl Observer for Course {}

impl CoverObserver for Course {
    fn found(&mut self, so_far: &Suite) {
        let [covered, unreachable, open] = so_far.count();
        let line = format!("{covered} covered, {unreachable} proved unreachable, {open} open");
        if self.shows {
            last_word::clear_line();
            // A terminal that is gone shows nothing.
            let _ = write!(std::io::stderr(), "{line}");
            last_word::has_line();
        }
        last_word::otherwise(move |reason| {
            LastWord::out(format!("coverage: {line} ({reason})\n"), Exit::Unknown)
        });
    }
}
