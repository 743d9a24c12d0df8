//! `rhumb check`: the verdict.

use rhumb::{Conclusion, Input, Options, Summary, Verdict};
use rhumb_certify::NotAccepted;
use rhumb_search::{Decision, Observer, Progress};

use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::files;
use crate::input;
use crate::last_word::{self, LastWord};
use crate::statistics::Statistics;
use crate::watchdog;

/// Decides a program.
pub(crate) fn run(args: &CheckArgs) -> LastWord {
    let budget = watchdog::start(args.limits.limits());
    last_word::otherwise(unknown);
    let mut statistics = Statistics::new(args.stats, args.verbose);
    statistics.phase("frontend");
    let input = match input::load(&args.input, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    if let Err(problem) = files::check(args, &input) {
        return LastWord::err(format!("error: {problem}"), Exit::BadInput);
    }
    let mut course = Course {
        args,
        input: &input,
        statistics,
        is_written: false,
        problem: None,
    };
    let options = Options {
        engine: args.engine,
        preset: args.preset.into(),
        budget,
    };
    let report = rhumb::check_watched(&input, &options, &mut course);
    course.statistics.end();
    let word = LastWord::out(report.to_string(), exit_of(report.summary.conclusion));
    with_problem(word, course.problem.as_deref())
}

fn unknown(reason: &str) -> LastWord {
    LastWord::out(format!("verdict: UNKNOWN ({reason})\n"), Exit::Unknown)
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

/// Sees to it that what was decided is not lost: as soon as there is a verdict its evidence is written, and it is the last word, should time run out over the other
/// targets.
struct Course<'a> {
    args: &'a CheckArgs,
    input: &'a Input,
    statistics: Statistics,
    /// Whether the evidence was written, as far as it was asked for.
    is_written: bool,
    /// Why it could not be.
    problem: Option<String>,
}

impl Course<'_> {
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

    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        self.statistics.checked(outcome);
    }

    fn decided(&mut self, decision: &Decision) {
        let summary = Summary::of(&self.input.program, decision);
        if !self.is_written {
            let summary = summary.clone();
            last_word::otherwise(move |reason| without_evidence(&summary, reason));
            self.write(&decision.verdict);
        }
        let problem = self.problem.clone();
        last_word::otherwise(move |reason| {
            with_problem(so_far(&summary, reason), problem.as_deref())
        });
    }
}
