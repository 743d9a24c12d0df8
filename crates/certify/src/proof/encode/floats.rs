//! Operations on floating-point constants: their results, exactly.
//!
//! Right where all operands are known, as they are in tables of numbers and first values that nobody changes. The
//! results are those of the program's own evaluation of one operation on bit patterns
//! ([`rhumb_program::interp::eval`]), which the interpreter is held against, too. Of everything else nothing is said:
//! such a result has any value. So has a NaN that is computed, since C leaves its pattern open, and so has what is
//! rounded in a program that changes the direction of rounding.

use rhumb_logic::{Int, Terms};
use rhumb_program::interp::eval;
use rhumb_program::{BinOp, DataModel, IntType, Type, UnOp};

use super::number::{Number, Range, power, value_of};

/// Evaluates what it can of a program's floating-point expressions.
pub(super) struct Floats {
    model: DataModel,
    /// Whether all arithmetic rounds to nearest.
    nearest: bool,
}

impl Floats {
    /// `nearest`: whether the program never rounds in another direction.
    pub(super) fn new(model: DataModel, nearest: bool) -> Floats {
        Floats { model, nearest }
    }

    /// The bit pattern of a number of a type, if it is known.
    fn bits(&self, terms: &Terms, number: &Number, ty: Type) -> Option<u128> {
        let value = number.as_constant(terms)?;
        let range = Range::of_type(ty, self.model);
        if !range.contains(&Range::single(value.clone())) {
            return None;
        }
        let pattern = match (ty, *value < Int::ZERO) {
            (Type::Int(int), true) => value + &power(int.width),
            _ => value.clone(),
        };
        u128::try_from(pattern).ok()
    }

    /// A comparison.
    pub(super) fn compare(
        &self,
        terms: &Terms,
        op: BinOp,
        ty: Type,
        [a, b]: [&Number; 2],
    ) -> Option<bool> {
        let (a, b) = (self.bits(terms, a, ty)?, self.bits(terms, b, ty)?);
        let truth = eval::binary(op, ty, a, ty, b).ok()?;
        Some(truth != 0)
    }

    /// Whether the truncated value doesn't fit an integer type.
    pub(super) fn leaves(
        &self,
        terms: &Terms,
        to: IntType,
        from: Type,
        number: &Number,
    ) -> Option<bool> {
        let bits = self.bits(terms, number, from)?;
        eval::cast_overflows(to, from, bits).ok()
    }

    /// The other sign.
    pub(super) fn negate(&self, terms: &Terms, ty: Type, number: &Number) -> Option<Number> {
        let bits = self.bits(terms, number, ty)?;
        let bits = eval::unary(UnOp::Neg, ty, bits).ok()?;
        Some(Number::constant(terms, Int::from(bits)))
    }

    /// Sum, difference, product or quotient.
    pub(super) fn binary(
        &self,
        terms: &Terms,
        op: BinOp,
        ty: Type,
        [a, b]: [&Number; 2],
    ) -> Option<Number> {
        let (a, b) = (self.bits(terms, a, ty)?, self.bits(terms, b, ty)?);
        let bits = eval::binary(op, ty, a, ty, b).ok()?;
        self.rounded(terms, ty, bits)
    }

    /// A conversion from or to a floating-point type.
    pub(super) fn cast(
        &self,
        terms: &Terms,
        from: Type,
        to: Type,
        number: &Number,
    ) -> Option<Number> {
        let bits = self.bits(terms, number, from)?;
        let bits = eval::cast(from, to, bits).ok()?;
        match to {
            Type::Float(_) => self.rounded(terms, to, bits),
            // Truncated, whatever the direction of rounding.
            Type::Int(int) => Some(Number::constant(terms, value_of(int, bits))),
            Type::Bool | Type::Ptr => None,
        }
    }

    /// A result that was rounded to nearest, and has one pattern.
    fn rounded(&self, terms: &Terms, ty: Type, bits: u128) -> Option<Number> {
        let is_number = eval::binary(BinOp::Eq, ty, bits, ty, bits) == Ok(1);
        (self.nearest && is_number).then(|| Number::constant(terms, Int::from(bits)))
    }
}
