//! C's integer and floating types under the two data models, and the arithmetic of value ranges.
//!
//! This is deliberately written from the C standard and not taken from the code under test: the
//! generator and the interpreter must not share a misunderstanding.

use std::fmt;

/// Sizes of the basic types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits (i386 System V).
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64 (x86-64 System V).
    Lp64,
}

impl DataModel {
    /// Both models, in the order in which reports list them.
    pub const ALL: [Self; 2] = [Self::Ilp32, Self::Lp64];

    /// Width of `long`, `size_t` and pointers.
    pub fn word_bits(self) -> u32 {
        match self {
            Self::Ilp32 => 32,
            Self::Lp64 => 64,
        }
    }

    /// The unsigned type that `sizeof` yields.
    pub fn size_kind(self) -> IntKind {
        match self {
            Self::Ilp32 => IntKind::UInt,
            Self::Lp64 => IntKind::ULong,
        }
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Ilp32 => "ILP32",
            Self::Lp64 => "LP64",
        })
    }
}

/// An integer type without qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names say it.
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LLong,
    ULLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// Storage width in bits.
    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            Self::Bool | Self::Char | Self::SChar | Self::UChar => 8,
            Self::Short | Self::UShort => 16,
            Self::Int | Self::UInt => 32,
            Self::Long | Self::ULong => model.word_bits(),
            Self::LLong | Self::ULLong => 64,
            Self::Int128 | Self::UInt128 => 128,
        }
    }

    /// Whether negative values exist (plain `char` is signed on x86).
    pub fn signed(self) -> bool {
        matches!(
            self,
            Self::Char
                | Self::SChar
                | Self::Short
                | Self::Int
                | Self::Long
                | Self::LLong
                | Self::Int128
        )
    }

    /// C's conversion rank.
    pub fn rank(self) -> u32 {
        match self {
            Self::Bool => 0,
            Self::Char | Self::SChar | Self::UChar => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt => 3,
            Self::Long | Self::ULong => 4,
            Self::LLong | Self::ULLong => 5,
            Self::Int128 | Self::UInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> Self {
        match self {
            Self::Bool => Self::Bool,
            Self::Char | Self::SChar | Self::UChar => Self::UChar,
            Self::Short | Self::UShort => Self::UShort,
            Self::Int | Self::UInt => Self::UInt,
            Self::Long | Self::ULong => Self::ULong,
            Self::LLong | Self::ULLong => Self::ULLong,
            Self::Int128 | Self::UInt128 => Self::UInt128,
        }
    }

    /// All values of the type. The top of `unsigned __int128` is cut at `i128::MAX`, which
    /// everywhere in this crate reads "or more" for that one type.
    pub fn range(self, model: DataModel) -> Interval {
        match self {
            Self::Bool => Interval::new(0, 1),
            Self::Int128 => Interval::new(i128::MIN, i128::MAX),
            Self::UInt128 => Interval::new(0, i128::MAX),
            _ if self.signed() => Interval::signed(self.bits(model)),
            _ => Interval::unsigned(self.bits(model)),
        }
    }

    /// The type after the integer promotions.
    pub fn promoted(self) -> Self {
        if self.rank() < Self::Int.rank() {
            Self::Int
        } else {
            self
        }
    }

    /// The usual arithmetic conversions of two integer types.
    pub fn common(self, other: Self, model: DataModel) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        if a.signed() == b.signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (unsigned, signed) = if a.signed() { (b, a) } else { (a, b) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// What values of this type become by a conversion to another one, wrapping as gcc does.
    pub fn converted(self, values: Interval, to: Self, model: DataModel) -> Interval {
        let full = to.range(model);
        if to == Self::Bool {
            return match values {
                Interval { low: 0, high: 0 } => Interval::point(0),
                _ if !values.contains(&0) => Interval::point(1),
                _ => full,
            };
        }
        let open_above = self == Self::UInt128 && values.high == i128::MAX;
        if open_above {
            return full;
        }
        if full.covers(&values) {
            return values;
        }
        if to.bits(model) == 128 {
            return full;
        }
        // All members in one window of the modulus: the image is an interval as well.
        let modulus = 1_i128 << to.bits(model);
        let window = |value: i128| value.checked_sub(full.low).map(|v| v.div_euclid(modulus));
        match (window(values.low), window(values.high)) {
            (Some(a), Some(b)) if a == b => match a.checked_mul(modulus) {
                Some(shift) => Interval {
                    low: values.low - shift,
                    high: values.high - shift,
                },
                None => full,
            },
            _ => full,
        }
    }
}

/// A real floating type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
}

/// The values that an integer may have.
pub type Interval = rhumb_interval::Interval<i128>;

#[cfg(test)]
mod tests {
    use super::{DataModel, IntKind, Interval};

    #[test]
    fn usual_arithmetic_conversions_depend_on_the_model() {
        let common = |a: IntKind, b: IntKind, model| a.common(b, model);
        assert_eq!(
            common(IntKind::UInt, IntKind::Long, DataModel::Ilp32),
            IntKind::ULong
        );
        assert_eq!(
            common(IntKind::UInt, IntKind::Long, DataModel::Lp64),
            IntKind::Long
        );
        assert_eq!(
            common(IntKind::UChar, IntKind::Short, DataModel::Lp64),
            IntKind::Int
        );
        assert_eq!(
            common(IntKind::ULong, IntKind::LLong, DataModel::Lp64),
            IntKind::ULLong
        );
        assert_eq!(
            common(IntKind::ULong, IntKind::LLong, DataModel::Ilp32),
            IntKind::LLong
        );
    }

    #[test]
    fn conversions_wrap() {
        let model = DataModel::Lp64;
        let to = |low: i128, high: i128, kind| {
            IntKind::LLong.converted(Interval::new(low, high), kind, model)
        };
        assert_eq!(to(-5, -1, IntKind::UChar), Interval::new(251, 255));
        assert_eq!(to(-5, 1, IntKind::UChar), Interval::new(0, 255));
        assert_eq!(to(128, 130, IntKind::SChar), Interval::new(-128, -126));
        assert_eq!(to(3, 300, IntKind::Bool), Interval::point(1));
    }
}
