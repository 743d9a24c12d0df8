//! Floating point in a run whose inputs are left open.
//!
//! A float is its bit pattern, a number like others; what is a matter of bits (signs, classes) is arithmetic on that
//! number. The result of an operation that rounds is a new symbol, *defined* by saying that its pattern is one of the
//! IEEE number that the operation gives. All NaNs are one IEEE number, so of a NaN the pattern is left open: more runs
//! are looked at than there are. Of every other number there is one pattern.
//!
//! Right for programs that round to nearest, on the formats that are interchange formats of IEEE 754: the 80 bits of `long double` are not.

use rhumb_logic::{Int, Op, Rounding, Sort, Term, Terms};
use rhumb_program::interp::eval;
use rhumb_program::{BinOp, Builtin, ClassifyFn, FloatType, IntType, Math2Fn, MathFn, Type, UnOp};

use super::eval::Machine;
use super::value::Value;
use super::{Gap, Halt};
use crate::proof::encode::number::{Number, Range};

/// A format of floats: how many bits its exponent and its significand have, the hidden one included.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    significand: u32,
}

impl Format {
    fn of(ty: FloatType) -> Option<Format> {
        let (exponent, significand) = match ty {
            FloatType::F32 => (8, 24),
            FloatType::F64 => (11, 53),
            FloatType::F128 => (15, 113),
            FloatType::X87 => return None,
        };
        Some(Format {
            exponent,
            significand,
        })
    }

    fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// The pattern that is the sign of a negative number.
    fn sign(self) -> Int {
        power(self.width() - 1)
    }

    /// The pattern of infinity: above it are the NaNs.
    fn infinity(self) -> Int {
        self.sign() - self.least_normal()
    }

    fn least_normal(self) -> Int {
        power(self.significand - 1)
    }

    /// The IEEE number with a pattern.
    fn number(self, terms: &Terms, pattern: &Number) -> Term {
        let bits = terms.op(Op::IntToBv(self.width()), [pattern.term]);
        terms.op(Op::FpFromBits(self.exponent, self.significand), [bits])
    }
}

fn power(exponent: u32) -> Int {
    Int::ONE << exponent as usize
}

/// A pattern without its sign.
fn magnitude(terms: &Terms, format: Format, pattern: &Number) -> Term {
    terms.modulo(pattern.term, format.sign())
}

fn is_nan(terms: &Terms, format: Format, pattern: &Number) -> Term {
    let infinity = terms.int(format.infinity());
    terms.gt(magnitude(terms, format, pattern), infinity)
}

/// A NaN that a function with a NaN as one of two arguments doesn't overlook.
fn is_signalling(terms: &Terms, format: Format, pattern: &Number) -> Term {
    let quiet = terms.div(pattern.term, power(format.significand - 2));
    let is_clear = terms.eq(terms.modulo(quiet, 2), terms.int(0));
    terms.and([is_nan(terms, format, pattern), is_clear])
}

impl Machine<'_> {
    /// The format of a type, if its arithmetic is followed here.
    fn format(&mut self, ty: FloatType) -> Option<Format> {
        let format = Format::of(ty).filter(|_| self.follows_floats)?;
        self.symbols.has_floats = true;
        Some(format)
    }

    fn pattern(&self, value: &Value, ty: FloatType) -> Result<Number, Gap> {
        value.number(&self.terms, Type::Float(ty), self.program.data_model)
    }

    fn with_pattern(&self, pattern: Number, ty: FloatType) -> Value {
        let model = self.program.data_model;
        Value::from_number(&self.terms, pattern, Type::Float(ty), model)
    }

    /// A pattern of an IEEE number.
    fn pattern_of(&mut self, number: Term, ty: FloatType, format: Format) -> Value {
        let terms = self.terms.clone();
        if let Some(known) = self.patterns.get(&number) {
            return Value::Number(known.clone());
        }
        let (symbol, pattern) = self.symbol("float", Type::Float(ty));
        let is_it = terms.eq(format.number(&terms, &pattern), number);
        self.symbols.definitions.insert(symbol, is_it);
        self.patterns.insert(number, pattern.clone());
        Value::Number(pattern)
    }

    /// A change of sign.
    pub(super) fn float_unary(
        &mut self,
        op: UnOp,
        ty: FloatType,
        value: &Value,
    ) -> Result<Value, Halt> {
        match (op, self.format(ty)) {
            (UnOp::Neg, Some(format)) => {
                let pattern = self.pattern(value, ty)?;
                let terms = &self.terms;
                let other = terms.add(pattern.term, terms.int(format.sign()));
                let negated = Number {
                    term: terms.modulo(other, power(format.width())),
                    range: Range::of_type(Type::Float(ty), self.program.data_model),
                };
                Ok(self.with_pattern(negated, ty))
            }
            _ => Ok(self.unknown(Type::Float(ty))),
        }
    }

    /// Arithmetic or a comparison.
    pub(super) fn float_binary(
        &mut self,
        op: BinOp,
        ty: FloatType,
        result: Type,
        [a, b]: [&Value; 2],
    ) -> Result<Value, Halt> {
        let Some(format) = self.format(ty) else {
            return Ok(self.unknown(result));
        };
        let terms = self.terms.clone();
        let numbers = [
            format.number(&terms, &self.pattern(a, ty)?),
            format.number(&terms, &self.pattern(b, ty)?),
        ];
        let arithmetic = match op {
            BinOp::Add => Op::FpAdd,
            BinOp::Sub => Op::FpSub,
            BinOp::Mul => Op::FpMul,
            BinOp::Div => Op::FpDiv,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => {
                let truth = match op {
                    BinOp::Lt => terms.op(Op::FpLt, numbers),
                    BinOp::Le => terms.op(Op::FpLe, numbers),
                    BinOp::Eq => terms.op(Op::FpEq, numbers),
                    _ => terms.not(terms.op(Op::FpEq, numbers)),
                };
                return Ok(Value::from_truth(&terms, truth));
            }
            _ => return Ok(self.unknown(result)),
        };
        Ok(self.pattern_of(terms.op(arithmetic, numbers), ty, format))
    }

    /// A conversion from or to a float.
    pub(super) fn float_cast(
        &mut self,
        from: Type,
        to: Type,
        value: &Value,
    ) -> Result<Value, Halt> {
        let terms = self.terms.clone();
        let model = self.program.data_model;
        let float = |machine: &mut Machine<'_>, ty: Type| match ty {
            Type::Float(ty) => machine.format(ty).map(|format| (ty, format)),
            _ => None,
        };
        match (from, float(self, from), to, float(self, to)) {
            (_, Some((ty, format)), _, Some((wanted, other))) => {
                let number = format.number(&terms, &self.pattern(value, ty)?);
                let number = terms.op(Op::FpToFp(other.exponent, other.significand), [number]);
                Ok(self.pattern_of(number, wanted, other))
            }
            (Type::Int(_) | Type::Bool, _, _, Some((wanted, format))) => {
                let int = from.as_int().unwrap_or(IntType::unsigned(8));
                let number = value.number(&terms, from, model)?;
                let bits = terms.op(Op::IntToBv(int.width.into()), [number.term]);
                let convert = match int.signed {
                    true => Op::FpFromSigned(format.exponent, format.significand),
                    false => Op::FpFromUnsigned(format.exponent, format.significand),
                };
                Ok(self.pattern_of(terms.op(convert, [bits]), wanted, format))
            }
            (_, Some((ty, format)), Type::Int(int), _) => {
                // Where it doesn't fit there is no run: a check stands before.
                let number = format.number(&terms, &self.pattern(value, ty)?);
                let width = int.width.into();
                let truncated = match int.signed {
                    true => terms.op(Op::FpToSigned(width), [number]),
                    false => terms.op(Op::FpToUnsigned(width), [number]),
                };
                let (symbol, result) = self.symbol("truncated", to);
                let bits = terms.op(Op::IntToBv(width), [result.term]);
                self.symbols
                    .definitions
                    .insert(symbol, terms.eq(bits, truncated));
                Ok(Value::Number(result))
            }
            _ => Ok(self.unknown(to)),
        }
    }

    /// Whether a float, truncated, doesn't fit a type.
    pub(super) fn float_overflows(
        &mut self,
        to: IntType,
        from: Type,
        value: &Value,
    ) -> Result<Value, Halt> {
        let Type::Float(ty) = from else {
            return Ok(self.unknown(Type::Bool));
        };
        let Some(format) = self.format(ty) else {
            return Ok(self.unknown(Type::Bool));
        };
        let terms = self.terms.clone();
        let number = format.number(&terms, &self.pattern(value, ty)?);
        let width = u32::from(to.width);
        let whole = |value: i128| {
            let bits = eval::cast(Type::Int(IntType::signed(128)), from, value as u128);
            let bits = bits.map_err(|_| Halt::Gap(Gap("a conversion without a value")))?;
            let pattern = Number::constant(&terms, Int::from(bits));
            Ok::<Term, Halt>(format.number(&terms, &pattern))
        };
        let (bits, lowest) = match to.signed {
            true if width <= 64 => (width - 1, -(1i128 << (width - 1))),
            false if width <= 64 => (width, 0),
            _ => return Ok(self.unknown(Type::Bool)),
        };
        // Above the number below the lowest one; where the format has no such number, from the lowest one on.
        let from_below = match width < format.significand {
            true => terms.op(Op::FpLt, [whole(lowest - 1)?, number]),
            false if to.signed => terms.op(Op::FpLe, [whole(lowest)?, number]),
            false => terms.op(Op::FpLt, [whole(-1)?, number]),
        };
        let below_end = terms.op(Op::FpLt, [number, whole(1i128 << bits)?]);
        let fits = terms.and([from_below, below_end]);
        Ok(Value::from_truth(&terms, terms.not(fits)))
    }

    /// A function of the library on floats; none if its result is not followed.
    pub(super) fn float_function(
        &mut self,
        builtin: Builtin,
        args: &[Value],
    ) -> Result<Option<Value>, Halt> {
        let known: Option<Vec<u128>> = args
            .iter()
            .map(|value| match value {
                Value::Known(bits) => Some(*bits),
                _ => None,
            })
            .collect();
        if let Some(known) = known
            && !self.program.sets_rounding()
            && let Some(bits) = eval::library(builtin, &known)
        {
            return Ok(Some(Value::Known(bits)));
        }
        let (Builtin::Math(_, ty) | Builtin::Math2(_, ty) | Builtin::Classify(_, ty)) = builtin
        else {
            return Ok(None);
        };
        let Some(format) = self.format(ty) else {
            return Ok(None);
        };
        let value = match (builtin, args) {
            (Builtin::Math(function, _), [value]) => self.math(function, ty, format, value)?,
            (Builtin::Math2(function, _), [a, b]) => self.math2(function, ty, format, [a, b])?,
            (Builtin::Classify(function, _), [value]) => {
                self.classify(function, ty, format, value)?
            }
            _ => None,
        };
        Ok(value)
    }

    fn math(
        &mut self,
        function: MathFn,
        ty: FloatType,
        format: Format,
        value: &Value,
    ) -> Result<Option<Value>, Halt> {
        let terms = self.terms.clone();
        let pattern = self.pattern(value, ty)?;
        let op = match function {
            MathFn::Fabs => {
                let absolute = Number {
                    term: magnitude(&terms, format, &pattern),
                    range: Range::new(Int::ZERO, format.sign() - Int::ONE),
                };
                return Ok(Some(self.with_pattern(absolute, ty)));
            }
            MathFn::Sqrt => Op::FpSqrt,
            MathFn::Floor => Op::FpRound(Rounding::Down),
            MathFn::Ceil => Op::FpRound(Rounding::Up),
            MathFn::Trunc => Op::FpRound(Rounding::TowardsZero),
            MathFn::Round => Op::FpRound(Rounding::NearestAway),
            MathFn::Rint => Op::FpRound(Rounding::NearestEven),
        };
        let number = terms.op(op, [format.number(&terms, &pattern)]);
        Ok(Some(self.pattern_of(number, ty, format)))
    }

    fn math2(
        &mut self,
        function: Math2Fn,
        ty: FloatType,
        format: Format,
        [a, b]: [&Value; 2],
    ) -> Result<Option<Value>, Halt> {
        let terms = self.terms.clone();
        let patterns = [self.pattern(a, ty)?, self.pattern(b, ty)?];
        let [x, y] = [0, 1].map(|index| format.number(&terms, &patterns[index]));
        let takes_first = match function {
            Math2Fn::Fmin => terms.op(Op::FpLe, [x, y]),
            Math2Fn::Fmax => terms.op(Op::FpLe, [y, x]),
            Math2Fn::Copysign => {
                let [a, b] = &patterns;
                let sign = terms.div(b.term, format.sign());
                let sign = terms.scale(format.sign(), sign);
                let number = Number {
                    term: terms.add(magnitude(&terms, format, a), sign),
                    range: Range::of_type(Type::Float(ty), self.program.data_model),
                };
                return Ok(Some(self.with_pattern(number, ty)));
            }
            Math2Fn::Fmod => return Ok(None),
        };
        // Which of two zeros of different signs is taken is open.
        let either = terms.fresh("zero", Sort::Bool);
        let either = terms.and([terms.op(Op::FpEq, [x, y]), either]);
        let takes_first = terms.and([takes_first, terms.not(either)]);
        let takes_first = terms.or([takes_first, is_nan(&terms, format, &patterns[1])]);
        let signals = terms.or([0, 1].map(|index| is_signalling(&terms, format, &patterns[index])));
        let nan = Number::constant(&terms, format.infinity() + Int::ONE);
        let chosen = terms.ite(takes_first, x, y);
        let number = terms.ite(signals, format.number(&terms, &nan), chosen);
        Ok(Some(self.pattern_of(number, ty, format)))
    }

    /// Questions about a number are questions about its pattern.
    fn classify(
        &mut self,
        function: ClassifyFn,
        ty: FloatType,
        format: Format,
        value: &Value,
    ) -> Result<Option<Value>, Halt> {
        let terms = self.terms.clone();
        let pattern = self.pattern(value, ty)?;
        let size = magnitude(&terms, format, &pattern);
        let infinity = terms.int(format.infinity());
        let least_normal = terms.int(format.least_normal());
        let is_negative = terms.ge(pattern.term, terms.int(format.sign()));
        let int = |value: i32| terms.int(value);
        let truth = |holds: Term| terms.ite(holds, int(1), int(0));
        let term = match function {
            ClassifyFn::IsNan => truth(terms.gt(size, infinity)),
            ClassifyFn::IsInf => {
                let sign = terms.ite(is_negative, int(-1), int(1));
                terms.ite(terms.eq(size, infinity), sign, int(0))
            }
            ClassifyFn::IsFinite => truth(terms.lt(size, infinity)),
            ClassifyFn::IsNormal => {
                truth(terms.and([terms.le(least_normal, size), terms.lt(size, infinity)]))
            }
            ClassifyFn::SignBit => truth(is_negative),
            ClassifyFn::FpClassify => {
                let finite = terms.ite(terms.lt(size, least_normal), int(3), int(4));
                let finite = terms.ite(terms.eq(size, int(0)), int(2), finite);
                let infinite = terms.ite(terms.eq(size, infinity), int(1), int(0));
                terms.ite(terms.lt(size, infinity), finite, infinite)
            }
        };
        let number = Number {
            term,
            range: Range::new(-1, 4),
        };
        let (ty, model) = (Type::Int(IntType::INT), self.program.data_model);
        Ok(Some(Value::from_number(&terms, number, ty, model)))
    }
}
