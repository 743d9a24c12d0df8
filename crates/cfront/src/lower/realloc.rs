//! `realloc`, in terms of what the model has: allocation, checks, copies.

use rhumb_program::{Action, AllocKind, BinOp, ExprId, ExprKind, LocKind, Span, Type, UbKind};

use super::call::Wanted;
use super::function::FunctionLowering;
use crate::hir::BinaryOp;

impl FunctionLowering<'_, '_> {
    /// `realloc`: always a new object, with the old one's contents as far as they fit. Without an old object it is `malloc`; of size 0 it
    /// is `free`, and gives null, as in glibc.
    pub(super) fn reallocate(&mut self, ptr: ExprId, size: ExprId, span: Span) -> ExprId {
        let size_type = self.unit.unit.types.model.size_type();
        let ptr = self.argument(ptr, Type::Ptr, span);
        let size = self.argument(size, Type::Int(size_type), span);
        let ok = self.node(ExprKind::FreeOk(ptr), Type::Bool);
        self.require(ok, true, LocKind::Ub(UbKind::BadFree), span);
        let result = self.new_var(Type::Ptr, span);
        let (fresh, old, empty, moved, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        let null = self.node(ExprKind::Const(0), Type::Ptr);
        let is_null = self.node(ExprKind::Binary(BinOp::Eq, ptr, null), Type::Bool);
        self.split(is_null, fresh, old, span);

        self.continue_at(fresh);
        let new = self.allocate(size, AllocKind::Heap, Wanted::Value, span);
        self.assign(result, new, span);
        self.jump(end, span);

        self.continue_at(old);
        let zero = self.unit.int(size_type, 0);
        let is_empty = self.node(ExprKind::Binary(BinOp::Eq, size, zero), Type::Bool);
        self.split(is_empty, empty, moved, span);

        let kind = AllocKind::Heap;
        self.continue_at(empty);
        self.emit(Action::Free { ptr, kind }, span);
        self.assign(result, null, span);
        self.jump(end, span);

        self.continue_at(moved);
        let kept = self.readable_bytes(ptr, size, span);
        let new = self.allocate(size, AllocKind::Heap, Wanted::Value, span);
        let copy = Action::Copy {
            dst: new,
            src: ptr,
            size: kept,
        };
        self.emit(copy, span);
        self.emit(Action::Free { ptr, kind }, span);
        self.assign(result, new, span);
        self.jump(end, span);

        self.continue_at(end);
        self.var(result)
    }

    /// How many bytes behind a pointer to a living object can be read, at most `limit`: by bisection.
    fn readable_bytes(&mut self, ptr: ExprId, limit: ExprId, span: Span) -> ExprId {
        let int = self.unit.unit.types.model.size_type();
        let ty = Type::Int(int);
        // `low` bytes can be read, and no more than `high`.
        let [low, high, middle] = [(); 3].map(|()| self.new_var(ty, span));
        let [low_value, high_value, middle_value] = [low, high, middle].map(|var| self.var(var));
        let zero = self.unit.int(int, 0);
        let one = self.unit.int(int, 1);
        let two = self.unit.int(int, 2);
        self.assign(low, zero, span);
        self.assign(high, limit, span);
        let (head, body, up, down, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        self.jump(head, span);

        self.continue_at(head);
        let goes_on = self.node(
            ExprKind::Binary(BinOp::Lt, low_value, high_value),
            Type::Bool,
        );
        self.split(goes_on, body, end, span);

        // The middle is above `low`, so that one of the bounds moves.
        self.continue_at(body);
        let distance = self.wrapping(BinaryOp::Sub, high_value, low_value);
        let rounded = self.wrapping(BinaryOp::Sub, distance, one);
        let half = self.wrapping(BinaryOp::Div, rounded, two);
        let step = self.wrapping(BinaryOp::Add, half, one);
        let sum = self.wrapping(BinaryOp::Add, low_value, step);
        self.assign(middle, sum, span);
        let readable = ExprKind::AccessOk {
            ptr,
            size: middle_value,
            write: false,
        };
        let readable = self.node(readable, Type::Bool);
        self.split(readable, up, down, span);

        self.continue_at(up);
        self.assign(low, middle_value, span);
        self.jump(head, span);

        self.continue_at(down);
        let below = self.wrapping(BinaryOp::Sub, middle_value, one);
        self.assign(high, below, span);
        self.jump(head, span);

        self.continue_at(end);
        low_value
    }
}
