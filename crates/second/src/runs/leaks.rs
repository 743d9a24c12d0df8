//! Memory of the heap that nothing leads to any more, or that is still there.

use rhumb_program::{EdgeId, FuncId, Leak, Roots};

use super::Runs;
use super::state::{Base, Halt, PathState, Value};

/// What can be reached from variables and from objects that have names.
struct Reach<'s> {
    state: &'s PathState,
    is_reached: Vec<bool>,
    todo: Vec<u32>,
    /// Whether there is a pointer of which nobody knows where it leads.
    is_open: bool,
}

impl Reach<'_> {
    fn object(&mut self, number: u32) {
        let is_live = self.state.objects[number as usize].is_live;
        if is_live && !std::mem::replace(&mut self.is_reached[number as usize], true) {
            self.todo.push(number);
        }
    }

    fn value(&mut self, value: &Value) {
        if let Value::Pointer(pointer) = value {
            match pointer.base {
                Base::Object(number) => self.object(number),
                Base::Anywhere => self.is_open = true,
                Base::Nothing | Base::Function(_) => {}
            }
        }
    }

    /// Follows pointers to their end, and says whether some memory of the heap was not reached.
    fn misses(&mut self) -> bool {
        let state = self.state;
        while let Some(number) = self.todo.pop() {
            state.objects[number as usize]
                .values()
                .for_each(|value| self.value(value));
        }
        let mut objects = state.objects.iter().zip(&self.is_reached);
        objects.any(|(object, is_reached)| object.is_live && object.is_heap && !is_reached)
    }
}

impl Runs<'_> {
    /// Whether there is memory of the heap of which this is true.
    pub(super) fn leaks(&self, state: &PathState, leak: Leak) -> Result<bool, Halt> {
        if leak == Leak::Unfreed {
            let mut objects = state.objects.iter();
            return Ok(objects.any(|object| object.is_live && object.is_heap));
        }
        let roots = Roots::new(self.program);
        let mut reach = Reach {
            state,
            is_reached: vec![false; state.objects.len()],
            todo: Vec::new(),
            is_open: false,
        };
        for var in roots.globals() {
            state
                .globals
                .get(&var)
                .into_iter()
                .for_each(|v| reach.value(v));
        }
        let mut unnamed = Vec::new();
        for thread in &state.threads {
            for frame in &thread.frames {
                if let Some(edge) = self.under_way(frame.function, frame.call, frame.at) {
                    for var in roots.of(frame.function, edge) {
                        let value = frame.locals.get(&var);
                        value.into_iter().for_each(|value| reach.value(value));
                    }
                }
                let objects = frame.objects.iter();
                let copies =
                    objects.filter(|(id, _)| self.program.objects[**id].decl.name.is_empty());
                unnamed.extend(copies.map(|(_, &number)| number));
            }
        }
        for (number, object) in state.objects.iter().enumerate() {
            let number = number as u32;
            if !object.is_heap && !unnamed.contains(&number) {
                reach.object(number);
            }
        }
        if !reach.misses() {
            return Ok(false);
        }
        // Whether copies that nobody wrote hold memory, is not said; nor where unknown pointers lead.
        unnamed.into_iter().for_each(|number| reach.object(number));
        match reach.misses() && !reach.is_open {
            true => Ok(true),
            false => Err(Halt::undecided("whether memory is lost is not known")),
        }
    }

    /// The edge that an activation is at: the call that it waits for, or the next one.
    fn under_way(
        &self,
        function: FuncId,
        call: Option<EdgeId>,
        at: rhumb_program::LocId,
    ) -> Option<EdgeId> {
        let cfa = &self.program.functions[function].cfa;
        call.or_else(|| cfa.outgoing(at).first().copied())
    }
}
