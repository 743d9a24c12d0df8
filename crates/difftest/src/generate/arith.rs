//! Integer arithmetic that cannot go wrong: bare operators where the ranges allow them, guards of
//! several kinds where they do not.

use super::Generator;
use super::effects::Context;
use super::expr::{Expr, level};
use super::safe_math::Helper;
use super::types::IntTy;
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// A binary arithmetic operator on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

impl Binary {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
        }
    }

    fn level(self) -> u8 {
        match self {
            Self::Add | Self::Sub => level::SUM,
            Self::Mul | Self::Div | Self::Rem => level::PRODUCT,
            Self::Shl | Self::Shr => level::SHIFT,
            Self::And => level::BIT_AND,
            Self::Or => level::BIT_OR,
            Self::Xor => level::BIT_XOR,
        }
    }
}

impl Generator {
    /// `left operator right`, guarded where the ranges ask for it.
    pub(crate) fn binary(
        &mut self,
        operator: Binary,
        left: Expr,
        right: Expr,
        cx: Context,
    ) -> Expr {
        match operator {
            Binary::Add | Binary::Sub | Binary::Mul => {
                self.sum_or_product(operator, left, right, cx)
            }
            Binary::Div | Binary::Rem => self.division(operator, left, right, cx),
            Binary::Shl | Binary::Shr => self.shift(operator, left, right, cx),
            Binary::And | Binary::Or | Binary::Xor => {
                self.mark(Feature::Bitwise);
                self.bare(operator, &left, &right)
            }
        }
    }

    /// The kind and range of the bare operation, if it is defined for all operands.
    pub(crate) fn defined_result(
        &self,
        operator: Binary,
        left: (IntKind, Interval),
        right: (IntKind, Interval),
    ) -> Option<(IntKind, Interval)> {
        let model = self.model;
        if matches!(operator, Binary::Shl | Binary::Shr) {
            return self.defined_shift(operator, left, right.1);
        }
        let kind = left.0.common(right.0, model);
        let full = kind.range(model);
        let a = left.0.converted(left.1, kind, model);
        let b = right.0.converted(right.1, kind, model);
        let exact = match operator {
            Binary::Add => a.plus(b),
            Binary::Sub => a.minus(b),
            Binary::Mul => a.times(b),
            Binary::Div | Binary::Rem => {
                if b.contains(&0) || (kind.signed() && a.contains(&full.low) && b.contains(&-1)) {
                    return None;
                }
                if operator == Binary::Div {
                    a.divided_by(b)
                } else {
                    a.remainder_by(b)
                }
            }
            _ => {
                let masks = [a, b]
                    .into_iter()
                    .filter(|side| side.low >= 0)
                    .map(|side| side.high)
                    .min();
                match masks {
                    Some(most) if operator == Binary::And => Some(Interval::new(0, most)),
                    _ => Some(a.bitwise(b)),
                }
            }
        };
        match exact {
            // The top of unsigned __int128 is not known exactly, so neither are its results.
            Some(_)
                if kind == IntKind::UInt128
                    && a.high.max(b.high) == i128::MAX
                    && !matches!(operator, Binary::And | Binary::Rem) =>
            {
                Some((kind, full))
            }
            Some(range) if full.covers(&range) => Some((kind, range)),
            _ if !kind.signed() => Some((kind, full)),
            _ => None,
        }
    }

    fn defined_shift(
        &self,
        operator: Binary,
        left: (IntKind, Interval),
        amount: Interval,
    ) -> Option<(IntKind, Interval)> {
        let kind = left.0.promoted();
        let full = kind.range(self.model);
        if !Interval::new(0, i128::from(kind.bits(self.model)) - 1).covers(&amount) {
            return None;
        }
        if kind == IntKind::UInt128 || amount.high > 126 {
            let defined = operator == Binary::Shr || !kind.signed();
            return defined.then_some((kind, full));
        }
        if operator == Binary::Shr {
            return Some((kind, left.1.shifted_right(amount)));
        }
        match left.1.shifted_left(amount) {
            Some(range) if full.covers(&range) => Some((kind, range)),
            _ if !kind.signed() || self.has(Feature::SignedShiftOverflow) => Some((kind, full)),
            _ => None,
        }
    }

    /// The bare operation, which must be defined.
    fn bare(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Expr {
        let (kind, range) = self
            .defined_result(operator, left.as_int(), right.as_int())
            .unwrap_or_else(|| {
                unreachable!(
                    "{} {} {} is not guarded",
                    left.text,
                    operator.symbol(),
                    right.text
                )
            });
        if kind.signed() && matches!(operator, Binary::Add | Binary::Sub | Binary::Mul) {
            self.mark(Feature::SignedArithmetic);
        }
        let strength = operator.level();
        let text = left.operated(operator.symbol(), strength, right);
        Expr::int(text, strength, kind, range).with(left.effects.and(right.effects))
    }

    fn sum_or_product(&mut self, operator: Binary, left: Expr, right: Expr, cx: Context) -> Expr {
        if self
            .defined_result(operator, left.as_int(), right.as_int())
            .is_some()
        {
            return self.bare(operator, &left, &right);
        }
        let kind = left.kind().common(right.kind(), self.model);
        if kind != IntKind::Int128 {
            match self.rng.below(4) {
                0 => return self.shrunk(operator, left, right, cx),
                1 if left.repeatable() && right.repeatable() => {
                    return self.checked(operator, &left, &right, kind);
                }
                2 if !cx.constant && self.has(Feature::SafeMathFunction) => {
                    return self.helper_call(operator, kind, &left, &right);
                }
                _ => {}
            }
        }
        self.through_unsigned(operator, left, right, kind)
    }

    /// `(int)((unsigned)a + (unsigned)b)`.
    fn through_unsigned(
        &mut self,
        operator: Binary,
        left: Expr,
        right: Expr,
        kind: IntKind,
    ) -> Expr {
        let unsigned = kind.to_unsigned();
        let left = self.cast_to(left, unsigned);
        let right = if self.rng.percent(50) {
            self.cast_to(right, unsigned)
        } else {
            right
        };
        let result = self.bare(operator, &left, &right);
        self.cast_to(result, kind)
    }

    /// Makes the operands small enough: `a / 2 + b / 2`, `a % 46341 * (b % 46341)`.
    fn shrunk(&mut self, operator: Binary, left: Expr, right: Expr, cx: Context) -> Expr {
        let kind = left.kind().common(right.kind(), self.model);
        let bits = kind.bits(self.model);
        let left = if left.kind() == kind {
            left
        } else {
            self.cast_to(left, kind)
        };
        let right = if right.kind() == kind {
            right
        } else {
            self.cast_to(right, kind)
        };
        let (operation, operand) = if operator == Binary::Mul {
            (Binary::Rem, self.literal(1 << (bits / 2 - 1)))
        } else if self.has(Feature::Shift) && self.rng.percent(50) {
            self.mark(Feature::ShiftOfNegative);
            (Binary::Shr, self.literal(1))
        } else {
            self.mark(Feature::Division);
            (Binary::Div, self.literal(2))
        };
        let left = self.binary(operation, left, operand.clone(), cx);
        let right = self.binary(operation, right, operand, cx);
        self.bare(operator, &left, &right)
    }

    /// Tests that the result is representable, and otherwise takes an operand.
    fn checked(&mut self, operator: Binary, left: &Expr, right: &Expr, kind: IntKind) -> Expr {
        self.mark(Feature::SignedArithmetic);
        let (min, max) = (self.limit(kind, false), self.limit(kind, true));
        let (a, b) = (left.at(level::SHIFT + 1), right.at(level::SHIFT + 1));
        let (pa, pb) = (left.at(level::CAST), right.at(level::CAST));
        let test = match operator {
            Binary::Add => format!("({b} >= 0 ? {a} <= {max} - {pb} : {a} >= {min} - {pb})"),
            Binary::Sub => format!("({b} >= 0 ? {a} >= {min} + {pb} : {a} <= {max} + {pb})"),
            _ if kind.bits(self.model) < 64 => {
                format!("((long long){pa} * {pb} >= {min} && (long long){pa} * {pb} <= {max})")
            }
            // |a| and |b| below half the width each.
            _ => {
                let bound = (1_i128 << (kind.bits(self.model) / 2 - 1)) - 1;
                format!("({a} >= -{bound} && {a} <= {bound} && {b} >= -{bound} && {b} <= {bound})")
            }
        };
        let strength = operator.level();
        let bare = left.operated(operator.symbol(), strength, right);
        let text = format!("{test} ? {bare} : {}", left.at(level::CONDITIONAL));
        Expr::int(text, level::CONDITIONAL, kind, kind.range(self.model))
            .with(left.effects.and(right.effects))
    }

    fn helper_call(&mut self, operator: Binary, kind: IntKind, left: &Expr, right: &Expr) -> Expr {
        self.mark(Feature::SafeMathFunction);
        let helper = Helper::new(operator, kind);
        self.helpers.insert(helper);
        let text = format!(
            "{}({}, {})",
            helper.name(),
            left.at(level::ASSIGN),
            right.at(level::ASSIGN)
        );
        Expr::int(text, level::POSTFIX, kind, kind.range(self.model))
            .with(left.effects.and(right.effects))
    }

    fn division(&mut self, operator: Binary, left: Expr, right: Expr, cx: Context) -> Expr {
        self.mark(Feature::Division);
        if self
            .defined_result(operator, left.as_int(), right.as_int())
            .is_some()
        {
            return self.bare(operator, &left, &right);
        }
        let kind = left.kind().common(right.kind(), self.model);
        if !cx.constant {
            match self.rng.below(4) {
                0 if kind != IntKind::Int128 && left.repeatable() && right.repeatable() => {
                    return self.checked_division(operator, &left, &right, kind);
                }
                1 if kind != IntKind::Int128
                    && kind != IntKind::UInt128
                    && self.has(Feature::SafeMathFunction) =>
                {
                    return self.helper_call(operator, kind, &left, &right);
                }
                2 => {
                    let seven = self.literal(7);
                    let one = self.literal(1);
                    let small = self.bare(Binary::And, &right, &seven);
                    let positive = self.bare(Binary::Add, &small, &one);
                    return self.bare(operator, &left, &positive);
                }
                _ => {}
            }
        }
        let divisor = self.rng.between(2, 1000);
        let divisor = self.literal(divisor).with(right.effects);
        if right.effects.is_pure() {
            return self.bare(operator, &left, &divisor);
        }
        // The operand's side effects are kept by a comma in front of the constant.
        let text = format!("{}, {}", right.at(level::COMMA), divisor.text);
        let divisor = Expr {
            text,
            level: level::COMMA,
            ..divisor
        };
        self.bare(operator, &left, &divisor)
    }

    fn checked_division(
        &mut self,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        kind: IntKind,
    ) -> Expr {
        let model = self.model;
        let b = right.kind().converted(right.range(), kind, model);
        let a = left.kind().converted(left.range(), kind, model);
        let strength = level::EQUAL + 1;
        let mut tests = Vec::new();
        if b.contains(&0) {
            tests.push(format!("{} == 0", right.at(strength)));
        }
        if kind.signed() && b.contains(&-1) && a.contains(&kind.range(model).low) {
            let min = self.limit(kind, false);
            tests.push(format!(
                "({} == {min} && {} == -1)",
                left.at(strength),
                right.at(strength)
            ));
        }
        let strength = operator.level();
        let bare = left.operated(operator.symbol(), strength, right);
        let text = format!(
            "{} ? {} : {bare}",
            tests.join(" || "),
            left.at(level::COMMA)
        );
        Expr::int(text, level::CONDITIONAL, kind, kind.range(model))
            .with(left.effects.and(right.effects))
    }

    fn shift(&mut self, operator: Binary, left: Expr, right: Expr, cx: Context) -> Expr {
        self.mark(Feature::Shift);
        if operator == Binary::Shr && left.range().low < 0 && left.kind().promoted().signed() {
            self.mark(Feature::ShiftOfNegative);
        }
        let bits = left.kind().promoted().bits(self.model);
        let amount = if Interval::new(0, i128::from(bits) - 1).covers(&right.range()) {
            right
        } else {
            let most = self.rng.between(1, i128::from(bits) - 1);
            let ty = IntTy::ranged(IntKind::Int, Interval::new(0, most));
            self.fit(right, &ty, cx)
        };
        if self
            .defined_result(operator, left.as_int(), amount.as_int())
            .is_some()
        {
            if operator == Binary::Shl && left.range().low < 0 {
                self.mark(Feature::SignedShiftOverflow);
            }
            return self.bare(operator, &left, &amount);
        }
        let kind = left.kind().promoted();
        let left = self.cast_to(left, kind.to_unsigned());
        let shifted = self.bare(operator, &left, &amount);
        if self.rng.percent(50) {
            self.cast_to(shifted, kind)
        } else {
            shifted
        }
    }

    /// `-e`, `~e` or `+e`.
    pub(crate) fn unary_arithmetic(&mut self, cx: Context, depth: u32) -> Expr {
        let operand = self.int_expr(cx, depth - 1);
        match self.rng.below(5) {
            0 => {
                let (kind, range) = (operand.kind().promoted(), operand.range());
                Expr::int(operand.prefixed("+"), level::UNARY, kind, range).with(operand.effects)
            }
            1 | 2 if self.has(Feature::Bitwise) => {
                let kind = operand.kind().promoted();
                let full = kind.range(self.model);
                let range = if kind.signed() {
                    Interval::new(!operand.range().high, !operand.range().low)
                } else {
                    full
                };
                Expr::int(operand.prefixed("~"), level::UNARY, kind, range).with(operand.effects)
            }
            _ => self.negated(operand),
        }
    }

    /// `-operand`, through an unsigned type when it could overflow.
    pub(crate) fn negated(&mut self, operand: Expr) -> Expr {
        let kind = operand.kind().promoted();
        let full = kind.range(self.model);
        let range = operand.range();
        if kind.signed() && range.low == full.low {
            let unsigned = self.cast_to(operand, kind.to_unsigned());
            let negative = Expr::int(
                unsigned.prefixed("-"),
                level::UNARY,
                unsigned.kind(),
                unsigned.kind().range(self.model),
            )
            .with(unsigned.effects);
            return self.cast_to(negative, kind);
        }
        let range = if kind.signed() {
            Interval::new(-range.high, -range.low)
        } else {
            full
        };
        Expr::int(operand.prefixed("-"), level::UNARY, kind, range).with(operand.effects)
    }

    /// `value`, changed as little as possible such that storing it keeps the promise of `want`.
    pub(crate) fn fit(&mut self, value: Expr, want: &IntTy, cx: Context) -> Expr {
        let storable = want.storable(self.model);
        if want.range.covers(&value.range()) && !self.is_open(&value) {
            return value;
        }
        if want.is_full(self.model) {
            if !storable.covers(&value.range()) {
                self.mark(Feature::Narrowing);
            }
            return value;
        }
        let Interval { low, high } = want.range;
        if low == high {
            return self.with_effects_of(value, high);
        }
        let kind = value.kind().promoted();
        let spread = high - low + 1;
        let around_zero = (-low).min(high) + 1;
        match self.rng.below(4) {
            // A sign-keeping remainder, for ranges around zero.
            0 if kind.signed() && around_zero > 1 => {
                let modulus = self.literal(around_zero);
                self.binary(Binary::Rem, value, modulus, cx)
            }
            // A mask, for ranges of a power of two.
            1 if low == 0 && (spread & high) == 0 => {
                let mask = self.literal(high);
                self.binary(Binary::And, value, mask, cx)
            }
            // Two comparisons.
            2 if value.repeatable() && kind.signed() && kind != IntKind::Int128 => {
                let (low_text, high_text) = (self.literal(low), self.literal(high));
                let operand = value.at(level::RELATION + 1);
                let text = format!(
                    "{operand} < {} ? {} : {operand} > {} ? {} : {}",
                    low_text.at(level::SHIFT),
                    low_text.text,
                    high_text.at(level::SHIFT),
                    high_text.text,
                    value.at(level::CONDITIONAL),
                );
                let kind = kind
                    .common(low_text.kind(), self.model)
                    .common(high_text.kind(), self.model);
                Expr::int(text, level::CONDITIONAL, kind, want.range).with(value.effects)
            }
            // An unsigned remainder, moved.
            _ => {
                let unsigned = self.cast_to(value, kind.to_unsigned());
                let modulus = self.literal(spread);
                let offset = self.binary(Binary::Rem, unsigned, modulus, cx);
                if low == 0 {
                    return offset;
                }
                let offset = self.cast_to(
                    offset,
                    if spread > i128::from(i32::MAX) {
                        IntKind::LLong
                    } else {
                        IntKind::Int
                    },
                );
                let base = self.literal(low);
                self.binary(Binary::Add, offset, base, cx)
            }
        }
    }

    /// Whether the range's top is only a lower bound of the true one.
    fn is_open(&self, value: &Expr) -> bool {
        value.kind() == IntKind::UInt128 && value.range().high == i128::MAX
    }

    /// The constant `result`, after the evaluation of `value` if that does something.
    fn with_effects_of(&mut self, value: Expr, result: i128) -> Expr {
        let constant = self.literal(result);
        if value.effects.is_pure() {
            return constant;
        }
        let text = format!(
            "({}, {})",
            value.at(level::COMMA),
            constant.at(level::ASSIGN)
        );
        Expr::int(text, level::PRIMARY, constant.kind(), constant.range()).with(value.effects)
    }
}
