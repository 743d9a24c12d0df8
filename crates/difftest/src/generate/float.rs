//! Floating expressions. IEEE arithmetic is always defined, so the only care is taken where a
//! floating value becomes an integer.

use super::Generator;
use super::effects::{Context, Effects, WORLD};
use super::expr::{Expr, Value, level};
use super::place::Goal;
use super::types::Ty;
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind, Interval};

/// Bounds within which a float result is certainly finite and computed bounds are trustworthy.
const TRUSTED: f64 = 1e30;

impl Generator {
    /// A floating type that the program may use.
    pub(crate) fn float_kind(&mut self) -> Option<FloatKind> {
        self.rng.weighted(&[
            (self.weight(Feature::Float, 1), FloatKind::Float),
            (self.weight(Feature::Double, 1), FloatKind::Double),
        ])
    }

    fn mark_float(&mut self, kind: FloatKind) {
        self.mark(match kind {
            FloatKind::Float => Feature::Float,
            FloatKind::Double => Feature::Double,
        });
    }

    /// A value that an object of type `kind` can be initialised with: any arithmetic type converts
    /// by itself.
    pub(crate) fn float_for(&mut self, kind: FloatKind, cx: Context, depth: u32) -> Expr {
        if self.decide(Feature::IntFloatConversion, 10) {
            let value = self.int_expr(cx, depth);
            return self.without_128_bits(value);
        }
        let value = self.float_expr(cx, depth);
        if float_kind_of(&value) != Some(kind) {
            self.mark(Feature::FloatConversion);
        }
        value
    }

    /// An expression of exactly the floating type `kind`.
    pub(crate) fn float_of(&mut self, kind: FloatKind, cx: Context, depth: u32) -> Expr {
        let value = self.float_expr(cx, depth);
        match value.value {
            Value::Float(have, range) if have != kind => {
                self.mark(Feature::FloatConversion);
                self.float_cast(value, kind, range)
            }
            _ => value,
        }
    }

    fn float_cast(&mut self, operand: Expr, kind: FloatKind, range: Option<(f64, f64)>) -> Expr {
        self.mark_float(kind);
        let name = if kind == FloatKind::Float {
            "float"
        } else {
            "double"
        };
        Expr {
            text: format!("({name}){}", operand.at(level::CAST)),
            level: level::CAST,
            value: Value::Float(kind, range),
            effects: operand.effects,
        }
    }

    /// Some floating expression.
    pub(crate) fn float_expr(&mut self, cx: Context, depth: u32) -> Expr {
        let kind = self.float_kind().unwrap_or(FloatKind::Double);
        self.nested(depth, |generator, depth| {
            if depth == 0 {
                generator.float_leaf(kind, cx)
            } else {
                generator.compound_float(kind, cx, depth)
            }
        })
    }

    fn compound_float(&mut self, kind: FloatKind, cx: Context, depth: u32) -> Expr {
        match self.rng.below(12) {
            0..=4 => self.float_arithmetic(cx, depth),
            5 => {
                let operand = self.float_expr(cx, depth - 1);
                let Value::Float(kind, range) = operand.value else {
                    unreachable!("not floating: {}", operand.text)
                };
                let range = range.map(|(low, high)| (-high, -low));
                let text = operand.prefixed("-");
                Expr {
                    text,
                    level: level::UNARY,
                    value: Value::Float(kind, range),
                    effects: operand.effects,
                }
            }
            6 | 7 if self.has(Feature::IntFloatConversion) => self.float_from_int(kind, cx, depth),
            8 if self.has(Feature::FloatConversion) => {
                let operand = self.float_expr(cx, depth - 1);
                let Value::Float(_, range) = operand.value else {
                    unreachable!("not floating: {}", operand.text)
                };
                self.mark(Feature::FloatConversion);
                self.float_cast(operand, kind, range)
            }
            9 if self.has(Feature::Conditional) => {
                self.mark(Feature::Conditional);
                let condition = self.int_expr(cx, depth - 1);
                let yes = self.float_of(kind, cx, depth - 1);
                let no = self.float_of(kind, cx, depth - 1);
                let (text, effects) = condition.choice(&yes, &no);
                Expr {
                    text,
                    level: level::CONDITIONAL,
                    value: Value::Float(kind, None),
                    effects,
                }
            }
            10 if self.has(Feature::Input) && cx.may_write(WORLD) => self.float_input(kind),
            _ => self.float_leaf(kind, cx),
        }
    }

    fn float_leaf(&mut self, kind: FloatKind, cx: Context) -> Expr {
        if !cx.constant
            && !self.is_deep()
            && self.rng.percent(60)
            && let Some(place) = self.find_place(cx, &Goal::AnyFloat, false)
            && let Ty::Float(kind) = place.ty
        {
            self.mark_float(kind);
            let effects = place.effects.and(Effects::reading(place.classes));
            return Expr {
                text: place.text,
                level: place.level,
                value: Value::Float(kind, None),
                effects,
            };
        }
        self.mark_float(kind);
        let (text, value) = self.float_constant(kind);
        let level = if text.starts_with('-') {
            level::UNARY
        } else {
            level::PRIMARY
        };
        let value = Value::Float(kind, Some((value, value)));
        Expr {
            text,
            level,
            value,
            effects: Effects::default(),
        }
    }

    fn float_input(&mut self, kind: FloatKind) -> Expr {
        self.mark(Feature::Input);
        self.mark_float(kind);
        let name = if kind == FloatKind::Float {
            "float"
        } else {
            "double"
        };
        self.externs
            .insert(format!("extern {name} __VERIFIER_nondet_{name}(void);"));
        Expr {
            text: format!("__VERIFIER_nondet_{name}()"),
            level: level::POSTFIX,
            value: Value::Float(kind, None),
            effects: Effects::writing(WORLD),
        }
    }

    fn float_arithmetic(&mut self, cx: Context, depth: u32) -> Expr {
        let left = self.float_expr(cx, depth - 1);
        let beside = cx.beside(left.effects);
        let right = if self.decide(Feature::IntFloatConversion, 20) {
            let operand = self.int_expr(beside, depth - 1);
            self.without_128_bits(operand)
        } else {
            self.float_expr(beside, depth - 1)
        };
        let kind = float_kind_of(&left)
            .max(float_kind_of(&right))
            .unwrap_or(FloatKind::Double);
        self.mark_float(kind);
        let (symbol, strength) = *self.rng.pick(&[
            ("+", level::SUM),
            ("-", level::SUM),
            ("*", level::PRODUCT),
            ("/", level::PRODUCT),
        ]);
        let range = bounds_of(&left)
            .zip(bounds_of(&right))
            .and_then(|(left, right)| combined_bounds(symbol, left, right));
        Expr {
            text: format!("{} {symbol} {}", left.at(strength), right.at(strength + 1)),
            level: strength,
            value: Value::Float(kind, range),
            effects: left.effects.and(right.effects),
        }
    }

    /// Conversions between `__int128` and floating types are left out: gcc's 32-bit library and
    /// the interpreter's users have no need of them.
    fn without_128_bits(&mut self, operand: Expr) -> Expr {
        if operand.kind().rank() >= IntKind::Int128.rank() {
            self.cast_to(operand, IntKind::LLong)
        } else {
            operand
        }
    }

    fn float_from_int(&mut self, kind: FloatKind, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::IntFloatConversion);
        let operand = self.int_expr(cx, depth - 1);
        let operand = self.without_128_bits(operand);
        let bounds = bounds_of(&operand);
        self.float_cast(operand, kind, bounds)
    }

    /// `(T)f` where the value certainly fits, or behind a test that it does.
    pub(crate) fn int_from_float(&mut self, cx: Context, depth: u32) -> Option<Expr> {
        let operand = self.float_expr(cx, depth - 1);
        let mut kind = self.int_kind();
        if kind.rank() >= IntKind::Int128.rank() {
            kind = IntKind::LLong;
        }
        let spelling = self.kind_spelling(kind);
        let text = format!("({spelling}){}", operand.at(level::CAST));
        let full = kind.range(self.model);
        if kind == IntKind::Bool {
            self.mark(Feature::IntFloatConversion);
            return Some(Expr::int(text, level::CAST, kind, full).with(operand.effects));
        }
        if let Some((low, high)) = bounds_of(&operand)
            && full.low as f64 <= low
            && high <= full.high as f64 / 2.0
        {
            self.mark(Feature::IntFloatConversion);
            let range = Interval::new(low.floor() as i128, high.ceil() as i128);
            return Some(Expr::int(text, level::CAST, kind, range).with(operand.effects));
        }
        if !operand.repeatable() {
            return None;
        }
        self.mark(Feature::IntFloatConversion);
        let bits = kind.bits(self.model);
        let (least, past) = if kind.signed() {
            (
                format!(">= -{:.1}", f64::from(bits - 1).exp2()),
                f64::from(bits - 1).exp2(),
            )
        } else {
            ("> -1.0".to_owned(), f64::from(bits).exp2())
        };
        let side = operand.at(level::SHIFT);
        let condition = Expr::int(
            format!("{side} {least} && {side} < {past:.1}"),
            level::AND,
            IntKind::Int,
            Interval::new(0, 1),
        )
        .with(operand.effects);
        let converted = Expr::int(text, level::CAST, kind, full);
        let otherwise = self.constant();
        Some(self.choose(&condition, &converted, &otherwise))
    }

    /// A comparison of floating values.
    pub(crate) fn float_comparison(&mut self, cx: Context, depth: u32) -> Option<Expr> {
        self.mark(Feature::Comparison);
        let left = self.float_expr(cx, depth - 1);
        let right = self.float_expr(cx.beside(left.effects), depth - 1);
        Some(self.compare(&left, &right))
    }
}

fn float_kind_of(operand: &Expr) -> Option<FloatKind> {
    match operand.value {
        Value::Float(kind, _) => Some(kind),
        _ => None,
    }
}

/// Bounds of an operand after its conversion to a floating type.
fn bounds_of(operand: &Expr) -> Option<(f64, f64)> {
    match operand.value {
        Value::Float(_, range) => range,
        Value::Int(IntKind::UInt128, _) => None,
        Value::Int(_, range) => widened(range.low as f64, range.high as f64),
        _ => None,
    }
}

fn combined_bounds(symbol: &str, left: (f64, f64), right: (f64, f64)) -> Option<(f64, f64)> {
    match symbol {
        "+" => widened(left.0 + right.0, left.1 + right.1),
        "-" => widened(left.0 - right.1, left.1 - right.0),
        "*" => {
            let corners = [
                left.0 * right.0,
                left.0 * right.1,
                left.1 * right.0,
                left.1 * right.1,
            ];
            widened(
                corners.iter().copied().fold(f64::INFINITY, f64::min),
                corners.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            )
        }
        _ => None,
    }
}

/// Bounds that hold after rounding to either format, or nothing when they are not worth trusting.
fn widened(low: f64, high: f64) -> Option<(f64, f64)> {
    let slack = (low.abs().max(high.abs())) * 1e-6 + 1e-30;
    let (low, high) = (low - slack, high + slack);
    (low.abs() < TRUSTED && high.abs() < TRUSTED).then_some((low, high))
}
