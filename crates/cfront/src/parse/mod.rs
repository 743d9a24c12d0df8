//! From tokens to the syntax tree, by recursive descent.
//!
//! [`Parser`] keeps what lives as long as the file: the place in the text and the names that are types. Each external declaration is
//! read by a [`Session`], which borrows the tree, the names and the messages from the caller for just that long, so that between two
//! declarations the caller can use them.
//!
//! A production that fails has reported why; its caller passes [`Reported`] on to the next one that knows where to go on: statements and
//! external declarations. Whatever nests goes through [`Session::nested`], which limits the depth and keeps the stack from overflowing.

mod asm;
mod attributes;
mod declarations;
mod declarators;
mod expressions;
mod initializers;
mod primary;
mod records;
mod recovery;
mod scope;
mod specifiers;
mod statements;

#[cfg(test)]
mod tests;

use rhumb_program::Span;

use crate::ast::{Ast, Expr, ExprId, ExprKind, ExternalDecl, Stmt, StmtId, StmtKind};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::intern::Interner;
use crate::lex::{Keyword, Lexer, Punct, Token, TokenKind, UnitPragma};
use expressions::PendingOperator;
use scope::Scopes;

/// How deep parentheses, blocks, declarators and the like may nest.
const MAX_DEPTH: u32 = 1500;
/// Stack that is enough to get from one call of [`Session::nested`] to the next.
const RED_ZONE: usize = 256 * 1024;
/// Size of the pieces in which the stack grows.
const STACK_PIECE: usize = 4 * 1024 * 1024;

/// The parser of one file. It yields one external declaration at a time.
#[derive(Debug)]
pub(crate) struct Parser<'t> {
    tokens: Tokens<'t>,
    scopes: Scopes,
    operators: Vec<PendingOperator>,
}

impl<'t> Parser<'t> {
    /// A parser at the start of a text (of less than 4 GiB). The interner has to be the same in all calls.
    pub(crate) fn new(
        text: &'t [u8],
        interner: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) -> Parser<'t> {
        let lexer = Lexer::new(text, interner);
        Parser::with_lexer(lexer, interner, diagnostics)
    }

    /// A parser at a place in a text that is not its start.
    pub(crate) fn at(
        text: &'t [u8],
        start: usize,
        interner: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) -> Parser<'t> {
        let lexer = Lexer::at(text, start, interner);
        Parser::with_lexer(lexer, interner, diagnostics)
    }

    fn with_lexer(
        mut lexer: Lexer<'t>,
        interner: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) -> Parser<'t> {
        let scopes = Scopes::new(interner);
        let current = lexer.next(interner, diagnostics);
        Parser {
            tokens: Tokens {
                lexer,
                current,
                ahead: None,
                previous: Span::new(current.span.lo, current.span.lo),
                stopped: false,
            },
            scopes,
            operators: Vec::new(),
        }
    }

    /// The pragmas that concern the whole program, since the last call.
    pub(crate) fn take_unit_pragmas(&mut self) -> Vec<(UnitPragma, Span)> {
        self.tokens.lexer.take_unit_pragmas()
    }

    /// The next external declaration, or `None` at the end of the text, or after too many errors. Its nodes are added to `ast`, which
    /// the caller clears when it is done with them. Errors are in `diagnostics`; a declaration that is returned in spite of errors
    /// inside has placeholders at those places.
    pub(crate) fn next_external(
        &mut self,
        ast: &mut Ast,
        interner: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) -> Option<ExternalDecl> {
        let mut session = Session {
            tokens: &mut self.tokens,
            scopes: &mut self.scopes,
            operators: &mut self.operators,
            ast,
            interner,
            diagnostics,
            depth: 0,
            quiet: false,
        };
        loop {
            while session.eat(Punct::Semi) {}
            if session.at(TokenKind::Eof) || session.diagnostics.too_many() {
                return None;
            }
            let start = session.token().span.lo;
            match session.external_declaration() {
                Ok(declaration) => return Some(declaration),
                Err(Reported) => session.recover_external(start),
            }
        }
    }
}

/// The place in the text, with one token of lookahead beyond the current one.
#[derive(Debug)]
struct Tokens<'t> {
    lexer: Lexer<'t>,
    current: Token,
    ahead: Option<Token>,
    previous: Span,
    /// Set when parsing was given up: there are no more tokens, and nothing more to say.
    stopped: bool,
}

/// The production failed, and a message says why.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// One external declaration being read.
struct Session<'s, 't> {
    tokens: &'s mut Tokens<'t>,
    scopes: &'s mut Scopes,
    operators: &'s mut Vec<PendingOperator>,
    ast: &'s mut Ast,
    interner: &'s mut Interner,
    diagnostics: &'s mut Diagnostics,
    depth: u32,
    /// Whether errors go unreported, since what is being read may be something else.
    quiet: bool,
}

impl Session<'_, '_> {
    /// The current token.
    #[inline]
    fn token(&self) -> Token {
        self.tokens.current
    }

    /// What the current token is.
    #[inline]
    fn kind(&self) -> TokenKind {
        self.tokens.current.kind
    }

    /// What the token after the current one is.
    fn peek(&mut self) -> TokenKind {
        match self.tokens.ahead {
            Some(token) => token.kind,
            None => {
                let token = self.tokens.lexer.next(self.interner, self.diagnostics);
                self.tokens.ahead = Some(token);
                token.kind
            }
        }
    }

    /// Goes to the next token and returns the one that was current.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.tokens.current;
        self.tokens.previous = token.span;
        self.tokens.current = match self.tokens.ahead.take() {
            Some(next) => next,
            None => self.tokens.lexer.next(self.interner, self.diagnostics),
        };
        token
    }

    /// Whether the current token is this one.
    #[inline]
    fn at(&self, kind: impl Into<TokenKind>) -> bool {
        self.kind() == kind.into()
    }

    /// Takes the current token if it is this one.
    #[inline]
    fn eat(&mut self, kind: impl Into<TokenKind>) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes any number of `__extension__`, which only silences compilers.
    fn skip_extension(&mut self) {
        while self.eat(Keyword::Extension) {}
    }

    /// From the start of a token to the end of the last one that was taken.
    fn span_since(&self, start: Span) -> Span {
        Span::new(start.lo, self.tokens.previous.hi.max(start.lo))
    }

    fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.ast.exprs.push(Expr { kind, span })
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.ast.stmts.push(Stmt { kind, span })
    }

    fn expr_span(&self, expr: ExprId) -> Span {
        self.ast.exprs[expr].span
    }

    /// Runs a production one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            // Also where errors go unreported: this one ends parsing.
            self.quiet = false;
            let span = self.token().span;
            let error = self.error(
                Diagnostic::error(span, "nested too deeply")
                    .with_label(format!("more than {MAX_DEPTH} levels deep")),
            );
            self.give_up();
            return Err(error);
        }
        self.depth += 1;
        let result = stacker::maybe_grow(RED_ZONE, STACK_PIECE, || parse(self));
        self.depth -= 1;
        result
    }

    /// Runs a production in a scope of its own.
    fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push();
        let result = parse(self);
        self.scopes.pop();
        result
    }
}

/// Reads a whole text and says what is wrong with its syntax. Nothing is checked beyond the grammar of C.
pub fn check_syntax(text: &[u8]) -> Diagnostics {
    let mut interner = Interner::default();
    let mut diagnostics = Diagnostics::default();
    let mut ast = Ast::default();
    let mut parser = Parser::new(text, &mut interner, &mut diagnostics);
    while parser
        .next_external(&mut ast, &mut interner, &mut diagnostics)
        .is_some()
    {
        ast.exprs.clear();
        ast.stmts.clear();
    }
    diagnostics
}
