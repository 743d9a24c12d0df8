//! Primary expressions: names, constants, and the built-in forms that look like calls.

use rhumb_program::Span;

use super::{Parsed, Session};
use crate::ast::{Designator, Encoding, ExprId, ExprKind, IntLiteral, StringLiteral, TypeName};
use crate::diagnostic::Diagnostic;
use crate::lex::number::{self, Number};
use crate::lex::{Keyword, Punct, TokenKind, literal, scan};

impl Session<'_, '_> {
    /// A primary expression that doesn't start with a parenthesis.
    pub(super) fn primary(&mut self) -> Parsed<ExprId> {
        let span = self.token().span;
        let kind = match self.kind() {
            TokenKind::Ident(name) => {
                if self.scopes.kind(name).is_type() {
                    return Err(self.type_as_expression(span));
                }
                self.bump();
                ExprKind::Ident(name)
            }
            TokenKind::Number => {
                self.bump();
                self.number(span)?
            }
            TokenKind::Char => {
                self.bump();
                let text = self.tokens.lexer.text();
                let (value, encoding) = literal::char_value(text, span, self.diagnostics);
                ExprKind::Char(value, encoding)
            }
            TokenKind::Str => return self.string_literal(),
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::FunctionName => {
                    self.bump();
                    ExprKind::FunctionName
                }
                Keyword::Generic => self.nested(Self::generic)?,
                Keyword::Offsetof => self.nested(Self::offsetof)?,
                Keyword::VaArg => self.nested(Self::va_arg)?,
                Keyword::TypesCompatible => self.nested(Self::types_compatible)?,
                Keyword::ChooseExpr => self.nested(Self::choose_expr)?,
                Keyword::ConvertVector | Keyword::HasAttribute => {
                    self.bump();
                    let open = self.token().span;
                    self.expect(Punct::LParen)?;
                    self.skip_to_close(Punct::LParen, Punct::RParen);
                    self.expect_close(Punct::RParen, open)?;
                    ExprKind::Unsupported(keyword.text().to_owned())
                }
                _ => return Err(self.expected("an expression")),
            },
            TokenKind::Punct(_) | TokenKind::Eof => return Err(self.expected("an expression")),
        };
        let span = self.span_since(span);
        Ok(self.add_expr(kind, span))
    }

    fn type_as_expression(&mut self, span: Span) -> super::Reported {
        let name = self.quote(span);
        self.error(
            Diagnostic::error(
                span,
                format!("expected an expression, found the type {name}"),
            )
            .with_label("this is a type here"),
        )
    }

    /// The constant that a preprocessing number stands for.
    fn number(&mut self, span: Span) -> Parsed<ExprKind> {
        let bytes = &self.tokens.lexer.text()[span.lo as usize..span.hi as usize];
        let joined;
        let text = match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\\') => text,
            _ => {
                joined = scan::without_splices(bytes);
                &joined
            }
        };
        match number::parse(text) {
            Ok(Number::Int(literal)) => Ok(ExprKind::Int(literal)),
            Ok(Number::Float(text, suffix)) => {
                Ok(ExprKind::Float(self.interner.intern(text), suffix))
            }
            Ok(Number::Unsupported(what)) => Ok(ExprKind::Unsupported(what.to_owned())),
            Err(message) => {
                let error = self.error(Diagnostic::error(span, message));
                if self.quiet {
                    return Err(error);
                }
                // The shape of the expression is clear all the same.
                Ok(ExprKind::Int(IntLiteral::ZERO))
            }
        }
    }

    /// Adjacent string literals, joined.
    pub(super) fn string_literal(&mut self) -> Parsed<ExprId> {
        let start = self.token().span;
        let text = self.tokens.lexer.text();
        // The encoding of the whole is known only after the last part.
        let mut parts = vec![start];
        self.bump();
        while self.at(TokenKind::Str) {
            parts.push(self.bump().span);
        }
        let mut encoding = Encoding::Plain;
        for &part in &parts {
            let (own, _) = literal::prefix(&text[part.lo as usize..]);
            if own == Encoding::Plain || own == encoding {
                continue;
            }
            if encoding != Encoding::Plain {
                self.error(
                    Diagnostic::error(part, "adjacent string literals with different prefixes")
                        .with_note(start, "the literal starts here"),
                );
            }
            encoding = own;
        }
        let mut units = Vec::with_capacity((start.hi - start.lo) as usize);
        for part in parts {
            literal::decode(text, part, encoding, &mut units, self.diagnostics);
        }
        let span = self.span_since(start);
        Ok(self.add_expr(ExprKind::Str(StringLiteral { units, encoding }), span))
    }

    /// `(type) { ... }`, after the type.
    pub(super) fn compound_literal(&mut self, ty: TypeName, open: Span) -> Parsed<ExprId> {
        let list = self.nested(Self::initializer_list)?;
        let span = self.span_since(open);
        Ok(self.add_expr(ExprKind::CompoundLiteral(Box::new(ty), list), span))
    }

    /// `_Generic(e, type: e, default: e)`.
    fn generic(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`_Generic`")?;
        let control = self.assignment()?;
        let mut associations = Vec::new();
        while self.eat(Punct::Comma) {
            let ty = if self.eat(Keyword::Default) {
                None
            } else {
                Some(self.type_name()?)
            };
            self.expect(Punct::Colon)?;
            associations.push((ty, self.assignment()?));
        }
        self.expect_close(Punct::RParen, open)?;
        Ok(ExprKind::Generic(control, associations))
    }

    /// `__builtin_offsetof(type, member)`.
    fn offsetof(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`__builtin_offsetof`")?;
        let ty = self.type_name()?;
        self.expect(Punct::Comma)?;
        let mut path = vec![self.offsetof_field()?];
        loop {
            let bracket = self.token().span;
            if self.eat(Punct::Dot) {
                path.push(self.offsetof_field()?);
            } else if self.eat(Punct::Arrow) {
                // The same as `[0].`.
                let zero = self.placeholder(bracket);
                path.push(Designator::Index(zero, bracket));
                path.push(self.offsetof_field()?);
            } else if self.eat(Punct::LBracket) {
                let index = self.nested(Self::expression)?;
                self.expect_close(Punct::RBracket, bracket)?;
                let span = self.span_since(bracket);
                path.push(Designator::Index(index, span));
            } else {
                break;
            }
        }
        self.expect_close(Punct::RParen, open)?;
        Ok(ExprKind::Offsetof(Box::new(ty), path))
    }

    fn offsetof_field(&mut self) -> Parsed<Designator> {
        let TokenKind::Ident(name) = self.kind() else {
            return Err(self.expected("the name of a member"));
        };
        Ok(Designator::Field(name, self.bump().span))
    }

    /// `__builtin_va_arg(list, type)`.
    fn va_arg(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`__builtin_va_arg`")?;
        let list = self.assignment()?;
        self.expect(Punct::Comma)?;
        let ty = self.type_name()?;
        self.expect_close(Punct::RParen, open)?;
        Ok(ExprKind::VaArg(list, Box::new(ty)))
    }

    /// `__builtin_types_compatible_p(a, b)`.
    fn types_compatible(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`__builtin_types_compatible_p`")?;
        let first = self.type_name()?;
        self.expect(Punct::Comma)?;
        let second = self.type_name()?;
        self.expect_close(Punct::RParen, open)?;
        Ok(ExprKind::TypesCompatible(Box::new(first), Box::new(second)))
    }

    /// `__builtin_choose_expr(c, a, b)`.
    fn choose_expr(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`__builtin_choose_expr`")?;
        let cond = self.assignment()?;
        self.expect(Punct::Comma)?;
        let then = self.assignment()?;
        self.expect(Punct::Comma)?;
        let otherwise = self.assignment()?;
        self.expect_close(Punct::RParen, open)?;
        Ok(ExprKind::ChooseExpr(cond, then, otherwise))
    }
}
