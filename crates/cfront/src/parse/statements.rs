//! Statements.

use rhumb_program::Span;

use super::{Parsed, Reported, Session};
use crate::ast::{ExprId, StmtId, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::lex::{Keyword, Punct, TokenKind};

impl Session<'_, '_> {
    /// `{ ... }`, in a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<StmtId> {
        let open = self.token().span;
        self.expect(Punct::LBrace)?;
        let statements = self.scoped(|s| Ok(s.block_items()))?;
        if !self.eat(Punct::RBrace) {
            let diagnostic =
                Diagnostic::error(self.after_previous(), "expected `}`, found end of file")
                    .with_label("expected `}`")
                    .with_note(open, "to close this block");
            return Err(self.error(diagnostic));
        }
        let span = self.span_since(open);
        Ok(self.add_stmt(StmtKind::Block(statements), span))
    }

    /// The declarations and statements of a block, up to its end. Errors have been reported and skipped over.
    fn block_items(&mut self) -> Vec<StmtId> {
        let mut statements = Vec::new();
        while !self.at(Punct::RBrace) && !self.at(TokenKind::Eof) {
            let start = self.token().span.lo;
            if let Err(Reported) = self.block_item(&mut statements) {
                self.recover_statement(start);
                if self.diagnostics.too_many() {
                    self.give_up();
                }
            }
        }
        statements
    }

    /// A declaration, a label, or a statement.
    fn block_item(&mut self, statements: &mut Vec<StmtId>) -> Parsed<()> {
        self.skip_extension();
        if let Some(label) = self.label()? {
            statements.push(label);
            return Ok(());
        }
        if self.at_declaration() {
            return self.block_declaration(statements);
        }
        if self.at(Keyword::LocalLabel) {
            statements.push(self.local_labels()?);
            return Ok(());
        }
        statements.push(self.statement()?);
        Ok(())
    }

    /// Whether a declaration starts here, and no statement.
    fn at_declaration(&mut self) -> bool {
        match self.kind() {
            // An attribute may belong to an empty statement (`fallthrough`): see there.
            TokenKind::Keyword(Keyword::Attribute) => false,
            TokenKind::Ident(name) if !self.scopes.kind(name).is_type() => {
                // Two names in a row: the first was meant to be a type.
                matches!(self.peek(), TokenKind::Ident(_)) || self.at_static_assert()
            }
            _ => self.starts_declaration(),
        }
    }

    /// A label in front of a statement, if there is one.
    fn label(&mut self) -> Parsed<Option<StmtId>> {
        let start = self.token().span;
        let kind = match self.kind() {
            TokenKind::Ident(name) if self.peek() == Punct::Colon.into() => {
                self.bump();
                StmtKind::Label(name)
            }
            TokenKind::Keyword(Keyword::Case) => {
                self.bump();
                let first = self.conditional()?;
                let last = if self.eat(Punct::Ellipsis) {
                    Some(self.conditional()?)
                } else {
                    None
                };
                StmtKind::Case(first, last)
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.bump();
                StmtKind::Default
            }
            _ => return Ok(None),
        };
        self.expect_after(Punct::Colon, "this label")?;
        let span = self.span_since(start);
        Ok(Some(self.add_stmt(kind, span)))
    }

    /// `__label__ a, b;`.
    fn local_labels(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        let mut names = Vec::new();
        loop {
            let TokenKind::Ident(name) = self.kind() else {
                return Err(self.expected("the name of a label"));
            };
            self.bump();
            names.push(name);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_semi("this declaration of labels")?;
        let span = self.span_since(start);
        Ok(self.add_stmt(StmtKind::LocalLabels(names), span))
    }

    /// The statement that belongs to an `if`, a loop or a `switch`, with its labels.
    fn body(&mut self) -> Parsed<StmtId> {
        self.nested(|s| {
            let start = s.token().span;
            let mut statements = Vec::new();
            while let Some(label) = s.label()? {
                statements.push(label);
            }
            if s.at_declaration() {
                let span = s.token().span;
                s.error(
                    Diagnostic::error(span, "a declaration can't stand here without a block")
                        .with_label("put it into `{ }`"),
                );
                s.block_declaration(&mut statements)?;
            } else {
                let statement = s.statement()?;
                if statements.is_empty() {
                    return Ok(statement);
                }
                statements.push(statement);
            }
            let span = s.span_since(start);
            Ok(s.add_stmt(StmtKind::Sequence(statements), span))
        })
    }

    /// A statement that is no label.
    fn statement(&mut self) -> Parsed<StmtId> {
        let start = self.token().span;
        let keyword = match self.kind() {
            TokenKind::Punct(Punct::LBrace) => return self.nested(Self::block),
            TokenKind::Punct(Punct::Semi) => {
                self.bump();
                return Ok(self.add_stmt(StmtKind::Expr(None), start));
            }
            TokenKind::Punct(Punct::RBrace) => return Err(self.expected("a statement")),
            TokenKind::Punct(Punct::LBracket) => return self.attributed_statement(),
            TokenKind::Keyword(keyword) => keyword,
            _ => return self.expression_statement(),
        };
        let kind = match keyword {
            Keyword::If => self.if_statement()?,
            Keyword::While => {
                self.bump();
                let cond = self.condition("`while`")?;
                StmtKind::While(cond, self.body()?)
            }
            Keyword::Do => self.do_statement()?,
            Keyword::For => self.scoped(Self::for_statement)?,
            Keyword::Switch => {
                self.bump();
                let value = self.condition("`switch`")?;
                StmtKind::Switch(value, self.body()?)
            }
            Keyword::Goto => self.goto_statement()?,
            Keyword::Break => {
                self.bump();
                self.expect_semi("`break`")?;
                StmtKind::Break
            }
            Keyword::Continue => {
                self.bump();
                self.expect_semi("`continue`")?;
                StmtKind::Continue
            }
            Keyword::Return => self.return_statement()?,
            Keyword::Asm => self.asm_statement()?,
            Keyword::Attribute => return self.attributed_statement(),
            Keyword::Else => {
                self.error(
                    Diagnostic::error(start, "`else` without a matching `if`")
                        .with_label("no `if` for this `else`"),
                );
                self.bump();
                return self.body();
            }
            _ => return self.expression_statement(),
        };
        let span = self.span_since(start);
        Ok(self.add_stmt(kind, span))
    }

    fn expression_statement(&mut self) -> Parsed<StmtId> {
        let start = self.token().span;
        let expr = match self.kind() {
            TokenKind::Punct(Punct::RParen | Punct::RBracket) | TokenKind::Eof => {
                return Err(self.expected("a statement"));
            }
            _ => self.expression()?,
        };
        self.expect_semi("this expression")?;
        let span = self.span_since(start);
        Ok(self.add_stmt(StmtKind::Expr(Some(expr)), span))
    }

    /// Attributes that start a statement, or a declaration.
    fn attributed_statement(&mut self) -> Parsed<StmtId> {
        let start = self.token().span;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        if self.eat(Punct::Semi) {
            let span = self.span_since(start);
            return Ok(self.add_stmt(StmtKind::Expr(None), span));
        }
        if !self.at_declaration() {
            return self.nested(Self::statement);
        }
        let mut statements = Vec::new();
        self.block_declaration(&mut statements)?;
        if let Some(&first) = statements.first()
            && let StmtKind::Declaration(declaration) = &mut self.ast.stmts[first].kind
        {
            Self::add_attributes(&mut declaration.specs, attrs);
        }
        match statements.as_slice() {
            &[statement] => Ok(statement),
            _ => {
                let span = self.span_since(start);
                Ok(self.add_stmt(StmtKind::Sequence(statements), span))
            }
        }
    }

    /// `(...)` after `if`, `while` or `switch`. After an error inside, parsing goes on behind it.
    fn condition(&mut self, keyword: &str) -> Parsed<ExprId> {
        let open = self.token().span;
        self.expect_after(Punct::LParen, keyword)?;
        let result = self.nested(Self::expression).and_then(|cond| {
            self.expect_close(Punct::RParen, open)?;
            Ok(cond)
        });
        match result {
            Ok(cond) => Ok(cond),
            Err(error) if !self.recover_to_paren(false) => Err(error),
            Err(_) => Ok(self.placeholder(open)),
        }
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        let mut arms = Vec::new();
        loop {
            self.bump();
            let cond = self.condition("`if`")?;
            let then = self.body()?;
            arms.push((cond, then));
            if !self.eat(Keyword::Else) {
                return Ok(StmtKind::If {
                    arms,
                    otherwise: None,
                });
            }
            if !self.at(Keyword::If) {
                let otherwise = Some(self.body()?);
                return Ok(StmtKind::If { arms, otherwise });
            }
        }
    }

    fn do_statement(&mut self) -> Parsed<StmtKind> {
        let start = self.bump().span;
        let body = self.body()?;
        if !self.eat(Keyword::While) {
            let diagnostic = Diagnostic::error(
                self.token().span,
                format!(
                    "expected `while` after the body of `do`, found {}",
                    self.found()
                ),
            )
            .with_label("expected `while`")
            .with_note(start, "to go with this `do`");
            return Err(self.error(diagnostic));
        }
        let cond = self.condition("`while`")?;
        self.expect_semi("`do ... while (...)`")?;
        Ok(StmtKind::DoWhile(body, cond))
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`for`")?;
        let head = self.nested(|s| s.for_head(open));
        let (init, cond, step) = match head {
            Ok(head) => head,
            Err(error) if !self.recover_to_paren(true) => return Err(error),
            Err(_) => (None, None, None),
        };
        let body = self.body()?;
        Ok(StmtKind::For {
            init,
            cond,
            step,
            body,
        })
    }

    /// The three parts between the parentheses of `for`, up to the closing one.
    fn for_head(&mut self, open: Span) -> Parsed<(Option<StmtId>, Option<ExprId>, Option<ExprId>)> {
        self.skip_extension();
        let init = if self.eat(Punct::Semi) {
            None
        } else if self.at(Keyword::Attribute) || self.at_declaration() {
            let mut statements = Vec::new();
            self.block_declaration(&mut statements)?;
            statements.first().copied()
        } else {
            let expr = self.expression()?;
            let span = self.expr_span(expr);
            self.expect_after(Punct::Semi, "the first part of `for`")?;
            Some(self.add_stmt(StmtKind::Expr(Some(expr)), span))
        };
        let cond = if self.at(Punct::Semi) {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect_after(Punct::Semi, "the second part of `for`")?;
        let step = if self.at(Punct::RParen) {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect_close(Punct::RParen, open)?;
        Ok((init, cond, step))
    }

    fn goto_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let kind = match self.kind() {
            TokenKind::Ident(label) => {
                self.bump();
                StmtKind::Goto(label)
            }
            TokenKind::Punct(Punct::Star) => {
                self.bump();
                StmtKind::GotoComputed(self.expression()?)
            }
            _ => return Err(self.expected("the name of a label after `goto`")),
        };
        self.expect_semi("this `goto`")?;
        Ok(kind)
    }

    fn return_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        if self.eat(Punct::Semi) {
            return Ok(StmtKind::Return(None));
        }
        // A forgotten `;` before the end of the block.
        if self.at(Punct::RBrace) {
            self.expect_semi("`return`")?;
            return Ok(StmtKind::Return(None));
        }
        let value = self.expression()?;
        self.expect_semi("this expression")?;
        Ok(StmtKind::Return(Some(value)))
    }
}
