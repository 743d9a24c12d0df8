//! Values, one at a time or, for an input that nobody has looked at yet, all values of an interval at once.

use rhumb_program::interp::eval;
use rhumb_program::{BinOp, ExprId, ExprKind, IntType, Program, Type, UnOp, VarId};

use super::Failure;

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    /// One value, by its bits.
    One(u128),
    /// Any value from the first to the second, by their mathematical values. Only an input gets to be one, and it stays
    /// in the variable that it was read into: whatever computes with it asks for its values one by one.
    Any(i128, i128),
}

/// What must be known before an expression has a value.
pub(super) enum Need {
    /// Whether the variable is below this number or not.
    Side(VarId, i128),
    /// Which value the variable has.
    Exactly(VarId),
    /// More than there is here.
    More(Failure),
}

/// The value of an expression.
pub(super) enum Seen {
    One(u128),
    /// That of a variable, perhaps converted to a type that has all these values, too.
    Any(VarId, i128, i128),
}

/// Values of variables, where an expression is evaluated.
pub(super) struct Reader<'a> {
    pub(super) program: &'a Program,
    pub(super) read: &'a dyn Fn(VarId) -> Value,
}

impl Reader<'_> {
    /// The bits of an expression's value.
    pub(super) fn bits(&self, id: ExprId) -> Result<u128, Need> {
        match self.seen(id)? {
            Seen::One(bits) => Ok(bits),
            Seen::Any(var, ..) => Err(Need::Exactly(var)),
        }
    }

    fn seen(&self, id: ExprId) -> Result<Seen, Need> {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let value = match exprs[id].kind {
            ExprKind::Const(bits) => Ok(bits),
            ExprKind::Var(var) => {
                return Ok(match (self.read)(var) {
                    Value::One(bits) => Seen::One(bits),
                    Value::Any(low, high) => Seen::Any(var, low, high),
                });
            }
            ExprKind::Cast(arg) => match (self.seen(arg)?, ty) {
                (Seen::One(bits), _) => eval::cast(exprs.ty(arg), ty, bits),
                (Seen::Any(var, low, high), Type::Int(to))
                    if to.contains(low) && to.contains(high) =>
                {
                    return Ok(Seen::Any(var, low, high));
                }
                (Seen::Any(var, ..), _) => return Err(Need::Exactly(var)),
            },
            ExprKind::Unary(op, arg) => match (op, self.seen(arg)?) {
                (_, Seen::One(bits)) => eval::unary(op, exprs.ty(arg), bits),
                (UnOp::Not | UnOp::BitNot | UnOp::Neg, Seen::Any(var, ..)) => {
                    return Err(Need::Exactly(var));
                }
            },
            ExprKind::Binary(op, lhs, rhs) => match (self.seen(lhs)?, self.seen(rhs)?) {
                (Seen::One(a), Seen::One(b)) => {
                    eval::binary(op, exprs.ty(lhs), a, exprs.ty(rhs), b)
                }
                (a, b) => return compare(op, exprs.ty(lhs), &a, &b).map(Seen::One),
            },
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (self.bits(lhs)?, self.bits(rhs)?);
                eval::overflows(op, exprs.ty(lhs), a, exprs.ty(rhs), b).map(u128::from)
            }
            other => {
                let failure = Failure::NotHere(format!("{other:?}"));
                return Err(Need::More(failure));
            }
        };
        match value {
            Ok(bits) => Ok(Seen::One(bits)),
            Err(why) => Err(Need::More(Failure::NotHere(format!("no value: {why:?}")))),
        }
    }
}

/// A comparison of which at least one side is an interval: the answer if all its values agree on it, or what would tell.
fn compare(op: BinOp, ty: Type, lhs: &Seen, rhs: &Seen) -> Result<u128, Need> {
    let bounds = |side: &Seen| match (side, ty) {
        (Seen::Any(var, low, high), _) => (Some(*var), *low, *high),
        (Seen::One(bits), Type::Int(int)) => (None, int.extend(*bits), int.extend(*bits)),
        (Seen::One(bits), _) => (None, *bits as i128, *bits as i128),
    };
    let ((left, a, b), (right, c, d)) = (bounds(lhs), bounds(rhs));
    let (var, number) = match (left, right) {
        (Some(var), None) => (var, c),
        (None, Some(var)) => (var, a),
        (Some(var), Some(_)) => return Err(Need::Exactly(var)),
        (None, None) => return Ok(0),
    };
    // Where the interval has to be cut if it is on both sides of the number: from `number` on, or above it.
    let (known, cut) = match op {
        BinOp::Lt => (
            if b < c {
                Some(true)
            } else if a >= d {
                Some(false)
            } else {
                None
            },
            if left.is_some() { number } else { number + 1 },
        ),
        BinOp::Le => (
            if b <= c {
                Some(true)
            } else if a > d {
                Some(false)
            } else {
                None
            },
            if left.is_some() { number + 1 } else { number },
        ),
        BinOp::Eq | BinOp::Ne => {
            let apart = b < c || a > d;
            let (low, _) = if left.is_some() { (a, b) } else { (c, d) };
            // First what is below the number is cut off, then what is above it.
            let cut = if low < number { number } else { number + 1 };
            (apart.then_some(op == BinOp::Ne), cut)
        }
        _ => return Err(Need::Exactly(var)),
    };
    known.map(u128::from).ok_or(Need::Side(var, cut))
}

/// All values of a type.
pub(super) fn all(ty: Type) -> Result<Value, Failure> {
    match ty {
        Type::Bool => Ok(Value::Any(0, 1)),
        Type::Int(int) if int.width <= 64 => Ok(Value::Any(
            int.extend(int.min_bits()),
            int.extend(int.max_bits()),
        )),
        other => Err(Failure::NotHere(format!("an input of type {other}"))),
    }
}

/// The least and the greatest value that a variable of a type may have, by their mathematical values.
pub(super) fn bounds(ty: Type, value: Value) -> (i128, i128) {
    match (value, ty) {
        (Value::Any(low, high), _) => (low, high),
        (Value::One(bits), Type::Int(int)) => (int.extend(bits), int.extend(bits)),
        (Value::One(bits), _) => (bits as i128, bits as i128),
    }
}

/// The bits of a mathematical value of a type.
pub(super) fn bits_of(ty: Type, value: i128) -> u128 {
    match ty {
        Type::Int(int) => int.wrap(value as u128),
        _ => IntType::unsigned(1).wrap(value as u128),
    }
}
