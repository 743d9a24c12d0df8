//! Calls, directly and through tables of function pointers.

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::{Expr, Value, level};
use super::function::Signature;
use super::place::Target;
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// Something that can be called.
#[derive(Clone, Debug)]
struct Callee {
    text: String,
    signature: Signature,
    effects: Effects,
    cost: u64,
    /// The number of entries when this is a table.
    entries: Option<u32>,
}

impl Generator {
    /// A call that gives an integer: by itself or as a member of the struct that it returns.
    pub(crate) fn int_call(&mut self, cx: Context, depth: u32) -> Option<Expr> {
        let choices = self.callable(cx, |generator, ty| match ty {
            Ty::Int(_) => true,
            Ty::Record(index) => generator.int_member(*index).is_some(),
            _ => false,
        });
        let callee = self.choose_callee(choices)?;
        let result = callee.signature.result.clone()?;
        let (text, effects) = self.call_text(&callee, cx, depth);
        match result {
            Ty::Int(ty) => Some(Expr::int(text, level::POSTFIX, ty.kind, ty.range).with(effects)),
            Ty::Record(index) => {
                let (name, ty) = self.int_member(index)?;
                self.mark(Feature::StructReturn);
                let text = format!("{text}.{name}");
                Some(Expr::int(text, level::POSTFIX, ty.kind, ty.range).with(effects))
            }
            _ => None,
        }
    }

    /// A call that gives a struct.
    pub(crate) fn record_call(&mut self, index: usize, cx: Context, depth: u32) -> Option<Expr> {
        let choices = self.callable(cx, |_, ty| *ty == Ty::Record(index));
        let callee = self.choose_callee(choices)?;
        let (text, effects) = self.call_text(&callee, cx, depth);
        Some(Expr {
            text,
            level: level::POSTFIX,
            value: Value::Record(index),
            effects,
        })
    }

    /// A call that gives a pointer to something wanted, as the start of an lvalue.
    pub(crate) fn called_pointer(
        &mut self,
        cx: Context,
        wanted: impl Fn(&Self, &Ty) -> bool,
    ) -> Option<Target> {
        if self.is_deep() {
            return None;
        }
        let choices = self.callable(cx, |generator, ty| match ty {
            Ty::Pointer(pointer) => wanted(generator, &pointer.pointee),
            _ => false,
        });
        let callee = self.choose_callee(choices)?;
        let result = callee.signature.result.clone()?;
        let (text, effects) = self.call_text(&callee, cx, 1);
        Some(Target::of_value(text, result, effects))
    }

    /// A call for its effects, whatever it returns.
    pub(crate) fn call_statement(&mut self) -> Option<String> {
        let cx = Context::default();
        let mut choices = self.callable(cx, |_, _| true);
        choices.extend(
            self.callees(cx)
                .into_iter()
                .filter(|callee| callee.signature.result.is_none()),
        );
        let callee = self.choose_callee(choices)?;
        let discards = callee.signature.result.is_some() && self.rng.percent(30);
        let (text, effects) = self.call_text(&callee, cx, 2);
        self.effects = self.effects.and(effects);
        Some(if discards {
            format!("(void){text};")
        } else {
            format!("{text};")
        })
    }

    /// The first plain integer member, for `f().member`.
    fn int_member(&self, index: usize) -> Option<(String, IntTy)> {
        let record = &self.records[index];
        record.fields.iter().find_map(|field| match &field.ty {
            Ty::Int(ty) if !record.is_union && ty.field_bits.is_none() => {
                Some((field.name.clone(), *ty))
            }
            _ => None,
        })
    }

    fn callable(&self, cx: Context, wanted: impl Fn(&Self, &Ty) -> bool) -> Vec<Callee> {
        self.callees(cx)
            .into_iter()
            .filter(|callee| {
                callee
                    .signature
                    .result
                    .as_ref()
                    .is_some_and(|ty| wanted(self, ty))
            })
            .collect()
    }

    /// Everything that may be called here without conflict and within the budget of work.
    fn callees(&self, cx: Context) -> Vec<Callee> {
        if !self.has(Feature::Call) || cx.constant {
            return Vec::new();
        }
        let functions = self.functions.iter().map(|function| Callee {
            text: function.name.clone(),
            signature: function.signature.clone(),
            effects: function.effects,
            cost: function.cost,
            entries: None,
        });
        let tables = self.tables.iter().map(|table| Callee {
            text: table.name.clone(),
            signature: table.signature.clone(),
            effects: table.effects,
            cost: table.cost,
            entries: Some(table.length),
        });
        functions
            .chain(tables)
            .filter(|callee| cx.allows(callee.effects))
            .filter(|callee| self.work + self.repeat * (callee.cost + 5) <= self.budget)
            .collect()
    }

    fn choose_callee(&mut self, choices: Vec<Callee>) -> Option<Callee> {
        if choices.is_empty() {
            return None;
        }
        // What was not called yet comes first.
        let fresh: Vec<Callee> = choices
            .iter()
            .filter(|callee| !self.called.contains(&callee.text))
            .cloned()
            .collect();
        let callee = if !fresh.is_empty() && self.rng.percent(60) {
            self.rng.pick(&fresh).clone()
        } else {
            self.rng.pick(&choices).clone()
        };
        self.work += self.repeat * (callee.cost + 5);
        self.called.insert(callee.text.clone());
        self.mark(Feature::Call);
        Some(callee)
    }

    /// Calls what nothing has called so far, as far as the budget goes.
    pub(crate) fn call_the_rest(&mut self) {
        let cx = Context::default();
        for callee in self.callees(cx) {
            let affordable = self.work + callee.cost <= self.budget;
            if self.called.contains(&callee.text) || !affordable {
                continue;
            }
            self.choose_callee(vec![callee.clone()]);
            let (text, effects) = self.call_text(&callee, cx, 2);
            self.effects = self.effects.and(effects);
            match &callee.signature.result {
                Some(Ty::Int(ty)) => {
                    self.print_int(&Expr::int(text, level::POSTFIX, ty.kind, ty.range))
                }
                Some(Ty::Float(kind)) => self.print_float(&text, *kind),
                _ => self.line(format!("{text};")),
            }
        }
    }

    fn call_text(&mut self, callee: &Callee, cx: Context, depth: u32) -> (String, Effects) {
        let mut effects = callee.effects;
        let mut beside = Effects::default();
        let function = match callee.entries {
            None => match self.rng.below(20) {
                0 => format!("(*{})", callee.text),
                1 => format!("(&{})", callee.text),
                _ => callee.text.clone(),
            },
            Some(entries) => {
                self.mark(Feature::FunctionPointer);
                let index = self.index(Interval::new(0, i128::from(entries) - 1), cx);
                beside = beside.and(index.effects);
                let entry = format!("{}[{}]", callee.text, index.text);
                if self.rng.percent(30) {
                    format!("(*{entry})")
                } else {
                    entry
                }
            }
        };
        let (arguments, done) = self.arguments(&callee.signature, cx, beside, depth);
        effects = effects.and(beside).and(done);
        (format!("{function}({arguments})"), effects)
    }

    /// Argument expressions for a call that evaluates `beside` along with them.
    pub(crate) fn arguments(
        &mut self,
        signature: &Signature,
        cx: Context,
        beside: Effects,
        depth: u32,
    ) -> (String, Effects) {
        let mut effects = beside;
        let mut texts = Vec::new();
        let depth = depth.saturating_sub(1).min(2);
        for ty in signature.parameters.clone() {
            let here = cx.beside(effects);
            let value = match &ty {
                Ty::Int(int) => self.int_for(int, here, depth),
                Ty::Float(kind) => self.float_for(*kind, here, depth),
                Ty::Record(index) => {
                    self.mark(Feature::StructParameter);
                    self.record_value(*index, here, depth)
                }
                Ty::Pointer(pointer) => self
                    .pointer_for(pointer, usize::MAX, here)
                    .unwrap_or_else(|| unreachable!("no argument for {pointer:?}")),
                Ty::Array(..) => unreachable!("arrays are passed as pointers"),
            };
            effects = effects.and(value.effects);
            texts.push(value.at(level::ASSIGN));
        }
        if let Some(depth) = signature.recursion_depth {
            let range = Interval::new(0, i128::from(depth));
            let value = self.int_for(&IntTy::ranged(IntKind::Int, range), cx.beside(effects), 1);
            effects = effects.and(value.effects);
            texts.push(value.at(level::ASSIGN));
        }
        (texts.join(", "), effects)
    }
}
