//! Declaration specifiers: storage class, qualifiers, type, in any order.

use rhumb_program::Span;

use super::scope::{self, NameKind};
use super::{Parsed, Session};
use crate::ast::{Alignas, Attribute, BasicType, DeclSpecs, Quals, Storage, TypeName, TypeSpec};
use crate::ctypes::{FloatKind, IntKind};
use crate::diagnostic::Diagnostic;
use crate::intern::Symbol;
use crate::lex::{Keyword, Punct, TokenKind};

/// Where specifiers stand: not all may stand everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpecPlace {
    /// A declaration at file level.
    External,
    /// A declaration in a block.
    Block,
    /// A parameter.
    Parameter,
    /// A member of a struct or union.
    Member,
    /// The type of a cast, `sizeof` and the like.
    TypeName,
}

/// Specifiers as far as they were read.
struct Builder {
    place: SpecPlace,
    specs: DeclSpecs,
    words: TypeWords,
    /// Whether any type specifier was read.
    has_type: bool,
}

/// The basic type keywords that were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct TypeWords {
    base: Option<BaseWord>,
    short: bool,
    longs: u8,
    signed: bool,
    unsigned: bool,
    complex: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BaseWord {
    Void,
    Bool,
    Char,
    Int,
    Float,
    Double,
    Int128,
    /// A floating type that is a name of its own.
    OtherFloat,
}

impl Session<'_, '_> {
    /// Whether the current token starts a declaration.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.kind() {
            TokenKind::Keyword(
                Keyword::Auto
                | Keyword::Extern
                | Keyword::Register
                | Keyword::Static
                | Keyword::Typedef
                | Keyword::ThreadLocal
                | Keyword::Inline
                | Keyword::Noreturn
                | Keyword::Alignas
                | Keyword::StaticAssert,
            ) => true,
            kind => self.is_type_start(kind),
        }
    }

    /// Whether a token starts the name of a type, as in a cast.
    #[inline]
    pub(super) fn is_type_start(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Ident(name) => self.scopes.kind(name).is_type(),
            TokenKind::Keyword(keyword) => is_type_keyword(keyword),
            _ => false,
        }
    }

    /// Reads specifiers. There is at least one, or the caller allows none and a missing type is `int`.
    pub(super) fn specifiers(&mut self, place: SpecPlace) -> Parsed<DeclSpecs> {
        let start = self.token().span;
        let mut builder = Builder {
            place,
            specs: DeclSpecs {
                storage: None,
                thread_local: false,
                inline: false,
                noreturn: false,
                quals: Quals::default(),
                ty: TypeSpec::ImplicitInt,
                attrs: Vec::new(),
                alignas: Vec::new(),
                span: start,
            },
            words: TypeWords::default(),
            has_type: false,
        };
        while self.specifier(&mut builder)? {}
        let Builder {
            mut specs,
            words,
            has_type,
            ..
        } = builder;
        let empty = self.token().span.lo == start.lo;
        specs.span = if empty {
            Span::new(start.lo, start.lo)
        } else {
            self.span_since(start)
        };
        if words != TypeWords::default() {
            specs.ty = self.basic_type(words, specs.span)?;
        } else if !has_type {
            self.missing_type(place, &specs, empty)?;
        }
        Ok(specs)
    }

    /// Reads one specifier, if one comes next.
    fn specifier(&mut self, builder: &mut Builder) -> Parsed<bool> {
        let token = self.token();
        let keyword = match token.kind {
            TokenKind::Keyword(keyword) => keyword,
            TokenKind::Ident(name) => return self.type_name_specifier(name, builder),
            TokenKind::Punct(Punct::LBracket) if self.at_attribute() => Keyword::Attribute,
            _ => return Ok(false),
        };
        match keyword {
            Keyword::Typedef => self.storage(Storage::Typedef, builder),
            Keyword::Extern => self.storage(Storage::Extern, builder),
            Keyword::Static => self.storage(Storage::Static, builder),
            Keyword::Auto => self.storage(Storage::Auto, builder),
            Keyword::Register => self.storage(Storage::Register, builder),
            Keyword::ThreadLocal => {
                builder.specs.thread_local = true;
                self.bump();
            }
            Keyword::Inline => {
                builder.specs.inline = true;
                self.bump();
            }
            Keyword::Noreturn => {
                builder.specs.noreturn = true;
                self.bump();
            }
            Keyword::Extension => {
                self.bump();
            }
            Keyword::Attribute => {
                let mut attrs = std::mem::take(&mut builder.specs.attrs);
                self.attributes(&mut attrs)?;
                builder.specs.attrs = attrs;
            }
            Keyword::Alignas => {
                let alignas = self.alignas()?;
                builder.specs.alignas.push(alignas);
            }
            Keyword::Atomic if self.peek() == Punct::LParen.into() => {
                if self.ends_before_type(builder)? {
                    return Ok(false);
                }
                self.bump();
                let ty = self.parenthesized_type()?;
                builder.specs.quals.is_atomic = true;
                builder.set_type(TypeSpec::TypeofType(Box::new(ty)));
            }
            _ if self.qualifier(&mut builder.specs.quals) => {}
            _ if is_type_keyword(keyword) => {
                if self.ends_before_type(builder)? {
                    return Ok(false);
                }
                self.type_specifier(keyword, builder)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes a qualifier, if one comes next.
    pub(super) fn qualifier(&mut self, quals: &mut Quals) -> bool {
        match self.kind() {
            TokenKind::Keyword(Keyword::Const) => quals.is_const = true,
            TokenKind::Keyword(Keyword::Volatile) => quals.is_volatile = true,
            TokenKind::Keyword(Keyword::Restrict) => quals.is_restrict = true,
            TokenKind::Keyword(Keyword::Atomic) => quals.is_atomic = true,
            _ => return false,
        }
        self.bump();
        true
    }

    fn storage(&mut self, storage: Storage, builder: &mut Builder) {
        let span = self.bump().span;
        let word = self.quote(span);
        if matches!(builder.place, SpecPlace::Member | SpecPlace::TypeName) {
            self.error(Diagnostic::error(
                span,
                format!("storage class {word} is not allowed here"),
            ));
        } else if builder.specs.storage.is_some_and(|known| known != storage) {
            self.error(
                Diagnostic::error(span, "more than one storage class in a declaration")
                    .with_label(format!("{word} after another storage class")),
            );
        }
        builder.specs.storage = Some(storage);
    }

    /// A name: the type, if none was read yet and it names one.
    fn type_name_specifier(&mut self, name: Symbol, builder: &mut Builder) -> Parsed<bool> {
        let complex = TypeWords {
            complex: true,
            ..TypeWords::default()
        };
        match self.scopes.kind(name) {
            NameKind::Builtin(_) if builder.words == complex => {
                builder.words.base = Some(BaseWord::OtherFloat);
                self.bump();
                return Ok(true);
            }
            _ if builder.has_type || builder.words != TypeWords::default() => return Ok(false),
            NameKind::Typedef => builder.set_type(TypeSpec::Typedef(name)),
            NameKind::Builtin(index) => builder.set_type(scope::builtin_type(index)),
            NameKind::Unknown | NameKind::Ordinary => {
                if !self.looks_like_type(builder.place) {
                    return Ok(false);
                }
                self.unknown_type(name);
                builder.set_type(TypeSpec::ImplicitInt);
            }
        }
        self.bump();
        Ok(true)
    }

    /// Whether a name that is no type is used as one: a declarator follows.
    fn looks_like_type(&mut self, place: SpecPlace) -> bool {
        match self.peek() {
            TokenKind::Ident(_) => true,
            TokenKind::Keyword(Keyword::Const | Keyword::Volatile | Keyword::Restrict) => true,
            TokenKind::Punct(Punct::Star) => place != SpecPlace::Block,
            TokenKind::Punct(Punct::Comma | Punct::RParen) => place == SpecPlace::Parameter,
            _ => false,
        }
    }

    /// Reports the current token as a type that is not declared.
    pub(super) fn unknown_type(&mut self, name: Symbol) {
        let span = self.token().span;
        let text = self.interner.name(name).clone();
        let label = match &*text {
            "bool" | "true" | "false" => "declared in <stdbool.h>".to_owned(),
            "size_t" | "ptrdiff_t" | "wchar_t" => "declared in <stddef.h>".to_owned(),
            "va_list" => "declared in <stdarg.h>".to_owned(),
            "FILE" => "declared in <stdio.h>".to_owned(),
            "pthread_t" | "pthread_mutex_t" | "pthread_cond_t" => {
                "declared in <pthread.h>".to_owned()
            }
            "int8_t" | "int16_t" | "int32_t" | "int64_t" | "uint8_t" | "uint16_t" | "uint32_t"
            | "uint64_t" | "intptr_t" | "uintptr_t" => "declared in <stdint.h>".to_owned(),
            _ => "not declared as a type".to_owned(),
        };
        self.error(
            Diagnostic::error(span, format!("unknown type name `{text}`")).with_label(label),
        );
    }

    /// Before a type specifier: says whether the specifiers end here, since there is a type already.
    fn ends_before_type(&mut self, builder: &Builder) -> Parsed<bool> {
        if !builder.has_type {
            return Ok(false);
        }
        match &builder.specs.ty {
            // The `;` after a definition was forgotten: the caller will say so.
            TypeSpec::Record(record) if record.members.is_some() => return Ok(true),
            TypeSpec::Enum(spec) if spec.enumerators.is_some() => return Ok(true),
            _ => {}
        }
        let span = self.token().span;
        Err(self.error(
            Diagnostic::error(span, "more than one type in a declaration")
                .with_label("there is a type already"),
        ))
    }

    fn type_specifier(&mut self, keyword: Keyword, builder: &mut Builder) -> Parsed<()> {
        let span = self.token().span;
        let words = &mut builder.words;
        let mut repeated = false;
        match keyword {
            Keyword::Void => repeated = words.set_base(BaseWord::Void),
            Keyword::Bool => repeated = words.set_base(BaseWord::Bool),
            Keyword::Char => repeated = words.set_base(BaseWord::Char),
            Keyword::Int => repeated = words.set_base(BaseWord::Int),
            Keyword::Float => repeated = words.set_base(BaseWord::Float),
            Keyword::Double => repeated = words.set_base(BaseWord::Double),
            Keyword::Int128 => repeated = words.set_base(BaseWord::Int128),
            Keyword::Short => repeated = std::mem::replace(&mut words.short, true),
            Keyword::Long => {
                repeated = words.longs == 2;
                words.longs += u8::from(!repeated);
            }
            Keyword::Signed => repeated = std::mem::replace(&mut words.signed, true),
            Keyword::Unsigned => repeated = std::mem::replace(&mut words.unsigned, true),
            Keyword::Complex => words.complex = true,
            _ if *words != TypeWords::default() => {
                return Err(self.error(
                    Diagnostic::error(span, "more than one type in a declaration")
                        .with_label("there is a type already"),
                ));
            }
            Keyword::Struct | Keyword::Union => {
                let record = self.record()?;
                builder.set_type(TypeSpec::Record(Box::new(record)));
                return Ok(());
            }
            Keyword::Enum => {
                let spec = self.enumeration()?;
                builder.set_type(TypeSpec::Enum(Box::new(spec)));
                return Ok(());
            }
            Keyword::Typeof => {
                let ty = self.typeof_specifier()?;
                builder.set_type(ty);
                return Ok(());
            }
            Keyword::AutoType => builder.set_type(TypeSpec::Auto),
            Keyword::BitInt => {
                self.bump();
                let open = self.token().span;
                self.expect_after(Punct::LParen, "`_BitInt`")?;
                self.nested(Self::conditional)?;
                self.expect_close(Punct::RParen, open)?;
                // A sign may still follow; it makes no difference to us.
                while self.at(Keyword::Unsigned) || self.at(Keyword::Signed) {
                    self.bump();
                }
                builder.set_type(TypeSpec::Unsupported("_BitInt".to_owned()));
                return Ok(());
            }
            _ => builder.set_type(TypeSpec::Unsupported(keyword.text().to_owned())),
        }
        self.bump();
        if repeated {
            let word = self.quote(span);
            return Err(self.error(
                Diagnostic::error(span, "invalid combination of type keywords")
                    .with_label(format!("{word} can't be added here")),
            ));
        }
        Ok(())
    }

    /// The type that a set of keywords means.
    fn basic_type(&mut self, words: TypeWords, span: Span) -> Parsed<TypeSpec> {
        use BaseWord as B;
        if words.complex {
            return Ok(TypeSpec::Unsupported("_Complex".to_owned()));
        }
        let signs = (words.signed, words.unsigned);
        let basic = match (words.base, words.short, words.longs, signs) {
            (Some(B::Void), false, 0, (false, false)) => BasicType::Void,
            (Some(B::Bool), false, 0, (false, false)) => BasicType::Bool,
            (Some(B::Char), false, 0, (false, false)) => BasicType::Int(IntKind::Char),
            (Some(B::Char), false, 0, (true, false)) => BasicType::Int(IntKind::SChar),
            (Some(B::Char), false, 0, (false, true)) => BasicType::Int(IntKind::UChar),
            (Some(B::Int) | None, true, 0, (_, false)) => BasicType::Int(IntKind::Short),
            (Some(B::Int) | None, true, 0, (false, true)) => BasicType::Int(IntKind::UShort),
            (Some(B::Int) | None, false, 0, (_, false)) => BasicType::Int(IntKind::Int),
            (Some(B::Int) | None, false, 0, (false, true)) => BasicType::Int(IntKind::UInt),
            (Some(B::Int) | None, false, 1, (_, false)) => BasicType::Int(IntKind::Long),
            (Some(B::Int) | None, false, 1, (false, true)) => BasicType::Int(IntKind::ULong),
            (Some(B::Int) | None, false, 2, (_, false)) => BasicType::Int(IntKind::LongLong),
            (Some(B::Int) | None, false, 2, (false, true)) => BasicType::Int(IntKind::ULongLong),
            (Some(B::Int128), false, 0, (_, false)) => BasicType::Int(IntKind::Int128),
            (Some(B::Int128), false, 0, (false, true)) => BasicType::Int(IntKind::UInt128),
            (Some(B::Float), false, 0, (false, false)) => BasicType::Float(FloatKind::Float),
            (Some(B::Double), false, 0, (false, false)) => BasicType::Float(FloatKind::Double),
            (Some(B::Double), false, 1, (false, false)) => BasicType::Float(FloatKind::LongDouble),
            _ => {
                return Err(self.error(
                    Diagnostic::error(span, "invalid combination of type keywords")
                        .with_label("no such type"),
                ));
            }
        };
        Ok(TypeSpec::Basic(basic))
    }

    /// No type was given: `int` by the rules before C99, or an error.
    fn missing_type(&mut self, place: SpecPlace, specs: &DeclSpecs, empty: bool) -> Parsed<()> {
        // At file level even nothing at all may stand for `int`, before the name of a function.
        let may_be_implicit = place == SpecPlace::External || !empty;
        let declarator_follows = match self.kind() {
            TokenKind::Punct(Punct::Semi) if !empty => {
                let place = specs.span;
                self.warn(Diagnostic::warning(place, "this declares nothing"));
                return Ok(());
            }
            TokenKind::Ident(_) | TokenKind::Punct(Punct::Star | Punct::LParen) => true,
            TokenKind::Punct(Punct::RParen | Punct::Comma | Punct::LBracket) => {
                matches!(place, SpecPlace::Parameter | SpecPlace::TypeName)
            }
            _ => false,
        };
        if !may_be_implicit || !declarator_follows {
            let what = if empty && place == SpecPlace::Parameter {
                "a parameter"
            } else if empty && place == SpecPlace::External {
                "a declaration"
            } else {
                "a type"
            };
            return Err(self.expected(what));
        }
        let span = if empty { self.token().span } else { specs.span };
        self.warn(Diagnostic::warning(span, "no type given: `int` is assumed"));
        Ok(())
    }

    /// `_Alignas(8)` or `_Alignas(type)`.
    fn alignas(&mut self) -> Parsed<Alignas> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`_Alignas`")?;
        let alignas = if self.is_type_start(self.kind()) {
            Alignas::Type(Box::new(self.nested(Self::type_name)?))
        } else {
            Alignas::Expr(self.nested(Self::conditional)?)
        };
        self.expect_close(Punct::RParen, open)?;
        Ok(alignas)
    }

    /// `typeof(type)` or `typeof(expression)`.
    fn typeof_specifier(&mut self) -> Parsed<TypeSpec> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`typeof`")?;
        let spec = if self.is_type_start(self.kind()) {
            TypeSpec::TypeofType(Box::new(self.nested(Self::type_name)?))
        } else {
            TypeSpec::TypeofExpr(self.nested(Self::expression)?)
        };
        self.expect_close(Punct::RParen, open)?;
        Ok(spec)
    }

    /// `(type)`.
    pub(super) fn parenthesized_type(&mut self) -> Parsed<TypeName> {
        let open = self.token().span;
        self.expect(Punct::LParen)?;
        let ty = self.nested(Self::type_name)?;
        self.expect_close(Punct::RParen, open)?;
        Ok(ty)
    }

    /// Adds attributes that stand behind the specifiers they belong to.
    pub(super) fn add_attributes(specs: &mut DeclSpecs, mut attrs: Vec<Attribute>) {
        specs.attrs.append(&mut attrs);
    }
}

impl Builder {
    fn set_type(&mut self, ty: TypeSpec) {
        self.specs.ty = ty;
        self.has_type = true;
    }
}

impl TypeWords {
    /// Sets the main word, and says whether there was one already.
    fn set_base(&mut self, base: BaseWord) -> bool {
        self.base.replace(base).is_some()
    }
}

/// Whether a keyword can start the name of a type.
fn is_type_keyword(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Const
            | Keyword::Volatile
            | Keyword::Restrict
            | Keyword::Atomic
            | Keyword::Void
            | Keyword::Char
            | Keyword::Short
            | Keyword::Int
            | Keyword::Long
            | Keyword::Float
            | Keyword::Double
            | Keyword::Signed
            | Keyword::Unsigned
            | Keyword::Bool
            | Keyword::Complex
            | Keyword::Imaginary
            | Keyword::Int128
            | Keyword::BitInt
            | Keyword::Decimal32
            | Keyword::Decimal64
            | Keyword::Decimal128
            | Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Typeof
            | Keyword::AutoType
            | Keyword::Attribute
    )
}
