//! Why a proof is not accepted.

use std::fmt;

use rhumb_logic::Value;
use rhumb_logic::session::Unknown;
use rhumb_program::Position;

/// Why a proof was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Rejected {
    /// It makes no sense for this program.
    #[error("the proof does not fit the program: {0}")]
    Invalid(#[from] Invalid),
    /// An obligation doesn't hold.
    #[error("{0}")]
    Fails(Box<Failure>),
    /// An obligation was not decided within the budget.
    #[error("not decided ({reason}): {obligation}")]
    Undecided {
        /// Which.
        obligation: Box<Obligation>,
        /// Why.
        reason: Unknown,
    },
    /// Not all runs could be followed, or one reaches a target.
    #[error("{0}")]
    Lost(#[from] Lost),
    /// The proof is about programs with one thread.
    #[error("the program has threads, which proofs of this form say nothing about")]
    Threads,
    /// The program is not one that the front end makes.
    #[error("the program breaks a rule of the model: {0}")]
    Program(String),
}

/// Why following all runs is no proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// A run may reach a target.
    #[error("a run may reach a target{}", at(.0))]
    Target(Option<Position>),
    /// A run can't be followed.
    #[error("a run can't be followed ({what}){}", at(.position))]
    Gap {
        /// What is in the way.
        what: String,
        /// Where.
        position: Option<Position>,
    },
    /// There are more steps to make than the proof says.
    #[error("the runs have more than {0} steps")]
    Long(u64),
    /// The budget was too small.
    #[error("the runs were not followed to their ends: out of time")]
    Budget,
}

fn at(position: &Option<Position>) -> String {
    match position {
        Some(position) => format!(", {position}"),
        None => String::new(),
    }
}

/// What makes a proof useless for a program, whatever its formulas say.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Invalid {
    /// A point that the program doesn't have.
    #[error("there is no location {0}")]
    UnknownPoint(String),
    /// A variable that the program doesn't have.
    #[error("there is no variable for `{0}`")]
    UnknownVariable(String),
    /// A contract for a function that is not called, as far as proofs are concerned.
    #[error("no call of `{0}` stays, so it has no contract")]
    UnknownFunction(String),
    /// Contracts, and elements of objects that are followed.
    #[error("contracts don't go with elements of objects that are followed")]
    GhostsInContracts,
    /// The program has no bounds that a proof could be about, or the proof is of a kind that is not about bounds.
    #[error("there are no bounds that such a proof could be about")]
    NoBounds,
    /// The program is none of which one thread can be looked at, or promises that it can't give.
    #[error("there is no such thread among others: {0}")]
    NoThread(&'static str),
    /// Parts that leave out a target, or are about targets that there are not.
    #[error("its parts are not about all targets, each in order")]
    Parts,
    /// Two symbols for one variable.
    #[error("`{0}` and another symbol stand for one variable")]
    TwoSymbols(String),
    /// A symbol in a formula that is neither a variable nor bound.
    #[error("`{0}` is neither a variable of the program nor bound")]
    FreeSymbol(String),
    /// A variable whose symbol is no integer.
    #[error("`{0}` is not of sort Int")]
    Sort(String),
    /// An invariant that is not a formula.
    #[error("the formula `{0}` is not of sort Bool")]
    NotAFormula(String),
    /// A formula with an uninterpreted function.
    #[error("the formula `{0}` has an uninterpreted function")]
    Uninterpreted(String),
    /// A hint for a formula that there isn't, or with values that don't fit the bound symbols.
    #[error("a hint has no formula, or values of other sorts than its bound symbols")]
    Hint,
}

/// A place that an obligation speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofPlace {
    /// What it is.
    pub kind: PlaceKind,
    /// Where it is in the source text.
    pub position: Option<Position>,
}

/// Kinds of place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// The start of the run.
    Start,
    /// A cut point: a loop head, or another point that a proof has a formula for.
    Cut,
    /// A target.
    Target,
    /// Something that the model can't express, in its words.
    Unsupported(String),
    /// The beginning of a function whose calls stay.
    Entry,
    /// Where such a function returns.
    Return,
    /// A call that was not inlined.
    Call,
    /// A loop head that is passed more often than the proof says.
    Again,
}

/// What has to be shown: whoever is at one place, with its formulas, has the formulas of the other place when next
/// there; a target, say, is never reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// Where executions begin.
    pub from: ProofPlace,
    /// Where they end.
    pub to: ProofPlace,
    /// The formula that has to hold there; none if the place is not to be reached.
    pub formula: Option<String>,
}

/// An obligation that doesn't hold, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Which.
    pub obligation: Obligation,
    /// Values of variables where the execution begins (all that matter), from which it goes wrong.
    pub before: Vec<VariableValue>,
    /// Values where it ends.
    pub after: Vec<VariableValue>,
}

/// A variable of the source text and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableValue {
    /// Its name; a number with a `$` for a temporary.
    pub name: String,
    /// Function that it belongs to; none for a global variable.
    pub function: Option<String>,
    /// Where the function was called, if it was inlined; the outermost call first.
    pub calls: Vec<Position>,
    /// The value.
    pub value: Value,
}

impl fmt::Display for ProofPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PlaceKind::Start => f.write_str("the start")?,
            PlaceKind::Cut => f.write_str("the cut point")?,
            PlaceKind::Target => f.write_str("the target")?,
            PlaceKind::Unsupported(what) => write!(f, "what is not supported ({what})")?,
            PlaceKind::Entry => f.write_str("the beginning of the function")?,
            PlaceKind::Return => f.write_str("the return")?,
            PlaceKind::Call => f.write_str("the call that is not inlined")?,
            PlaceKind::Again => f.write_str("one more round of the loop")?,
        }
        match &self.position {
            Some(position) if self.kind != PlaceKind::Start => write!(f, " at {position}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.formula {
            Some(formula) => write!(
                f,
                "from {} to {}, where `{formula}` has to hold",
                self.from, self.to
            ),
            None => write!(
                f,
                "from {} to {}, which must not be reached",
                self.from, self.to
            ),
        }
    }
}

impl fmt::Display for VariableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.name)?;
        match &self.value {
            Value::Bool(value) => write!(f, "{value}")?,
            Value::Int(value) => write!(f, "{value}")?,
            Value::Real(value) => write!(f, "{value}")?,
            Value::Bits(value) => write!(f, "{value}")?,
        }
        match (&self.function, &*self.calls) {
            (Some(function), [_, .., last] | [last]) => {
                write!(f, " (in {function}, called at {last})")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an obligation does not hold: {}", self.obligation)?;
        for (when, values) in [("before", &self.before), ("after", &self.after)] {
            for (index, value) in values.iter().enumerate() {
                match index {
                    0 => write!(f, "; {when}: {value}")?,
                    _ => write!(f, ", {value}")?,
                }
            }
        }
        Ok(())
    }
}
