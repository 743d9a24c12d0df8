//! Every operator of the model, executed, against independent arithmetic.

#![allow(missing_docs)]

mod support;

use proptest::prelude::*;
use rhumb_program::interp::{KeyedInputs, Outcome, RunLimits};
use rhumb_program::*;
use support::*;

/// A whole number of any size, as sign and magnitude of 256 bits: the reference that nothing of the interpreter is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Big {
    negative: bool,
    high: u128,
    low: u128,
}

impl Big {
    fn of(ty: IntType, bits: u128) -> Big {
        let top = bits >> (ty.width - 1) & 1 == 1;
        if ty.signed && top {
            // 2^width - bits, without ever writing 2^128.
            let mask = if ty.width == 128 {
                u128::MAX
            } else {
                (1 << ty.width) - 1
            };
            Big {
                negative: true,
                high: 0,
                low: (mask - bits) + 1,
            }
        } else {
            Big {
                negative: false,
                high: 0,
                low: bits,
            }
        }
    }

    fn is_zero(self) -> bool {
        self.high == 0 && self.low == 0
    }

    fn negate(self) -> Big {
        Big {
            negative: !self.negative && !self.is_zero(),
            ..self
        }
    }

    fn magnitude_less(self, other: Big) -> bool {
        (self.high, self.low) < (other.high, other.low)
    }

    fn add(self, other: Big) -> Big {
        if self.negative == other.negative {
            let (low, carry) = self.low.overflowing_add(other.low);
            return Big {
                negative: self.negative,
                high: self.high + other.high + u128::from(carry),
                low,
            };
        }
        let (large, small) = if self.magnitude_less(other) {
            (other, self)
        } else {
            (self, other)
        };
        let (low, borrow) = large.low.overflowing_sub(small.low);
        let high = large.high - small.high - u128::from(borrow);
        Big {
            negative: large.negative && (high, low) != (0, 0),
            high,
            low,
        }
    }

    /// For factors of at most 128 bits.
    fn mul(self, other: Big) -> Big {
        assert!(self.high == 0 && other.high == 0);
        let mut result = Big {
            negative: false,
            high: 0,
            low: 0,
        };
        for bit in 0..128 {
            if other.low >> bit & 1 == 1 {
                let shifted = Big {
                    negative: false,
                    high: if bit == 0 { 0 } else { self.low >> (128 - bit) },
                    low: self.low << bit,
                };
                result = result.add(shifted);
            }
        }
        result.negative = self.negative != other.negative && !result.is_zero();
        result
    }

    /// Truncated quotient and remainder, for operands of at most 128 bits.
    fn div_rem(self, other: Big) -> (Big, Big) {
        let signed = |negative: bool, low: u128| Big {
            negative: negative && low != 0,
            high: 0,
            low,
        };
        (
            signed(self.negative != other.negative, self.low / other.low),
            signed(self.negative, self.low % other.low),
        )
    }

    fn wrap(self, ty: IntType) -> u128 {
        let bits = if self.negative {
            self.low.wrapping_neg()
        } else {
            self.low
        };
        if ty.width == 128 {
            bits
        } else {
            bits & ((1 << ty.width) - 1)
        }
    }

    fn fits(self, ty: IntType) -> bool {
        self == Big::of(ty, self.wrap(ty))
    }

    fn less(self, other: Big) -> bool {
        match (self.negative, other.negative) {
            (true, false) => true,
            (false, true) => false,
            (false, false) => self.magnitude_less(other),
            (true, true) => other.magnitude_less(self),
        }
    }
}

fn power_of_two(exponent: u32) -> Big {
    Big {
        negative: false,
        high: if exponent >= 128 {
            1 << (exponent - 128)
        } else {
            0
        },
        low: if exponent < 128 { 1 << exponent } else { 0 },
    }
}

fn int_type() -> impl Strategy<Value = IntType> {
    let width = prop_oneof![
        4 => prop::sample::select(vec![8u16, 16, 32, 64, 128]),
        1 => 1u16..=128,
    ];
    (width, any::<bool>()).prop_map(|(width, signed)| IntType { width, signed })
}

/// Values that meet the ends of ranges often.
fn bits() -> impl Strategy<Value = u128> {
    prop_oneof![
        3 => any::<u128>(),
        2 => any::<u64>().prop_map(u128::from),
        2 => any::<i8>().prop_map(|small| i128::from(small) as u128),
        3 => (0u32..128, -2i128..=2).prop_map(|(bit, near)| {
            (1u128 << bit).wrapping_add(near as u128)
        }),
    ]
}

/// Runs a program that computes something from two inputs and reaches its target if the result is the expected one.
fn check(
    types: [Type; 2],
    inputs: [u128; 2],
    expected: u128,
    result: Type,
    compute: impl Fn(&mut Builder, ExprId, ExprId) -> ExprId,
) {
    let mut b = Builder::new(DataModel::Lp64);
    let mut values = KeyedInputs::new();
    let mut operands = Vec::new();
    for (ty, bits) in types.into_iter().zip(inputs) {
        let site = b.input_site(Some(ty));
        values.push_value(site, bits, 1);
        let dst = b.local("operand", ty);
        b.step(Action::Input { dst, site });
        operands.push(b.read(dst));
    }
    let value = compute(&mut b, operands[0], operands[1]);
    let dst = b.local("result", result);
    b.assign(dst, value);
    // Compared by its bits: NaN is equal to itself here.
    let width = match result {
        Type::Float(FloatType::F32) => Some(IntType::unsigned(32)),
        Type::Float(_) => Some(IntType::unsigned(128)),
        _ => None,
    };
    let mut operand = b.read(dst);
    let mut wanted = b.constant(result, expected);
    if let Some(int) = width {
        let object = b.local_object("memory", 16);
        b.step(Action::Enter(object));
        let address = b.addr_of(object);
        b.store(address, operand);
        let loaded = b.local("bits", Type::Int(int));
        b.load(loaded, address);
        operand = b.read(loaded);
        wanted = b.constant(Type::Int(int), expected);
    }
    let equal = b.binary(BinOp::Eq, operand, wanted);
    b.target_if(equal);
    b.exit_with(0);
    let run = b.run_with(&mut values, &RunLimits::default());
    assert_eq!(
        run.outcome,
        Outcome::Target(TargetId::new(0)),
        "{types:?} {inputs:x?} gives {expected:x}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn integer_arithmetic(ty in int_type(), a in bits(), b in bits(), op in prop::sample::select(vec![
        BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem,
        BinOp::And, BinOp::Or, BinOp::Xor,
        BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le,
    ])) {
        let (a, b) = (a & ty.mask(), b & ty.mask());
        let (x, y) = (Big::of(ty, a), Big::of(ty, b));
        prop_assume!(!y.is_zero() || !matches!(op, BinOp::Div | BinOp::Rem));
        let int = Type::Int(ty);
        let (expected, result) = match op {
            BinOp::Add => (x.add(y).wrap(ty), int),
            BinOp::Sub => (x.add(y.negate()).wrap(ty), int),
            BinOp::Mul => (x.mul(y).wrap(ty), int),
            BinOp::Div => (x.div_rem(y).0.wrap(ty), int),
            BinOp::Rem => (x.div_rem(y).1.wrap(ty), int),
            BinOp::And => (a & b, int),
            BinOp::Or => (a | b, int),
            BinOp::Xor => (a ^ b, int),
            BinOp::Eq => ((x == y).into(), BOOL),
            BinOp::Ne => ((x != y).into(), BOOL),
            BinOp::Lt => (x.less(y).into(), BOOL),
            _ => ((!y.less(x)).into(), BOOL),
        };
        check([int, int], [a, b], expected, result, |builder, l, r| builder.binary(op, l, r));
    }

    #[test]
    fn shifts(ty in int_type(), amount_ty in int_type(), a in bits(), amount in 0u32..128) {
        let amount = u128::from(amount) % u128::from(ty.width);
        prop_assume!(amount <= amount_ty.max_bits());
        let a = a & ty.mask();
        let x = Big::of(ty, a);
        let int = Type::Int(ty);
        let types = [int, Type::Int(amount_ty)];
        let power = power_of_two(amount as u32);
        let left = x.mul(power).wrap(ty);
        check(types, [a, amount], left, int, |builder, l, r| builder.binary(BinOp::Shl, l, r));
        // Towards minus infinity: subtract what is left over first.
        let (quotient, rest) = x.div_rem(power);
        let right = if rest.negative {
            quotient.add(Big { negative: true, high: 0, low: 1 })
        } else {
            quotient
        };
        check(types, [a, amount], right.wrap(ty), int, |builder, l, r| builder.binary(BinOp::Shr, l, r));
        let overflow = if ty.signed && x.negative { true } else { !x.mul(power).fits(ty) };
        check(types, [a, amount], overflow.into(), BOOL, |builder, l, r| {
            builder.overflows(ArithOp::Shl, l, r)
        });
    }

    #[test]
    fn overflow_predicates(ty in int_type(), a in bits(), b in bits(), op in prop::sample::select(vec![
        ArithOp::Add, ArithOp::Sub, ArithOp::Mul, ArithOp::Div,
    ])) {
        let (a, b) = (a & ty.mask(), b & ty.mask());
        let (x, y) = (Big::of(ty, a), Big::of(ty, b));
        let fits = match op {
            ArithOp::Add => x.add(y).fits(ty),
            ArithOp::Sub => x.add(y.negate()).fits(ty),
            ArithOp::Mul => x.mul(y).fits(ty),
            _ => y.is_zero() || x.div_rem(y).0.fits(ty),
        };
        let int = Type::Int(ty);
        check([int, int], [a, b], (!fits).into(), BOOL, |builder, l, r| {
            builder.overflows(op, l, r)
        });
    }

    /// A check and the operation that it guards are one instruction for some types; the outcome is the same for all.
    #[test]
    fn checked_operations(ty in int_type(), a in bits(), b in bits(), op in prop::sample::select(vec![
        (BinOp::Add, ArithOp::Add), (BinOp::Sub, ArithOp::Sub), (BinOp::Mul, ArithOp::Mul),
    ])) {
        let (op, arith) = op;
        let (a, b) = (a & ty.mask(), b & ty.mask());
        let (x, y) = (Big::of(ty, a), Big::of(ty, b));
        let exact = match op {
            BinOp::Add => x.add(y),
            BinOp::Sub => x.add(y.negate()),
            _ => x.mul(y),
        };
        let int = Type::Int(ty);
        let mut builder = Builder::new(DataModel::Lp64);
        let (l, r) = (builder.global("l", int, None), builder.local("r", int));
        let (ca, cb) = (builder.constant(int, a), builder.constant(int, b));
        builder.assign(l, ca);
        builder.assign(r, cb);
        let (rl, rr) = (builder.read(l), builder.read(r));
        builder.assign_checked(l, op, rl, rr);
        let wanted = builder.constant(int, exact.wrap(ty));
        let equal = builder.binary(BinOp::Eq, rl, wanted);
        builder.target_if(equal);
        builder.exit_with(0);
        let run = builder.run();
        if exact.fits(ty) {
            prop_assert_eq!(run.outcome, Outcome::Target(TargetId::new(0)));
        } else {
            let Outcome::Undefined(fault) = run.outcome else {
                panic!("{:?}", run.outcome);
            };
            prop_assert_eq!(fault.kind, UbKind::SignedOverflow);
            prop_assert_eq!(fault.detail, rhumb_program::interp::FaultDetail::Overflow {
                op: arith, ty, lhs: a, rhs_ty: ty, rhs: b,
            });
        }
    }

    #[test]
    fn integer_conversions(from in int_type(), to in int_type(), a in bits()) {
        let a = a & from.mask();
        let (from_ty, to_ty) = (Type::Int(from), Type::Int(to));
        let expected = Big::of(from, a).wrap(to);
        check([from_ty, BOOL], [a, 0], expected, to_ty, |builder, l, _| builder.cast(to_ty, l));
        let inverted = Big::of(from, a).negate().wrap(from);
        check([from_ty, BOOL], [a, 0], inverted, from_ty, |builder, l, _| builder.unary(UnOp::Neg, l));
        check([from_ty, BOOL], [a, 0], !a & from.mask(), from_ty, |builder, l, _| {
            builder.unary(UnOp::BitNot, l)
        });
    }

    #[test]
    fn truth_values(a in any::<bool>(), b in any::<bool>(), to in int_type()) {
        let (x, y) = (u128::from(a), u128::from(b));
        for (op, expected) in [
            (BinOp::And, a & b), (BinOp::Or, a | b), (BinOp::Xor, a ^ b),
            (BinOp::Eq, a == b), (BinOp::Ne, a != b), (BinOp::Lt, !a & b), (BinOp::Le, a <= b),
        ] {
            check([BOOL, BOOL], [x, y], expected.into(), BOOL, |builder, l, r| builder.binary(op, l, r));
        }
        check([BOOL, BOOL], [x, y], (!a).into(), BOOL, |builder, l, _| builder.unary(UnOp::Not, l));
        let to_ty = Type::Int(to);
        check([BOOL, BOOL], [x, y], x & to.mask(), to_ty, |builder, l, _| builder.cast(to_ty, l));
    }

    #[test]
    fn doubles(a in any::<u64>(), b in any::<u64>(), small in any::<bool>()) {
        // Half of the time numbers that are near to each other.
        let (a, b) = if small {
            (f64::from(a as i8) / 8.0, f64::from(b as i8) / 8.0)
        } else {
            (f64::from_bits(a), f64::from_bits(b))
        };
        prop_assume!(!a.is_nan() && !b.is_nan());
        let (x, y) = (u128::from(a.to_bits()), u128::from(b.to_bits()));
        for (op, result) in [
            (BinOp::Add, a + b), (BinOp::Sub, a - b), (BinOp::Mul, a * b), (BinOp::Div, a / b),
        ] {
            let bits = if result.is_nan() { 0xfff8_0000_0000_0000 } else { result.to_bits() };
            check_f64(op, x, y, bits);
        }
        for (op, result) in [
            (BinOp::Eq, a == b), (BinOp::Ne, a != b), (BinOp::Lt, a < b), (BinOp::Le, a <= b),
        ] {
            check([F64, F64], [x, y], result.into(), BOOL, |builder, l, r| builder.binary(op, l, r));
        }
    }

    #[test]
    fn floats_and_integers(from in int_type(), a in bits(), number in any::<f64>()) {
        let a = a & from.mask();
        let value = Big::of(from, a);
        let magnitude = value.low as f64;
        let expected = if value.negative { -magnitude } else { magnitude };
        let int = Type::Int(from);
        check_f64_of(int, a, expected.to_bits());
        // And back, where it fits.
        let truncated = number.trunc();
        let fits = if from.signed {
            truncated >= -(2f64.powi(i32::from(from.width) - 1)) && truncated < 2f64.powi(i32::from(from.width) - 1)
        } else {
            truncated >= 0.0 && truncated < 2f64.powi(i32::from(from.width))
        };
        let bits = u128::from(number.to_bits());
        check([F64, BOOL], [bits, 0], (!fits).into(), BOOL, |builder, l, _| {
            builder.push(ExprKind::CastOverflows(from, l), BOOL)
        });
        if fits {
            let expected = if truncated < 0.0 {
                (truncated as i128 as u128) & from.mask()
            } else {
                truncated as u128
            };
            check([F64, BOOL], [bits, 0], expected, int, |builder, l, _| builder.cast(int, l));
        }
    }
}

fn check_f64(op: BinOp, a: u128, b: u128, expected: u64) {
    check([F64, F64], [a, b], expected.into(), F64, |builder, l, r| {
        builder.binary(op, l, r)
    });
}

fn check_f64_of(from: Type, a: u128, expected: u64) {
    check(
        [from, BOOL],
        [a, 0],
        expected.into(),
        F64,
        |builder, l, _| builder.cast(F64, l),
    );
}

#[test]
fn wide_floats() {
    let x87 = Type::Float(FloatType::X87);
    // 1/3 in 80 bits.
    let third = 0x3ffd_aaaa_aaaa_aaaa_aaab;
    let one = 0x3fff_8000_0000_0000_0000;
    let three = 0x4000_c000_0000_0000_0000;
    check([x87, x87], [one, three], third, x87, |b, l, r| {
        b.binary(BinOp::Div, l, r)
    });
    check([x87, x87], [third, one], 1, BOOL, |b, l, r| {
        b.binary(BinOp::Lt, l, r)
    });
    let f128 = Type::Float(FloatType::F128);
    let one = 0x3fff_u128 << 112;
    let half = 0x3ffe_u128 << 112;
    check([f128, f128], [one, one], half, f128, |b, l, r| {
        let two = b.binary(BinOp::Add, l, r);
        b.binary(BinOp::Div, r, two)
    });
    check(
        [f128, BOOL],
        [half, 0],
        0.5f64.to_bits().into(),
        F64,
        |b, l, _| b.cast(F64, l),
    );
    check([f128, BOOL], [half, 0], half | 1 << 127, f128, |b, l, _| {
        b.unary(UnOp::Neg, l)
    });
}
