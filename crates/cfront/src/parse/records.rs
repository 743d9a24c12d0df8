//! Structs, unions and enumerations.

use super::declarators::NameRule;
use super::scope::NameKind;
use super::specifiers::SpecPlace;
use super::{Parsed, Reported, Session};
use crate::ast::{
    Attribute, Declarator, EnumSpec, Enumerator, FieldDecl, FieldDeclarator, MemberDecl, RecordSpec,
};
use crate::diagnostic::Diagnostic;
use crate::intern::Symbol;
use crate::lex::{Keyword, Punct, TokenKind};

impl Session<'_, '_> {
    /// `struct` or `union` with tag, members or both.
    pub(super) fn record(&mut self) -> Parsed<RecordSpec> {
        let start = self.bump();
        let is_union = start.kind == Keyword::Union.into();
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.tag();
        let mut packing = None;
        let members = if self.at(Punct::LBrace) {
            let (members, limit, foreign) = self.nested(Self::members)?;
            packing = limit;
            self.attributes(&mut attrs)?;
            for name in foreign {
                let name = self.interner.intern(name);
                let (args, span) = (Vec::new(), start.span);
                attrs.push(Attribute { name, args, span });
            }
            Some(members)
        } else if tag.is_none() {
            let what = if is_union { "union" } else { "struct" };
            return Err(self.expected(&format!("a tag or `{{` after `{what}`")));
        } else {
            None
        };
        Ok(RecordSpec {
            is_union,
            tag,
            members,
            packing,
            attrs,
            span: self.span_since(start.span),
        })
    }

    /// The tag of a struct, union or enumeration. Tags have a name space of their own.
    fn tag(&mut self) -> Option<Symbol> {
        match self.kind() {
            TokenKind::Ident(name) => {
                self.bump();
                Some(name)
            }
            _ => None,
        }
    }

    /// The members, the limit of their alignment that is in force at the closing brace, and attributes that are in force there by a pragma.
    fn members(&mut self) -> Parsed<(Vec<MemberDecl>, Option<u64>, Vec<&'static str>)> {
        let open = self.bump().span;
        let mut members = Vec::new();
        while !self.at(Punct::RBrace) && !self.at(TokenKind::Eof) {
            if self.eat(Punct::Semi) {
                continue;
            }
            let start = self.token().span.lo;
            match self.member() {
                Ok(member) => members.push(member),
                Err(Reported) => self.recover_member(start),
            }
        }
        let packing = self.tokens.lexer.packing();
        let (limit, foreign) = (packing.limit(), packing.foreign().to_vec());
        self.expect_close(Punct::RBrace, open)?;
        Ok((members, limit, foreign))
    }

    fn member(&mut self) -> Parsed<MemberDecl> {
        self.skip_extension();
        if self.at(Keyword::StaticAssert) {
            return Ok(MemberDecl::StaticAssert(self.static_assert()?));
        }
        let start = self.token().span;
        let specs = self.specifiers(SpecPlace::Member)?;
        let mut declarators = Vec::new();
        if !self.at(Punct::Semi) && !self.at(Punct::RBrace) {
            loop {
                declarators.push(self.field_declarator()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        if self.at(Punct::RBrace) {
            let place = self.after_previous();
            self.warn(Diagnostic::warning(place, "no `;` after the last member"));
        } else {
            self.expect_semi("this member")?;
        }
        Ok(MemberDecl::Field(FieldDecl {
            specs,
            declarators,
            span: self.span_since(start),
        }))
    }

    fn field_declarator(&mut self) -> Parsed<FieldDeclarator> {
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let declarator = if self.at(Punct::Colon) {
            Declarator {
                name: None,
                derived: Vec::new(),
                span: self.token().span,
            }
        } else {
            self.declarator(NameRule::Required, &mut attrs)?
        };
        let width = if self.eat(Punct::Colon) {
            Some(self.conditional()?)
        } else {
            None
        };
        self.attributes(&mut attrs)?;
        Ok(FieldDeclarator {
            declarator,
            width,
            attrs,
        })
    }

    /// After an error in a member that started at `start`: skips to the next one.
    fn recover_member(&mut self, start: u32) {
        if self.token().span.lo == start && !self.at(Punct::RBrace) {
            self.bump();
        }
        let mut braces = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::LBrace) => braces += 1,
                TokenKind::Punct(Punct::RBrace) if braces == 0 => return,
                TokenKind::Punct(Punct::RBrace) => braces -= 1,
                TokenKind::Punct(Punct::Semi) if braces == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// `enum` with tag, enumerators or both.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumSpec> {
        let start = self.bump().span;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.tag();
        let enumerators = if self.at(Punct::LBrace) {
            let enumerators = self.nested(Self::enumerators)?;
            self.attributes(&mut attrs)?;
            Some(enumerators)
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{` after `enum`"));
        } else {
            None
        };
        Ok(EnumSpec {
            tag,
            enumerators,
            attrs,
            span: self.span_since(start),
        })
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        let open = self.bump().span;
        let mut enumerators = Vec::new();
        while !self.at(Punct::RBrace) {
            let span = self.token().span;
            let TokenKind::Ident(name) = self.kind() else {
                return Err(self.expected("the name of an enumerator"));
            };
            self.bump();
            self.skip_attributes()?;
            let value = if self.eat(Punct::Assign) {
                Some(self.conditional()?)
            } else {
                None
            };
            // In scope after its own value.
            self.scopes.declare(name, NameKind::Ordinary);
            enumerators.push(Enumerator { name, value, span });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_close(Punct::RBrace, open)?;
        Ok(enumerators)
    }
}
