//! Values of the program as integers of the logic.
//!
//! An integer is its mathematical value by its type's signedness, a truth value 0 or 1; a pointer is its address and a float its bit
//! pattern, both as unsigned numbers.

use rhumb_logic::Int;
use rhumb_logic::num::floor_mod;
use rhumb_program::{DataModel, FloatType, IntType, Type};

use crate::interval::Interval;

/// 2 to the power of `width`.
pub(crate) fn power(width: u32) -> Int {
    Int::ONE << width as usize
}

/// The integer type whose values stand for those of a type.
pub(crate) fn carrier(ty: Type, model: DataModel) -> IntType {
    match ty {
        Type::Bool => IntType::unsigned(1),
        Type::Int(int) => int,
        Type::Ptr => model.size_type(),
        Type::Float(FloatType::F32) => IntType::unsigned(32),
        Type::Float(FloatType::F64) => IntType::unsigned(64),
        Type::Float(FloatType::X87) => IntType::unsigned(80),
        Type::Float(FloatType::F128) => IntType::unsigned(128),
    }
}

/// The values of an integer type.
pub(crate) fn int_range(ty: IntType) -> Interval {
    let width = u32::from(ty.width);
    if ty.signed {
        let half = power(width - 1);
        Interval::new(-&half, half - Int::ONE)
    } else {
        Interval::new(Int::ZERO, power(width) - Int::ONE)
    }
}

/// The integers that stand for values of a type.
pub fn type_range(ty: Type, model: DataModel) -> Interval {
    int_range(carrier(ty, model))
}

/// The integer that stands for the value with this bit pattern.
pub fn value_of(ty: Type, bits: u128) -> Int {
    match ty {
        Type::Int(int) if int.signed => Int::from(int.extend(int.wrap(bits))),
        _ => Int::from(bits),
    }
}

/// The bit pattern of the value that an integer stands for; one out of range is reduced modulo 2 to the type's width.
pub fn bits_of(ty: Type, model: DataModel, value: &Int) -> u128 {
    let width = u32::from(carrier(ty, model).width);
    u128::try_from(&floor_mod(value, &power(width))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_values_are_inverse() {
        let model = DataModel::Lp64;
        let int = |width, signed| Type::Int(IntType { width, signed });
        for ty in [
            int(8, true),
            int(8, false),
            int(64, true),
            int(128, true),
            int(128, false),
            Type::Ptr,
        ] {
            let carrier = carrier(ty, model);
            for bits in [
                0,
                1,
                77,
                carrier.min_bits(),
                carrier.max_bits(),
                carrier.mask(),
            ] {
                let value = value_of(ty, bits);
                assert!(type_range(ty, model).contains(&value), "{ty} {bits}");
                assert_eq!(bits_of(ty, model, &value), bits);
            }
        }
        assert_eq!(value_of(int(8, true), 0xff), Int::NEG_ONE);
        assert_eq!(bits_of(int(16, true), model, &Int::NEG_ONE), 0xffff);
        assert_eq!(type_range(Type::Bool, model), Interval::new(0, 1));
    }
}
