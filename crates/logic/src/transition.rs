//! Transition formulas: what a step, a path or a block of a program does to its variables.

use crate::term::{Symbol, Term};

/// A relation between states before and after: new values for some variables, and a guard.
///
/// State variables are symbols that stand for the value *before*. The relation holds between `x` and `x'` iff some values of `inputs` make the guard
/// true, and every variable of `updates` has the value of its term afterwards while all other variables keep theirs. So the frame
/// costs nothing. Terms of updates and the guard are over the variables before and the inputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transition {
    /// New values, sorted by variable, each variable once. No variable is mapped to itself.
    pub updates: Vec<(Symbol, Term)>,
    /// When the step can be taken.
    pub guard: Term,
    /// Symbols that stand for any value: inputs, and what is not known. Sorted, and used in this transition alone.
    pub inputs: Vec<Symbol>,
}
