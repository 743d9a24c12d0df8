//! When two states are the same but for names, and what of numbers is remembered.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_program::{Program, Type};
use rustc_hash::FxHashMap;

use super::heap::{Kind, Pointer, State, Value};

/// Values of one number that are told apart at a loop; then it may be anything there.
const MAX_VALUES: usize = 9;

impl State {
    /// The same with objects numbered in the order in which variables lead to them; what nothing leads to is left out.
    pub(super) fn renamed(mut self) -> State {
        let mut order: Vec<u32> = Vec::new();
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let see = |number: u32, order: &mut Vec<u32>, numbers: &mut FxHashMap<u32, u32>| {
            numbers.entry(number).or_insert_with(|| {
                order.push(number);
                (order.len() - 1) as u32
            });
        };
        let frames = self.frames.iter();
        let locals = frames.flat_map(|frame| frame.objects.values().chain(&frame.allocated));
        for &number in self.statics.values().chain(locals) {
            see(number, &mut order, &mut numbers);
        }
        for value in self.roots() {
            if let Value::Pointer(pointer) = value {
                see(pointer.object, &mut order, &mut numbers);
            }
        }
        let mut next = 0;
        while let Some(&number) = order.get(next) {
            next += 1;
            for value in self.objects[&number].values() {
                if let Value::Pointer(pointer) = value {
                    see(pointer.object, &mut order, &mut numbers);
                }
            }
        }
        let mut left = self
            .objects
            .iter()
            .filter(|entry| !numbers.contains_key(entry.0));
        self.may_be_lost |= left.any(|(_, object)| object.kind == Kind::Heap);
        let mut objects = BTreeMap::new();
        for (new, old) in order.iter().enumerate() {
            if let Some(object) = self.objects.remove(old) {
                objects.insert(new as u32, object);
            }
        }
        self.objects = objects;
        self.retarget(|pointer| {
            Value::Pointer(Pointer {
                object: numbers[&pointer.object],
                ..pointer
            })
        });
        let frames = self.frames.iter_mut();
        let locals =
            frames.flat_map(|frame| frame.objects.values_mut().chain(&mut frame.allocated));
        for number in self.statics.values_mut().chain(locals) {
            *number = numbers[number];
        }
        for owner in self
            .objects
            .values_mut()
            .flat_map(|object| &mut object.owner)
        {
            owner.row = numbers[&owner.row];
        }
        self
    }

    /// The numbers in a state, in an order that depends on the rest of it only, to be changed.
    fn numbers_mut(&mut self, program: &Program) -> Vec<&mut Value> {
        let is_number = |ty: Type| ty != Type::Ptr;
        let mut found = Vec::new();
        let frames = self.frames.iter_mut();
        let variables = frames.flat_map(|frame| &mut frame.variables);
        for (var, value) in self.globals.iter_mut().chain(variables) {
            if is_number(program.vars[*var].ty) {
                found.push(value);
            }
        }
        for object in self.objects.values_mut() {
            let rows = object.row.iter_mut().flat_map(|row| &mut row.contents);
            let contents = [&mut object.contents].into_iter().chain(rows);
            let cells = contents.flat_map(|contents| contents.cells.values_mut());
            found.extend(
                cells
                    .filter(|cell| is_number(cell.ty))
                    .map(|cell| &mut cell.value),
            );
        }
        found
    }

    /// Takes the numbers out of a state, so that the rest can be compared.
    fn split(&self, program: &Program) -> (State, Vec<Value>) {
        let mut rest = self.clone();
        let numbers = rest.numbers_mut(program);
        let values = numbers
            .into_iter()
            .map(|value| std::mem::replace(value, Value::Any));
        let values = values.collect();
        (rest, values)
    }
}

/// The states that were seen: for each that differs in more than numbers, what the numbers were.
#[derive(Default)]
pub(super) struct Seen {
    states: FxHashMap<State, Numbers>,
}

#[derive(Default)]
struct Numbers {
    seen: Vec<Vec<Value>>,
    /// For each number the values that it had.
    values: Vec<BTreeSet<Value>>,
}

impl Seen {
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Adds a state, unless one was seen that stands for it. At the head of a loop, numbers that have had many values
    /// may be anything: gives the state to go on with.
    pub(super) fn add(
        &mut self,
        program: &Program,
        mut state: State,
        widens: bool,
    ) -> Option<State> {
        let (rest, mut values) = state.split(program);
        let numbers = self.states.entry(rest).or_default();
        let covers = |seen: &Vec<Value>, values: &[Value]| {
            (seen.iter().zip(values)).all(|(old, &new)| old.covers(new))
        };
        if numbers.seen.iter().any(|seen| covers(seen, &values)) {
            return None;
        }
        if widens {
            numbers.values.resize(values.len(), BTreeSet::new());
            for (value, had) in values.iter_mut().zip(&mut numbers.values) {
                if had.len() <= MAX_VALUES {
                    had.insert(*value);
                }
                if had.len() > MAX_VALUES {
                    *value = Value::Any;
                }
            }
            if numbers.seen.iter().any(|seen| covers(seen, &values)) {
                return None;
            }
            for (place, value) in state.numbers_mut(program).into_iter().zip(&values) {
                *place = *value;
            }
        }
        numbers.seen.retain(|seen| !covers(&values, seen));
        numbers.seen.push(values);
        Some(state)
    }
}
