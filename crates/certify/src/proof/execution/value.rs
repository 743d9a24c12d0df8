//! Values of a run whose inputs are left open.

use std::sync::Arc;

use rhumb_logic::{Int, Term, Terms};
use rhumb_program::{DataModel, FuncId, IntType, Type};

use super::Gap;
use crate::proof::encode::arith;
use crate::proof::encode::number::{Number, Range};

/// The value of a variable, an expression, or a piece of memory.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// A bit pattern; for a pointer: an address that belongs to no object, like null.
    Known(u128),
    /// A truth value that depends on inputs.
    Truth(Term),
    /// A number that depends on inputs; for a float its bit pattern, for a pointer an address that belongs to no object.
    Number(Number),
    /// A pointer to an object or a function.
    Pointer(Pointer),
    /// Something that was approximated and can't be said by a number: it must not be looked at.
    Wild,
    /// One of several pointers, where runs that hold different ones are followed together.
    Choice(Choice),
}

/// One of several pointers: the first whose condition holds; one of them does. What they belong to is different.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Choice(pub(super) Arc<Vec<(Term, Value)>>);

impl Choice {
    /// The number of the one that it is.
    pub(super) fn index(&self, terms: &Terms) -> Term {
        let mut index = terms.int(self.0.len() as u64 - 1);
        for (number, (condition, _)) in self.0.iter().enumerate().rev().skip(1) {
            index = terms.ite(*condition, terms.int(number as u64), index);
        }
        index
    }
}

/// What a pointer belongs to, and its distance from there in bytes: unsigned, as wide as a pointer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Pointer {
    pub(super) base: Base,
    pub(super) offset: Number,
}

/// What a pointer can belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// An object, alive or not, by its number in the run. Numbers are never used again.
    Instance(u32),
    /// A function.
    Function(FuncId),
}

impl Pointer {
    /// The object that it points to.
    pub(super) fn instance(&self) -> Option<u32> {
        match self.base {
            Base::Instance(instance) => Some(instance),
            Base::Function(_) => None,
        }
    }
}

impl Value {
    pub(super) const NULL: Value = Value::Known(0);

    /// 0 or 1, if it is known.
    pub(super) fn from_truth(terms: &Terms, truth: Term) -> Value {
        match terms.as_bool(truth) {
            Some(value) => Value::Known(value.into()),
            None => Value::Truth(truth),
        }
    }

    /// A number of a type, which it has to fit.
    pub(super) fn from_number(terms: &Terms, number: Number, ty: Type, model: DataModel) -> Value {
        match number.as_constant(terms) {
            Some(value) => Value::Known(bits(value, ty, model)),
            None => Value::Number(number),
        }
    }

    /// The start of something.
    pub(super) fn start_of(terms: &Terms, base: Base) -> Value {
        let offset = Number::constant(terms, Int::ZERO);
        Value::Pointer(Pointer { base, offset })
    }

    /// The mathematical value of a value of this type: 0 or 1 for a truth value, the bit pattern of a float.
    pub(super) fn number(&self, terms: &Terms, ty: Type, model: DataModel) -> Result<Number, Gap> {
        match self {
            Value::Known(bits) => Ok(match integer(ty, model) {
                Some(int) => arith::constant(terms, int, *bits),
                None => Number::constant(terms, Int::from(*bits)),
            }),
            Value::Truth(truth) => Ok(Number::from_truth(terms, *truth)),
            Value::Number(number) => Ok(number.clone()),
            Value::Pointer(_) => Err(Gap("the address of an object as a number")),
            Value::Wild | Value::Choice(_) => Err(WILD),
        }
    }

    /// The formula of a value of type `Bool`.
    pub(super) fn truth(&self, terms: &Terms) -> Result<Term, Gap> {
        match self {
            Value::Known(bits) => Ok(terms.bool(*bits != 0)),
            Value::Truth(truth) => Ok(*truth),
            Value::Number(number) => Ok(terms.ne(number.term, terms.int(0))),
            Value::Pointer(_) => Err(Gap("a pointer as a truth value")),
            Value::Wild | Value::Choice(_) => Err(WILD),
        }
    }
}

/// The use of something approximated that is no number.
pub(super) const WILD: Gap = Gap("a pointer that is not known");

/// The integer type with the arithmetic of a type, if there is one: pointers are addresses.
pub(super) fn integer(ty: Type, model: DataModel) -> Option<IntType> {
    match ty {
        Type::Int(int) => Some(int),
        Type::Ptr => Some(model.size_type()),
        Type::Bool | Type::Float(_) => None,
    }
}

/// The bit pattern of a number that is a value of the type.
pub(super) fn bits(value: &Int, ty: Type, model: DataModel) -> u128 {
    let bits = match (u128::try_from(value.clone()), i128::try_from(value.clone())) {
        (Ok(bits), _) => bits,
        (_, Ok(negative)) => negative as u128,
        // No value of a type is that large.
        _ => 0,
    };
    integer(ty, model).map_or(bits, |int| int.wrap(bits))
}

/// Some bytes of a number, which is a value of an unsigned type: from the byte with this index on, so many.
pub(super) fn piece(terms: &Terms, number: &Number, first: u64, count: u64) -> Number {
    let shifted = terms.div(number.term, Int::ONE << (8 * first as usize));
    let period = Int::ONE << (8 * count as usize);
    Number {
        term: terms.modulo(shifted, period.clone()),
        range: Range::new(Int::ZERO, period - Int::ONE),
    }
}
