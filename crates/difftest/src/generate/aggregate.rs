//! Initialisers, compound literals and values of struct type.

use std::rc::Rc;

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::{Expr, Value, level};
use super::place::Goal;
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

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
    /// An initialiser for an object of type `ty` that lives until the end of the scope at depth
    /// `life`, and what evaluating it does.
    pub(crate) fn initialiser(&mut self, ty: &Ty, life: usize, cx: Context) -> (String, Effects) {
        match ty {
            Ty::Int(int) => {
                let depth = self.rng.between(0, 2) as u32;
                let value = self.int_for(int, cx, depth);
                (value.at(level::ASSIGN), value.effects)
            }
            Ty::Float(kind) => {
                let value = self.float_for(*kind, cx, 1);
                (value.at(level::ASSIGN), value.effects)
            }
            Ty::Pointer(pointer) => {
                let pointer = pointer.clone();
                let value = self
                    .pointer_for(&pointer, life, cx)
                    .unwrap_or_else(|| unreachable!("no value for a pointer: {pointer:?}"));
                (value.at(level::ASSIGN), value.effects)
            }
            Ty::Array(element, length) => {
                self.array_initialiser(&element.clone(), *length, life, cx)
            }
            Ty::Record(index) => {
                if !cx.constant
                    && self.decide(Feature::StructAssignment, 20)
                    && let Some(place) = self.find_place(cx, &Goal::Record(*index), false)
                {
                    let effects = place.effects.and(Effects::reading(place.classes));
                    return (place.text, effects);
                }
                self.record_initialiser(*index, cx)
            }
        }
    }

    fn array_initialiser(
        &mut self,
        element: &Ty,
        length: u32,
        life: usize,
        cx: Context,
    ) -> (String, Effects) {
        if let Ty::Int(IntTy {
            kind: IntKind::Char | IntKind::SChar | IntKind::UChar,
            range,
            ..
        }) = element
            && Interval::new(0, 127).within(*range)
            && self.decide(Feature::StringLiteral, 60)
        {
            self.mark(Feature::CharArray);
            return (self.string_literal(length as usize), Effects::default());
        }
        let given = self.given_count(element, length);
        let designated = self.decide(Feature::DesignatedInitialiser, 30);
        let mut order: Vec<u32> = (0..given).collect();
        if designated {
            self.shuffle(&mut order);
        }
        let mut effects = Effects::default();
        let mut items = Vec::new();
        for index in order {
            let (text, done) = self.initialiser(element, life, cx.beside(effects));
            effects = effects.and(done);
            items.push(if designated {
                format!("[{index}] = {text}")
            } else {
                text
            });
        }
        if designated && given < length && matches!(element, Ty::Int(_)) && self.rng.percent(50) {
            let value = self.range_value(element);
            items.push(format!("[{given} ... {}] = {value}", length - 1));
        }
        (format!("{{{}}}", items.join(", ")), effects)
    }

    /// How many of the elements get a value; the others are zero, if zero keeps their promise.
    fn given_count(&mut self, element: &Ty, length: u32) -> u32 {
        if self.zero_is_fine(element) && self.rng.percent(35) {
            self.rng.between(1, i128::from(length)) as u32
        } else {
            length
        }
    }

    fn range_value(&mut self, element: &Ty) -> String {
        let Ty::Int(ty) = element else {
            unreachable!("ranges are for integers")
        };
        let value = self.rng.between(
            ty.range.low.max(-100),
            ty.range.high.min(100).max(ty.range.low),
        );
        self.literal(value).text
    }

    fn record_initialiser(&mut self, index: usize, cx: Context) -> (String, Effects) {
        let record = self.records[index].clone();
        let named: Vec<usize> = (0..record.fields.len())
            .filter(|&field| !record.fields[field].name.is_empty())
            .collect();
        // A union is filled by its first member, which covers all of it.
        let mut order = if record.is_union {
            vec![named[0]]
        } else {
            named
        };
        let designated = self.decide(Feature::DesignatedInitialiser, 40);
        if designated && !record.is_union {
            self.shuffle(&mut order);
            order.retain(|&field| {
                let optional = self.zero_is_fine(&record.fields[field].ty);
                !(optional && self.rng.percent(15))
            });
        }
        if order.is_empty() {
            order.push(0);
            order.retain(|&field| !record.fields[field].name.is_empty());
        }
        let mut effects = Effects::default();
        let mut items = Vec::new();
        for field in order {
            let field = &record.fields[field];
            let (text, done) = self.initialiser(&field.ty, 0, cx.beside(effects));
            effects = effects.and(done);
            items.push(if designated {
                format!(".{} = {text}", field.name)
            } else {
                text
            });
        }
        if items.is_empty() {
            items.push("0".to_owned());
        }
        (format!("{{{}}}", items.join(", ")), effects)
    }

    /// Whether zero-filled memory keeps all promises of `ty`.
    pub(crate) fn zero_is_fine(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Int(int) => int.range.contains(0),
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

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.rng.index(last + 1));
        }
    }

    /// `(T){…}` without parentheses around it.
    pub(crate) fn compound_literal(&mut self, ty: &Ty, cx: Context) -> (String, Effects) {
        self.mark(Feature::CompoundLiteral);
        let (text, effects) = match ty {
            Ty::Record(index) => self.record_initialiser(*index, cx),
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
            let text = format!(
                "{} ? {} : {}",
                condition.at(level::OR),
                yes.at(level::COMMA),
                no.at(level::CONDITIONAL)
            );
            let effects = condition.effects.and(yes.effects).and(no.effects);
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
