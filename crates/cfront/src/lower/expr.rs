//! Expressions for their value and for their effect.

use index_vec::IndexVec;
use rhumb_program::{Action, BinOp, ExprId, ExprKind, Span, Type, UnOp};

use super::function::FunctionLowering;
use super::place::Place;
use super::scopes::ScopeId;
use crate::ctypes::TypeId;
use crate::hir::{self, BinaryOp, Body, ExprKind as Hir, UnaryOp, Update, UpdateOp};

/// Stack that must be left before going one level deeper, and how much is added when it isn't.
pub(super) const RED_ZONE: usize = 128 * 1024;
pub(super) const STACK_STEP: usize = 4 * 1024 * 1024;

/// For each expression of a body, whether evaluating it can change what another expression reads.
pub(super) fn effects(body: &Body) -> IndexVec<hir::ExprId, bool> {
    let mut effects: IndexVec<hir::ExprId, bool> = IndexVec::with_capacity(body.exprs.len());
    for expr in &body.exprs {
        let mut has_effect = matches!(
            expr.kind,
            Hir::CompoundLiteral { .. }
                | Hir::Assign { .. }
                | Hir::Update(_)
                | Hir::Call { .. }
                | Hir::StmtExpr { .. }
                | Hir::Intrinsic(..)
                | Hir::Unsupported(_)
        );
        expr.for_each_operand(&mut |operand| {
            // An operand that stands behind its operator in the arena is taken to have effects.
            has_effect |= effects.get(operand).copied().unwrap_or(true);
        });
        effects.push(has_effect);
    }
    effects
}

impl FunctionLowering<'_, '_> {
    /// The value of a scalar expression, or the address of a record-typed one. The result is an expression over variables and holds as
    /// long as they aren't changed; [`FunctionLowering::capture`] keeps it longer.
    pub(super) fn value(&mut self, expr: hir::ExprId) -> ExprId {
        let value = stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.value_inner(expr));
        self.shallow(value, self.body.exprs[expr].span)
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
            Hir::Function(function) => self.function_address(*function),
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
                    _ => self.node(ExprKind::Binary(BinOp::Div, bytes, size), diff_ty),
                }
            }
            &Hir::Assign { place, value } => self.assignment(place, value, span),
            Hir::Update(update) => self.update(update, span),
            &Hir::Comma(first, second) => {
                self.effect(first);
                self.value(second)
            }
            Hir::Call { callee, args } => {
                let result = self.call(*callee, args, ty, true, span);
                result.unwrap_or_else(|| self.dummy(ty))
            }
            Hir::StmtExpr { block, result } => {
                let outer = self.open_scope(ScopeId::of_block(block), span);
                self.stmts(&block.stmts);
                let value = match result {
                    Some(result) => {
                        let value = self.value(*result);
                        self.keep_record(value, ty, span)
                    }
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
                self.call(*callee, args, expr.ty, false, span);
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

    /// Two operands, left before right.
    pub(super) fn operands(
        &mut self,
        lhs: hir::ExprId,
        rhs: hir::ExprId,
        span: Span,
    ) -> (ExprId, ExprId) {
        let mut left = self.value(lhs);
        if self.effects[rhs] {
            left = self.capture(left, span);
        }
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

    /// A record that would die with its scope is copied out. (A variable keeps its value until the scope is entered again.)
    fn keep_record(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        if !self.unit.is_record(ty) {
            return value;
        }
        let dst = self.temporary_object(ty, span);
        let size = self.size_of(ty);
        let src = value;
        self.emit(Action::Copy { dst, src, size }, span);
        dst
    }

    fn assignment(&mut self, place: hir::ExprId, value: hir::ExprId, span: Span) -> ExprId {
        let ty = self.body.exprs[place].ty;
        let mut target = self.place(place);
        if self.effects[value] {
            target = self.capture_place(target, span);
        }
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

    fn update(&mut self, update: &Update, span: Span) -> ExprId {
        let place = self.place(update.place);
        let mut place = self.capture_place(place, span);
        let rhs = self.value(update.rhs);
        if let Place::Memory(memory) = &mut place {
            memory.ptr = self.atomic(memory.ptr, span);
        }
        let old = self.read(&place, span);
        let old = if update.old {
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
        if update.old { old } else { new }
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
