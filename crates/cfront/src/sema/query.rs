//! Expressions that ask about types: `sizeof`, `_Alignof`, `_Generic` and gcc's relatives of them.

use rhumb_program::Span;

use super::Sema;
use super::layout::in_record_align;
use crate::ast::{self, TypeName};
use crate::ctypes::{ArrayLen, CType, TypeId};
use crate::hir::{BinaryOp, ExprId, ExprKind};

impl Sema<'_> {
    /// The size of a complete type as an expression of type `size_t`.
    pub(super) fn size_expr(&mut self, ty: TypeId, span: Span) -> ExprId {
        if let Some(size) = self.unit.types.size_of(ty) {
            return self.size_const(size, span);
        }
        let &CType::Array(element, len) = self.unit.types.get(ty) else {
            return self.size_const(0, span);
        };
        let count = match len {
            ArrayLen::Known(count) => self.size_const(count, span),
            ArrayLen::Incomplete | ArrayLen::Unspecified => self.size_const(0, span),
            ArrayLen::Variable(local) => self.kept(local, span),
        };
        let size = self.size_expr(element.ty, span);
        let kind = ExprKind::Binary(BinaryOp::Mul, count, size);
        self.push(kind, self.unit.types.basic.size, span)
    }

    fn sizeof(&mut self, ty: TypeId, span: Span) -> ExprId {
        match self.unit.types.get(ty) {
            CType::Error => return self.error_expr(span),
            CType::Function(_) | CType::Void => return self.size_const(1, span),
            _ => {}
        }
        if let Some(name) = self.unit.types.unsupported(ty) {
            let name = self.names.name(name).to_string();
            return self.unsupported(name, span);
        }
        if !self.unit.types.is_complete(ty) {
            let shown = self.show(ty);
            return self.fail(span, format!("`sizeof` of the incomplete type `{shown}`"));
        }
        self.size_expr(ty, span)
    }

    pub(super) fn sizeof_type(&mut self, name: &TypeName, span: Span) -> ExprId {
        let mark = self.unit.body.pending_lengths.len();
        let ty = self.type_name(name).ty.ty;
        let size = self.sizeof(ty, span);
        // Lengths on which the size doesn't depend need not be evaluated (C11 6.7.6.2), and gcc doesn't.
        if !self.unit.types.is_variable(ty) {
            self.unit.body.pending_lengths.truncate(mark);
        }
        self.after_lengths(mark, size)
    }

    pub(super) fn sizeof_expr(&mut self, arg: ast::ExprId, span: Span) -> ExprId {
        let mark = self.unit.body.pending_lengths.len();
        let arg = self.expr(arg);
        if self.is_error(arg) {
            return arg;
        }
        if self.bit_field_place(arg).is_some() {
            return self.fail(span, "`sizeof` of a bit-field");
        }
        let ty = self.value_type(arg);
        let mut size = self.sizeof(ty, span);
        if self.unit.types.is_variable(ty) && !self.is_error(size) {
            // Only an operand of variable size is evaluated (C11 6.5.3.4), and nothing of it is read.
            let operand = self.value(arg);
            let operand = self.discard(operand);
            size = self.sequence(operand, size);
        }
        self.after_lengths(mark, size)
    }

    pub(super) fn alignof_type(&mut self, name: &TypeName, preferred: bool, span: Span) -> ExprId {
        let mark = self.unit.body.pending_lengths.len();
        let spec = self.type_name(name);
        let align = spec.align.or_else(|| {
            if preferred {
                self.unit.types.align_of(spec.ty.ty)
            } else {
                self.record_align(spec.ty.ty)
            }
        });
        self.unit.body.pending_lengths.truncate(mark);
        self.alignof(align, spec.ty.ty, span)
    }

    pub(super) fn alignof_expr(&mut self, arg: ast::ExprId, span: Span) -> ExprId {
        let mark = self.unit.body.pending_lengths.len();
        let arg = self.expr(arg);
        self.unit.body.pending_lengths.truncate(mark);
        if self.is_error(arg) {
            return arg;
        }
        let declared = match self.hir(arg).kind {
            ExprKind::Local(local) => self.unit.body.locals[local].align,
            ExprKind::Global(global) => self.unit.globals[global].align,
            ExprKind::Member { record, field, .. } => {
                if self.bit_field_place(arg).is_some() {
                    return self.fail(span, "`_Alignof` of a bit-field");
                }
                let layout = self.unit.types.records[record].layout.as_ref();
                let field = layout.and_then(|layout| layout.fields.get(field as usize));
                field.map(|field| field.align)
            }
            _ => None,
        };
        let ty = self.ty(arg);
        let align = match self.hir(arg).kind {
            ExprKind::Member { .. } => declared,
            // An attribute may ask for less than the type.
            _ => declared
                .or_else(|| self.type_align(arg))
                .or_else(|| self.unit.types.align_of(ty)),
        };
        self.alignof(align, ty, span)
    }

    fn alignof(&mut self, align: Option<u64>, ty: TypeId, span: Span) -> ExprId {
        match (align, self.unit.types.get(ty)) {
            (_, CType::Error) => self.error_expr(span),
            (_, CType::Function(_) | CType::Void) => self.size_const(1, span),
            (Some(align), _) => self.size_const(align, span),
            (None, _) => {
                let shown = self.show(ty);
                self.fail(span, format!("`_Alignof` of the incomplete type `{shown}`"))
            }
        }
    }

    /// The alignment that `_Alignof` gives: that of a member.
    pub(super) fn record_align(&self, ty: TypeId) -> Option<u64> {
        in_record_align(&self.unit.types, ty)
    }

    pub(super) fn types_compatible(&mut self, a: &TypeName, b: &TypeName, span: Span) -> ExprId {
        let a = self.type_name(a).ty;
        let b = self.type_name(b).ty;
        // Qualifiers don't count, for an array those of its elements.
        let [a, b] = [a.ty, b.ty].map(|ty| self.unit.types.without_element_quals(ty));
        let types = &self.unit.types;
        let same = types.compatible(a, b);
        let int = types.basic.int;
        self.int_const(i128::from(same), int, span)
    }

    pub(super) fn choose_expr(
        &mut self,
        cond: ast::ExprId,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
    ) -> ExprId {
        match self.integer_constant(cond, "the first operand of `__builtin_choose_expr`") {
            Some(0) => self.expr(b),
            Some(_) => self.expr(a),
            None => self.error_expr(span),
        }
    }

    pub(super) fn generic(
        &mut self,
        control: ast::ExprId,
        associations: &[(Option<TypeName>, ast::ExprId)],
        span: Span,
    ) -> ExprId {
        let control = self.rvalue(control);
        if self.is_error(control) {
            return control;
        }
        let wanted = self.value_type(control);
        let mut chosen = None;
        let mut default = None;
        for (name, result) in associations {
            let Some(name) = name else {
                if default.replace(*result).is_some() {
                    self.error(span, "`_Generic` has two defaults");
                }
                continue;
            };
            let name_span = name.span;
            let ty = self.type_name(name).ty;
            let plain = ty.quals == ast::Quals::default();
            if plain && self.unit.types.compatible(ty.ty, wanted) && !self.is_error_type(ty.ty) {
                if chosen.is_some() {
                    self.error(name_span, "`_Generic` has two fitting associations");
                }
                chosen = Some(*result);
            }
        }
        match chosen.or(default) {
            Some(result) => self.expr(result),
            None => {
                let shown = self.show(wanted);
                self.fail(span, format!("`_Generic` has no association for `{shown}`"))
            }
        }
    }
}
