//! What is known about a program, as text: the targets, where there are several; the way to an error; the verdict, last.

use std::fmt;

use rhumb_certify::Verdict;
use rhumb_certify::counterexample::{Checked, Counterexample};
use rhumb_program::{Program, Target, TargetKind};
use rhumb_report::text::{plain_expression, source_line};
use rhumb_search::{Decision, Outcome};

use crate::{checks_text, inputs_text};

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
    pub fn of(program: &Program, decision: &Decision) -> Report {
        Report {
            verdict: decision.verdict.clone(),
            summary: Summary::of(program, decision),
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
    verdict: String,
}

/// What is known about a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetReport {
    /// Where it is, and what.
    pub name: String,
    /// Whether it can be reached.
    pub outcome: Outcome,
    /// Whether it is a check for undefined behaviour or lost memory.
    pub is_check: bool,
}

impl Summary {
    /// What a decision says.
    pub fn of(program: &Program, decision: &Decision) -> Summary {
        let (verdict, conclusion) = match &decision.verdict {
            Verdict::Safe(_) => ("SAFE".to_owned(), Conclusion::Safe),
            Verdict::Unsafe(_) => ("UNSAFE".to_owned(), Conclusion::Unsafe),
            Verdict::Unknown(reason) => (format!("UNKNOWN ({reason})"), Conclusion::Unknown),
        };
        Summary {
            targets: targets(program, decision),
            assumptions: match conclusion {
                Conclusion::Safe | Conclusion::Unsafe => assumptions_text(program),
                Conclusion::Unknown => String::new(),
            },
            headline: headline(program, decision),
            invariants: invariants_text(program, &decision.verdict),
            counterexample: match &decision.verdict {
                Verdict::Unsafe(certified) => {
                    counterexample_text(program, certified.evidence(), certified.check())
                }
                _ => Default::default(),
            },
            verdict,
            conclusion,
        }
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
        let said = |outcome: &Outcome| match outcome {
            Outcome::Safe => "SAFE".to_owned(),
            Outcome::Unsafe => "UNSAFE".to_owned(),
            Outcome::Unknown(reason) => format!("UNKNOWN ({})", why(reason)),
        };
        let (checks, targets): (Vec<_>, Vec<_>) =
            self.targets.iter().partition(|target| target.is_check);
        // One target has the verdict of the program.
        if self.targets.len() > 1 {
            for target in targets {
                let outcome = said(&target.outcome);
                text.push_str(&format!("target {}: {outcome}\n", target.name));
            }
        }
        let checks = checks_text::Grouped::of(&checks);
        for (name, outcome) in &checks.notable {
            text.push_str(&format!("check {name}: {}\n", said(outcome)));
        }
        text.push_str(&checks.counts());
        text.push_str(&self.invariants);
        text.push_str(&self.assumptions);
        text.push_str(&self.counterexample.concat());
        text.push_str(&format!("verdict: {}\n", self.verdict));
        text
    }
}

/// The answer in a sentence: what always holds, or what goes wrong, with its text.
fn headline(program: &Program, decision: &Decision) -> String {
    let name = |target: &Target| {
        let position = program.sources.position(target.span);
        (position.file, position.line)
    };
    match &decision.verdict {
        Verdict::Safe(_) => {
            let mut targets = program.targets.iter();
            let all = match (targets.next(), targets.next()) {
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
                _ => format!("no run gets to any of {} targets", program.targets.len()),
            };
            format!("SAFE: {all}\n")
        }
        Verdict::Unsafe(certified) => {
            let target = &program.targets[certified.evidence().target];
            let (file, line) = name(target);
            let source = source_line(&file, line);
            let text = match (source, checks_text::property_of(&target.kind)) {
                (Some(source), None) => source,
                (Some(source), Some(_)) => format!("{}: {source}", target.kind),
                (None, _) => target.kind.to_string(),
            };
            format!("UNSAFE: {file}:{line}: {text}\n")
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
    let mut text: String = lines.map(|line| format!("assumes: {line}\n")).collect();
    if let more @ 1.. = all.len().saturating_sub(ASSUMPTIONS) {
        text.push_str(&format!("assumes: and {more} more of this kind\n"));
    }
    text
}

fn targets(program: &Program, decision: &Decision) -> Vec<TargetReport> {
    let pairs = program.targets.iter().zip(&decision.targets);
    let named = pairs.map(|(target, outcome)| {
        let position = program.sources.position(target.span);
        TargetReport {
            name: format!("{}:{}, {}", position.file, position.line, target.kind),
            outcome: outcome.clone(),
            is_check: checks_text::property_of(&target.kind).is_some(),
        }
    });
    named.collect()
}

/// The error, and the inputs that lead to it.
fn counterexample_text(
    program: &Program,
    counterexample: &Counterexample,
    checked: &Checked,
) -> [String; 3] {
    let target = &program.targets[counterexample.target];
    let position = program.sources.position(target.span);
    let steps = match &checked.steps {
        Some(steps) => format!(" after {steps} steps"),
        None => String::new(),
    };
    let mut reached = format!("reached: {}:{}{steps}\n", position.file, position.line);
    if let Some(property) = checks_text::property_of(&target.kind) {
        reached.push_str(&format!("violates: {property}\n"));
        let what = checks_text::fault(program, counterexample);
        let what = what.unwrap_or_else(|| target.kind.to_string());
        reached.push_str(&format!("error: {what}\n"));
    }
    let story = rhumb_report::story::tell(program, &counterexample.inputs);
    let told = rhumb_report::text::story(&story, false);
    let lines = match story.is_complete {
        true => inputs_text::in_order(&story.inputs),
        false => inputs_text::lines(program, &counterexample.inputs),
    };
    let inputs = lines.into_iter().map(|line| line + "\n").collect();
    [reached, told, inputs]
}

/// So many invariants are printed.
const INVARIANTS: usize = 20;
/// Longer ones are nothing to read.
const LONG: usize = 200;

/// What holds at loops, a line each.
fn invariants_text(program: &Program, verdict: &Verdict) -> String {
    let all = crate::document::invariants(program, verdict);
    let shown = all.iter().filter(|found| found.expression.len() <= LONG);
    let lines = shown.take(INVARIANTS).map(|found| {
        let (file, line, holds) = (&found.file, found.line, plain_expression(&found.expression));
        format!("invariant: {file}:{line}: {holds}\n")
    });
    lines.collect()
}
