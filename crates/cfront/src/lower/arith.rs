//! Arithmetic and conversions, with the checks that C asks for.

use rhumb_program::{ArithOp, BinOp, ExprId, ExprKind, IntType, Span, Type, UbKind, UnOp};

use super::function::FunctionLowering;
use super::range::{exact, fits, range};
use crate::hir::BinaryOp;
use crate::options::SignedOverflow;

impl FunctionLowering<'_, '_> {
    /// Converts a scalar to another scalar type other than `Bool`.
    pub(super) fn convert(&mut self, value: ExprId, to: Type, span: Span) -> ExprId {
        let from = self.ty(value);
        if from == to {
            return value;
        }
        let pointer_int = Type::Int(self.unit.unit.types.model.size_type());
        match (from, to) {
            (Type::Int(from), Type::Int(to)) => match self.unit.program.exprs.as_int_const(value) {
                Some((_, bits)) => self.unit.int(to, from.extend(bits)),
                None => self.convert_int(value, from, to, span),
            },
            (Type::Bool, Type::Int(_)) => match self.unit.program.exprs[value].kind {
                ExprKind::Const(bits) => self.node(ExprKind::Const(bits), to),
                _ => self.node(ExprKind::Cast(value), to),
            },
            (Type::Float(_), Type::Int(int)) => {
                let value = self.atomic(value, span);
                let bad = self.node(ExprKind::CastOverflows(int, value), Type::Bool);
                self.forbid(bad, UbKind::FloatToInt, span);
                self.node(ExprKind::Cast(value), to)
            }
            // An address without an object.
            (Type::Int(int), Type::Ptr) => match self.unit.program.exprs.as_int_const(value) {
                Some((_, bits)) => {
                    let wide = self.unit.unit.types.model.size_type();
                    self.node(ExprKind::Const(wide.wrap(int.extend(bits) as u128)), to)
                }
                None => {
                    let wide = self.convert(value, pointer_int, span);
                    self.node(ExprKind::Cast(wide), to)
                }
            },
            (Type::Bool, Type::Ptr) => {
                let wide = self.convert(value, pointer_int, span);
                self.node(ExprKind::Cast(wide), to)
            }
            (Type::Ptr, Type::Int(_)) => {
                let wide = match self.unit.program.exprs[value].kind {
                    ExprKind::Const(bits) => self.node(ExprKind::Const(bits), pointer_int),
                    _ => self.node(ExprKind::Cast(value), pointer_int),
                };
                self.convert(wide, to, span)
            }
            (_, Type::Bool) => self.not_zero(value),
            _ => self.node(ExprKind::Cast(value), to),
        }
    }

    /// Converts an integer; of two conversions in a row the first one goes if it makes no difference.
    fn convert_int(&mut self, value: ExprId, from: IntType, to: IntType, span: Span) -> ExprId {
        if let ExprKind::Cast(arg) = self.unit.program.exprs[value].kind {
            let is_redundant = match self.ty(arg) {
                Type::Bool => true,
                Type::Int(first) => from.width >= to.width || keeps_values(first, from),
                Type::Float(_) | Type::Ptr => false,
            };
            if is_redundant {
                return self.convert(arg, Type::Int(to), span);
            }
        }
        self.node(ExprKind::Cast(value), Type::Int(to))
    }

    /// `-value`.
    pub(super) fn negate(&mut self, value: ExprId, span: Span) -> ExprId {
        match self.ty(value) {
            Type::Int(int) => {
                let zero = self.unit.int(int, 0);
                if let Some(folded) = self.fold(BinaryOp::Sub, zero, value) {
                    return folded;
                }
                let value = self.check_overflow(ArithOp::Sub, zero, value, span).1;
                self.node(ExprKind::Unary(UnOp::Neg, value), Type::Int(int))
            }
            ty => self.node(ExprKind::Unary(UnOp::Neg, value), ty),
        }
    }

    /// A binary operation, with its checks before it.
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> ExprId {
        if !matches!(self.ty(lhs), Type::Int(_)) {
            return self.plain(op, lhs, rhs);
        }
        if let Some(folded) = self.fold(op, lhs, rhs) {
            return folded;
        }
        let (lhs, rhs) = match op {
            BinaryOp::Add => self.check_overflow(ArithOp::Add, lhs, rhs, span),
            BinaryOp::Sub => self.check_overflow(ArithOp::Sub, lhs, rhs, span),
            BinaryOp::Mul => self.check_overflow(ArithOp::Mul, lhs, rhs, span),
            BinaryOp::Div | BinaryOp::Rem => self.check_division(lhs, rhs, span),
            BinaryOp::Shl => {
                let amount = self.check_shift(lhs, rhs, span);
                self.check_shifted(lhs, amount, span)
            }
            BinaryOp::Shr => (lhs, self.check_shift(lhs, rhs, span)),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => (lhs, rhs),
        };
        self.plain(op, lhs, rhs)
    }

    /// An integer operation that wraps, whatever its type.
    pub(super) fn wrapping(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.fold(op, lhs, rhs)
            .unwrap_or_else(|| self.plain(op, lhs, rhs))
    }

    fn plain(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = self.ty(lhs);
        self.node(ExprKind::Binary(op.of_model(), lhs, rhs), ty)
    }

    /// Sums, differences and products of constants, where nothing overflows; multiplication by one.
    /// (Array indices and negative numbers are written that way.)
    fn fold(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let exprs = &self.unit.program.exprs;
        let (int, right) = exprs.as_int_const(rhs)?;
        if op == BinaryOp::Mul && right == 1 {
            return Some(lhs);
        }
        let (_, left) = exprs.as_int_const(lhs)?;
        let (left, right) = (int.extend(left), int.extend(right));
        let value = match op {
            BinaryOp::Add => left.checked_add(right)?,
            BinaryOp::Sub => left.checked_sub(right)?,
            BinaryOp::Mul => left.checked_mul(right)?,
            _ => return None,
        };
        let exact = int.width <= 64 && int.contains(value);
        exact.then(|| self.unit.int(int, value))
    }

    /// For a signed type the check that the result fits. The operands become cheap to use twice.
    fn check_overflow(
        &mut self,
        op: ArithOp,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> (ExprId, ExprId) {
        let Type::Int(IntType { signed: true, .. }) = self.ty(lhs) else {
            return (lhs, rhs);
        };
        if self.unit.options.signed_overflow == SignedOverflow::Wrap {
            return (lhs, rhs);
        }
        let exprs = &self.unit.program.exprs;
        if let (Type::Int(int), Some(left), Some(right)) =
            (self.ty(lhs), range(exprs, lhs), range(exprs, rhs))
            && exact(op, left, right).is_some_and(|values| fits(values, int))
        {
            return (lhs, rhs);
        }
        let lhs = self.atomic(lhs, span);
        let rhs = self.atomic(rhs, span);
        let bad = self.node(ExprKind::Overflows(op, lhs, rhs), Type::Bool);
        self.forbid(bad, UbKind::SignedOverflow, span);
        (lhs, rhs)
    }

    pub(super) fn check_division(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> (ExprId, ExprId) {
        let Type::Int(int) = self.ty(lhs) else {
            return (lhs, rhs);
        };
        let exprs = &self.unit.program.exprs;
        let may_be = |expr: ExprId, value: i128| {
            range(exprs, expr).is_none_or(|range| range.contains(&value))
        };
        let may_be_zero = may_be(rhs, 0);
        // Division traps in hardware even where other signed operations wrap, so `-fwrapv` doesn't define it.
        let least = int.extend(int.min_bits());
        let may_overflow = int.signed && may_be(rhs, -1) && may_be(lhs, least);
        let (mut lhs, mut rhs) = (lhs, rhs);
        if may_be_zero || may_overflow {
            rhs = self.atomic(rhs, span);
        }
        if may_be_zero {
            let zero = self.unit.int(int, 0);
            let bad = self.node(ExprKind::Binary(BinOp::Eq, rhs, zero), Type::Bool);
            self.forbid(bad, UbKind::DivisionByZero, span);
        }
        if may_overflow {
            lhs = self.atomic(lhs, span);
            let bad = self.node(ExprKind::Overflows(ArithOp::Div, lhs, rhs), Type::Bool);
            self.forbid(bad, UbKind::SignedOverflow, span);
        }
        (lhs, rhs)
    }

    /// A left shift of a signed number keeps it at least 0 and within its type. (gcc defines the others, so a run ends there only where
    /// somebody asks for that.)
    fn check_shifted(&mut self, lhs: ExprId, amount: ExprId, span: Span) -> (ExprId, ExprId) {
        let Type::Int(int) = self.ty(lhs) else {
            return (lhs, amount);
        };
        let wraps = self.unit.options.signed_overflow == SignedOverflow::Wrap;
        // With threads nobody can ask.
        if !int.signed || wraps || self.unit.has_threads {
            return (lhs, amount);
        }
        let exprs = &self.unit.program.exprs;
        if let (Some(left), Some(by)) = (range(exprs, lhs), range(exprs, amount))
            && left.low >= 0
            && (0..i128::from(int.width)).contains(&by.high)
            && int.contains(left.high << by.high)
        {
            return (lhs, amount);
        }
        let lhs = self.atomic(lhs, span);
        let amount = self.atomic(amount, span);
        let bad = self.node(ExprKind::Overflows(ArithOp::Shl, lhs, amount), Type::Bool);
        self.forbid(bad, UbKind::BadShifted, span);
        (lhs, amount)
    }

    /// The amount must be at least 0 and below the width.
    fn check_shift(&mut self, lhs: ExprId, amount: ExprId, span: Span) -> ExprId {
        let (Type::Int(value), Type::Int(int)) = (self.ty(lhs), self.ty(amount)) else {
            return amount;
        };
        let width = u128::from(value.width);
        if let Some((_, bits)) = self.unit.program.exprs.as_int_const(amount)
            && bits < width
        {
            return amount;
        }
        let amount = self.atomic(amount, span);
        let unsigned = IntType::unsigned(int.width);
        let as_unsigned = self.convert(amount, Type::Int(unsigned), span);
        let limit = self.unit.int(unsigned, width as i128);
        let ok = self.node(ExprKind::Binary(BinOp::Lt, as_unsigned, limit), Type::Bool);
        self.require(ok, true, rhumb_program::LocKind::Ub(UbKind::BadShift), span);
        amount
    }
}

/// Whether every value of the first type is one of the second.
fn keeps_values(first: IntType, second: IntType) -> bool {
    if first.signed == second.signed {
        second.width >= first.width
    } else {
        second.signed && second.width > first.width
    }
}
