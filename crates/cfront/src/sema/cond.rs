//! The conditional operator.

use rhumb_program::Span;

use super::Sema;
use crate::ast;
use crate::ctypes::{CType, QualType, TypeId};
use crate::hir::{ExprId, ExprKind};

impl Sema<'_> {
    /// `cond ? then : otherwise`; without `then` its value is that of the condition.
    pub(super) fn conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> ExprId {
        let cond = self.scalar(cond, "a condition");
        let Some(then) = then else {
            let otherwise = self.rvalue(otherwise);
            if self.is_error(cond) {
                return cond;
            }
            if !self.in_function() {
                // At file level there is no place for the value, but also nothing that could have a side effect.
                return self.choose(cond, cond, otherwise, span);
            }
            let promoted = self.promote(cond);
            let (assignment, local) = self.keep(promoted);
            let test = self.kept(local, span);
            let value = self.kept(local, span);
            let choice = self.choose(test, value, otherwise, span);
            if self.is_error(choice) {
                return choice;
            }
            return self.sequence(assignment, choice);
        };
        let then = self.rvalue(then);
        let otherwise = self.rvalue(otherwise);
        self.choose(cond, then, otherwise, span)
    }

    fn choose(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId, span: Span) -> ExprId {
        for part in [cond, then, otherwise] {
            if self.is_error(part) {
                return part;
            }
        }
        let Some(ty) = self.conditional_type(then, otherwise, span) else {
            let (a, b) = (self.show(self.ty(then)), self.show(self.ty(otherwise)));
            return self.fail(span, format!("the branches have types `{a}` and `{b}`"));
        };
        let (then, otherwise) = if matches!(self.unit.types.get(ty), CType::Void) {
            (self.discard(then), self.discard(otherwise))
        } else {
            (self.convert(then, ty), self.convert(otherwise, ty))
        };
        self.push(ExprKind::Cond(cond, then, otherwise), ty, span)
    }

    /// The type of the whole (C11 6.5.15).
    fn conditional_type(&mut self, then: ExprId, otherwise: ExprId, span: Span) -> Option<TypeId> {
        let (a, b) = (self.ty(then), self.ty(otherwise));
        let types = &self.unit.types;
        if types.is_arithmetic(a) && types.is_arithmetic(b) {
            return Some(self.common_type(then, otherwise));
        }
        match (types.get(a), types.get(b)) {
            (CType::Void, _) | (_, CType::Void) => Some(types.basic.void),
            (CType::Pointer(x), CType::Pointer(y)) => {
                let (x, y) = (*x, *y);
                Some(self.common_pointer(then, otherwise, x, y, span))
            }
            (CType::Pointer(_), _) if types.is_integer(b) => {
                self.warn_pointer_with_integer(otherwise, span);
                Some(a)
            }
            (_, CType::Pointer(_)) if types.is_integer(a) => {
                self.warn_pointer_with_integer(then, span);
                Some(b)
            }
            _ if types.compatible(a, b) => Some(a),
            _ => None,
        }
    }

    fn warn_pointer_with_integer(&mut self, integer: ExprId, span: Span) {
        if !self.is_null_constant(integer) {
            self.warn(span, "one branch is a pointer and the other one an integer");
        }
    }

    fn common_pointer(
        &mut self,
        then: ExprId,
        otherwise: ExprId,
        x: QualType,
        y: QualType,
        span: Span,
    ) -> TypeId {
        if self.is_null_constant(then) {
            return self.ty(otherwise);
        }
        if self.is_null_constant(otherwise) {
            return self.ty(then);
        }
        let quals = x.quals.union(y.quals);
        let types = &self.unit.types;
        let void = types.basic.void;
        let pointee = if types.compatible(x.ty, y.ty) {
            self.unit.types.composite(x.ty, y.ty)
        } else {
            if x.ty != void && y.ty != void {
                self.warn(span, "the branches have different pointer types");
            }
            void
        };
        self.unit.types.pointer_to(QualType { ty: pointee, quals })
    }
}
