//! Expressions in a state: all cases that there are, each with the state in which it is so.

use rhumb_program::interp::eval;
use rhumb_program::{ArithOp, BinOp, ExprId, ExprKind, IntType, Program, Type, UnOp, VarId};

use super::{KnownState, Range, Value};

/// Where there are more cases than this, none is looked at.
const MAX_CASES: usize = 24;

/// A value of so few numbers is taken for each of them, where an operator knows numbers only.
const FEW: i128 = 8;

/// Who knows which variables are followed.
pub(crate) trait Slots {
    fn slot(&self, var: VarId) -> Option<usize>;
}

/// Cases: states that together are all that the given one was, each with what an expression is there.
pub(crate) type Cases<T> = Vec<(KnownState, T)>;

/// Evaluates expressions.
pub(crate) struct Eval<'a, S> {
    pub(crate) program: &'a Program,
    pub(crate) slots: S,
}

impl<S: Slots> Eval<'_, S> {
    /// Whether a condition holds; both, where that is not known.
    pub(crate) fn outcomes(&self, state: KnownState, condition: ExprId) -> Cases<bool> {
        let mut outcomes = Vec::new();
        for (state, value) in self.values(state, condition) {
            match state.resolve(value) {
                Value::Number(number) => outcomes.push((state, number != 0)),
                value => {
                    let cases = [
                        (state.differing(value, 0), true),
                        (state.equated(value, Value::Number(0)), false),
                    ];
                    let cases = cases.into_iter();
                    outcomes.extend(cases.filter_map(|(state, holds)| Some((state?, holds))));
                }
            }
        }
        outcomes
    }

    /// What an expression is. Recursive on its depth, which the model limits.
    pub(crate) fn values(&self, state: KnownState, expr: ExprId) -> Cases<Value> {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(expr);
        match exprs[expr].kind {
            ExprKind::Const(bits) => {
                let value = self.number(ty, bits);
                vec![(state, value)]
            }
            ExprKind::Var(var) => self.variable(state, var),
            ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => {
                let mut state = state;
                let address = self.address(&mut state);
                vec![(state, address)]
            }
            ExprKind::Unary(op, arg) => each(self.values(state, arg), |state, value| {
                self.unary(state, op, ty, value)
            }),
            ExprKind::Binary(op, lhs, rhs) => {
                let types = (exprs.ty(lhs), exprs.ty(rhs));
                self.pairs(state, lhs, rhs, |state, a, b| match op {
                    BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => {
                        self.comparison(state, op, types.0, a, b)
                    }
                    _ => self.binary(state, op, types, a, b),
                })
            }
            ExprKind::Cast(arg) => {
                let from = exprs.ty(arg);
                each(self.values(state, arg), |state, value| {
                    self.cast(state, from, ty, value)
                })
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let types = (exprs.ty(lhs), exprs.ty(rhs));
                self.pairs(state, lhs, rhs, |state, a, b| {
                    self.overflows(state, op, types, a, b)
                })
            }
            ExprKind::PtrAdd(pointer, bytes) => {
                self.pairs(state, pointer, bytes, |state, a, b| match (a, b) {
                    (value, Value::Number(0)) => vec![(state, value)],
                    (Value::Number(_), Value::Number(_)) => {
                        let word = self.program.data_model.size_type();
                        self.sum(state, word, a, b, 1)
                    }
                    _ => vec![(state, Value::Any)],
                })
            }
            ExprKind::PtrDiff(..)
            | ExprKind::CastOverflows(..)
            | ExprKind::AccessOk { .. }
            | ExprKind::FreeOk(_) => vec![(state, Value::Any)],
        }
    }

    /// A variable that may have any value gets a symbol, so that what is learned of it stays.
    fn variable(&self, mut state: KnownState, var: VarId) -> Cases<Value> {
        let Some(slot) = self.slots.slot(var) else {
            return vec![(state, Value::Any)];
        };
        let mut value = state.get(slot);
        if value == Value::Any
            && let Some(range) = Range::of(self.program, self.program.vars[var].ty)
        {
            value = state.symbol(range);
            state.set(slot, value);
        }
        vec![(state, value)]
    }

    /// An address of what there is: any but null.
    fn address(&self, state: &mut KnownState) -> Value {
        match Range::of(self.program, Type::Ptr) {
            Some(range) => state.symbol(Range::new(1, range.most)),
            None => Value::Any,
        }
    }

    /// The number with these bits.
    fn number(&self, ty: Type, bits: u128) -> Value {
        match ty {
            Type::Bool => Value::Number(i128::from(bits != 0)),
            Type::Int(int) if int.width <= 64 => Value::Number(int.extend(int.wrap(bits))),
            Type::Ptr => {
                let word = self.program.data_model.size_type();
                Value::Number(word.extend(word.wrap(bits)))
            }
            Type::Int(_) | Type::Float(_) => Value::Any,
        }
    }

    /// All pairs of values of two expressions, the second in the states that the first leaves.
    fn pairs(
        &self,
        state: KnownState,
        lhs: ExprId,
        rhs: ExprId,
        then: impl Fn(KnownState, Value, Value) -> Cases<Value>,
    ) -> Cases<Value> {
        let whole = state.clone();
        let mut cases = Vec::new();
        for (state, a) in self.values(state, lhs) {
            for (state, b) in self.values(state, rhs) {
                let (a, b) = (state.resolve(a), state.resolve(b));
                cases.extend(then(state, a, b));
                if cases.len() > MAX_CASES {
                    return vec![(whole, Value::Any)];
                }
            }
        }
        cases
    }

    fn unary(&self, state: KnownState, op: UnOp, ty: Type, value: Value) -> Cases<Value> {
        self.one_by_one(state, value, |_, number| {
            let bits = eval::unary(op, ty, self.bits(ty, number)?).ok()?;
            Some(self.number(ty, bits))
        })
    }

    /// An operator on each number that a value may be, if there are few.
    fn one_by_one(
        &self,
        mut state: KnownState,
        value: Value,
        apply: impl Fn(&mut KnownState, i128) -> Option<Value>,
    ) -> Cases<Value> {
        let anything = Value::Any;
        let Some(range) = state.range(value) else {
            return vec![(state, anything)];
        };
        if range.least == range.most {
            let result = apply(&mut state, range.least).unwrap_or(anything);
            return vec![(state, result)];
        }
        if range.most - range.least >= FEW {
            return vec![(state, anything)];
        }
        let numbers = (range.least..=range.most).filter(|&number| range.has(number));
        let cases = numbers.filter_map(|number| {
            let mut state = state.between(value, number, number)?;
            let result = apply(&mut state, number).unwrap_or(anything);
            Some((state, result))
        });
        cases.collect()
    }

    fn binary(
        &self,
        state: KnownState,
        op: BinOp,
        (ty, second): (Type, Type),
        a: Value,
        b: Value,
    ) -> Cases<Value> {
        let is = |value: Value, number: i128| value == Value::Number(number);
        match (op, ty) {
            (BinOp::Add | BinOp::Sub, Type::Int(int)) if int.width <= 64 => {
                let sign = if op == BinOp::Add { 1 } else { -1 };
                return self.sum(state, int, a, b, sign);
            }
            (BinOp::And | BinOp::Mul, Type::Bool | Type::Int(_)) if is(a, 0) || is(b, 0) => {
                return vec![(state, Value::Number(0))];
            }
            (BinOp::Or, Type::Bool) if is(a, 1) || is(b, 1) => {
                return vec![(state, Value::Number(1))];
            }
            (BinOp::And, Type::Bool) if is(a, 1) => return vec![(state, b)],
            (BinOp::And, Type::Bool) if is(b, 1) => return vec![(state, a)],
            (BinOp::Or, Type::Bool) if is(a, 0) => return vec![(state, b)],
            (BinOp::Or, Type::Bool) if is(b, 0) => return vec![(state, a)],
            _ => {}
        }
        let exact = |x: i128, y: i128| {
            let (x, y) = (self.bits(ty, x)?, self.bits(second, y)?);
            let bits = eval::binary(op, ty, x, second, y).ok()?;
            Some(self.number(ty, bits))
        };
        if let Some(range) = self.estimate(&state, op, ty, a, b)
            && !(self.is_few(&state, a) && self.is_few(&state, b))
        {
            let mut state = state;
            let value = state.symbol(range);
            return vec![(state, value)];
        }
        if !self.is_few(&state, a) || !self.is_few(&state, b) {
            return vec![(state, Value::Any)];
        }
        let cases = self.one_by_one(state, a, |_, x| Some(Value::Number(x)));
        each(cases, |state, x| {
            self.one_by_one(state, b, |_, y| match x {
                Value::Number(x) => exact(x, y),
                Value::Any | Value::Symbol(..) => None,
            })
        })
    }

    fn is_few(&self, state: &KnownState, value: Value) -> bool {
        let range = state.range(value);
        range.is_some_and(|range| range.most - range.least < FEW)
    }

    /// The range of a result, where operands that are not negative say something about it.
    fn estimate(
        &self,
        state: &KnownState,
        op: BinOp,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Option<Range> {
        let all = Range::of(self.program, ty)?;
        let range = |value: Value| state.range(value).unwrap_or_else(|| all.clone());
        let (a, b) = (range(a), range(b));
        match op {
            // A mask leaves no more than itself.
            BinOp::And if a.least >= 0 || b.least >= 0 => {
                let limit = |range: &Range| (range.least >= 0).then_some(range.most);
                let most = [limit(&a), limit(&b)].into_iter().flatten().min()?;
                Some(Range::new(0, most))
            }
            BinOp::Rem if b.least > 0 => {
                let most = (b.most - 1).min(a.most.max(0));
                let least = if a.least >= 0 { 0 } else { 1 - b.most };
                Some(Range::new(least, most))
            }
            BinOp::Div if a.least >= 0 && b.least > 0 => {
                Some(Range::new(a.least / b.most, a.most / b.least))
            }
            BinOp::Mul => {
                let product = |x: i128, y: i128| x.checked_mul(y);
                let ends = [
                    product(a.least, b.least)?,
                    product(a.least, b.most)?,
                    product(a.most, b.least)?,
                    product(a.most, b.most)?,
                ];
                let (least, most) = (*ends.iter().min()?, *ends.iter().max()?);
                (all.least <= least && most <= all.most).then(|| Range::new(least, most))
            }
            _ => None,
        }
    }

    /// A sum or a difference in a type.
    fn sum(&self, state: KnownState, int: IntType, a: Value, b: Value, sign: i128) -> Cases<Value> {
        match (a, b) {
            (Value::Number(x), Value::Number(y)) => {
                self.wrapped(state, int, Value::Number(x + sign * y))
            }
            (Value::Symbol(symbol, more), Value::Number(y)) => {
                self.wrapped(state, int, Value::Symbol(symbol, more + sign * y))
            }
            (Value::Number(x), Value::Symbol(symbol, more)) if sign == 1 => {
                self.wrapped(state, int, Value::Symbol(symbol, more + x))
            }
            (Value::Symbol(one, more), Value::Symbol(other, less))
                if one == other && sign == -1 =>
            {
                self.wrapped(state, int, Value::Number(more - less))
            }
            _ => {
                let (Some(x), Some(y)) = (state.range(a), state.range(b)) else {
                    return vec![(state, Value::Any)];
                };
                let (least, most) = match sign {
                    1 => (x.least + y.least, x.most + y.most),
                    _ => (x.least - y.most, x.most - y.least),
                };
                let all = Range::of_int(int);
                if least < all.least || most > all.most {
                    return vec![(state, Value::Any)];
                }
                let mut state = state;
                let value = state.symbol(Range::new(least, most));
                vec![(state, value)]
            }
        }
    }

    /// A value in a type: the number of times that it goes around the type is told apart, if it is few.
    fn wrapped(&self, state: KnownState, int: IntType, value: Value) -> Cases<Value> {
        let (all, size) = (Range::of_int(int), 1_i128 << int.width);
        let Some(range) = state.range(value) else {
            return vec![(state, Value::Any)];
        };
        let turn = |number: i128| (number - all.least).div_euclid(size);
        let (first, last) = (turn(range.least), turn(range.most));
        if last - first > 2 {
            return vec![(state, Value::Any)];
        }
        let mut cases = Vec::new();
        for turn in first..=last {
            let (least, most) = (all.least + turn * size, all.most + turn * size);
            if let Some(state) = state.between(value, least, most) {
                let value = match state.resolve(value) {
                    Value::Number(number) => Value::Number(number - turn * size),
                    Value::Symbol(symbol, more) => Value::Symbol(symbol, more - turn * size),
                    Value::Any => Value::Any,
                };
                cases.push((state, value));
            }
        }
        cases
    }

    fn cast(&self, mut state: KnownState, from: Type, to: Type, value: Value) -> Cases<Value> {
        let to = match to {
            Type::Int(int) if int.width <= 64 => int,
            Type::Ptr => self.program.data_model.size_type(),
            Type::Bool | Type::Int(_) | Type::Float(_) => return vec![(state, Value::Any)],
        };
        let value = match (value, Range::of(self.program, from)) {
            (_, None) => return vec![(state, Value::Any)],
            // Of a narrower type something is known.
            (Value::Any, Some(range)) if Range::of_int(to).contains(&range) => state.symbol(range),
            (value, Some(_)) => value,
        };
        self.wrapped(state, to, value)
    }

    fn comparison(
        &self,
        state: KnownState,
        op: BinOp,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Cases<Value> {
        if Range::of(self.program, ty).is_none() {
            return vec![(state, Value::Any)];
        }
        let (a, b) = (state.resolve(a), state.resolve(b));
        if a == Value::Any || b == Value::Any {
            return vec![(state, Value::Any)];
        }
        let truth = |cases: [Option<KnownState>; 2], first: bool| {
            let cases = cases.into_iter().zip([first, !first]);
            let cases =
                cases.filter_map(|(state, holds)| Some((state?, Value::Number(holds.into()))));
            cases.collect()
        };
        match op {
            BinOp::Lt => truth([state.below(a, b, 1), state.below(b, a, 0)], true),
            BinOp::Le => truth([state.below(a, b, 0), state.below(b, a, 1)], true),
            _ => truth([state.equated(a, b), state.parted(a, b)], op == BinOp::Eq),
        }
    }

    fn overflows(
        &self,
        state: KnownState,
        op: ArithOp,
        (ty, second): (Type, Type),
        a: Value,
        b: Value,
    ) -> Cases<Value> {
        if let (Value::Number(x), Value::Number(y)) = (a, b) {
            let bits = self.bits(ty, x).zip(self.bits(second, y));
            let result = bits.and_then(|(x, y)| eval::overflows(op, ty, x, second, y).ok());
            let value = result.map_or(Value::Any, |holds| Value::Number(holds.into()));
            return vec![(state, value)];
        }
        let Type::Int(int) = ty else {
            return vec![(state, Value::Any)];
        };
        if int.width > 64 {
            return vec![(state, Value::Any)];
        }
        let all = Range::of_int(int);
        // A symbol and a number: inside, below or above.
        let moved = match (op, a, b) {
            (ArithOp::Add, Value::Symbol(symbol, more), Value::Number(number))
            | (ArithOp::Add, Value::Number(number), Value::Symbol(symbol, more)) => {
                Some(Value::Symbol(symbol, more + number))
            }
            (ArithOp::Sub, Value::Symbol(symbol, more), Value::Number(number)) => {
                Some(Value::Symbol(symbol, more - number))
            }
            _ => None,
        };
        if let Some(moved) = moved {
            let parts = [
                (all.least, all.most, 0),
                (i128::MIN, all.least - 1, 1),
                (all.most + 1, i128::MAX, 1),
            ];
            let parts = parts.into_iter();
            return parts
                .filter_map(|(least, most, overflows)| {
                    Some((state.between(moved, least, most)?, Value::Number(overflows)))
                })
                .collect();
        }
        let range = |value: Value| state.range(value).unwrap_or_else(|| all.clone());
        let (x, y) = (range(a), range(b));
        let ends = match op {
            ArithOp::Add => [x.least + y.least, x.most + y.most, 0, 0],
            ArithOp::Sub => [x.least - y.most, x.most - y.least, 0, 0],
            ArithOp::Mul => [
                x.least.saturating_mul(y.least),
                x.least.saturating_mul(y.most),
                x.most.saturating_mul(y.least),
                x.most.saturating_mul(y.most),
            ],
            ArithOp::Div | ArithOp::Shl => return vec![(state, Value::Any)],
        };
        let fits = |end: &i128| (all.least..=all.most).contains(end);
        let value = match ends.iter().all(fits) {
            true => Value::Number(0),
            false => Value::Any,
        };
        vec![(state, value)]
    }

    fn bits(&self, ty: Type, number: i128) -> Option<u128> {
        match ty {
            Type::Bool => Some(u128::from(number != 0)),
            Type::Int(int) => Some(int.wrap(number as u128)),
            Type::Ptr | Type::Float(_) => None,
        }
    }
}

/// Goes on with each case.
fn each(cases: Cases<Value>, then: impl Fn(KnownState, Value) -> Cases<Value>) -> Cases<Value> {
    let cases = cases.into_iter();
    cases
        .flat_map(|(state, value)| {
            let value = state.resolve(value);
            then(state, value)
        })
        .collect()
}
