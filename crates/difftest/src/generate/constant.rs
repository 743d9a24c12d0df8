//! Integer, character and enumeration constants in all their spellings.

use super::Generator;
use super::expr::{Expr, level};
use crate::feature::Feature;
use crate::model::{DataModel, FloatKind, IntKind, Interval};

impl Generator {
    /// A constant with an interesting value in a random spelling.
    pub(crate) fn constant(&mut self) -> Expr {
        if !self.enumerations.is_empty() && self.rng.percent(8) {
            let index = self.rng.index(self.enumerations.len());
            let constants = self.enumerations[index].constants.clone();
            let (name, value) = self.rng.pick(&constants);
            self.mark(Feature::Enum);
            return Expr::int(name, level::PRIMARY, IntKind::Int, Interval::point(*value));
        }
        if self.decide(Feature::CharacterConstant, 8) {
            return self.character();
        }
        let magnitude = self.interesting_magnitude();
        let literal = self.spelled(magnitude);
        if self.rng.percent(25) {
            self.negated(literal)
        } else {
            literal
        }
    }

    /// Exactly `value`, in the plainest spelling.
    pub(crate) fn literal(&mut self, value: i128) -> Expr {
        if value == i128::from(i64::MIN) {
            let kind = if self.model == DataModel::Lp64 {
                IntKind::Long
            } else {
                IntKind::LLong
            };
            let text = self.limit(kind, false);
            return Expr::int(text, level::PRIMARY, kind, Interval::point(value));
        }
        let magnitude = value.unsigned_abs();
        let (suffix, kind) = match decimal_kind(magnitude, self.model) {
            Some(kind) => ("", kind),
            None => ("ULL", IntKind::ULLong),
        };
        if value < 0 {
            return Expr::int(
                format!("-{magnitude}{suffix}"),
                level::UNARY,
                kind,
                Interval::point(value),
            );
        }
        Expr::int(
            format!("{magnitude}{suffix}"),
            level::PRIMARY,
            kind,
            Interval::point(value),
        )
    }

    /// The least or greatest value of a type of at most 64 bits, with exactly that type.
    pub(crate) fn limit(&mut self, kind: IntKind, greatest: bool) -> String {
        let Interval { low, high } = kind.range(self.model);
        let suffix = match kind {
            IntKind::Long => "L",
            IntKind::LLong => "LL",
            IntKind::UInt => "U",
            IntKind::ULong => "UL",
            IntKind::ULLong => "ULL",
            _ => "",
        };
        match (greatest, kind.signed()) {
            (true, _) => format!("{high}{suffix}"),
            (false, true) => format!("(-{high}{suffix} - 1)"),
            (false, false) => format!("{low}{suffix}"),
        }
    }

    fn interesting_magnitude(&mut self) -> u64 {
        let shift = self.rng.below(64);
        match self.rng.below(10) {
            0..=4 => self.rng.below(12),
            5 | 6 => self.rng.below(1000),
            7 => (1_u64 << shift)
                .wrapping_add(self.rng.below(3))
                .wrapping_sub(1),
            8 => self.rng.bits() >> (32 + self.rng.below(8)),
            _ if self.has(Feature::LongLong) => self.rng.bits() >> shift,
            _ => self.rng.below(1 << 20),
        }
    }

    /// A non-negative constant in some base with some suffix.
    fn spelled(&mut self, magnitude: u64) -> Expr {
        let bases = [
            (60, 10),
            (self.weight(Feature::HexConstant, 20), 16),
            (self.weight(Feature::OctalConstant, 10), 8),
            (self.weight(Feature::BinaryConstant, 8), 2),
        ];
        let base = self.rng.weighted(&bases).unwrap_or(10);
        let digits = match base {
            16 if self.rng.percent(50) => format!("0x{magnitude:x}"),
            16 => format!("0X{magnitude:X}"),
            8 => format!("0{magnitude:o}"),
            2 => format!("0b{magnitude:b}"),
            _ => magnitude.to_string(),
        };
        match base {
            16 => self.mark(Feature::HexConstant),
            8 => self.mark(Feature::OctalConstant),
            2 => self.mark(Feature::BinaryConstant),
            _ => {}
        }
        let (mut unsigned, mut longs) = (false, 0);
        if self.decide(Feature::SuffixedConstant, 30) {
            unsigned = self.rng.percent(50);
            longs = self.rng.below(3) as u32;
            if !self.has(Feature::LongLong) {
                longs = longs.min(1);
            }
        }
        let kind = loop {
            match constant_kind(magnitude, base == 10, unsigned, longs, self.model) {
                Some(kind) => break kind,
                None => unsigned = true,
            }
        };
        let suffix = self.suffix(unsigned, longs);
        Expr::int(
            format!("{digits}{suffix}"),
            level::PRIMARY,
            kind,
            Interval::point(i128::from(magnitude)),
        )
    }

    fn suffix(&mut self, unsigned: bool, longs: u32) -> String {
        let upper = self.rng.percent(50);
        let u = match (unsigned, upper) {
            (false, _) => "",
            (true, true) => "U",
            (true, false) => "u",
        };
        let l = match (longs, upper) {
            (0, _) => "",
            (1, true) => "L",
            (1, false) => "l",
            (_, true) => "LL",
            (_, false) => "ll",
        };
        if self.rng.percent(20) {
            format!("{l}{u}")
        } else {
            format!("{u}{l}")
        }
    }

    fn character(&mut self) -> Expr {
        let (text, value): (String, i128) = match self.rng.below(4) {
            0 => {
                let (escape, value) = *self.rng.pick(&[
                    ("\\n", 10),
                    ("\\t", 9),
                    ("\\0", 0),
                    ("\\\\", 92),
                    ("\\'", 39),
                    ("\\\"", 34),
                    ("\\a", 7),
                    ("\\r", 13),
                    ("\\v", 11),
                    ("\\f", 12),
                    ("\\b", 8),
                    ("\\?", 63),
                ]);
                (escape.to_owned(), value)
            }
            1 => {
                let byte = self.rng.below(256) as u8;
                (format!("\\x{byte:02x}"), i128::from(byte as i8))
            }
            2 => {
                let byte = self.rng.below(256) as u8;
                (format!("\\{byte:o}"), i128::from(byte as i8))
            }
            _ => {
                let letter = *self.rng.pick(b"abcxyzABC019 +*#");
                (char::from(letter).to_string(), i128::from(letter))
            }
        };
        Expr::int(
            format!("'{text}'"),
            level::PRIMARY,
            IntKind::Int,
            Interval::point(value),
        )
    }

    /// A floating constant with its exact value.
    pub(crate) fn float_constant(&mut self, kind: FloatKind) -> (String, f64) {
        let numerator = self.rng.between(-200, 200) as f64;
        let exponent = self.rng.between(-4, 4) as i32;
        // A short binary fraction is exact in both formats and in every spelling.
        let value = numerator * f64::from(exponent).exp2();
        let magnitude = value.abs();
        let mut text = match self.rng.below(4) {
            0 => hexadecimal(magnitude),
            1 if magnitude.fract() == 0.0 && magnitude != 0.0 => format!("{magnitude:.0}."),
            2 => {
                let text = format!("{magnitude:e}");
                if text.contains('.') {
                    text
                } else {
                    text.replace('e', ".0e")
                }
            }
            _ => format!("{magnitude:?}"),
        };
        if kind == FloatKind::Float {
            text.push(if self.rng.percent(50) { 'f' } else { 'F' });
        }
        if value < 0.0 {
            (format!("-{text}"), value)
        } else {
            (text, magnitude)
        }
    }
}

/// `0x1.8p3`: exact for every finite value.
fn hexadecimal(magnitude: f64) -> String {
    if magnitude == 0.0 {
        return "0x0.0p0".to_owned();
    }
    let exponent = magnitude.log2().floor();
    let fraction = (magnitude / exponent.exp2() - 1.0) * 65536.0;
    format!("0x1.{:04x}p{exponent}", fraction as u32)
}

/// The type of an unsuffixed decimal constant, if it has a standard one.
fn decimal_kind(magnitude: u128, model: DataModel) -> Option<IntKind> {
    let magnitude = u64::try_from(magnitude).ok()?;
    constant_kind(magnitude, true, false, 0, model)
}

/// The first type of C's list (C11 6.4.4.1) in which the value fits.
fn constant_kind(
    magnitude: u64,
    decimal: bool,
    unsigned: bool,
    longs: u32,
    model: DataModel,
) -> Option<IntKind> {
    use IntKind::{Int, LLong, Long, UInt, ULLong, ULong};
    [(0, Int, UInt), (1, Long, ULong), (2, LLong, ULLong)]
        .into_iter()
        .filter(|(rank, ..)| *rank >= longs)
        .flat_map(|(_, signed_kind, unsigned_kind)| {
            let as_signed = (!unsigned).then_some(signed_kind);
            let as_unsigned = (unsigned || !decimal).then_some(unsigned_kind);
            as_signed.into_iter().chain(as_unsigned)
        })
        .find(|kind| kind.range(model).contains(&i128::from(magnitude)))
}

#[cfg(test)]
mod tests {
    use super::{constant_kind, hexadecimal};
    use crate::model::{DataModel, IntKind};

    #[test]
    fn types_of_constants() {
        let kind = |value, decimal, unsigned, longs| {
            DataModel::ALL.map(|model| constant_kind(value, decimal, unsigned, longs, model))
        };
        assert_eq!(
            kind(1 << 31, true, false, 0),
            [Some(IntKind::LLong), Some(IntKind::Long)]
        );
        assert_eq!(
            kind(1 << 31, false, false, 0),
            [Some(IntKind::UInt), Some(IntKind::UInt)]
        );
        assert_eq!(
            kind(1 << 40, false, true, 0),
            [Some(IntKind::ULLong), Some(IntKind::ULong)]
        );
        assert_eq!(kind(u64::MAX, true, false, 0), [None, None]);
    }

    #[test]
    fn hexadecimal_constants() {
        assert_eq!(hexadecimal(12.0), "0x1.8000p3");
        assert_eq!(hexadecimal(0.625), "0x1.4000p-1");
    }
}
