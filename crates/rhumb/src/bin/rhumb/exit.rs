//! Exit statuses: CPROVER's table, which scripts of the field know.

use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// SAFE, or a command that did its job.
    Success = 0,
    /// Wrong usage of the command line.
    Usage = 1,
    /// The input can't be read or is not valid C.
    BadInput = 2,
    /// UNKNOWN: no answer, for a reason that was printed.
    Unknown = 5,
    /// A bug of ours.
    Internal = 6,
    /// UNSAFE: a target is reached.
    Unsafe = 10,
}

impl Exit {
    /// The number.
    pub(crate) fn status(self) -> i32 {
        self as i32
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The table, for `--help`.
pub(crate) const TABLE: &str = "\
Exit status:
  0   SAFE, or the command did its job
  1   wrong usage
  2   the input can't be read or is not valid C
  5   UNKNOWN, or not supported, or interrupted
  6   internal error
  10  UNSAFE: a target is reached";
