//! Proofs by execution about floats that depend on inputs: each operation, on many patterns, has exactly the result
//! that the interpreter gives it.

use std::time::Duration;

use rhumb_certify::proof::{Lost, Proof, Rejected, check};
use rhumb_logic::Budget;
use rhumb_program::interp::eval;
use rhumb_program::{BinOp, Builtin, ClassifyFn, FloatType, IntType, Math2Fn, MathFn, Type};

use crate::support::lower;

const F32: Type = Type::Float(FloatType::F32);
const F64: Type = Type::Float(FloatType::F64);
const INT: Type = Type::Int(IntType::INT);

fn followed(text: &str) -> Result<(), Rejected> {
    let program = lower(text);
    let budget = Budget::time(Duration::from_secs(60));
    check(&program, &Proof::execution(100_000), &budget).map(|_| ())
}

#[track_caller]
fn holds(text: &str) {
    if let Err(rejected) = followed(text) {
        panic!("{text}: {rejected}");
    }
}

#[track_caller]
fn fails(text: &str) {
    let wrong = followed(text);
    assert!(
        matches!(wrong, Err(Rejected::Lost(Lost::Target(_)))),
        "{text}: {wrong:?}"
    );
}

/// An operation as C text over `a.f` and `b.f`, and what it means. The result is in `r.f`, or `r.u` if it is an `int`.
type Operation = (&'static str, fn(u128, u128) -> Option<u128>);

fn arithmetic(op: BinOp, a: u128, b: u128) -> Option<u128> {
    eval::binary(op, F32, a, F32, b).ok()
}

fn library(builtin: Builtin, args: &[u128]) -> Option<u128> {
    eval::library(builtin, args)
}

const ROUNDED: [Operation; 17] = [
    ("r.f = a.f + b.f", |a, b| arithmetic(BinOp::Add, a, b)),
    ("r.f = a.f - b.f", |a, b| arithmetic(BinOp::Sub, a, b)),
    ("r.f = a.f * b.f", |a, b| arithmetic(BinOp::Mul, a, b)),
    ("r.f = a.f / b.f", |a, b| arithmetic(BinOp::Div, a, b)),
    ("r.f = -a.f", |a, _| {
        eval::unary(rhumb_program::UnOp::Neg, F32, a).ok()
    }),
    ("r.f = (float)((double)a.f * b.f)", |a, b| {
        let [a, b] = [a, b].map(|it| eval::cast(F32, F64, it).unwrap_or(0));
        let product = eval::binary(BinOp::Mul, F64, a, F64, b).ok()?;
        eval::cast(F64, F32, product).ok()
    }),
    ("r.f = (float)(int)a.u", |a, _| eval::cast(INT, F32, a).ok()),
    ("r.f = (float)a.u", |a, _| {
        eval::cast(Type::Int(IntType::unsigned(32)), F32, a).ok()
    }),
    ("r.f = fabsf(a.f)", |a, _| {
        library(Builtin::Math(MathFn::Fabs, FloatType::F32), &[a])
    }),
    ("r.f = sqrtf(a.f)", |a, _| {
        library(Builtin::Math(MathFn::Sqrt, FloatType::F32), &[a])
    }),
    ("r.f = floorf(a.f)", |a, _| {
        library(Builtin::Math(MathFn::Floor, FloatType::F32), &[a])
    }),
    ("r.f = ceilf(a.f)", |a, _| {
        library(Builtin::Math(MathFn::Ceil, FloatType::F32), &[a])
    }),
    ("r.f = truncf(a.f)", |a, _| {
        library(Builtin::Math(MathFn::Trunc, FloatType::F32), &[a])
    }),
    ("r.f = roundf(a.f)", |a, _| {
        library(Builtin::Math(MathFn::Round, FloatType::F32), &[a])
    }),
    ("r.f = fminf(a.f, b.f)", |a, b| {
        library(Builtin::Math2(Math2Fn::Fmin, FloatType::F32), &[a, b])
    }),
    ("r.f = fmaxf(a.f, b.f)", |a, b| {
        library(Builtin::Math2(Math2Fn::Fmax, FloatType::F32), &[a, b])
    }),
    ("r.f = copysignf(a.f, b.f)", |a, b| {
        library(Builtin::Math2(Math2Fn::Copysign, FloatType::F32), &[a, b])
    }),
];

const WHOLE: [Operation; 7] = [
    ("r.u = a.f < b.f", |a, b| arithmetic(BinOp::Lt, a, b)),
    ("r.u = a.f <= b.f", |a, b| arithmetic(BinOp::Le, a, b)),
    ("r.u = a.f == b.f", |a, b| arithmetic(BinOp::Eq, a, b)),
    ("r.u = a.f != b.f", |a, b| arithmetic(BinOp::Ne, a, b)),
    ("r.u = __builtin_isnan(a.f)", |a, _| {
        library(Builtin::Classify(ClassifyFn::IsNan, FloatType::F32), &[a])
    }),
    ("r.u = (int)a.f", |a, _| eval::cast(F32, INT, a).ok()),
    ("r.u = (unsigned char)a.f", |a, _| {
        eval::cast(F32, Type::Int(IntType::unsigned(8)), a).ok()
    }),
];

/// Patterns at which something begins or ends, and some others.
fn pattern(state: &mut u64) -> u32 {
    const CORNERS: [u32; 22] = [
        0,
        1,
        0x7f_ffff,
        0x80_0000,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fc0_0000,
        0x4020_0000,
        0x4b7f_ffff,
        0x4b80_0000,
        0x4eff_ffff,
        0x4f00_0000,
        0x4f80_0000,
        0x437f_0000,
        0x4380_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
    ];
    let random = rhumb_random::next(state);
    let sign = (random as u32) & 0x8000_0000;
    match random % 4 {
        0 => (random >> 16) as u32,
        1 => (0x3f00_0000 + ((random >> 20) as u32 & 0x3ff_ffff)) | sign,
        _ => CORNERS[(random >> 8) as usize % CORNERS.len()] | sign,
    }
}

const BEGIN: &str = "extern void __VERIFIER_assume(int); float sqrtf(float), floorf(float), ceilf(float), truncf(float), roundf(float), fabsf(float), \
    fminf(float, float), fmaxf(float, float), copysignf(float, float); union cell { unsigned u; float f; }; \
    int main(void) { union cell a, b, r; a.u = __VERIFIER_nondet_uint(); b.u = __VERIFIER_nondet_uint();";

/// All operations on patterns: accepted with the interpreter's result, rejected with another one.
fn compare(operations: &[Operation], rounds: u32, seed: u64) -> (u32, u32) {
    let mut state = seed;
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..rounds {
        for (text, meaning) in operations {
            let [a, b] = [pattern(&mut state), pattern(&mut state)];
            let begin = format!("{BEGIN} __VERIFIER_assume(a.u == {a}u && b.u == {b}u); {text};");
            // Where there is no value, there is no run.
            let Some(result) = meaning(a.into(), b.into()) else {
                holds(&format!("{begin} __VERIFIER_error(); return 0; }}"));
                accepted += 1;
                continue;
            };
            let is_nan = text.starts_with("r.f") && result & 0x7fff_ffff > 0x7f80_0000;
            let result = result as u32;
            let (right, wrong) = match is_nan {
                true => ("r.f == r.f".to_owned(), "r.f != r.f".to_owned()),
                false => (format!("r.u != {result}u"), format!("r.u == {result}u")),
            };
            holds(&format!(
                "{begin} if ({right}) __VERIFIER_error(); return 0; }}"
            ));
            fails(&format!(
                "{begin} if ({wrong}) __VERIFIER_error(); return 0; }}"
            ));
            accepted += 1;
            rejected += 1;
        }
    }
    (accepted, rejected)
}

#[test]
fn results_are_the_interpreters() {
    let (accepted, rejected) = compare(&ROUNDED, 6, 1);
    assert!(accepted == 102 && rejected == 102, "{accepted} {rejected}");
}

#[test]
fn comparisons_and_conversions_are_the_interpreters() {
    let (accepted, rejected) = compare(&WHOLE, 12, 2);
    assert!(accepted == 84 && rejected > 60, "{accepted} {rejected}");
}

#[test]
fn inputs_may_be_any_number() {
    const FLOATS: &str = "extern float __VERIFIER_nondet_float(void); int main(void) { float x = __VERIFIER_nondet_float();";
    fails(&format!(
        "{FLOATS} if (x != x) __VERIFIER_error(); return 0; }}"
    ));
    fails(&format!(
        "{FLOATS} if (x + 1.0f == x && x < 0) __VERIFIER_error(); return 0; }}"
    ));
    holds(&format!(
        "{FLOATS} if (x == x && x < 1.0f && x + 1.0f > 2.0f) __VERIFIER_error(); return 0; }}"
    ));
    holds(&format!(
        "{FLOATS} if (x >= 0 && x <= 10 && x * x < 0) __VERIFIER_error(); return 0; }}"
    ));
    fails(&format!(
        "{FLOATS} if (x >= 0 && x <= 10 && x * x > 99.9f) __VERIFIER_error(); return 0; }}"
    ));
}
