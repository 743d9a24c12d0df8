//! Numeric constants.

use crate::ast::{FloatSuffix, IntLiteral};

/// A numeric constant.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Number<'t> {
    Int(IntLiteral),
    /// The text without its suffix, and the suffix.
    Float(&'t str, FloatSuffix),
    /// A kind of constant that we know and don't handle, by its name.
    Unsupported(&'static str),
}

/// Reads a preprocessing number (without line splices); `Err` says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Number<'_>, String> {
    let lower = text.as_bytes();
    match lower {
        [b'0', b'x' | b'X', ..] => hexadecimal(text),
        [b'0', b'b' | b'B', ..] => {
            let digits = count_digits(&text[2..], 2);
            if digits == 0 {
                return Err("no digits in binary constant".to_owned());
            }
            let (digits, suffix) = text[2..].split_at(digits);
            if suffix.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(format!(
                    "invalid digit `{}` in binary constant",
                    &suffix[..1]
                ));
            }
            integer(digits, 2, suffix)
        }
        _ => decimal(text),
    }
}

/// Number of leading digits of that base.
fn count_digits(text: &str, base: u32) -> usize {
    text.bytes()
        .take_while(|&byte| (byte as char).is_digit(base))
        .count()
}

fn hexadecimal(text: &str) -> Result<Number<'_>, String> {
    let whole = count_digits(&text[2..], 16);
    let mut end = 2 + whole;
    let mut fraction = 0;
    let is_fraction = text[end..].starts_with('.');
    if is_fraction {
        fraction = count_digits(&text[end + 1..], 16);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return Err("no digits in hexadecimal constant".to_owned());
    }
    if text[end..].starts_with(['p', 'P']) {
        let end = exponent(text, end)?;
        return float(text, end);
    }
    if is_fraction {
        return Err("hexadecimal floating constant has no exponent".to_owned());
    }
    integer(&text[2..end], 16, &text[end..])
}

fn decimal(text: &str) -> Result<Number<'_>, String> {
    let whole = count_digits(text, 10);
    let mut end = whole;
    let mut is_float = false;
    if text[end..].starts_with('.') {
        is_float = true;
        end += 1;
        end += count_digits(&text[end..], 10);
    }
    if text[end..].starts_with(['e', 'E']) {
        is_float = true;
        end = exponent(text, end)?;
    }
    if is_float {
        return float(text, end);
    }
    let (digits, suffix) = text.split_at(whole);
    if digits.len() > 1 && digits.starts_with('0') {
        if let Some(digit) = digits.chars().find(|&digit| digit >= '8') {
            return Err(format!("invalid digit `{digit}` in octal constant"));
        }
        return integer(digits, 8, suffix);
    }
    integer(digits, 10, suffix)
}

/// The end of the exponent whose letter stands at `start`.
fn exponent(text: &str, start: usize) -> Result<usize, String> {
    let sign = usize::from(text[start + 1..].starts_with(['+', '-']));
    let first = start + 1 + sign;
    match count_digits(&text[first..], 10) {
        0 => Err("exponent has no digits".to_owned()),
        digits => Ok(first + digits),
    }
}

fn integer<'t>(digits: &str, base: u32, suffix: &str) -> Result<Number<'t>, String> {
    let mut value: u128 = 0;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(base)) {
        value = value
            .checked_mul(u128::from(base))
            .and_then(|value| value.checked_add(u128::from(digit)))
            .ok_or("integer constant is too large for any integer type")?;
    }
    let (unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" | "U" => (true, 0),
        "l" | "L" => (false, 1),
        "ll" | "LL" => (false, 2),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" => (true, 1),
        "ull" | "uLL" | "Ull" | "ULL" | "llu" | "llU" | "LLu" | "LLU" => (true, 2),
        _ if is_imaginary(suffix) => return Ok(Number::Unsupported("imaginary constant")),
        _ => return Err(format!("invalid suffix `{suffix}` on integer constant")),
    };
    Ok(Number::Int(IntLiteral {
        value,
        decimal: base == 10,
        unsigned,
        longs,
    }))
}

/// A floating constant whose suffix starts at `end`.
fn float(text: &str, end: usize) -> Result<Number<'_>, String> {
    let suffix = &text[end..];
    let kind = match suffix {
        "" | "d" | "D" | "f64" | "F64" | "f32x" | "F32x" => FloatSuffix::None,
        "f" | "F" | "f32" | "F32" => FloatSuffix::F,
        "l" | "L" | "w" | "W" | "f64x" | "F64x" => FloatSuffix::L,
        "q" | "Q" | "f128" | "F128" => FloatSuffix::Q,
        "df" | "dd" | "dl" | "DF" | "DD" | "DL" => {
            return Ok(Number::Unsupported("decimal floating constant"));
        }
        "f16" | "F16" | "bf16" | "BF16" | "hf" | "HF" => {
            return Ok(Number::Unsupported("16-bit floating constant"));
        }
        _ if is_imaginary(suffix) => return Ok(Number::Unsupported("imaginary constant")),
        _ => return Err(format!("invalid suffix `{suffix}` on floating constant")),
    };
    Ok(Number::Float(&text[..end], kind))
}

/// Whether a suffix is that of GNU's complex constants: `i` or `j`, with those of a real one.
fn is_imaginary(suffix: &str) -> bool {
    let mut letters = suffix.bytes();
    suffix.len() <= 4
        && suffix.contains(['i', 'I', 'j', 'J'])
        && letters.all(|letter| b"iIjJfFlLuU".contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (u128, bool, bool, u8) {
        match parse(text) {
            Ok(Number::Int(int)) => (int.value, int.decimal, int.unsigned, int.longs),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn error(text: &str) -> String {
        parse(text).expect_err(text)
    }

    #[test]
    fn integers() {
        assert_eq!(int("0"), (0, true, false, 0));
        assert_eq!(int("42u"), (42, true, true, 0));
        assert_eq!(int("0777L"), (0o777, false, false, 1));
        assert_eq!(int("0XfFull"), (255, false, true, 2));
        assert_eq!(int("0b1011LLU"), (11, false, true, 2));
        assert_eq!(int("18446744073709551616").0, 1 << 64);
        assert_eq!(int("340282366920938463463374607431768211455").0, u128::MAX);
        for suffix in ["lul", "lL", "Ll", "uu", "x", "_", "8u8"] {
            assert!(parse(&format!("1{suffix}")).is_err(), "{suffix}");
        }
    }

    #[test]
    fn bad_integers() {
        assert_eq!(
            error("340282366920938463463374607431768211456"),
            "integer constant is too large for any integer type"
        );
        assert_eq!(error("0778"), "invalid digit `8` in octal constant");
        assert_eq!(error("0b12"), "invalid digit `2` in binary constant");
        assert_eq!(error("0x"), "no digits in hexadecimal constant");
        assert_eq!(error("0xg"), "no digits in hexadecimal constant");
        assert_eq!(error("0b"), "no digits in binary constant");
        assert_eq!(error("12abc"), "invalid suffix `abc` on integer constant");
    }

    #[test]
    fn floats() {
        for (text, body, suffix) in [
            ("1.", "1.", FloatSuffix::None),
            (".5f", ".5", FloatSuffix::F),
            ("089.5", "089.5", FloatSuffix::None),
            ("1e+10L", "1e+10", FloatSuffix::L),
            ("0x1.8p-3", "0x1.8p-3", FloatSuffix::None),
            ("0x.8P1f", "0x.8P1", FloatSuffix::F),
            ("0xAp1", "0xAp1", FloatSuffix::None),
            ("2.0q", "2.0", FloatSuffix::Q),
            ("2.0f64x", "2.0", FloatSuffix::L),
            ("2.0F32", "2.0", FloatSuffix::F),
        ] {
            assert_eq!(parse(text), Ok(Number::Float(body, suffix)), "{text}");
        }
        assert_eq!(error("1e"), "exponent has no digits");
        assert_eq!(error("1e+"), "exponent has no digits");
        assert_eq!(
            error("0x1.8"),
            "hexadecimal floating constant has no exponent"
        );
        assert_eq!(error("1.5.2"), "invalid suffix `.2` on floating constant");
    }

    #[test]
    fn known_but_not_handled() {
        for text in ["1i", "2.0if", "3uj", "1.5dd", "1.0f16"] {
            assert!(matches!(parse(text), Ok(Number::Unsupported(_))), "{text}");
        }
    }
}
