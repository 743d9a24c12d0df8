//! Memory of the heap that should not be there any more.

use rhumb_program::{Leak, Type};

use super::eval::Machine;
use super::memory::Kind;
use super::state::PathState;
use super::value::{Base, Value};

impl Machine<'_> {
    /// Whether there is memory of the heap of which this is true; none if that can't be said: copies of records that
    /// the front end made may or may not count, and a pointer that is not known may lead anywhere.
    pub(super) fn leaks(&self, state: &PathState, leak: Leak) -> Option<bool> {
        let heap = || {
            let instances = state.instances.iter().enumerate();
            instances.filter(|(_, it)| it.is_alive && it.kind == Kind::Heap)
        };
        if leak == Leak::Unfreed {
            return Some(heap().next().is_some());
        }
        let mut reach = Reach {
            state,
            reached: vec![false; state.instances.len()],
            todo: Vec::new(),
            is_open: false,
        };
        for var in self.roots.globals() {
            reach.lead(state.globals.get(&var));
        }
        let mut copies = Vec::new();
        for frame in &state.frames {
            let cfa = &self.program.functions[frame.function].cfa;
            if let Some(&edge) = cfa.outgoing(frame.location).first() {
                for var in self.roots.of(frame.function, edge) {
                    debug_assert_eq!(self.program.vars[var].ty, Type::Ptr);
                    reach.lead(frame.variables.get(&var));
                }
            }
            let unnamed = frame
                .objects
                .iter()
                .filter(|(object, _)| self.program.objects[**object].decl.name.is_empty());
            copies.extend(unnamed.map(|(_, &instance)| instance as usize));
        }
        for (number, instance) in state.instances.iter().enumerate() {
            if instance.is_alive && instance.kind != Kind::Heap && !copies.contains(&number) {
                reach.add(number);
            }
        }
        reach.follow();
        let is_lost = |reach: &Reach<'_>| heap().any(|(number, _)| !reach.reached[number]);
        if !is_lost(&reach) {
            return Some(false);
        }
        for copy in copies {
            reach.add(copy);
        }
        reach.follow();
        (!reach.is_open && is_lost(&reach)).then_some(true)
    }
}

/// What can be reached.
struct Reach<'s> {
    state: &'s PathState,
    reached: Vec<bool>,
    todo: Vec<usize>,
    /// Whether something that was seen may lead anywhere.
    is_open: bool,
}

impl Reach<'_> {
    fn add(&mut self, number: usize) {
        let is_alive = self.state.instances[number].is_alive;
        if is_alive && !std::mem::replace(&mut self.reached[number], true) {
            self.todo.push(number);
        }
    }

    fn lead(&mut self, value: Option<&Value>) {
        match value {
            Some(Value::Pointer(pointer)) => {
                if let Base::Instance(number) = pointer.base {
                    self.add(number as usize);
                }
            }
            Some(Value::Wild | Value::Choice(_)) => self.is_open = true,
            Some(Value::Known(_) | Value::Truth(_) | Value::Number(_)) | None => {}
        }
    }

    fn follow(&mut self) {
        let state = self.state;
        while let Some(number) = self.todo.pop() {
            for value in state.instances[number].pointers() {
                self.lead(Some(value));
            }
        }
    }
}
