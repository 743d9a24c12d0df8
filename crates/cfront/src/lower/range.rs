//! Bounds of integer expressions that can be seen at a glance, so that checks which can't fail are left out.

use rhumb_interval::Interval;
use rhumb_program::{ArithOp, BinOp, ExprId, ExprKind, Exprs, IntType, Type, UnOp};

/// How deep an expression is looked into.
const DEPTH: u32 = 4;

/// The values that an expression may have.
pub(super) type Range = Interval<i128>;

fn of_type(int: IntType) -> Range {
    Range::new(int.extend(int.min_bits()), int.extend(int.max_bits()))
}

/// Whether every value is one of the type.
pub(super) fn fits(range: Range, int: IntType) -> bool {
    int.contains(range.low) && int.contains(range.high)
}

/// Where the exact result of an operation lies.
pub(super) fn exact(op: ArithOp, lhs: Range, rhs: Range) -> Option<Range> {
    match op {
        ArithOp::Add => lhs.plus(rhs),
        ArithOp::Sub => lhs.minus(rhs),
        // Both factors have at most 64 bits; only the product of two unsigned ones may be too large.
        ArithOp::Mul => lhs.times(rhs),
        ArithOp::Div | ArithOp::Shl => None,
    }
}

/// The bounds of an expression of an integer type of at most 64 bits.
pub(super) fn range(exprs: &Exprs, expr: ExprId) -> Option<Range> {
    range_to(exprs, expr, DEPTH)
}

fn range_to(exprs: &Exprs, expr: ExprId, depth: u32) -> Option<Range> {
    let Type::Int(int) = exprs.ty(expr) else {
        return None;
    };
    if int.width > 64 {
        return None;
    }
    let narrower = (depth > 0)
        .then(|| narrow(exprs, expr, int, depth - 1))
        .flatten();
    Some(
        narrower
            .filter(|&range| fits(range, int))
            .unwrap_or(of_type(int)),
    )
}

/// Better bounds than those of the type. Where they leave the type the operation may have wrapped, and they mean nothing.
fn narrow(exprs: &Exprs, expr: ExprId, int: IntType, depth: u32) -> Option<Range> {
    let range = |expr: ExprId| range_to(exprs, expr, depth);
    match exprs[expr].kind {
        ExprKind::Const(bits) => Some(Range::point(int.extend(bits))),
        ExprKind::Cast(arg) if exprs.ty(arg) == Type::Bool => Some(Range::new(0, 1)),
        ExprKind::Cast(arg) => range(arg),
        ExprKind::Unary(UnOp::Neg, arg) => Range::point(0).minus(range(arg)?),
        ExprKind::Binary(op, lhs, rhs) => {
            let (left, right) = (range(lhs)?, range(rhs)?);
            match op {
                BinOp::Add => exact(ArithOp::Add, left, right),
                BinOp::Sub => exact(ArithOp::Sub, left, right),
                BinOp::Mul => exact(ArithOp::Mul, left, right),
                BinOp::And if left.low >= 0 && right.low >= 0 => {
                    Some(Range::new(0, left.high.min(right.high)))
                }
                BinOp::And if right.low >= 0 => Some(Range::new(0, right.high)),
                BinOp::Rem if right.low > 0 => {
                    let low = if left.low >= 0 { 0 } else { 1 - right.high };
                    let high = if left.high <= 0 { 0 } else { right.high - 1 };
                    Some(Range { low, high })
                }
                BinOp::Div if right.low > 0 => left.divided_by(right),
                BinOp::Shr if right.as_point().is_some_and(|by| (0..64).contains(by)) => {
                    Some(left.shifted_right(right))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rhumb_program::VarId;

    use super::*;

    const I8: IntType = IntType::signed(8);
    const I32: IntType = IntType::INT;

    /// An arena with a variable of 8 bits, converted to `int`.
    fn narrow_variable() -> (Exprs, ExprId) {
        let mut exprs = Exprs::default();
        let var = exprs.var(VarId::from_usize(0), Type::Int(I8));
        let wide = exprs.cast(Type::Int(I32), var);
        (exprs, wide)
    }

    #[test]
    fn conversions_keep_the_bounds_that_fit() {
        let (mut exprs, wide) = narrow_variable();
        let bounds = Range::new(-128, 127);
        assert_eq!(range(&exprs, wide), Some(bounds));
        // A negative number has another value here.
        let unsigned = exprs.cast(Type::Int(IntType::unsigned(32)), wide);
        assert_eq!(
            range(&exprs, unsigned),
            Some(of_type(IntType::unsigned(32)))
        );
    }

    #[test]
    fn operations() {
        let (mut exprs, wide) = narrow_variable();
        let three = exprs.int(I32, 3);
        for (op, low, high) in [
            (BinOp::Add, -125, 130),
            (BinOp::Sub, -131, 124),
            (BinOp::Mul, -384, 381),
            (BinOp::Div, -42, 42),
            (BinOp::Rem, -2, 2),
            (BinOp::And, 0, 3),
            (BinOp::Shr, -16, 15),
        ] {
            let expr = exprs.binary(op, wide, three);
            assert_eq!(range(&exprs, expr), Some(Range { low, high }), "{op:?}");
        }
    }

    #[test]
    fn what_may_wrap_is_not_bounded() {
        let mut exprs = Exprs::default();
        let var = exprs.var(VarId::from_usize(0), Type::Int(I32));
        let one = exprs.int(I32, 1);
        let sum = exprs.binary(BinOp::Add, var, one);
        assert_eq!(range(&exprs, sum), Some(of_type(I32)));
        let wide = exprs.int(IntType::signed(128), 1);
        assert_eq!(range(&exprs, wide), None);
    }
}
