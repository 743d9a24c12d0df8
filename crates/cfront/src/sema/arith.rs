//! Binary operators.

use rhumb_program::Span;

use super::Sema;
use crate::ast::{self, BinaryOp as AstBinary, ExprKind as AstExpr};
use crate::ctypes::{CType, QualType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{BinaryOp, CompareOp, ExprId, ExprKind};

impl Sema<'_> {
    /// A binary expression. The left operands of a long chain are walked in a loop, so that `1 + 1 + …` needs no stack.
    pub(super) fn binary_chain(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast;
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let AstExpr::Binary(op, lhs, rhs) = &ast.exprs[leftmost].kind {
            spine.push((*op, *rhs, ast.exprs[leftmost].span));
            leftmost = *lhs;
        }
        let mut result = self.expr(leftmost);
        for (op, rhs, span) in spine.into_iter().rev() {
            let lhs = self.value(result);
            let rhs = self.rvalue(rhs);
            result = self.binary(op, lhs, rhs, span);
        }
        result
    }

    /// An operator applied to two values.
    fn binary(&mut self, op: AstBinary, lhs: ExprId, rhs: ExprId, span: Span) -> ExprId {
        if self.is_error(lhs) {
            return lhs;
        }
        if self.is_error(rhs) {
            return rhs;
        }
        match op {
            AstBinary::LogAnd => self.logical(true, lhs, rhs, span),
            AstBinary::LogOr => self.logical(false, lhs, rhs, span),
            AstBinary::Eq => self.compare(CompareOp::Eq, lhs, rhs, span),
            AstBinary::Ne => self.compare(CompareOp::Ne, lhs, rhs, span),
            AstBinary::Lt => self.compare(CompareOp::Lt, lhs, rhs, span),
            AstBinary::Gt => self.compare(CompareOp::Gt, lhs, rhs, span),
            AstBinary::Le => self.compare(CompareOp::Le, lhs, rhs, span),
            AstBinary::Ge => self.compare(CompareOp::Ge, lhs, rhs, span),
            AstBinary::Mul => self.arithmetic(BinaryOp::Mul, lhs, rhs, span),
            AstBinary::Div => self.arithmetic(BinaryOp::Div, lhs, rhs, span),
            AstBinary::Rem => self.arithmetic(BinaryOp::Rem, lhs, rhs, span),
            AstBinary::Add => self.arithmetic(BinaryOp::Add, lhs, rhs, span),
            AstBinary::Sub => self.arithmetic(BinaryOp::Sub, lhs, rhs, span),
            AstBinary::Shl => self.arithmetic(BinaryOp::Shl, lhs, rhs, span),
            AstBinary::Shr => self.arithmetic(BinaryOp::Shr, lhs, rhs, span),
            AstBinary::BitAnd => self.arithmetic(BinaryOp::And, lhs, rhs, span),
            AstBinary::BitXor => self.arithmetic(BinaryOp::Xor, lhs, rhs, span),
            AstBinary::BitOr => self.arithmetic(BinaryOp::Or, lhs, rhs, span),
        }
    }

    fn logical(&mut self, and: bool, lhs: ExprId, rhs: ExprId, span: Span) -> ExprId {
        let what = if and {
            "an operand of `&&`"
        } else {
            "an operand of `||`"
        };
        for operand in [lhs, rhs] {
            let checked = self.check_scalar(operand, what);
            if self.is_error(checked) {
                return checked;
            }
        }
        let kind = if and {
            ExprKind::LogAnd(lhs, rhs)
        } else {
            ExprKind::LogOr(lhs, rhs)
        };
        self.push(kind, self.unit.types.basic.int, span)
    }

    /// An arithmetic operator on two values, with the conversions that it asks for.
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> ExprId {
        let types = &self.unit.types;
        let (lhs_ty, rhs_ty) = (self.ty(lhs), self.ty(rhs));
        match op {
            BinaryOp::Add if types.is_integer(rhs_ty) && types.pointee(lhs_ty).is_some() => {
                return self.pointer_add(lhs, rhs, false, span);
            }
            BinaryOp::Add if types.is_integer(lhs_ty) && types.pointee(rhs_ty).is_some() => {
                return self.pointer_add(rhs, lhs, false, span);
            }
            BinaryOp::Sub if types.pointee(lhs_ty).is_some() => {
                if types.is_integer(rhs_ty) {
                    return self.pointer_add(lhs, rhs, true, span);
                }
                if types.pointee(rhs_ty).is_some() {
                    return self.pointer_difference(lhs, rhs, span);
                }
            }
            _ => {}
        }
        if !self.operands_fit(op, lhs_ty, rhs_ty) {
            return self.bad_operands(symbol(op), lhs, rhs, span);
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let (lhs, rhs) = (self.promote(lhs), self.promote(rhs));
            let ty = self.ty(lhs);
            return self.push(ExprKind::Binary(op, lhs, rhs), ty, span);
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.warn_zero_divisor(rhs, span);
        }
        let ty = self.common_type(lhs, rhs);
        let (lhs, rhs) = (self.convert(lhs, ty), self.convert(rhs, ty));
        self.push(ExprKind::Binary(op, lhs, rhs), ty, span)
    }

    /// Whether an arithmetic operator takes two operands of these types (pointers aside).
    pub(super) fn operands_fit(&self, op: BinaryOp, lhs: TypeId, rhs: TypeId) -> bool {
        let types = &self.unit.types;
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                types.is_arithmetic(lhs) && types.is_arithmetic(rhs)
            }
            _ => types.is_integer(lhs) && types.is_integer(rhs),
        }
    }

    pub(super) fn warn_zero_divisor(&mut self, rhs: ExprId, span: Span) {
        if matches!(self.hir(rhs).kind, ExprKind::Const(0))
            && self.unit.types.is_integer(self.ty(rhs))
        {
            self.warn(span, "division by zero");
        }
    }

    pub(super) fn bad_operands(
        &mut self,
        symbol: &str,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> ExprId {
        let (left, right) = (self.show(self.ty(lhs)), self.show(self.ty(rhs)));
        self.diags.push(
            Diagnostic::error(
                span,
                format!("`{symbol}` can't be applied to `{left}` and `{right}`"),
            )
            .with_label("wrong types of operands"),
        );
        self.error_expr(span)
    }

    /// `pointer + index`, or `-`.
    pub(super) fn pointer_add(
        &mut self,
        ptr: ExprId,
        index: ExprId,
        subtract: bool,
        span: Span,
    ) -> ExprId {
        let ty = self.ty(ptr);
        let Some(element_size) = self.element_size(ty, span) else {
            return self.error_expr(span);
        };
        let index = self.pointer_index(index);
        let kind = ExprKind::PtrAdd {
            ptr,
            index,
            element_size,
            subtract,
        };
        self.push(kind, ty, span)
    }

    /// An index as an integer of pointer width.
    pub(super) fn pointer_index(&mut self, index: ExprId) -> ExprId {
        let index = self.promote(index);
        let signed = match self.unit.types.scalar(self.ty(index)) {
            Some(rhumb_program::Type::Int(int)) => int.signed,
            _ => false,
        };
        let basic = self.unit.types.basic;
        self.convert(index, if signed { basic.ptrdiff } else { basic.size })
    }

    /// The size of what a pointer points to, as an expression. (Functions and `void` count as one byte, as in GNU C.)
    pub(super) fn element_size(&mut self, pointer: TypeId, span: Span) -> Option<ExprId> {
        let pointee = self.unit.types.pointee(pointer)?.ty;
        if matches!(
            self.unit.types.get(pointee),
            CType::Void | CType::Function(_)
        ) {
            return Some(self.size_const(1, span));
        }
        if !self.unit.types.is_complete(pointee) {
            let shown = self.show(pointee);
            let message = format!("arithmetic on a pointer to the incomplete type `{shown}`");
            self.error(span, message);
            return None;
        }
        Some(self.size_expr(pointee, span))
    }

    fn pointer_difference(&mut self, lhs: ExprId, rhs: ExprId, span: Span) -> ExprId {
        let (lhs_ty, rhs_ty) = (self.ty(lhs), self.ty(rhs));
        let types = &self.unit.types;
        let alike = match (types.pointee(lhs_ty), types.pointee(rhs_ty)) {
            (Some(a), Some(b)) => types.compatible(a.ty, b.ty),
            _ => false,
        };
        if !alike {
            return self.bad_operands("-", lhs, rhs, span);
        }
        let Some(element_size) = self.element_size(lhs_ty, span) else {
            return self.error_expr(span);
        };
        let kind = ExprKind::PtrDiff {
            lhs,
            rhs,
            element_size,
        };
        self.push(kind, self.unit.types.basic.ptrdiff, span)
    }

    /// A comparison of two values.
    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> ExprId {
        let types = &self.unit.types;
        let (lhs_ty, rhs_ty) = (self.ty(lhs), self.ty(rhs));
        let ty = if types.is_arithmetic(lhs_ty) && types.is_arithmetic(rhs_ty) {
            self.common_type(lhs, rhs)
        } else {
            match (types.pointee(lhs_ty), types.pointee(rhs_ty)) {
                (Some(a), Some(b)) => {
                    self.check_comparable(a, b, lhs, rhs, span);
                    lhs_ty
                }
                (Some(_), None) if types.is_integer(rhs_ty) => {
                    self.check_pointer_with_integer(rhs, span);
                    lhs_ty
                }
                (None, Some(_)) if types.is_integer(lhs_ty) => {
                    self.check_pointer_with_integer(lhs, span);
                    rhs_ty
                }
                _ => return self.bad_operands(compare_symbol(op), lhs, rhs, span),
            }
        };
        let (lhs, rhs) = (self.convert(lhs, ty), self.convert(rhs, ty));
        self.push(
            ExprKind::Compare(op, lhs, rhs),
            self.unit.types.basic.int,
            span,
        )
    }

    fn check_comparable(&mut self, a: QualType, b: QualType, lhs: ExprId, rhs: ExprId, span: Span) {
        let types = &self.unit.types;
        let is_void = |ty: QualType| matches!(types.get(ty.ty), CType::Void);
        let fits = is_void(a) || is_void(b) || types.compatible(a.ty, b.ty);
        if !fits && !self.is_null_constant(lhs) && !self.is_null_constant(rhs) {
            self.warn(span, "comparison of distinct pointer types lacks a cast");
        }
    }

    fn check_pointer_with_integer(&mut self, integer: ExprId, span: Span) {
        if !self.is_null_constant(integer) {
            self.warn(span, "comparison between pointer and integer");
        }
    }
}

/// The operator as C writes it.
pub(super) fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

fn compare_symbol(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
