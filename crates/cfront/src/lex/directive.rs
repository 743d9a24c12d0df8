//! Lines that start with `#`: line markers, and what else may be left in a text that is parsed.

use super::pragma::{self, Pragma};
use super::scan;

/// A line that starts with `#`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Directive {
    /// `# 12 "file.c" 1 3` or `#line 12 "file.c"`: where the next line comes from. Without a name the file stays the same.
    Line { line: u32, file: Option<String> },
    /// `#pragma`.
    Pragma(Pragma),
    /// `#ident`, `#`: nothing that concerns us.
    Ignored,
    /// What only a preprocessor can deal with, by its name.
    Other(String),
}

/// The length of a `#` at `pos`, which may be written `%:`; 0 if there is none.
pub(super) fn hash_len(text: &[u8], pos: usize) -> usize {
    match text.get(pos) {
        Some(b'#') => 1,
        Some(b'%') => match scan::byte_at(text, pos + 1) {
            (b':', at) => at + 1 - pos,
            _ => 0,
        },
        _ => 0,
    }
}

/// Reads the directive whose `#` stands at `hash`. Returns it and the position of the line end behind it.
pub(crate) fn read(text: &[u8], hash: usize) -> (Directive, usize) {
    let mut words = Words {
        text,
        pos: hash + hash_len(text, hash),
    };
    let name = words.word();
    let directive = match name.as_str() {
        "" if words.peek() == b'\n' || words.pos >= text.len() => Directive::Ignored,
        "pragma" => {
            let end = line_end(text, words.pos);
            let said = without_comments(&text[words.pos.min(end)..end]);
            Directive::Pragma(pragma::read(&said))
        }
        "ident" | "sccs" => Directive::Ignored,
        "line" => words
            .line_marker(String::new())
            .unwrap_or(Directive::Other(name)),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => words
            .line_marker(name.clone())
            .unwrap_or(Directive::Other(name)),
        _ => Directive::Other(name),
    };
    (directive, line_end(text, hash + 1))
}

/// The text of a line without its comments and splices.
fn without_comments(line: &[u8]) -> String {
    let mut kept = Vec::with_capacity(line.len());
    let mut pos = 0;
    while let Some(&byte) = line.get(pos) {
        match (byte, line.get(pos + 1)) {
            (b'"', _) => {
                let end = scan::literal_end(line, pos + 1, byte).unwrap_or_else(|end| end);
                kept.extend_from_slice(&line[pos..end]);
                pos = end;
                continue;
            }
            (b'/', Some(b'/')) => break,
            (b'/', Some(b'*')) => {
                kept.push(b' ');
                pos = scan::block_comment_end(line, pos + 2).unwrap_or(line.len());
                continue;
            }
            (b'\\', _) if scan::splice_len(line, pos) > 0 => {
                pos += scan::splice_len(line, pos);
                continue;
            }
            _ => kept.push(byte),
        }
        pos += 1;
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Calls `visit` with start, end and content of each directive of the text, but not for a `#` in a comment or a literal.
pub(crate) fn for_each(text: &[u8], mut visit: impl FnMut(usize, usize, Directive)) {
    let mut pos = 0;
    let mut line_start = true;
    while let Some(&byte) = text.get(pos) {
        match byte {
            b'\n' => {
                line_start = true;
                pos += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => pos += 1,
            b'#' | b'%' if line_start && hash_len(text, pos) > 0 => {
                let (directive, end) = read(text, pos);
                visit(pos, end, directive);
                pos = end;
            }
            b'/' => match scan::byte_at(text, pos + 1) {
                (b'/', at) => pos = scan::line_comment_end(text, at + 1),
                (b'*', at) => pos = scan::block_comment_end(text, at + 1).unwrap_or(text.len()),
                _ => {
                    line_start = false;
                    pos += 1;
                }
            },
            b'"' | b'\'' => {
                line_start = false;
                pos = scan::literal_end(text, pos + 1, byte).unwrap_or_else(|end| end);
            }
            b'\\' => pos += scan::splice_len(text, pos).max(1),
            _ => {
                line_start = false;
                pos += 1;
            }
        }
    }
}

/// The line end behind a directive: splices and block comments continue the line.
fn line_end(text: &[u8], mut pos: usize) -> usize {
    while let Some(&byte) = text.get(pos) {
        match byte {
            b'\n' => return pos,
            b'\\' => pos += scan::splice_len(text, pos).max(1),
            b'"' => pos = scan::literal_end(text, pos + 1, byte).unwrap_or_else(|end| end),
            b'/' if text.get(pos + 1) == Some(&b'/') => {
                return scan::line_comment_end(text, pos + 2);
            }
            b'/' if text.get(pos + 1) == Some(&b'*') => {
                pos = scan::block_comment_end(text, pos + 2).unwrap_or(text.len());
            }
            _ => pos += 1,
        }
    }
    pos
}

/// Reads the words of a directive.
struct Words<'t> {
    text: &'t [u8],
    pos: usize,
}

impl Words<'_> {
    fn skip_blanks(&mut self) {
        loop {
            let (byte, at) = scan::byte_at(self.text, self.pos);
            self.pos = at;
            match byte {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'/' if self.text.get(at + 1) == Some(&b'*') => {
                    match scan::block_comment_end(self.text, at + 2) {
                        Some(end) => self.pos = end,
                        None => return,
                    }
                }
                _ => return,
            }
        }
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> u8 {
        self.skip_blanks();
        self.text.get(self.pos).copied().unwrap_or(b'\n')
    }

    /// The next run of letters and digits; may be empty.
    fn word(&mut self) -> String {
        self.skip_blanks();
        let mut word = String::new();
        loop {
            let (byte, at) = scan::byte_at(self.text, self.pos);
            if !byte.is_ascii_alphanumeric() && byte != b'_' {
                return word;
            }
            word.push(byte as char);
            self.pos = at + 1;
        }
    }

    /// The rest of a line marker; `number` is its line where that was read already.
    fn line_marker(&mut self, number: String) -> Option<Directive> {
        let number = if number.is_empty() {
            self.word()
        } else {
            number
        };
        let line = number.parse().ok()?;
        let file = match self.peek() {
            b'"' => Some(self.file_name()?),
            b'\n' => None,
            b'/' if self.text.get(self.pos + 1) == Some(&b'/') => None,
            _ => return None,
        };
        Some(Directive::Line { line, file })
    }

    /// A file name in quotes, with the escapes that `cc -E` writes.
    fn file_name(&mut self) -> Option<String> {
        let start = self.pos + 1;
        let end = scan::literal_end(self.text, start, b'"').ok()?;
        let raw = &self.text[start..end - 1];
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            at += 1;
            if byte != b'\\' {
                name.push(byte);
                continue;
            }
            let digits = raw[at..]
                .iter()
                .take(3)
                .take_while(|digit| (b'0'..=b'7').contains(digit))
                .count();
            if digits == 0 {
                name.extend(raw.get(at));
                at += 1;
            } else {
                let value = raw[at..at + digits]
                    .iter()
                    .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                name.push(value as u8);
                at += digits;
            }
        }
        Some(String::from_utf8_lossy(&name).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::packing::Pack;
    use super::*;

    fn gcc() -> Directive {
        Directive::Pragma(Pragma::Unknown("GCC".into()))
    }

    fn all(text: &str) -> Vec<(usize, Directive)> {
        let mut found = Vec::new();
        for_each(text.as_bytes(), |start, _, directive| {
            found.push((start, directive));
        });
        found
    }

    fn line(line: u32, file: &str) -> Directive {
        Directive::Line {
            line,
            file: Some(file.to_owned()),
        }
    }

    #[test]
    fn line_markers() {
        assert_eq!(all("# 12 \"a b.c\" 1 3 4\n"), [(0, line(12, "a b.c"))]);
        assert_eq!(
            all("x\n  #line 7 \"q\\\"\\\\\\303\\251.c\"\n"),
            [(4, line(7, "q\"\\é.c"))]
        );
        assert_eq!(
            all("#line 9\n"),
            [(
                0,
                Directive::Line {
                    line: 9,
                    file: None
                }
            )]
        );
        assert_eq!(all("#line x\n"), [(0, Directive::Other("line".into()))]);
        assert_eq!(all("# 99999999999 \"f\"\n").len(), 1);
    }

    #[test]
    fn directives_by_name() {
        assert_eq!(all("#"), [(0, Directive::Ignored)]);
        let harmless = Directive::Pragma(Pragma::Harmless);
        assert_eq!(all("# \\\n  pragma once"), [(0, harmless.clone())]);
        assert_eq!(all("#pragma /* a */ GCC // b\n"), [(0, gcc())]);
        assert_eq!(all("%:pragma once"), [(0, harmless)]);
        assert_eq!(
            all("  %\\\n:define A"),
            [(2, Directive::Other("define".into()))]
        );
        assert_eq!(
            all("# pragma pack (2) // two\n"),
            [(0, Directive::Pragma(Pragma::Pack(Pack::Set(Some(2)))))]
        );
        assert_eq!(
            all("/* c */ # /* d */ include <x>\n#if 1"),
            [
                (8, Directive::Other("include".into())),
                (30, Directive::Other("if".into()))
            ]
        );
        assert_eq!(
            all("#define A \\\n # 1\n"),
            [(0, Directive::Other("define".into()))]
        );
    }

    #[test]
    fn hash_elsewhere_is_no_directive() {
        assert_eq!(
            all("/*\n#if\n*/ // a \\\n#if\nchar *s = \"\\\"\\\n#if\", c = '#'; a # b"),
            []
        );
    }
}
