//! The tokens of a C text for those who look for places in it and don't want it parsed.

use rhumb_program::Span;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::intern::Interner;
use crate::lex::{Lexer, TokenKind};

/// A token and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainToken {
    /// What it is.
    pub kind: PlainKind,
    /// Where it is.
    pub span: Span,
}

/// What a token is, without its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlainKind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A character constant.
    Char,
    /// A string literal.
    Str,
    /// A punctuator as it is mostly written, whichever of its spellings stands in the text.
    Punct(&'static str),
}

/// The tokens of a text; comments, directives, pragmas and bytes that belong to no token are left out.
pub struct Tokens<'t> {
    lexer: Lexer<'t>,
    names: Interner,
    diagnostics: Diagnostics,
}

impl<'t> Tokens<'t> {
    /// From the beginning of a text.
    pub fn new(text: &'t [u8]) -> Tokens<'t> {
        let mut names = Interner::default();
        Tokens {
            lexer: Lexer::new(text, &mut names),
            names,
            diagnostics: Diagnostics::default(),
        }
    }

    /// The first thing in what was read that is part of no token, or of one that doesn't end.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics
            .iter()
            .find(|found| found.severity == Severity::Error)
    }
}

impl Iterator for Tokens<'_> {
    type Item = PlainToken;

    fn next(&mut self) -> Option<PlainToken> {
        let token = self.lexer.next(&mut self.names, &mut self.diagnostics);
        let kind = match token.kind {
            TokenKind::Ident(_) | TokenKind::Keyword(_) => PlainKind::Word,
            TokenKind::Number => PlainKind::Number,
            TokenKind::Char => PlainKind::Char,
            TokenKind::Str => PlainKind::Str,
            TokenKind::Punct(punct) => PlainKind::Punct(punct.text()),
            TokenKind::Eof => return None,
        };
        let span = token.span;
        Some(PlainToken { kind, span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<PlainKind> {
        Tokens::new(text.as_bytes())
            .map(|token| token.kind)
            .collect()
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        use PlainKind::{Char, Number, Punct, Str, Word};
        let text =
            "# 1 \"a.c\"\nint /* x */ y<::> = L'a' + 0x1p+3; // z\n_Pragma(\"once\") \"s\" <<= %>";
        let expected = [
            Word,
            Word,
            Punct("["),
            Punct("]"),
            Punct("="),
            Char,
            Punct("+"),
            Number,
            Punct(";"),
            Str,
            Punct("<<="),
            Punct("}"),
        ];
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn damage_is_told() {
        for text in ["'a", "\"", "/* ", "@ x", "x \\ y"] {
            let mut tokens = Tokens::new(text.as_bytes());
            tokens.by_ref().count();
            assert!(tokens.error().is_some(), "{text}");
        }
        let mut tokens = Tokens::new(b"x == 'a'");
        assert_eq!(tokens.by_ref().count(), 3);
        assert!(tokens.error().is_none());
    }
}
