//! Compound literals, string literals and values of struct type.

use std::rc::Rc;

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::{Expr, Value, level};
use super::place::Goal;
use super::types::Ty;
use crate::feature::Feature;
use crate::model::Interval;

/// Characters of string literals; the last escape would swallow digits behind it, so the literal
/// is continued by concatenation.
const PIECES: [&str; 20] = [
    "a",
    "b",
    "c",
    "k",
    "x",
    "z",
    "A",
    "Q",
    "0",
    "7",
    " ",
    "+",
    "-",
    "_",
    "\\t",
    "\\\\",
    "\\\"",
    "'",
    "\\101",
    "\\x41\"\"",
];

impl Generator {
    /// Whether zero-filled memory keeps all promises of `ty`.
    pub(crate) fn zero_is_fine(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Int(int) => int.range.contains(&0),
            Ty::Float(_) => true,
            Ty::Pointer(pointer) => pointer.nullable,
            Ty::Array(element, _) => self.zero_is_fine(element),
            Ty::Record(index) => {
                let fields = &self.records[*index].fields;
                fields
                    .iter()
                    .all(|field| field.name.is_empty() || self.zero_is_fine(&field.ty))
            }
        }
    }

    /// A string literal whose characters, without the terminator, fit in `length`.
    pub(crate) fn string_literal(&mut self, length: usize) -> String {
        self.mark(Feature::StringLiteral);
        let count = self.rng.index(length + 1);
        let mut text = String::from("\"");
        for _ in 0..count {
            text += *self.rng.pick(&PIECES);
        }
        text.push('"');
        text
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.rng.index(last + 1));
        }
    }

    /// `(T){…}` without parentheses around it.
    pub(crate) fn compound_literal(&mut self, ty: &Ty, cx: Context) -> (String, Effects) {
        self.mark(Feature::CompoundLiteral);
        let (text, effects) = match ty {
            Ty::Record(index) => self.braced_record(*index, cx),
            Ty::Array(..) => self.initialiser(ty, self.scopes.len(), cx),
            _ => {
                let (text, effects) = self.initialiser(ty, self.scopes.len(), cx);
                (format!("{{{text}}}"), effects)
            }
        };
        // An array that is initialised by a string needs braces in a literal.
        let text = if text.starts_with('{') {
            text
        } else {
            format!("{{{text}}}")
        };
        (format!("({}){text}", self.type_name(ty)), effects)
    }

    /// `(int[]){…}[i]` or `(struct S){…}.f`.
    pub(crate) fn element_of_literal(&mut self, cx: Context, depth: u32) -> Option<Expr> {
        self.mark(Feature::CompoundLiteral);
        let ty = self.int_ty();
        let length = self.rng.between(1, 4) as u32;
        let array = Ty::Array(Rc::new(Ty::Int(ty)), length);
        let index = if depth > 1 {
            self.index(Interval::new(0, i128::from(length) - 1), cx)
        } else {
            self.literal(0)
        };
        let (text, effects) = self.compound_literal(&array, cx.beside(index.effects));
        let text = format!("{text}[{}]", index.text);
        Some(Expr::int(text, level::POSTFIX, ty.kind, ty.range).with(effects.and(index.effects)))
    }

    /// A value of struct or union type.
    pub(crate) fn record_value(&mut self, index: usize, cx: Context, depth: u32) -> Expr {
        let value = Value::Record(index);
        if depth > 0 && self.decide(Feature::Conditional, 15) {
            let condition = self.int_expr(cx, depth - 1);
            let yes = self.record_value(index, cx, depth - 1);
            let no = self.record_value(index, cx, depth - 1);
            let (text, effects) = condition.choice(&yes, &no);
            return Expr {
                text,
                level: level::CONDITIONAL,
                value,
                effects,
            };
        }
        if depth > 0
            && self.has(Feature::StructReturn)
            && self.rng.percent(30)
            && let Some(call) = self.record_call(index, cx, depth)
        {
            self.mark(Feature::StructReturn);
            return call;
        }
        if self.rng.percent(70)
            && let Some(place) = self.find_place(cx, &Goal::Record(index), false)
        {
            let effects = place.effects.and(Effects::reading(place.classes));
            return Expr {
                text: place.text,
                level: place.level,
                value,
                effects,
            };
        }
        let (text, effects) = self.compound_literal(&Ty::Record(index), cx);
        Expr {
            text,
            level: level::POSTFIX,
            value,
            effects,
        }
    }
}
