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
}

/// A real floating type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
}

/// A non-empty set of consecutive integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Least member.
    pub low: i128,
    /// Greatest member.
    pub high: i128,
}

impl Interval {
    /// From `low` to `high`, both included.
    pub fn new(low: i128, high: i128) -> Self {
        debug_assert!(low <= high, "empty interval {low}..={high}");
        Self { low, high }
    }

    /// One value.
    pub fn point(value: i128) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    /// The values of a signed type of `bits` bits (at most 127).
    pub fn signed(bits: u32) -> Self {
        let half = 1_i128 << (bits - 1);
        Self {
            low: -half,
            high: half - 1,
        }
    }

    /// The values of an unsigned type of `bits` bits (at most 126).
    pub fn unsigned(bits: u32) -> Self {
        Self {
            low: 0,
            high: (1_i128 << bits) - 1,
        }
    }

    /// Whether `value` is a member.
    pub fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether every member is one of `outer`.
    pub fn within(self, outer: Self) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    /// The least interval with the members of both.
    pub fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether there is exactly one member, and which.
    pub fn as_point(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Sums; `None` when they leave 128 bits.
    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            low: self.low.checked_add(other.low)?,
            high: self.high.checked_add(other.high)?,
        })
    }

    /// Differences; `None` when they leave 128 bits.
    pub fn minus(self, other: Self) -> Option<Self> {
        Some(Self {
            low: self.low.checked_sub(other.high)?,
            high: self.high.checked_sub(other.low)?,
        })
    }

    /// Products; `None` when they leave 128 bits.
    pub fn times(self, other: Self) -> Option<Self> {
        let corners = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        Self::spanning(&corners)
    }

    /// Truncating quotients by a divisor that is never 0; `None` when they leave 128 bits.
    pub fn divided_by(self, divisor: Self) -> Option<Self> {
        if divisor.contains(0) {
            return None;
        }
        let corners = [
            self.low.checked_div(divisor.low)?,
            self.low.checked_div(divisor.high)?,
            self.high.checked_div(divisor.low)?,
            self.high.checked_div(divisor.high)?,
        ];
        Self::spanning(&corners)
    }

    /// Remainders (sign of the dividend) of a divisor that is never 0.
    pub fn remainder_by(self, divisor: Self) -> Option<Self> {
        if divisor.contains(0) {
            return None;
        }
        if let (Some(a), Some(b)) = (self.as_point(), divisor.as_point()) {
            return a.checked_rem(b).map(Self::point);
        }
        let most = divisor.low.unsigned_abs().max(divisor.high.unsigned_abs()) - 1;
        let most = i128::try_from(most).unwrap_or(i128::MAX);
        let low = if self.low < 0 { self.low.max(-most) } else { 0 };
        let high = if self.high > 0 {
            self.high.min(most)
        } else {
            0
        };
        Some(Self { low, high })
    }

    /// Arithmetic right shifts by amounts in `0..=126`.
    pub fn shifted_right(self, amount: Self) -> Self {
        let corners = [
            self.low >> amount.low,
            self.low >> amount.high,
            self.high >> amount.low,
            self.high >> amount.high,
        ];
        Self {
            low: corners[0].min(corners[1]),
            high: corners[2].max(corners[3]),
        }
    }

    /// Left shifts of non-negative values; `None` when a bit would be lost.
    pub fn shifted_left(self, amount: Self) -> Option<Self> {
        if self.low < 0 || amount.high > 126 || self.high > (i128::MAX >> amount.high) {
            return None;
        }
        Some(Self {
            low: self.low << amount.low,
            high: self.high << amount.high,
        })
    }

    /// The values of `&`, `|` or `^` of two members: every result fits in as many bits as the
    /// operands need.
    pub fn bitwise(self, other: Self) -> Self {
        let magnitude = |value: i128| (if value < 0 { !value } else { value }) as u128;
        let most = [self.low, self.high, other.low, other.high]
            .map(magnitude)
            .into_iter()
            .max()
            .unwrap_or(0);
        let ones = i128::MAX
            .checked_shr(most.leading_zeros().saturating_sub(1))
            .unwrap_or(0);
        let negative = self.low < 0 || other.low < 0;
        Self {
            low: if negative { !ones } else { 0 },
            high: ones,
        }
    }

    /// The values after a conversion to `kind`, wrapping as gcc does.
    pub fn converted(self, from: IntKind, to: IntKind, model: DataModel) -> Self {
        let full = to.range(model);
        if to == IntKind::Bool {
            return match self {
                Self { low: 0, high: 0 } => Self::point(0),
                _ if !self.contains(0) => Self::point(1),
                _ => full,
            };
        }
        let open_above = from == IntKind::UInt128 && self.high == i128::MAX;
        if open_above {
            return full;
        }
        if self.within(full) {
            return self;
        }
        if to.bits(model) == 128 {
            return full;
        }
        // All members in one window of the modulus: the image is an interval as well.
        let modulus = 1_i128 << to.bits(model);
        let window = |value: i128| value.checked_sub(full.low).map(|v| v.div_euclid(modulus));
        match (window(self.low), window(self.high)) {
            (Some(a), Some(b)) if a == b => match a.checked_mul(modulus) {
                Some(shift) => Self {
                    low: self.low - shift,
                    high: self.high - shift,
                },
                None => full,
            },
            _ => full,
        }
    }

    fn spanning(values: &[i128]) -> Option<Self> {
        Some(Self {
            low: *values.iter().min()?,
            high: *values.iter().max()?,
        })
    }
}

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
    fn intervals_hold_every_concrete_result() {
        let samples = [-9_i128, -8, -3, -1, 0, 1, 2, 5, 7, 12];
        for (i, &a) in samples.iter().enumerate() {
            for &b in &samples[i..] {
                let x = Interval::new(a, b);
                for (j, &c) in samples.iter().enumerate() {
                    for &d in &samples[j..] {
                        check_all(x, Interval::new(c, d));
                    }
                }
            }
        }
    }

    fn check_all(x: Interval, y: Interval) {
        for a in x.low..=x.high {
            for b in y.low..=y.high {
                assert!(x.plus(y).unwrap().contains(a + b));
                assert!(x.minus(y).unwrap().contains(a - b));
                assert!(x.times(y).unwrap().contains(a * b));
                for value in [a & b, a | b, a ^ b] {
                    assert!(x.bitwise(y).contains(value), "{x:?} {y:?} {value}");
                }
                if !y.contains(0) {
                    assert!(x.divided_by(y).unwrap().contains(a / b));
                    assert!(x.remainder_by(y).unwrap().contains(a % b));
                }
                if y.low >= 0 {
                    assert!(x.shifted_right(y).contains(a >> b));
                    assert!(
                        x.shifted_left(y)
                            .is_none_or(|shifted| shifted.contains(a << b))
                    );
                }
            }
        }
    }

    #[test]
    fn conversions_wrap() {
        let model = DataModel::Lp64;
        let to = |low, high, kind| Interval::new(low, high).converted(IntKind::LLong, kind, model);
        assert_eq!(to(-5, -1, IntKind::UChar), Interval::new(251, 255));
        assert_eq!(to(-5, 1, IntKind::UChar), Interval::new(0, 255));
        assert_eq!(to(128, 130, IntKind::SChar), Interval::new(-128, -126));
        assert_eq!(to(3, 300, IntKind::Bool), Interval::point(1));
    }
}
