//! Values of the program as values of the logic.
//!
//! An integer is its mathematical value by its type's signedness, a truth value 0 or 1; a pointer is its address and a float its bit
//! pattern, both as unsigned numbers.

use rhumb_logic::num::floor_mod;
use rhumb_logic::{Int, Sort, Value};
use rhumb_program::{DataModel, FloatType, IntType, Type};

/// Exact numbers in a row: what is cheaply known about a value.
pub(crate) type Interval = rhumb_interval::Interval<Int>;

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

/// The sort of the values of a type: linear integers, whatever the type.
pub(crate) fn sort_of(_: Type) -> Sort {
    Sort::Int
}

/// The integer that stands for the value with this bit pattern.
pub fn int_of(ty: Type, bits: u128) -> Int {
    match ty {
        Type::Int(int) if int.signed => Int::from(int.extend(int.wrap(bits))),
        _ => Int::from(bits),
    }
}

/// The value of a sort that stands for the one with this bit pattern; none if no values of that sort stand for the type's.
pub fn value_of(sort: Sort, ty: Type, bits: u128) -> Option<Value> {
    match sort {
        Sort::Int => Some(Value::Int(int_of(ty, bits))),
        Sort::Bool => (bits <= 1).then_some(Value::Bool(bits == 1)),
        Sort::BitVec(width) => {
            let fits = width >= 128 || bits >> width == 0;
            fits.then(|| Value::Bits(bits.into()))
        }
        Sort::Real | Sort::Float(..) | Sort::Array(_) => None,
    }
}

/// The bit pattern of what a value of a sort stands for; an integer out of range is reduced modulo 2 to the type's
/// width. None if the value is not of the sort, or if no values of the sort stand for the type's.
pub fn bits_of(sort: Sort, ty: Type, model: DataModel, value: &Value) -> Option<u128> {
    match (sort, value) {
        (Sort::Int, Value::Int(value)) => {
            let width = u32::from(carrier(ty, model).width);
            u128::try_from(&floor_mod(value, &power(width))).ok()
        }
        (Sort::Bool, Value::Bool(value)) => Some(u128::from(*value)),
        (Sort::BitVec(_), Value::Bits(value)) => u128::try_from(value).ok(),
        _ => None,
    }
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
                assert!(type_range(ty, model).contains(&int_of(ty, bits)), "{ty}");
                let value = value_of(Sort::Int, ty, bits).expect("an integer");
                assert_eq!(bits_of(Sort::Int, ty, model, &value), Some(bits));
            }
        }
        assert_eq!(int_of(int(8, true), 0xff), Int::NEG_ONE);
        let minus_one = Value::Int(Int::NEG_ONE);
        let bits = bits_of(Sort::Int, int(16, true), model, &minus_one);
        assert_eq!(bits, Some(0xffff));
        assert_eq!(type_range(Type::Bool, model), Interval::new(0, 1));
    }

    #[test]
    fn other_sorts_are_what_they_are() {
        let (model, byte) = (DataModel::Lp64, Type::Int(IntType::unsigned(8)));
        for (sort, ty) in [(Sort::Bool, Type::Bool), (Sort::BitVec(8), byte)] {
            for bits in [0, 1] {
                let value = value_of(sort, ty, bits).expect("a value");
                assert_eq!(bits_of(sort, ty, model, &value), Some(bits));
                // It is not taken for a value of another sort.
                assert_eq!(bits_of(Sort::Int, ty, model, &value), None);
            }
        }
        assert_eq!(value_of(Sort::Bool, byte, 2), None);
        assert_eq!(value_of(Sort::BitVec(8), byte, 256), None);
        let real = Value::Real(0.into());
        for sort in [Sort::Int, Sort::Bool, Sort::BitVec(8), Sort::Real] {
            assert_eq!(bits_of(sort, byte, model, &real), None);
        }
        assert_eq!(value_of(Sort::Real, byte, 0), None);
    }
}
