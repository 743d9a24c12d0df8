//! What is known about a program, as text: the targets, where there are several; the way to an error; the verdict, last.

use rhumb_certify::Verdict;
use rhumb_certify::counterexample::{Checked, Counterexample};
use rhumb_program::Program;
use rhumb_search::{Decision, Outcome};

use crate::exit::Exit;
use crate::inputs_text;
use crate::last_word::LastWord;

/// A decision in words. It needs no program any more, so it can be said by whoever ends the command.
#[derive(Clone)]
pub(super) struct Report {
    targets: Vec<Target>,
    /// What the verdict assumes.
    assumptions: String,
    /// What reaches the error, and how.
    counterexample: String,
    verdict: String,
    exit: Exit,
}

#[derive(Clone)]
struct Target {
    name: String,
    outcome: Outcome,
}

impl Report {
    pub(super) fn of(program: &Program, decision: &Decision) -> Report {
        let (verdict, exit) = match &decision.verdict {
            Verdict::Safe(_) => ("SAFE".to_owned(), Exit::Success),
            Verdict::Unsafe(_) => ("UNSAFE".to_owned(), Exit::Unsafe),
            Verdict::Unknown(reason) => (format!("UNKNOWN ({reason})"), Exit::Unknown),
        };
        Report {
            targets: targets(program, decision),
            assumptions: match &decision.verdict {
                Verdict::Safe(_) | Verdict::Unsafe(_) => assumptions_text(program),
                Verdict::Unknown(_) => String::new(),
            },
            counterexample: match &decision.verdict {
                Verdict::Unsafe(certified) => {
                    counterexample_text(program, certified.evidence(), certified.check())
                }
                _ => String::new(),
            },
            verdict,
            exit,
        }
    }

    /// All of it.
    pub(super) fn in_full(&self) -> LastWord {
        self.with(|reason| reason.to_owned())
    }

    /// What is known when the command is ended for this reason: then it is the reason for all that is not known.
    pub(super) fn so_far(&self, reason: &str) -> LastWord {
        self.with(|_| reason.to_owned())
    }

    /// As [`Report::so_far`], before the evidence was written.
    pub(super) fn without_evidence(&self, reason: &str) -> LastWord {
        LastWord {
            err: format!("warning: {reason}, before the evidence was written\n"),
            ..self.so_far(reason)
        }
    }

    fn with(&self, why: impl Fn(&str) -> String) -> LastWord {
        let mut text = String::new();
        // One target has the verdict of the program.
        let targets = Some(&self.targets).filter(|targets| targets.len() > 1);
        for target in targets.into_iter().flatten() {
            let outcome = match &target.outcome {
                Outcome::Safe => "SAFE".to_owned(),
                Outcome::Unsafe => "UNSAFE".to_owned(),
                Outcome::Unknown(reason) => format!("UNKNOWN ({})", why(reason)),
            };
            text.push_str(&format!("target {}: {outcome}\n", target.name));
        }
        text.push_str(&self.assumptions);
        text.push_str(&self.counterexample);
        text.push_str(&format!("verdict: {}\n", self.verdict));
        LastWord::out(text, self.exit)
    }
}

/// How many assumptions are listed; the certificate has them all.
const ASSUMPTIONS: usize = 20;

/// What a verdict rests on beside the text of the program, a line each.
pub(crate) fn assumptions_text(program: &Program) -> String {
    let all = program.outside.assumptions();
    let lines = all.iter().take(ASSUMPTIONS);
    let mut text: String = lines.map(|line| format!("assumes: {line}\n")).collect();
    if let more @ 1.. = all.len().saturating_sub(ASSUMPTIONS) {
        text.push_str(&format!("assumes: and {more} more of this kind\n"));
    }
    text
}

fn targets(program: &Program, decision: &Decision) -> Vec<Target> {
    let pairs = program.targets.iter().zip(&decision.targets);
    let named = pairs.map(|(target, outcome)| {
        let position = program.sources.position(target.span);
        Target {
            name: format!("{}:{}, {}", position.file, position.line, target.kind),
            outcome: outcome.clone(),
        }
    });
    named.collect()
}

/// The error, and the inputs that lead to it.
fn counterexample_text(
    program: &Program,
    counterexample: &Counterexample,
    checked: &Checked,
) -> String {
    let target = &program.targets[counterexample.target];
    let position = program.sources.position(target.span);
    let steps = match &checked.steps {
        Some(steps) => format!(" after {steps} steps"),
        None => String::new(),
    };
    let mut text = format!("reached: {}:{}{steps}\n", position.file, position.line);
    for line in inputs_text::lines(program, &counterexample.inputs) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
