//! Checking witnesses, ours and other tools'.
//!
//! A correctness witness is a set of hints: its invariants have to hold, and with their help the program has to be
//! proved. A violation witness has to lead to inputs on which the program reaches the violation.

mod candidates;
mod correctness;
mod follow;
mod loops;
mod refute;
mod violation;

use std::fmt;

use rhumb_cfront::Options;
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_program::interp::KeyedInputs;

use super::metadata::file_hash;
use super::model::{Content, Witness};
use super::place::Places;
use super::read::BadWitness;

/// What a witness is checked against.
pub struct Against<'a> {
    /// The program as lowered.
    pub program: &'a Program,
    /// The text that was parsed, after preprocessing.
    pub text: &'a [u8],
    /// The C file, as the user named it.
    pub file_name: &'a str,
    /// The bytes of that file.
    pub file: &'a [u8],
    /// What the front end was told.
    pub options: &'a Options,
    /// Looks for inputs that reach a target by other means, if the caller has any. What it finds is not trusted.
    pub search: &'a dyn Fn(&Budget) -> Option<KeyedInputs>,
}

/// What the check of a witness came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validity {
    /// All that it says holds, and the program has the property.
    Correct,
    /// It leads to a violation of the property.
    Violated,
    /// It is wrong, for this reason.
    Rejected(String),
    /// It could not be decided, for this reason.
    Undecided(String),
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validation {
    /// What it came to.
    pub validity: Validity,
    /// What the user should know beside that.
    pub notes: Vec<String>,
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validity::Correct => f.write_str("valid: SAFE"),
            Validity::Violated => f.write_str("valid: UNSAFE"),
            Validity::Rejected(why) => write!(f, "rejected: {why}"),
            Validity::Undecided(why) => write!(f, "undecided: {why}"),
        }
    }
}

/// Checks a witness against a program.
pub fn validate(
    witness: &Witness,
    against: &Against<'_>,
    budget: &Budget,
) -> Result<Validation, BadWitness> {
    let mut notes = Vec::new();
    check_task(witness, against, &mut notes)?;
    let places = Places::new(against.program, against.file_name, against.file);
    let validity = match &witness.content {
        Content::Correctness(invariants) => {
            correctness::validate(invariants, against, &places, budget, &mut notes)?
        }
        Content::Violation(segments) => {
            violation::validate(segments, against, &places, budget, &mut notes)?
        }
    };
    Ok(Validation { validity, notes })
}

/// Whether the witness is about this program. A file of the same name with another hash may have been edited in ways
/// that don't matter, which the check will show; a file of another name is another one.
fn check_task(
    witness: &Witness,
    against: &Against<'_>,
    notes: &mut Vec<String>,
) -> Result<(), BadWitness> {
    let task = &witness.metadata.task;
    let hash = file_hash(against.file);
    let mut hashes = task.input_file_hashes.values();
    if !hashes.any(|other| other.eq_ignore_ascii_case(&hash)) {
        let is_ours = |file: &String| is_same_file(file, against.file_name);
        if !task.input_files.iter().any(is_ours) {
            let files = task.input_files.join(", ");
            let message = format!("the witness is for another program: {files}");
            return Err(BadWitness::new(message));
        }
        notes.push(match task.input_file_hashes.is_empty() {
            true => "the witness has no hash of the program".to_owned(),
            false => "the hash of the program is not the one in the witness".to_owned(),
        });
    }
    let ours = against.program.data_model.to_string();
    match task.data_model.is_empty() || task.data_model == ours {
        true => Ok(()),
        false => Err(BadWitness::new(format!(
            "the witness is for the data model {}, the program is read as {ours}",
            task.data_model
        ))),
    }
}

/// Whether two names are those of one file, as far as the last part of the path tells.
fn is_same_file(a: &str, b: &str) -> bool {
    let last = |path: &str| path.rsplit(['/', '\\']).next().map(str::to_owned);
    last(a) == last(b)
}
