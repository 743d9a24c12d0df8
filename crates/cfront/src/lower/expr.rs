//! Expressions for their value and for their effect.

use rhumb_program::{Action, ExprId, ExprKind, Span, Type, UnOp, VarId};

use super::call::Wanted;
use super::function::FunctionLowering;
use super::place::Lvalue;
use super::scopes::ScopeId;
use crate::ctypes::TypeId;
use crate::hir::{self, BinaryOp, ExprKind as Hir, UnaryOp, Update, UpdateOp};

/// Stack that must be left before going one level deeper, and how much is added when it isn't.
pub(super) const RED_ZONE: usize = 128 * 1024;
pub(super) const STACK_STEP: usize = 4 * 1024 * 1024;

/// What of an update is evaluated first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sequence {
    /// The place, the right side, the old value: one of several that don't differ.
    Usual,
    /// The place and the old value, then the right side.
    OldValue,
    /// The right side, then the place and the old value.
    RightSide,
}

impl FunctionLowering<'_, '_> {
    /// The value of a scalar expression, or the address of a record-typed one. The result is an expression over variables and holds as
    /// long as they aren't changed; [`FunctionLowering::capture`] keeps it longer.
    pub(super) fn value(&mut self, expr: hir::ExprId) -> ExprId {
        let value = stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.value_inner(expr));
        self.shallow(value, self.body.exprs[expr].span)
    }

    /// Evaluates a scalar expression into a variable of its type.
    pub(super) fn value_into(&mut self, id: hir::ExprId, dst: VarId) {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.value_into_inner(id, dst));
    }

    fn value_into_inner(&mut self, id: hir::ExprId, dst: VarId) {
        let expr = &self.body.exprs[id];
        let span = expr.span;
        match &expr.kind {
            Hir::Load(place) => {
                let place = self.place(*place);
                let value = self.read_into(&place, Some(dst), span);
                self.set(dst, value, span);
            }
            &Hir::Cond(cond, first, second) => {
                self.conditional(cond, [first, second], Some(dst), span);
            }
            &Hir::Comma(first, second) => {
                self.effect(first);
                self.value_into(second, dst);
            }
            Hir::Call { callee, args } => {
                let result = self.call(*callee, args, expr.ty, Wanted::In(dst), span);
                let value = result.unwrap_or_else(|| self.dummy(expr.ty));
                self.set(dst, value, span);
            }
            Hir::LogAnd(..) | Hir::LogOr(..) => self.short_circuit(id, dst, span),
            Hir::Convert(arg) if self.is_short_circuit(*arg) && self.is_exact(dst) => {
                self.short_circuit(*arg, dst, span);
            }
            Hir::StmtExpr {
                block,
                result: Some(result),
            } => {
                let outer = self.open_scope(ScopeId::of_block(block), span);
                self.stmts(&block.stmts);
                self.value_into(*result, dst);
                self.close_scope(outer, span);
            }
            _ => {
                let value = self.value(id);
                self.set(dst, value, span);
            }
        }
    }

    fn is_short_circuit(&self, id: hir::ExprId) -> bool {
        matches!(self.body.exprs[id].kind, Hir::LogAnd(..) | Hir::LogOr(..))
    }

    /// Whether 0 and 1 have those bits in the type of a variable.
    fn is_exact(&self, var: VarId) -> bool {
        let ty = self.unit.program.vars[var].ty;
        matches!(ty, Type::Bool | Type::Int(_))
    }

    /// Assigns a value to a variable, unless it is there.
    fn set(&mut self, dst: VarId, value: ExprId, span: Span) {
        if self.unit.program.exprs[value].kind != ExprKind::Var(dst) {
            self.assign(dst, value, span);
        }
    }

    fn value_inner(&mut self, id: hir::ExprId) -> ExprId {
        let expr = &self.body.exprs[id];
        let span = expr.span;
        let ty = expr.ty;
        match &expr.kind {
            Hir::Local(_)
            | Hir::Global(_)
            | Hir::Deref(_)
            | Hir::Member { .. }
            | Hir::CompoundLiteral { .. } => {
                let place = self.place(id);
                self.read(&place, span)
            }
            Hir::Load(place) => {
                let place = self.place(*place);
                if self.unit.is_record(ty) {
                    self.checked_address(&place, ty, false, span)
                } else {
                    self.read(&place, span)
                }
            }
            Hir::Decay(place) | Hir::AddrOf(place) => {
                let place = self.place(*place);
                self.address(&place)
            }
            Hir::Const(bits) => match self.scalar(ty) {
                Some(scalar) => self.node(ExprKind::Const(*bits), scalar),
                None => self.dummy(ty),
            },
            Hir::Function(function) => self.function_address(*function, span),
            Hir::Convert(arg) => match self.scalar(ty) {
                Some(Type::Bool) => self.truth(*arg),
                Some(to) => {
                    let value = self.value(*arg);
                    self.convert(value, to, span)
                }
                None => self.value(*arg),
            },
            Hir::Discard(arg) => {
                self.effect(*arg);
                self.dummy(ty)
            }
            Hir::Unary(op, arg) => {
                let value = self.value(*arg);
                match op {
                    UnaryOp::BitNot => {
                        let ty = self.ty(value);
                        self.node(ExprKind::Unary(UnOp::BitNot, value), ty)
                    }
                    UnaryOp::Neg => self.negate(value, span),
                }
            }
            &Hir::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = self.operands(lhs, rhs, span);
                self.arithmetic(op, lhs, rhs, span)
            }
            Hir::Compare(..) | Hir::LogNot(_) | Hir::LogAnd(..) | Hir::LogOr(..) => {
                let truth = self.truth(id);
                let ty = self.scalar(ty).unwrap_or(Type::Bool);
                self.convert(truth, ty, span)
            }
            &Hir::Cond(cond, first, second) => self.cond_value(cond, [first, second], ty, span),
            &Hir::PtrAdd {
                ptr,
                index,
                element_size,
                subtract,
            } => {
                let (ptr, index) = self.operands(ptr, index, span);
                let bytes = self.scaled(index, element_size, subtract, span);
                self.ptr_add(ptr, bytes)
            }
            &Hir::PtrDiff {
                lhs,
                rhs,
                element_size,
            } => {
                let (lhs, rhs) = self.operands(lhs, rhs, span);
                let diff_ty = Type::Int(self.unit.unit.types.model.ptrdiff_type());
                let bytes = self.node(ExprKind::PtrDiff(lhs, rhs), diff_ty);
                let size = self.value(element_size);
                let size = self.convert(size, diff_ty, span);
                match self.unit.program.exprs.as_int_const(size) {
                    // Empty structs have size 0; gcc's difference is then 0, too.
                    Some((_, 0)) => size,
                    Some((_, 1)) => bytes,
                    _ => self.arithmetic(BinaryOp::Div, bytes, size, span),
                }
            }
            &Hir::Assign { place, value } => self.assignment(place, value, span),
            Hir::Update(update) => self.update(update, update.old, span),
            &Hir::Comma(first, second) => {
                self.effect(first);
                self.value(second)
            }
            Hir::Call { callee, args } => {
                let result = self.call(*callee, args, ty, Wanted::Value, span);
                result.unwrap_or_else(|| self.dummy(ty))
            }
            Hir::StmtExpr { block, result } => {
                let outer = self.open_scope(ScopeId::of_block(block), span);
                self.stmts(&block.stmts);
                let value = match result {
                    // A record would die with its scope; a variable keeps its value until the scope is entered again.
                    Some(result) if self.unit.is_record(ty) => {
                        let value = self.value(*result);
                        self.copy_record(value, ty, span)
                    }
                    Some(result) => self.value(*result),
                    None => self.dummy(ty),
                };
                self.close_scope(outer, span);
                value
            }
            Hir::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args, ty, span),
            Hir::Unsupported(what) => {
                self.unsupported(what, span);
                self.dummy(ty)
            }
        }
    }

    /// Evaluates an expression and drops its value.
    pub(super) fn effect(&mut self, id: hir::ExprId) {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.effect_inner(id));
    }

    fn effect_inner(&mut self, id: hir::ExprId) {
        let expr = &self.body.exprs[id];
        let span = expr.span;
        match &expr.kind {
            Hir::Discard(arg) | Hir::Convert(arg) if self.scalar(expr.ty).is_none() => {
                self.effect(*arg)
            }
            &Hir::Cond(cond, first, second) => self.conditional(cond, [first, second], None, span),
            &Hir::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            Hir::LogAnd(..) | Hir::LogOr(..) => {
                let end = self.new_location();
                self.branch(id, end, end);
                self.continue_at(end);
            }
            Hir::Call { callee, args } => {
                self.call(*callee, args, expr.ty, Wanted::Nothing, span);
            }
            Hir::Update(update) => {
                self.update(update, false, span);
            }
            Hir::StmtExpr { block, result } => {
                let outer = self.open_scope(ScopeId::of_block(block), span);
                self.stmts(&block.stmts);
                if let Some(result) = result {
                    self.effect(*result);
                }
                self.close_scope(outer, span);
            }
            _ => {
                self.value(id);
            }
        }
    }

    /// Two operands: left before right, where the order doesn't matter.
    pub(super) fn operands(
        &mut self,
        lhs: hir::ExprId,
        rhs: hir::ExprId,
        span: Span,
    ) -> (ExprId, ExprId) {
        let order = self.order_of(lhs, rhs);
        if self.settle_order(order, span) {
            let values = self.values_in_both_orders(&[lhs, rhs], span);
            return (values[0], values[1]);
        }
        let left = self.value(lhs);
        let left = self.protect(left, self.effects[rhs], span);
        (left, self.value(rhs))
    }

    /// Something of the right type where no value can be: behind an unsupported construct, or for `void`.
    pub(super) fn dummy(&mut self, ty: TypeId) -> ExprId {
        let scalar = self.scalar(ty).unwrap_or(Type::Ptr);
        self.node(ExprKind::Const(0), scalar)
    }

    fn cond_value(
        &mut self,
        cond: hir::ExprId,
        branches: [hir::ExprId; 2],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let result = match self.scalar(ty) {
            Some(scalar) => scalar,
            None if self.unit.is_record(ty) => Type::Ptr,
            None => {
                self.conditional(cond, branches, None, span);
                return self.dummy(ty);
            }
        };
        let var = self.new_var(result, span);
        self.conditional(cond, branches, Some(var), span);
        self.var(var)
    }

    /// A copy of a record.
    pub(super) fn copy_record(&mut self, src: ExprId, ty: TypeId, span: Span) -> ExprId {
        let dst = self.temporary_object(ty, span);
        let size = self.size_of(ty);
        self.emit(Action::Copy { dst, src, size }, span);
        dst
    }

    fn assignment(&mut self, place: hir::ExprId, value: hir::ExprId, span: Span) -> ExprId {
        let ty = self.body.exprs[place].ty;
        let order = self.store_order(place, &[place, value], false);
        self.settle_order(order, span);
        let order = self.order_of(place, value);
        if self.settle_order(order, span) {
            return self.assignment_in_both_orders(place, value, span);
        }
        let target = self.place(place);
        if let Lvalue::Var(var) = target {
            self.value_into(value, var);
            return self.var(var);
        }
        let target = self.protect_place(target, self.effects[value], span);
        let value = self.value(value);
        if self.unit.is_record(ty) {
            let dst = self.checked_address(&target, ty, true, span);
            let size = self.size_of(ty);
            let src = value;
            self.emit(Action::Copy { dst, src, size }, span);
            return dst;
        }
        self.write(&target, value, span)
    }

    fn assignment_in_both_orders(
        &mut self,
        place: hir::ExprId,
        value: hir::ExprId,
        span: Span,
    ) -> ExprId {
        let ty = self.scalar(self.body.exprs[value].ty).unwrap_or(Type::Ptr);
        let (given, result) = (self.new_var(ty, span), self.new_var(ty, span));
        self.in_both_orders(span, |lowering, is_swapped| {
            let target = if is_swapped {
                lowering.value_into(value, given);
                lowering.place(place)
            } else {
                let target = lowering.place(place);
                let target = lowering.protect_place(target, lowering.effects[value], span);
                lowering.value_into(value, given);
                target
            };
            let given = lowering.var(given);
            let new = lowering.write(&target, given, span);
            lowering.set(result, new, span);
        });
        self.var(result)
    }

    /// `op=`, `++`, `--`. Gives the old value if that is wanted, otherwise the new one.
    fn update(&mut self, update: &Update, give_old: bool, span: Span) -> ExprId {
        if !update.atomic {
            let order = self.store_order(update.place, &[update.place, update.rhs], true);
            self.settle_order(order, span);
        }
        let order = self.update_order(update);
        if !self.settle_order(order, span) {
            return self.update_once(update, give_old, Sequence::Usual, span);
        }
        let ty = self.scalar(self.body.exprs[update.place].ty);
        let result = self.new_var(ty.unwrap_or(Type::Ptr), span);
        self.in_both_orders(span, |lowering, is_swapped| {
            let sequence = match is_swapped {
                true => Sequence::RightSide,
                false if update.atomic => Sequence::Usual,
                false => Sequence::OldValue,
            };
            let value = lowering.update_once(update, give_old, sequence, span);
            lowering.set(result, value, span);
        });
        self.var(result)
    }

    /// An update in one order.
    fn update_once(
        &mut self,
        update: &Update,
        give_old: bool,
        sequence: Sequence,
        span: Span,
    ) -> ExprId {
        let (place, rhs, early) = match sequence {
            Sequence::Usual => {
                let place = self.place(update.place);
                let place = self.protect_place(place, self.effects[update.rhs], span);
                (place, self.value(update.rhs), None)
            }
            Sequence::OldValue => {
                let place = self.place(update.place);
                let place = self.protect_place(place, self.effects[update.rhs], span);
                let old = self.read(&place, span);
                let old = self.capture(old, span);
                (place, self.value(update.rhs), Some(old))
            }
            Sequence::RightSide => {
                let rhs = self.value(update.rhs);
                let rhs = self.capture(rhs, span);
                (self.place(update.place), rhs, None)
            }
        };
        if update.atomic {
            self.begin_atomic(span);
        }
        let place = match update.atomic {
            true => Self::without_atomicity(place),
            false => place,
        };
        let place = self.check_writable(place, span);
        let old = match early {
            Some(old) => old,
            None => self.read(&place, span),
        };
        let old = if give_old {
            self.capture(old, span)
        } else {
            old
        };
        let place_ty = self.ty(old);
        let new = match update.op {
            UpdateOp::Binary(op) => {
                let compute = self.scalar(update.compute).unwrap_or(place_ty);
                let lhs = self.convert(old, compute, span);
                let result = self.arithmetic(op, lhs, rhs, span);
                if place_ty == Type::Bool {
                    self.not_zero(result)
                } else {
                    self.convert(result, place_ty, span)
                }
            }
            UpdateOp::PtrAdd {
                element_size,
                subtract,
            } => {
                let bytes = self.scaled(rhs, element_size, subtract, span);
                self.ptr_add(old, bytes)
            }
        };
        let new = self.write(&place, new, span);
        if update.atomic {
            self.end_atomic(span);
        }
        if give_old { old } else { new }
    }

    /// Index times element size, in bytes, as a signed number of pointer width. It wraps, as addresses do.
    pub(super) fn scaled(
        &mut self,
        index: ExprId,
        element_size: hir::ExprId,
        subtract: bool,
        span: Span,
    ) -> ExprId {
        let int = self.unit.unit.types.model.ptrdiff_type();
        let ty = Type::Int(int);
        let size = self.value(element_size);
        let size = self.convert(size, ty, span);
        let index = self.convert(index, ty, span);
        let bytes = self.wrapping(BinaryOp::Mul, index, size);
        if subtract {
            let zero = self.unit.int(int, 0);
            self.wrapping(BinaryOp::Sub, zero, bytes)
        } else {
            bytes
        }
    }
}
