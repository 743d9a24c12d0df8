//! Addresses and contents of objects in constant expressions.

use rhumb_program::{Access, Span, Type};

use super::{Base, Constant, Evaluated, Mode, NotConstant};
use crate::hir::{ConstValue, ExprId, ExprKind, StaticInit};
use crate::sema::Sema;

impl Sema<'_> {
    /// Whether no other object can have the same address.
    pub(super) fn has_own_address(&self, base: Base) -> bool {
        match base {
            Base::Global(global) => !self.is_string_global(global),
            Base::Function(_) => true,
        }
    }

    /// The address of a place.
    pub(super) fn evaluate_place(&self, place: ExprId, mode: Mode) -> Evaluated {
        let expr = self.hir(place);
        match expr.kind {
            ExprKind::Global(global) => Ok(Constant::Address(Base::Global(global), 0)),
            ExprKind::Deref(pointer) => self.evaluate(pointer, mode),
            ExprKind::Member {
                base,
                record,
                field,
            } => {
                let base = self.evaluate_place(base, mode)?;
                let layout = self.unit.types.records[record].layout.as_ref();
                let field = layout.and_then(|layout| layout.fields.get(field as usize));
                match field {
                    Some(field) => Ok(self.shift(base, i128::from(field.offset))),
                    None => Err(NotConstant::At(expr.span)),
                }
            }
            _ => Err(NotConstant::At(expr.span)),
        }
    }

    /// The value of a scalar in a `const` object with an initialiser, which gcc takes as a constant in initialisers.
    pub(super) fn evaluate_load(&self, place: ExprId, mode: Mode) -> Evaluated {
        let not_constant = Err(NotConstant::At(self.span(place)));
        let whole_scalar = self.bit_field_place(place).is_none();
        let (Some(ty), true) = (self.scalar_type(place), whole_scalar) else {
            return not_constant;
        };
        let Constant::Address(Base::Global(global), offset) = self.evaluate_place(place, mode)?
        else {
            return not_constant;
        };
        let global = &self.unit.globals[global];
        let (Ok(offset), Some(pieces), Some(size)) = (
            u64::try_from(offset),
            &global.init,
            self.unit.types.size_of(global.ty.ty),
        ) else {
            return not_constant;
        };
        let end = offset.saturating_add(ty.size(self.unit.types.model));
        if !global.read_only || global.ty.quals.is_volatile || end > size {
            return not_constant;
        }
        for piece in pieces {
            match piece {
                StaticInit::Scalar {
                    offset: at,
                    access,
                    value,
                } if *at == offset => {
                    if *access != Access::whole(ty) {
                        return not_constant;
                    }
                    return Ok(match *value {
                        ConstValue::Bits(bits) => Constant::Bits(bits),
                        ConstValue::Global(global, offset) => {
                            Constant::Address(Base::Global(global), offset)
                        }
                        ConstValue::Function(function) => {
                            Constant::Address(Base::Function(function), 0)
                        }
                    });
                }
                StaticInit::Scalar {
                    offset: at, access, ..
                } => {
                    if *at < end && at + access.size(self.unit.types.model) > offset {
                        return not_constant;
                    }
                }
                StaticInit::Bytes { offset: at, bytes } => {
                    if *at < end && at + bytes.len() as u64 > offset {
                        let within = offset.checked_sub(*at).map(|from| from as usize);
                        let length = (end - offset) as usize;
                        let text = within.and_then(|from| bytes.get(from..from + length));
                        let (Some(text), Type::Int(_)) = (text, ty) else {
                            return not_constant;
                        };
                        let little_endian = text.iter().rev();
                        let bits =
                            little_endian.fold(0, |bits, &byte| bits << 8 | u128::from(byte));
                        return Ok(Constant::Bits(bits));
                    }
                }
            }
        }
        // What an initialiser doesn't mention is zero.
        Ok(Constant::Bits(0))
    }

    /// The length of a string literal.
    pub(super) fn evaluate_strlen(&self, arg: ExprId, span: Span) -> Evaluated {
        if let Constant::Address(Base::Global(global), offset) =
            self.evaluate(arg, Mode::Integer)?
            && self.is_string_global(global)
            && let Some([StaticInit::Bytes { bytes, .. }]) =
                self.unit.globals[global].init.as_deref()
            && let Some(rest) = usize::try_from(offset)
                .ok()
                .and_then(|from| bytes.get(from..))
            && let Some(length) = rest.iter().position(|&byte| byte == 0)
        {
            return Ok(Constant::Bits(length as u128));
        }
        Err(NotConstant::At(span))
    }
}
