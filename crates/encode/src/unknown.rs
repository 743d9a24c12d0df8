//! Values that a block formula doesn't compute: inputs, and what is approximated.

use rhumb_logic::Symbol;
use rhumb_program::{ApproxId, EdgeId, ExprId, InputSiteId, LocId, Span, VarId};

/// A value that is open in a block formula: a symbol that stands for any value of a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The symbol.
    pub symbol: Symbol,
    /// Where in the automaton the value arises.
    pub origin: Origin,
    /// Why it is not computed.
    pub cause: Cause,
    /// The part of the source text.
    pub span: Span,
}

/// Where a value arises. In one passage of a block each of these happens at most once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Origin {
    /// The variable that an edge sets.
    Result(EdgeId),
    /// The value of a global variable after the call of an edge.
    Global(EdgeId, VarId),
    /// An expression that is evaluated at a location.
    Expr(LocId, ExprId),
}

/// Why a value is open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// It comes from outside. This is no approximation.
    Input(InputSiteId),
    /// It depends on the contents or the layout of memory.
    Memory,
    /// It is the result of floating-point arithmetic.
    Float,
    /// It is the result, or an effect, of a function whose body is not part of the automaton.
    Call,
    /// The model of the program says that it is not known.
    Model(ApproxId),
}

impl Cause {
    /// Whether the formula allows values that the program can't have.
    pub fn is_approximation(self) -> bool {
        !matches!(self, Cause::Input(_))
    }

    /// What it is, in a word or two.
    pub fn describe(self) -> &'static str {
        match self {
            Cause::Input(_) => "input",
            Cause::Memory => "memory",
            Cause::Float => "floating point",
            Cause::Call => "call",
            Cause::Model(_) => "approximation",
        }
    }
}
