//! Why a counterexample is not accepted.

use std::fmt;

use rhumb_program::interp::{Outcome, Position, Run};
use rhumb_program::{EdgeId, FuncId, Program, Span};

/// A counterexample that is not accepted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub struct Rejected {
    /// Why.
    pub reason: Reason,
    /// Where in the source text, as `file:line`, if it is about a place.
    pub place: Option<String>,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{} ({place})", self.reason),
            None => self.reason.fmt(f),
        }
    }
}

/// Why a counterexample is not accepted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reason {
    /// It doesn't fit the program.
    #[error("{0}")]
    Malformed(&'static str),
    /// The run ends, but not in the target.
    #[error("the run doesn't reach the target: {0}")]
    OtherEnd(String),
    /// The run reaches the target, but rests on something that C leaves open, or that is approximated.
    #[error("the run is no evidence: {0}")]
    Caveat(String),
    /// The run ends before the segments do.
    #[error("the run ends before the last segment does")]
    EndsEarly,
    /// The segments end before the run does.
    #[error("the run goes on after the last segment")]
    GoesOn,
    /// A jump that can't be proved and that is too long to be executed.
    #[error("a jump of {count} iterations can't be proved: {obstacle}")]
    Jump {
        /// Number of iterations.
        count: String,
        /// What stands against it.
        obstacle: String,
    },
    /// The budget is used up.
    #[error("the budget is used up: {0}")]
    Budget(&'static str),
}

impl Rejected {
    /// A reason without a place.
    pub(super) fn new(reason: Reason) -> Rejected {
        Rejected {
            reason,
            place: None,
        }
    }

    /// A reason at a part of the source text.
    pub(super) fn at(reason: Reason, program: &Program, span: Span) -> Rejected {
        let position = program.sources.position(span);
        Rejected {
            reason,
            place: Some(format!("{}:{}", position.file, position.line)),
        }
    }

    /// A reason at an edge.
    pub(super) fn at_edge(
        reason: Reason,
        program: &Program,
        function: FuncId,
        edge: EdgeId,
    ) -> Rejected {
        Rejected::at(
            reason,
            program,
            program.functions[function].cfa.edges[edge].span,
        )
    }

    /// The run ended as it should not.
    pub(super) fn by_end(program: &Program, run: &Run) -> Rejected {
        let what = match &run.outcome {
            Outcome::Target(_) => "it reaches another target".to_owned(),
            Outcome::Exit(status) => format!("the program exits with status {status}"),
            Outcome::Abort => "the program aborts".to_owned(),
            Outcome::AssumptionFailed => "an assumption fails".to_owned(),
            Outcome::Deadlock => "every thread waits for another one".to_owned(),
            Outcome::Undefined(fault) => {
                format!("undefined behaviour, {}", fault.describe(program))
            }
            Outcome::Unsupported(reason) => format!("unsupported {}", reason.describe(program)),
            Outcome::StepLimit => return Rejected::limit(program, "steps", run.end),
            Outcome::MemoryLimit => return Rejected::limit(program, "memory", run.end),
            Outcome::StackLimit => return Rejected::limit(program, "calls under way", run.end),
        };
        Rejected::at_position(Reason::OtherEnd(what), program, run.end)
    }

    fn limit(program: &Program, what: &'static str, end: Position) -> Rejected {
        Rejected::at_position(Reason::Budget(what), program, end)
    }

    /// A reason at a place in an automaton.
    pub(super) fn at_position(reason: Reason, program: &Program, position: Position) -> Rejected {
        match position.span(program) {
            Some(span) => Rejected::at(reason, program, span),
            None => Rejected::new(reason),
        }
    }
}
