//! Exit statuses: CPROVER's table, which scripts of the field know.

use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// SAFE, or a command that did its job.
    Success,
    /// Wrong usage of the command line.
    Usage,
    /// The input can't be read or is not valid C.
    BadInput,
    /// UNKNOWN: no answer, for a reason that was printed.
    Unknown,
    /// A bug of ours.
    Internal,
    /// UNSAFE: a target is reached.
    Unsafe,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Usage => 1,
            Exit::BadInput => 2,
            Exit::Unknown => 5,
            Exit::Internal => 6,
            Exit::Unsafe => 10,
        })
    }
}

/// The table, for `--help`.
pub(crate) const TABLE: &str = "\
Exit status:
  0   SAFE, or the command did its job
  1   wrong usage
  2   the input can't be read or is not valid C
  5   UNKNOWN, or not supported
  6   internal error
  10  UNSAFE: a target is reached";
