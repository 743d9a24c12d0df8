//! Constants against plain arithmetic, bounds against all values between them, on all types of up to four bits.

use super::*;

const OPS: [BinOp; 14] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Lt,
    BinOp::Le,
];
const ARITH: [ArithOp; 5] = [
    ArithOp::Add,
    ArithOp::Sub,
    ArithOp::Mul,
    ArithOp::Div,
    ArithOp::Shl,
];

/// The result by plain arithmetic on small numbers, before it is reduced to the type; none where it is undefined.
fn expected(op: BinOp, width: u16, a: i128, b: i128) -> Option<i128> {
    let in_range = (0..i128::from(width)).contains(&b);
    Some(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a.checked_div(b)?,
        BinOp::Rem => a.checked_rem(b)?,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => in_range.then(|| a * (1 << b))?,
        BinOp::Shr => in_range.then(|| a.div_euclid(1 << b))?,
        BinOp::Eq => i128::from(a == b),
        BinOp::Ne => i128::from(a != b),
        BinOp::Lt => i128::from(a < b),
        BinOp::Le => i128::from(a <= b),
    })
}

fn expected_overflow(op: ArithOp, int: IntType, a: i128, b: i128) -> Option<bool> {
    let exact = match op {
        ArithOp::Add => a + b,
        ArithOp::Sub => a - b,
        ArithOp::Mul => a * b,
        ArithOp::Div if b == 0 => return None,
        ArithOp::Div => a / b,
        ArithOp::Shl => expected(BinOp::Shl, int.width, a, b)?,
    };
    Some(!int.contains(exact) || op == ArithOp::Shl && a < 0)
}

fn values(int: IntType) -> std::ops::RangeInclusive<i128> {
    int.extend(int.min_bits())..=int.extend(int.max_bits())
}

fn small_types() -> impl Iterator<Item = IntType> {
    (1..=4).flat_map(|width| [IntType::signed(width), IntType::unsigned(width)])
}

fn bits(int: IntType, value: i128) -> u128 {
    int.wrap(value as u128)
}

#[test]
fn constants_are_exact() {
    for int in small_types() {
        for (a, b) in values(int).flat_map(|a| values(int).map(move |b| (a, b))) {
            for op in OPS {
                let wanted = expected(op, int.width, a, b).map(|value| match op {
                    BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => value as u128,
                    _ => bits(int, value),
                });
                let got = evaluate(op, int, int, bits(int, a), bits(int, b));
                assert_eq!(got, wanted, "{a} {op:?} {b} in {int}");
            }
            for op in ARITH {
                if op == ArithOp::Shl && !int.signed {
                    continue;
                }
                let got = evaluate_overflow(op, int, int, bits(int, a), bits(int, b));
                // Of division by zero the model says nothing but that it doesn't count as overflow.
                let wanted =
                    expected_overflow(op, int, a, b).or((op == ArithOp::Div).then_some(false));
                assert_eq!(got, wanted, "{a} {op:?} {b} in {int}");
            }
        }
    }
}

#[test]
fn wide_constants_are_exact() {
    let wide = IntType::signed(128);
    let unsigned = IntType::unsigned(128);
    let min = wide.min_bits();
    let minus_one = u128::MAX;
    let over = |op, int, a, b| evaluate_overflow(op, int, int, a, b);
    assert_eq!(evaluate(BinOp::Div, wide, wide, min, minus_one), Some(min));
    assert_eq!(evaluate(BinOp::Rem, wide, wide, min, minus_one), Some(0));
    assert_eq!(over(ArithOp::Div, wide, min, minus_one), Some(true));
    assert_eq!(over(ArithOp::Add, wide, wide.max_bits(), 1), Some(true));
    assert_eq!(over(ArithOp::Sub, wide, 0, min), Some(true));
    assert_eq!(over(ArithOp::Mul, wide, min, 1), Some(false));
    assert_eq!(over(ArithOp::Add, unsigned, u128::MAX, 1), Some(true));
    assert_eq!(over(ArithOp::Sub, unsigned, 1, 2), Some(true));
    assert_eq!(
        evaluate(BinOp::Lt, unsigned, unsigned, 1, u128::MAX),
        Some(1)
    );
    assert_eq!(evaluate(BinOp::Lt, wide, wide, 1, u128::MAX), Some(0));
    assert_eq!(
        evaluate(BinOp::Shr, wide, IntType::INT, min, 127),
        Some(u128::MAX)
    );
    assert_eq!(evaluate(BinOp::Shl, wide, IntType::INT, 1, 128), None);
    let from = IntType::signed(8);
    assert_eq!(
        cast(Type::Int(from), Type::Int(unsigned), Known::Bits(0xFF)),
        Known::Bits(u128::MAX)
    );
}

#[test]
fn comparisons_of_floats_follow_ieee() {
    let float = |op: BinOp, a: f64, b: f64| {
        let known = |value: f64| Known::Bits(u128::from(value.to_bits()));
        let ty = Type::Float(crate::types::FloatType::F64);
        floats::binary(op, ty, known(a), known(b), false).as_truth()
    };
    assert_eq!(float(BinOp::Lt, 0.5, 2.0), Some(true));
    assert_eq!(float(BinOp::Eq, 0.0, -0.0), Some(true));
    assert_eq!(float(BinOp::Le, f64::NAN, f64::NAN), Some(false));
    assert_eq!(float(BinOp::Ne, f64::NAN, f64::NAN), Some(true));
    assert_eq!(float(BinOp::Add, 1.0, 2.0), None);
}

#[test]
fn bit_fields_have_bounds() {
    let read = |width: u8, int: IntType| {
        Known::of_bits(Access {
            ty: Type::Int(int),
            bits: Some(crate::types::BitRange { offset: 2, width }),
        })
    };
    let int = IntType::INT;
    assert_eq!(read(3, IntType::unsigned(32)), Known::Between(0, 7));
    assert_eq!(read(3, int), Known::Between(-4, 3));
    assert_eq!(read(32, int), Known::Nothing);
    assert!(read(3, int).covers(Known::Bits(int.mask()), Type::Int(int)));
    assert!(!read(3, int).covers(Known::Bits(4), Type::Int(int)));
}

/// Whether what is known allows the value.
fn allows(known: Known, int: IntType, value: i128) -> bool {
    match known {
        Known::Bits(known) => known == bits(int, value),
        Known::Between(low, high) => low <= value && value <= high,
        _ => true,
    }
}

fn intervals(int: IntType) -> impl Iterator<Item = (i128, i128)> {
    values(int).flat_map(move |a| values(int).filter(move |&b| a <= b).map(move |b| (a, b)))
}

#[test]
fn bounds_contain_every_result() {
    let truth = IntType::unsigned(1);
    let mut told = 0;
    for int in [IntType::signed(3), IntType::unsigned(3)] {
        for (a, b) in intervals(int) {
            let first = Known::between(int, a, b);
            for op in [UnOp::Neg, UnOp::BitNot] {
                let known = unary(op, Type::Int(int), first);
                for x in a..=b {
                    let exact = if op == UnOp::Neg { -x } else { -x - 1 };
                    let value = int.extend(bits(int, exact));
                    assert!(allows(known, int, value), "{op:?} of {first:?} in {int}");
                }
            }
            for to in [IntType::signed(2), IntType::unsigned(4), IntType::signed(5)] {
                let known = cast(Type::Int(int), Type::Int(to), first);
                for x in a..=b {
                    let value = to.extend(bits(to, x));
                    assert!(allows(known, to, value), "{first:?} from {int} to {to}");
                }
            }
            for (c, d) in intervals(int) {
                let second = Known::between(int, c, d);
                let pairs = || (a..=b).flat_map(|x| (c..=d).map(move |y| (x, y)));
                for op in OPS {
                    let known = integer(op, int, int, first, second);
                    told += usize::from(known != Known::Nothing);
                    let compares = matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le);
                    for (x, y) in pairs() {
                        let Some(value) = expected(op, int.width, x, y) else {
                            continue;
                        };
                        let of = if compares { truth } else { int };
                        let value = of.extend(bits(of, value));
                        assert!(
                            allows(known, of, value),
                            "{x} {op:?} {y} in {int}: {first:?} {second:?} {known:?}"
                        );
                    }
                }
                for op in ARITH {
                    if op == ArithOp::Shl && !int.signed {
                        continue;
                    }
                    let known = overflows(op, int, int, first, second);
                    told += usize::from(known != Known::Nothing);
                    for (x, y) in pairs() {
                        if let Some(value) = expected_overflow(op, int, x, y) {
                            let value = i128::from(value);
                            assert!(allows(known, truth, value), "{x} {op:?} {y} in {int}");
                        }
                    }
                }
            }
        }
    }
    assert!(told > 15_000, "{told} useful answers");
}

/// Floats as the interpreter has them; what depends on the direction of rounding, and a NaN that is computed, are left alone.
#[test]
fn floats_are_exact_or_left_alone() {
    let double = Type::Float(crate::types::FloatType::F64);
    let float = Type::Float(crate::types::FloatType::F32);
    let known = |value: f64| Known::Bits(value.to_bits().into());
    let binary = |op, a, b, nearest| floats::binary(op, double, known(a), known(b), nearest);
    assert_eq!(binary(BinOp::Add, 0.1, 0.2, true), known(0.1 + 0.2));
    assert_eq!(binary(BinOp::Div, 1.0, 3.0, true), known(1.0 / 3.0));
    assert_eq!(binary(BinOp::Add, 0.1, 0.2, false), Known::Nothing);
    assert_eq!(binary(BinOp::Lt, 0.1, 0.2, false), Known::truth(true));
    assert_eq!(binary(BinOp::Div, 0.0, 0.0, true), Known::Nothing);
    assert_eq!(
        binary(BinOp::Eq, f64::NAN, f64::NAN, true),
        Known::truth(false)
    );
    assert_eq!(binary(BinOp::Eq, 0.0, -0.0, true), Known::truth(true));
    let narrowed = floats::cast(double, float, 0.1f64.to_bits().into(), true);
    assert_eq!(narrowed, Known::Bits(0.1f32.to_bits().into()));
    let truncated = |value: f64| {
        let bits = value.to_bits().into();
        floats::cast(double, Type::Int(IntType::INT), bits, false)
    };
    assert_eq!(truncated(-2.75), Known::Bits(bits(IntType::INT, -2)));
    assert_eq!(truncated(1e10), Known::Nothing);
    let leaves = |value: f64| floats::cast_overflows(IntType::INT, double, known(value));
    assert_eq!(leaves(1e10), Known::truth(true));
    assert_eq!(leaves(-2147483648.5), Known::truth(false));
    assert_eq!(leaves(2147483648.0), Known::truth(true));
}
