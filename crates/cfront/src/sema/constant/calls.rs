//! Calls in constant expressions: built-in operations and library functions whose result gcc knows.

use rhumb_program::{Span, Type};

use super::{Constant, Evaluated, Mode, NotConstant};
use crate::ctypes::TypeId;
use crate::hir::{BinaryOp, ExprId, FunctionId, Intrinsic};
use crate::sema::{Sema, float};

impl Sema<'_> {
    /// A built-in operation.
    pub(super) fn evaluate_intrinsic(
        &self,
        id: ExprId,
        intrinsic: Intrinsic,
        args: &[ExprId],
        mode: Mode,
    ) -> Evaluated {
        let span = self.span(id);
        if let (Intrinsic::CheckedArith(op, result), &[lhs, rhs]) = (intrinsic, args) {
            return self.evaluate_overflow(op, result, [lhs, rhs], mode, span);
        }
        let (&[arg], true) = (args, intrinsic != Intrinsic::Alloca) else {
            return Err(NotConstant::At(span));
        };
        let (Constant::Bits(bits), Some(Type::Int(int))) =
            (self.evaluate(arg, mode)?, self.scalar_type(arg))
        else {
            return Err(NotConstant::At(span));
        };
        let width = u32::from(int.width);
        let result = match intrinsic {
            Intrinsic::PopCount => bits.count_ones(),
            Intrinsic::Parity => bits.count_ones() % 2,
            Intrinsic::FindFirstSet if bits == 0 => 0,
            Intrinsic::FindFirstSet => bits.trailing_zeros() + 1,
            Intrinsic::CountTrailingZeros if bits != 0 => bits.trailing_zeros(),
            Intrinsic::CountLeadingZeros if bits != 0 => bits.leading_zeros() + width - 128,
            Intrinsic::ByteSwap => {
                return Ok(Constant::Bits(bits.swap_bytes() >> (128 - width)));
            }
            _ => return Err(NotConstant::At(span)),
        };
        Ok(Constant::Bits(u128::from(result)))
    }

    /// Whether the exact result of an operation doesn't fit a type.
    fn evaluate_overflow(
        &self,
        op: BinaryOp,
        result: TypeId,
        args: [ExprId; 2],
        mode: Mode,
        span: Span,
    ) -> Evaluated {
        let number = |id| match (self.evaluate(id, mode)?, self.scalar_type(id)) {
            (Constant::Bits(bits), Some(Type::Int(int))) if int.width <= 64 => Ok(int.extend(bits)),
            (Constant::Bits(bits), Some(Type::Bool)) => Ok(bits as i128),
            _ => Err(NotConstant::At(span)),
        };
        let (lhs, rhs) = (number(args[0])?, number(args[1])?);
        let exact = match op {
            BinaryOp::Add => lhs.checked_add(rhs),
            BinaryOp::Sub => lhs.checked_sub(rhs),
            _ => lhs.checked_mul(rhs),
        };
        let fits = match self.unit.types.scalar(result) {
            Some(Type::Int(int)) => exact.is_some_and(|exact| int.contains(exact)),
            _ => return Err(NotConstant::At(span)),
        };
        Ok(Constant::Bits(u128::from(!fits)))
    }

    /// A call of a library function whose result gcc knows.
    pub(super) fn evaluate_call(
        &self,
        function: FunctionId,
        args: &[ExprId],
        mode: Mode,
        span: Span,
    ) -> Evaluated {
        let not_constant = Err(NotConstant::At(span));
        let function = &self.unit.functions[function];
        let &[arg] = args else {
            return not_constant;
        };
        match &*function.name {
            "strlen" if function.body.is_none() => self.evaluate_strlen(arg, span),
            "abs" | "labs" | "llabs" | "fabs" | "fabsf" | "fabsl" if function.body.is_none() => {
                match (self.evaluate(arg, mode)?, self.scalar_type(arg)) {
                    (Constant::Bits(bits), Some(Type::Int(int))) if int.is_negative(bits) => {
                        Ok(Constant::Bits(int.wrap(bits.wrapping_neg())))
                    }
                    (Constant::Bits(bits), Some(Type::Float(ty))) => {
                        Ok(Constant::Bits(float::abs(ty, bits)))
                    }
                    (value, _) => Ok(value),
                }
            }
            _ => not_constant,
        }
    }
}
