//! Pointers: where they come from, and the integers that comparing them gives.

use std::rc::Rc;

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::{Expr, Value, level};
use super::place::{Goal, Target};
use super::scope::Var;
use super::types::{PointerTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

impl Generator {
    /// A pointer that keeps the promise of `want` and whose target lives at least until the end
    /// of the scope at depth `life`.
    pub(crate) fn pointer_for(
        &mut self,
        want: &PointerTy,
        life: usize,
        cx: Context,
    ) -> Option<Expr> {
        let source = self.rng.below(4);
        let mut found = None;
        for attempt in 0..4 {
            found = match (source + attempt) % 4 {
                0 if !cx.constant => self.existing_pointer(want, life, cx),
                1 => self.address_of_object(want, life, cx),
                2 => self.pointer_into_array(want, life, cx),
                3 if want.nullable => Some(self.null(want)),
                _ => None,
            };
            if found.is_some() {
                break;
            }
        }
        if found.is_none() && !cx.constant && self.scopes.len() <= life && want.array.is_none() {
            found = Some(self.pointer_to_literal(want, cx));
        }
        found
    }

    fn pointer_expr(
        text: String,
        level: u8,
        ty: &PointerTy,
        life: usize,
        effects: Effects,
    ) -> Expr {
        Expr {
            text,
            level,
            value: Value::Pointer(Rc::new(ty.clone()), life),
            effects,
        }
    }

    fn existing_pointer(&mut self, want: &PointerTy, life: usize, cx: Context) -> Option<Expr> {
        let place = self.find_place(cx, &Goal::Pointer(want.clone()), false)?;
        let Ty::Pointer(have) = place.ty.clone() else {
            return None;
        };
        if place.target_depth > life {
            return None;
        }
        let effects = place.effects.and(Effects::reading(place.classes));
        let slack = Interval::new(
            i128::from(want.before) - i128::from(have.before),
            i128::from(have.after) - i128::from(want.after),
        );
        if slack.as_point().is_some() || have.nullable || self.rng.percent(50) {
            return Some(Self::pointer_expr(
                place.text,
                place.level,
                want,
                place.target_depth,
                effects,
            ));
        }
        self.mark(Feature::PointerArithmetic);
        let offset = self.index(slack, cx.beside(effects));
        let text = match self.rng.below(3) {
            0 => format!("&{}[{}]", place.at(level::POSTFIX), offset.text),
            1 if offset.kind().signed() && offset.level == level::PRIMARY => {
                format!("{} - -{}", place.at(level::SUM), offset.text)
            }
            _ => format!("{} + {}", place.at(level::SUM), offset.at(level::SUM + 1)),
        };
        let is_address = text.starts_with('&');
        let level = if is_address { level::UNARY } else { level::SUM };
        Some(Self::pointer_expr(
            text,
            level,
            want,
            place.target_depth,
            effects.and(offset.effects),
        ))
    }

    fn address_of_object(&mut self, want: &PointerTy, life: usize, cx: Context) -> Option<Expr> {
        if want.before + want.after > 0 || want.array.is_some() {
            return None;
        }
        let place = if cx.constant {
            self.static_object(&want.pointee)?
        } else {
            self.find_place(cx, &Goal::AddressOf(want.pointee.clone()), false)?
        };
        if place.depth > life || !(place.writable || want.read_only) {
            return None;
        }
        self.mark_target(&place);
        let text = format!("&{}", place.at(level::CAST));
        Some(Self::pointer_expr(
            text,
            level::UNARY,
            want,
            place.depth,
            place.effects,
        ))
    }

    /// A whole object whose address is a constant.
    fn static_object(&mut self, ty: &Ty) -> Option<Target> {
        let objects: Vec<Var> = self
            .visible()
            .into_iter()
            .filter(|var| var.depth == 0 && var.addressable && var.writable && var.ty == *ty)
            .collect();
        if objects.is_empty() {
            None
        } else {
            Some(Target::of(self.rng.pick(&objects)))
        }
    }

    /// The address of some global object of a type of which there is one.
    pub(crate) fn static_address(&mut self, ty: &Ty) -> String {
        match self.static_object(ty) {
            Some(place) => format!("&{}", place.text),
            None => unreachable!("no global object of type {ty:?}"),
        }
    }

    fn pointer_into_array(&mut self, want: &PointerTy, life: usize, cx: Context) -> Option<Expr> {
        let goal = Goal::ArrayOf(want.pointee.clone(), want.before + want.after + 1);
        let place = self.find_place(cx, &goal, false)?;
        let Ty::Array(_, length) = &place.ty else {
            return None;
        };
        let usable = place.depth <= life
            && (place.writable || want.read_only)
            && (want.array.is_none() || want.array == place.identity)
            && (!cx.constant || (place.depth == 0 && place.level == level::PRIMARY));
        if !usable {
            return None;
        }
        let range = Interval::new(i128::from(want.before), i128::from(length - 1 - want.after));
        let index = if cx.constant {
            let value = self.rng.between(range.low, range.high);
            self.literal(value)
        } else {
            self.index(range, cx.beside(place.effects))
        };
        let is_row = matches!(want.pointee, Ty::Array(..));
        self.mark(if is_row {
            Feature::PointerToArray
        } else {
            Feature::PointerToElement
        });
        Some(self.pointer_to_element(&place, &index, want))
    }

    /// `&a[i]`, `a + i` or just `a`.
    fn pointer_to_element(&mut self, array: &Target, index: &Expr, ty: &PointerTy) -> Expr {
        let effects = array.effects.and(index.effects);
        let (text, strength) = if index.text == "0" && self.rng.percent(60) {
            (array.text.clone(), array.level)
        } else if self.rng.percent(50) {
            (
                format!("&{}[{}]", array.at(level::POSTFIX), index.text),
                level::UNARY,
            )
        } else {
            self.mark(Feature::PointerArithmetic);
            (
                format!("{} + {}", array.at(level::SUM), index.at(level::SUM + 1)),
                level::SUM,
            )
        };
        Self::pointer_expr(text, strength, ty, array.depth, effects)
    }

    fn null(&mut self, want: &PointerTy) -> Expr {
        self.mark(Feature::NullPointer);
        let (text, strength) = match self.rng.below(3) {
            0 => ("0".to_owned(), level::PRIMARY),
            1 => ("(void *)0".to_owned(), level::CAST),
            _ => {
                let name = self.type_name(&Ty::Pointer(Rc::new(want.clone())));
                (format!("({name})0"), level::CAST)
            }
        };
        Self::pointer_expr(text, strength, want, 0, Effects::default())
    }

    /// `&(T){…}` or `(T[n]){…} + k`: an unnamed object of the innermost block.
    fn pointer_to_literal(&mut self, want: &PointerTy, cx: Context) -> Expr {
        self.mark(Feature::CompoundLiteral);
        let length = want.before + want.after + 1;
        let life = self.scopes.len();
        if length == 1 && !matches!(want.pointee, Ty::Array(..)) {
            let (text, effects) = self.compound_literal(&want.pointee, cx);
            return Self::pointer_expr(format!("&{text}"), level::UNARY, want, life, effects);
        }
        let array = Ty::Array(Rc::new(want.pointee.clone()), length);
        let (text, effects) = self.compound_literal(&array, cx);
        if want.before == 0 {
            return Self::pointer_expr(text, level::POSTFIX, want, life, effects);
        }
        let text = format!("{text} + {}", want.before);
        Self::pointer_expr(text, level::SUM, want, life, effects)
    }

    fn mark_target(&mut self, place: &Target) {
        self.mark(match &place.ty {
            _ if place.member => Feature::PointerToMember,
            Ty::Pointer(_) => Feature::PointerToPointer,
            _ if place.text.ends_with(']') => Feature::PointerToElement,
            _ => Feature::PointerToScalar,
        });
    }

    /// A pointer type for a new local object, together with its first value.
    pub(crate) fn new_pointer(&mut self, cx: Context) -> Option<(PointerTy, Expr)> {
        let life = self.scopes.len();
        let targets: Vec<Var> = self
            .visible()
            .into_iter()
            .filter(|var| var.addressable)
            .collect();
        if targets.is_empty() {
            return None;
        }
        let var = self.rng.pick(&targets).clone();
        let want = match &var.ty {
            Ty::Array(element, length) => {
                let at = self.rng.below(u64::from(*length)) as u32;
                PointerTy {
                    pointee: (**element).clone(),
                    before: self.rng.between(0, i128::from(at)) as u32,
                    after: self.rng.between(0, i128::from(length - 1 - at)) as u32,
                    array: if self.rng.percent(70) {
                        var.array
                    } else {
                        None
                    },
                    nullable: false,
                    read_only: false,
                }
            }
            ty => {
                let pointee = self.part_of(&ty.clone());
                PointerTy {
                    pointee,
                    before: 0,
                    after: 0,
                    array: None,
                    nullable: self.has(Feature::NullPointer) && self.rng.percent(15),
                    read_only: false,
                }
            }
        };
        let qualifiable = !matches!(want.pointee, Ty::Array(..) | Ty::Pointer(_));
        let read_only = !var.writable || (qualifiable && self.decide(Feature::Const, 15));
        if read_only && !qualifiable {
            return None;
        }
        let want = PointerTy { read_only, ..want };
        let first = self.pointer_for(&want, life, cx)?;
        Some((want, first))
    }

    /// The type itself or, for a struct, perhaps that of a member that has an address.
    fn part_of(&mut self, ty: &Ty) -> Ty {
        let Ty::Record(index) = ty else {
            return ty.clone();
        };
        let record = &self.records[*index];
        if record.is_union || self.rng.percent(50) {
            return ty.clone();
        }
        let fields: Vec<Ty> = record
            .fields
            .iter()
            .filter(|field| !field.name.is_empty())
            .map(|field| field.ty.clone())
            .filter(|ty| match ty {
                Ty::Int(int) => int.field_bits.is_none(),
                Ty::Float(_) | Ty::Record(_) => true,
                Ty::Array(..) | Ty::Pointer(_) => false,
            })
            .collect();
        if fields.is_empty() {
            ty.clone()
        } else {
            self.rng.pick(&fields).clone()
        }
    }

    /// An integer made of pointers: a comparison, a difference, a test for null.
    pub(crate) fn int_from_pointers(&mut self, cx: Context) -> Option<Expr> {
        let pointers: Vec<(Var, Rc<PointerTy>)> = self
            .visible()
            .into_iter()
            .filter(|var| cx.may_read(var.classes))
            .filter_map(|var| match &var.ty {
                Ty::Pointer(pointer) => Some((var.clone(), pointer.clone())),
                _ => None,
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let (var, pointer) = self.rng.pick(&pointers).clone();
        let mut effects = Effects::reading(var.classes);
        let truth = Interval::new(0, 1);
        if pointer.nullable {
            return self.guarded_read(&var, &pointer, cx);
        }
        if pointer.array.is_some() {
            let same = PointerTy {
                before: 0,
                after: 0,
                read_only: true,
                ..(*pointer).clone()
            };
            let other = self.pointer_for(&same, usize::MAX, cx.beside(effects))?;
            effects = effects.and(other.effects);
            if self.decide(Feature::PointerDifference, 50) {
                let text = format!("(int)({} - {})", var.name, other.at(level::SUM + 1));
                // No array is longer than this.
                let range = Interval::new(-64, 64);
                return Some(Expr::int(text, level::CAST, IntKind::Int, range).with(effects));
            }
            self.mark(Feature::PointerComparison);
            let operator = *self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
            let text = format!("{} {operator} {}", var.name, other.at(level::SHIFT));
            let strength = if operator.ends_with('=') && !operator.starts_with(['<', '>']) {
                level::EQUAL
            } else {
                level::RELATION
            };
            return Some(Expr::int(text, strength, IntKind::Int, truth).with(effects));
        }
        if self.rng.percent(30) {
            self.mark(Feature::NullPointer);
            let text = self
                .rng
                .pick(&["!{}", "{} != 0", "0 == {}"])
                .replace("{}", &var.name);
            let strength = if text.starts_with('!') {
                level::UNARY
            } else {
                level::EQUAL
            };
            return Some(Expr::int(text, strength, IntKind::Int, truth).with(effects));
        }
        let same = PointerTy {
            before: 0,
            after: 0,
            read_only: true,
            ..(*pointer).clone()
        };
        let other = self.existing_pointer(&same, usize::MAX, cx.beside(effects))?;
        self.mark(Feature::PointerComparison);
        let operator = *self.rng.pick(&["==", "!="]);
        let text = format!("{} {operator} {}", var.name, other.at(level::RELATION));
        Some(Expr::int(text, level::EQUAL, IntKind::Int, truth).with(effects.and(other.effects)))
    }

    /// `p ? *p : constant` for a pointer that may be null.
    fn guarded_read(&mut self, var: &Var, pointer: &PointerTy, cx: Context) -> Option<Expr> {
        let Ty::Int(ty) = &pointer.pointee else {
            return None;
        };
        let target = self.classes_of(&pointer.pointee);
        if !cx.may_read(target) {
            return None;
        }
        self.mark(Feature::NullPointer);
        let effects = Effects::reading(var.classes | target);
        let name = &var.name;
        let test = self
            .rng
            .pick(&["{}", "{} != 0", "{} != (void *)0"])
            .replace("{}", name);
        let read = Expr::int(format!("*{name}"), level::UNARY, ty.kind, ty.range);
        let otherwise = self.constant();
        let condition =
            Expr::int(test, level::EQUAL, IntKind::Int, Interval::new(0, 1)).with(effects);
        Some(self.choose(&condition, &read, &otherwise))
    }
}
