//! The meaning of expressions in all iterations at once.

use std::cell::OnceCell;

use dashu_base::{Abs, RemEuclid, Signed};
use dashu_int::IBig;
use rhumb_program::interp::eval;
use rhumb_program::{ArithOp, BinOp, ExprId, ExprKind, IntType, Program, Type, UnOp, VarId};

use super::Obstacle;
use super::form::Form;
use super::region::{Effect, Region};

/// The value of a variable or expression in all iterations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// An integer: its mathematical value, always in the range of its type.
    Int(Form),
    /// A truth value or a float, by its bits: the same in all iterations.
    Bits(u128),
    /// A pointer. Nothing is known about it; it may be handed on.
    Pointer,
}

impl Value {
    /// The value with this bit pattern.
    pub(super) fn from_bits(ty: Type, bits: u128) -> Value {
        match ty {
            Type::Int(int) => Value::Int(Form::constant(integer(int, bits))),
            Type::Bool | Type::Float(_) => Value::Bits(bits),
            Type::Ptr => Value::Pointer,
        }
    }
}

/// The mathematical value of a bit pattern.
pub(crate) fn integer(ty: IntType, bits: u128) -> IBig {
    if ty.signed {
        IBig::from(ty.extend(bits))
    } else {
        IBig::from(bits)
    }
}

/// The bit pattern of a mathematical value, reduced to the type.
pub(crate) fn bits(ty: IntType, value: &IBig) -> u128 {
    let modulus = IBig::ONE << usize::from(ty.width);
    u128::try_from(value.rem_euclid(&modulus)).unwrap_or(0)
}

fn least(ty: IntType) -> IBig {
    integer(ty, ty.min_bits())
}

fn greatest(ty: IntType) -> IBig {
    integer(ty, ty.max_bits())
}

/// Gives the values of variables.
pub(super) trait Environment {
    /// The value of a variable in the current activation.
    fn read(&mut self, var: VarId) -> Result<Value, Obstacle>;
}

/// Evaluates expressions in all iterations, and requires of the region what makes the result right.
pub(super) struct Evaluator<'a> {
    pub(super) program: &'a Program,
    pub(super) region: &'a mut Region,
    /// Whether floating-point arithmetic may round in other directions than to nearest, once somebody asked: then it is not evaluated here.
    pub(super) rounding: &'a OnceCell<bool>,
    pub(super) environment: &'a mut dyn Environment,
    /// Operations that may still be done.
    pub(super) operations: &'a mut u64,
    /// The last condition that made the limit stricter.
    pub(super) obstacle: &'a mut Option<Obstacle>,
}

impl Evaluator<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, id: ExprId) -> Result<Value, Obstacle> {
        *self.operations = self.operations.checked_sub(1).ok_or(Obstacle::Operations)?;
        let ty = self.program.exprs.ty(id);
        match self.program.exprs[id].kind {
            ExprKind::Const(bits) => Ok(Value::from_bits(ty, bits)),
            ExprKind::Var(var) => self.environment.read(var),
            ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => Ok(Value::Pointer),
            ExprKind::Unary(op, arg) => self.unary(op, ty, arg),
            ExprKind::Binary(op, lhs, rhs) => self.binary(op, lhs, rhs),
            ExprKind::Cast(arg) => self.cast(ty, arg),
            ExprKind::Overflows(op, lhs, rhs) => self.overflows(op, lhs, rhs),
            ExprKind::CastOverflows(to, arg) => {
                let from = self.program.exprs.ty(arg);
                let bits = self.bits(arg)?;
                let overflows = eval::cast_overflows(to, from, bits);
                overflows
                    .map(|overflows| Value::Bits(overflows.into()))
                    .map_err(|_| Obstacle::Operator)
            }
            ExprKind::PtrAdd(..)
            | ExprKind::PtrDiff(..)
            | ExprKind::AccessOk { .. }
            | ExprKind::FreeOk(_) => Err(Obstacle::Pointer),
        }
    }

    /// The value of a condition: the same in all iterations.
    pub(super) fn condition(&mut self, id: ExprId) -> Result<bool, Obstacle> {
        Ok(self.bits(id)? != 0)
    }

    /// The bits of a value that is the same in all iterations.
    fn bits(&mut self, id: ExprId) -> Result<u128, Obstacle> {
        let value = self.value(id)?;
        self.constant(self.program.exprs.ty(id), &value)
    }

    fn constant(&self, ty: Type, value: &Value) -> Result<u128, Obstacle> {
        match (value, ty) {
            (Value::Int(form), Type::Int(int)) if form.is_constant() => {
                Ok(bits(int, &form.constant))
            }
            (Value::Bits(bits), _) => Ok(*bits),
            (Value::Pointer, _) => Err(Obstacle::Pointer),
            _ => Err(Obstacle::NotLinear),
        }
    }

    fn note(&mut self, effect: Effect, obstacle: Obstacle) {
        if effect == Effect::Stricter {
            *self.obstacle = Some(obstacle);
        }
    }

    /// Reduces a form to a type. The number of times that it wraps is the same in all iterations.
    fn wrap(&mut self, ty: IntType, form: &Form) -> Value {
        let least = least(ty);
        let modulus = IBig::ONE << usize::from(ty.width);
        let above = form.clone().shifted(&-least);
        let (quotient, effect) = self.region.quotient(&above, &modulus);
        self.note(effect, Obstacle::Range(ty));
        Value::Int(form.minus(&quotient.times(&modulus)))
    }

    /// Whether the form is at least zero; the same in all iterations.
    fn is_not_negative(&mut self, form: Form) -> Value {
        let holds = !form.constant.is_negative();
        let required = if holds {
            form
        } else {
            form.negated().shifted(&IBig::NEG_ONE)
        };
        let effect = self.region.require_not_negative(required);
        self.note(effect, Obstacle::Condition);
        Value::Bits(holds.into())
    }

    fn is_zero(&mut self, form: &Form) -> bool {
        let holds = form.constant.is_zero();
        let effect = if holds {
            self.region.require_zero(form)
        } else {
            self.region.require_not_zero(form)
        };
        self.note(effect, Obstacle::Condition);
        holds
    }

    fn unary(&mut self, op: UnOp, ty: Type, arg: ExprId) -> Result<Value, Obstacle> {
        let value = self.value(arg)?;
        if let (Value::Int(form), Type::Int(int), false) = (&value, ty, is_constant(&value)) {
            return match op {
                UnOp::Neg => Ok(self.wrap(int, &form.negated())),
                UnOp::BitNot => Ok(self.wrap(int, &form.negated().shifted(&IBig::NEG_ONE))),
                UnOp::Not => Err(Obstacle::Operator),
            };
        }
        let bits = self.constant(ty, &value)?;
        let result = eval::unary(op, ty, bits).map_err(|_| Obstacle::Operator)?;
        Ok(Value::from_bits(ty, result))
    }

    /// Whether an operation that gives such a value can be evaluated.
    fn may_round(&self, ty: Type) -> Result<(), Obstacle> {
        match ty {
            Type::Float(_) if *self.rounding.get_or_init(|| self.program.sets_rounding()) => {
                Err(Obstacle::Operator)
            }
            _ => Ok(()),
        }
    }

    fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Result<Value, Obstacle> {
        let (ty, rhs_ty) = (self.program.exprs.ty(lhs), self.program.exprs.ty(rhs));
        let (a, b) = (self.value(lhs)?, self.value(rhs)?);
        if let (Value::Int(a), Value::Int(b), Type::Int(int)) = (&a, &b, ty)
            && !(a.is_constant() && b.is_constant())
        {
            return self.linear(op, int, a, b);
        }
        self.may_round(ty)?;
        let (a, b) = (self.constant(ty, &a)?, self.constant(rhs_ty, &b)?);
        let result = eval::binary(op, ty, a, rhs_ty, b).map_err(|_| Obstacle::Operator)?;
        let result_ty = match op {
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => Type::Bool,
            _ => ty,
        };
        Ok(Value::from_bits(result_ty, result))
    }

    /// An operator on integers, at least one of which changes.
    fn linear(&mut self, op: BinOp, ty: IntType, a: &Form, b: &Form) -> Result<Value, Obstacle> {
        match op {
            BinOp::Add => Ok(self.wrap(ty, &a.plus(b))),
            BinOp::Sub => Ok(self.wrap(ty, &a.minus(b))),
            BinOp::Mul => Ok(self.wrap(ty, &product(a, b)?)),
            BinOp::Shl => {
                let amount = shift_amount(ty, b)?;
                Ok(self.wrap(ty, &a.times(&(IBig::ONE << amount))))
            }
            BinOp::Shr => {
                let divisor = IBig::ONE << shift_amount(ty, b)?;
                let (quotient, effect) = self.region.quotient(a, &divisor);
                self.note(effect, Obstacle::Quotient);
                Ok(Value::Int(quotient))
            }
            BinOp::Div => {
                let quotient = self.truncated_quotient(a, b)?;
                Ok(self.wrap(ty, &quotient))
            }
            BinOp::Rem => {
                let quotient = self.truncated_quotient(a, b)?;
                Ok(Value::Int(a.minus(&quotient.times(&b.constant))))
            }
            BinOp::And => self.masked(ty, a, b),
            BinOp::Or | BinOp::Xor => Err(Obstacle::Operator),
            BinOp::Eq => Ok(Value::Bits(self.is_zero(&a.minus(b)).into())),
            BinOp::Ne => Ok(Value::Bits((!self.is_zero(&a.minus(b))).into())),
            BinOp::Lt => Ok(self.is_not_negative(b.minus(a).shifted(&IBig::NEG_ONE))),
            BinOp::Le => Ok(self.is_not_negative(b.minus(a))),
        }
    }

    /// The quotient, rounded towards zero, by a divisor that doesn't change. The dividend's sign doesn't change either.
    fn truncated_quotient(&mut self, a: &Form, b: &Form) -> Result<Form, Obstacle> {
        if !b.is_constant() || b.constant.is_zero() {
            return Err(Obstacle::NotLinear);
        }
        let negative = a.constant.is_negative();
        let magnitude = if negative { a.negated() } else { a.clone() };
        let effect = self.region.require_not_negative(magnitude.clone());
        self.note(effect, Obstacle::Quotient);
        let (quotient, effect) = self.region.quotient(&magnitude, &b.constant.clone().abs());
        self.note(effect, Obstacle::Quotient);
        Ok(if negative == b.constant.is_negative() {
            quotient
        } else {
            quotient.negated()
        })
    }

    /// Bitwise and with a mask of the lowest bits (a remainder) or of all but the lowest bits.
    fn masked(&mut self, ty: IntType, a: &Form, b: &Form) -> Result<Value, Obstacle> {
        let (form, mask) = match (a.is_constant(), b.is_constant()) {
            (false, true) => (a, bits(ty, &b.constant)),
            (true, false) => (b, bits(ty, &a.constant)),
            _ => return Err(Obstacle::Operator),
        };
        let low = mask.trailing_ones().min(ty.width.into());
        let high = mask.trailing_zeros().min(ty.width.into());
        let (kept, width) = if mask == low_mask(low) && low < u32::from(ty.width) {
            (false, low)
        } else if mask == ty.mask() & !low_mask(high) {
            (true, high)
        } else {
            return Err(Obstacle::Operator);
        };
        let divisor = IBig::ONE << (width as usize);
        let (quotient, effect) = self.region.quotient(form, &divisor);
        self.note(effect, Obstacle::Quotient);
        let multiple = quotient.times(&divisor);
        Ok(Value::Int(if kept {
            multiple
        } else {
            form.minus(&multiple)
        }))
    }

    fn overflows(&mut self, op: ArithOp, lhs: ExprId, rhs: ExprId) -> Result<Value, Obstacle> {
        let (ty, rhs_ty) = (self.program.exprs.ty(lhs), self.program.exprs.ty(rhs));
        let (a, b) = (self.value(lhs)?, self.value(rhs)?);
        if let (Value::Int(a), Value::Int(b), Type::Int(int)) = (&a, &b, ty)
            && !(a.is_constant() && b.is_constant())
        {
            let exact = match op {
                ArithOp::Add => a.plus(b),
                ArithOp::Sub => a.minus(b),
                ArithOp::Mul => product(a, b)?,
                ArithOp::Div => {
                    if !b.is_constant() {
                        return Err(Obstacle::NotLinear);
                    }
                    if b.constant != IBig::NEG_ONE {
                        return Ok(Value::Bits(0));
                    }
                    a.negated()
                }
                ArithOp::Shl => {
                    let amount = shift_amount(int, b)?;
                    let Value::Bits(0) = self.is_not_negative(a.negated().shifted(&IBig::NEG_ONE))
                    else {
                        return Ok(Value::Bits(1));
                    };
                    a.times(&(IBig::ONE << amount))
                }
            };
            return Ok(self.is_outside(int, &exact));
        }
        let (a, b) = (self.constant(ty, &a)?, self.constant(rhs_ty, &b)?);
        let overflows = eval::overflows(op, ty, a, rhs_ty, b).map_err(|_| Obstacle::Operator)?;
        Ok(Value::Bits(overflows.into()))
    }

    /// Whether the form lies outside the type's range; the same in all iterations.
    fn is_outside(&mut self, ty: IntType, form: &Form) -> Value {
        let above_least = form.clone().shifted(&-least(ty));
        let below_greatest = form.negated().shifted(&greatest(ty));
        let inside = self.is_not_negative(above_least) == Value::Bits(1)
            && self.is_not_negative(below_greatest) == Value::Bits(1);
        Value::Bits((!inside).into())
    }

    fn cast(&mut self, to: Type, arg: ExprId) -> Result<Value, Obstacle> {
        let from = self.program.exprs.ty(arg);
        let value = self.value(arg)?;
        match (&value, to) {
            (Value::Int(form), Type::Int(int)) => Ok(self.wrap(int, form)),
            (Value::Pointer, Type::Ptr) => Ok(Value::Pointer),
            (Value::Pointer, _) | (_, Type::Ptr) => Err(Obstacle::Pointer),
            _ => {
                self.may_round(to)?;
                let bits = self.constant(from, &value)?;
                let result = eval::cast(from, to, bits).map_err(|_| Obstacle::Operator)?;
                Ok(Value::from_bits(to, result))
            }
        }
    }
}

fn is_constant(value: &Value) -> bool {
    match value {
        Value::Int(form) => form.is_constant(),
        Value::Bits(_) => true,
        Value::Pointer => false,
    }
}

fn low_mask(width: u32) -> u128 {
    1u128.checked_shl(width).map_or(u128::MAX, |bit| bit - 1)
}

fn product(a: &Form, b: &Form) -> Result<Form, Obstacle> {
    match (a.is_constant(), b.is_constant()) {
        (_, true) => Ok(a.times(&b.constant)),
        (true, _) => Ok(b.times(&a.constant)),
        _ => Err(Obstacle::NotLinear),
    }
}

/// The amount of a shift, if it doesn't change and is in range.
fn shift_amount(ty: IntType, amount: &Form) -> Result<usize, Obstacle> {
    if !amount.is_constant() {
        return Err(Obstacle::NotLinear);
    }
    match usize::try_from(&amount.constant) {
        Ok(amount) if amount < usize::from(ty.width) => Ok(amount),
        _ => Err(Obstacle::Operator),
    }
}
