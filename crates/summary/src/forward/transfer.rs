//! What an edge does to an abstract state: exact C semantics, over-approximated.

use rhumb_program::graph::CallEffects;
use rhumb_program::passes::fold;
use rhumb_program::{Action, ArithOp, BinOp, ExprId, ExprKind, IntType, Program, Type, UnOp};

use super::congruence::Congruence;
use super::form::{Form, Range};
use super::packs::{Packs, range};
use super::state::AbstractState;

/// Abstract execution of the edges of one automaton.
#[derive(Clone, Copy)]
pub(super) struct Transfer<'a> {
    pub(super) program: &'a Program,
    pub(super) packs: &'a Packs,
    pub(super) calls: &'a CallEffects,
}

impl Transfer<'_> {
    /// The states after an action.
    pub(super) fn action(&self, state: &mut AbstractState, action: &Action) {
        match *action {
            Action::Assume { cond, holds } => self.assume(state, cond, holds),
            Action::Assign { dst, value } => {
                let form = self.form(state, value);
                let congruence = self.congruence(state, value);
                state.assign(self.program, self.packs, dst, &form, congruence);
            }
            Action::Call { .. } => {
                for &var in self.calls.set_by(self.program, action) {
                    state.forget(self.program, self.packs, var);
                }
                if let Some(dst) = action.defined_var() {
                    state.forget(self.program, self.packs, dst);
                }
            }
            _ => {
                if let Some(dst) = action.defined_var() {
                    state.forget(self.program, self.packs, dst);
                }
            }
        }
    }

    /// The value of an integer or truth value as a form, valid for every state; of another type: anything.
    pub(super) fn form(&self, state: &AbstractState, expr: ExprId) -> Form {
        let node = &self.program.exprs[expr];
        let Some((low, high)) = range(node.ty) else {
            return Form::range(Range::ALL);
        };
        let operands: Vec<Form> = (self.program.exprs.children(expr))
            .map(|operand| self.form(state, operand))
            .collect();
        let exact = match node.kind {
            ExprKind::Const(bits) => Some(Form::constant(match node.ty {
                Type::Int(int) => int.extend(bits),
                _ => bits as i128,
            })),
            ExprKind::Var(var) => self.packs.place(var).map(|_| Form::variable(var)),
            ExprKind::Unary(op, _) => operands[0].times(-1).and_then(|negated| match op {
                UnOp::Neg => Some(negated),
                // ~x = -x - 1
                UnOp::BitNot => negated.plus(&Form::constant(-1)),
                UnOp::Not => negated.plus(&Form::constant(1)),
            }),
            ExprKind::Cast(arg) => match self.program.exprs.ty(arg) {
                Type::Int(_) | Type::Bool | Type::Ptr => Some(operands[0].clone()),
                Type::Float(_) => None,
            },
            ExprKind::PtrAdd(..) => operands[0].plus(&operands[1]),
            ExprKind::Binary(op, lhs, _) => {
                let ty = self.program.exprs.ty(lhs);
                self.binary(state, op, ty, &operands[0], &operands[1])
            }
            _ => None,
        };
        let exact = match (exact, node.ty) {
            (Some(form), Type::Int(int)) => self.wrap(state, form, int),
            (Some(form), Type::Ptr) => self.wrap(state, form, self.program.data_model.size_type()),
            (Some(form), _) => {
                let fits = state.range(self.packs, &form).within(&low, &high);
                fits.then_some(form)
            }
            (None, _) => None,
        };
        let values = match exact {
            Some(form) if !form.parts.is_empty() || form.as_constant().is_some() => return form,
            Some(form) => form.rest,
            None => Range::between(low, high),
        };
        let bounds = self.bounds(state, expr, &operands);
        Form::range(bounds.map_or(values, |bounds| values.meet(&bounds)))
    }

    /// The bounds of an operation's value by those of its operands: at least what simplification of the program knows,
    /// since proofs have to say it.
    fn bounds(&self, state: &AbstractState, operation: ExprId, operands: &[Form]) -> Option<Range> {
        let mut known = [None; 2];
        for (place, operand) in known.iter_mut().zip(operands) {
            let range = state.range(self.packs, operand);
            *place = range.low.zip(range.high);
        }
        let (low, high) = fold::bounds_of(self.program, operation, known)?;
        Some(Range::between(low, high))
    }

    fn binary(
        &self,
        state: &AbstractState,
        op: BinOp,
        ty: Type,
        a: &Form,
        b: &Form,
    ) -> Option<Form> {
        let values = |form: &Form| state.range(self.packs, form);
        match (op, ty) {
            (BinOp::Add, Type::Int(_)) => a.plus(b),
            (BinOp::Sub, Type::Int(_)) => a.minus(b),
            (BinOp::Mul, Type::Int(_)) => match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => b.times(factor),
                (_, Some(factor)) => a.times(factor),
                _ => product(values(a), values(b)).map(Form::range),
            },
            (BinOp::Div, Type::Int(_)) => {
                let (by, of) = (b.as_constant().filter(|&by| by > 0)?, values(a));
                Some(Form::range(Range::between(of.low? / by, of.high? / by)))
            }
            (BinOp::Rem, Type::Int(_)) => {
                let (by, of) = (b.as_constant().filter(|&by| by != 0)?, values(a));
                let last = by.checked_abs()? - 1;
                if of.within(&0, &last) {
                    return Some(a.clone());
                }
                let low = if of.low? >= 0 { 0 } else { -last };
                let high = if of.high? <= 0 { 0 } else { last };
                Some(Form::range(Range::between(
                    low.max(of.low?.min(0)),
                    high.min(of.high?.max(0)),
                )))
            }
            (BinOp::And, Type::Int(_)) => {
                // With an operand that is not negative the result is between zero and that operand.
                let least = [values(a), values(b)]
                    .into_iter()
                    .filter(|range| range.low.is_some_and(|low| low >= 0))
                    .filter_map(|range| range.high)
                    .min()?;
                Some(Form::range(Range::between(0, least)))
            }
            (BinOp::Or | BinOp::Xor, Type::Int(_)) => {
                let (a, b) = (values(a), values(b));
                let top = a.high?.max(b.high?);
                (a.low? >= 0 && b.low? >= 0).then(|| {
                    let bits = 128 - (top as u128).leading_zeros();
                    Form::range(Range::between(0, (1i128 << bits) - 1))
                })
            }
            (BinOp::Shl, Type::Int(_)) => {
                let by = b.as_constant().filter(|by| (0..63).contains(by))?;
                a.times(1 << by)
            }
            (BinOp::Shr, Type::Int(_)) => {
                let by = b.as_constant().filter(|by| (0..64).contains(by))?;
                let of = values(a);
                Some(Form::range(Range::between(of.low? >> by, of.high? >> by)))
            }
            (
                BinOp::Eq | BinOp::Ne | BinOp::Le | BinOp::Lt,
                Type::Int(_) | Type::Bool | Type::Ptr,
            ) => {
                let Range { low, high } = values(&a.minus(b)?);
                let (low, high) = (low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX));
                let truth = match op {
                    BinOp::Eq | BinOp::Ne if low > 0 || high < 0 => op == BinOp::Ne,
                    BinOp::Eq | BinOp::Ne if low == 0 && high == 0 => op == BinOp::Eq,
                    BinOp::Le if high <= 0 || low > 0 => high <= 0,
                    BinOp::Lt if high < 0 || low >= 0 => high < 0,
                    _ => return None,
                };
                Some(Form::constant(truth.into()))
            }
            _ => None,
        }
    }

    /// The form reduced to the type: as it is where it fits, moved by a multiple of 2^width where one multiple fits all values.
    fn wrap(&self, state: &AbstractState, form: Form, int: IntType) -> Option<Form> {
        let (low, high) = range(Type::Int(int))?;
        let values = state.range(self.packs, &form);
        if values.within(&low, &high) {
            return Some(form);
        }
        let period = 1i128 << int.width;
        let turns = |value: i128| Some(value.checked_sub(low)?.div_euclid(period));
        let (first, last) = (turns(values.low?)?, turns(values.high?)?);
        if first != last {
            return None;
        }
        form.plus(&Form::constant(first.checked_mul(period)?.checked_neg()?))
    }

    /// What is known of a value modulo something. Unlike a form it survives wrapping round.
    fn congruence(&self, state: &AbstractState, expr: ExprId) -> Congruence {
        let node = &self.program.exprs[expr];
        let Type::Int(int) = node.ty else {
            return Congruence::ALL;
        };
        if let Some(value) = state
            .range(self.packs, &self.form(state, expr))
            .as_constant()
        {
            return Congruence::constant(*value);
        }
        let of = |expr| self.congruence(state, expr);
        let exact = match node.kind {
            ExprKind::Const(bits) => return Congruence::constant(int.extend(bits)),
            ExprKind::Var(var) => return state.congruence(self.packs, var),
            ExprKind::Unary(UnOp::Neg, arg) => of(arg).times(-1),
            ExprKind::Cast(arg) => of(arg),
            ExprKind::Binary(BinOp::Add, a, b) => of(a).plus(of(b)),
            ExprKind::Binary(BinOp::Sub, a, b) => of(a).plus(of(b).times(-1)),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                match (
                    self.form(state, a).as_constant(),
                    self.form(state, b).as_constant(),
                ) {
                    (Some(factor), _) => of(b).times(factor),
                    (_, Some(factor)) => of(a).times(factor),
                    _ => Congruence::ALL,
                }
            }
            ExprKind::Binary(BinOp::Shl, a, b) => match self.form(state, b).as_constant() {
                Some(by) if (0..63).contains(&by) => of(a).times(1 << by),
                _ => Congruence::ALL,
            },
            _ => Congruence::ALL,
        };
        let Some((low, high)) = range(node.ty) else {
            return Congruence::ALL;
        };
        let fits = match node.kind {
            // The form was not reduced if it is the sum of its parts; asking it again would cost more than it gives.
            ExprKind::Cast(arg) => state
                .range(self.packs, &self.form(state, arg))
                .within(&low, &high),
            ExprKind::Binary(op, a, b) => {
                let ty = self.program.exprs.ty(a);
                let (a, b) = (self.form(state, a), self.form(state, b));
                let exact = self.binary(state, op, ty, &a, &b);
                exact.is_some_and(|form| state.range(self.packs, &form).within(&low, &high))
            }
            _ => false,
        };
        if fits {
            exact
        } else {
            exact.modulo(1 << int.width)
        }
    }

    /// Only the states where the condition has this outcome.
    pub(super) fn assume(&self, state: &mut AbstractState, cond: ExprId, holds: bool) {
        if state.is_bottom() {
            return;
        }
        match self.program.exprs[cond].kind {
            ExprKind::Const(bits) if (bits != 0) != holds => state.make_bottom(),
            ExprKind::Var(var) => {
                let (value, wanted) = (Form::variable(var), Form::constant(holds.into()));
                self.assume_equal(state, &value, &wanted);
            }
            ExprKind::Unary(UnOp::Not, arg) => self.assume(state, arg, !holds),
            _ if (self.form(state, cond).as_constant())
                .is_some_and(|value| (value != 0) != holds) =>
            {
                state.make_bottom();
            }
            ExprKind::Binary(op, a, b) => self.assume_binary(state, op, a, b, holds),
            ExprKind::Overflows(op, a, b) if !holds => {
                let Type::Int(int) = self.program.exprs.ty(a) else {
                    return;
                };
                let (x, y) = (self.form(state, a), self.form(state, b));
                let exact = match op {
                    ArithOp::Add => x.plus(&y),
                    ArithOp::Sub => x.minus(&y),
                    ArithOp::Mul => match (x.as_constant(), y.as_constant()) {
                        (Some(factor), _) => y.times(factor),
                        (_, Some(factor)) => x.times(factor),
                        _ => None,
                    },
                    ArithOp::Div | ArithOp::Shl => None,
                };
                if let (Some(exact), Some((low, high))) = (exact, range(Type::Int(int))) {
                    self.assume_le(state, &exact, &Form::constant(high));
                    self.assume_le(state, &Form::constant(low), &exact);
                }
            }
            _ => {}
        }
    }

    fn assume_binary(
        &self,
        state: &mut AbstractState,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        holds: bool,
    ) {
        let ty = self.program.exprs.ty(a);
        match (op, ty) {
            (BinOp::And, Type::Bool) | (BinOp::Or, Type::Bool) => {
                if (op == BinOp::And) == holds {
                    self.assume(state, a, holds);
                    self.assume(state, b, holds);
                } else {
                    let mut other = state.clone();
                    self.assume(state, a, holds);
                    self.assume(&mut other, b, holds);
                    *state = state.join(&other);
                }
                return;
            }
            (_, Type::Bool | Type::Int(_) | Type::Ptr) if range(ty).is_some() => {}
            _ => return,
        }
        let (x, y) = (self.form(state, a), self.form(state, b));
        let one = Form::constant(1);
        let before = |a: &Form| a.plus(&one);
        match (op, holds) {
            (BinOp::Eq, true) | (BinOp::Ne, false) => self.assume_equal(state, &x, &y),
            (BinOp::Ne, true) | (BinOp::Eq, false) => self.assume_different(state, &x, &y),
            (BinOp::Le, true) => self.assume_le(state, &x, &y),
            (BinOp::Lt, false) => self.assume_le(state, &y, &x),
            (BinOp::Lt, true) => {
                if let Some(x) = before(&x) {
                    self.assume_le(state, &x, &y);
                }
            }
            (BinOp::Le, false) => {
                if let Some(y) = before(&y) {
                    self.assume_le(state, &y, &x);
                }
            }
            _ => {}
        }
    }

    fn assume_le(&self, state: &mut AbstractState, a: &Form, b: &Form) {
        if let Some(difference) = a.minus(b) {
            state.assume_at_most_zero(self.packs, &difference);
        }
    }

    fn assume_equal(&self, state: &mut AbstractState, a: &Form, b: &Form) {
        self.assume_le(state, a, b);
        self.assume_le(state, b, a);
    }

    /// Where the difference can't be on one side of zero, it is on the other.
    fn assume_different(&self, state: &mut AbstractState, a: &Form, b: &Form) {
        let (Some(up), Some(down)) = (a.minus(b), b.minus(a)) else {
            return;
        };
        let one = Form::constant(1);
        for difference in [up, down] {
            if state.upper(self.packs, &difference) == Some(0)
                && let Some(less) = difference.plus(&one)
            {
                state.assume_at_most_zero(self.packs, &less);
            }
        }
    }
}

fn product(a: Range, b: Range) -> Option<Range> {
    let (a, b) = ([a.low?, a.high?], [b.low?, b.high?]);
    let mut products = Vec::new();
    for x in a {
        for y in b {
            products.push(x.checked_mul(y)?);
        }
    }
    Some(Range::between(
        products.iter().copied().min()?,
        products.iter().copied().max()?,
    ))
}
