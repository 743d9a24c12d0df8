//! `rhumb check`: the verdict.

mod report;

use rhumb_certify::{NotAccepted, Verdict};
use rhumb_search::{Decision, Observer, Progress, decide};

use crate::cli::CheckArgs;
use crate::evidence;
use crate::exit::Exit;
use crate::input::Input;
use crate::last_word::{self, LastWord};
use crate::statistics::Statistics;
use crate::watchdog;
use report::Report;
pub(super) use report::assumptions_text;

/// Decides a program.
pub(crate) fn run(args: &CheckArgs) -> LastWord {
    let budget = watchdog::start(args.limits.limits());
    last_word::otherwise(unknown);
    let mut statistics = Statistics::new(args.stats, args.verbose);
    statistics.phase("frontend");
    let input = match Input::load(&args.input, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    if let Some(property) = &input.unsupported_property {
        statistics.end();
        return unknown(&format!("unsupported property {property}"));
    }
    let mut course = Course {
        args,
        input: &input,
        statistics,
        is_written: false,
        problem: None,
    };
    let (engine, preset) = (args.engine, args.preset.into());
    let decision = decide(&input.program, engine, preset, &budget, &mut course);
    course.statistics.end();
    match course.problem {
        Some(problem) => not_written(&problem),
        None => Report::of(&input.program, &decision).in_full(),
    }
}

fn unknown(reason: &str) -> LastWord {
    LastWord::out(format!("verdict: UNKNOWN ({reason})\n"), Exit::Unknown)
}

fn not_written(problem: &str) -> LastWord {
    LastWord::err(format!("error: {problem}"), Exit::BadInput)
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
        if !evidence::is_wanted(self.args) {
            return;
        }
        self.statistics.phase("evidence");
        if let Err(problem) = evidence::write(self.args, self.input, verdict) {
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

    fn decided(&mut self, so_far: &Decision) {
        let report = Report::of(&self.input.program, so_far);
        if !self.is_written {
            let report = report.clone();
            last_word::otherwise(move |reason| report.without_evidence(reason));
            self.write(&so_far.verdict);
        }
        match self.problem.clone() {
            Some(problem) => last_word::otherwise(move |_| not_written(&problem)),
            None => last_word::otherwise(move |reason| report.so_far(reason)),
        }
    }
}
