//! The same numbers for the same objects in two states that are to become one.
//!
//! A number is a name that a run gives an object; any other name that none of its objects has does as well. Objects
//! that have one number in both states become one, if all but their contents is the same; others get numbers that the
//! other state doesn't use.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::memory::{Content, Instance, Kind};
use super::super::state::PathState;
use super::super::value::{Base, Choice, Value};

/// Renames the objects of the second state; none if there is no way, or if the memory of the heap is to be the same in
/// both and isn't.
pub(super) fn align(a: &PathState, b: &mut PathState, same_heap: bool) -> Option<()> {
    let names = names(a, b)?;
    if same_heap && !has_same_heap(a, b, &names) {
        return None;
    }
    let is_renamed = names
        .iter()
        .enumerate()
        .any(|(old, &new)| old as u32 != new);
    if is_renamed {
        rename(b, &names);
    }
    Some(())
}

/// The new number of each object of the second state.
fn names(a: &PathState, b: &PathState) -> Option<Vec<u32>> {
    // Objects of the same call with the same name are the same.
    let mut forced: FxHashMap<u32, u32> = FxHashMap::default();
    for (mine, theirs) in a.frames.iter().zip(&b.frames) {
        if Arc::ptr_eq(mine, theirs) {
            continue;
        }
        if mine.allocated.len() != theirs.allocated.len() {
            return None;
        }
        let objects = theirs.objects.iter().filter_map(|(object, &theirs)| {
            let mine = *mine.objects.get(object)?;
            Some((mine, theirs))
        });
        let allocated = mine
            .allocated
            .iter()
            .copied()
            .zip(theirs.allocated.iter().copied());
        for (mine, theirs) in objects.chain(allocated) {
            let are_alive = [&a.instances[mine as usize], &b.instances[theirs as usize]]
                .iter()
                .any(|it| it.is_alive);
            if are_alive {
                forced.insert(theirs, mine);
            }
        }
    }
    let targets: FxHashSet<u32> = forced.values().copied().collect();
    if targets.len() != forced.len() {
        return None;
    }
    let mut next = a.instances.len().max(b.instances.len()) as u32;
    let mut names = Vec::with_capacity(b.instances.len());
    for (number, theirs) in (0..).zip(&b.instances) {
        names.push(
            match (forced.get(&number), a.instances.get(number as usize)) {
                (Some(&name), _) => {
                    if !a.instances[name as usize].is_like(theirs) {
                        return None;
                    }
                    name
                }
                (None, mine) if !targets.contains(&number) && fits(mine, theirs) => number,
                _ => {
                    next += 1;
                    next - 1
                }
            },
        );
    }
    Some(names)
}

/// Whether an object may have the number of another state's object.
fn fits(mine: Option<&Instance>, theirs: &Instance) -> bool {
    mine.is_none_or(|mine| mine.is_like(theirs) || !mine.is_alive && !theirs.is_alive)
}

/// Whether both have the same memory of the heap.
fn has_same_heap(a: &PathState, b: &PathState, names: &[u32]) -> bool {
    let is_heap = |it: &Instance| it.is_alive && it.kind == Kind::Heap;
    let count = |state: &PathState| state.instances.iter().filter(|it| is_heap(it)).count();
    let theirs = b.instances.iter().zip(names).filter(|(it, _)| is_heap(it));
    let mut common = theirs.filter_map(|(_, &name)| a.instances.get(name as usize));
    count(a) == count(b) && common.by_ref().filter(|it| is_heap(it)).count() == count(a)
}

fn rename(state: &mut PathState, names: &[u32]) {
    let mut instances = std::mem::take(&mut state.instances);
    let count = names
        .iter()
        .map(|&name| name as usize + 1)
        .max()
        .unwrap_or(0);
    let mut renamed: Vec<Option<Instance>> = vec![None; count];
    for instance in &mut instances {
        for (_, content) in instance.cells_with_pointers() {
            if let Content::Whole(value) = content {
                rename_value(value, names);
            }
        }
    }
    for (instance, &name) in instances.into_iter().zip(names) {
        renamed[name as usize] = Some(instance);
    }
    state.instances = renamed
        .into_iter()
        .map(|instance| instance.unwrap_or_else(Instance::gone))
        .collect();
    for frame in &mut state.frames {
        let frame = Arc::make_mut(frame);
        frame
            .variables
            .values_mut()
            .for_each(|it| rename_value(it, names));
        frame
            .objects
            .values_mut()
            .for_each(|it| *it = names[*it as usize]);
        frame
            .allocated
            .iter_mut()
            .for_each(|it| *it = names[*it as usize]);
    }
    let holds_pointers = state
        .globals
        .values()
        .any(|it| matches!(it, Value::Pointer(_) | Value::Choice(_)));
    if holds_pointers {
        let globals = Arc::make_mut(&mut state.globals);
        globals.values_mut().for_each(|it| rename_value(it, names));
    }
}

fn rename_value(value: &mut Value, names: &[u32]) {
    match value {
        Value::Pointer(pointer) => {
            if let Base::Instance(number) = &mut pointer.base {
                *number = names[*number as usize];
            }
        }
        Value::Choice(Choice(cases)) => {
            for (_, value) in Arc::make_mut(cases) {
                rename_value(value, names);
            }
        }
        Value::Known(_) | Value::Truth(_) | Value::Number(_) | Value::Wild => {}
    }
}
