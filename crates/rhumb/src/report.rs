//! What is known about a program, as text: the targets, where there are several; the way to an error; the verdict, last.

use std::fmt;
use std::sync::Arc;

use rhumb_certify::Verdict;
use rhumb_certify::counterexample::{Checked, Counterexample};
use rhumb_program::graph::CallGraph;
use rhumb_program::{Checks, Ending, Position, Program, Target, TargetKind};
use rhumb_report::document::Invariant;
use rhumb_report::invariants::plainly;
use rhumb_report::story::is_users_file;
use rhumb_report::text::{clip, hanging, plain_expression, source_line};
use rhumb_search::{Decision, Outcome};

use crate::input::Input;
use crate::properties::{self, PropertyReport};
use crate::rounds::Established;
use crate::{ending_text, explain, faults, inputs_text, targets_text};

/// The answer to a question about a program. As text it is what `rhumb check` prints.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict, with its evidence.
    pub verdict: Verdict,
    /// All of it in words.
    pub summary: Summary,
}

impl Report {
    /// What a decision says.
    pub fn of(input: &Input, decision: &Decision) -> Report {
        Report {
            verdict: decision.verdict.clone(),
            summary: Summary::of(input, decision),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary.in_full())
    }
}

/// A verdict without its evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// No run reaches a target.
    Safe,
    /// A run reaches a target.
    Unsafe,
    /// Nothing is known.
    Unknown,
}

/// A decision in words. It needs no program any more, so it can be said by whoever ends the command.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What is known about each target.
    pub targets: Vec<TargetReport>,
    /// What is known about each of several properties.
    pub properties: Vec<PropertyReport>,
    /// The verdict.
    pub conclusion: Conclusion,
    /// What it assumes.
    assumptions: String,
    /// The answer in a sentence; empty if there is none.
    headline: String,
    /// What holds at loops.
    invariants: String,
    /// What reaches the error: a line; the story of the run; its inputs.
    counterexample: [String; 3],
    /// Why nothing is known.
    reason: String,
    /// What was tried to know it.
    tried: String,
    /// Up to which bound no run goes wrong all the same.
    pub(crate) established: Option<Established>,
}

/// What is known about a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetReport {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function of the library in which it lies, if it is in none of the user's files; empty for one that is only there for others.
    pub library: Option<String>,
    /// Where the run that reaches it left the user's files, if it lies in the library.
    pub called_at: Option<Position>,
    /// What it is.
    pub what: String,
    /// Whether it can be reached.
    pub outcome: Outcome,
    /// Whether it is a check for undefined behaviour or lost memory.
    pub is_check: bool,
    /// Whether its function can be called at all.
    pub is_called: bool,
    /// What exactly is undefined there in the run that reaches it, if that is known.
    pub error: Option<String>,
    /// The inputs of that run, a line each.
    pub inputs: Vec<String>,
    /// Whether it is the run that is told line by line.
    pub is_told: bool,
}

impl Summary {
    /// What a decision says.
    pub fn of(input: &Input, decision: &Decision) -> Summary {
        let program = &input.program;
        let (conclusion, reason) = match &decision.verdict {
            Verdict::Safe(_) => (Conclusion::Safe, ""),
            Verdict::Unsafe(_) => (Conclusion::Unsafe, ""),
            Verdict::Unknown(reason) => (Conclusion::Unknown, &**reason),
        };
        Summary {
            targets: targets(program, decision),
            properties: properties::reports(&input.properties, program, decision),
            assumptions: match conclusion {
                Conclusion::Safe | Conclusion::Unsafe => assumptions_text(program),
                Conclusion::Unknown => String::new(),
            },
            headline: headline(program, decision),
            invariants: {
                let is_safe = conclusion == Conclusion::Safe;
                let ending = input.options.checks.ending.as_ref().filter(|_| is_safe);
                let measures = ending_text::measures_text(program, ending);
                measures + &invariants_text(program, &decision.verdict)
            },
            counterexample: match &decision.verdict {
                Verdict::Unsafe(certified) => {
                    counterexample_text(program, certified.evidence(), certified.check())
                }
                _ => Default::default(),
            },
            reason: reason.to_owned(),
            tried: String::new(),
            established: None,
            conclusion,
        }
    }

    /// Says what was tried, in case that nothing is known, and what is known all the same.
    pub(crate) fn tried(&mut self, what: String, established: Option<Established>) {
        self.tried = what;
        self.established = established;
    }

    /// Tells the run to the error in other words.
    pub fn tell(&mut self, story: String) {
        self.counterexample[1] = story;
    }

    /// All of it.
    pub fn in_full(&self) -> String {
        self.with(|reason| reason.to_owned())
    }

    /// What is known when the work is ended for this reason: then it is the reason for all that is not known.
    pub fn so_far(&self, reason: &str) -> String {
        self.with(|_| reason.to_owned())
    }

    fn with(&self, why: impl Fn(&str) -> String) -> String {
        let mut text = self.headline.clone();
        text.push_str(&targets_text::text(&self.targets, &why));
        text.push_str(&self.invariants);
        text.push_str(&self.assumptions);
        text.push_str(&self.counterexample.concat());
        if self.conclusion == Conclusion::Unknown {
            text.push_str(&self.unknown(&why(&self.reason)));
        }
        text.push_str(&properties::text(&self.properties, &why));
        let verdict = match (self.conclusion, &self.reason) {
            (Conclusion::Safe, _) => "SAFE".to_owned(),
            (Conclusion::Unsafe, _) => "UNSAFE".to_owned(),
            (Conclusion::Unknown, reason) => format!("UNKNOWN ({})", why(reason)),
        };
        text.push_str(&format!("verdict: {verdict}\n"));
        text
    }

    /// Why nothing is known: what that means, what is known all the same, and what may help.
    fn unknown(&self, reason: &str) -> String {
        let mut text = String::new();
        if !self.tried.is_empty() {
            text.push_str(&hanging(&format!("tried: {}", self.tried)));
        }
        let mut between = String::new();
        for (place, source) in places(reason).into_iter().take(NAMED) {
            let line = format!("  {place}: {source}");
            between.extend(line.chars().take(WIDTH).chain(['\n']));
        }
        let (safe, all) = targets_text::established(&self.targets);
        if safe > 0 {
            between.push_str(&format!(
                "established: {safe} of {all} questions: no run goes wrong there\n"
            ));
        }
        if let Some(bound) = &self.established {
            between.push_str(&hanging(&format!("established: {bound}")));
        }
        text + &explain::text(reason, &between)
    }
}

/// The places that a reason names, with their source lines.
fn places(reason: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in reason.split([' ', ',', '(', ')']) {
        let mut parts = word.splitn(2, ':');
        let (Some(file), Some(rest)) = (parts.next(), parts.next()) else {
            continue;
        };
        let line = rest.split(':').next().and_then(|line| line.parse().ok());
        if let Some(line) = line
            && let Some(source) = source_line(file, line)
            && !found.iter().any(|(place, _)| place == word)
        {
            found.push((word.to_owned(), source));
        }
    }
    found
}

/// How wide a terminal is.
const WIDTH: usize = 80;
/// So much of a source line is shown, however long the name of its file is.
const LEAST: usize = 30;
/// So many further lines of a reason are shown.
const NAMED: usize = 3;

/// The answer in a sentence: what always holds, or what goes wrong, with its text.
fn headline(program: &Program, decision: &Decision) -> String {
    let name = |target: &Target| {
        let position = program.sources.position(target.span);
        (position.file, position.line)
    };
    match &decision.verdict {
        Verdict::Safe(_) => {
            let (checks, targets): (Vec<&Target>, Vec<&Target>) = program
                .targets
                .iter()
                .partition(|target| target.kind.is_check());
            let mut targets = targets.into_iter();
            let asked = Checks::parse(&program.outside.checks);
            let ending = asked.ok().and_then(|asked| asked.ending);
            let has_repeats = ending == Some(Ending::Repeated);
            let has_measures = ending.is_some() && !has_repeats;
            let all = match (targets.next(), targets.next()) {
                (None, _) if has_measures => "all runs end".to_owned(),
                (None, _) if has_repeats => {
                    "no state comes back; runs may go on all the same".to_owned()
                }
                (None, _) if !checks.is_empty() => "all checks hold".to_owned(),
                (None, _) => "the program has nothing that must not be reached".to_owned(),
                (Some(only), None) => {
                    let (file, line) = name(only);
                    match only.kind {
                        TargetKind::Assertion => {
                            format!("the assertion at {file}:{line} always holds")
                        }
                        _ => format!("no run gets to {file}:{line}, {}", only.kind),
                    }
                }
                _ => format!("no run gets to any of {} targets", targets.count() + 2),
            };
            let checks = match checks.is_empty()
                || has_measures
                || has_repeats
                || all == "all checks hold"
            {
                true => "",
                false => ", and all checks hold",
            };
            format!("SAFE: {all}{checks}\n")
        }
        Verdict::Unsafe(certified) => {
            let target = &program.targets[certified.evidence().target];
            let (file, line, within) = seen_at(program, certified.check());
            let source = source_line(&file, line);
            let text = match (source, faults::property_of(&target.kind)) {
                (Some(source), None) => source,
                (Some(source), Some(_)) => format!("{}{within}: {source}", target.kind),
                (None, _) => format!("{}{within}", target.kind),
            };
            let head = format!("UNSAFE: {file}:{line}: ");
            let room = WIDTH.saturating_sub(head.chars().count()).max(LEAST);
            format!("{head}{}\n", clip(&text, room))
        }
        Verdict::Unknown(_) => String::new(),
    }
}

/// How many assumptions are listed; the certificate has them all.
const ASSUMPTIONS: usize = 20;

/// What a verdict rests on beside the text of the program, a line each.
pub fn assumptions_text(program: &Program) -> String {
    let all = program.outside.assumptions();
    let lines = all.iter().take(ASSUMPTIONS);
    let mut text: String = lines
        .map(|line| hanging(&format!("assumes: {line}")))
        .collect();
    if let more @ 1.. = all.len().saturating_sub(ASSUMPTIONS) {
        text.push_str(&format!("assumes: and {more} more of this kind\n"));
    }
    text
}

fn targets(program: &Program, decision: &Decision) -> Vec<TargetReport> {
    let called = CallGraph::of(program).reachable(program.start);
    let pairs = program.targets.iter().zip(&decision.targets);
    let named = pairs.map(|(target, outcome)| {
        let position = program.sources.position(target.span);
        TargetReport {
            library: library(program, target),
            called_at: None,
            file: position.file.to_string(),
            line: position.line,
            what: target.kind.to_string(),
            outcome: outcome.clone(),
            is_check: target.kind.is_check(),
            is_called: called[target.function],
            error: None,
            inputs: Vec::new(),
            is_told: false,
        }
    });
    let mut named: Vec<TargetReport> = named.collect();
    for (number, error) in decision.errors.iter().enumerate() {
        let Verdict::Unsafe(certified) = error else {
            continue;
        };
        let run = certified.evidence();
        let report = &mut named[run.target.index()];
        if report.is_check {
            report.error = faults::fault(program, run);
        }
        report.called_at = called_at(program, certified.check());
        report.inputs = inputs_text::lines(program, &run.inputs);
        report.is_told = number == 0;
    }
    named
}

/// The function of the library that a target lies in.
fn library(program: &Program, target: &Target) -> Option<String> {
    let file = program.sources.position(target.span).file;
    let name = &program.functions[target.function].name;
    let name = match name.starts_with('_') {
        true => "",
        false => name,
    };
    (!is_users_file(&file)).then(|| name.to_owned())
}

/// Where a run to a target in the library left the user's files.
fn called_at(program: &Program, checked: &Checked) -> Option<Position> {
    library(program, &program.targets[checked.target])?;
    let calls = checked.run.calls.iter().rev();
    let mut places = calls.map(|call| {
        let edge = &program.functions[call.function].cfa.edges[call.edge];
        program.sources.position(edge.span)
    });
    places.find(|place| is_users_file(&place.file) && place.line > 0)
}

/// Where a run goes wrong, as the user sees it: the file, the line, and in which function of the library.
fn seen_at(program: &Program, checked: &Checked) -> (Arc<str>, u32, String) {
    let target = &program.targets[checked.target];
    match (called_at(program, checked), library(program, target)) {
        (Some(place), Some(name)) if name.is_empty() => (place.file, place.line, String::new()),
        (Some(place), Some(name)) => (place.file, place.line, format!(" in {name}()")),
        _ => {
            let place = program.sources.position(target.span);
            (place.file, place.line, String::new())
        }
    }
}

/// The error, and the inputs that lead to it.
fn counterexample_text(
    program: &Program,
    counterexample: &Counterexample,
    checked: &Checked,
) -> [String; 3] {
    let target = &program.targets[counterexample.target];
    let (file, line, within) = seen_at(program, checked);
    let steps = match &checked.steps {
        Some(steps) => format!(" after {steps} steps"),
        None => String::new(),
    };
    let mut reached = format!("reached: {file}:{line}{within}{steps}\n");
    if let Some(property) = faults::property_of(&target.kind) {
        reached.push_str(&format!("violates: {property}\n"));
        let what = faults::fault(program, counterexample);
        let what = what.unwrap_or_else(|| target.kind.to_string());
        reached.push_str(&format!("error: {what}\n"));
    }
    let story = rhumb_report::story::tell(program, &counterexample.inputs);
    let told = rhumb_report::text::story(&story, false);
    let lines = match story.is_complete {
        true => inputs_text::in_order(&story.inputs),
        false => inputs_text::lines(program, &counterexample.inputs),
    };
    let mut inputs: String = lines.into_iter().map(|line| line + "\n").collect();
    inputs.push_str(match program.schedule() {
        None => "next: --report DIR shows it as a page, --harness h.c makes it run with gcc\n",
        // Compiled code has a schedule of its own.
        Some(_) => "next: --report DIR shows it as a page\n",
    });
    [reached, told, inputs]
}

/// So many invariants are printed.
const INVARIANTS: usize = 20;
/// Longer ones are nothing to read.
const LONG: usize = 200;

/// What holds at loops, a line each.
fn invariants_text(program: &Program, verdict: &Verdict) -> String {
    let all = crate::document::invariants(program, verdict);
    let says_something = |expression: &str| expression != "1" && expression.len() <= LONG;
    let shown = all.iter().filter(|found| says_something(&found.expression));
    let shown: Vec<&Invariant> = shown.take(INVARIANTS).collect();
    let places = shown.chunk_by(|one, next| one.file == next.file && one.line == next.line);
    let lines = places.flat_map(|place| {
        let plain = place
            .iter()
            .map(|found| plain_expression(&found.expression));
        let plain: Vec<String> = plain.collect();
        let (file, line) = (&place[0].file, place[0].line);
        let said = plainly(&plain).into_iter();
        said.map(move |holds| format!("invariant: {file}:{line}: {holds}\n"))
    });
    lines.collect()
}
