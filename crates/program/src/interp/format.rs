//! Numbers as `printf` writes them.

use super::decimal::Decimal;
use super::float::{self, Format};
use crate::types::FloatType;

/// A conversion specification.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Spec {
    pub(super) left: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternate: bool,
    pub(super) zero: bool,
    pub(super) width: u64,
    pub(super) precision: Option<u64>,
    pub(super) length: Length,
    pub(super) conversion: u8,
}

/// A length modifier.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Length {
    #[default]
    None,
    Char,
    Short,
    Long,
    LongLong,
    Size,
    LongDouble,
}

/// What a conversion gives, before it is padded.
#[derive(Default)]
pub(super) struct Text {
    /// The sign, and `0x`.
    pub(super) prefix: Vec<u8>,
    pub(super) leading_zeros: u64,
    pub(super) head: Vec<u8>,
    pub(super) zeros: u64,
    pub(super) tail: Vec<u8>,
}

impl Text {
    pub(super) fn length(&self) -> u64 {
        (self.prefix.len() + self.head.len() + self.tail.len()) as u64
            + self.leading_zeros
            + self.zeros
    }
}

pub(super) fn sign(negative: bool, spec: Spec) -> Vec<u8> {
    if negative {
        vec![b'-']
    } else if spec.plus {
        vec![b'+']
    } else if spec.space {
        vec![b' ']
    } else {
        Vec::new()
    }
}

/// For integers a precision turns the flag `0` off.
pub(super) fn zero_if_free(spec: Spec) -> Spec {
    Spec {
        zero: spec.zero && spec.precision.is_none(),
        ..spec
    }
}

/// The digits of an integer, with zeros up to the precision; zero has none if the precision is zero.
pub(super) fn digits(text: &mut Text, spec: Spec, number: String) {
    let precision = spec.precision.unwrap_or(1);
    if number != "0" {
        text.head = number.into_bytes();
    }
    text.leading_zeros = precision.saturating_sub(text.head.len() as u64);
}

pub(super) fn fixed(text: &mut Text, spec: Spec, number: &Decimal, precision: u64) {
    let rounded = number.round_fraction(precision);
    text.head = rounded.integer_part();
    if precision > 0 || spec.alternate {
        text.head.push(b'.');
    }
    let fraction = rounded.fraction_part(precision);
    text.zeros = precision - fraction.len() as u64;
    text.head.extend(fraction);
}

pub(super) fn scientific(text: &mut Text, spec: Spec, number: &Decimal, precision: u64) {
    let rounded = number.round_to(precision as i64 + 1);
    let (first, fraction) = rounded.scientific(precision);
    text.head = vec![first];
    if precision > 0 || spec.alternate {
        text.head.push(b'.');
    }
    text.zeros = precision - fraction.len() as u64;
    text.head.extend(fraction);
    let letter = if spec.conversion.is_ascii_uppercase() {
        'E'
    } else {
        'e'
    };
    let exponent = rounded.exponent();
    let sign = if exponent < 0 { '-' } else { '+' };
    text.tail = format!("{letter}{sign}{:02}", exponent.unsigned_abs()).into_bytes();
}

pub(super) fn general(text: &mut Text, spec: Spec, number: &Decimal) {
    let significant = spec.precision.unwrap_or(6).max(1);
    let rounded = number.round_to(significant as i64);
    let exponent = rounded.exponent();
    // Trailing zeros go away unless they are asked for.
    let kept = if spec.alternate {
        significant as i64
    } else {
        (rounded.significant() as i64).max(1)
    };
    if exponent >= -4 && exponent < significant as i64 {
        let precision = (kept - 1 - exponent).max(0) as u64;
        fixed(text, spec, &rounded, precision);
    } else {
        scientific(text, spec, &rounded, kept as u64 - 1);
    }
}

/// The significand in hexadecimal. A double has one digit of one bit before the point, the 80-bit format one of four bits.
pub(super) fn hexadecimal(text: &mut Text, spec: Spec, ty: FloatType, bits: u128) {
    let format = Format::of(ty);
    let upper = spec.conversion.is_ascii_uppercase();
    let (mut significand, _) = float::decompose(ty, bits);
    // Number of bits behind the point.
    let (fraction_bits, bias) = if format.explicit_leading_bit {
        (60, 3)
    } else {
        (format.fraction_bits, 0)
    };
    let stored = format.exponent(bits).max(1) as i64;
    let mut exponent = if significand == 0 {
        0
    } else {
        stored - i64::from(format.max_exponent() >> 1) - bias
    };
    let all = u64::from(fraction_bits.div_ceil(4));
    // To whole digits.
    significand <<= all as u32 * 4 - fraction_bits;
    let wanted = spec.precision.unwrap_or_else(|| {
        let behind = significand & ((1 << (4 * all)) - 1);
        all - u64::from(behind.trailing_zeros() / 4).min(all)
    });
    let kept = wanted.min(all);
    let dropped = 4 * (all - kept) as u32;
    if dropped > 0 {
        let rest = significand & ((1 << dropped) - 1);
        let half = 1 << (dropped - 1);
        significand >>= dropped;
        if rest > half || rest == half && significand & 1 == 1 {
            significand += 1;
        }
    }
    let mut leading = significand >> (4 * kept);
    if leading > 15 {
        leading >>= 4;
        significand >>= 4;
        exponent += 4;
    }
    let fraction = significand & ((1 << (4 * kept)) - 1);
    text.prefix.extend(if upper { b"0X" } else { b"0x" });
    let mut head = format!("{leading:x}");
    if wanted > 0 || spec.alternate {
        head.push('.');
    }
    if kept > 0 {
        head.push_str(&format!("{fraction:0digits$x}", digits = kept as usize));
    }
    text.zeros = wanted - kept;
    let sign = if exponent < 0 { '-' } else { '+' };
    let mut tail = format!("p{sign}{}", exponent.unsigned_abs());
    if upper {
        head.make_ascii_uppercase();
        tail.make_ascii_uppercase();
    }
    text.head = head.into_bytes();
    text.tail = tail.into_bytes();
}
