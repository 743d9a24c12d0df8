//! Assignments in all forms, as expressions.

use super::Generator;
use super::arith::Binary;
use super::effects::{Context, Effects};
use super::expr::{Expr, Value, level};
use super::place::{Goal, Target};
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

const OPERATORS: [Binary; 10] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Shl,
    Binary::Shr,
    Binary::And,
    Binary::Or,
    Binary::Xor,
];

impl Generator {
    /// `x = e` or `x op= e` for an integer object.
    pub(crate) fn assignment(&mut self, cx: Context, depth: u32) -> Option<Expr> {
        let place = self.find_place(cx, &Goal::AnyInt, true)?;
        let Ty::Int(ty) = place.ty.clone() else {
            return None;
        };
        if self.has(Feature::CompoundAssignment)
            && self.rng.percent(45)
            && cx.may_read(place.classes)
            && let Some(done) = self.compound_assignment(&place, &ty, cx, depth)
        {
            return Some(done);
        }
        self.mark(Feature::AssignmentExpression);
        let value = self.int_for(&ty, Self::beside_place(&place, cx), depth.saturating_sub(1));
        let text = format!("{} = {}", place.at(level::UNARY), value.at(level::ASSIGN));
        Some(self.assigned(text, &place, &ty, value.effects))
    }

    /// The context of the right-hand side: it may read the object, but neither write it nor
    /// disturb what leads to it.
    fn beside_place(place: &Target, cx: Context) -> Context {
        cx.beside(place.effects)
            .beside(Effects::reading(place.classes))
    }

    /// The value of an assignment expression.
    fn assigned(&mut self, text: String, place: &Target, ty: &IntTy, right: Effects) -> Expr {
        let effects = place
            .effects
            .and(right)
            .and(Effects::writing(place.classes));
        if ty.field_bits.is_some() {
            // Compilers disagree about the type of an assignment to a bit-field.
            let kind = ty.promoted();
            let text = format!("({})({text})", self.kind_spelling(kind));
            return Expr::int(text, level::CAST, kind, ty.range).with(effects);
        }
        Expr::int(text, level::ASSIGN, ty.kind, ty.range).with(effects)
    }

    /// `x op= e` where the operation is defined and its result keeps the promise of `x`.
    fn compound_assignment(
        &mut self,
        place: &Target,
        ty: &IntTy,
        cx: Context,
        depth: u32,
    ) -> Option<Expr> {
        let operator = *self.rng.pick(&OPERATORS);
        let needed = match operator {
            Binary::Div | Binary::Rem => Some(Feature::Division),
            Binary::Shl | Binary::Shr => Some(Feature::Shift),
            Binary::And | Binary::Or | Binary::Xor => Some(Feature::Bitwise),
            _ => None,
        };
        let wide_field = ty.field_bits.is_some() && ty.kind.rank() > IntKind::Int.rank();
        if wide_field || needed.is_some_and(|feature| !self.has(feature)) {
            return None;
        }
        let left = (
            if ty.field_bits.is_some() {
                ty.promoted()
            } else {
                ty.kind
            },
            ty.range,
        );
        let right_cx = Self::beside_place(place, cx);
        let value = self.int_expr(right_cx, depth.saturating_sub(1));
        let mut value = match operator {
            Binary::Shl | Binary::Shr => {
                let most = i128::from(left.0.promoted().bits(self.model)) - 1;
                self.fit(
                    value,
                    &IntTy::ranged(IntKind::Int, Interval::new(0, most)),
                    right_cx,
                )
            }
            Binary::Div | Binary::Rem => {
                let most = self.rng.between(2, 300);
                self.fit(
                    value,
                    &IntTy::ranged(IntKind::Int, Interval::new(1, most)),
                    right_cx,
                )
            }
            _ => value,
        };
        let mut result = self.defined_result(operator, left, value.as_int());
        if result.is_none() && value.repeatable() {
            // A small operand often makes the difference.
            value = self.fit(
                value,
                &IntTy::ranged(IntKind::Int, Interval::new(0, 1)),
                right_cx,
            );
            result = self.defined_result(operator, left, value.as_int());
        }
        let (kind, range) = result?;
        let converted = kind.converted(range, ty.kind, self.model);
        if !ty.range.covers(&converted) && !ty.is_full(self.model) {
            return None;
        }
        self.mark(Feature::CompoundAssignment);
        if let Some(feature) = needed {
            self.mark(feature);
        }
        let text = format!(
            "{} {}= {}",
            place.at(level::UNARY),
            operator.symbol(),
            value.at(level::ASSIGN)
        );
        let read = Effects::reading(place.classes);
        Some(self.assigned(text, place, ty, value.effects.and(read)))
    }

    /// `x++`, `--x` and so on, behind a test where the promise asks for one.
    pub(crate) fn step(&mut self, cx: Context) -> Option<Expr> {
        let place = self.find_place(cx, &Goal::AnyInt, true)?;
        let Ty::Int(ty) = place.ty.clone() else {
            return None;
        };
        if !cx.may_read(place.classes)
            || (ty.field_bits.is_some() && ty.kind.rank() > IntKind::Int.rank())
        {
            return None;
        }
        let up = self.rng.percent(50);
        let prefix = self.rng.percent(50);
        let symbol = if up { "++" } else { "--" };
        let text = if prefix {
            format!("{symbol}{}", place.at(level::UNARY))
        } else {
            format!("{}{symbol}", place.at(level::POSTFIX))
        };
        let effects = place
            .effects
            .and(Effects::reading(place.classes))
            .and(Effects::writing(place.classes));
        self.mark(Feature::IncrementDecrement);
        let strength = if prefix { level::UNARY } else { level::POSTFIX };
        let kind = if ty.field_bits.is_some() {
            ty.promoted()
        } else {
            ty.kind
        };
        let plain = if ty.field_bits.is_some() {
            let text = format!("({})({text})", self.kind_spelling(kind));
            Expr::int(text, level::CAST, kind, ty.range)
        } else {
            Expr::int(text, strength, kind, ty.range)
        }
        .with(effects);
        // Arithmetic in a promoted or unsigned type, and conversion back, never goes wrong.
        let narrow = kind.promoted() == IntKind::Int
            && Interval::signed(31).covers(&ty.storable(self.model));
        if ty.is_full(self.model) && (narrow || !ty.kind.signed() || ty.kind == IntKind::Bool) {
            return Some(plain);
        }
        if !place.effects.is_pure() || ty.kind.rank() >= IntKind::Int128.rank() {
            return None;
        }
        let limit = if up { ty.range.high } else { ty.range.low };
        let limit = self.literal(limit);
        let relation = if up { "<" } else { ">" };
        let test = Expr::int(
            format!(
                "{} {relation} {}",
                place.at(level::SHIFT),
                limit.at(level::SHIFT)
            ),
            level::RELATION,
            IntKind::Int,
            Interval::new(0, 1),
        )
        .with(effects);
        let otherwise = self.constant();
        Some(self.choose(&test, &plain, &otherwise))
    }

    /// An assignment to a floating object.
    pub(crate) fn float_assignment(&mut self, cx: Context, depth: u32) -> Option<Expr> {
        let place = self.find_place(cx, &Goal::AnyFloat, true)?;
        let Ty::Float(kind) = place.ty else {
            return None;
        };
        let value = self.float_for(kind, Self::beside_place(&place, cx), depth);
        let operator = if cx.may_read(place.classes) && self.decide(Feature::CompoundAssignment, 35)
        {
            *self.rng.pick(&["+=", "-=", "*=", "/="])
        } else {
            "="
        };
        let effects = place.effects.and(value.effects).and(Effects {
            reads: place.classes,
            writes: place.classes,
        });
        let text = format!(
            "{} {operator} {}",
            place.at(level::UNARY),
            value.at(level::ASSIGN)
        );
        Some(Expr {
            text,
            level: level::ASSIGN,
            value: Value::Float(kind, None),
            effects,
        })
    }

    /// A copy of a whole struct.
    pub(crate) fn record_assignment(&mut self, cx: Context) -> Option<Expr> {
        let place = self.find_place(cx, &Goal::AnyRecord, true)?;
        let Ty::Record(index) = place.ty else {
            return None;
        };
        let value = self.record_value(index, Self::beside_place(&place, cx), 2);
        self.mark(Feature::StructAssignment);
        let effects = place
            .effects
            .and(value.effects)
            .and(Effects::writing(place.classes));
        let text = format!("{} = {}", place.at(level::UNARY), value.at(level::ASSIGN));
        Some(Expr {
            text,
            level: level::ASSIGN,
            value: Value::Record(index),
            effects,
        })
    }

    /// An assignment to a pointer object.
    pub(crate) fn pointer_assignment(&mut self, cx: Context) -> Option<Expr> {
        let pointers: Vec<_> = self
            .visible()
            .into_iter()
            .filter(|var| {
                var.writable && matches!(var.ty, Ty::Pointer(_)) && cx.may_write(var.classes)
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let place = Target::of(self.rng.pick(&pointers));
        let Ty::Pointer(pointer) = place.ty.clone() else {
            return None;
        };
        let value =
            self.pointer_for(&pointer, place.store_depth, Self::beside_place(&place, cx))?;
        let effects = place
            .effects
            .and(value.effects)
            .and(Effects::writing(place.classes));
        let text = format!("{} = {}", place.text, value.at(level::ASSIGN));
        let life = place.target_depth;
        Some(Expr {
            text,
            level: level::ASSIGN,
            value: Value::Pointer(pointer, life),
            effects,
        })
    }
}
