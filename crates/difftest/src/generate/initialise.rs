//! Initialisers: with and without designators, with and without inner braces.

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::level;
use super::place::Goal;
use super::types::{Field, IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// An initialiser under construction.
struct Initialiser {
    text: String,
    effects: Effects,
    /// Whether this is a list in braces that gives every part its value in order: inside another
    /// list such braces can be left out.
    elidable: bool,
}

impl Initialiser {
    fn plain(text: String, effects: Effects) -> Self {
        Self {
            text,
            effects,
            elidable: false,
        }
    }
}

/// A brace at the start would be taken for the one that was left out.
fn may_lose_braces(items: &[String]) -> bool {
    items.first().is_some_and(|item| !item.starts_with('{'))
}

impl Generator {
    /// An initialiser for an object of type `ty` that lives until the end of the scope at depth
    /// `life`, and what evaluating it does.
    pub(crate) fn initialiser(&mut self, ty: &Ty, life: usize, cx: Context) -> (String, Effects) {
        let Initialiser { text, effects, .. } = self.initialise(ty, life, cx);
        (text, effects)
    }

    /// The list in braces for a struct or union.
    pub(crate) fn braced_record(&mut self, index: usize, cx: Context) -> (String, Effects) {
        let Initialiser { text, effects, .. } = self.initialise_record(index, cx);
        (text, effects)
    }

    fn initialise(&mut self, ty: &Ty, life: usize, cx: Context) -> Initialiser {
        match ty {
            Ty::Int(int) => {
                let depth = self.rng.between(0, 2) as u32;
                let value = self.int_for(int, cx, depth);
                Initialiser::plain(value.at(level::ASSIGN), value.effects)
            }
            Ty::Float(kind) => {
                let value = self.float_for(*kind, cx, 1);
                Initialiser::plain(value.at(level::ASSIGN), value.effects)
            }
            Ty::Pointer(pointer) => {
                let pointer = pointer.clone();
                let value = self
                    .pointer_for(&pointer, life, cx)
                    .unwrap_or_else(|| unreachable!("no value for a pointer: {pointer:?}"));
                Initialiser::plain(value.at(level::ASSIGN), value.effects)
            }
            Ty::Array(element, length) => {
                self.initialise_array(&element.clone(), *length, life, cx)
            }
            Ty::Record(index) => {
                if !cx.constant
                    && self.decide(Feature::StructAssignment, 20)
                    && let Some(place) = self.find_place(cx, &Goal::Record(*index), false)
                {
                    let effects = place.effects.and(Effects::reading(place.classes));
                    return Initialiser::plain(place.text, effects);
                }
                self.initialise_record(*index, cx)
            }
        }
    }

    fn initialise_array(
        &mut self,
        element: &Ty,
        length: u32,
        life: usize,
        cx: Context,
    ) -> Initialiser {
        if let Ty::Int(IntTy {
            kind: IntKind::Char | IntKind::SChar | IntKind::UChar,
            range,
            ..
        }) = element
            && range.covers(&Interval::new(0, 127))
            && self.decide(Feature::StringLiteral, 60)
        {
            self.mark(Feature::CharArray);
            return Initialiser::plain(self.string_literal(length as usize), Effects::default());
        }
        let given = self.given_count(element, length);
        let designated = self.decide(Feature::DesignatedInitialiser, 30);
        let mut order: Vec<u32> = (0..given).collect();
        let mut effects = Effects::default();
        let mut items = Vec::new();
        if designated {
            self.shuffle(&mut order);
            if matches!(element, Ty::Int(_)) && self.decide(Feature::NestedDesignator, 15) {
                // A value that a later designator replaces.
                let value = self.modest_value(element);
                items.push(format!("[{}] = {value}", order[0]));
            }
        }
        for index in order {
            let part = format!("[{index}]");
            effects = self.add_item(
                &mut items,
                designated.then_some(part),
                element,
                life,
                (cx, effects),
            );
        }
        if designated && given < length && matches!(element, Ty::Int(_)) && self.rng.percent(50) {
            let value = self.modest_value(element);
            items.push(format!("[{given} ... {}] = {value}", length - 1));
        }
        let elidable = !designated && given == length && may_lose_braces(&items);
        Initialiser {
            text: format!("{{{}}}", items.join(", ")),
            effects,
            elidable,
        }
    }

    /// How many of the elements get a value; the others are zero, if zero keeps their promise.
    fn given_count(&mut self, element: &Ty, length: u32) -> u32 {
        if self.zero_is_fine(element) && self.rng.percent(35) {
            self.rng.between(1, i128::from(length)) as u32
        } else {
            length
        }
    }

    /// A small constant that keeps the promise of an integer type.
    fn modest_value(&mut self, element: &Ty) -> String {
        let Ty::Int(IntTy { range, .. }) = element else {
            unreachable!("not an integer: {element:?}")
        };
        let value = self
            .rng
            .between(range.low.max(-100), range.high.min(100).max(range.low));
        self.literal(value).text
    }

    fn initialise_record(&mut self, index: usize, cx: Context) -> Initialiser {
        let record = self.records[index].clone();
        let mut fields: Vec<&Field> = record
            .fields
            .iter()
            .filter(|field| !field.name.is_empty())
            .collect();
        if record.is_union {
            // A union is filled by its first member, which covers all of it.
            fields.truncate(1);
        }
        let designated = self.decide(Feature::DesignatedInitialiser, 40);
        if designated {
            self.shuffle(&mut fields);
            let first = fields[0];
            fields.retain(|field| {
                let optional = field.name != first.name && self.zero_is_fine(&field.ty);
                !(optional && self.rng.percent(15))
            });
        }
        let mut effects = Effects::default();
        let mut items = Vec::new();
        for field in fields {
            let part = format!(".{}", field.name);
            effects = self.add_item(
                &mut items,
                designated.then_some(part),
                &field.ty,
                0,
                (cx, effects),
            );
        }
        Initialiser {
            text: format!("{{{}}}", items.join(", ")),
            effects,
            elidable: !designated && may_lose_braces(&items),
        }
    }

    /// Adds the value of one part to a list: behind a designator, if there is one, perhaps taken
    /// further into the part; otherwise perhaps without its braces. `so_far` is the context of the
    /// list and what its other items do; the result is that and what this one does.
    fn add_item(
        &mut self,
        items: &mut Vec<String>,
        designator: Option<String>,
        ty: &Ty,
        life: usize,
        so_far: (Context, Effects),
    ) -> Effects {
        let (cx, effects) = so_far;
        let Some(designator) = designator else {
            let item = self.initialise(ty, life, cx.beside(effects));
            let inner = item
                .text
                .strip_prefix('{')
                .and_then(|text| text.strip_suffix('}'));
            match inner {
                Some(inner) if item.elidable && self.decide(Feature::BraceElision, 30) => {
                    items.push(inner.to_owned());
                }
                _ => items.push(item.text),
            }
            return effects.and(item.effects);
        };
        match ty {
            Ty::Record(index)
                if !self.records[*index].is_union && self.decide(Feature::NestedDesignator, 30) =>
            {
                let fields = self.records[*index].fields.clone();
                fields.iter().filter(|field| !field.name.is_empty()).fold(
                    effects,
                    |effects, field| {
                        let designator = format!("{designator}.{}", field.name);
                        self.add_item(items, Some(designator), &field.ty, 0, (cx, effects))
                    },
                )
            }
            Ty::Array(element, length) if self.decide(Feature::NestedDesignator, 30) => {
                (0..*length).fold(effects, |effects, index| {
                    let designator = format!("{designator}[{index}]");
                    self.add_item(
                        items,
                        Some(designator),
                        &element.clone(),
                        life,
                        (cx, effects),
                    )
                })
            }
            _ => {
                let item = self.initialise(ty, life, cx.beside(effects));
                items.push(format!("{designator} = {}", item.text));
                effects.and(item.effects)
            }
        }
    }
}
