//! Character constants and string literals: escapes and encodings.

use rhumb_program::Span;

use super::{scan, utf8_char};
use crate::ast::Encoding;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The universal character name (`\u00e9`) at `pos`, and where it ends.
pub(crate) fn universal_name(text: &[u8], pos: usize) -> Option<(char, usize)> {
    let digits = match (text.get(pos), text.get(pos + 1)) {
        (Some(b'\\'), Some(b'u')) => 4,
        (Some(b'\\'), Some(b'U')) => 8,
        _ => return None,
    };
    let end = pos + 2 + digits;
    let hex = text.get(pos + 2..end)?;
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let code = hex.iter().fold(0u32, |code, &digit| {
        code << 4 | (digit as char).to_digit(16).unwrap_or(0)
    });
    Some((char::from_u32(code)?, end))
}

/// The encoding that the prefix of a literal says, and where its text starts.
pub(crate) fn prefix(literal: &[u8]) -> (Encoding, usize) {
    match literal {
        [b'L', ..] => (Encoding::Wide, 2),
        [b'u', b'8', ..] => (Encoding::Plain, 3),
        [b'u', ..] => (Encoding::Utf16, 2),
        [b'U', ..] => (Encoding::Utf32, 2),
        _ => (Encoding::Plain, 1),
    }
}

/// The value of a character constant, as gcc computes it.
pub(crate) fn char_value(
    text: &[u8],
    span: Span,
    diagnostics: &mut Diagnostics,
) -> (i64, Encoding) {
    let (encoding, _) = prefix(&text[span.lo as usize..]);
    let mut units = Vec::new();
    decode(text, span, encoding, &mut units, diagnostics);
    let Some(&last) = units.last() else {
        if span.hi - span.lo > 1 {
            diagnostics.push(Diagnostic::error(span, "empty character constant"));
        }
        return (0, encoding);
    };
    let longest = if encoding == Encoding::Plain { 4 } else { 1 };
    if units.len() > longest {
        diagnostics.push(Diagnostic::warning(
            span,
            "character constant too long for its type",
        ));
    }
    let value = match encoding {
        // A single character has the value of a `char`, which is signed; several are the digits of an `int` to the base 256.
        Encoding::Plain if units.len() == 1 => i64::from(last as u8 as i8),
        Encoding::Plain => {
            i64::from(units.iter().fold(0u32, |value, unit| value << 8 | unit) as i32)
        }
        Encoding::Wide => i64::from(last as i32),
        Encoding::Utf16 | Encoding::Utf32 => i64::from(last),
    };
    (value, encoding)
}

/// Appends the units of one string literal or character constant (prefix and quotes included), in the given encoding.
pub(crate) fn decode(
    text: &[u8],
    span: Span,
    encoding: Encoding,
    units: &mut Vec<u32>,
    diagnostics: &mut Diagnostics,
) {
    let literal = &text[span.lo as usize..span.hi as usize];
    let start = span.lo as usize + prefix(literal).1;
    let quote = text[start - 1];
    let mut decoder = Decoder {
        text,
        pos: start,
        end: span.hi as usize,
        encoding,
        units,
        diagnostics,
    };
    decoder.run(quote);
}

struct Decoder<'a> {
    text: &'a [u8],
    pos: usize,
    end: usize,
    encoding: Encoding,
    units: &'a mut Vec<u32>,
    diagnostics: &'a mut Diagnostics,
}

impl Decoder<'_> {
    fn run(&mut self, quote: u8) {
        while self.pos < self.end {
            let byte = self.text[self.pos];
            match byte {
                b'\\' => self.escape(),
                // Quotes inside are escaped: this is the closing one.
                _ if byte == quote => return,
                0x80.. if self.encoding != Encoding::Plain => self.wide_char(),
                _ => {
                    self.units.push(u32::from(byte));
                    self.pos += 1;
                }
            }
        }
    }

    /// A character outside of ASCII in a literal whose units are not bytes.
    fn wide_char(&mut self) {
        match utf8_char(self.text, self.pos) {
            Some(character) => {
                self.pos += character.len_utf8();
                self.push_char(character);
            }
            None => {
                let span = Span::new(self.pos as u32, self.pos as u32 + 1);
                self.diagnostics.push(
                    Diagnostic::error(span, "invalid UTF-8 in a wide literal")
                        .with_label("this byte is not part of a character"),
                );
                self.units.push(u32::from(self.text[self.pos]));
                self.pos += 1;
            }
        }
    }

    fn escape(&mut self) {
        let splice = scan::splice_len(self.text, self.pos);
        if splice > 0 {
            self.pos += splice;
            return;
        }
        let start = self.pos;
        let Some(&letter) = self.text[..self.end].get(start + 1) else {
            self.pos = self.end;
            return;
        };
        self.pos += 2;
        let value = match letter {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' | b'E' => 27,
            b'\\' | b'\'' | b'"' | b'?' => u32::from(letter),
            b'0'..=b'7' => {
                self.pos = start + 1;
                self.numeric(start, 8, 3)
            }
            b'x' => self.numeric(start, 16, usize::MAX),
            b'u' | b'U' => return self.universal(start),
            _ => {
                // Other bytes of a character that was escaped for nothing follow by themselves.
                if letter.is_ascii_graphic() {
                    self.diagnostics.push(Diagnostic::warning(
                        Span::new(start as u32, start as u32 + 2),
                        format!("unknown escape sequence `\\{}`", letter as char),
                    ));
                }
                u32::from(letter)
            }
        };
        self.units.push(value);
    }

    /// Digits of an escape that is a number.
    fn numeric(&mut self, start: usize, base: u32, most: usize) -> u32 {
        let mut value: u32 = 0;
        let mut overflow = false;
        let mut count = 0;
        while count < most && self.pos < self.end {
            // A line splice may stand between digits as anywhere else.
            let (byte, at) = scan::byte_at(self.text, self.pos);
            let Some(digit) = (byte as char).to_digit(base) else {
                break;
            };
            overflow |= value.checked_mul(base).is_none();
            value = value.wrapping_mul(base) | digit;
            self.pos = at + 1;
            count += 1;
        }
        let span = Span::new(start as u32, self.pos as u32);
        if count == 0 {
            self.diagnostics.push(Diagnostic::error(
                span,
                "`\\x` needs at least one hexadecimal digit",
            ));
        }
        let largest = match self.encoding {
            Encoding::Plain => 0xff,
            Encoding::Utf16 => 0xffff,
            Encoding::Wide | Encoding::Utf32 => u32::MAX,
        };
        if overflow || value > largest {
            self.diagnostics.push(Diagnostic::warning(
                span,
                "escape sequence is out of range for its type",
            ));
        }
        value & largest
    }

    fn universal(&mut self, start: usize) {
        let found = universal_name(&self.text[..self.end], start);
        let Some((character, end)) = found else {
            self.diagnostics.push(Diagnostic::error(
                Span::new(start as u32, start as u32 + 2),
                "invalid universal character name",
            ));
            return;
        };
        self.pos = end;
        if u32::from(character) < 0xa0 && !matches!(character, '$' | '@' | '`') {
            self.diagnostics.push(Diagnostic::error(
                Span::new(start as u32, end as u32),
                "this universal character name is not allowed: write the character itself",
            ));
        }
        self.push_char(character);
    }

    fn push_char(&mut self, character: char) {
        match self.encoding {
            Encoding::Plain => {
                let mut buffer = [0; 4];
                let bytes = character.encode_utf8(&mut buffer).bytes();
                self.units.extend(bytes.map(u32::from));
            }
            Encoding::Utf16 => {
                let mut buffer = [0; 2];
                let units = character.encode_utf16(&mut buffer).iter().copied();
                self.units.extend(units.map(u32::from));
            }
            Encoding::Wide | Encoding::Utf32 => self.units.push(u32::from(character)),
        }
    }
}
