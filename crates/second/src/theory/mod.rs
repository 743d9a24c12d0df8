//! Two ways to tell a solver what has to be decided, both exact: words as bit-vectors, or as integers that are wrapped
//! where they have to be.
//!
//! Bits are at home with masks, shifts and products, integers with sums and with quantified formulas; what one can't
//! decide may be easy for the other.

mod bits;
mod integers;
mod script;
#[cfg(test)]
mod tests;

use crate::pool::{Id, Pool};

/// A way to tell it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Theory {
    Bits,
    Integers,
}

/// Something that a theory has no words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unsuited(pub(crate) &'static str);

/// A text for a solver, and the symbols that it has names for.
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) names: Vec<(Id, String)>,
}

impl Theory {
    /// The question whether the formulas can hold together.
    pub(crate) fn question(self, pool: &Pool, formulas: &[Id]) -> Result<Question, Unsuited> {
        match self {
            Theory::Bits => bits::question(pool, formulas),
            Theory::Integers => integers::question(pool, formulas),
        }
    }
}
