//! `__attribute__((...))` and `[[...]]`.

use super::{Parsed, Session};
use crate::ast::{Attribute, ExprId, ExprKind};
use crate::intern::Symbol;
use crate::lex::{Keyword, Punct, TokenKind};

impl Session<'_, '_> {
    /// Whether attributes start here.
    pub(super) fn at_attribute(&mut self) -> bool {
        match self.kind() {
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Punct(Punct::LBracket) => self.peek() == Punct::LBracket.into(),
            _ => false,
        }
    }

    /// Any number of attributes, added to `attrs`.
    pub(super) fn attributes(&mut self, attrs: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_attribute() {
            let first = self.bump();
            if first.kind == Punct::LBracket.into() {
                let open = self.bump().span;
                self.attribute_list(Punct::RBracket, attrs)?;
                self.expect_close(Punct::RBracket, open)?;
                self.expect_close(Punct::RBracket, first.span)?;
            } else {
                let outer = self.token().span;
                self.expect_after(Punct::LParen, "`__attribute__`")?;
                let inner = self.token().span;
                self.expect_after(Punct::LParen, "`__attribute__(`")?;
                self.attribute_list(Punct::RParen, attrs)?;
                self.expect_close(Punct::RParen, inner)?;
                self.expect_close(Punct::RParen, outer)?;
            }
        }
        Ok(())
    }

    /// Attributes whose meaning can't matter where they stand.
    pub(super) fn skip_attributes(&mut self) -> Parsed<()> {
        self.attributes(&mut Vec::new())
    }

    fn attribute_list(&mut self, close: Punct, attrs: &mut Vec<Attribute>) -> Parsed<()> {
        while !self.at(close) {
            if self.eat(Punct::Comma) {
                continue;
            }
            let span = self.token().span;
            let mut name = self.attribute_name()?;
            // `[[gnu::packed]]`: the name space says nothing.
            if self.at(Punct::Colon) && self.peek() == Punct::Colon.into() {
                self.bump();
                self.bump();
                name = self.attribute_name()?;
            }
            let args = if self.at(Punct::LParen) {
                self.attribute_args()?
            } else {
                Vec::new()
            };
            attrs.push(Attribute { name, args, span });
            if !self.at(close) && !self.at(Punct::Comma) {
                return Err(self.expected(&format!("`,` or `{}`", close.text())));
            }
        }
        Ok(())
    }

    /// The name of an attribute, which may be a keyword (`const`).
    fn attribute_name(&mut self) -> Parsed<Symbol> {
        let name = match self.kind() {
            TokenKind::Ident(symbol) => {
                let name = self.interner.name(symbol).clone();
                let stripped = name
                    .strip_prefix("__")
                    .and_then(|name| name.strip_suffix("__"))
                    .filter(|name| !name.is_empty());
                stripped.map_or(symbol, |name| self.interner.intern(name))
            }
            TokenKind::Keyword(keyword) => self.interner.intern(keyword.text()),
            _ => return Err(self.expected("the name of an attribute")),
        };
        self.bump();
        Ok(name)
    }

    /// The arguments of an attribute: none if they aren't all expressions.
    fn attribute_args(&mut self) -> Parsed<Vec<ExprId>> {
        let open = self.bump().span;
        let quiet = std::mem::replace(&mut self.quiet, true);
        let args = self.nested(Self::attribute_exprs);
        self.quiet = quiet;
        let args = args.unwrap_or_default();
        if self.at(Punct::RParen) {
            self.bump();
            return Ok(args);
        }
        self.skip_to_close(Punct::LParen, Punct::RParen);
        self.expect_close(Punct::RParen, open)?;
        Ok(Vec::new())
    }

    fn attribute_exprs(&mut self) -> Parsed<Vec<ExprId>> {
        let mut args = Vec::new();
        while !self.at(Punct::RParen) {
            let next = self.peek();
            let alone = next == Punct::Comma.into() || next == Punct::RParen.into();
            let arg = match self.kind() {
                // A single name means what the attribute says, even if it is a type elsewhere.
                TokenKind::Ident(name) if alone => {
                    let span = self.bump().span;
                    self.add_expr(ExprKind::Ident(name), span)
                }
                _ => self.assignment()?,
            };
            args.push(arg);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(args)
    }
}
