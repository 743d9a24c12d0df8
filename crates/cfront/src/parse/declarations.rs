//! External declarations, declarations in blocks, function definitions.

use super::declarators::NameRule;
use super::scope::NameKind;
use super::specifiers::SpecPlace;
use super::{Parsed, Session};
use crate::ast::{
    Attribute, DeclSpecs, Declaration, Declarator, Derived, ExternalDecl, FunctionDeclarator,
    FunctionDef, InitDeclarator, StaticAssert, StmtId, StmtKind, Storage, TypeSpec,
};
use crate::diagnostic::Diagnostic;
use crate::intern::Symbol;
use crate::lex::{Keyword, Punct, TokenKind};
use rhumb_program::Span;

impl Session<'_, '_> {
    /// One external declaration.
    pub(super) fn external_declaration(&mut self) -> Parsed<ExternalDecl> {
        let start = self.token().span;
        self.skip_extension();
        if self.at(Keyword::Asm) {
            let template = match self.asm_statement()? {
                StmtKind::Asm(asm) => Some(asm.template),
                _ => None,
            };
            return Ok(ExternalDecl::Asm(template, self.span_since(start)));
        }
        if self.at_static_assert() {
            return Ok(ExternalDecl::StaticAssert(self.static_assert()?));
        }
        if self.at(Punct::RBrace) {
            let span = self.token().span;
            return Err(self.error(
                Diagnostic::error(span, "unexpected `}`").with_label("this closes nothing"),
            ));
        }
        let specs = self.specifiers(SpecPlace::External)?;
        match self.after_specifiers(specs, start)? {
            AfterSpecifiers::Declaration(declaration) => Ok(ExternalDecl::Declaration(declaration)),
            AfterSpecifiers::Function(specs, first) => {
                Ok(ExternalDecl::Function(self.function(specs, first, start)?))
            }
        }
    }

    /// A declaration in a block. A nested function is two statements: its declaration, and a mark that its body is not handled.
    pub(super) fn block_declaration(&mut self, statements: &mut Vec<StmtId>) -> Parsed<()> {
        let start = self.token().span;
        if self.at_static_assert() {
            let assertion = self.static_assert()?;
            let span = assertion.span;
            statements.push(self.add_stmt(StmtKind::StaticAssert(assertion), span));
            return Ok(());
        }
        let specs = self.specifiers(SpecPlace::Block)?;
        match self.after_specifiers(specs, start)? {
            AfterSpecifiers::Declaration(declaration) => {
                let span = declaration.span;
                statements.push(self.add_stmt(StmtKind::Declaration(declaration), span));
            }
            AfterSpecifiers::Function(mut specs, first) => {
                // Older definitions have declarations of the parameters here.
                self.skip_to_open_brace();
                let open = self.token().span;
                self.expect(Punct::LBrace)?;
                self.skip_to_close(Punct::LBrace, Punct::RBrace);
                self.expect_close(Punct::RBrace, open)?;
                let span = self.span_since(start);
                // `auto` marks nested functions, and nothing else that is a function.
                specs.storage = None;
                let declaration = Declaration {
                    specs,
                    declarators: vec![InitDeclarator {
                        declarator: first.declarator,
                        init: None,
                        attrs: first.attrs,
                        label: first.label,
                    }],
                    span,
                };
                statements.push(self.add_stmt(StmtKind::Declaration(declaration), span));
                let mark = StmtKind::Unsupported("nested function".to_owned());
                statements.push(self.add_stmt(mark, span));
            }
        }
        Ok(())
    }

    fn skip_to_open_brace(&mut self) {
        while !self.at(Punct::LBrace) && !self.at(TokenKind::Eof) {
            self.bump();
        }
    }

    /// What follows the specifiers of a declaration.
    fn after_specifiers(&mut self, specs: DeclSpecs, start: Span) -> Parsed<AfterSpecifiers> {
        let mut declarators = Vec::new();
        if !self.at(Punct::Semi) && self.starts_declarator(&specs) {
            let first = self.declarator_with_attributes()?;
            self.declare(&specs, &first.declarator);
            if self.starts_function_body(&first.declarator) {
                return Ok(AfterSpecifiers::Function(specs, first));
            }
            declarators.push(self.initialized(first)?);
            while self.eat(Punct::Comma) {
                let mut attrs = Vec::new();
                self.attributes(&mut attrs)?;
                let mut next = self.declarator_with_attributes()?;
                next.attrs.append(&mut attrs);
                self.declare(&specs, &next.declarator);
                declarators.push(self.initialized(next)?);
            }
        }
        if self.at(Punct::LBrace) && !declarators.is_empty() {
            let diagnostic = Diagnostic::error(
                self.token().span,
                "expected `;` after this declaration, found `{`",
            )
            .with_label("only a function has a body");
            return Err(self.error(diagnostic));
        }
        self.expect_semi(match &specs.ty {
            TypeSpec::Record(record) if declarators.is_empty() && record.is_union => {
                "this union declaration"
            }
            TypeSpec::Record(_) if declarators.is_empty() => "this struct declaration",
            TypeSpec::Enum(_) if declarators.is_empty() => "this enum declaration",
            _ => "this declaration",
        })?;
        Ok(AfterSpecifiers::Declaration(Declaration {
            specs,
            declarators,
            span: self.span_since(start),
        }))
    }

    /// Whether a declarator has to follow. A declaration of a struct, union or enumeration needs none, so there it is
    /// the `;` that is missing.
    fn starts_declarator(&self, specs: &DeclSpecs) -> bool {
        let declares_tag = matches!(specs.ty, TypeSpec::Record(_) | TypeSpec::Enum(_));
        !declares_tag
            || matches!(
                self.kind(),
                TokenKind::Ident(_) | TokenKind::Punct(Punct::Star | Punct::LParen)
            )
    }

    /// A declarator with what may stand between it and its initialiser or body.
    fn declarator_with_attributes(&mut self) -> Parsed<ParsedDeclarator> {
        let mut attrs = Vec::new();
        let declarator = self.declarator(NameRule::Required, &mut attrs)?;
        self.attributes(&mut attrs)?;
        let mut label = None;
        if self.at(Keyword::Asm) {
            label = Some(self.asm_label()?);
            self.attributes(&mut attrs)?;
        }
        Ok(ParsedDeclarator {
            declarator,
            attrs,
            label,
        })
    }

    fn initialized(&mut self, parsed: ParsedDeclarator) -> Parsed<InitDeclarator> {
        let init = if self.eat(Punct::Assign) {
            Some(self.initializer()?)
        } else {
            None
        };
        Ok(InitDeclarator {
            declarator: parsed.declarator,
            init,
            attrs: parsed.attrs,
            label: parsed.label,
        })
    }

    /// Makes the name of a declarator known: its scope starts here.
    fn declare(&mut self, specs: &DeclSpecs, declarator: &Declarator) {
        if let Some(name) = declarator.name {
            let kind = if specs.storage == Some(Storage::Typedef) {
                NameKind::Typedef
            } else {
                NameKind::Ordinary
            };
            self.scopes.declare(name, kind);
        }
    }

    /// Whether a function definition follows its declarator.
    fn starts_function_body(&self, declarator: &Declarator) -> bool {
        match declarator.derived.last() {
            Some(Derived::Function(function)) => {
                self.at(Punct::LBrace)
                    || (!function.kr_names.is_empty() && self.starts_declaration())
            }
            _ => false,
        }
    }

    /// A function definition after its declarator.
    fn function(
        &mut self,
        mut specs: DeclSpecs,
        parsed: ParsedDeclarator,
        start: Span,
    ) -> Parsed<FunctionDef> {
        let ParsedDeclarator {
            declarator, attrs, ..
        } = parsed;
        Self::add_attributes(&mut specs, attrs);
        let (kr_params, body) = self.scoped(|s| {
            let mut kr_params = Vec::new();
            while !s.at(Punct::LBrace) {
                let start = s.token().span;
                let specs = s.specifiers(SpecPlace::Block)?;
                match s.after_specifiers(specs, start)? {
                    AfterSpecifiers::Declaration(declaration) => kr_params.push(declaration),
                    AfterSpecifiers::Function(..) => {
                        return Err(s.expected("a declaration of a parameter"));
                    }
                }
            }
            if let Some(Derived::Function(function)) = declarator.derived.last() {
                s.declare_parameters(function);
            }
            Ok((kr_params, s.block()?))
        })?;
        Ok(FunctionDef {
            specs,
            declarator,
            kr_params,
            body,
            span: self.span_since(start),
        })
    }

    /// Makes the parameters known in the body.
    fn declare_parameters(&mut self, function: &FunctionDeclarator) {
        let names = function.params.iter().filter_map(|p| p.declarator.name);
        for name in names.chain(function.kr_names.iter().map(|&(name, _)| name)) {
            self.scopes.declare(name, NameKind::Ordinary);
        }
    }

    /// Whether a static assertion comes next: `_Static_assert`, or C23's `static_assert` where it is not declared as something else.
    pub(super) fn at_static_assert(&mut self) -> bool {
        match self.kind() {
            TokenKind::Keyword(Keyword::StaticAssert) => true,
            TokenKind::Ident(name) => {
                self.scopes.kind(name) == NameKind::Unknown
                    && &**self.interner.name(name) == "static_assert"
                    && self.peek() == Punct::LParen.into()
            }
            _ => false,
        }
    }

    /// `_Static_assert(condition, "message");`.
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let is_bare = !self.at(Keyword::StaticAssert);
        let start = self.bump().span;
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`_Static_assert`")?;
        let cond = self.nested(Self::conditional)?;
        let message = if self.eat(Punct::Comma) {
            if !self.at(TokenKind::Str) {
                return Err(self.expected("a string literal"));
            }
            Some(self.string_literal()?)
        } else {
            None
        };
        self.expect_close(Punct::RParen, open)?;
        self.expect_semi("this static assertion")?;
        Ok(StaticAssert {
            cond,
            message,
            is_bare,
            span: self.span_since(start),
        })
    }
}

/// What specifiers turned out to be the start of.
enum AfterSpecifiers {
    Declaration(Declaration),
    /// A definition whose body comes next.
    Function(DeclSpecs, ParsedDeclarator),
}

struct ParsedDeclarator {
    declarator: Declarator,
    attrs: Vec<Attribute>,
    label: Option<Symbol>,
}
