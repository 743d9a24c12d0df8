//! What an expression can evaluate to: exactly, or within bounds.
//!
//! Evaluation of constants is the exact semantics of [`expr`](crate::expr) for integers of every width, floats, truth
//! values and null pointers; operations that the model leaves undefined (division by zero, shifts out of range) are
//! left alone. Bounds are those that types, conversions, bit-fields and masks give by themselves; they decide many
//! checks of undefined behaviour (a sum of two `char` can't overflow an `int`).

mod floats;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::expr::{ArithOp, BinOp, ExprKind, UnOp};
use crate::ids::{ExprId, FuncId, ObjectId, VarId};
use crate::model::{Program, Scope};
use crate::types::{Access, IntType, Type};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// It is this bit pattern. (For a pointer: an address without an object.)
    Bits(u128),
    /// An integer of at most 64 bits, between these bounds, which are not equal.
    Between(i128, i128),
    /// It is the address of this function.
    Function(FuncId),
    /// It points to this global object, at a distance in bytes between these bounds.
    Object(ObjectId, i128, i128),
    /// Nothing that could be said here.
    Nothing,
}

impl Known {
    /// The same if it is a single value that an expression without operands can name, and nothing if not.
    pub(super) fn constant(self) -> Known {
        match self {
            Known::Bits(_) | Known::Function(_) | Known::Object(_, 0, 0) => self,
            Known::Between(..) | Known::Object(..) | Known::Nothing => Known::Nothing,
        }
    }

    /// Whether every value that `other` allows is allowed here, too.
    pub(super) fn covers(self, other: Known, ty: Type) -> bool {
        match (self, other, ty) {
            (Known::Nothing, _, _) => true,
            (Known::Object(a, low, high), Known::Object(b, from, to), _) => {
                a == b && low <= from && to <= high
            }
            (Known::Between(low, high), _, Type::Int(int)) => {
                let range = other.range(int);
                range.is_some_and(|(from, to)| low <= from && to <= high)
            }
            _ => self == other,
        }
    }

    /// What is known of a value that is read from bits of memory.
    pub(super) fn of_bits(access: Access) -> Known {
        match (access.ty, access.bits) {
            (Type::Int(int), Some(bits)) if u16::from(bits.width) < int.width => {
                let field = IntType {
                    width: u16::from(bits.width),
                    signed: int.signed,
                };
                match (bounds(field), bounds(int)) {
                    (Some((low, high)), Some(_)) => Known::between(int, low, high),
                    _ => Known::Nothing,
                }
            }
            _ => Known::Nothing,
        }
    }

    /// A truth value.
    fn truth(value: bool) -> Known {
        Known::Bits(u128::from(value))
    }

    /// The truth value that it is, if it is one.
    pub(super) fn as_truth(self) -> Option<bool> {
        match self {
            Known::Bits(bits) => Some(bits != 0),
            _ => None,
        }
    }

    /// An integer between bounds; nothing where the type's own bounds say as much.
    fn between(int: IntType, low: i128, high: i128) -> Known {
        if low == high {
            Known::Bits(int.wrap(low as u128))
        } else if bounds(int) == Some((low, high)) {
            Known::Nothing
        } else {
            Known::Between(low, high)
        }
    }

    /// The bounds of an integer.
    fn range(self, int: IntType) -> Option<(i128, i128)> {
        let (low, high) = bounds(int)?;
        match self {
            Known::Bits(bits) => Some((int.extend(bits), int.extend(bits))),
            Known::Between(low, high) => Some((low, high)),
            _ => Some((low, high)),
        }
    }
}

/// The least and the greatest value of a type of at most 64 bits. Wider types have no bounds here, so that sums stay within `i128`.
fn bounds(int: IntType) -> Option<(i128, i128)> {
    (int.width <= 64).then(|| (int.extend(int.min_bits()), int.extend(int.max_bits())))
}

/// The bounds of the value of an operation with an integer (of at most 64 bits) or a truth value as result, given
/// bounds of its operands where they are known: for analyses that know more about variables than is known here.
pub fn bounds_of(
    program: &Program,
    operation: ExprId,
    operands: [Option<(i128, i128)>; 2],
) -> Option<(i128, i128)> {
    let exprs = &program.exprs;
    let mut known = [Known::Nothing; 2];
    let children = exprs.children(operation).zip(operands);
    for (place, (child, bounds)) in known.iter_mut().zip(children) {
        *place = match (exprs.ty(child), bounds) {
            (Type::Int(int), Some((low, high))) if int.width <= 64 => {
                Known::between(int, low, high)
            }
            (Type::Bool, Some((low, high))) if low == high => Known::truth(low != 0),
            _ => Known::Nothing,
        };
    }
    let result = Evaluator::new(program).apply(operation, known[0], known[1]);
    match exprs.ty(operation) {
        Type::Int(int) => result.range(int),
        Type::Bool => Some(match result.as_truth() {
            Some(truth) => (truth.into(), truth.into()),
            None => (0, 1),
        }),
        _ => None,
    }
}

/// Evaluates expressions of a program, given what is known of variables.
pub(super) struct Evaluator<'p> {
    program: &'p Program,
    /// Results of the current question.
    memo: FxHashMap<ExprId, Option<Known>>,
    /// Whether floats are always rounded to nearest, once somebody asked.
    nearest: OnceCell<bool>,
}

impl<'p> Evaluator<'p> {
    pub(super) fn new(program: &'p Program) -> Evaluator<'p> {
        Evaluator {
            program,
            memo: FxHashMap::default(),
            nearest: OnceCell::new(),
        }
    }

    /// Forgets what was found: what is known of variables may change now.
    pub(super) fn reset(&mut self) {
        self.memo.clear();
    }

    /// What is known of an expression; none while `var` gives none for a variable that matters. Recursive on the
    /// expression's depth, which the model limits.
    pub(super) fn eval(
        &mut self,
        id: ExprId,
        var: &dyn Fn(VarId) -> Option<Known>,
    ) -> Option<Known> {
        let program = self.program;
        match program.exprs[id].kind {
            ExprKind::Const(bits) => return Some(Known::Bits(bits)),
            ExprKind::Var(variable) => return var(variable),
            ExprKind::FuncAddr(function) => return Some(Known::Function(function)),
            // A local object's address differs from one lifetime to the next.
            ExprKind::AddrOf(object) => {
                return Some(if program.objects[object].scope == Scope::Global {
                    Known::Object(object, 0, 0)
                } else {
                    Known::Nothing
                });
            }
            _ => {}
        }
        if let Some(&known) = self.memo.get(&id) {
            return known;
        }
        let mut operands = [Known::Nothing; 2];
        let mut complete = true;
        for (place, child) in operands.iter_mut().zip(program.exprs.children(id)) {
            match self.eval(child, var) {
                Some(known) => *place = known,
                None => complete = false,
            }
        }
        let known = complete.then(|| self.apply(id, operands[0], operands[1]));
        self.memo.insert(id, known);
        known
    }

    /// The value of an operation on values.
    fn apply(&self, id: ExprId, first: Known, second: Known) -> Known {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        match exprs[id].kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => {
                Known::Nothing
            }
            ExprKind::Unary(op, _) => unary(op, ty, first),
            ExprKind::Binary(op, lhs, rhs) => match exprs.ty(lhs) {
                of @ Type::Float(_) => {
                    floats::binary(op, of, first, second, self.rounds_to_nearest())
                }
                of => binary(op, of, exprs.ty(rhs), first, second),
            },
            ExprKind::Cast(arg) => match (exprs.ty(arg), ty, first) {
                (from @ Type::Float(_), _, Known::Bits(bits))
                | (from, Type::Float(_), Known::Bits(bits)) => {
                    floats::cast(from, ty, bits, self.rounds_to_nearest())
                }
                (from, _, _) => cast(from, ty, first),
            },
            ExprKind::Overflows(op, lhs, rhs) => match (exprs.ty(lhs), exprs.ty(rhs)) {
                (Type::Int(int), Type::Int(amount)) => overflows(op, int, amount, first, second),
                _ => Known::Nothing,
            },
            ExprKind::PtrAdd(_, bytes) => match exprs.ty(bytes) {
                Type::Int(int) => moved(first, int, second),
                _ => Known::Nothing,
            },
            ExprKind::PtrDiff(..) => match (first, second, ty) {
                (Known::Object(a, x, y), Known::Object(b, z, w), Type::Int(int))
                    if a == b && x == y && z == w =>
                {
                    Known::Bits(int.wrap((x - z) as u128))
                }
                _ => Known::Nothing,
            },
            ExprKind::AccessOk { write, .. } => self.access_ok(first, second, write),
            ExprKind::CastOverflows(to, arg) => floats::cast_overflows(to, exprs.ty(arg), first),
            ExprKind::FreeOk(_) => Known::Nothing,
        }
    }

    fn rounds_to_nearest(&self) -> bool {
        *(self.nearest).get_or_init(|| !self.program.sets_rounding())
    }

    /// Whether an access to a global object, which always lives, is inside it.
    fn access_ok(&self, ptr: Known, size: Known, write: bool) -> Known {
        let (Known::Object(object, low, high), Known::Bits(size)) = (ptr, size) else {
            return Known::Nothing;
        };
        let object = &self.program.objects[object];
        let Ok(size) = i128::try_from(size) else {
            return Known::Nothing;
        };
        if size == 0 {
            return Known::Nothing;
        }
        let inside = |offset: i128| offset >= 0 && offset + size <= i128::from(object.size);
        if write && object.read_only || low == high && !inside(low) {
            Known::truth(false)
        } else if inside(low) && inside(high) {
            Known::truth(true)
        } else {
            Known::Nothing
        }
    }
}

fn unary(op: UnOp, ty: Type, arg: Known) -> Known {
    match (op, ty, arg) {
        (UnOp::Not, Type::Bool, Known::Bits(bits)) => Known::Bits(bits ^ 1),
        (UnOp::BitNot, Type::Int(int), Known::Bits(bits)) => Known::Bits(int.wrap(!bits)),
        (UnOp::Neg, Type::Int(int), Known::Bits(bits)) => {
            Known::Bits(int.wrap(bits.wrapping_neg()))
        }
        (UnOp::Neg, Type::Int(int), Known::Between(low, high)) => exact(int, -high, -low),
        (UnOp::Neg, Type::Float(_), Known::Bits(bits)) => floats::unary(op, ty, bits),
        (UnOp::BitNot, Type::Int(int), Known::Between(low, high)) if int.signed => {
            exact(int, -high - 1, -low - 1)
        }
        _ => Known::Nothing,
    }
}

/// The result between exact bounds; anything if it may wrap.
fn exact(int: IntType, low: i128, high: i128) -> Known {
    match bounds(int) {
        Some((least, greatest)) if least <= low && high <= greatest => {
            Known::between(int, low, high)
        }
        _ => Known::Nothing,
    }
}

fn binary(op: BinOp, lhs: Type, rhs: Type, first: Known, second: Known) -> Known {
    match (lhs, rhs) {
        (Type::Bool, Type::Bool) => logical(op, first, second),
        (Type::Int(int), Type::Int(amount)) => integer(op, int, amount, first, second),
        (Type::Ptr, Type::Ptr) => match (op, same_address(first, second)) {
            (BinOp::Eq, Some(same)) => Known::truth(same),
            (BinOp::Ne, Some(same)) => Known::truth(!same),
            _ => Known::Nothing,
        },
        _ => Known::Nothing,
    }
}

fn logical(op: BinOp, first: Known, second: Known) -> Known {
    let result = match (op, first.as_truth(), second.as_truth()) {
        (BinOp::And, Some(false), _) | (BinOp::And, _, Some(false)) => Some(false),
        (BinOp::And, Some(true), Some(true)) => Some(true),
        (BinOp::Or, Some(true), _) | (BinOp::Or, _, Some(true)) => Some(true),
        (BinOp::Or, Some(false), Some(false)) => Some(false),
        (BinOp::Xor | BinOp::Ne, Some(a), Some(b)) => Some(a != b),
        (BinOp::Eq, Some(a), Some(b)) => Some(a == b),
        _ => None,
    };
    result.map_or(Known::Nothing, Known::truth)
}

/// Whether two pointers have one address. Functions and objects are somewhere, and two functions are not in one place; of two objects
/// nothing is said, as one may begin where the other ends.
fn same_address(first: Known, second: Known) -> Option<bool> {
    match (first, second) {
        (Known::Bits(a), Known::Bits(b)) => Some(a == b),
        (Known::Function(a), Known::Function(b)) => Some(a == b),
        (Known::Function(_) | Known::Object(_, 0, 0), Known::Bits(0))
        | (Known::Bits(0), Known::Function(_) | Known::Object(_, 0, 0)) => Some(false),
        (Known::Object(a, x, y), Known::Object(b, z, w)) if a == b && x == y && z == w => {
            Some(x == z)
        }
        _ => None,
    }
}

/// A pointer into a global object, moved.
fn moved(ptr: Known, int: IntType, bytes: Known) -> Known {
    let Known::Object(object, low, high) = ptr else {
        return Known::Nothing;
    };
    // An unsigned distance beyond the signed range is a step back.
    let signed = IntType::signed(int.width);
    let (from, to) = match bytes {
        Known::Bits(bits) => (signed.extend(bits), signed.extend(bits)),
        Known::Between(from, to) => (from, to),
        _ => return Known::Nothing,
    };
    let (from, to) = (low + from, high + to);
    if signed.contains(from) && signed.contains(to) {
        Known::Object(object, from, to)
    } else {
        Known::Nothing
    }
}

fn cast(from: Type, to: Type, arg: Known) -> Known {
    match (from, to, arg) {
        (Type::Int(from), Type::Int(to), Known::Bits(bits)) => {
            Known::Bits(to.wrap(from.extend(bits) as u128))
        }
        (Type::Int(from), Type::Int(to), arg) => match (arg.range(from), bounds(to)) {
            (Some((low, high)), Some(_)) => exact(to, low, high),
            _ => Known::Nothing,
        },
        (Type::Bool, Type::Int(_), Known::Bits(bits)) => Known::Bits(bits),
        (Type::Bool, Type::Int(to), _) => exact(to, 0, 1),
        // Another address may belong to an object that only the run knows.
        (Type::Int(_), Type::Ptr, Known::Bits(0)) | (Type::Ptr, Type::Int(_), Known::Bits(0)) => {
            Known::Bits(0)
        }
        _ => Known::Nothing,
    }
}

fn integer(op: BinOp, int: IntType, amount: IntType, first: Known, second: Known) -> Known {
    if let (Known::Bits(a), Known::Bits(b)) = (first, second) {
        return evaluate(op, int, amount, a, b).map_or(Known::Nothing, Known::Bits);
    }
    let (Some((a, b)), Some((c, d))) = (first.range(int), second.range(amount)) else {
        return Known::Nothing;
    };
    match op {
        BinOp::Add => exact(int, a + c, b + d),
        BinOp::Sub => exact(int, a - d, b - c),
        BinOp::Mul => match product(a, b, c, d) {
            Some((low, high)) => exact(int, low, high),
            None => Known::Nothing,
        },
        BinOp::Div if c == d && c > 0 => exact(int, a / c, b / c),
        // The result has the dividend's sign and is less than the divisor.
        BinOp::Rem if c > 0 => exact(
            int,
            if a >= 0 { 0 } else { a.max(1 - d) },
            if b <= 0 { 0 } else { b.min(d - 1) },
        ),
        BinOp::And if a >= 0 && c >= 0 => exact(int, 0, b.min(d)),
        BinOp::And if a >= 0 => exact(int, 0, b),
        BinOp::And if c >= 0 => exact(int, 0, d),
        BinOp::Shl if c == d && (0..i128::from(int.width)).contains(&c) => {
            exact(int, a << c, b << c)
        }
        BinOp::Shr if c == d && (0..i128::from(int.width)).contains(&c) => {
            exact(int, a >> c, b >> c)
        }
        BinOp::Eq if b < c || d < a => Known::truth(false),
        BinOp::Ne if b < c || d < a => Known::truth(true),
        BinOp::Lt if b < c => Known::truth(true),
        BinOp::Lt if a >= d => Known::truth(false),
        BinOp::Le if b <= c => Known::truth(true),
        BinOp::Le if a > d => Known::truth(false),
        _ => Known::Nothing,
    }
}

/// The bounds of a product.
fn product(a: i128, b: i128, c: i128, d: i128) -> Option<(i128, i128)> {
    let corners = [
        a.checked_mul(c)?,
        a.checked_mul(d)?,
        b.checked_mul(c)?,
        b.checked_mul(d)?,
    ];
    Some((*corners.iter().min()?, *corners.iter().max()?))
}

/// The exact result of an operation on integers of one type (`amount` is the type of a shift's second operand); none where the model
/// leaves it undefined.
fn evaluate(op: BinOp, int: IntType, amount: IntType, a: u128, b: u128) -> Option<u128> {
    let (signed_a, signed_b) = (int.extend(a), int.extend(b));
    let truth = |value: bool| Some(u128::from(value));
    let less = if int.signed {
        signed_a < signed_b
    } else {
        a < b
    };
    Some(int.wrap(match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div | BinOp::Rem if b == 0 => return None,
        BinOp::Div if int.signed => signed_a.wrapping_div(signed_b) as u128,
        BinOp::Rem if int.signed => signed_a.wrapping_rem(signed_b) as u128,
        BinOp::Div => a / b,
        BinOp::Rem => a % b,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a << shift(int, amount, b)?,
        BinOp::Shr if int.signed => (signed_a >> shift(int, amount, b)?) as u128,
        BinOp::Shr => a >> shift(int, amount, b)?,
        BinOp::Eq => return truth(a == b),
        BinOp::Ne => return truth(a != b),
        BinOp::Lt => return truth(less),
        BinOp::Le => return truth(less || a == b),
    }))
}

/// A shift amount that is in range.
fn shift(int: IntType, amount: IntType, bits: u128) -> Option<u32> {
    (!amount.is_negative(bits) && bits < u128::from(int.width)).then_some(bits as u32)
}

/// Whether the exact result of an operation is outside the type.
fn overflows(op: ArithOp, int: IntType, amount: IntType, first: Known, second: Known) -> Known {
    let decided = if let (Known::Bits(a), Known::Bits(b)) = (first, second) {
        evaluate_overflow(op, int, amount, a, b)
    } else if let (Some(a), Some(b)) = (first.range(int), second.range(amount)) {
        bounded_overflow(op, int, a, b)
    } else {
        None
    };
    decided.map_or(Known::Nothing, Known::truth)
}

fn evaluate_overflow(op: ArithOp, int: IntType, amount: IntType, a: u128, b: u128) -> Option<bool> {
    let (signed_a, signed_b) = (int.extend(a), int.extend(b));
    // Only the widest types leave `i128`: of them the operation itself says whether it overflowed.
    let fits = |exact: Option<i128>| exact.is_some_and(|exact| int.contains(exact));
    let fits_unsigned = |exact: Option<u128>| exact.is_some_and(|exact| exact <= int.mask());
    Some(match op {
        ArithOp::Add if int.signed => !fits(signed_a.checked_add(signed_b)),
        ArithOp::Sub if int.signed => !fits(signed_a.checked_sub(signed_b)),
        ArithOp::Mul if int.signed => !fits(signed_a.checked_mul(signed_b)),
        ArithOp::Add => !fits_unsigned(a.checked_add(b)),
        ArithOp::Sub => !fits_unsigned(a.checked_sub(b)),
        ArithOp::Mul => !fits_unsigned(a.checked_mul(b)),
        ArithOp::Div => int.signed && a == int.min_bits() && b == int.mask(),
        ArithOp::Shl if int.signed => {
            let by = shift(int, amount, b)?;
            int.is_negative(a) || a > int.max_bits() >> by
        }
        ArithOp::Shl => return None,
    })
}

fn bounded_overflow(
    op: ArithOp,
    int: IntType,
    (a, b): (i128, i128),
    (c, d): (i128, i128),
) -> Option<bool> {
    let (least, greatest) = bounds(int)?;
    let (low, high) = match op {
        ArithOp::Add => (a + c, b + d),
        ArithOp::Sub => (a - d, b - c),
        ArithOp::Mul => product(a, b, c, d)?,
        ArithOp::Div => {
            let possible = int.signed && a == least && c <= -1 && -1 <= d;
            return (!possible).then_some(false);
        }
        ArithOp::Shl => {
            let in_range = int.signed && c >= 0 && d < i128::from(int.width);
            return (in_range && a >= 0 && b << d <= greatest).then_some(false);
        }
    };
    if least <= low && high <= greatest {
        Some(false)
    } else if high < least || greatest < low {
        Some(true)
    } else {
        None
    }
}
