//! What is compared: programs, the things that run them, and what a run shows.

use std::fmt;

use crate::model::DataModel;

/// A program to run.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The C text.
    pub source: &'a str,
    /// Sizes of the basic types.
    pub model: DataModel,
    /// The values that `__VERIFIER_nondet_*` calls return, in the order of the calls over all
    /// functions; 0 when used up. An integer function converts the value to its type as C does
    /// (wrapping; `_Bool`: whether it is not 0), a floating one takes its low bits as encoding.
    pub inputs: &'a [i128],
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// `main` returned, or `exit` was called, with this status.
    Exit(u8),
    /// `abort` was called, or an assertion failed.
    Abort,
    /// It did not end within its limit.
    Limit,
    /// Undefined behaviour, with a description.
    UndefinedBehaviour(String),
    /// It was ended by the system.
    Signal(i32),
}

impl fmt::Display for End {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(out, "exit {status}"),
            Self::Abort => out.write_str("abort"),
            Self::Limit => out.write_str("limit reached"),
            Self::UndefinedBehaviour(what) => write!(out, "undefined behaviour: {what}"),
            Self::Signal(number) => write!(out, "signal {number}"),
        }
    }
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Everything printed.
    pub output: Vec<u8>,
    /// How it ended.
    pub end: End,
}

/// A program was not run; the reason, which the report counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

/// Something that runs C programs.
pub trait Subject: Sync {
    /// Its name in reports.
    fn name(&self) -> String;

    /// Runs one program.
    ///
    /// # Errors
    /// When the program can not be run at all, with the reason.
    fn run(&self, case: &Case<'_>) -> Result<Observation, Refusal>;

    /// Runs several programs; the results are in the same order.
    fn run_all(&self, cases: &[Case<'_>]) -> Vec<Result<Observation, Refusal>> {
        cases.iter().map(|case| self.run(case)).collect()
    }
}
