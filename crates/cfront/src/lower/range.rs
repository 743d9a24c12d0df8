//! Bounds of integer expressions that can be seen at a glance, so that checks which can't fail are left out.

use rhumb_program::{ArithOp, BinOp, ExprId, ExprKind, Exprs, IntType, Type, UnOp};

/// How deep an expression is looked into.
const DEPTH: u32 = 4;

/// The least and the greatest value that an expression may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Range {
    fn of_type(int: IntType) -> Range {
        Range {
            lo: int.extend(int.min_bits()),
            hi: int.extend(int.max_bits()),
        }
    }

    fn around(values: [i128; 4]) -> Range {
        let [a, b, c, d] = values;
        Range {
            lo: a.min(b).min(c).min(d),
            hi: a.max(b).max(c).max(d),
        }
    }

    pub(super) fn contains(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Whether every value is one of the type.
    pub(super) fn fits(self, int: IntType) -> bool {
        int.contains(self.lo) && int.contains(self.hi)
    }

    /// Where the exact result of an operation lies.
    pub(super) fn exact(op: ArithOp, lhs: Range, rhs: Range) -> Option<Range> {
        Some(match op {
            ArithOp::Add => Range {
                lo: lhs.lo + rhs.lo,
                hi: lhs.hi + rhs.hi,
            },
            ArithOp::Sub => Range {
                lo: lhs.lo - rhs.hi,
                hi: lhs.hi - rhs.lo,
            },
            // Both factors have at most 64 bits; only the product of two unsigned ones may be too large.
            ArithOp::Mul => Range::around([
                lhs.lo.checked_mul(rhs.lo)?,
                lhs.lo.checked_mul(rhs.hi)?,
                lhs.hi.checked_mul(rhs.lo)?,
                lhs.hi.checked_mul(rhs.hi)?,
            ]),
            ArithOp::Div | ArithOp::Shl => return None,
        })
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
            .filter(|range| range.fits(int))
            .unwrap_or(Range::of_type(int)),
    )
}

/// Better bounds than those of the type. Where they leave the type the operation may have wrapped, and they mean nothing.
fn narrow(exprs: &Exprs, expr: ExprId, int: IntType, depth: u32) -> Option<Range> {
    let range = |expr: ExprId| range_to(exprs, expr, depth);
    match exprs[expr].kind {
        ExprKind::Const(bits) => {
            let value = int.extend(bits);
            Some(Range {
                lo: value,
                hi: value,
            })
        }
        ExprKind::Cast(arg) if exprs.ty(arg) == Type::Bool => Some(Range { lo: 0, hi: 1 }),
        ExprKind::Cast(arg) => range(arg),
        ExprKind::Unary(UnOp::Neg, arg) => {
            let arg = range(arg)?;
            Some(Range {
                lo: -arg.hi,
                hi: -arg.lo,
            })
        }
        ExprKind::Binary(op, lhs, rhs) => {
            let (left, right) = (range(lhs)?, range(rhs)?);
            match op {
                BinOp::Add => Range::exact(ArithOp::Add, left, right),
                BinOp::Sub => Range::exact(ArithOp::Sub, left, right),
                BinOp::Mul => Range::exact(ArithOp::Mul, left, right),
                BinOp::And if left.lo >= 0 && right.lo >= 0 => Some(Range {
                    lo: 0,
                    hi: left.hi.min(right.hi),
                }),
                BinOp::And if right.lo >= 0 => Some(Range {
                    lo: 0,
                    hi: right.hi,
                }),
                BinOp::Rem if right.lo > 0 => Some(Range {
                    lo: if left.lo >= 0 { 0 } else { 1 - right.hi },
                    hi: if left.hi <= 0 { 0 } else { right.hi - 1 },
                }),
                BinOp::Div if right.lo > 0 => Some(Range::around([
                    left.lo / right.lo,
                    left.lo / right.hi,
                    left.hi / right.lo,
                    left.hi / right.hi,
                ])),
                BinOp::Shr if right.lo == right.hi && (0..64).contains(&right.lo) => Some(Range {
                    lo: left.lo >> right.lo,
                    hi: left.hi >> right.lo,
                }),
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
        let bounds = Range { lo: -128, hi: 127 };
        assert_eq!(range(&exprs, wide), Some(bounds));
        // A negative number has another value here.
        let unsigned = exprs.cast(Type::Int(IntType::unsigned(32)), wide);
        assert_eq!(
            range(&exprs, unsigned),
            Some(Range::of_type(IntType::unsigned(32)))
        );
    }

    #[test]
    fn operations() {
        let (mut exprs, wide) = narrow_variable();
        let three = exprs.int(I32, 3);
        for (op, lo, hi) in [
            (BinOp::Add, -125, 130),
            (BinOp::Sub, -131, 124),
            (BinOp::Mul, -384, 381),
            (BinOp::Div, -42, 42),
            (BinOp::Rem, -2, 2),
            (BinOp::And, 0, 3),
            (BinOp::Shr, -16, 15),
        ] {
            let expr = exprs.binary(op, wide, three);
            assert_eq!(range(&exprs, expr), Some(Range { lo, hi }), "{op:?}");
        }
    }

    #[test]
    fn what_may_wrap_is_not_bounded() {
        let mut exprs = Exprs::default();
        let var = exprs.var(VarId::from_usize(0), Type::Int(I32));
        let one = exprs.int(I32, 1);
        let sum = exprs.binary(BinOp::Add, var, one);
        assert_eq!(range(&exprs, sum), Some(Range::of_type(I32)));
        let wide = exprs.int(IntType::signed(128), 1);
        assert_eq!(range(&exprs, wide), None);
    }
}
