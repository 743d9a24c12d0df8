//! What is to be run: task definitions, and the sets that name them.

mod definition;
mod family;
mod set;

use std::path::PathBuf;

use rhumb_program::DataModel;

pub use definition::{DefinitionError, content};
pub use set::{Discovery, SetError, discover};

use crate::verdict::Verdict;

/// A task: one program, one property, and what is known about the answer.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchTask {
    /// A name that does not depend on the machine: the path from the folder of its suite on.
    pub id: String,
    /// The suite it is counted in.
    pub suite: String,
    /// The task definition.
    pub path: PathBuf,
    /// Its size, if it belongs to a family that has a size knob.
    pub size: Option<Size>,
    /// What the definition says, or why it can't be used.
    pub content: Result<Content, String>,
}

/// What a usable task definition says about the property in question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// The C files.
    pub files: Vec<PathBuf>,
    /// The property file; it need not exist.
    pub property: PathBuf,
    /// The right answer, where it is known.
    pub expected: Option<Verdict>,
    /// Which part of the property is violated, where that is known.
    pub subproperty: Option<String>,
    /// Sizes of types.
    pub data_model: DataModel,
}

/// Where a task stands in its family.
#[derive(Clone, PartialEq, Debug)]
pub struct Size {
    /// The name of the family.
    pub family: String,
    /// How large the task is.
    pub size: f64,
}
