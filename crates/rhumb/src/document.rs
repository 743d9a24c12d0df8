//! An answer as data, for reports.

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_certify::Verdict;
use rhumb_certify::proof::Argument;
use rhumb_program::{DataModel, Program};
use rhumb_report::document::{
    self, Counterexample, Document, Invariant, Property, Target, Time, Tool, Word,
};
use rhumb_report::story::{self, Story};
use rhumb_report::witness::loop_invariants;
use rhumb_search::Outcome;

use crate::explain;
use crate::input::Input;
use crate::properties::PropertyReport;
use crate::report::Report;

/// The answer of a check as data. The run to the error is there with all rounds of its loops, or without those that a
/// reader can do without.
pub fn document(
    input: &Input,
    report: &Report,
    times: &[(String, f64)],
    in_full: bool,
) -> Document {
    let program = &input.program;
    let (verdict, reason) = match &report.verdict {
        Verdict::Safe(_) => (Word::Safe, None),
        Verdict::Unsafe(_) => (Word::Unsafe, None),
        Verdict::Unknown(reason) => (Word::Unknown, Some(reason.clone())),
    };
    let counterexample = match &report.verdict {
        Verdict::Unsafe(certified) => {
            let evidence = certified.evidence();
            let (target, story) = (evidence.target.index(), story(program, &report.verdict));
            story.map(|story| match in_full {
                true => Counterexample::of(target, &story),
                false => Counterexample::folded(target, &story),
            })
        }
        _ => None,
    };
    Document {
        schema_version: document::VERSION,
        tool: tool(),
        files: input
            .files
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect(),
        data_model: program.data_model.to_string(),
        entry: input.options.entry.to_string(),
        verdict,
        help: help(reason.as_deref()),
        reason,
        established: report.summary.established.as_ref().map(ToString::to_string),
        properties: report.summary.properties.iter().map(property).collect(),
        targets: targets(input, report),
        assumptions: match verdict {
            Word::Unknown => Vec::new(),
            Word::Safe | Word::Unsafe => program.outside.assumptions(),
        },
        counterexample,
        invariants: invariants(program, &report.verdict),
        times: times
            .iter()
            .map(|(phase, seconds)| Time {
                phase: phase.clone(),
                seconds: *seconds,
            })
            .collect(),
    }
}

/// The answer of a check that was ended before there was one, as data.
pub fn unknown(files: &[PathBuf], entry: &str, reason: &str) -> Document {
    let files = files.iter().map(|file| file.to_string_lossy().into_owned());
    Document {
        schema_version: document::VERSION,
        tool: tool(),
        files: files.collect(),
        data_model: DataModel::default().to_string(),
        entry: entry.to_owned(),
        verdict: Word::Unknown,
        reason: Some(reason.to_owned()),
        help: help(Some(reason)),
        established: None,
        properties: Vec::new(),
        targets: Vec::new(),
        assumptions: Vec::new(),
        counterexample: None,
        invariants: Vec::new(),
        times: Vec::new(),
    }
}

/// What may help if nothing is known.
fn help(reason: Option<&str>) -> Vec<String> {
    reason.map_or_else(Vec::new, |reason| explain::words(reason).may_help)
}

fn tool() -> Tool {
    Tool {
        name: "rhumb",
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

fn property(report: &PropertyReport) -> Property {
    let remark = report.remark.map(str::to_owned);
    let (verdict, reason) = match &report.outcome {
        Outcome::Safe => (Word::Safe, remark),
        Outcome::Unsafe => (Word::Unsafe, remark),
        Outcome::Unknown(reason) => (Word::Unknown, Some(reason.clone())),
    };
    Property {
        name: report.name.clone(),
        verdict,
        reason,
    }
}

fn targets(input: &Input, report: &Report) -> Vec<Target> {
    let program = &input.program;
    let pairs = program.targets.iter().zip(&report.summary.targets);
    let keyed = pairs.zip(&input.keys);
    let targets = keyed.map(|((target, known), key)| {
        let place = program.sources.position(target.span);
        // In the library nobody looks; the call is in the user's files.
        let position = known.called_at.clone().unwrap_or(place);
        let (verdict, reason) = match &known.outcome {
            Outcome::Safe => (Word::Safe, None),
            Outcome::Unsafe => (Word::Unsafe, None),
            Outcome::Unknown(reason) => (Word::Unknown, Some(reason.clone())),
        };
        Target {
            file: position.file.to_string(),
            line: position.line,
            column: position.column,
            kind: target.kind.to_string(),
            verdict,
            reason,
            key: key.clone(),
            error: known.error.clone(),
            inputs: known.inputs.clone(),
        }
    });
    targets.collect()
}

/// The run to the error of an UNSAFE verdict, as a story.
pub fn story(program: &Program, verdict: &Verdict) -> Option<Story> {
    match verdict {
        Verdict::Unsafe(certified) => {
            Some(story::tell_weighed(program, &certified.evidence().inputs))
        }
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    }
}

/// In a larger text nobody looks for a loop.
const LARGE: usize = 2 << 20;

/// What holds at the loops of the first file, if the verdict is SAFE.
pub fn invariants(program: &Program, verdict: &Verdict) -> Vec<Invariant> {
    let Verdict::Safe(certified) = verdict else {
        return Vec::new();
    };
    // What is known there is known of numbers that the text doesn't name.
    if matches!(
        certified.evidence().argument,
        Argument::Bounds(_) | Argument::Alone(..)
    ) {
        return Vec::new();
    }
    let functions = program.functions.iter();
    let mut places = functions.flat_map(|function| &function.cfa.locations);
    let has_loops = places.any(|location| location.loop_statement.is_some());
    if !has_loops || program.sources.text().len() > LARGE {
        return Vec::new();
    }
    let name = program.sources.main_file();
    let text: Arc<[u8]> = match std::fs::read(&**name) {
        Ok(text) => text.into(),
        Err(_) => program.sources.text().clone(),
    };
    let found = loop_invariants(program, certified.evidence(), name, &text);
    let found = found.into_iter().map(|(line, expression)| Invariant {
        file: name.to_string(),
        line,
        expression,
    });
    found.collect()
}
