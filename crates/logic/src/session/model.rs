//! Models: what makes a formula true.

use std::sync::Arc;

use crate::term::{Symbol, Terms};
use crate::value::{Assignment, Value};

/// Which values a query with a model is to bring.
#[derive(Clone, Debug, Default)]
pub enum Wanted {
    /// Those of all symbols of what is asserted and assumed.
    #[default]
    All,
    /// None: only whether there is a model.
    Nothing,
    /// Those of some symbols. On long paths, where a state at one point is asked for, this is much cheaper.
    Symbols(Arc<[Symbol]>),
}

/// Values that make the assertions and assumptions of a query true.
///
/// It has the values of symbols of the sorts `Bool`, `Int`, `Real` and `BitVec`, as far as they were wanted. A symbol
/// that is not in it had no influence: with the default of its sort ([`Value::default_of`]) the formula is true.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    pub(super) values: Assignment,
    pub(super) is_complete: bool,
}

impl Model {
    /// The value of a symbol.
    pub fn value(&self, symbol: Symbol) -> Option<&Value> {
        self.values.get(&symbol)
    }

    /// The value of a symbol, or the default of its sort if it has none.
    pub fn value_or_default(&self, terms: &Terms, symbol: Symbol) -> Option<Value> {
        let known = self.value(symbol).cloned();
        known.or_else(|| Value::default_of(terms.symbol_info(symbol).sort))
    }

    /// The values of all symbols that have one.
    pub fn assignment(&self) -> &Assignment {
        &self.values
    }

    /// The model as an assignment.
    pub fn into_assignment(self) -> Assignment {
        self.values
    }

    /// Whether every value that was wanted could be expressed. Arrays, floats and irrational numbers can't.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}
