//! What an engine says at the end.

use std::fmt;

use rhumb_certify::proof::Proof;
use rhumb_logic::session::Unknown;
use rhumb_program::TargetId;
use rhumb_program::interp::KeyedInputs;

/// What an engine claims about a program, with what is needed to check it.
#[derive(Clone, Debug)]
pub enum Claim {
    /// With these inputs a run of the program as lowered reaches the target.
    Unsafe {
        /// The target.
        target: TargetId,
        /// The inputs.
        inputs: KeyedInputs,
    },
    /// No run reaches a target.
    Safe(Proof),
    /// The engine gives up.
    Unknown(Reason),
}

/// Why an engine gives up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its time is over, or it was told to stop; how far it had got, in a few words.
    Stopped(String),
    /// The formulas allow a run that the program doesn't have, because of something that is only approximated: what, and where.
    Approximated(String),
    /// A run may reach something that is not supported: what, and where.
    Unsupported(String),
    /// The formulas allow a run to a target, and the engine has no way to tell whether there is one.
    Inconclusive,
    /// All runs that can get to a target were seen, and none does; but others may not end, and a proof by unrolling is about all.
    Endless,
    /// The solver didn't decide a question.
    Solver(Unknown),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(so_far) => write!(f, "stopped {so_far}"),
            Reason::Approximated(what) => write!(f, "approximated {what}"),
            Reason::Unsupported(what) => write!(f, "unsupported {what}"),
            Reason::Inconclusive => f.write_str("the summaries don't exclude an error"),
            Reason::Endless => f.write_str(
                "no run that was unrolled reaches an error, but a loop that leads to none may not end",
            ),
            Reason::Solver(why) => write!(f, "a question was not decided: {why}"),
        }
    }
}
