//! Values, and assignments of values to symbols.

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use crate::num::{Int, Rat};
use crate::term::{Sort, Symbol};

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real number.
    Real(Rat),
    /// A bit-vector, by its unsigned value.
    Bits(UBig),
}

impl Value {
    /// The value that a symbol of the sort has where nothing says otherwise: `false` or zero. Floating-point numbers and arrays have none.
    pub fn default_of(sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => Some(Value::Bool(false)),
            Sort::Int => Some(Value::Int(Int::ZERO)),
            Sort::Real => Some(Value::Real(Rat::ZERO)),
            Sort::BitVec(_) => Some(Value::Bits(UBig::ZERO)),
            Sort::Float(..) | Sort::Array(_) => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

/// Values of symbols: a model of a formula, a state of a program. What is not in it may have any value.
pub type Assignment = FxHashMap<Symbol, Value>;
