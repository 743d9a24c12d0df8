//! The answer of a check as data, and in the formats that other tools read.
//!
//! `docs/report.schema.json` is the schema of the JSON form. Its version counts up when a reader of an earlier one could misunderstand.

mod gcc;
mod github;
mod junit;
mod sarif;

pub use gcc::gcc;
pub use github::github;
pub use junit::junit;
pub use sarif::sarif;

use serde::Serialize;

use crate::story::{Story, lines};
use crate::{story, text};

/// The version of the JSON form.
pub const VERSION: u32 = 1;

/// A verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Word {
    /// No run reaches a target.
    Safe,
    /// A run reaches a target.
    Unsafe,
    /// Nothing is known.
    Unknown,
}

impl Word {
    /// As it is printed.
    pub fn text(self) -> &'static str {
        match self {
            Word::Safe => "SAFE",
            Word::Unsafe => "UNSAFE",
            Word::Unknown => "UNKNOWN",
        }
    }
}

/// The answer to a question about a program.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The version of this form.
    pub schema_version: u32,
    /// Who gives the answer.
    pub tool: Tool,
    /// The files of the program.
    pub files: Vec<String>,
    /// Sizes of C's types.
    pub data_model: String,
    /// The function in which a run starts.
    pub entry: String,
    /// The answer.
    pub verdict: Word,
    /// Why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What may help then, a sentence each, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
    /// Up to which bound no run goes wrong all the same, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub established: Option<String>,
    /// The properties of a task that names several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Property>,
    /// What was asked about, each by itself.
    pub targets: Vec<Target>,
    /// What the answer rests on beside the program.
    pub assumptions: Vec<String>,
    /// A run that goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
    /// What holds at loops, if the answer is SAFE.
    pub invariants: Vec<Invariant>,
    /// Where the time went, in seconds.
    pub times: Vec<Time>,
}

/// Who gives the answer.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// The version.
    pub version: String,
}

/// One of several properties of a task.
#[derive(Clone, Debug, Serialize)]
pub struct Property {
    /// The name of its file, without `.prp`.
    pub name: String,
    /// Whether it holds.
    pub verdict: Word,
    /// Why that is not known, or with which restriction it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Something that must not be reached.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// What it is.
    pub kind: String,
    /// Whether it can be reached.
    pub verdict: Word,
    /// Why that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What names it, also when lines move: function, kind, text and number.
    pub key: String,
    /// What exactly goes wrong in the run that reaches it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The inputs of that run, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
}

/// A run that goes wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Counterexample {
    /// Which target is reached: its number in the list.
    pub target: usize,
    /// What the run reads, in order.
    pub inputs: Vec<Input>,
    /// The lines that it passes.
    pub steps: Vec<Step>,
    /// Loops, with the numbers of the steps with which their rounds begin.
    pub loops: Vec<Loop>,
    /// Whether the run is told to its end.
    pub is_complete: bool,
}

/// Something that a run reads.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    /// What.
    pub what: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The value.
    pub value: String,
}

/// A line that a run passes.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// How many calls are under way.
    pub depth: usize,
    /// What gets a value: name and value.
    pub changes: Vec<[String; 2]>,
    /// Which way decisions go.
    pub decisions: Vec<Decision>,
    /// What happens, in a few words.
    pub remarks: String,
}

/// A decision of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// The condition.
    pub text: String,
    /// How it turns out.
    pub holds: bool,
    /// Whether the run would have missed the target if this decision alone had been turned, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mattered: Option<bool>,
}

/// A loop of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Loop {
    /// The line on which it begins.
    pub line: u32,
    /// The steps with which its rounds begin.
    pub rounds: Vec<usize>,
    /// The first step behind it.
    pub end: usize,
}

/// What holds at a loop whenever a run gets there.
#[derive(Clone, Debug, Serialize)]
pub struct Invariant {
    /// The file.
    pub file: String,
    /// The line of the loop.
    pub line: u32,
    /// A C expression.
    pub expression: String,
}

/// A phase of the work.
#[derive(Clone, Debug, Serialize)]
pub struct Time {
    /// Its name.
    pub phase: String,
    /// How long it took.
    pub seconds: f64,
}

impl Counterexample {
    /// A run to a target, as it was told.
    pub fn of(target: usize, story: &Story) -> Counterexample {
        let inputs = story.inputs.iter().map(|input| Input {
            what: input.what.clone(),
            file: input.place.file.to_string(),
            line: input.place.line,
            value: input.value.clone(),
        });
        let steps = story.steps.iter().map(step);
        let loops = story.loops.iter().map(|run| Loop {
            line: run.place.line,
            rounds: run.rounds.clone(),
            end: run.end,
        });
        Counterexample {
            target,
            inputs: inputs.collect(),
            steps: steps.collect(),
            loops: loops.collect(),
            is_complete: story.is_complete,
        }
    }

    /// The same without the rounds of loops that a reader can do without.
    pub fn folded(target: usize, story: &Story) -> Counterexample {
        let shown = lines(story, false)
            .into_iter()
            .filter_map(|line| match line {
                story::Line::Step(shown) => Some(step(shown)),
                story::Line::Folded { .. } => None,
            });
        Counterexample {
            steps: shown.collect(),
            loops: Vec::new(),
            ..Counterexample::of(target, story)
        }
    }
}

fn step(step: &story::Step) -> Step {
    let changes = step.changes.iter();
    Step {
        file: step.place.file.to_string(),
        line: step.place.line,
        function: step.function.to_string(),
        depth: step.depth,
        changes: changes
            .map(|change| [change.name.clone(), change.value.clone()])
            .collect(),
        decisions: step.decisions.iter().map(decision).collect(),
        remarks: text::remarks(step),
    }
}

fn decision(decision: &story::Decision) -> Decision {
    Decision {
        text: decision.text.clone(),
        holds: decision.holds,
        mattered: decision.mattered,
    }
}

impl Document {
    /// As JSON.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What is to be said about a target, in a sentence.
    fn message(&self, target: &Target) -> String {
        match target.verdict {
            Word::Unsafe if target.kind == "assertion" => "this assertion can fail".to_owned(),
            Word::Unsafe => match &target.error {
                Some(error) => error.clone(),
                None => format!("reached: {}", target.kind),
            },
            Word::Safe => format!("never reached: {}", target.kind),
            Word::Unknown => {
                let reason = target.reason.as_deref().or(self.reason.as_deref());
                format!(
                    "not decided: {} ({})",
                    target.kind,
                    reason.unwrap_or("no reason")
                )
            }
        }
    }

    /// The inputs that lead to the error, in a sentence; empty if there are none.
    fn inputs_text(&self, target: usize) -> String {
        let run = self
            .counterexample
            .as_ref()
            .filter(|run| run.target == target);
        let inputs: Vec<String> = run
            .iter()
            .flat_map(|run| &run.inputs)
            .take(10)
            .map(|input| format!("{} = {}", input.what, input.value))
            .collect();
        if !inputs.is_empty() {
            return format!(" with {}", inputs.join(", "));
        }
        // Those of other runs are told in lines.
        let inputs = self.targets[target].inputs.iter().take(10);
        let inputs: Vec<&str> = inputs
            .map(|line| line.trim_start_matches("input: "))
            .collect();
        match inputs.is_empty() {
            true => String::new(),
            false => format!(" with {}", inputs.join(", ")),
        }
    }
}
