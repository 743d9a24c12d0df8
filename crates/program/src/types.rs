//! Scalar types, with width and signedness, and how values lie in memory.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The sizes of C's basic types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    #[default]
    Lp64,
}

/// Nothing lies in so many bytes at either end of the addresses.
const PAGE: i128 = 0x1000;

impl DataModel {
    /// How the address of any object or function, as an integer of this type, compares with a number: `Less` if all of
    /// them are less. None if that depends on where things lie. The first and the last page are never used, nor is,
    /// with 64 bits, the upper half of the addresses.
    pub fn objects_compared(self, int: IntType, bits: u128) -> Option<Ordering> {
        let width = self.pointer_width();
        if int.width != width || int.signed && self != DataModel::Lp64 {
            return None;
        }
        let number = int.extend(bits);
        match number {
            _ if number < PAGE => Some(Ordering::Greater),
            _ if number > (1 << width) - PAGE => Some(Ordering::Less),
            _ => None,
        }
    }

    /// Width of a pointer in bits.
    pub fn pointer_width(self) -> u16 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// The unsigned integer type as wide as a pointer (`size_t`, `uintptr_t`).
    pub fn size_type(self) -> IntType {
        IntType::unsigned(self.pointer_width())
    }

    /// The signed integer type as wide as a pointer (`ptrdiff_t`).
    pub fn ptrdiff_type(self) -> IntType {
        IntType::signed(self.pointer_width())
    }
}

impl FromStr for DataModel {
    type Err = String;

    /// By the name that task definitions and witnesses use.
    fn from_str(name: &str) -> Result<DataModel, String> {
        match name {
            "ILP32" => Ok(DataModel::Ilp32),
            "LP64" => Ok(DataModel::Lp64),
            _ => Err(format!("unknown data model `{name}`")),
        }
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        })
    }
}

/// An integer type: two's complement, 1 to 128 bits.
///
/// Values of every integer type are carried as `u128` bit patterns whose bits above `width` are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct IntType {
    /// Number of bits, 1 to 128.
    pub width: u16,
    /// Whether the top bit is a sign.
    pub signed: bool,
}

impl IntType {
    /// C's `int` under both data models.
    pub const INT: IntType = IntType::signed(32);

    /// The signed type of that width.
    pub const fn signed(width: u16) -> IntType {
        IntType {
            width,
            signed: true,
        }
    }

    /// The unsigned type of that width.
    pub const fn unsigned(width: u16) -> IntType {
        IntType {
            width,
            signed: false,
        }
    }

    /// A type of C with this width and sign, whatever the data model; of a narrower width the next one.
    pub fn c_name(self) -> &'static str {
        match (self.width, self.signed) {
            (0..=8, true) => "signed char",
            (0..=8, false) => "unsigned char",
            (9..=16, true) => "short",
            (9..=16, false) => "unsigned short",
            (17..=32, true) => "int",
            (17..=32, false) => "unsigned",
            (33..=64, true) => "long long",
            (33..=64, false) => "unsigned long long",
            (_, true) => "__int128",
            (_, false) => "unsigned __int128",
        }
    }

    /// The bits that belong to a value.
    pub const fn mask(self) -> u128 {
        if self.width >= 128 {
            u128::MAX
        } else {
            (1 << self.width) - 1
        }
    }

    /// Reduces any bit pattern to a value of this type (two's complement wrap).
    pub const fn wrap(self, bits: u128) -> u128 {
        bits & self.mask()
    }

    /// Whether the value with this bit pattern is below zero.
    pub const fn is_negative(self, bits: u128) -> bool {
        self.signed && (bits >> (self.width - 1)) & 1 == 1
    }

    /// The value as 128 bits, sign-extended for a signed type. Only an unsigned 128-bit value above `i128::MAX` changes its meaning.
    pub const fn extend(self, bits: u128) -> i128 {
        if self.is_negative(bits) {
            (bits | !self.mask()) as i128
        } else {
            bits as i128
        }
    }

    /// Bit pattern of the least value.
    pub const fn min_bits(self) -> u128 {
        if self.signed {
            1 << (self.width - 1)
        } else {
            0
        }
    }

    /// Bit pattern of the greatest value.
    pub const fn max_bits(self) -> u128 {
        if self.signed {
            self.mask() >> 1
        } else {
            self.mask()
        }
    }

    /// The value in decimal.
    pub fn display(self, bits: u128) -> String {
        if self.signed {
            self.extend(bits).to_string()
        } else {
            bits.to_string()
        }
    }

    /// Whether the mathematical integer lies in the type's range.
    pub const fn contains(self, value: i128) -> bool {
        if self.signed {
            self.extend(self.wrap(value as u128)) == value
        } else {
            value >= 0 && (value as u128) <= self.mask()
        }
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.width)
    }
}

/// A binary floating-point type. Values are carried as bit patterns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatType {
    /// IEEE 754 single precision: `float`.
    F32,
    /// IEEE 754 double precision: `double`.
    F64,
    /// The 80-bit extended format of x87: `long double`.
    X87,
    /// IEEE 754 quadruple precision: `__float128`.
    F128,
}

impl fmt::Display for FloatType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FloatType::F32 => "f32",
            FloatType::F64 => "f64",
            FloatType::X87 => "x87",
            FloatType::F128 => "f128",
        })
    }
}

/// The type of a variable or an expression. Records and arrays are memory objects and have no `Type`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A truth value: the type of conditions and of C's `_Bool`. In memory one byte, 0 or 1.
    Bool,
    /// An integer.
    Int(IntType),
    /// A floating-point number.
    Float(FloatType),
    /// A pointer to data or to code: an object (or function) and an offset in bytes.
    Ptr,
}

impl Type {
    /// The integer type, if this is one.
    pub fn as_int(self) -> Option<IntType> {
        match self {
            Type::Int(int) => Some(int),
            _ => None,
        }
    }

    /// Number of bytes that a value takes in memory.
    pub fn size(self, model: DataModel) -> u64 {
        match self {
            Type::Bool => 1,
            Type::Int(int) => u64::from(int.width.div_ceil(8)),
            Type::Float(FloatType::F32) => 4,
            Type::Float(FloatType::F64) => 8,
            Type::Float(FloatType::X87) => match model {
                DataModel::Ilp32 => 12,
                DataModel::Lp64 => 16,
            },
            Type::Float(FloatType::F128) => 16,
            Type::Ptr => u64::from(model.pointer_width() / 8),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int(int) => int.fmt(f),
            Type::Float(float) => float.fmt(f),
            Type::Ptr => f.write_str("ptr"),
        }
    }
}

/// How a scalar is read from or written to memory: little endian, as gcc does it on x86.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Type of the value that is read or written. For a bit-field: its declared type.
    pub ty: Type,
    /// Set for a bit-field.
    pub bits: Option<BitRange>,
}

/// The bits of a bit-field, counted from the least significant bit of the byte at the accessed address.
///
/// Reading gives the bits zero-extended (unsigned declared type, `_Bool`) or sign-extended (signed declared type) to the access type;
/// writing replaces these bits and no others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    /// First bit, 0 to 7.
    pub offset: u8,
    /// Number of bits, at least 1.
    pub width: u8,
}

impl Access {
    /// An access to a whole scalar.
    pub fn whole(ty: Type) -> Access {
        Access { ty, bits: None }
    }

    /// Number of bytes that are touched.
    pub fn size(self, model: DataModel) -> u64 {
        match self.bits {
            None => self.ty.size(model),
            Some(bits) => u64::from((u16::from(bits.offset) + u16::from(bits.width)).div_ceil(8)),
        }
    }
}

/// What lies where in a memory object; for people, for reports, and for analyses that split objects into cells.
/// Execution does not need it.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// One scalar.
    Scalar(Type),
    /// `count` elements in a row. `element_size` includes padding.
    Array {
        /// Shape of one element.
        element: Arc<Shape>,
        /// Distance between two elements in bytes.
        element_size: u64,
        /// Number of elements.
        count: u64,
    },
    /// A struct or union.
    Record {
        /// Its tag, empty if it has none.
        tag: Arc<str>,
        /// Its members in order of declaration; unnamed members have an empty name.
        fields: Arc<[Field]>,
    },
    /// Bytes without a type, as `malloc` gives them.
    Bytes,
}

/// A member of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name, empty for an unnamed member.
    pub name: Arc<str>,
    /// Distance in bytes from the start of the record.
    pub offset: u64,
    /// Set for a bit-field.
    pub bits: Option<BitRange>,
    /// What lies there.
    pub shape: Shape,
    /// The names of its values, if the text has names for them.
    pub words: Option<Enumerators>,
}

/// The names that an enumeration has for values, given by their bits.
pub type Enumerators = Arc<[(u128, Arc<str>)]>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_which_nothing_lies() {
        let (wide, narrow) = (IntType::unsigned(64), IntType::unsigned(32));
        let (lp64, ilp32) = (DataModel::Lp64, DataModel::Ilp32);
        let last = u128::from(u64::MAX);
        for (model, int, bits, compared) in [
            (lp64, wide, 0, Some(Ordering::Greater)),
            (lp64, wide, 4095, Some(Ordering::Greater)),
            (lp64, wide, 4096, None),
            (lp64, wide, last - 4095, None),
            (lp64, wide, last - 4094, Some(Ordering::Less)),
            (lp64, IntType::signed(64), last, Some(Ordering::Greater)),
            (lp64, IntType::signed(64), 1 << 62, None),
            (lp64, narrow, 0, None),
            (ilp32, narrow, 7, Some(Ordering::Greater)),
            (ilp32, narrow, 0xffff_f001, Some(Ordering::Less)),
            (ilp32, narrow, 0xffff_f000, None),
            (ilp32, IntType::signed(32), 0, None),
        ] {
            assert_eq!(model.objects_compared(int, bits), compared, "{bits:#x}");
        }
    }
}
