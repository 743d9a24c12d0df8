//! Initialisers.

use super::{Parsed, Session};
use crate::ast::{Designator, Init, InitItem, InitList};
use crate::lex::{Punct, TokenKind};

impl Session<'_, '_> {
    /// An expression, or a list in braces.
    pub(super) fn initializer(&mut self) -> Parsed<Init> {
        if self.at(Punct::LBrace) {
            Ok(Init::List(self.nested(Self::initializer_list)?))
        } else {
            Ok(Init::Expr(self.assignment()?))
        }
    }

    /// `{ ... }`.
    pub(super) fn initializer_list(&mut self) -> Parsed<InitList> {
        let open = self.bump().span;
        let mut items = Vec::new();
        while !self.at(Punct::RBrace) {
            let designators = self.designation()?;
            let init = self.initializer()?;
            items.push(InitItem { designators, init });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_close(Punct::RBrace, open)?;
        Ok(InitList {
            items,
            span: self.span_since(open),
        })
    }

    /// `.a[1] =`, or GNU's `a:` and `[1]`.
    fn designation(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        match self.kind() {
            TokenKind::Punct(Punct::Dot | Punct::LBracket) => {}
            TokenKind::Ident(name) if self.peek() == Punct::Colon.into() => {
                let span = self.bump().span;
                self.bump();
                designators.push(Designator::Field(name, span));
                return Ok(designators);
            }
            _ => return Ok(designators),
        }
        loop {
            let start = self.token().span;
            if self.eat(Punct::Dot) {
                let TokenKind::Ident(name) = self.kind() else {
                    return Err(self.expected("the name of a member after `.`"));
                };
                let span = self.bump().span;
                designators.push(Designator::Field(name, span));
            } else if self.at(Punct::LBracket) {
                self.bump();
                let first = self.nested(Self::conditional)?;
                let last = if self.eat(Punct::Ellipsis) {
                    Some(self.nested(Self::conditional)?)
                } else {
                    None
                };
                self.expect_close(Punct::RBracket, start)?;
                let span = self.span_since(start);
                designators.push(match last {
                    Some(last) => Designator::Range(first, last, span),
                    None => Designator::Index(first, span),
                });
            } else {
                break;
            }
        }
        // GNU C once had `[1] x` without `=`.
        let old_style = matches!(
            designators.as_slice(),
            [Designator::Index(..) | Designator::Range(..)]
        );
        if !self.eat(Punct::Assign) && !old_style {
            return Err(self.expected("`=` after a designator"));
        }
        Ok(designators)
    }
}
