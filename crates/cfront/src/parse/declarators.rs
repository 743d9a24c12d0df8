//! Declarators: the name in the middle, and what is derived around it.

use rhumb_program::Span;

use super::scope::NameKind;
use super::specifiers::SpecPlace;
use super::{Parsed, Session};
use crate::ast::{
    ArraySize, Attribute, Declarator, Derived, FunctionDeclarator, ParamDecl, Quals, TypeName,
};
use crate::intern::Symbol;
use crate::lex::{Keyword, Punct, TokenKind};

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NameRule {
    /// A variable, function or member.
    Required,
    /// A parameter.
    Optional,
    /// The name of a type.
    Forbidden,
}

impl Session<'_, '_> {
    /// Reads a declarator. Attributes inside are added to `attrs`.
    pub(super) fn declarator(
        &mut self,
        rule: NameRule,
        attrs: &mut Vec<Attribute>,
    ) -> Parsed<Declarator> {
        let mut derived = Vec::new();
        let (name, span) = self.declarator_into(rule, &mut derived, attrs)?;
        Ok(Declarator {
            name,
            derived,
            span,
        })
    }

    /// The name of a type, as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let start = self.token().span;
        let mut specs = self.specifiers(SpecPlace::TypeName)?;
        let mut attrs = Vec::new();
        let declarator = self.declarator(NameRule::Forbidden, &mut attrs)?;
        Self::add_attributes(&mut specs, attrs);
        Ok(TypeName {
            specs,
            declarator,
            span: self.span_since(start),
        })
    }

    /// Appends the derivations of a declarator, outermost first, and returns its name.
    fn declarator_into(
        &mut self,
        rule: NameRule,
        derived: &mut Vec<Derived>,
        attrs: &mut Vec<Attribute>,
    ) -> Parsed<(Option<Symbol>, Span)> {
        while self.eat(Punct::Star) {
            let mut quals = Quals::default();
            loop {
                if self.at_attribute() {
                    self.attributes(attrs)?;
                } else if !self.qualifier(&mut quals) {
                    break;
                }
            }
            derived.push(Derived::Pointer(quals));
        }
        let mut inner = Vec::new();
        let first_suffix = derived.len();
        let (name, span) = match self.kind() {
            TokenKind::Ident(name) if rule != NameRule::Forbidden => (Some(name), self.bump().span),
            TokenKind::Punct(Punct::LParen) if self.is_grouping(rule) => {
                let open = self.bump().span;
                let mut first_attrs = Vec::new();
                self.attributes(&mut first_attrs)?;
                if rule != NameRule::Required && self.is_type_start(self.kind()) {
                    // The attributes were those of the first parameter of a function without a name.
                    let function =
                        self.nested(|s| s.scoped(|s| s.parameters(open, first_attrs)))?;
                    derived.push(Derived::Function(function));
                    (None, open)
                } else {
                    attrs.append(&mut first_attrs);
                    let name = self.nested(|s| s.declarator_into(rule, &mut inner, attrs))?;
                    self.expect_close(Punct::RParen, open)?;
                    name
                }
            }
            _ if rule == NameRule::Required => return Err(self.expected("a name")),
            _ => (None, self.after_previous()),
        };
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::LParen) => {
                    let open = self.bump().span;
                    let function = self.nested(|s| s.scoped(|s| s.parameters(open, Vec::new())))?;
                    derived.push(Derived::Function(function));
                }
                TokenKind::Punct(Punct::LBracket) if !self.at_attribute() => {
                    let size = self.array_size()?;
                    derived.push(Derived::Array(size));
                }
                _ => break,
            }
        }
        // `a[2][3]` is an array of arrays: what stands farther from the name applies first.
        derived[first_suffix..].reverse();
        derived.append(&mut inner);
        Ok((name, span))
    }

    /// Whether a `(` groups a declarator, and doesn't start the parameters of a function without a name.
    fn is_grouping(&mut self, rule: NameRule) -> bool {
        if rule == NameRule::Required {
            return true;
        }
        match self.peek() {
            TokenKind::Punct(Punct::RParen | Punct::Ellipsis) => false,
            // As in `int (__attribute__((cdecl)) *)(void)`.
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Keyword(Keyword::Register | Keyword::Extension) => false,
            next => !self.is_type_start(next),
        }
    }

    /// `[size]` in a declarator.
    fn array_size(&mut self) -> Parsed<ArraySize> {
        let open = self.bump().span;
        // In a parameter: qualifiers of the pointer that it becomes, and a promise about the number of elements.
        let mut quals = Quals::default();
        while self.qualifier(&mut quals) || self.eat(Keyword::Static) {}
        let size = if self.at(Punct::RBracket) {
            ArraySize::Unspecified
        } else if self.at(Punct::Star) && self.peek() == Punct::RBracket.into() {
            self.bump();
            ArraySize::Star
        } else {
            ArraySize::Expr(self.nested(Self::assignment)?)
        };
        self.expect_close(Punct::RBracket, open)?;
        Ok(size)
    }

    /// The parameters of a function after the parenthesis at `open`, and attributes that stand before the first one.
    fn parameters(
        &mut self,
        open: Span,
        first_attrs: Vec<Attribute>,
    ) -> Parsed<FunctionDeclarator> {
        let mut function = FunctionDeclarator {
            params: Vec::new(),
            variadic: false,
            unspecified: false,
            kr_names: Vec::new(),
        };
        match self.kind() {
            TokenKind::Punct(Punct::RParen) => function.unspecified = true,
            TokenKind::Keyword(Keyword::Void) if self.peek() == Punct::RParen.into() => {
                self.bump();
            }
            TokenKind::Ident(name) if self.starts_identifier_list(name) => {
                function.unspecified = true;
                self.identifier_list(&mut function.kr_names)?;
            }
            _ => self.parameter_list(&mut function)?,
        }
        if let Some(first) = function.params.first_mut() {
            Self::add_attributes(&mut first.specs, first_attrs);
        }
        self.expect_close(Punct::RParen, open)?;
        Ok(function)
    }

    /// Whether a name that comes first between parentheses starts the identifier list of a K&R definition.
    fn starts_identifier_list(&mut self, name: Symbol) -> bool {
        !self.scopes.kind(name).is_type()
            && matches!(self.peek(), TokenKind::Punct(Punct::Comma | Punct::RParen))
    }

    fn identifier_list(&mut self, names: &mut Vec<(Symbol, Span)>) -> Parsed<()> {
        loop {
            let TokenKind::Ident(name) = self.kind() else {
                return Err(self.expected("the name of a parameter"));
            };
            names.push((name, self.bump().span));
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
        }
    }

    fn parameter_list(&mut self, function: &mut FunctionDeclarator) -> Parsed<()> {
        loop {
            if self.eat(Punct::Ellipsis) {
                function.variadic = true;
                return Ok(());
            }
            let start = self.token().span;
            let mut specs = self.specifiers(SpecPlace::Parameter)?;
            let mut attrs = Vec::new();
            let declarator = self.declarator(NameRule::Optional, &mut attrs)?;
            self.attributes(&mut attrs)?;
            Self::add_attributes(&mut specs, attrs);
            if let Some(name) = declarator.name {
                self.scopes.declare(name, NameKind::Ordinary);
            }
            function.params.push(ParamDecl {
                specs,
                declarator,
                span: self.span_since(start),
            });
            if self.eat(Punct::Semi) {
                // GNU C: what came so far only makes names known to the sizes of arrays, and is said again.
                function.params.clear();
            } else if !self.eat(Punct::Comma) {
                return Ok(());
            }
        }
    }
}
