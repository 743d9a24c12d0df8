//! What happens at the places of an unfolded program.

use std::rc::Rc;

use rhumb_program::{ExprId, FuncId, Span, VarId};
use rustc_hash::FxHashSet;

use crate::unfold::{Activation, UnfoldedPlace, Var};

/// What a step does to the variables.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Nothing,
    /// The variables get the values of these expressions, all at once.
    Assign(Activation, Vec<(Var, ExprId)>),
    /// The variable gets any value of its type.
    Any(Var),
    /// The variable gets the address of something.
    Address(Var),
    /// A call that was not taken apart: these global variables get any value, and so does the one for the result.
    Call(Rc<[VarId]>, Option<Var>),
}

/// What happens at a place.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// The run ends, and nothing is wrong.
    End,
    /// What must not be reached: an error, something that the model can't express, or a call inside which that may be.
    Bad(Bad),
    Go(Step, UnfoldedPlace),
    Branch {
        condition: ExprId,
        yes: UnfoldedPlace,
        no: UnfoldedPlace,
    },
    /// A call of a function with a contract.
    Agreed(Rc<Agreed>),
    /// A function with a contract returns.
    Return,
}

/// A call of a function with a contract.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) callee: FuncId,
    pub(crate) args: Vec<ExprId>,
    /// The global variables that may be set in it, and the one for the result.
    pub(crate) sets: Rc<[VarId]>,
    pub(crate) dst: Option<Var>,
    pub(crate) to: UnfoldedPlace,
    /// Where a run is in which what is required doesn't hold.
    pub(crate) broken: UnfoldedPlace,
}

/// Where a graph begins, and the functions whose calls stay because they have contracts.
pub(crate) struct Root<'a> {
    pub(crate) function: FuncId,
    pub(crate) contracts: &'a FxHashSet<FuncId>,
}

/// What must not be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bad {
    Target,
    Unsupported,
    Call,
}

/// Why a program can't be taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    TooLarge,
    /// A location breaks a rule of the model.
    Malformed(Span),
}
