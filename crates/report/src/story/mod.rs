//! The story of a run on the source text: which lines it passes, what changes there, which way decisions go, how often loops turn.
//!
//! It is right for every run that the exact interpreter executes: it is told by that interpreter, edge by edge, and
//! names only what the text names. Of a run that is too long, the beginning is told.

mod decision;
mod fold;
mod name;
mod record;
mod value;
mod weigh;

use std::sync::Arc;

use rhumb_program::interp::{KeyedInputs, Machine, Outcome, Run, RunLimits};
use rhumb_program::{Program, Span};

pub use fold::{Line, lines};
pub use value::show as show_value;

/// So many edges of a run are told.
const EDGES: u64 = 300_000;

/// A run as a person would tell it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Story {
    /// The lines that it passes, one after the other.
    pub steps: Vec<Step>,
    /// The loops that it enters, in the order in which it enters them. A loop inside of another one lies in a round of that one.
    pub loops: Vec<LoopRun>,
    /// What it reads, in order.
    pub inputs: Vec<Input>,
    /// Whether the run was told to its end.
    pub is_complete: bool,
}

/// A place in the source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryPlace {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// A line that is passed.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Where.
    pub place: StoryPlace,
    /// The function.
    pub function: Arc<str>,
    /// How many calls are under way, counted from the entry function.
    pub depth: usize,
    /// What gets a value.
    pub changes: Vec<Change>,
    /// Which way conditions turn out.
    pub decisions: Vec<Decision>,
    /// Functions that are called, with their arguments; what is returned.
    pub calls: Vec<String>,
}

/// Something gets a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What, as C.
    pub name: String,
    /// The value, as C.
    pub value: String,
    /// Whether it comes from outside.
    pub is_input: bool,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Its text.
    pub text: String,
    /// How it turns out.
    pub holds: bool,
    /// Which decision of the run it is, from 0.
    pub number: u64,
    /// Whether it mattered: turned by itself, it would have kept the run from the target. None if that was not tried, or not found out.
    pub mattered: Option<bool>,
}

/// A loop, from where it is entered to where it is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopRun {
    /// Where the loop statement begins.
    pub place: StoryPlace,
    /// The number of the step with which each round begins. The last one may only find that it is over.
    pub rounds: Vec<usize>,
    /// The number of the first step behind it.
    pub end: usize,
}

/// Something that the run reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What, in words.
    pub what: String,
    /// Where.
    pub place: StoryPlace,
    /// The value, as C.
    pub value: String,
}

/// Tells the run on these inputs, and which of its decisions mattered if it gets to a target.
pub fn tell_weighed(program: &Program, inputs: &KeyedInputs) -> Story {
    let (mut story, run) = told(program, inputs);
    if let Outcome::Target(target) = run.outcome {
        weigh::weigh(program, inputs, target, run.steps, &mut story);
    }
    story
}

/// Tells the run on these inputs.
pub fn tell(program: &Program, inputs: &KeyedInputs) -> Story {
    told(program, inputs).0
}

fn told(program: &Program, inputs: &KeyedInputs) -> (Story, Run) {
    let machine = Machine::compile(program);
    let limits = RunLimits {
        steps: EDGES,
        ..RunLimits::default()
    };
    let mut recorder = record::Recorder::new(program, inputs);
    let mut source = inputs.clone();
    let run = machine.trace(&mut source, &limits, &mut recorder);
    let mut story = recorder.finish();
    story.is_complete = !matches!(run.outcome, Outcome::StepLimit);
    (story, run)
}

/// Whether a file is one of the user's: ours and the preprocessor's have names in angle brackets.
pub fn is_users_file(name: &str) -> bool {
    let is_in_brackets = name.starts_with('<') && name.ends_with('>');
    !is_in_brackets && !name.starts_with("<library>")
}

/// Where a span begins; none for what is not in the user's files.
fn place(program: &Program, span: Span) -> Option<StoryPlace> {
    if span == Span::default() {
        return None;
    }
    let position = program.sources.position(span);
    let is_own = is_users_file(&position.file) && position.line > 0;
    is_own.then_some(StoryPlace {
        file: position.file,
        line: position.line,
    })
}
