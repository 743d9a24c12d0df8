//! Operations that gcc provides and C has no operator for, in terms of those it has.

use rhumb_program::{
    Action, AllocKind, ArithOp, BinOp, EndKind, ExprId, ExprKind, IntType, LocKind, Span, Type,
    UbKind, UnOp,
};

use super::call::Wanted;
use super::function::FunctionLowering;
use super::whole;
use crate::ctypes::TypeId;
use crate::hir::{self, BinaryOp, Intrinsic};

impl FunctionLowering<'_, '_> {
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        args: &[hir::ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        match (intrinsic, args) {
            (Intrinsic::Unreachable, _) => {
                self.end_in(LocKind::Ub(UbKind::Unreachable), span);
                self.dummy(ty)
            }
            (Intrinsic::Trap, _) => {
                self.end_in(LocKind::End(EndKind::Abort), span);
                self.dummy(ty)
            }
            (Intrinsic::CheckedArith(op, result), &[_, _] | &[_, _, _]) => {
                let args = self.arguments(args, span);
                let ptr = args.get(2).copied();
                self.checked_arith(op, result, [args[0], args[1]], ptr, span)
            }
            (Intrinsic::Together, _) => {
                self.arguments(args, span);
                self.dummy(ty)
            }
            (Intrinsic::AtomicBegin, _) => {
                self.begin_atomic(span);
                self.dummy(ty)
            }
            (Intrinsic::AtomicEnd, _) => {
                self.end_atomic(span);
                self.dummy(ty)
            }
            (Intrinsic::Open(what), _) => {
                let scalar = self.scalar(ty).unwrap_or(Type::Bool);
                let var = self.new_var(scalar, span);
                self.approximate(Some(var), what.to_owned(), span);
                self.var(var)
            }
            (Intrinsic::VaStart, &[list]) => {
                self.va_start(list, span);
                self.dummy(ty)
            }
            (Intrinsic::VaCopy, &[to, from]) => {
                self.va_copy(to, from, span);
                self.dummy(ty)
            }
            (Intrinsic::VaArg, &[list]) => self.va_arg(list, ty, span),
            (Intrinsic::Alloca, &[size]) => {
                let size = self.value(size);
                self.allocate(size, AllocKind::Stack, Wanted::Value, span)
            }
            (_, &[arg]) => {
                let value = self.value(arg);
                self.bit_operation(intrinsic, value, ty, span)
            }
            _ => {
                self.unsupported("builtin with unexpected arguments", span);
                self.dummy(ty)
            }
        }
    }

    /// Counting bits and turning bytes around.
    fn bit_operation(
        &mut self,
        intrinsic: Intrinsic,
        value: ExprId,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let (Type::Int(int), Some(result)) = (self.ty(value), self.scalar(ty)) else {
            return self.dummy(ty);
        };
        let value = self.atomic(value, span);
        let bits = Bits { int, span };
        let count = match intrinsic {
            Intrinsic::ByteSwap => return self.byte_swap(bits, value),
            Intrinsic::PopCount => self.pop_count(bits, value),
            Intrinsic::Parity => {
                let count = self.pop_count(bits, value);
                let one = self.unit.int(int, 1);
                self.wrapping(BinaryOp::And, count, one)
            }
            Intrinsic::CountTrailingZeros => {
                self.forbid_zero(bits, value);
                self.trailing_zeros(bits, value)
            }
            Intrinsic::FindFirstSet => return self.find_first_set(bits, value, result),
            _ => {
                self.forbid_zero(bits, value);
                // Everything below the highest set bit is set, too; what is left are the leading zeros.
                let mut smeared = value;
                let mut distance = 1;
                while distance < int.width {
                    let shifted = self.shifted(bits, BinaryOp::Shr, smeared, distance);
                    let both = self.wrapping(BinaryOp::Or, smeared, shifted);
                    smeared = self.atomic(both, span);
                    distance *= 2;
                }
                let rest = self.node(ExprKind::Unary(UnOp::BitNot, smeared), Type::Int(int));
                let rest = self.atomic(rest, span);
                self.pop_count(bits, rest)
            }
        };
        self.convert(count, result, span)
    }

    fn forbid_zero(&mut self, bits: Bits, value: ExprId) {
        let zero = self.unit.int(bits.int, 0);
        let bad = self.node(ExprKind::Binary(BinOp::Eq, value, zero), Type::Bool);
        self.forbid(bad, UbKind::Unreachable, bits.span);
    }

    /// `(value & -value) - 1` has a bit set for each trailing zero.
    fn trailing_zeros(&mut self, bits: Bits, value: ExprId) -> ExprId {
        let negated = self.node(ExprKind::Unary(UnOp::Neg, value), Type::Int(bits.int));
        let lowest = self.wrapping(BinaryOp::And, value, negated);
        let one = self.unit.int(bits.int, 1);
        let below = self.wrapping(BinaryOp::Sub, lowest, one);
        let below = self.atomic(below, bits.span);
        self.pop_count(bits, below)
    }

    fn find_first_set(&mut self, bits: Bits, value: ExprId, result: Type) -> ExprId {
        let span = bits.span;
        let var = self.new_var(result, span);
        let zero = self.unit.int(bits.int, 0);
        let is_zero = self.node(ExprKind::Binary(BinOp::Eq, value, zero), Type::Bool);
        let (none, some, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        self.split(is_zero, none, some, span);
        self.continue_at(none);
        let value_zero = self.node(ExprKind::Const(0), result);
        self.assign(var, value_zero, span);
        self.jump(end, span);
        self.continue_at(some);
        let zeros = self.trailing_zeros(bits, value);
        let one = self.unit.int(bits.int, 1);
        let index = self.wrapping(BinaryOp::Add, zeros, one);
        let index = self.convert(index, result, span);
        self.assign(var, index, span);
        self.jump(end, span);
        self.continue_at(end);
        self.var(var)
    }

    /// Adds neighbouring groups of bits, then of twice as many, until one group is left.
    fn pop_count(&mut self, bits: Bits, value: ExprId) -> ExprId {
        let mut sum = value;
        let mut group = 1;
        while group < bits.int.width {
            let mask = group_mask(bits.int.width, group);
            let mask = self.unit.int(bits.int, mask as i128);
            let low = self.wrapping(BinaryOp::And, sum, mask);
            let high = self.shifted(bits, BinaryOp::Shr, sum, group);
            let high = self.wrapping(BinaryOp::And, high, mask);
            let both = self.wrapping(BinaryOp::Add, low, high);
            sum = self.atomic(both, bits.span);
            group *= 2;
        }
        sum
    }

    fn byte_swap(&mut self, bits: Bits, value: ExprId) -> ExprId {
        let width = bits.int.width;
        let mut result = self.unit.int(bits.int, 0);
        for byte in 0..width / 8 {
            let low = self.shifted(bits, BinaryOp::Shr, value, byte * 8);
            let mask = self.unit.int(bits.int, 0xff);
            let low = self.wrapping(BinaryOp::And, low, mask);
            let moved = self.shifted(bits, BinaryOp::Shl, low, width - 8 - byte * 8);
            let both = self.wrapping(BinaryOp::Or, result, moved);
            result = self.atomic(both, bits.span);
        }
        result
    }

    fn shifted(&mut self, bits: Bits, op: BinaryOp, value: ExprId, amount: u16) -> ExprId {
        let amount = self.unit.int(bits.int, i128::from(amount));
        self.wrapping(op, value, amount)
    }

    /// `__builtin_add_overflow` and its like: exact in 128 bits, then compared with what fits.
    fn checked_arith(
        &mut self,
        op: BinaryOp,
        result: TypeId,
        [lhs, rhs]: [ExprId; 2],
        ptr: Option<ExprId>,
        span: Span,
    ) -> ExprId {
        let ptr = ptr.map(|ptr| self.atomic(ptr, span));
        let false_value = self.node(ExprKind::Const(0), Type::Bool);
        let narrow = |ty: Type| matches!(ty, Type::Int(int) if int.width <= 64) || ty == Type::Bool;
        let Some(Type::Int(result)) = self.scalar(result) else {
            self.unsupported("overflow builtin with this result type", span);
            return false_value;
        };
        if !narrow(self.ty(lhs)) || !narrow(self.ty(rhs)) || result.width > 64 {
            self.unsupported("overflow builtin on 128-bit integers", span);
            return false_value;
        }
        let wide = Type::Int(IntType::signed(128));
        let [lhs, rhs] = [lhs, rhs].map(|arg| {
            let arg = self.convert(arg, wide, span);
            self.atomic(arg, span)
        });
        let exact = self.wrapping(op, lhs, rhs);
        let exact = self.name(exact, span);
        let stored = self.convert(exact, Type::Int(result), span);
        if let Some(ptr) = ptr {
            let size = Type::Int(result).size(self.unit.unit.types.model);
            let size = self.unit.size(size);
            self.check_range(ptr, size, true, span);
            let (value, access) = (stored, whole(Type::Int(result)));
            self.emit(Action::Store { ptr, value, access }, span);
        }
        let back = self.convert(stored, wide, span);
        let differs = self.node(ExprKind::Binary(BinOp::Ne, back, exact), Type::Bool);
        // Only a product of two unsigned 64-bit numbers can be too large for 128 bits.
        if op != BinaryOp::Mul {
            return differs;
        }
        let too_large = self.node(ExprKind::Overflows(ArithOp::Mul, lhs, rhs), Type::Bool);
        self.node(ExprKind::Binary(BinOp::Or, differs, too_large), Type::Bool)
    }
}

/// The integer type that a bit operation works in, and where it stands.
#[derive(Clone, Copy)]
struct Bits {
    int: IntType,
    span: Span,
}

/// `group` ones, `group` zeros, and so on from the low end.
fn group_mask(width: u16, group: u16) -> u128 {
    let mut mask = 0;
    for bit in 0..width {
        if (bit / group).is_multiple_of(2) {
            mask |= 1 << bit;
        }
    }
    mask
}
