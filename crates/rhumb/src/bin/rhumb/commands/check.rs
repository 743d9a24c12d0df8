//! `rhumb check`: the verdict.

use std::path::{Path, PathBuf};

use rhumb::{
    Cache, Conclusion, Document, Input, Known, Options, Outcome, Report, Summary, TreeView, Verdict,
};
use rhumb_certify::NotAccepted;
use rhumb_search::{Decision, Observer, Progress};

use super::{guarded, say};
use crate::cli::{CheckArgs, FormatArg};
use crate::colour;
use crate::exit::Exit;
use crate::files;
use crate::input;
use crate::last_word::{self, LastWord};
use crate::statistics::Statistics;
use crate::watchdog;

/// So many trees are kept for a page.
const TREES: usize = 8;

/// Decides a program.
pub(crate) fn run(args: &CheckArgs) -> LastWord {
    let unfinished = Unfinished::of(args);
    let budget = watchdog::start(args.limits.limits(), move |reason| unfinished.word(reason));
    if guarded::is_one(&args.input.files) {
        return guarded::check(args, &budget);
    }
    let mut statistics = Statistics::new(args.stats, args.verbose);
    if !args.input.quiet {
        statistics.show_progress(args.limits.time());
    }
    statistics.phase("frontend");
    let checks = args.checks.checks.as_ref();
    let known = match input::known(&args.checks) {
        Ok(known) => known,
        Err(problem) => return LastWord::err(format!("error: {problem}"), Exit::BadInput),
    };
    let input = match input::load_as(&args.input, checks, &known, "", &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    if let Err(problem) = files::check(args, &input) {
        return LastWord::err(format!("error: {problem}"), Exit::BadInput);
    }
    let options = Options {
        engine: args.engine,
        preset: args.preset.into(),
        metric: args.metric.into(),
        budget: budget.clone(),
        seed: args.seed,
    };
    let (input, decision) = rhumb::decide_ending(input, &options, &mut Watching(&mut statistics));
    let mut course = Course {
        args,
        input: &input,
        statistics,
        is_written: false,
        problem: None,
        trees: Vec::new(),
    };
    let mut report = match (decision, cache(args)) {
        (Some(decision), _) => {
            course.decided(&decision);
            rhumb::report_ending(&input, &options, &decision)
        }
        (None, None) => rhumb::check_watched(&input, &options, &mut course),
        (None, Some(cache)) => {
            let (report, is_kept) = rhumb::check_cached(&input, &options, &cache, &mut course);
            if is_kept && !args.input.quiet {
                say("note: the evidence is from the cache, and was checked again");
            }
            report
        }
    };
    if args.full_trace
        && let Some(story) = rhumb::story(&input.program, &report.verdict)
    {
        report.summary.tell(rhumb::story_text(&story, true));
    }
    course.statistics.end();
    let problem = course.problem.take();
    let times = course.statistics.times();
    let out = answer(args, &input, &report, &times);
    let word = LastWord::out(out, exit_of(report.summary.conclusion));
    let word = with_problem(word, problem.as_deref());
    let baseline = args.write_baseline.as_deref();
    let baseline = baseline.map(|file| write_baseline(file, &input, &report, &known));
    let word = with_problem(word, baseline.and_then(Result::err).as_deref());
    let Some(folder) = args.report.as_deref() else {
        return word;
    };
    // Should the time be over while the page is made, the answer is this one.
    let ready = with_problem(
        word.clone(),
        Some("the time was over before the page was made"),
    );
    last_word::otherwise(move |_| ready.clone());
    let page = rhumb::page(&input, &report, &times, &course.trees, &budget);
    with_problem(word, files::write_page(folder, &page).err().as_deref())
}

/// The results of earlier runs, if they are asked for. A folder that can't be used takes no answer away.
fn cache(args: &CheckArgs) -> Option<Cache> {
    match Cache::open(args.cache.as_deref()?) {
        Ok(cache) => Some(cache),
        Err(problem) => {
            say(format!("warning: no cache: {problem}"));
            None
        }
    }
}

/// Writes the keys of all that can be reached, and of what was known before.
fn write_baseline(
    file: &Path,
    input: &Input,
    report: &Report,
    known: &[Known],
) -> Result<(), String> {
    let mut text =
        "# Findings of rhumb that are known; behind ` # ` a line may say why.\n".to_owned();
    for Known { key, reason } in known {
        text.push_str(&match reason.is_empty() {
            true => format!("{key}\n"),
            false => format!("{key} # {reason}\n"),
        });
    }
    let targets = report.summary.targets.iter().zip(&input.keys);
    for (_, key) in targets.filter(|(target, _)| target.outcome == Outcome::Unsafe) {
        text.push_str(&format!("{key}\n"));
    }
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The answer in the format that was asked for.
fn answer(args: &CheckArgs, input: &Input, report: &Report, times: &[(String, f64)]) -> String {
    match args.format {
        FormatArg::Text => colour::answer(report.to_string()),
        format => {
            let document = rhumb::document(input, report, times, args.full_trace);
            in_format(format, &document)
        }
    }
}

/// A document in a format for tools.
fn in_format(format: FormatArg, document: &Document) -> String {
    match format {
        FormatArg::Text | FormatArg::Json => document.json(),
        FormatArg::Sarif => rhumb::sarif(document),
        FormatArg::Gcc => rhumb::gcc(document),
        FormatArg::Github => rhumb::github(document),
        FormatArg::Junit => rhumb::junit(document),
    }
}

/// What is to be said if the check is ended before there is a program, or an answer.
struct Unfinished {
    format: FormatArg,
    files: Vec<PathBuf>,
    entry: String,
}

impl Unfinished {
    fn of(args: &CheckArgs) -> Unfinished {
        Unfinished {
            format: args.format,
            files: args.input.files.clone(),
            entry: args.input.entry.clone(),
        }
    }

    fn word(&self, reason: &str) -> LastWord {
        let out = match self.format {
            FormatArg::Text => {
                let helps = rhumb::explain::text(reason, "");
                format!("{helps}verdict: UNKNOWN ({reason})\n")
            }
            format => in_format(format, &rhumb::unknown(&self.files, &self.entry, reason)),
        };
        LastWord::out(out, Exit::Unknown)
    }
}

fn exit_of(conclusion: Conclusion) -> Exit {
    match conclusion {
        Conclusion::Safe => Exit::Success,
        Conclusion::Unsafe => Exit::Unsafe,
        Conclusion::Unknown => Exit::Unknown,
    }
}

/// What is known when the command is ended for this reason.
fn so_far(summary: &Summary, reason: &str) -> LastWord {
    LastWord::out(summary.so_far(reason), exit_of(summary.conclusion))
}

/// The same before the evidence was written.
fn without_evidence(summary: &Summary, reason: &str) -> LastWord {
    LastWord {
        err: format!("warning: {reason}, before the evidence was written\n"),
        ..so_far(summary, reason)
    }
}

/// A verdict stands whatever becomes of a file.
fn with_problem(mut word: LastWord, problem: Option<&str>) -> LastWord {
    if let Some(problem) = problem {
        word.err.push_str(&format!("error: {problem}\n"));
    }
    word
}

/// Shows how it goes, while nothing is decided yet.
struct Watching<'a>(&'a mut Statistics);

impl Observer for Watching<'_> {
    fn phase(&mut self, name: &'static str) {
        self.0.phase(name);
    }

    fn progress(&mut self, progress: &Progress) {
        self.0.progress(progress);
    }

    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        self.0.checked(outcome);
    }
}

/// Sees to it that what was decided is not lost: as soon as there is a verdict its evidence is written, and it is the
/// last word, should time run out over the other targets.
struct Course<'a> {
    args: &'a CheckArgs,
    input: &'a Input,
    statistics: Statistics,
    /// Whether the evidence was written, as far as it was asked for.
    is_written: bool,
    /// Why it could not be.
    problem: Option<String>,
    /// The trees that were grown, for the page.
    trees: Vec<TreeView>,
}

impl Course<'_> {
    /// What is known, if it is to be said in a format for tools.
    fn answer_so_far(&self, decision: &Decision) -> Option<String> {
        let format = Some(self.args.format).filter(|format| *format != FormatArg::Text)?;
        let report = Report::of(self.input, decision);
        let times = self.statistics.times();
        let document = rhumb::document(self.input, &report, &times, false);
        Some(in_format(format, &document))
    }

    fn write(&mut self, verdict: &Verdict) {
        self.is_written = true;
        if !files::is_wanted(self.args) {
            return;
        }
        self.statistics.phase("evidence");
        if let Err(problem) = files::write(self.args, self.input, verdict) {
            self.problem = Some(problem);
        }
    }
}

impl Observer for Course<'_> {
    fn phase(&mut self, name: &'static str) {
        self.statistics.phase(name);
    }

    fn progress(&mut self, progress: &Progress) {
        self.statistics.progress(progress);
    }

    fn ended(&mut self, progress: &Progress) {
        self.statistics.ended(progress);
    }

    fn wants_trees(&self) -> bool {
        self.args.report.is_some() && self.trees.len() < TREES
    }

    fn tree(&mut self, tree: TreeView) {
        self.trees.push(tree);
    }

    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        self.statistics.checked(outcome);
    }

    fn decided(&mut self, decision: &Decision) {
        let summary = Summary::of(self.input, decision);
        let is_known = !matches!(decision.verdict, Verdict::Unknown(_));
        if is_known && !self.is_written {
            let summary = summary.clone();
            last_word::otherwise(move |reason| without_evidence(&summary, reason));
            self.write(&decision.verdict);
        }
        let problem = self.problem.clone();
        let answer = self.answer_so_far(decision);
        last_word::otherwise(move |reason| {
            let mut word = so_far(&summary, reason);
            if let Some(answer) = &answer {
                word.out.clone_from(answer);
            }
            with_problem(word, problem.as_deref())
        });
    }
}
