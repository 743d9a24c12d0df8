//! Initialisers: from nested lists with designators and left-out braces to flat pieces (C11 6.7.9).

mod pieces;
mod repeat;
mod walk;

use rhumb_program::{Access, BitRange, Span, Type};

use self::pieces::bits;
pub(super) use self::pieces::{Builder, PieceValue};
use super::convert::Context;
use super::expr::InitRef;
use super::literal::{string_bytes, unit_size};
use super::{RED_ZONE, STACK_PIECE, Sema};
use crate::ast::{self, Encoding, ExprKind as AstExpr, Init, InitList};
use crate::ctypes::{ArrayLen, CType, IntKind, QualType, TypeId};
use crate::hir::{ExprId, ExprKind, InitPiece, LocalInit};

/// A part of an aggregate.
#[derive(Clone, Copy, Debug)]
struct Part {
    ty: TypeId,
    offset: u64,
    bits: Option<BitRange>,
}

impl Sema<'_> {
    /// The initialiser of a local. An array without a length gets one.
    pub(super) fn local_initializer(&mut self, ty: &mut QualType, init: InitRef<'_>) -> LocalInit {
        let mut builder = Builder::default();
        self.initialize(&mut builder, ty, init);
        let pieces = builder.pieces.into_iter().flatten().filter_map(|piece| {
            let offset = piece.offset;
            Some(match piece.value {
                PieceValue::Kept(local, Some(access)) => InitPiece::Scalar {
                    offset,
                    access,
                    value: self.kept(local, Span::default()),
                },
                PieceValue::Kept(local, None) => InitPiece::Record {
                    offset,
                    value: self.kept(local, Span::default()),
                },
                PieceValue::Effect(value) => InitPiece::Effect(value),
                PieceValue::Scalar(access, value) => InitPiece::Scalar {
                    offset,
                    access,
                    value,
                },
                PieceValue::Bytes(bytes) => InitPiece::Bytes { offset, bytes },
                PieceValue::Record(value) => InitPiece::Record { offset, value },
                PieceValue::Constant(..) => return None,
            })
        });
        let mut pieces: Vec<InitPiece> = pieces.collect();
        if let Some(what) = builder.unsupported {
            let value = self.unsupported(what, Span::default());
            let access = Access::whole(Type::Bool);
            pieces = vec![InitPiece::Scalar {
                offset: 0,
                access,
                value,
            }];
        }
        LocalInit::Pieces(pieces)
    }

    /// Initialises a whole object; completes the type of an array without a length.
    pub(super) fn initialize(
        &mut self,
        builder: &mut Builder,
        ty: &mut QualType,
        init: InitRef<'_>,
    ) {
        let part = Part {
            ty: ty.ty,
            offset: 0,
            bits: None,
        };
        let count = self.init_part(builder, part, init);
        if let &CType::Array(element, ArrayLen::Incomplete) = self.unit.types.get(ty.ty) {
            let array = CType::Array(element, ArrayLen::Known(count));
            ty.ty = self.unit.types.intern(array);
        }
    }

    /// Initialises a part from an initialiser of its own. Gives the number of elements that an array has at least.
    fn init_part(&mut self, builder: &mut Builder, part: Part, init: InitRef<'_>) -> u64 {
        if let Some(name) = self.unit.types.unsupported(part.ty) {
            builder.unsupported = Some(self.names.name(name).to_string());
            return 0;
        }
        match init {
            InitRef::List(list) => stacker::maybe_grow(RED_ZONE, STACK_PIECE, || {
                self.init_braced(builder, part, list)
            }),
            InitRef::Expr(expr) => self.init_from_expr(builder, part, expr),
            InitRef::Value(value) => {
                self.init_from_value(builder, part, value);
                0
            }
        }
    }

    fn init_from_expr(&mut self, builder: &mut Builder, part: Part, expr: ast::ExprId) -> u64 {
        let ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[expr];
        match (self.unit.types.get(part.ty), kind) {
            (&CType::Array(element, len), AstExpr::Str(literal))
                if self.takes_string(element.ty, literal.encoding) =>
            {
                return self.init_string(builder, part, len, literal, *span);
            }
            (CType::Array(..), AstExpr::CompoundLiteral(name, list)) => {
                let ty = self.type_name(name).ty.ty;
                if self.unit.types.compatible(ty, part.ty) {
                    return self.init_braced(builder, part, list);
                }
            }
            (CType::Record(_), AstExpr::CompoundLiteral(name, list)) if builder.is_static => {
                let ty = self.type_name(name).ty.ty;
                if ty == part.ty {
                    return self.init_braced(builder, part, list);
                }
            }
            _ => {}
        }
        let value = self.rvalue(expr);
        self.init_from_value(builder, part, value);
        0
    }

    fn init_from_value(&mut self, builder: &mut Builder, part: Part, value: ExprId) {
        match self.unit.types.get(part.ty) {
            CType::Array(..) => {
                if !self.is_error(value) {
                    self.error(
                        self.span(value),
                        "an array needs a list in braces or a string as initializer",
                    );
                }
                builder.failed = true;
            }
            CType::Record(_) => self.init_record_value(builder, part, value),
            _ => self.init_scalar(builder, part, value),
        }
    }

    /// Whether an array of such elements can be initialised by a string literal.
    fn takes_string(&self, element: TypeId, encoding: Encoding) -> bool {
        let CType::Int(kind) = self.unit.types.get(element) else {
            return false;
        };
        match encoding {
            Encoding::Plain => matches!(kind, IntKind::Char | IntKind::SChar | IntKind::UChar),
            Encoding::Utf16 => *kind == IntKind::UShort,
            Encoding::Utf32 => *kind == IntKind::UInt,
            Encoding::Wide => {
                matches!(kind, IntKind::Int | IntKind::Long)
                    && self.unit.types.size_of(element) == Some(4)
            }
        }
    }

    fn init_string(
        &mut self,
        builder: &mut Builder,
        part: Part,
        len: ArrayLen,
        literal: &ast::StringLiteral,
        span: Span,
    ) -> u64 {
        let width = unit_size(literal.encoding);
        let mut bytes = string_bytes(literal);
        let count = literal.units.len() as u64 + 1;
        bytes.resize(bytes.len() + width, 0);
        let room = match len {
            ArrayLen::Known(room) => room,
            ArrayLen::Incomplete | ArrayLen::Variable(_) | ArrayLen::Unspecified => count,
        };
        if room + 1 < count {
            self.warn(span, "the string is too long for the array");
        }
        let kept = room.min(count).saturating_mul(width as u64) as usize;
        bytes.truncate(kept);
        builder.begin_whole(part.offset, room.saturating_mul(width as u64));
        if !bytes.is_empty() {
            let start = bits(part.offset);
            builder.push(
                part.offset,
                (start, start + bits(bytes.len() as u64)),
                PieceValue::Bytes(bytes.into_boxed_slice()),
            );
        }
        count
    }

    fn init_record_value(&mut self, builder: &mut Builder, part: Part, value: ExprId) {
        let span = self.span(value);
        let value = self.convert_assign(value, part.ty, Context::Initializer, span);
        if self.is_error(value) {
            self.keep_unsupported(builder, value);
            return;
        }
        if builder.is_static {
            self.error(span, "the initializer is not constant");
            builder.failed = true;
            return;
        }
        let size = self.unit.types.size_of(part.ty).unwrap_or(0);
        if size == 0 {
            return builder.push_effect(value);
        }
        builder.begin_whole(part.offset, size);
        let start = bits(part.offset);
        builder.push(
            part.offset,
            (start, start + bits(size)),
            PieceValue::Record(value),
        );
    }

    /// Notes why a value can't be used.
    fn keep_unsupported(&mut self, builder: &mut Builder, value: ExprId) {
        match &self.hir(value).kind {
            ExprKind::Unsupported(what) => builder.unsupported = Some(what.clone()),
            _ => builder.failed = true,
        }
    }

    fn init_scalar(&mut self, builder: &mut Builder, part: Part, value: ExprId) {
        let span = self.span(value);
        let value = self.convert_assign(value, part.ty, Context::Initializer, span);
        if self.is_error(value) {
            self.keep_unsupported(builder, value);
            return;
        }
        let Some(ty) = self.unit.types.scalar(part.ty) else {
            let shown = self.show(part.ty);
            self.error(
                span,
                format!("an object of type `{shown}` can't be initialized"),
            );
            builder.failed = true;
            return;
        };
        let access = Access {
            ty,
            bits: part.bits,
        };
        let value = if builder.is_static {
            match self.static_value(builder, access, value) {
                Some(value) => PieceValue::Constant(access, value),
                None => return,
            }
        } else {
            PieceValue::Scalar(access, value)
        };
        let start = bits(part.offset) + part.bits.map_or(0, |bits| u128::from(bits.offset));
        let width = match part.bits {
            Some(bits) => u128::from(bits.width),
            None => bits(ty.size(self.unit.types.model)),
        };
        builder.push(part.offset, (start, start + width), value);
    }

    fn init_braced(&mut self, builder: &mut Builder, part: Part, list: &InitList) -> u64 {
        if let Some(size) = self.unit.types.size_of(part.ty) {
            builder.begin_whole(part.offset, size);
        }
        // A string may stand in braces.
        if let (CType::Array(element, len), [item]) =
            (self.unit.types.get(part.ty), &list.items[..])
            && item.designators.is_empty()
            && let Init::Expr(expr) = item.init
            && let AstExpr::Str(literal) = &self.ast.exprs[expr].kind
            && self.takes_string(element.ty, literal.encoding)
        {
            let (len, span) = (*len, self.ast.exprs[expr].span);
            return self.init_string(builder, part, len, literal, span);
        }
        match self.level(builder, part, list.span) {
            Some(level) => self.init_parts(builder, level, list),
            None => {
                self.init_braced_scalar(builder, part, list);
                0
            }
        }
    }

    fn init_braced_scalar(&mut self, builder: &mut Builder, part: Part, list: &InitList) {
        if builder.failed {
            return;
        }
        match list.items.first() {
            None => {
                self.error(list.span, "the initializer of a scalar is empty");
                builder.failed = true;
            }
            Some(item) => {
                if !item.designators.is_empty() {
                    self.error(list.span, "a designator in the initializer of a scalar");
                    builder.failed = true;
                    return;
                }
                self.init_part(builder, part, (&item.init).into());
                if list.items.len() > 1 {
                    self.warn(list.span, "excess elements in the initializer of a scalar");
                }
            }
        }
    }
}

impl<'a> From<&'a Init> for InitRef<'a> {
    fn from(init: &'a Init) -> InitRef<'a> {
        match init {
            Init::Expr(expr) => InitRef::Expr(*expr),
            Init::List(list) => InitRef::List(list),
        }
    }
}
