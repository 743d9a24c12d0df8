//! Rows become objects again, one at a time.
//!
//! A row stands for any objects n₁ … nₖ, k ≥ 1, all different and alive, of one size, for which: each has at `link` a
//! pointer to `head` in the next one, the last one has `next` there; if there is `back`, each has there a pointer to
//! `head` in the one before, the first one has `prev`; and what else is in each of them is one of the row's contents.
//! Pointers in a state are to the first or to the last of them; no value of the state is a pointer to one between.
//!
//! What belongs to contents of a row is there once for each object with these contents, and alive; pointers to it are
//! in that object and in what belongs to it, too. Such a pointer means the object's own one.

use std::collections::BTreeMap;

use rhumb_program::Type;

use super::heap::{Cell, Contents, End, Kind, Object, Owner, Pointer, Row, State, Value};

impl State {
    /// The states in which the object at one end of a row stands alone.
    pub(super) fn unfolded(&self, number: u32, end: End) -> Vec<State> {
        let Some(row) = self.objects[&number].row.clone() else {
            return vec![self.clone()];
        };
        let mut states = Vec::new();
        for chosen in 0..row.contents.len() {
            states.push(self.alone(number, &row, chosen));
            states.push(self.apart(number, &row, chosen, end));
        }
        states
    }

    /// All that belongs to a row, or only to some contents of it, directly or not.
    pub(super) fn belonging(&self, row: u32, contents: Option<usize>) -> Vec<u32> {
        let is_direct = |owner: Owner| {
            owner.row == row && contents.is_none_or(|contents| contents == owner.contents)
        };
        let mut found: Vec<u32> = Vec::new();
        loop {
            let before = found.len();
            for (&number, object) in &self.objects {
                let belongs = object
                    .owner
                    .is_some_and(|owner| is_direct(owner) || found.contains(&owner.row));
                if belongs && !found.contains(&number) {
                    found.push(number);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// An object of a row with these contents, without links, and with its own copy of what belongs to it.
    fn taken_out(&mut self, number: u32, row: &Row, chosen: usize) -> u32 {
        let belonging = self.belonging(number, Some(chosen));
        let single = self.add(Object {
            contents: row.contents[chosen].clone(),
            row: None,
            ..self.objects[&number].clone()
        });
        let mut copies: BTreeMap<u32, u32> = BTreeMap::new();
        for &old in &belonging {
            let copy = self.objects[&old].clone();
            copies.insert(old, self.add(copy));
        }
        let renamed = |value: &mut Value| {
            if let Value::Pointer(pointer) = value {
                if pointer.object == number && pointer.end == End::Own {
                    (pointer.object, pointer.end) = (single, End::First);
                } else if let Some(&copy) = copies.get(&pointer.object) {
                    pointer.object = copy;
                }
            }
        };
        for changed in copies.values().chain([&single]) {
            if let Some(object) = self.objects.get_mut(changed) {
                object.values_mut().for_each(renamed);
                object.owner = object.owner.and_then(|owner| {
                    let row = *copies.get(&owner.row)?;
                    Some(Owner { row, ..owner })
                });
            }
        }
        single
    }

    fn link(&mut self, single: u32, row: &Row, next: Value, prev: Value) {
        if let Some(object) = self.objects.get_mut(&single) {
            let cell = |value: Value| Cell {
                ty: Type::Ptr,
                value,
            };
            object.contents.cells.insert(row.link, cell(next));
            if let Some(back) = row.back {
                object.contents.cells.insert(back, cell(prev));
            }
        }
    }

    /// The row has one object.
    fn alone(&self, number: u32, row: &Row, chosen: usize) -> State {
        let mut state = self.clone();
        let single = state.taken_out(number, row, chosen);
        for gone in state.belonging(number, None) {
            state.objects.remove(&gone);
        }
        state.objects.remove(&number);
        state.link(single, row, row.next, row.prev);
        state.retarget(|pointer| {
            Value::Pointer(match pointer.object == number {
                true => Pointer {
                    object: single,
                    end: End::First,
                    ..pointer
                },
                false => pointer,
            })
        });
        state
    }

    /// The row has more: the object at one end stands alone, the others are a row.
    fn apart(&self, number: u32, row: &Row, chosen: usize, end: End) -> State {
        let mut state = self.clone();
        let single = state.taken_out(number, row, chosen);
        // Pointers from outside, before there are any between the two parts.
        state.retarget(|pointer| {
            Value::Pointer(match pointer.object == number && pointer.end == end {
                true => Pointer {
                    object: single,
                    end: End::First,
                    ..pointer
                },
                false => pointer,
            })
        });
        let to = |object: u32, end: End| {
            Value::Pointer(Pointer {
                object,
                end,
                offset: Some(row.head),
            })
        };
        let Some(rest) = (state.objects.get_mut(&number)).and_then(|object| object.row.as_mut())
        else {
            return state;
        };
        let (next, prev) = match end {
            End::Last => (rest.next, to(number, End::Last)),
            End::First | End::Own => (to(number, End::First), rest.prev),
        };
        match end {
            End::Last => rest.next = to(single, End::First),
            End::First | End::Own if row.back.is_some() => rest.prev = to(single, End::First),
            End::First | End::Own => {}
        }
        state.link(single, row, next, prev);
        state
    }
}

/// What tells contents of an object, and what belongs to it, from others, but for numbers: the objects in the order in
/// which pointers lead to them, and for each what is in it.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    contents: Contents,
    belonging: Vec<Object>,
}

impl Pattern {
    /// Of contents to which these objects belong; and these objects in the order in which pointers lead to them. None if
    /// there is one to which no pointer leads.
    pub(super) fn of(
        state: &State,
        row: u32,
        contents: &Contents,
        belonging: &[u32],
    ) -> Option<(Pattern, Vec<u32>)> {
        let mut order: Vec<u32> = Vec::new();
        let mut next = 0;
        let mut values: Vec<Value> = contents.values().collect();
        loop {
            for value in values.drain(..) {
                if let Value::Pointer(pointer) = value
                    && belonging.contains(&pointer.object)
                    && !order.contains(&pointer.object)
                {
                    order.push(pointer.object);
                }
            }
            let Some(number) = order.get(next) else {
                break;
            };
            next += 1;
            values.extend(state.objects[number].values());
        }
        if order.len() != belonging.len() {
            return None;
        }
        // Names of its own, that no other object has.
        const OWN: u32 = u32::MAX;
        let own = |number: u32| match order.iter().position(|&known| known == number) {
            Some(place) => OWN - 1 - place as u32,
            None if number == row => OWN,
            None => number,
        };
        let erased = |contents: &mut Contents| {
            for cell in contents.cells.values_mut() {
                match &mut cell.value {
                    Value::Pointer(pointer) => pointer.object = own(pointer.object),
                    number if cell.ty != Type::Ptr => *number = Value::Any,
                    _ => {}
                }
            }
        };
        let mut pattern = Pattern {
            contents: contents.clone(),
            belonging: order
                .iter()
                .map(|number| state.objects[number].clone())
                .collect(),
        };
        erased(&mut pattern.contents);
        for object in &mut pattern.belonging {
            erased(&mut object.contents);
            if let Some(row) = &mut object.row {
                row.contents.iter_mut().for_each(erased);
                for value in [&mut row.next, &mut row.prev] {
                    if let Value::Pointer(pointer) = value {
                        pointer.object = own(pointer.object);
                    }
                }
            }
            // Who belongs directly says so by itself; what belongs to that says to which.
            object.owner = object.owner.map(|owner| Owner {
                row: own(owner.row),
                contents: if owner.row == row { 0 } else { owner.contents },
            });
        }
        Some((pattern, order))
    }
}

/// Whether an object may be one of a row.
pub(super) fn may_be_in_row(object: &Object) -> bool {
    object.kind == Kind::Heap && object.size.is_some() && object.owner.is_none()
}
