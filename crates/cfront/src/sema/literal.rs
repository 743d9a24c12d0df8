//! Literals and their types.

use std::sync::Arc;

use rhumb_program::{DataModel, Span};

use super::{Sema, float};
use crate::ast::{Encoding, FloatSuffix, IntLiteral, StringLiteral};
use crate::ctypes::{ArrayLen, CType, FloatKind, IntKind, QualType, TypeId};
use crate::hir::{ExprId, ExprKind, GlobalId, StaticInit};
use crate::intern::Symbol;

impl Sema<'_> {
    /// An integer constant: the first type in C's list that holds the value (C11 6.4.4.1).
    pub(super) fn int_literal(&mut self, literal: IntLiteral, span: Span) -> ExprId {
        const SIGNED: [IntKind; 3] = [IntKind::Int, IntKind::Long, IntKind::LongLong];
        let model = self.unit.types.model;
        let ranks = SIGNED.get(usize::from(literal.longs)..).unwrap_or(&[]);
        let mut fitting = None;
        for &signed in ranks {
            let unsigned = signed.to_unsigned();
            let holds = |kind: IntKind| literal.value <= kind.int_type(model).max_bits();
            if !literal.unsigned && holds(signed) {
                fitting = Some(signed);
            } else if (literal.unsigned || !literal.decimal) && holds(unsigned) {
                fitting = Some(unsigned);
            }
            if fitting.is_some() {
                break;
            }
        }
        let kind = fitting.unwrap_or_else(|| {
            self.warn(span, "the integer constant is too large for its type");
            if model == DataModel::Lp64 && literal.decimal && !literal.unsigned {
                IntKind::Int128
            } else {
                IntKind::ULongLong
            }
        });
        let ty = match kind {
            IntKind::Int => self.unit.types.basic.int,
            _ => self.unit.types.int(kind),
        };
        let bits = kind
            .int_type(model)
            .wrap(literal.value & u128::from(u64::MAX));
        self.push(ExprKind::Const(bits), ty, span)
    }

    pub(super) fn float_literal(
        &mut self,
        text: Symbol,
        suffix: FloatSuffix,
        span: Span,
    ) -> ExprId {
        let kind = match suffix {
            FloatSuffix::None => FloatKind::Double,
            FloatSuffix::F => FloatKind::Float,
            FloatSuffix::L => FloatKind::LongDouble,
            FloatSuffix::Q => FloatKind::Float128,
        };
        let ty = self.unit.types.float(kind);
        match float::parse(self.names.name(text), kind.float_type()) {
            Some(bits) => self.push(ExprKind::Const(bits), ty, span),
            None => self.fail(span, "the floating-point constant can't be read"),
        }
    }

    pub(super) fn char_literal(&mut self, value: i64, encoding: Encoding, span: Span) -> ExprId {
        let ty = match encoding {
            Encoding::Plain => self.unit.types.basic.int,
            _ => self.unit_type(encoding),
        };
        self.int_const(i128::from(value), ty, span)
    }

    /// The element type of a string literal.
    fn unit_type(&mut self, encoding: Encoding) -> TypeId {
        let types = &mut self.unit.types;
        match (encoding, types.model) {
            (Encoding::Plain, _) => types.basic.char,
            (Encoding::Wide, DataModel::Ilp32) => types.basic.long,
            (Encoding::Wide, DataModel::Lp64) => types.basic.int,
            (Encoding::Utf16, _) => types.int(IntKind::UShort),
            (Encoding::Utf32, _) => types.basic.uint,
        }
    }

    pub(super) fn string_literal(&mut self, literal: &StringLiteral, span: Span) -> ExprId {
        let element = self.unit_type(literal.encoding);
        let mut bytes = string_bytes(literal);
        let width = unit_size(literal.encoding);
        bytes.resize(bytes.len() + width, 0);
        let global = self.string_global(element, bytes, width as u64, span);
        let ty = self.unit.globals[global].ty.ty;
        self.push(ExprKind::Global(global), ty, span)
    }

    /// The object that holds a string literal; equal literals share it.
    fn string_global(
        &mut self,
        element: TypeId,
        bytes: Vec<u8>,
        width: u64,
        span: Span,
    ) -> GlobalId {
        let bytes = bytes.into_boxed_slice();
        if let Some(&known) = self.unit.strings.get(&(element, bytes.clone())) {
            return known;
        }
        let count = bytes.len() as u64 / width;
        let ty = CType::Array(QualType::plain(element), ArrayLen::Known(count));
        let ty = QualType::plain(self.unit.types.intern(ty));
        let global = self.new_global(Arc::from(""), ty, span);
        self.unit.global_states[global].string = true;
        self.unit.globals[global].read_only = true;
        self.unit.globals[global].init = Some(vec![StaticInit::Bytes {
            offset: 0,
            bytes: bytes.clone(),
        }]);
        self.unit.strings.insert((element, bytes), global);
        global
    }

    /// Whether a global is a string literal.
    pub(super) fn is_string_global(&self, global: GlobalId) -> bool {
        self.unit.global_states[global].string
    }

    /// `__func__`: an array of its own in each function.
    pub(super) fn function_name(&mut self, span: Span) -> ExprId {
        let (name, known) = match &self.unit.body.function {
            Some(function) => (function.name.clone(), function.func_name),
            None => (Arc::from(""), None),
        };
        let global = known.unwrap_or_else(|| {
            let mut bytes = name.as_bytes().to_vec();
            bytes.push(0);
            let quals = crate::ast::Quals {
                is_const: true,
                ..Default::default()
            };
            let char = QualType {
                ty: self.unit.types.basic.char,
                quals,
            };
            let ty = CType::Array(char, ArrayLen::Known(bytes.len() as u64));
            let ty = QualType::plain(self.unit.types.intern(ty));
            let global = self.new_global(Arc::from(format!("{name}.__func__")), ty, span);
            self.unit.globals[global].read_only = true;
            self.unit.globals[global].init = Some(vec![StaticInit::Bytes {
                offset: 0,
                bytes: bytes.into_boxed_slice(),
            }]);
            if let Some(function) = &mut self.unit.body.function {
                function.func_name = Some(global);
            }
            global
        });
        let ty = self.unit.globals[global].ty.ty;
        self.push(ExprKind::Global(global), ty, span)
    }
}

/// Size in bytes of an element of a string literal.
pub(super) fn unit_size(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Plain => 1,
        Encoding::Utf16 => 2,
        Encoding::Wide | Encoding::Utf32 => 4,
    }
}

/// The bytes of a string literal, without the terminating zero.
pub(super) fn string_bytes(literal: &StringLiteral) -> Vec<u8> {
    let units = literal.units.iter();
    match unit_size(literal.encoding) {
        1 => units.map(|&unit| unit as u8).collect(),
        2 => units
            .flat_map(|&unit| (unit as u16).to_le_bytes())
            .collect(),
        _ => units.flat_map(|&unit| unit.to_le_bytes()).collect(),
    }
}
