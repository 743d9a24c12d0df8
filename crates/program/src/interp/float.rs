//! Floating-point arithmetic: IEEE 754, with the NaNs that x86 gives.
//!
//! `float` and `double` use the host's operations as long as they round to nearest (IEEE defines every result but the
//! bits of a NaN, which are chosen here); the 80-bit and the 128-bit format, and the other directions, use
//! `rustc_apfloat`. Values are bit patterns in the low bits of a `u128`.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::types::{FloatType, IntType};

/// The direction in which a program starts.
pub(super) const NEAREST: Round = Round::NearestTiesToEven;

/// An arithmetic operation on two floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// What kind of number a bit pattern is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Nan,
    Infinite,
    Zero,
    Subnormal,
    Normal,
}

/// Where the parts of a format lie.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// Number of bits below the exponent.
    pub(super) fraction_bits: u32,
    /// Number of bits of the exponent.
    pub(super) exponent_bits: u32,
    /// Whether the leading bit of the significand is stored (only the 80-bit format does that).
    pub(super) explicit_leading_bit: bool,
}

impl Format {
    pub(super) const fn of(ty: FloatType) -> Format {
        let (fraction_bits, exponent_bits) = match ty {
            FloatType::F32 => (23, 8),
            FloatType::F64 => (52, 11),
            FloatType::X87 => (64, 15),
            FloatType::F128 => (112, 15),
        };
        Format {
            fraction_bits,
            exponent_bits,
            explicit_leading_bit: matches!(ty, FloatType::X87),
        }
    }

    pub(super) const fn sign_bit(self) -> u128 {
        1 << (self.fraction_bits + self.exponent_bits)
    }

    pub(super) const fn fraction_mask(self) -> u128 {
        (1 << self.fraction_bits) - 1
    }

    pub(super) const fn max_exponent(self) -> u32 {
        (1 << self.exponent_bits) - 1
    }

    pub(super) const fn exponent(self, bits: u128) -> u32 {
        (bits >> self.fraction_bits) as u32 & self.max_exponent()
    }

    /// The bit that a quiet NaN has and a signalling one has not.
    const fn quiet_bit(self) -> u128 {
        if self.explicit_leading_bit {
            1 << (self.fraction_bits - 2)
        } else {
            1 << (self.fraction_bits - 1)
        }
    }

    /// The NaN that an invalid operation gives: quiet, negative, without payload.
    const fn default_nan(self) -> u128 {
        let leading = if self.explicit_leading_bit {
            1 << (self.fraction_bits - 1)
        } else {
            0
        };
        self.sign_bit()
            | (self.max_exponent() as u128) << self.fraction_bits
            | leading
            | self.quiet_bit()
    }
}

/// The bit pattern as a number of a soft-float type, and back.
macro_rules! soft {
    ($ty:expr, |$make:ident| $body:expr) => {
        match $ty {
            FloatType::F32 => {
                let $make = |bits: u128| {
                    <rustc_apfloat::ieee::Single as rustc_apfloat::Float>::from_bits(bits)
                };
                $body
            }
            FloatType::F64 => {
                let $make = |bits: u128| {
                    <rustc_apfloat::ieee::Double as rustc_apfloat::Float>::from_bits(bits)
                };
                $body
            }
            FloatType::X87 => {
                let $make = |bits: u128| {
                    <rustc_apfloat::ieee::X87DoubleExtended as rustc_apfloat::Float>::from_bits(
                        bits,
                    )
                };
                $body
            }
            FloatType::F128 => {
                let $make = |bits: u128| {
                    <rustc_apfloat::ieee::Quad as rustc_apfloat::Float>::from_bits(bits)
                };
                $body
            }
        }
    };
}
pub(super) use soft;

/// What kind of number it is.
pub(super) fn classify(ty: FloatType, bits: u128) -> Class {
    let format = Format::of(ty);
    let exponent = format.exponent(bits);
    let mut fraction = bits & format.fraction_mask();
    let mut leading_bit_missing = false;
    if format.explicit_leading_bit {
        let leading = 1 << (format.fraction_bits - 1);
        leading_bit_missing = fraction & leading == 0;
        if exponent != 0 {
            fraction &= !leading;
        }
    }
    if exponent == format.max_exponent() {
        if fraction == 0 && !leading_bit_missing {
            Class::Infinite
        } else {
            Class::Nan
        }
    } else if exponent != 0 {
        // An 80-bit pattern without its leading bit is no number at all; the processor treats it as invalid.
        if leading_bit_missing {
            Class::Nan
        } else {
            Class::Normal
        }
    } else if fraction == 0 {
        Class::Zero
    } else if format.explicit_leading_bit && !leading_bit_missing {
        Class::Normal
    } else {
        Class::Subnormal
    }
}

/// Whether it is not a number.
pub(super) fn is_nan(ty: FloatType, bits: u128) -> bool {
    classify(ty, bits) == Class::Nan
}

/// Whether the sign bit is set.
pub(super) fn is_negative(ty: FloatType, bits: u128) -> bool {
    bits & Format::of(ty).sign_bit() != 0
}

/// A finite number as `significand * 2^exponent`, without its sign.
pub(super) fn decompose(ty: FloatType, bits: u128) -> (u128, i32) {
    let format = Format::of(ty);
    let stored = format.exponent(bits);
    let mut significand = bits & format.fraction_mask();
    if stored != 0 && !format.explicit_leading_bit {
        significand |= 1 << format.fraction_bits;
    }
    let bias = (format.max_exponent() >> 1) as i32;
    let fraction_digits = if format.explicit_leading_bit {
        format.fraction_bits - 1
    } else {
        format.fraction_bits
    };
    let exponent = stored.max(1) as i32 - bias - fraction_digits as i32;
    (significand, exponent)
}

/// The NaN as an operation passes it on: quiet.
pub(super) fn quiet(ty: FloatType, bits: u128) -> u128 {
    bits | Format::of(ty).quiet_bit()
}

/// The result of an operation on these operands that is not a number.
pub(super) fn nan_result(ty: FloatType, lhs: u128, rhs: u128) -> u128 {
    match (is_nan(ty, lhs), is_nan(ty, rhs)) {
        // The x87 unit takes the NaN with the greater significand, SSE the first.
        (true, true) if ty == FloatType::X87 => {
            let significand = |bits: u128| bits & Format::of(ty).fraction_mask();
            let winner = if significand(rhs) > significand(lhs) {
                rhs
            } else {
                lhs
            };
            quiet(ty, winner)
        }
        (true, _) => quiet(ty, lhs),
        (false, true) => quiet(ty, rhs),
        (false, false) => Format::of(ty).default_nan(),
    }
}

/// Whether it is open which of two NaNs an operation gives: one that compilers may do the other way round, on different ones.
pub(super) fn is_open(op: FloatOp, ty: FloatType, lhs: u128, rhs: u128) -> bool {
    matches!(op, FloatOp::Add | FloatOp::Mul)
        && is_nan(ty, lhs)
        && is_nan(ty, rhs)
        && nan_result(ty, lhs, rhs) != nan_result(ty, rhs, lhs)
}

/// A 64-bit integer in double precision, where rounding is not to the nearest.
pub(super) fn f64_from_i64(value: i64, round: Round) -> u64 {
    from_int(
        FloatType::F64,
        IntType::signed(64),
        value as u64 as u128,
        round,
    ) as u64
}

macro_rules! binary {
    ($(#[$doc:meta])* $name:ident, $float:ident, $bits:ident, $ty:expr) => {
        $(#[$doc])*
        #[inline]
        pub(super) fn $name(op: FloatOp, lhs: $bits, rhs: $bits) -> $bits {
            let (a, b) = ($float::from_bits(lhs), $float::from_bits(rhs));
            let result = match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
            };
            match result.is_nan() {
                true => nan_result($ty, lhs.into(), rhs.into()) as $bits,
                false => result.to_bits(),
            }
        }
    };
}

binary!(
    /// `lhs op rhs` in double precision.
    binary_f64, f64, u64, FloatType::F64
);
binary!(
    /// `lhs op rhs` in single precision.
    binary_f32, f32, u32, FloatType::F32
);

/// `lhs op rhs` in double precision; none where [`is_open`] says that it is open, which is not asked unless the result is a NaN.
#[inline]
pub(super) fn closed_f64(op: FloatOp, lhs: u64, rhs: u64) -> Option<u64> {
    let result = binary_f64(op, lhs, rhs);
    let is_nan = f64::from_bits(result).is_nan();
    (!is_nan || !is_open(op, FloatType::F64, lhs.into(), rhs.into())).then_some(result)
}

/// `lhs op rhs`.
pub(super) fn binary(op: FloatOp, ty: FloatType, lhs: u128, rhs: u128, round: Round) -> u128 {
    match ty {
        FloatType::F32 if round == NEAREST => binary_f32(op, lhs as u32, rhs as u32).into(),
        FloatType::F64 if round == NEAREST => binary_f64(op, lhs as u64, rhs as u64).into(),
        _ => soft!(ty, |make| {
            let (a, b) = (make(lhs), make(rhs));
            let result = match op {
                FloatOp::Add => a.add_r(b, round),
                FloatOp::Sub => a.sub_r(b, round),
                FloatOp::Mul => a.mul_r(b, round),
                FloatOp::Div => a.div_r(b, round),
            };
            if result.value.is_nan() {
                nan_result(ty, lhs, rhs)
            } else {
                result.value.to_bits()
            }
        }),
    }
}

/// The order of two numbers; `None` if one is a NaN.
pub(super) fn compare(ty: FloatType, lhs: u128, rhs: u128) -> Option<Ordering> {
    match ty {
        FloatType::F32 => f32::from_bits(lhs as u32).partial_cmp(&f32::from_bits(rhs as u32)),
        FloatType::F64 => f64::from_bits(lhs as u64).partial_cmp(&f64::from_bits(rhs as u64)),
        FloatType::X87 | FloatType::F128 => {
            soft!(ty, |make| make(lhs).partial_cmp(&make(rhs)))
        }
    }
}

/// The same number with the other sign.
pub(super) fn negate(ty: FloatType, bits: u128) -> u128 {
    bits ^ Format::of(ty).sign_bit()
}

/// An integer, rounded to a float.
pub(super) fn from_int(ty: FloatType, int: IntType, bits: u128, round: Round) -> u128 {
    let value = int.extend(bits);
    if round != NEAREST {
        return match (ty, int.signed) {
            (FloatType::F32, true) => Single::from_i128_r(value, round).value.to_bits(),
            (FloatType::F32, false) => Single::from_u128_r(bits, round).value.to_bits(),
            (FloatType::F64, true) => Double::from_i128_r(value, round).value.to_bits(),
            (FloatType::F64, false) => Double::from_u128_r(bits, round).value.to_bits(),
            (FloatType::X87, true) => X87DoubleExtended::from_i128_r(value, round).value.to_bits(),
            (FloatType::X87, false) => X87DoubleExtended::from_u128_r(bits, round).value.to_bits(),
            (FloatType::F128, true) => Quad::from_i128_r(value, round).value.to_bits(),
            (FloatType::F128, false) => Quad::from_u128_r(bits, round).value.to_bits(),
        };
    }
    match (ty, int.signed) {
        (FloatType::F32, true) => (value as f32).to_bits().into(),
        (FloatType::F32, false) => (bits as f32).to_bits().into(),
        (FloatType::F64, true) => (value as f64).to_bits().into(),
        (FloatType::F64, false) => (bits as f64).to_bits().into(),
        (FloatType::X87, true) => X87DoubleExtended::from_i128(value).value.to_bits(),
        (FloatType::X87, false) => X87DoubleExtended::from_u128(bits).value.to_bits(),
        (FloatType::F128, true) => Quad::from_i128(value).value.to_bits(),
        (FloatType::F128, false) => Quad::from_u128(bits).value.to_bits(),
    }
}

/// The number truncated towards zero, if it fits the integer type.
pub(super) fn to_int(ty: FloatType, bits: u128, int: IntType) -> Option<u128> {
    match ty {
        FloatType::F32 => f64_to_int(f32::from_bits(bits as u32).into(), int),
        FloatType::F64 => f64_to_int(f64::from_bits(bits as u64), int),
        FloatType::X87 | FloatType::F128 => soft!(ty, |make| {
            let number = make(bits);
            if number.is_nan() {
                None
            } else if number.is_negative() {
                let result = number.to_i128(128);
                (!result.status.contains(Status::INVALID_OP) && int.contains(result.value))
                    .then(|| int.wrap(result.value as u128))
            } else {
                let result = number.to_u128(128);
                (!result.status.contains(Status::INVALID_OP) && result.value <= int.max_bits())
                    .then_some(result.value)
            }
        }),
    }
}

fn f64_to_int(number: f64, int: IntType) -> Option<u128> {
    let truncated = number.trunc();
    let power = |exponent: u16| 2f64.powi(exponent.into());
    // Both bounds are powers of two, or zero, and so exact.
    let (least, bound) = if int.signed {
        (-power(int.width - 1), power(int.width - 1))
    } else {
        (0.0, power(int.width))
    };
    (truncated >= least && truncated < bound).then(|| {
        int.wrap(if truncated < 0.0 {
            truncated as i128 as u128
        } else {
            truncated as u128
        })
    })
}

/// Conversion between formats, rounded to nearest even. A NaN keeps its sign and the upper bits of its payload, and becomes quiet.
pub(super) fn convert(from: FloatType, to: FloatType, bits: u128) -> u128 {
    convert_rounded(from, to, bits, NEAREST)
}

/// The same, in a direction of rounding.
pub(super) fn convert_rounded(from: FloatType, to: FloatType, bits: u128, round: Round) -> u128 {
    if from == to {
        return bits;
    }
    if is_nan(from, bits) {
        return convert_nan(from, to, bits);
    }
    match (from, to) {
        (FloatType::F32, FloatType::F64) => f64::from(f32::from_bits(bits as u32)).to_bits().into(),
        (FloatType::F64, FloatType::F32) if round == NEAREST => {
            (f64::from_bits(bits as u64) as f32).to_bits().into()
        }
        _ => soft!(from, |make| {
            let number = make(bits);
            let mut inexact = false;
            match to {
                FloatType::F32 => FloatConvert::<Single>::convert_r(number, round, &mut inexact)
                    .value
                    .to_bits(),
                FloatType::F64 => FloatConvert::<Double>::convert_r(number, round, &mut inexact)
                    .value
                    .to_bits(),
                FloatType::X87 => {
                    FloatConvert::<X87DoubleExtended>::convert_r(number, round, &mut inexact)
                        .value
                        .to_bits()
                }
                FloatType::F128 => FloatConvert::<Quad>::convert_r(number, round, &mut inexact)
                    .value
                    .to_bits(),
            }
        }),
    }
}

fn convert_nan(from: FloatType, to: FloatType, bits: u128) -> u128 {
    let (source, dest) = (Format::of(from), Format::of(to));
    // The payload, with its first bit at the top of 128 bits.
    let payload_bits =
        |format: Format| format.fraction_bits - u32::from(format.explicit_leading_bit);
    let payload = bits << (128 - payload_bits(source));
    let mut result = dest.default_nan() & !dest.sign_bit();
    if bits & source.sign_bit() != 0 {
        result |= dest.sign_bit();
    }
    result | payload >> (128 - payload_bits(dest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_every_format() {
        for ty in [
            FloatType::F32,
            FloatType::F64,
            FloatType::X87,
            FloatType::F128,
        ] {
            let one = from_int(ty, IntType::INT, 1, NEAREST);
            let zero = from_int(ty, IntType::INT, 0, NEAREST);
            let infinity = binary(FloatOp::Div, ty, one, zero, NEAREST);
            let nan = binary(FloatOp::Div, ty, zero, zero, NEAREST);
            assert_eq!(classify(ty, one), Class::Normal);
            assert_eq!(classify(ty, zero), Class::Zero);
            assert_eq!(classify(ty, 1), Class::Subnormal);
            assert_eq!(classify(ty, infinity), Class::Infinite);
            assert_eq!(classify(ty, nan), Class::Nan);
            assert!(
                is_negative(ty, nan),
                "an invalid operation gives a negative NaN"
            );
            assert_eq!(compare(ty, nan, nan), None);
            assert_eq!(compare(ty, zero, negate(ty, zero)), Some(Ordering::Equal));
        }
    }

    #[test]
    fn nan_payloads() {
        let signalling = 0x7ff0_0000_0000_0001;
        let other = 0x7ff8_0000_0000_0042;
        let sum = binary_f64(FloatOp::Add, signalling, other);
        assert_eq!(sum, 0x7ff8_0000_0000_0001);
        let sum = binary_f64(FloatOp::Add, 1.0f64.to_bits(), other);
        assert_eq!(sum, other);
        let narrow = convert(FloatType::F64, FloatType::F32, 0xfff0_0000_2000_0000);
        assert_eq!(narrow, 0xffc0_0001);
        let wide = convert(FloatType::F32, FloatType::F64, 0x7f80_0001);
        assert_eq!(wide, 0x7ff8_0000_2000_0000);
        let extended = convert(FloatType::F64, FloatType::X87, 0x7ff8_0000_0000_0001);
        assert_eq!(extended, 0x7fff_c000_0000_0000_0800);
    }

    #[test]
    fn truncation_at_the_bounds() {
        let int = IntType::INT;
        let bits = |x: f64| u128::from(x.to_bits());
        assert_eq!(
            to_int(FloatType::F64, bits(2147483647.9), int),
            Some(0x7fff_ffff)
        );
        assert_eq!(to_int(FloatType::F64, bits(2147483648.0), int), None);
        assert_eq!(
            to_int(FloatType::F64, bits(-2147483648.9), int),
            Some(0x8000_0000)
        );
        assert_eq!(to_int(FloatType::F64, bits(-2147483649.0), int), None);
        assert_eq!(
            to_int(FloatType::F64, bits(-0.9), IntType::unsigned(32)),
            Some(0)
        );
        assert_eq!(to_int(FloatType::F64, bits(f64::NAN), int), None);
        let big = from_int(
            FloatType::X87,
            IntType::unsigned(64),
            u128::from(u64::MAX),
            NEAREST,
        );
        assert_eq!(
            to_int(FloatType::X87, big, IntType::unsigned(64)),
            Some(u128::from(u64::MAX))
        );
        assert_eq!(to_int(FloatType::X87, big, IntType::signed(64)), None);
        assert_eq!(
            to_int(
                FloatType::X87,
                negate(FloatType::X87, big),
                IntType::signed(65)
            ),
            Some((1 << 65) - u128::from(u64::MAX))
        );
    }
}
