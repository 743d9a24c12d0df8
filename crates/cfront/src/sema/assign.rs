//! Assignments of all kinds.

use rhumb_program::Span;

use super::Sema;
use super::arith::symbol;
use super::convert::Context;
use crate::ast::{self, BinaryOp as AstBinary};
use crate::ctypes::{CType, TypeId};
use crate::hir::{BinaryOp, ExprId, ExprKind, Update, UpdateOp};

impl Sema<'_> {
    /// `lhs = rhs`, or `lhs op= rhs`.
    pub(super) fn assign(
        &mut self,
        op: Option<AstBinary>,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
        span: Span,
    ) -> ExprId {
        let place = self.expr(lhs);
        let value = self.rvalue(rhs);
        if self.is_error(place) {
            return place;
        }
        if self.is_error(value) {
            return value;
        }
        if !self.check_assignable(place, span) {
            return self.error_expr(span);
        }
        match op.and_then(arithmetic_op) {
            None => self.assign_value(place, value, span),
            Some(op) => self.compound_assign(op, place, value, span),
        }
    }

    /// `place = value`, converted.
    pub(super) fn assign_value(&mut self, place: ExprId, value: ExprId, span: Span) -> ExprId {
        let ty = self.ty(place);
        let value_span = self.span(value);
        let value = self.convert_assign(value, ty, Context::Assignment, value_span);
        if self.is_error(value) {
            return value;
        }
        self.push(ExprKind::Assign { place, value }, ty, span)
    }

    /// Reports a place that can't be assigned to.
    pub(super) fn check_assignable(&mut self, place: ExprId, span: Span) -> bool {
        if !self.is_lvalue(place) {
            let place_span = self.span(place);
            self.error(place_span, "this is not something that can be assigned to");
            return false;
        }
        let ty = self.ty(place);
        let problem = match self.unit.types.get(ty) {
            CType::Array(..) => Some("an array"),
            CType::Function(_) => Some("a function"),
            CType::Void => Some("`void`"),
            _ if !self.unit.types.is_complete(ty) => Some("an object of incomplete type"),
            _ if self.place_quals(place).is_const || self.has_const_member(ty) => {
                let name = match self.hir(place).kind {
                    ExprKind::Local(local) => Some(self.unit.body.locals[local].name.clone()),
                    ExprKind::Global(global) => Some(self.unit.globals[global].name.clone()),
                    _ => None,
                };
                if let Some(name) = name {
                    let message = format!("`{name}` is `const` and can't be assigned to");
                    self.error(span, message);
                    return false;
                }
                Some("a `const` object")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            self.error(span, format!("{problem} can't be assigned to"));
        }
        problem.is_none()
    }

    /// Whether a record has a member that is `const`, at any depth.
    fn has_const_member(&self, ty: TypeId) -> bool {
        let types = &self.unit.types;
        match types.get(ty) {
            CType::Record(id) => {
                let layout = types.records[*id].layout.iter();
                layout
                    .flat_map(|layout| &layout.fields)
                    .any(|field| field.ty.quals.is_const || self.has_const_member(field.ty.ty))
            }
            CType::Array(element, _) => element.quals.is_const || self.has_const_member(element.ty),
            _ => false,
        }
    }

    fn compound_assign(
        &mut self,
        op: BinaryOp,
        place: ExprId,
        value: ExprId,
        span: Span,
    ) -> ExprId {
        let (place_ty, value_ty) = (self.ty(place), self.ty(value));
        let types = &self.unit.types;
        if types.pointee(place_ty).is_some()
            && types.is_integer(value_ty)
            && matches!(op, BinaryOp::Add | BinaryOp::Sub)
        {
            return self.pointer_update(place, value, op == BinaryOp::Sub, false, span);
        }
        if !self.operands_fit(op, place_ty, value_ty) {
            return self.bad_operands(&format!("{}=", symbol(op)), place, value, span);
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.warn_zero_divisor(value, span);
        }
        // The node that stands for the old value only serves to find the type of the operation.
        let old_value = self.load(place);
        let (compute, rhs) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            (self.promoted_type(old_value), self.promote(value))
        } else {
            let ty = self.common_type(old_value, value);
            (ty, self.convert(value, ty))
        };
        let update = Update {
            place,
            op: UpdateOp::Binary(op),
            rhs,
            compute,
            old: false,
            atomic: self.place_quals(place).is_atomic,
        };
        self.push(ExprKind::Update(update), place_ty, span)
    }

    fn pointer_update(
        &mut self,
        place: ExprId,
        index: ExprId,
        subtract: bool,
        old: bool,
        span: Span,
    ) -> ExprId {
        let ty = self.ty(place);
        let Some(element_size) = self.element_size(ty, span) else {
            return self.error_expr(span);
        };
        let rhs = self.pointer_index(index);
        let op = UpdateOp::PtrAdd {
            element_size,
            subtract,
        };
        let update = Update {
            place,
            op,
            rhs,
            compute: ty,
            old,
            atomic: self.place_quals(place).is_atomic,
        };
        self.push(ExprKind::Update(update), ty, span)
    }

    /// `++` and `--`.
    pub(super) fn inc_dec(
        &mut self,
        arg: ast::ExprId,
        increment: bool,
        prefix: bool,
        span: Span,
    ) -> ExprId {
        let place = self.expr(arg);
        if self.is_error(place) {
            return place;
        }
        let ty = self.ty(place);
        if !self.unit.types.is_scalar(ty) {
            let sign = if increment { "++" } else { "--" };
            let shown = self.show(ty);
            return self.fail(span, format!("`{sign}` can't be applied to `{shown}`"));
        }
        if !self.check_assignable(place, span) {
            return self.error_expr(span);
        }
        self.step(place, increment, !prefix, span)
    }

    fn step(&mut self, place: ExprId, increment: bool, old: bool, span: Span) -> ExprId {
        let ty = self.ty(place);
        let int = self.unit.types.basic.int;
        let one = self.int_const(1, int, span);
        if self.unit.types.pointee(ty).is_some() {
            return self.pointer_update(place, one, !increment, old, span);
        }
        let op = if increment {
            BinaryOp::Add
        } else {
            BinaryOp::Sub
        };
        let old_value = self.load(place);
        let compute = self.common_type(old_value, one);
        let rhs = self.convert(one, compute);
        let update = Update {
            place,
            op: UpdateOp::Binary(op),
            rhs,
            compute,
            old,
            atomic: self.place_quals(place).is_atomic,
        };
        self.push(ExprKind::Update(update), ty, span)
    }
}

/// The operator of a compound assignment.
pub(super) fn arithmetic_op(op: AstBinary) -> Option<BinaryOp> {
    Some(match op {
        AstBinary::Mul => BinaryOp::Mul,
        AstBinary::Div => BinaryOp::Div,
        AstBinary::Rem => BinaryOp::Rem,
        AstBinary::Add => BinaryOp::Add,
        AstBinary::Sub => BinaryOp::Sub,
        AstBinary::Shl => BinaryOp::Shl,
        AstBinary::Shr => BinaryOp::Shr,
        AstBinary::BitAnd => BinaryOp::And,
        AstBinary::BitXor => BinaryOp::Xor,
        AstBinary::BitOr => BinaryOp::Or,
        AstBinary::Lt
        | AstBinary::Gt
        | AstBinary::Le
        | AstBinary::Ge
        | AstBinary::Eq
        | AstBinary::Ne
        | AstBinary::LogAnd
        | AstBinary::LogOr => return None,
    })
}
