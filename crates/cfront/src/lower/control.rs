//! Conditions: short-circuit operators and `?:` as control flow.

use rhumb_program::{Action, BinOp, ExprId, ExprKind, LocId, Span, Type, UnOp, VarId};

use super::function::FunctionLowering;
use crate::hir::{self, CompareOp, ExprKind as Hir};

impl FunctionLowering<'_, '_> {
    /// Evaluates a condition and goes to one of two locations.
    pub(super) fn branch(&mut self, cond: hir::ExprId, on_true: LocId, on_false: LocId) {
        stacker::maybe_grow(super::expr::RED_ZONE, super::expr::STACK_STEP, || {
            self.branch_inner(cond, on_true, on_false);
        });
    }

    fn branch_inner(&mut self, cond: hir::ExprId, on_true: LocId, on_false: LocId) {
        let expr = &self.body.exprs[cond];
        let span = expr.span;
        match &expr.kind {
            Hir::LogNot(arg) => self.branch(*arg, on_false, on_true),
            &Hir::LogAnd(lhs, rhs) => {
                let between = self.new_location();
                self.branch(lhs, between, on_false);
                self.continue_at(between);
                self.branch(rhs, on_true, on_false);
            }
            &Hir::LogOr(lhs, rhs) => {
                let between = self.new_location();
                self.branch(lhs, on_true, between);
                self.continue_at(between);
                self.branch(rhs, on_true, on_false);
            }
            Hir::Convert(arg) if self.keeps_truth(cond, *arg) => {
                self.branch(*arg, on_true, on_false)
            }
            &Hir::Comma(first, second) => {
                self.effect(first);
                self.branch(second, on_true, on_false);
            }
            _ => {
                let value = self.truth(cond);
                match self.unit.program.exprs[value].kind {
                    ExprKind::Const(bits) => {
                        let to = if bits == 0 { on_false } else { on_true };
                        self.leave_with(Action::Skip, to, span);
                    }
                    _ => {
                        self.split(value, on_true, on_false, span);
                        self.mark_condition();
                    }
                }
            }
        }
    }

    /// Whether a conversion has a value other than zero exactly when its argument has.
    fn keeps_truth(&self, convert: hir::ExprId, arg: hir::ExprId) -> bool {
        let to = self.scalar(self.body.exprs[convert].ty);
        let from = self.scalar(self.body.exprs[arg].ty);
        match (from, to) {
            (Some(_), Some(Type::Bool)) | (Some(Type::Bool), Some(_)) => true,
            (Some(Type::Int(from)), Some(Type::Int(to))) => to.width >= from.width,
            _ => false,
        }
    }

    /// Whether a scalar is different from zero, as a `Bool` expression.
    pub(super) fn truth(&mut self, expr: hir::ExprId) -> ExprId {
        let node = &self.body.exprs[expr];
        let span = node.span;
        match node.kind {
            Hir::Compare(op, lhs, rhs) => self.compare(op, lhs, rhs, span),
            Hir::LogNot(arg) => {
                let value = self.truth(arg);
                self.not(value)
            }
            Hir::Convert(arg) if self.keeps_truth(expr, arg) => self.truth(arg),
            Hir::LogAnd(..) | Hir::LogOr(..) => {
                let var = self.new_var(Type::Bool, span);
                self.short_circuit(expr, var, span);
                self.var(var)
            }
            _ if self.is_any_pointer(expr) => self.any_truth(expr),
            _ => {
                let value = self.value(expr);
                self.not_zero(value)
            }
        }
    }

    /// Negation, pushed into comparisons that have an exact opposite.
    fn not(&mut self, value: ExprId) -> ExprId {
        let exprs = &self.unit.program.exprs;
        let is_float = |expr: ExprId| matches!(exprs.ty(expr), Type::Float(_));
        let opposite = match exprs[value].kind {
            ExprKind::Const(bits) => ExprKind::Const(1 - bits.min(1)),
            ExprKind::Binary(BinOp::Eq, lhs, rhs) => ExprKind::Binary(BinOp::Ne, lhs, rhs),
            ExprKind::Binary(BinOp::Ne, lhs, rhs) => ExprKind::Binary(BinOp::Eq, lhs, rhs),
            ExprKind::Binary(BinOp::Lt, lhs, rhs) if !is_float(lhs) => {
                ExprKind::Binary(BinOp::Le, rhs, lhs)
            }
            ExprKind::Binary(BinOp::Le, lhs, rhs) if !is_float(lhs) => {
                ExprKind::Binary(BinOp::Lt, rhs, lhs)
            }
            ExprKind::Unary(UnOp::Not, arg) => return arg,
            _ => ExprKind::Unary(UnOp::Not, value),
        };
        self.node(opposite, Type::Bool)
    }

    /// `value != 0` for a value of any scalar type.
    pub(super) fn not_zero(&mut self, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        match (self.unit.program.exprs[value].kind, ty) {
            (_, Type::Bool) => value,
            (ExprKind::Const(bits), Type::Int(_) | Type::Ptr) => {
                self.node(ExprKind::Const(u128::from(bits != 0)), Type::Bool)
            }
            // An integer made of an address, with all of its bits.
            (ExprKind::Cast(arg), Type::Int(int))
                if self.ty(arg) == Type::Ptr
                    && int.width == self.unit.unit.types.model.pointer_width() =>
            {
                self.not_zero(arg)
            }
            // An integer made of a truth value.
            (ExprKind::Cast(arg), Type::Int(_)) if self.ty(arg) == Type::Bool => arg,
            _ => {
                let zero = self.node(ExprKind::Const(0), ty);
                self.node(ExprKind::Binary(BinOp::Ne, value, zero), Type::Bool)
            }
        }
    }

    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        lhs: hir::ExprId,
        rhs: hir::ExprId,
        span: Span,
    ) -> ExprId {
        let (lhs, rhs) = self.operands(lhs, rhs, span);
        let (op, lhs, rhs) = match op {
            CompareOp::Eq => (BinOp::Eq, lhs, rhs),
            CompareOp::Ne => (BinOp::Ne, lhs, rhs),
            CompareOp::Lt => (BinOp::Lt, lhs, rhs),
            CompareOp::Le => (BinOp::Le, lhs, rhs),
            CompareOp::Gt => (BinOp::Lt, rhs, lhs),
            CompareOp::Ge => (BinOp::Le, rhs, lhs),
        };
        let (lhs, rhs) = match op {
            BinOp::Eq | BinOp::Ne => self.as_pointers(lhs, rhs).unwrap_or((lhs, rhs)),
            _ => (lhs, rhs),
        };
        self.node(ExprKind::Binary(op, lhs, rhs), Type::Bool)
    }

    /// The pointers, if two integers are made of pointers, with all of their bits: they are equal if and only if the
    /// pointers are, and of those more is known. One of them may be the constant zero, made of null.
    fn as_pointers(&mut self, lhs: ExprId, rhs: ExprId) -> Option<(ExprId, ExprId)> {
        let width = self.unit.unit.types.model.pointer_width();
        let exprs = &self.unit.program.exprs;
        let pointer = |value: ExprId| match (exprs[value].kind, exprs.ty(value)) {
            (ExprKind::Cast(arg), Type::Int(int))
                if int.width == width && exprs.ty(arg) == Type::Ptr =>
            {
                Some(arg)
            }
            _ => None,
        };
        let is_zero = |value: ExprId| exprs[value].kind == ExprKind::Const(0);
        match (pointer(lhs), pointer(rhs)) {
            (Some(lhs), Some(rhs)) => Some((lhs, rhs)),
            (Some(lhs), None) if is_zero(rhs) => {
                Some((lhs, self.node(ExprKind::Const(0), Type::Ptr)))
            }
            (None, Some(rhs)) if is_zero(lhs) => {
                Some((self.node(ExprKind::Const(0), Type::Ptr), rhs))
            }
            _ => None,
        }
    }

    /// Evaluates a condition into a variable: 1 if it holds, otherwise 0.
    pub(super) fn short_circuit(&mut self, cond: hir::ExprId, dst: VarId, span: Span) {
        let ty = self.unit.program.vars[dst].ty;
        let (on_true, on_false, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        self.decide(cond, on_true, on_false);
        for (location, holds) in [(on_true, true), (on_false, false)] {
            self.continue_at(location);
            let value = self.node(ExprKind::Const(u128::from(holds)), ty);
            self.leave_with(Action::Assign { dst, value }, end, span);
        }
        self.continue_at(end);
    }

    /// `cond ? first : second`; the value is in the variable if there is one.
    pub(super) fn conditional(
        &mut self,
        cond: hir::ExprId,
        branches: [hir::ExprId; 2],
        result: Option<VarId>,
        span: Span,
    ) {
        let (first, second, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        self.decide(cond, first, second);
        for (location, branch) in [first, second].into_iter().zip(branches) {
            self.continue_at(location);
            match result {
                Some(var) if self.unit.is_record(self.body.exprs[branch].ty) => {
                    let value = self.value(branch);
                    self.assign(var, value, span);
                }
                Some(var) => self.value_into(branch, var),
                None => self.effect(branch),
            }
            self.jump(end, span);
        }
        self.continue_at(end);
    }
}
