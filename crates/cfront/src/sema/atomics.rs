//! Atomic built-in functions: each is a sequence of accesses, between marks where there is more than one.

use rhumb_program::{Span, Type};

use super::Sema;
use crate::ast;
use crate::ctypes::{CType, TypeId};
use crate::hir::{BinaryOp, CompareOp, ExprId, ExprKind, Intrinsic, LocalId, Update, UpdateOp};

/// What an atomic builtin does.
#[derive(Clone, Copy)]
enum Atomic {
    /// Nothing (a fence).
    Fence,
    /// Reads.
    Load,
    /// Reads, and writes the value to where the second pointer points.
    LoadTo,
    /// Writes the value to which the second pointer points.
    StoreFrom,
    /// Writes.
    Store,
    /// Writes and gives the old value.
    Exchange,
    /// Writes zero.
    Clear,
    /// Computes and gives the old value or the new one.
    Update { op: BinaryOp, old: bool },
    /// Writes if the old value is the expected one; gives whether it was, or the old value.
    CompareAndSwap { give_old: bool },
    /// The same, with the expected value behind a pointer that gets the old value otherwise; the new value may be behind one, too.
    CompareExchange { indirect: bool },
}

fn atomic(name: &str) -> Option<Atomic> {
    let operation = |name: &str| match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "or" => Some(BinaryOp::Or),
        "and" => Some(BinaryOp::And),
        "xor" => Some(BinaryOp::Xor),
        _ => None,
    };
    let update = |name: &str, old| operation(name).map(|op| Atomic::Update { op, old });
    if let Some(name) = name.strip_prefix("__sync_") {
        return match name {
            "synchronize" => Some(Atomic::Fence),
            "bool_compare_and_swap" => Some(Atomic::CompareAndSwap { give_old: false }),
            "val_compare_and_swap" => Some(Atomic::CompareAndSwap { give_old: true }),
            "lock_test_and_set" => Some(Atomic::Exchange),
            "lock_release" => Some(Atomic::Clear),
            _ => match (
                name.strip_prefix("fetch_and_"),
                name.strip_suffix("_and_fetch"),
            ) {
                (Some(name), _) => update(name, true),
                (_, Some(name)) => update(name, false),
                _ => None,
            },
        };
    }
    let name = name.strip_prefix("__atomic_")?;
    match name {
        "thread_fence" | "signal_fence" => Some(Atomic::Fence),
        "load" => Some(Atomic::LoadTo),
        "store" => Some(Atomic::StoreFrom),
        "compare_exchange" => Some(Atomic::CompareExchange { indirect: true }),
        "load_n" => Some(Atomic::Load),
        "store_n" => Some(Atomic::Store),
        "exchange_n" => Some(Atomic::Exchange),
        "compare_exchange_n" => Some(Atomic::CompareExchange { indirect: false }),
        _ => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
            (Some(name), _) => update(name, true),
            (_, Some(name)) => update(name, false),
            _ => None,
        },
    }
}

impl Sema<'_> {
    /// A call of `__sync_…` or `__atomic_…`.
    pub(super) fn atomic_call(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let Some(operation) = atomic(name) else {
            return self.unknown_builtin(name, args, span);
        };
        let count = match operation {
            Atomic::Fence => 0,
            Atomic::Load | Atomic::Clear => 1,
            Atomic::LoadTo
            | Atomic::StoreFrom
            | Atomic::Store
            | Atomic::Exchange
            | Atomic::Update { .. } => 2,
            Atomic::CompareAndSwap { .. } | Atomic::CompareExchange { .. } => 3,
        };
        let values = match self.take_args(name, args, count, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        // Memory orders and the like are constants in practice; if not, what they do would be lost.
        if !values[count..]
            .iter()
            .all(|&value| self.fold_integer(value).is_some())
        {
            return self.unsupported(format!("`{name}`"), span);
        }
        if matches!(operation, Atomic::Fence) {
            let int = self.unit.types.basic.int;
            let zero = self.int_const(0, int, span);
            return self.discard(zero);
        }
        let pointer = values[0];
        let ty = match self.unit.types.pointee(self.ty(pointer)) {
            Some(pointee) if self.unit.types.is_scalar(pointee.ty) => pointee.ty,
            _ => return self.fail(span, format!("`{name}` needs a pointer to a scalar")),
        };
        match operation {
            Atomic::Fence => pointer,
            Atomic::Load => {
                let place = self.atomic_place(pointer, span);
                self.value(place)
            }
            Atomic::LoadTo | Atomic::StoreFrom => {
                let pointer = self.atomic_pointer(pointer);
                let (from, to) = match operation {
                    Atomic::LoadTo => (pointer, values[1]),
                    _ => (values[1], pointer),
                };
                // What is read is what is there when both are known.
                let (keep_from, from) = self.keep(from);
                let (keep_to, to) = self.keep(to);
                let arguments = self.together(&[keep_from, keep_to], span);
                let from = self.kept(from, span);
                let value = self.pointed_value(from, span);
                let place = self.kept_place(to, span);
                if self.is_error(value) || self.is_error(place) {
                    return self.error_expr(span);
                }
                let assignment = self.assign_value(place, value, span);
                let assignment = self.discard(assignment);
                self.sequence(arguments, assignment)
            }
            Atomic::Store => {
                let place = self.atomic_place(pointer, span);
                let assignment = self.assign_value(place, values[1], span);
                self.discard(assignment)
            }
            Atomic::Clear => {
                let int = self.unit.types.basic.int;
                let place = self.atomic_place(pointer, span);
                let zero = self.int_const(0, int, span);
                let assignment = self.assign_value(place, zero, span);
                self.discard(assignment)
            }
            Atomic::Exchange => self.exchange(pointer, values[1], ty, span),
            Atomic::Update { op, old } => self.atomic_update(name, op, old, &values, ty, span),
            Atomic::CompareAndSwap { give_old } => {
                let expected = self.convert(values[1], ty);
                let desired = self.convert(values[2], ty);
                let (keep_pointer, pointer) = self.keep(pointer);
                let (keep_expected, expected) = self.keep(expected);
                let (keep_desired, desired) = self.keep(desired);
                let arguments = self.together(&[keep_pointer, keep_expected, keep_desired], span);
                let kept = [pointer, expected, desired];
                let result = self.compare_and_swap(kept, give_old, ty, span);
                self.sequence(arguments, result)
            }
            Atomic::CompareExchange { indirect } => {
                self.compare_exchange([pointer, values[1], values[2]], indirect, ty, span)
            }
        }
    }

    fn atomic_update(
        &mut self,
        name: &str,
        op: BinaryOp,
        old: bool,
        values: &[ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        // On a pointer the operation counts bytes; arithmetic on the address alone has no meaning in the model.
        let (CType::Int(kind), true) = (self.unit.types.get(ty), self.is_number(values[1])) else {
            return self.unsupported(format!("`{name}` of this type"), span);
        };
        // Atomic arithmetic wraps, also for signed types.
        let compute = kind.to_unsigned();
        let compute = self.unit.types.int(compute);
        let rhs = self.convert(values[1], compute);
        let place = self.deref(values[0], span);
        let update = Update {
            place,
            op: UpdateOp::Binary(op),
            rhs,
            compute,
            old,
            atomic: true,
        };
        self.push(ExprKind::Update(update), ty, span)
    }

    fn is_number(&self, value: ExprId) -> bool {
        matches!(
            self.unit.types.scalar(self.ty(value)),
            Some(Type::Int(_) | Type::Bool)
        )
    }

    /// The same pointer, to something `_Atomic`.
    fn atomic_pointer(&mut self, pointer: ExprId) -> ExprId {
        match self.unit.types.pointee(self.ty(pointer)) {
            Some(mut pointee) => {
                pointee.quals.is_atomic = true;
                let ty = self.unit.types.pointer_to(pointee);
                self.convert(pointer, ty)
            }
            None => pointer,
        }
    }

    /// What a pointer points to, accessed atomically.
    fn atomic_place(&mut self, pointer: ExprId, span: Span) -> ExprId {
        let pointer = self.atomic_pointer(pointer);
        self.deref(pointer, span)
    }

    fn pointed_value(&mut self, pointer: ExprId, span: Span) -> ExprId {
        let place = self.deref(pointer, span);
        self.value(place)
    }

    /// The place to which a kept pointer points.
    fn kept_place(&mut self, pointer: LocalId, span: Span) -> ExprId {
        let pointer = self.kept(pointer, span);
        self.deref(pointer, span)
    }

    fn exchange(&mut self, pointer: ExprId, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        let value = self.convert(value, ty);
        let (keep_pointer, pointer) = self.keep(pointer);
        let (keep_value, value) = self.keep(value);
        let arguments = self.together(&[keep_pointer, keep_value], span);
        let place = self.kept_place(pointer, span);
        let old = self.value(place);
        let (keep_old, old) = self.keep(old);
        let place = self.kept_place(pointer, span);
        let value = self.kept(value, span);
        let assignment = self.push(ExprKind::Assign { place, value }, ty, span);
        let result = self.kept(old, span);
        let (begin, end) = self.marks(span);
        self.in_order(&[arguments, begin, keep_old, assignment, end], result)
    }

    /// The marks around accesses that are one step to other threads.
    fn marks(&mut self, span: Span) -> (ExprId, ExprId) {
        let void = self.unit.types.basic.void;
        let mut mark =
            |intrinsic| self.push(ExprKind::Intrinsic(intrinsic, Vec::new()), void, span);
        (mark(Intrinsic::AtomicBegin), mark(Intrinsic::AtomicEnd))
    }

    /// Evaluates the arguments of a call, in any order.
    fn together(&mut self, args: &[ExprId], span: Span) -> ExprId {
        let kind = ExprKind::Intrinsic(Intrinsic::Together, args.to_vec());
        self.push(kind, self.unit.types.basic.void, span)
    }

    fn in_order(&mut self, effects: &[ExprId], result: ExprId) -> ExprId {
        let mut value = result;
        for &effect in effects.iter().rev() {
            value = self.sequence(effect, value);
        }
        value
    }

    fn compare_and_swap(
        &mut self,
        [pointer, expected, desired]: [LocalId; 3],
        give_old: bool,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let basic = self.unit.types.basic;
        let (begin, end) = self.marks(span);
        let place = self.kept_place(pointer, span);
        let old = self.value(place);
        let (keep_old, old) = self.keep(old);
        let (a, b) = (self.kept(old, span), self.kept(expected, span));
        let equal = self.push(ExprKind::Compare(CompareOp::Eq, a, b), basic.int, span);
        let place = self.kept_place(pointer, span);
        let value = self.kept(desired, span);
        let assignment = self.push(ExprKind::Assign { place, value }, ty, span);
        let result = if give_old {
            let swap = self.discard(assignment);
            let zero = self.int_const(0, basic.int, span);
            let nothing = self.discard(zero);
            let swap = self.push(ExprKind::Cond(equal, swap, nothing), basic.void, span);
            let old = self.kept(old, span);
            self.in_order(&[swap, end], old)
        } else {
            let (one, zero) = (
                self.int_const(1, basic.bool, span),
                self.int_const(0, basic.bool, span),
            );
            let swapped = self.in_order(&[assignment, end], one);
            let (_, end) = self.marks(span);
            let kept = self.sequence(end, zero);
            self.push(ExprKind::Cond(equal, swapped, kept), basic.bool, span)
        };
        self.in_order(&[begin, keep_old], result)
    }

    fn compare_exchange(
        &mut self,
        [pointer, expected, desired]: [ExprId; 3],
        indirect: bool,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let pointee = self.unit.types.pointee(self.ty(expected));
        if !pointee.is_some_and(|pointee| self.unit.types.compatible(pointee.ty, ty)) {
            return self.fail(span, "the second argument must be a pointer like the first");
        }
        let basic = self.unit.types.basic;
        let desired = match indirect {
            true => desired,
            false => self.convert(desired, ty),
        };
        let (keep_pointer, pointer) = self.keep(pointer);
        let (keep_expected, expected) = self.keep(expected);
        let (keep_desired, desired) = self.keep(desired);
        let arguments = self.together(&[keep_pointer, keep_expected, keep_desired], span);
        let place = self.kept_place(expected, span);
        let wanted = self.value(place);
        let (keep_wanted, wanted) = self.keep(wanted);
        // A new value behind a pointer is that which is there now.
        let desired = match indirect {
            true => {
                let pointer = self.kept(desired, span);
                self.pointed_value(pointer, span)
            }
            false => self.kept(desired, span),
        };
        if self.is_error(desired) {
            return desired;
        }
        let desired = self.convert(desired, ty);
        let (keep_desired, desired) = self.keep(desired);
        let old = self.compare_and_swap([pointer, wanted, desired], true, ty, span);
        let (keep_old, old) = self.keep(old);
        let (a, b) = (self.kept(old, span), self.kept(wanted, span));
        let equal = self.push(ExprKind::Compare(CompareOp::Eq, a, b), basic.int, span);
        let place = self.kept_place(expected, span);
        let value = self.kept(old, span);
        let assignment = self.push(ExprKind::Assign { place, value }, ty, span);
        let (one, zero) = (
            self.int_const(1, basic.bool, span),
            self.int_const(0, basic.bool, span),
        );
        let failed = self.sequence(assignment, zero);
        let result = self.push(ExprKind::Cond(equal, one, failed), basic.bool, span);
        let effects = [arguments, keep_wanted, keep_desired, keep_old];
        self.in_order(&effects, result)
    }
}
