//! Memory of the heap that should not be there any more, as far as that is known.

use std::collections::BTreeSet;

use rhumb_program::{Program, Roots};

use super::heap::{End, Kind, Owner, State, Value};

/// Whether there is no memory of the heap for certain.
pub(super) fn is_all_freed(state: &State) -> bool {
    let mut objects = state.objects.values();
    !state.may_be_lost && !objects.any(|object| object.kind == Kind::Heap)
}

/// Whether variables in scope lead to all memory of the heap for certain.
pub(super) fn is_nothing_lost(program: &Program, roots: &Roots<'_>, state: &State) -> bool {
    if state.may_be_lost {
        return false;
    }
    let mut values = Vec::new();
    values.extend(roots.globals().filter_map(|var| state.globals.get(&var)));
    let mut copies = BTreeSet::new();
    for frame in &state.frames {
        let cfa = &program.functions[frame.function].cfa;
        if let Some(&edge) = cfa.outgoing(frame.location).first() {
            let counting = roots.of(frame.function, edge);
            values.extend(counting.filter_map(|var| frame.variables.get(&var)));
        }
        // Copies of records that the front end made may or may not count.
        let unnamed = (frame.objects.iter())
            .filter(|(object, _)| program.objects[**object].decl.name.is_empty());
        copies.extend(unnamed.map(|(_, &number)| number));
    }
    let mut reached = BTreeSet::new();
    let declared = (state.objects.iter())
        .filter(|(number, object)| object.kind != Kind::Heap && !copies.contains(number));
    let mut todo: Vec<u32> = declared.map(|(&number, _)| number).collect();
    todo.extend(values.into_iter().filter_map(|&value| led_to(state, value)));
    while let Some(number) = todo.pop() {
        if !reached.insert(number) {
            continue;
        }
        let object = &state.objects[&number];
        todo.extend(
            object
                .contents
                .values()
                .filter_map(|value| led_to(state, value)),
        );
        if let Some(row) = &object.row {
            todo.extend(led_to(state, row.next));
            todo.extend(row.back.and_then(|_| led_to(state, row.prev)));
            // With several contents it is not known which of them are there; but what belongs to contents is there if
            // they are.
            for (place, contents) in row.contents.iter().enumerate() {
                let own = Some(Owner {
                    row: number,
                    contents: place,
                });
                let is_there =
                    |led: &u32| row.contents.len() == 1 || state.objects[led].owner == own;
                let led = contents.values().filter_map(|value| led_to(state, value));
                todo.extend(led.filter(is_there));
            }
        }
    }
    let mut heap = (state.objects.iter()).filter(|(_, object)| object.kind == Kind::Heap);
    heap.all(|(number, _)| reached.contains(number))
}

/// What a value leads to: of a row, all of it or nothing.
fn led_to(state: &State, value: Value) -> Option<u32> {
    let Value::Pointer(pointer) = value else {
        return None;
    };
    let is_all = match &state.objects[&pointer.object].row {
        Some(row) => pointer.end != End::Last || row.back.is_some(),
        None => true,
    };
    is_all.then_some(pointer.object)
}
