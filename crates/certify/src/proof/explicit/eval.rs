//! Expressions over states.
//!
//! On numbers the model's own operators are exact. With symbols, sums, differences, comparisons and conversions are
//! followed; where the result depends on which values a symbol has, there is a question to be answered first.
//! Everything else may be anything. Pointers are addresses; of what is alive it is known that its address isn't null,
//! and nothing else. Floats are never followed.

use rhumb_program::interp::eval;
use rhumb_program::{ArithOp, BinOp, ExprId, ExprKind, IntType, Program, Type, UnOp, VarId};

use super::state::{Bounds, KnownState, Open, Value};
use super::zone::{Atom, AtomKind, ZERO};

/// A symbol with so few values is taken for each of them, where an operator knows numbers only.
const FEW: i128 = 8;

/// A state with more symbols than this gets no new ones.
const MAX_SYMBOLS: usize = 128;

/// The bounds of a type whose values can be followed.
pub(in crate::proof) fn bounds_of(program: &Program, ty: Type) -> Option<Bounds> {
    match ty {
        Type::Bool => Some((0, 1)),
        Type::Int(int) if int.width <= 64 => {
            Some((int.extend(int.min_bits()), int.extend(int.max_bits())))
        }
        Type::Ptr => bounds_of(program, Type::Int(program.data_model.size_type())),
        Type::Int(_) | Type::Float(_) => None,
    }
}

/// Who knows where variables are.
pub(in crate::proof) trait Slots {
    /// The slot of a variable that is followed.
    fn slot(&self, var: VarId) -> Option<usize>;

    /// Hears that a slot that could have any value got a symbol.
    fn named(&mut self, slot: usize, value: Value);

    /// How many symbols a state may have.
    fn max_symbols(&self) -> usize {
        MAX_SYMBOLS
    }
}

/// Evaluates expressions in a state.
pub(in crate::proof) struct Evaluation<'a, S> {
    pub(in crate::proof) program: &'a Program,
    pub(in crate::proof) slots: S,
    pub(in crate::proof) state: &'a mut KnownState,
}

impl<S: Slots> Evaluation<'_, S> {
    /// The value of a variable. One that may have any value gets a symbol, so that what is learned of it stays.
    fn variable(&mut self, var: VarId) -> Value {
        let Some(slot) = self.slots.slot(var) else {
            return Value::Any;
        };
        let value = self.state.values[slot];
        let Some((least, most)) = bounds_of(self.program, self.program.vars[var].ty) else {
            return Value::Any;
        };
        if value != Value::Any || self.state.zone.len() >= self.slots.max_symbols() {
            return value;
        }
        let value = Value::Symbol(self.state.zone.add(least, most), 0);
        self.state.values[slot] = value;
        self.slots.named(slot, value);
        value
    }

    /// Whether a condition holds; none if it may and may not.
    pub(in crate::proof) fn holds(&mut self, condition: ExprId) -> Result<Option<bool>, Open> {
        let value = self.value(condition)?;
        let is_false = self
            .state
            .compare(value, Value::Known(0), AtomKind::Equal, 0);
        Ok(is_false.transpose()?.map(|is_false| !is_false))
    }

    /// The value of an expression.
    pub(in crate::proof) fn value(&mut self, id: ExprId) -> Result<Value, Open> {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        match exprs[id].kind {
            ExprKind::Const(bits) => Ok(known(ty, bits)),
            ExprKind::Var(var) => Ok(self.variable(var)),
            ExprKind::Unary(op, arg) => {
                let value = self.value(arg)?;
                self.unary(op, ty, value)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (left, right) = (self.value(lhs)?, self.value(rhs)?);
                let types = (exprs.ty(lhs), exprs.ty(rhs));
                match op {
                    BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => {
                        let compared = self.comparison(op, types.0, left, right);
                        // Each time that it is looked at, an address is a new symbol: questions about it would have no end.
                        match self.is_address(lhs) || self.is_address(rhs) {
                            true => Ok(compared.unwrap_or(Value::Any)),
                            false => compared,
                        }
                    }
                    _ => self.binary(op, types, left, right),
                }
            }
            ExprKind::Cast(arg) => {
                let value = self.value(arg)?;
                match (exprs.ty(arg), ty) {
                    (Type::Bool | Type::Int(_) | Type::Ptr, Type::Int(to)) => {
                        self.wrapped(value, 0, to)
                    }
                    (Type::Int(_) | Type::Ptr, Type::Ptr) => {
                        self.wrapped(value, 0, self.program.data_model.size_type())
                    }
                    _ => Ok(Value::Any),
                }
            }
            ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => Ok(self.address()),
            ExprKind::PtrAdd(pointer, bytes) => match (self.value(pointer)?, self.value(bytes)?) {
                (value, Value::Known(0)) => Ok(value),
                (Value::Known(address), Value::Known(bytes)) => {
                    let int = self.program.data_model.size_type();
                    self.wrapped(Value::Known(address), bytes.into(), int)
                }
                _ => Ok(Value::Any),
            },
            ExprKind::Overflows(op, lhs, rhs) => {
                let (left, right) = (self.value(lhs)?, self.value(rhs)?);
                self.overflows(op, (exprs.ty(lhs), exprs.ty(rhs)), left, right)
            }
            ExprKind::CastOverflows(..)
            | ExprKind::PtrDiff(..)
            | ExprKind::AccessOk { .. }
            | ExprKind::FreeOk(_) => Ok(Value::Any),
        }
    }

    /// Whether an expression is the address of something, perhaps as another type.
    fn is_address(&self, expr: ExprId) -> bool {
        match self.program.exprs[expr].kind {
            ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => true,
            ExprKind::Cast(arg) => self.is_address(arg),
            _ => false,
        }
    }

    /// The address of something that is alive: any but null.
    fn address(&mut self) -> Value {
        match bounds_of(self.program, Type::Ptr) {
            Some((_, most)) if self.state.zone.len() < self.slots.max_symbols() => {
                Value::Symbol(self.state.zone.add(1, most), 0)
            }
            _ => Value::Any,
        }
    }

    fn unary(&mut self, op: UnOp, ty: Type, value: Value) -> Result<Value, Open> {
        Ok(match self.number(value)? {
            Some(number) => {
                let result = bits(ty, number).and_then(|bits| eval::unary(op, ty, bits).ok());
                result.map_or(Value::Any, |bits| known(ty, bits))
            }
            None => Value::Any,
        })
    }

    fn binary(
        &mut self,
        op: BinOp,
        (ty, right_ty): (Type, Type),
        left: Value,
        right: Value,
    ) -> Result<Value, Open> {
        if let (Value::Known(a), Value::Known(b)) = (left, right) {
            let result = bits(ty, a)
                .zip(bits(right_ty, b))
                .and_then(|(a, b)| eval::binary(op, ty, a, right_ty, b).ok());
            return Ok(result.map_or(Value::Any, |bits| known(ty, bits)));
        }
        match (op, ty) {
            (BinOp::Add, Type::Int(int)) => match (left, right) {
                (value, Value::Known(number)) | (Value::Known(number), value) => {
                    self.wrapped(value, number.into(), int)
                }
                _ => self.of_few(op, (ty, right_ty), left, right),
            },
            (BinOp::Sub, Type::Int(int)) => {
                match (KnownState::parts(left), KnownState::parts(right)) {
                    (Some((a, more)), Some((b, less))) if a == b => {
                        let difference = self.state.value(ZERO, more - less);
                        self.wrapped(difference, 0, int)
                    }
                    (Some(_), Some((ZERO, number))) => self.wrapped(left, -number, int),
                    _ => self.of_few(op, (ty, right_ty), left, right),
                }
            }
            // One operand may say it all.
            (BinOp::And, Type::Bool | Type::Int(_)) if is_zero(left) || is_zero(right) => {
                Ok(Value::Known(0))
            }
            (BinOp::Mul, Type::Int(_)) if is_zero(left) || is_zero(right) => Ok(Value::Known(0)),
            (BinOp::Or, Type::Bool) if left == Value::Known(1) || right == Value::Known(1) => {
                Ok(Value::Known(1))
            }
            _ => self.of_few(op, (ty, right_ty), left, right),
        }
    }

    /// An operator that knows numbers only, on symbols that have few values.
    fn of_few(
        &mut self,
        op: BinOp,
        types: (Type, Type),
        left: Value,
        right: Value,
    ) -> Result<Value, Open> {
        match (self.number(left)?, self.number(right)?) {
            (Some(a), Some(b)) => self.binary(op, types, Value::Known(a), Value::Known(b)),
            _ => Ok(Value::Any),
        }
    }

    /// The number that a value is. Of a symbol with few values the first is asked for.
    fn number(&mut self, value: Value) -> Result<Option<i64>, Open> {
        let (symbol, number) = match value {
            Value::Any => return Ok(None),
            Value::Known(number) => return Ok(Some(number)),
            Value::Symbol(symbol, number) => (symbol, number),
        };
        let zone = &self.state.zone;
        let (least, most) = (-zone.upper(ZERO, symbol), zone.upper(symbol, ZERO));
        if least == most {
            return Ok(i64::try_from(least + i128::from(number)).ok());
        }
        match most - least < FEW {
            true => Err(Open(Atom {
                left: symbol,
                right: ZERO,
                kind: AtomKind::Equal,
                bound: least,
            })),
            false => Ok(None),
        }
    }

    fn comparison(
        &mut self,
        op: BinOp,
        ty: Type,
        left: Value,
        right: Value,
    ) -> Result<Value, Open> {
        if bounds_of(self.program, ty).is_none() {
            return Ok(Value::Any);
        }
        let (kind, bound) = match op {
            BinOp::Le => (AtomKind::AtMost, 0),
            BinOp::Lt => (AtomKind::AtMost, -1),
            _ => (AtomKind::Equal, 0),
        };
        Ok(match self.state.compare(left, right, kind, bound) {
            Some(holds) => Value::Known(i64::from(holds? != (op == BinOp::Ne))),
            None => Value::Any,
        })
    }

    /// A value and a number together, in the arithmetic of a type.
    fn wrapped(&mut self, value: Value, number: i128, to: IntType) -> Result<Value, Open> {
        let (Some((symbol, more)), Some((min, max))) = (
            KnownState::parts(value),
            bounds_of(self.program, Type::Int(to)),
        ) else {
            return Ok(Value::Any);
        };
        let number = number + more;
        if symbol == ZERO {
            return Ok(known(Type::Int(to), to.wrap(number as u128)));
        }
        let size = max - min + 1;
        let zone = &self.state.zone;
        let least = number - zone.upper(ZERO, symbol);
        let most = number + zone.upper(symbol, ZERO);
        if min <= least && most <= max {
            return Ok(self.state.value(symbol, number));
        }
        if least < min - size || most > max + size {
            // It goes around more than once.
            return Ok(Value::Any);
        }
        // On one side of each end, or it has to be known on which.
        for end in [min - 1, max] {
            if least <= end && most > end {
                return Err(Open(Atom {
                    left: symbol,
                    right: ZERO,
                    kind: AtomKind::AtMost,
                    bound: end - number,
                }));
            }
        }
        Ok(match least < min {
            true => self.state.value(symbol, number + size),
            false => self.state.value(symbol, number - size),
        })
    }

    fn overflows(
        &mut self,
        op: ArithOp,
        (ty, right_ty): (Type, Type),
        left: Value,
        right: Value,
    ) -> Result<Value, Open> {
        if let (Value::Known(a), Value::Known(b)) = (left, right) {
            let result = bits(ty, a)
                .zip(bits(right_ty, b))
                .and_then(|(a, b)| eval::overflows(op, ty, a, right_ty, b).ok());
            return Ok(result.map_or(Value::Any, |overflows| Value::Known(overflows.into())));
        }
        let (Some((min, max)), Some((a, more)), Some((b, number))) = (
            bounds_of(self.program, ty),
            KnownState::parts(left),
            KnownState::parts(right),
        ) else {
            return Ok(Value::Any);
        };
        let (symbol, number) = match op {
            ArithOp::Add if b == ZERO => (a, more + number),
            ArithOp::Add if a == ZERO => (b, more + number),
            ArithOp::Sub if b == ZERO => (a, more - number),
            ArithOp::Sub if a == b => (ZERO, more - number),
            _ => return self.product_overflows(op, left, right, (min, max)),
        };
        for (bound, is_fine) in [(min - 1, false), (max, true)] {
            let atom = Atom {
                left: symbol,
                right: ZERO,
                kind: AtomKind::AtMost,
                bound: bound - number,
            };
            let is_below = match symbol {
                ZERO => number <= bound,
                _ => self.state.zone.decide(atom).ok_or(Open(atom))?,
            };
            if is_below != is_fine {
                return Ok(Value::Known(1));
            }
        }
        Ok(Value::Known(0))
    }

    /// Whether an operation overflows of which only the bounds of the operands are looked at.
    fn product_overflows(
        &self,
        op: ArithOp,
        left: Value,
        right: Value,
        (min, max): Bounds,
    ) -> Result<Value, Open> {
        let bounds = self.state.bounds(left).zip(self.state.bounds(right));
        let Some(((a, b), (c, d))) = bounds else {
            return Ok(Value::Any);
        };
        let ends = match op {
            ArithOp::Add => [a + c, b + d, a + c, b + d],
            ArithOp::Sub => [a - d, b - c, a - d, b - c],
            ArithOp::Mul => {
                let product = |x: i128, y: i128| x.checked_mul(y).unwrap_or(i128::MAX);
                [product(a, c), product(a, d), product(b, c), product(b, d)]
            }
            ArithOp::Div | ArithOp::Shl => return Ok(Value::Any),
        };
        Ok(match ends.iter().all(|end| (min..=max).contains(end)) {
            true => Value::Known(0),
            false => Value::Any,
        })
    }
}

fn is_zero(value: Value) -> bool {
    value == Value::Known(0)
}

/// The value with a bit pattern.
pub(in crate::proof) fn known(ty: Type, bits: u128) -> Value {
    let number = match ty {
        Type::Bool | Type::Ptr => i64::try_from(bits).ok(),
        Type::Int(int) if int.width <= 64 => i64::try_from(int.extend(bits)).ok(),
        _ => None,
    };
    number.map_or(Value::Any, Value::Known)
}

/// The bit pattern of a number.
pub(in crate::proof) fn bits(ty: Type, number: i64) -> Option<u128> {
    match ty {
        Type::Bool | Type::Ptr => u128::try_from(number).ok(),
        Type::Int(int) if int.width <= 64 => Some(int.wrap(i128::from(number) as u128)),
        _ => None,
    }
}
