//! One state for the runs of two, where these have come to one place.
//!
//! What differs is chosen by a condition that holds for the runs of one state and for none of the other's. So a run of
//! either state is an instance of the result, with the values that it has there. What nobody looks at any more is left
//! out. A pointer is one of several, each for one object; objects that only some of the runs have are there for the
//! others, too, where nothing leads to them ([`align`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Int, Term, Terms};
use rhumb_program::{IntType, Type, VarId};

use super::super::eval::Machine;
use super::super::memory::{Content, Instance, Parting};
use super::super::state::{Frame, Input, PathState};
use super::super::value::{Base, Choice, Pointer, Value};
use super::align;
use crate::proof::encode::number::Number;

impl Machine<'_> {
    /// The state of all runs of two states, the first ones of which `selector` holds for.
    pub(super) fn both(
        &mut self,
        selector: Term,
        mut a: PathState,
        mut b: PathState,
    ) -> Option<PathState> {
        let is_alike = a.threads.len() == b.threads.len()
            && (a.current, a.atomic) == (b.current, b.atomic)
            && a.others == b.others
            && a.frames.len() == b.frames.len();
        if !is_alike {
            return None;
        }
        align::align(&a, &mut b, self.asks_for_leaks)?;
        let mut frames = Vec::with_capacity(a.frames.len());
        for depth in 0..a.frames.len() {
            frames.push(self.both_frames(selector, &a, &b, depth)?);
        }
        let globals = match Arc::ptr_eq(&a.globals, &b.globals) {
            true => a.globals.clone(),
            false => Arc::new(self.both_globals(selector, &a, &b)?),
        };
        let instances = self.both_memories(selector, &mut a, &mut b)?;
        let mut occurrences = a.occurrences.clone();
        if !Arc::ptr_eq(&occurrences, &b.occurrences) {
            let passages = Arc::make_mut(&mut occurrences);
            for (&site, &count) in &*b.occurrences {
                let most = passages.entry(site).or_default();
                *most = count.max(*most);
            }
        }
        let mut fitting = a.fitting.clone();
        if !Arc::ptr_eq(&fitting, &b.fitting) {
            Arc::make_mut(&mut fitting).retain(|fits| b.fitting.contains(fits));
        }
        let mut pinned = a.pinned.clone();
        if !Arc::ptr_eq(&pinned, &b.pinned) {
            Arc::make_mut(&mut pinned).retain(|term, value| b.pinned.get(term) == Some(value));
        }
        Some(PathState {
            frames,
            globals,
            instances,
            occurrences,
            inputs: both_inputs(selector, &a.inputs, &b.inputs),
            fitting,
            pinned,
            ..a
        })
    }

    fn both_frames(
        &mut self,
        selector: Term,
        a: &PathState,
        b: &PathState,
        depth: usize,
    ) -> Option<Arc<Frame>> {
        let (mine, theirs) = (&a.frames[depth], &b.frames[depth]);
        if Arc::ptr_eq(mine, theirs) {
            return Some(mine.clone());
        }
        if mine.result != theirs.result || mine.allocated != theirs.allocated {
            return None;
        }
        // A caller waits before its call, whose arguments nobody will look at again.
        let result = a.frames.get(depth + 1).map(|callee| callee.result);
        let at = match result {
            Some(_) => {
                let cfa = &self.program.functions[mine.function].cfa;
                let &edge = cfa.outgoing(mine.location).first()?;
                cfa.edges[edge].target
            }
            None => mine.location,
        };
        let function = mine.function;
        let is_looked_at = |machine: &mut Self, var: VarId| {
            result != Some(Some(var)) && machine.merging.is_live(function, at, var)
        };
        let mut variables = mine.variables.clone();
        for (&var, value) in &mine.variables {
            let other = theirs.variables.get(&var);
            if other == Some(value) {
                continue;
            }
            let ty = self.program.vars[var].ty;
            let chosen = other.and_then(|other| self.either(selector, ty, value, other));
            match chosen {
                Some(chosen) => variables.insert(var, chosen),
                None if is_looked_at(self, var) => return None,
                None => variables.remove(&var),
            };
        }
        for var in theirs.variables.keys() {
            if !mine.variables.contains_key(var) && is_looked_at(self, *var) {
                return None;
            }
        }
        let mut objects = BTreeMap::new();
        for (&object, &instance) in &mine.objects {
            if theirs.objects.get(&object) == Some(&instance) {
                objects.insert(object, instance);
            } else if a.instances[instance as usize].is_alive {
                return None;
            }
        }
        for (object, &instance) in &theirs.objects {
            if !objects.contains_key(object) && b.instances[instance as usize].is_alive {
                return None;
            }
        }
        Some(Arc::new(Frame {
            variables,
            objects,
            ..Frame::clone(mine)
        }))
    }

    fn both_globals(
        &mut self,
        selector: Term,
        a: &PathState,
        b: &PathState,
    ) -> Option<BTreeMap<VarId, Value>> {
        let mut globals = (*a.globals).clone();
        for (&var, value) in &*a.globals {
            let other = b.globals.get(&var)?;
            if other != value {
                let ty = self.program.vars[var].ty;
                globals.insert(var, self.either(selector, ty, value, other)?);
            }
        }
        Some(globals)
    }

    fn both_memories(
        &mut self,
        selector: Term,
        a: &mut PathState,
        b: &mut PathState,
    ) -> Option<Vec<Instance>> {
        let common = a.instances.len().min(b.instances.len());
        // What the others never had is there for them, too, but nothing leads to it.
        let longer = [&a.instances, &b.instances][usize::from(b.instances.len() > common)];
        let rest = longer[common..].to_vec();
        let mut instances = Vec::with_capacity(common + rest.len());
        for number in 0..common {
            instances.push(self.both_objects(selector, a, b, number)?);
        }
        instances.extend(rest);
        Some(instances)
    }

    fn both_objects(
        &mut self,
        selector: Term,
        a: &mut PathState,
        b: &mut PathState,
        number: usize,
    ) -> Option<Instance> {
        loop {
            let (mine, theirs) = (&a.instances[number], &b.instances[number]);
            if !mine.is_like(theirs) {
                // Only one of them is known to its runs.
                return Some(if mine.is_alive { mine } else { theirs }.clone());
            }
            if !mine.is_alive || mine.has_same_contents(theirs) {
                return Some(mine.clone());
            }
            let terms = self.terms.clone();
            let joined = mine.joined(theirs, &terms, |a, b, size| {
                self.either_content(selector, a, b, size)
            });
            match joined {
                Ok(instance) => return Some(instance),
                Err(Parting::Different) => return None,
                Err(Parting::Unseen(in_first, offset, size)) => {
                    let state = if in_first { &mut *a } else { &mut *b };
                    self.bytes(state, number as u32, offset, size).ok()?;
                }
            }
        }
    }

    fn either_content(
        &mut self,
        selector: Term,
        a: &Content,
        b: &Content,
        size: u64,
    ) -> Option<Content> {
        if let (Content::Number(a), Content::Number(b)) = (a, b) {
            let (a, b) = (
                as_signed_as(a, b, size, self),
                as_signed_as(b, a, size, self),
            );
            return Some(Content::Number(self.either_number(selector, &a, &b)));
        }
        if size != Type::Ptr.size(self.program.data_model) {
            return None;
        }
        let (a, b) = (
            a.as_whole(&self.terms, size)?,
            b.as_whole(&self.terms, size)?,
        );
        let value = self.either(selector, Type::Ptr, &a, &b)?;
        Some(Content::Whole(value))
    }

    /// The first value where the selector holds, otherwise the second; none if that can't be said.
    pub(super) fn either(
        &mut self,
        selector: Term,
        ty: Type,
        a: &Value,
        b: &Value,
    ) -> Option<Value> {
        let model = self.program.data_model;
        let terms = self.terms.clone();
        match (a, b) {
            _ if a == b => Some(a.clone()),
            _ if ty == Type::Ptr => Some(self.either_pointer(selector, a, b)),
            (Value::Pointer(_) | Value::Wild | Value::Choice(_), _)
            | (_, Value::Pointer(_) | Value::Wild | Value::Choice(_)) => None,
            _ if ty == Type::Bool => {
                let (a, b) = (a.truth(&terms).ok()?, b.truth(&terms).ok()?);
                Some(Value::from_truth(&terms, terms.ite(selector, a, b)))
            }
            _ => {
                let a = a.number(&terms, ty, model).ok()?;
                let b = b.number(&terms, ty, model).ok()?;
                let number = self.either_number(selector, &a, &b);
                Some(Value::from_number(&terms, number, ty, model))
            }
        }
    }

    /// The first of two pointers where the selector holds, otherwise the second: one pointer for each thing that they
    /// may belong to.
    fn either_pointer(&mut self, selector: Term, a: &Value, b: &Value) -> Value {
        let terms = self.terms.clone();
        let not = terms.not(selector);
        let mut cases: Vec<(Term, Value)> = Vec::new();
        for (side, value) in [(selector, a), (not, b)] {
            for (condition, value) in cases_of(&terms, value) {
                let condition = terms.and([side, condition]);
                let known = cases
                    .iter_mut()
                    .find(|case| belong_together(&case.1, &value));
                match known {
                    Some(case) => {
                        case.1 = self.with_same_base(condition, &value, &case.1);
                        case.0 = terms.or([case.0, condition]);
                    }
                    None => cases.push((condition, value)),
                }
            }
        }
        match cases.len() {
            1 => cases.swap_remove(0).1,
            _ => Value::Choice(Choice(cases.into())),
        }
    }

    /// The first of two pointers that belong to the same thing where a condition holds, otherwise the second.
    fn with_same_base(&mut self, condition: Term, a: &Value, b: &Value) -> Value {
        let terms = self.terms.clone();
        match (a, b) {
            _ if a == b => a.clone(),
            (Value::Pointer(a), Value::Pointer(b)) => Value::Pointer(Pointer {
                base: a.base,
                offset: self.either_number(condition, &a.offset, &b.offset),
            }),
            _ => {
                let model = self.program.data_model;
                let (a, b) = (
                    a.number(&terms, Type::Ptr, model),
                    b.number(&terms, Type::Ptr, model),
                );
                match (a, b) {
                    (Ok(a), Ok(b)) => {
                        let number = self.either_number(condition, &a, &b);
                        Value::from_number(&terms, number, Type::Ptr, model)
                    }
                    _ => Value::Wild,
                }
            }
        }
    }

    fn either_number(&mut self, selector: Term, a: &Number, b: &Number) -> Number {
        Number {
            term: self.terms.ite(selector, a.term, b.term),
            range: a.range.hull(&b.range),
        }
    }
}

/// Pointers that a value may be, with conditions that exclude each other.
fn cases_of(terms: &Terms, value: &Value) -> Vec<(Term, Value)> {
    let Value::Choice(choice) = value else {
        return vec![(terms.bool(true), value.clone())];
    };
    let mut before = terms.bool(true);
    let mut cases = Vec::new();
    for (number, (condition, value)) in choice.0.iter().enumerate() {
        let is_last = number + 1 == choice.0.len();
        let here = match is_last {
            true => before,
            false => terms.and([before, *condition]),
        };
        cases.push((here, value.clone()));
        before = terms.and([before, terms.not(*condition)]);
    }
    cases
}

/// Whether two pointers belong to the same object or function, or both to none.
fn belong_together(a: &Value, b: &Value) -> bool {
    let base = |value: &Value| match value {
        Value::Pointer(Pointer { base, .. }) => Some(*base),
        _ => None::<Base>,
    };
    base(a) == base(b) && matches!(a, Value::Wild) == matches!(b, Value::Wild)
}

/// A constant as a number of the signed type if that is what it is put beside.
fn as_signed_as(number: &Number, beside: &Number, size: u64, machine: &Machine<'_>) -> Number {
    let is_constant = number.as_constant(&machine.terms).is_some();
    match is_constant && beside.range.low < Int::ZERO {
        true => number.clone().wrap(
            &machine.terms,
            IntType {
                width: 8 * size as u16,
                signed: true,
            },
        ),
        false => number.clone(),
    }
}

/// The inputs of a run of either state.
fn both_inputs(selector: Term, a: &Arc<Vec<Input>>, b: &Arc<Vec<Input>>) -> Arc<Vec<Input>> {
    if Arc::ptr_eq(a, b) {
        return a.clone();
    }
    let common = a.iter().zip(&**b).take_while(|(a, b)| a.is(b)).count();
    if common == a.len() && common == b.len() {
        return a.clone();
    }
    let mut inputs = a[..common].to_vec();
    let sides = [a[common..].to_vec(), b[common..].to_vec()];
    inputs.push(Input::Either(selector, sides.into()));
    Arc::new(inputs)
}
