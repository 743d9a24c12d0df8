//! Initialisers of objects with static storage.

use rhumb_program::{Access, Type};

use super::Sema;
use super::constant::{Base, Constant, Mode, NotConstant};
use super::expr::InitRef;
use super::init::{Builder, PieceValue};
use crate::ctypes::QualType;
use crate::diagnostic::Diagnostic;
use crate::hir::{ConstValue, ExprId, StaticInit};

impl Sema<'_> {
    /// The first contents of an object with static storage. An array without a length gets one.
    /// `None` after an error; `Err` names something that we don't handle.
    pub(super) fn static_initializer(
        &mut self,
        ty: &mut QualType,
        init: InitRef<'_>,
    ) -> Option<Result<Vec<StaticInit>, String>> {
        let mut builder = Builder::for_static();
        self.initialize(&mut builder, ty, init);
        if builder.failed {
            return None;
        }
        if let Some(what) = builder.unsupported {
            return Some(Err(what));
        }
        let pieces = builder.pieces.into_iter().flatten().filter_map(|piece| {
            let offset = piece.offset;
            match piece.value {
                PieceValue::Constant(access, value) => Some(StaticInit::Scalar {
                    offset,
                    access,
                    value,
                }),
                PieceValue::Bytes(bytes) => Some(StaticInit::Bytes { offset, bytes }),
                PieceValue::Scalar(..)
                | PieceValue::Record(_)
                | PieceValue::Kept(..)
                | PieceValue::Effect(_) => None,
            }
        });
        Some(Ok(pieces.collect()))
    }

    /// The constant that a scalar is initialised with.
    pub(super) fn static_value(
        &mut self,
        builder: &mut Builder,
        access: Access,
        value: ExprId,
    ) -> Option<ConstValue> {
        let span = self.span(value);
        let problem = match self.evaluate(value, Mode::Initializer) {
            Ok(Constant::Bits(bits)) => {
                return Some(ConstValue::Bits(match (access.ty, access.bits) {
                    (Type::Int(int), Some(field)) => {
                        // The value as the bit-field will give it back.
                        let narrow = rhumb_program::IntType {
                            width: u16::from(field.width),
                            ..int
                        };
                        int.wrap(narrow.extend(narrow.wrap(bits)) as u128)
                    }
                    _ => bits,
                }));
            }
            Ok(Constant::Address(Base::Global(global), offset)) if access.bits.is_none() => {
                return Some(ConstValue::Global(global, offset));
            }
            Ok(Constant::Address(Base::Function(function), 0)) if access.bits.is_none() => {
                return Some(ConstValue::Function(function));
            }
            Ok(Constant::Address(..)) => NotConstant::At(span),
            Err(problem) => problem,
        };
        match problem {
            NotConstant::Unsupported(what) => builder.unsupported = Some(what),
            NotConstant::DivisionByZero(at) => {
                self.error(at, "division by zero in a constant expression");
                builder.failed = true;
            }
            NotConstant::At(at) => {
                let diagnostic = Diagnostic::error(span, "the initializer is not constant");
                self.diags.push(if at == span {
                    diagnostic
                } else {
                    diagnostic.with_note(at, "this is not constant")
                });
                builder.failed = true;
            }
        }
        None
    }
}
