//! Messages about what was expected, and where to go on after them.

use rhumb_program::Span;

use super::{Parsed, Reported, Session};
use crate::ast::{ExprId, ExprKind, IntLiteral};
use crate::diagnostic::Diagnostic;
use crate::lex::{Keyword, Punct, TokenKind, scan};

/// Longest piece of text that a message quotes.
const MAX_QUOTE: usize = 40;

impl Session<'_, '_> {
    /// Reports an error, unless parsing was given up or is tentative.
    pub(super) fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        if !self.quiet && !self.tokens.stopped {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports a warning.
    pub(super) fn warn(&mut self, diagnostic: Diagnostic) {
        self.error(diagnostic);
    }

    /// Ends parsing: from here on there is only the end of the file, and no more messages.
    pub(super) fn give_up(&mut self) {
        self.tokens.stopped = true;
        self.tokens.lexer.stop();
        self.tokens.ahead = None;
        self.tokens.current.kind = TokenKind::Eof;
    }

    /// How a message names the current token.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::Eof => "end of file".to_owned(),
            _ => self.quote(self.token().span),
        }
    }

    /// A piece of the text in back quotes.
    pub(super) fn quote(&self, span: Span) -> String {
        // A few bytes more than are shown, since a character may have four of them.
        let end = span.hi.min(span.lo + 8 * MAX_QUOTE as u32);
        let text = &self.tokens.lexer.text()[span.lo as usize..end as usize];
        let text = scan::without_splices(text);
        match text.char_indices().nth(MAX_QUOTE) {
            Some((end, _)) => format!("`{}...`", &text[..end]),
            None => format!("`{text}`"),
        }
    }

    /// The place of the current token; at the end of the file, the end of the last token.
    fn here(&self) -> Span {
        match self.kind() {
            TokenKind::Eof => self.after_previous(),
            _ => self.token().span,
        }
    }

    /// The place right after the last token that was taken.
    pub(super) fn after_previous(&self) -> Span {
        let end = self.tokens.previous.hi;
        Span::new(end, end)
    }

    /// Reports that something else was expected in place of the current token.
    pub(super) fn expected(&mut self, what: &str) -> Reported {
        let diagnostic = Diagnostic::error(
            self.here(),
            format!("expected {what}, found {}", self.found()),
        )
        .with_label(format!("expected {what}"));
        self.error(diagnostic)
    }

    /// Takes a punctuator that has to come next.
    pub(super) fn expect(&mut self, punct: Punct) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}`", punct.text())))
    }

    /// Takes a punctuator that has to come after `context`.
    pub(super) fn expect_after(&mut self, punct: Punct, context: &str) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let text = punct.text();
        let diagnostic = Diagnostic::error(
            self.here(),
            format!("expected `{text}` after {context}, found {}", self.found()),
        )
        .with_label(format!("expected `{text}`"));
        Err(self.error(diagnostic))
    }

    /// Takes the bracket that closes the one at `open`.
    pub(super) fn expect_close(&mut self, punct: Punct, open: Span) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let text = punct.text();
        let diagnostic = Diagnostic::error(
            self.here(),
            format!("expected `{text}`, found {}", self.found()),
        )
        .with_label(format!("expected `{text}`"))
        .with_note(open, format!("to match this {}", self.quote(open)));
        Err(self.error(diagnostic))
    }

    /// Takes the `;` after `context`. Where it is clear that only the `;` was forgotten, this is reported and parsing goes on.
    pub(super) fn expect_semi(&mut self, context: &str) -> Parsed<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let diagnostic = Diagnostic::error(
            self.after_previous(),
            format!("expected `;` after {context}, found {}", self.found()),
        )
        .with_label("expected `;` here");
        let error = self.error(diagnostic);
        let forgotten = self.at(Punct::RBrace) || self.at(TokenKind::Eof) || self.at_new_line();
        if forgotten { Ok(()) } else { Err(error) }
    }

    /// Whether a line ends between the last token and the current one.
    fn at_new_line(&self) -> bool {
        let start = self.tokens.previous.hi as usize;
        let end = (self.token().span.lo as usize).max(start);
        self.tokens.lexer.text()[start..end].contains(&b'\n')
    }

    /// Whether the current token is the first byte of its line.
    fn at_first_column(&self) -> bool {
        let start = self.token().span.lo as usize;
        start == 0 || self.tokens.lexer.text()[start - 1] == b'\n'
    }

    /// An expression that stands for one that could not be read.
    pub(super) fn placeholder(&mut self, span: Span) -> ExprId {
        self.add_expr(ExprKind::Int(IntLiteral::ZERO), span)
    }

    /// After an error in an external declaration that started at `start`: skips to the next one.
    pub(super) fn recover_external(&mut self, start: u32) {
        if self.token().span.lo == start {
            // Brackets that close nothing would otherwise be met again.
            if !self.at(Punct::LBrace) {
                self.bump();
            }
        }
        let mut braces = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::LBrace) => braces += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 {
                        self.bump();
                        return;
                    }
                }
                TokenKind::Punct(Punct::Semi) if braces == 0 => {
                    self.bump();
                    return;
                }
                _ if braces == 0 && self.at_first_column() && self.starts_declaration() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// After an error in a statement that started at `start`: skips to the next one, or to the end of the block.
    pub(super) fn recover_statement(&mut self, start: u32) {
        if self.token().span.lo == start && !self.at(Punct::LBrace) && !self.at(Punct::RBrace) {
            self.bump();
        }
        let mut brackets = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Punct(Punct::LBrace | Punct::RBrace) => return,
                TokenKind::Punct(Punct::LParen | Punct::LBracket) => brackets += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket) => {
                    brackets = brackets.saturating_sub(1);
                }
                TokenKind::Punct(Punct::Semi) if brackets == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Keyword(
                    Keyword::If
                    | Keyword::While
                    | Keyword::For
                    | Keyword::Do
                    | Keyword::Switch
                    | Keyword::Return
                    | Keyword::Break
                    | Keyword::Continue
                    | Keyword::Goto
                    | Keyword::Case
                    | Keyword::Default,
                ) if self.at_new_line() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// After an error between the parentheses of `if (...)` and the like: skips to the end of them. Says whether that was found.
    pub(super) fn recover_to_paren(&mut self, skip_semicolons: bool) -> bool {
        let mut parens = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Punct(Punct::RBrace) => return false,
                // The body, although the parenthesis was forgotten.
                TokenKind::Punct(Punct::LBrace) => return true,
                TokenKind::Punct(Punct::Semi) if !skip_semicolons => return false,
                TokenKind::Punct(Punct::LParen) => parens += 1,
                TokenKind::Punct(Punct::RParen) => {
                    if parens == 0 {
                        self.bump();
                        return true;
                    }
                    parens -= 1;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of a bracketed part up to its closing bracket, which stays the current token. Says whether that was found.
    pub(super) fn skip_to_close(&mut self, open: Punct, close: Punct) -> bool {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return false,
                TokenKind::Punct(punct) if punct == close => {
                    if depth == 0 {
                        return true;
                    }
                    depth -= 1;
                }
                TokenKind::Punct(punct) if punct == open => depth += 1,
                _ => {}
            }
            self.bump();
        }
    }
}
