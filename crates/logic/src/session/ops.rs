//! Operations of other theories, as Z3 has them.

use z3_sys::*;

use crate::term::{Op, Rounding, Sort};

use super::translate::Translator;
use super::z3::{Ast, Refused};

impl<'z> Translator<'z> {
    /// An operation with its translated arguments. Z3 itself checks their sorts.
    pub(super) fn op(&mut self, op: Op, args: &[Ast<'z>]) -> Result<Ast<'z>, Refused> {
        let context = self.context();
        match (op, args) {
            (Op::RealAdd, _) => context.nary(Z3_mk_add, args),
            (Op::RealMul, _) => context.nary(Z3_mk_mul, args),
            (_, &[a]) => self.unary_op(op, a),
            (_, &[a, b]) => match op {
                Op::IntDiv => context.binary(Z3_mk_div, a, b),
                Op::IntMod => context.binary(Z3_mk_mod, a, b),
                Op::RealLe => context.binary(Z3_mk_le, a, b),
                Op::BvAdd => context.binary(Z3_mk_bvadd, a, b),
                Op::BvSub => context.binary(Z3_mk_bvsub, a, b),
                Op::BvMul => context.binary(Z3_mk_bvmul, a, b),
                Op::BvUdiv => context.binary(Z3_mk_bvudiv, a, b),
                Op::BvUrem => context.binary(Z3_mk_bvurem, a, b),
                Op::BvSdiv => context.binary(Z3_mk_bvsdiv, a, b),
                Op::BvSrem => context.binary(Z3_mk_bvsrem, a, b),
                Op::BvAnd => context.binary(Z3_mk_bvand, a, b),
                Op::BvOr => context.binary(Z3_mk_bvor, a, b),
                Op::BvXor => context.binary(Z3_mk_bvxor, a, b),
                Op::BvShl => context.binary(Z3_mk_bvshl, a, b),
                Op::BvLshr => context.binary(Z3_mk_bvlshr, a, b),
                Op::BvAshr => context.binary(Z3_mk_bvashr, a, b),
                Op::BvUlt => context.binary(Z3_mk_bvult, a, b),
                Op::BvUle => context.binary(Z3_mk_bvule, a, b),
                Op::BvSlt => context.binary(Z3_mk_bvslt, a, b),
                Op::BvSle => context.binary(Z3_mk_bvsle, a, b),
                Op::BvConcat => context.binary(Z3_mk_concat, a, b),
                Op::Select => context.binary(Z3_mk_select, a, b),
                Op::FpAdd => context.rounded(Z3_mk_fpa_add, a, b),
                Op::FpSub => context.rounded(Z3_mk_fpa_sub, a, b),
                Op::FpMul => context.rounded(Z3_mk_fpa_mul, a, b),
                Op::FpDiv => context.rounded(Z3_mk_fpa_div, a, b),
                Op::FpEq => context.binary(Z3_mk_fpa_eq, a, b),
                Op::FpLt => context.binary(Z3_mk_fpa_lt, a, b),
                Op::FpLe => context.binary(Z3_mk_fpa_leq, a, b),
                _ => Err(arity(op, args)),
            },
            (Op::Store, &[a, b, c]) => context.ternary(Z3_mk_store, [a, b, c]),
            _ => Err(arity(op, args)),
        }
    }

    fn unary_op(&mut self, op: Op, a: Ast<'z>) -> Result<Ast<'z>, Refused> {
        let context = self.context();
        match op {
            Op::ToReal => context.unary(Z3_mk_int2real, a),
            Op::Floor => context.unary(Z3_mk_real2int, a),
            Op::BvToInt => context.bits_to_int(a, false),
            Op::BvToIntSigned => context.bits_to_int(a, true),
            Op::IntToBv(width) => context.indexed(Z3_mk_int2bv, width, a),
            Op::BvNeg => context.unary(Z3_mk_bvneg, a),
            Op::BvNot => context.unary(Z3_mk_bvnot, a),
            Op::BvExtract(high, low) => context.extract(high, low, a),
            Op::BvZeroExtend(by) => context.indexed(Z3_mk_zero_ext, by, a),
            Op::BvSignExtend(by) => context.indexed(Z3_mk_sign_ext, by, a),
            Op::ConstArray(sort) => {
                let (index, _) = self.terms().array_sorts(sort);
                let index = self.sort(index)?;
                context.constant_array(index, a)
            }
            Op::FpFromBits(exponent, significand) => {
                let sort = self.sort(Sort::Float(exponent, significand))?;
                context.float_from_bits(a, sort)
            }
            Op::FpNeg => context.unary(Z3_mk_fpa_neg, a),
            Op::FpSqrt => context.binary(Z3_mk_fpa_sqrt, context.nullary(Z3_mk_fpa_rne)?, a),
            Op::FpRound(rounding) => {
                let mode = context.nullary(match rounding {
                    Rounding::NearestEven => Z3_mk_fpa_rne,
                    Rounding::NearestAway => Z3_mk_fpa_rna,
                    Rounding::Up => Z3_mk_fpa_rtp,
                    Rounding::Down => Z3_mk_fpa_rtn,
                    Rounding::TowardsZero => Z3_mk_fpa_rtz,
                })?;
                context.binary(Z3_mk_fpa_round_to_integral, mode, a)
            }
            Op::FpIsNan => context.unary(Z3_mk_fpa_is_nan, a),
            Op::FpToFp(exponent, significand) => {
                let sort = self.sort(Sort::Float(exponent, significand))?;
                context.to_float(Z3_mk_fpa_to_fp_float, a, sort)
            }
            Op::FpFromSigned(exponent, significand) => {
                let sort = self.sort(Sort::Float(exponent, significand))?;
                context.to_float(Z3_mk_fpa_to_fp_signed, a, sort)
            }
            Op::FpFromUnsigned(exponent, significand) => {
                let sort = self.sort(Sort::Float(exponent, significand))?;
                context.to_float(Z3_mk_fpa_to_fp_unsigned, a, sort)
            }
            Op::FpToSigned(width) => context.float_to_bits(Z3_mk_fpa_to_sbv, a, width),
            Op::FpToUnsigned(width) => context.float_to_bits(Z3_mk_fpa_to_ubv, a, width),
            _ => Err(arity(op, &[a])),
        }
    }
}

fn arity(op: Op, args: &[Ast<'_>]) -> Refused {
    Refused(format!("{op:?} doesn't take {} arguments", args.len()))
}
