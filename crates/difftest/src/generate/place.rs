//! Lvalues: from a visible object through members, elements and pointers to what is wanted.

use super::Generator;
use super::effects::{Classes, Context, Effects};
use super::expr::{Expr, level};
use super::scope::Var;
use super::types::{IntTy, PointerTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// What an lvalue is needed for.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    AnyInt,
    AnyFloat,
    Record(usize),
    AnyRecord,
    /// An object of exactly this type whose address is to be taken.
    AddressOf(Ty),
    /// An array of at least so many such elements, to be pointed into.
    ArrayOf(Ty, u32),
    /// A pointer that may be stored where the given one is promised.
    Pointer(PointerTy),
}

/// An lvalue.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) text: String,
    pub(crate) level: u8,
    pub(crate) ty: Ty,
    /// The memory that it names.
    pub(crate) classes: Classes,
    /// What finding it does.
    pub(crate) effects: Effects,
    pub(crate) writable: bool,
    pub(crate) addressable: bool,
    /// Until the end of which scope it lives.
    pub(crate) depth: usize,
    /// If it is a pointer: until the end of which scope its target lives.
    pub(crate) target_depth: usize,
    /// If it is a pointer: the shortest life of a target that may be stored into it.
    pub(crate) store_depth: usize,
    /// Whether its address is that of a struct member.
    pub(crate) member: bool,
    /// If it is an array: its identity.
    pub(crate) identity: Option<u32>,
}

/// How far a search follows pointers and members.
const MAX_STEPS: u32 = 5;

impl Target {
    pub(crate) fn of(var: &Var) -> Self {
        Self {
            text: var.name.clone(),
            level: level::PRIMARY,
            ty: var.ty.clone(),
            classes: var.classes,
            effects: Effects::default(),
            writable: var.writable,
            addressable: var.addressable,
            depth: var.depth,
            target_depth: var.depth,
            store_depth: var.depth,
            member: false,
            identity: var.array,
        }
    }

    /// A pointer that is not an object but a value, to something that lives for ever.
    pub(crate) fn of_value(text: String, ty: Ty, effects: Effects) -> Self {
        Self {
            text,
            level: level::POSTFIX,
            ty,
            classes: 0,
            effects,
            writable: false,
            addressable: false,
            depth: 0,
            target_depth: 0,
            store_depth: 0,
            member: false,
            identity: None,
        }
    }

    pub(crate) fn at(&self, at_least: u8) -> String {
        if self.level >= at_least {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

impl Goal {
    /// Whether the object itself is neither read nor written.
    fn is_address(&self) -> bool {
        matches!(self, Self::AddressOf(_) | Self::ArrayOf(..))
    }

    fn matches(&self, ty: &Ty) -> bool {
        match (self, ty) {
            (Self::AnyInt, Ty::Int(_))
            | (Self::AnyFloat, Ty::Float(_))
            | (Self::AnyRecord, Ty::Record(_)) => true,
            (Self::Record(want), Ty::Record(index)) => want == index,
            (Self::AddressOf(want), ty) => want == ty,
            (Self::ArrayOf(want, at_least), Ty::Array(element, length)) => {
                want == &**element && length >= at_least
            }
            (Self::Pointer(want), Ty::Pointer(pointer)) => pointer.serves_as(want),
            _ => false,
        }
    }
}

impl Generator {
    /// A random lvalue that serves the goal and may be read (or written) in this context.
    pub(crate) fn find_place(&mut self, cx: Context, goal: &Goal, write: bool) -> Option<Target> {
        if self.has(Feature::PointerReturn)
            && self.rng.percent(6)
            && let Some(pointer) = self.called_pointer(cx, |generator, pointee| {
                generator.leads_to(pointee, goal, MAX_STEPS - 1)
            })
            && let Some(place) = self.descend(pointer, cx, goal)
            && self.is_usable(&place, cx, goal, write)
        {
            self.mark(Feature::PointerReturn);
            return Some(place);
        }
        let candidates: Vec<Var> = self
            .visible()
            .into_iter()
            .filter(|var| cx.may_read(var.classes) || goal.is_address())
            .filter(|var| self.leads_to(&var.ty, goal, MAX_STEPS))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        (0..3).find_map(|_| {
            let var = self.rng.pick(&candidates).clone();
            let place = self.descend(Target::of(&var), cx, goal)?;
            let usable = self.is_usable(&place, cx, goal, write);
            usable.then_some(place)
        })
    }

    fn is_usable(&self, place: &Target, cx: Context, goal: &Goal, write: bool) -> bool {
        match goal {
            _ if goal.is_address() => place.addressable,
            _ if write => place.writable && cx.may_write(place.classes),
            _ => cx.may_read(place.classes),
        }
    }

    /// Whether an object of type `ty` contains, or points to, what is wanted.
    fn leads_to(&self, ty: &Ty, goal: &Goal, steps: u32) -> bool {
        if goal.matches(ty) {
            return true;
        }
        if steps == 0 {
            return false;
        }
        match ty {
            Ty::Int(_) | Ty::Float(_) => false,
            Ty::Array(element, _) => self.leads_to(element, goal, steps - 1),
            Ty::Pointer(pointer) => {
                !pointer.nullable && self.leads_to(&pointer.pointee, goal, steps - 1)
            }
            Ty::Record(index) => self
                .member_choices(*index, goal, steps - 1)
                .next()
                .is_some(),
        }
    }

    /// Named members that lead to the goal. Members of unions are only taken as integers: floating
    /// members could be read as signalling NaNs.
    fn member_choices(
        &self,
        record: usize,
        goal: &Goal,
        steps: u32,
    ) -> impl Iterator<Item = usize> {
        let record = &self.records[record];
        let found: Vec<usize> = (0..record.fields.len())
            .filter(|&index| {
                let field = &record.fields[index];
                let allowed = !record.is_union || matches!(goal, Goal::AnyInt);
                allowed && !field.name.is_empty() && self.leads_to(&field.ty, goal, steps)
            })
            .collect();
        found.into_iter()
    }

    fn descend(&mut self, mut place: Target, cx: Context, goal: &Goal) -> Option<Target> {
        for steps in (0..=MAX_STEPS).rev() {
            let deeper = !matches!(place.ty, Ty::Int(_) | Ty::Float(_));
            if goal.matches(&place.ty) && !(deeper && steps > 0 && self.rng.percent(20)) {
                return Some(place);
            }
            if steps == 0 {
                break;
            }
            let matched = goal.matches(&place.ty).then(|| place.clone());
            match self.one_step(place, cx, goal, steps - 1) {
                Some(next) => place = next,
                None => return matched,
            }
        }
        goal.matches(&place.ty).then_some(place)
    }

    fn one_step(&mut self, place: Target, cx: Context, goal: &Goal, steps: u32) -> Option<Target> {
        match place.ty.clone() {
            Ty::Int(_) | Ty::Float(_) => None,
            Ty::Array(element, length) => {
                if !self.leads_to(&element, goal, steps) {
                    return None;
                }
                let range = Interval::new(0, i128::from(length) - 1);
                Some(self.element(place, (*element).clone(), range, cx))
            }
            Ty::Record(index) => {
                let choices: Vec<usize> = self.member_choices(index, goal, steps).collect();
                if choices.is_empty() {
                    return None;
                }
                let field = *self.rng.pick(&choices);
                Some(self.member(place, index, field, "."))
            }
            Ty::Pointer(pointer) => {
                let target = self.classes_of(&pointer.pointee);
                let readable = cx.may_read(place.classes) && cx.may_read(target);
                if pointer.nullable || !readable || !self.leads_to(&pointer.pointee, goal, steps) {
                    return None;
                }
                self.dereference(place, &pointer, target, cx, goal, steps)
            }
        }
    }

    fn dereference(
        &mut self,
        place: Target,
        pointer: &PointerTy,
        target: Classes,
        cx: Context,
        goal: &Goal,
        steps: u32,
    ) -> Option<Target> {
        let effects = place.effects.and(Effects::reading(place.classes));
        let through = Target {
            classes: target,
            effects,
            writable: !pointer.read_only,
            addressable: true,
            depth: place.target_depth,
            // The pointer may lead to one that lives longer than what could be stored here.
            store_depth: 0,
            member: false,
            identity: None,
            ..place
        };
        if let Ty::Record(index) = pointer.pointee
            && self.rng.percent(70)
        {
            let choices: Vec<usize> = self.member_choices(index, goal, steps).collect();
            if !choices.is_empty() {
                let field = *self.rng.pick(&choices);
                return Some(self.member(through, index, field, "->"));
            }
        }
        let reach = Interval::new(-i128::from(pointer.before), i128::from(pointer.after));
        if reach.as_point().is_none() && self.rng.percent(75) {
            self.mark(Feature::PointerArithmetic);
            if self.rng.percent(60) {
                return Some(self.element(through, pointer.pointee.clone(), reach, cx));
            }
            let offset = self.index(reach, cx.beside(through.effects));
            let sum = format!(
                "*({} + {})",
                through.at(level::SUM),
                offset.at(level::SUM + 1)
            );
            return Some(Target {
                text: sum,
                level: level::UNARY,
                ty: pointer.pointee.clone(),
                effects: through.effects.and(offset.effects),
                ..through
            });
        }
        let text = format!("*{}", through.at(level::CAST));
        Some(Target {
            text,
            level: level::UNARY,
            ty: pointer.pointee.clone(),
            ..through
        })
    }

    /// `place[index]` with an index in `range`.
    fn element(&mut self, place: Target, element: Ty, range: Interval, cx: Context) -> Target {
        let index = self.index(
            range,
            cx.beside(place.effects)
                .beside(Effects::reading(place.classes)),
        );
        let swap = self.rng.percent(2) && index.level == level::PRIMARY;
        let text = if swap {
            format!("{}[{}]", index.text, place.text)
        } else {
            format!("{}[{}]", place.at(level::POSTFIX), index.text)
        };
        let effects = place.effects.and(index.effects);
        Target {
            text,
            level: level::POSTFIX,
            ty: element,
            effects,
            member: false,
            identity: None,
            ..place
        }
    }

    /// `place.field` or `place->field`.
    fn member(&mut self, place: Target, record: usize, field: usize, operator: &str) -> Target {
        let is_union = self.records[record].is_union;
        let field = self.records[record].fields[field].clone();
        let is_bit_field = matches!(
            &field.ty,
            Ty::Int(IntTy {
                field_bits: Some(_),
                ..
            })
        );
        self.mark(if is_union {
            Feature::Union
        } else {
            Feature::Struct
        });
        if is_bit_field {
            self.mark(Feature::BitField);
        }
        Target {
            text: format!("{}{operator}{}", place.at(level::POSTFIX), field.name),
            level: level::POSTFIX,
            ty: field.ty,
            addressable: place.addressable && !is_union && !is_bit_field,
            // Pointers inside a struct are copied with it, so their targets must live for ever.
            target_depth: 0,
            store_depth: 0,
            member: true,
            identity: None,
            ..place
        }
    }

    /// An integer expression with a value in `range`, for an index.
    pub(crate) fn index(&mut self, range: Interval, cx: Context) -> Expr {
        if self.is_deep() || self.rng.percent(30) {
            let value = self.rng.between(range.low, range.high);
            return self.literal(value);
        }
        let ready: Vec<Var> = self
            .visible()
            .into_iter()
            .filter(|var| match &var.ty {
                Ty::Int(ty) => range.covers(&ty.range) && cx.may_read(var.classes),
                _ => false,
            })
            .collect();
        if !ready.is_empty() && self.rng.percent(60) {
            let var = self.rng.pick(&ready).clone();
            return self.read_int(Target::of(&var));
        }
        // An index with the type of a boolean is legal, but gcc's warnings are all it would test.
        let value = self.int_expr(cx, 1);
        self.fit(value, &IntTy::ranged(IntKind::LLong, range), cx)
    }
}
