//! From bytes to tokens, on demand.

pub(crate) mod directive;
pub(crate) mod literal;
pub(crate) mod number;
mod packing;
mod pragma;
pub(crate) mod scan;
mod token;

use rhumb_program::Span;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::intern::Interner;
use directive::Directive;
use packing::Packing;
use pragma::Pragma;
pub(crate) use pragma::UnitPragma;
pub(crate) use token::{Keyword, KeywordTable, Punct, Token, TokenKind};

/// The tokens of a text, one after the other. Comments and directives that say nothing are skipped.
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    pos: usize,
    /// Whether only blanks and comments stand before `pos` on its line.
    line_start: bool,
    keywords: KeywordTable,
    /// What pragmas said about the layout of records.
    packing: Packing,
    /// Pragmas that concern the whole program and that nobody has asked for yet.
    unit_pragmas: Vec<(UnitPragma, Span)>,
}

/// Bytes that continue an identifier, except those of the slow path (splices, UTF-8, `\u`).
const IDENT_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
        byte += 1;
    }
    table
};

impl<'t> Lexer<'t> {
    /// A lexer at the start of a text.
    pub(crate) fn new(text: &'t [u8], interner: &mut Interner) -> Lexer<'t> {
        let byte_order_mark = text.starts_with(b"\xef\xbb\xbf");
        Lexer {
            text,
            pos: if byte_order_mark { 3 } else { 0 },
            line_start: true,
            keywords: KeywordTable::new(interner),
            packing: Packing::default(),
            unit_pragmas: Vec::new(),
        }
    }

    /// A lexer at a place in a text that is not its start.
    pub(crate) fn at(text: &'t [u8], start: usize, interner: &mut Interner) -> Lexer<'t> {
        Lexer {
            pos: start,
            ..Lexer::new(text, interner)
        }
    }

    /// The text that is read.
    pub(crate) fn text(&self) -> &'t [u8] {
        self.text
    }

    /// Jumps to the end of the text.
    pub(crate) fn stop(&mut self) {
        self.pos = self.text.len();
    }

    /// The next token. At the end of the text it is [`TokenKind::Eof`], again and again.
    pub(crate) fn next(&mut self, interner: &mut Interner, diagnostics: &mut Diagnostics) -> Token {
        loop {
            let token = self.next_raw(interner, diagnostics);
            if token.kind != TokenKind::Keyword(Keyword::Pragma) {
                return token;
            }
            self.pragma(interner, diagnostics);
        }
    }

    /// The next token, `_Pragma` included.
    fn next_raw(&mut self, interner: &mut Interner, diagnostics: &mut Diagnostics) -> Token {
        loop {
            self.skip_blanks(diagnostics);
            let start = self.pos;
            let Some(&first) = self.text.get(start) else {
                return self.token(TokenKind::Eof, start);
            };
            let kind = match first {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(start, interner, diagnostics),
                b'0'..=b'9' => self.number(),
                b'.' if self.byte_after(start).is_ascii_digit() => self.number(),
                b'"' | b'\'' => self.quoted(start, start + 1, first, diagnostics),
                b'#' => {
                    self.hash(diagnostics);
                    continue;
                }
                b'%' if self.line_start && directive::hash_len(self.text, start) > 0 => {
                    self.hash(diagnostics);
                    continue;
                }
                0x80.. | b'\\' => match self.unusual(start, interner, diagnostics) {
                    Some(kind) => kind,
                    None => continue,
                },
                _ => match self.punct(first) {
                    Some(punct) => TokenKind::Punct(punct),
                    None => {
                        self.invalid(start, diagnostics);
                        continue;
                    }
                },
            };
            self.line_start = false;
            return self.token(kind, start);
        }
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token {
            kind,
            span: self.span_from(start),
        }
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.pos.max(start) as u32)
    }

    /// The byte after the one at `pos`, across line splices.
    fn byte_after(&self, pos: usize) -> u8 {
        scan::byte_at(self.text, pos + 1).0
    }

    fn skip_blanks(&mut self, diagnostics: &mut Diagnostics) {
        while let Some(&byte) = self.text.get(self.pos) {
            match byte {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'\n' => {
                    self.line_start = true;
                    self.pos += 1;
                }
                b'/' => match scan::byte_at(self.text, self.pos + 1) {
                    (b'/', at) => self.pos = scan::line_comment_end(self.text, at + 1),
                    (b'*', at) => match scan::block_comment_end(self.text, at + 1) {
                        Some(end) => self.pos = end,
                        None => {
                            let start = self.pos;
                            diagnostics.push(
                                Diagnostic::error(
                                    Span::new(start as u32, at as u32 + 1),
                                    "unterminated comment",
                                )
                                .with_label("this comment has no end"),
                            );
                            self.stop();
                        }
                    },
                    _ => return,
                },
                b'\\' => match scan::splice_len(self.text, self.pos) {
                    0 => return,
                    len => self.pos += len,
                },
                _ => return,
            }
        }
    }

    /// A name, a keyword, or a literal with a prefix.
    fn word(
        &mut self,
        start: usize,
        interner: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) -> TokenKind {
        let mut end = start + 1;
        while let Some(&byte) = self.text.get(end) {
            if !IDENT_BYTE[byte as usize] {
                break;
            }
            end += 1;
        }
        let word = &self.text[start..end];
        match self.text.get(end) {
            Some(&quote @ (b'"' | b'\'')) if matches!(word, b"L" | b"u" | b"U" | b"u8") => {
                return self.quoted(start, end + 1, quote, diagnostics);
            }
            Some(b'\\' | 0x80..) => return self.unusual_word(start, interner),
            _ => {}
        }
        self.pos = end;
        // Only ASCII bytes are in it.
        let name = std::str::from_utf8(word).unwrap_or_default();
        self.keywords.classify(interner.intern(name))
    }

    /// A name with line splices, `\u` escapes or characters outside of ASCII.
    fn unusual_word(&mut self, start: usize, interner: &mut Interner) -> TokenKind {
        let mut name = String::new();
        let mut pos = start;
        loop {
            let (byte, at) = scan::byte_at(self.text, pos);
            let end = if byte == b'\\' {
                match literal::universal_name(self.text, at) {
                    Some((character, end)) if is_ident_char(character) => {
                        name.push(character);
                        end
                    }
                    _ => break,
                }
            } else if byte >= 0x80 {
                match utf8_char(self.text, at) {
                    Some(character) if is_ident_char(character) => {
                        name.push(character);
                        at + character.len_utf8()
                    }
                    _ => break,
                }
            } else if IDENT_BYTE[byte as usize] {
                name.push(byte as char);
                at + 1
            } else {
                break;
            };
            pos = end;
        }
        self.pos = pos;
        self.keywords.classify(interner.intern(&name))
    }

    /// What starts with a byte outside of ASCII, or with a backslash.
    fn unusual(
        &mut self,
        start: usize,
        interner: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) -> Option<TokenKind> {
        let first = if self.text[start] == b'\\' {
            literal::universal_name(self.text, start).map(|(character, _)| character)
        } else {
            utf8_char(self.text, start)
        };
        match first {
            Some(character) if is_ident_char(character) => Some(self.unusual_word(start, interner)),
            _ => {
                self.invalid(start, diagnostics);
                None
            }
        }
    }

    /// Reports the bytes at `start` that belong to no token, and skips all of them that follow.
    fn invalid(&mut self, start: usize, diagnostics: &mut Diagnostics) {
        let byte = self.text[start];
        let (message, len) = match utf8_char(self.text, start) {
            Some(character) if byte >= 0x80 => (
                format!("unexpected character `{}`", character.escape_debug()),
                character.len_utf8(),
            ),
            Some(character) if byte.is_ascii_graphic() => {
                (format!("unexpected character `{character}`"), 1)
            }
            _ => (format!("unexpected byte 0x{byte:02x}"), 1),
        };
        self.pos = start + len;
        while let Some(&(0..=8 | 14..=31 | 127..)) = self.text.get(self.pos) {
            self.pos += 1;
        }
        self.line_start = false;
        diagnostics.push(
            Diagnostic::error(Span::new(start as u32, (start + len) as u32), message)
                .with_label("not part of any C token"),
        );
    }

    /// A preprocessing number: more than what is a valid constant.
    fn number(&mut self) -> TokenKind {
        loop {
            let (byte, at) = scan::byte_at(self.text, self.pos);
            match byte {
                b'e' | b'E' | b'p' | b'P' => {
                    self.pos = at + 1;
                    if let (b'+' | b'-', at) = scan::byte_at(self.text, self.pos) {
                        self.pos = at + 1;
                    }
                }
                b'.' => self.pos = at + 1,
                _ if IDENT_BYTE[byte as usize] => self.pos = at + 1,
                _ => return TokenKind::Number,
            }
        }
    }

    /// A string literal or character constant whose text starts at `body`.
    fn quoted(
        &mut self,
        start: usize,
        body: usize,
        quote: u8,
        diagnostics: &mut Diagnostics,
    ) -> TokenKind {
        match scan::literal_end(self.text, body, quote) {
            Ok(end) => self.pos = end,
            Err(end) => {
                let what = if quote == b'"' {
                    "string literal"
                } else {
                    "character constant"
                };
                diagnostics.push(
                    Diagnostic::error(
                        Span::new(start as u32, body as u32),
                        format!("unterminated {what}"),
                    )
                    .with_label(format!("no closing `{}` on this line", quote as char)),
                );
                self.pos = end;
            }
        }
        if quote == b'"' {
            TokenKind::Str
        } else {
            TokenKind::Char
        }
    }

    /// A line that starts with `#`, or a stray one.
    fn hash(&mut self, diagnostics: &mut Diagnostics) {
        let start = self.pos;
        if !self.line_start {
            return self.invalid(start, diagnostics);
        }
        let (directive, end) = directive::read(self.text, start);
        self.pos = end;
        match directive {
            Directive::Line { .. } | Directive::Ignored => {}
            Directive::Pragma(pragma) => {
                let span = Span::new(start as u32, end.max(start + 1) as u32);
                self.apply(pragma, span, diagnostics);
            }
            Directive::Other(name) => diagnostics.push(
                Diagnostic::error(
                    Span::new(start as u32, end.min(start + 1 + name.len()) as u32),
                    format!("preprocessor directive `#{name}` in preprocessed text"),
                )
                .with_label("only line markers and `#pragma` are expected here"),
            ),
        }
    }

    /// Reads what follows `_Pragma`.
    fn pragma(&mut self, interner: &mut Interner, diagnostics: &mut Diagnostics) {
        for expected in [
            TokenKind::Punct(Punct::LParen),
            TokenKind::Str,
            TokenKind::Punct(Punct::RParen),
        ] {
            let before = self.pos;
            let token = self.next_raw(interner, diagnostics);
            if token.kind != expected {
                self.pos = before;
                diagnostics.push(Diagnostic::error(
                    token.span,
                    "expected `(\"...\")` after `_Pragma`",
                ));
                return;
            }
            if expected == TokenKind::Str {
                let literal = &self.text[token.span.lo as usize..token.span.hi as usize];
                let text = String::from_utf8_lossy(literal);
                let pragma = pragma::read(text.trim_matches('"'));
                self.apply(pragma, token.span, diagnostics);
            }
        }
    }

    fn apply(&mut self, pragma: Pragma, span: Span, diagnostics: &mut Diagnostics) {
        match pragma {
            Pragma::Pack(pack) => self.packing.apply(pack),
            Pragma::Layout { attribute, on } => self.packing.set_foreign(attribute, on),
            Pragma::Unit(pragma) => self.unit_pragmas.push((pragma, span)),
            Pragma::Harmless => {}
            Pragma::Unknown(name) => diagnostics.push(
                Diagnostic::warning(span, format!("unknown pragma `{name}`"))
                    .with_label("passed over, as gcc does"),
            ),
        }
    }

    /// What pragmas say about the layout of records behind the last token.
    pub(crate) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// The pragmas that concern the whole program, since the last call.
    pub(crate) fn take_unit_pragmas(&mut self) -> Vec<(UnitPragma, Span)> {
        std::mem::take(&mut self.unit_pragmas)
    }

    /// Takes `byte` if it comes next.
    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let (found, at) = scan::byte_at(self.text, self.pos);
        if found == byte {
            self.pos = at + 1;
        }
        found == byte
    }

    /// Reads a punctuator that starts with `first`, which stands at `pos`.
    #[inline]
    fn punct(&mut self, first: u8) -> Option<Punct> {
        use Punct::*;
        self.pos += 1;
        let punct = match first {
            b'(' => LParen,
            b')' => RParen,
            b'[' => LBracket,
            b']' => RBracket,
            b'{' => LBrace,
            b'}' => RBrace,
            b';' => Semi,
            b',' => Comma,
            b'~' => Tilde,
            b'?' => Question,
            b':' => self.choose(&[(b'>', RBracket)], Colon),
            b'=' => self.choose(&[(b'=', EqEq)], Assign),
            b'!' => self.choose(&[(b'=', Ne)], Bang),
            b'*' => self.choose(&[(b'=', StarAssign)], Star),
            b'/' => self.choose(&[(b'=', SlashAssign)], Slash),
            b'^' => self.choose(&[(b'=', CaretAssign)], Caret),
            b'%' => self.choose(&[(b'=', PercentAssign), (b'>', RBrace)], Percent),
            b'+' => self.choose(&[(b'+', PlusPlus), (b'=', PlusAssign)], Plus),
            b'-' => self.choose(
                &[(b'-', MinusMinus), (b'=', MinusAssign), (b'>', Arrow)],
                Minus,
            ),
            b'&' => self.choose(&[(b'&', AmpAmp), (b'=', AmpAssign)], Amp),
            b'|' => self.choose(&[(b'|', PipePipe), (b'=', PipeAssign)], Pipe),
            b'<' if self.eat(b'<') => self.choose(&[(b'=', ShlAssign)], Shl),
            b'<' => self.choose(&[(b'=', Le), (b':', LBracket), (b'%', LBrace)], Lt),
            b'>' if self.eat(b'>') => self.choose(&[(b'=', ShrAssign)], Shr),
            b'>' => self.choose(&[(b'=', Ge)], Gt),
            b'.' => {
                let after_dot = self.pos;
                if self.eat(b'.') && self.eat(b'.') {
                    Ellipsis
                } else {
                    self.pos = after_dot;
                    Dot
                }
            }
            _ => {
                self.pos -= 1;
                return None;
            }
        };
        Some(punct)
    }

    /// The punctuator for the next byte if it is one of `longer`, or else `short`.
    #[inline]
    fn choose(&mut self, longer: &[(u8, Punct)], short: Punct) -> Punct {
        let (byte, at) = scan::byte_at(self.text, self.pos);
        for &(second, punct) in longer {
            if byte == second {
                self.pos = at + 1;
                return punct;
            }
        }
        short
    }
}

/// The character at `pos`, if the bytes there are valid UTF-8.
pub(crate) fn utf8_char(text: &[u8], pos: usize) -> Option<char> {
    let window = &text[pos..text.len().min(pos + 4)];
    let valid = match std::str::from_utf8(window) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next()
}

/// The characters outside of ASCII that may stand in a name (C11, annex D.1), up to the end of the first plane.
const IDENT_RANGES: &[(u32, u32)] = &[
    (0xa8, 0xa8),
    (0xaa, 0xaa),
    (0xad, 0xad),
    (0xaf, 0xaf),
    (0xb2, 0xb5),
    (0xb7, 0xba),
    (0xbc, 0xbe),
    (0xc0, 0xd6),
    (0xd8, 0xf6),
    (0xf8, 0x167f),
    (0x1681, 0x180d),
    (0x180f, 0x1fff),
    (0x200b, 0x200d),
    (0x202a, 0x202e),
    (0x203f, 0x2040),
    (0x2054, 0x2054),
    (0x2060, 0x218f),
    (0x2460, 0x24ff),
    (0x2776, 0x2793),
    (0x2c00, 0x2dff),
    (0x2e80, 0x2fff),
    (0x3004, 0x3007),
    (0x3021, 0x302f),
    (0x3031, 0xd7ff),
    (0xf900, 0xfd3d),
    (0xfd40, 0xfdcf),
    (0xfdf0, 0xfe44),
    (0xfe47, 0xfffd),
];

/// Whether a character that is not written as a byte of ASCII may stand in a name.
fn is_ident_char(character: char) -> bool {
    let code = u32::from(character);
    if code > 0xffff {
        return code < 0xf_0000 && code & 0xffff <= 0xfffd;
    }
    IDENT_RANGES
        .iter()
        .any(|&(first, last)| (first..=last).contains(&code))
}

#[cfg(test)]
mod tests;
