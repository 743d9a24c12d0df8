//! Answers, and what became of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A definite answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The property holds.
    Safe,
    /// It does not.
    Unsafe,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Safe => "SAFE",
            Verdict::Unsafe => "UNSAFE",
        })
    }
}

/// What became of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Status {
    /// The answer is the expected one.
    #[serde(rename = "correct")]
    Correct,
    /// The answer is the opposite of the expected one.
    #[serde(rename = "wrong")]
    Wrong,
    /// There is an answer, but nothing is known to compare it with.
    #[serde(rename = "unjudged")]
    Unjudged,
    /// The tool gave up, for a reason of its own.
    #[serde(rename = "unknown")]
    Unknown,
    /// It ran out of time.
    #[serde(rename = "timeout")]
    Timeout,
    /// It ran out of memory.
    #[serde(rename = "out of memory")]
    OutOfMemory,
    /// It failed: it crashed, refused its input, said nothing, or contradicted itself.
    #[serde(rename = "error")]
    Error,
}

impl Status {
    /// What an answer is worth.
    pub fn of_answer(answer: Verdict, expected: Option<Verdict>) -> Status {
        match expected {
            None => Status::Unjudged,
            Some(expected) if expected == answer => Status::Correct,
            Some(_) => Status::Wrong,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Correct => "correct",
            Status::Wrong => "wrong",
            Status::Unjudged => "unjudged",
            Status::Unknown => "unknown",
            Status::Timeout => "timeout",
            Status::OutOfMemory => "out of memory",
            Status::Error => "error",
        })
    }
}
