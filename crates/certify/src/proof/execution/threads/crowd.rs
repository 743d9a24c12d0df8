//! Any number of threads: each that is created stands for others like it.
//!
//! Right for programs that create threads without a bound, if nobody else gets to the objects of such a thread, nobody
//! waits for one of them, and what they share has few states.
//!
//! A state has the first thread, and a set of others, by where they stand and what they have in variables: *one* (at
//! most one thread stands so) or *many* (any number does, none included). A thread that leaves *many* leaves as many
//! behind; one that comes where another one is makes them many. So whatever threads there are in a run stand where the
//! state says that threads may stand: if a thread makes a step, there is one for it in the state that makes the same
//! step, and what holds of the others still does. Fewer threads than the state allows do nothing that more don't do,
//! since nobody waits for them and none has a number; so states that allow more stand for others ([`super::cover`]).
//!
//! Symbols in the variables and objects of *many* threads have other values in each of them, and nobody else has these
//! symbols: what becomes many, and a thread that leaves them, gets symbols of its own, with the conditions that speak of
//! nothing but these; other conditions are forgotten for it. One that leaves gets objects of its own as well. A thread
//! goes on after its step as long as no other one can see that: that is its own step as well, only earlier.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Budget, Symbol, Term};
use rhumb_program::{IntType, Position, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::segment::End;
use super::{AllSchedules, Found, Path, findings};
use crate::proof::execution::memory::{Content, Instance};
use crate::proof::execution::state::{Frame, PathState, Thread};
use crate::proof::execution::value::{Base, Value};

/// Steps that nobody sees and that a thread makes at once; it may stop before any of them.
const AT_ONCE: u32 = 256;

/// Ways that a thread goes at once. Where inputs decide how steps that nobody sees go on, each step can double them;
/// from here on they stop, and are compared with what was seen.
const WAYS: usize = 32;

/// Bytes of inputs that become a number.
const LARGEST: u64 = 16;

impl AllSchedules<'_> {
    /// Lets every thread make a step from here, one of many as well as one that is alone.
    pub(super) fn expand_crowd(&mut self, path: Path, budget: &Budget) {
        if self.is_part_of_another(&path) {
            return;
        }
        let threads: Vec<usize> = path.state.running().collect();
        let mut notes = Vec::new();
        for thread in threads {
            let mut from = path.clone();
            let number = match from.state.threads[thread].is_many {
                true => self.leave_many(&mut from, thread),
                false => thread,
            };
            let segments = self.segments(&from, number, budget);
            notes.push((path.state.threads[thread].is_many, segments.notes()));
            for segment in segments.list {
                let is_long = segment.touched.iter().any(|touch| touch.is_long);
                match segment.end {
                    _ if is_long => {
                        self.gives_up("an object that is copied by one of many threads", None)
                    }
                    End::Harmless => {}
                    End::Rests => self.rest(segment.path, number, budget),
                    // Perhaps only with more threads than there are.
                    End::Target(_) => self.gives_up("a target that many threads may reach", None),
                    End::Lost(what, position) => self.gives_up(&what, position),
                }
            }
        }
        if findings::may_race(&notes) {
            self.gives_up("a race of many threads", None);
        }
    }

    fn gives_up(&mut self, what: &str, position: Option<Position>) {
        self.pending.clear();
        self.found.push(Found::Lost(what.to_owned(), position));
    }

    /// The thread goes on as far as nobody sees it; what it comes to is a state.
    fn rest(&mut self, path: Path, thread: usize, budget: &Budget) {
        let mut waiting = vec![(path, 0)];
        let mut ways = 1;
        while let Some((path, steps)) = waiting.pop() {
            let goes_on = steps < AT_ONCE && ways < WAYS;
            if path.state.threads[thread].result.is_none() && goes_on {
                let segments = self.segments(&path, thread, budget);
                if segments.are_invisible() {
                    ways += segments.list.len() - 1;
                    let next = segments.list.into_iter();
                    waiting.extend(next.map(|segment| (segment.path, steps + 1)));
                    continue;
                }
            }
            match self.gathered(path) {
                Some(path) => self.add_crowd(path),
                None => self.gives_up("an object of one of many threads", None),
            }
        }
    }

    /// One thread of many goes: gives its number. Its symbols and objects are its own.
    fn leave_many(&mut self, path: &mut Path, thread: usize) -> usize {
        let mut one = path.state.threads[thread].clone();
        one.is_many = false;
        let mut copies: FxHashMap<u32, u32> = FxHashMap::default();
        for frame in &mut one.frames {
            let frame = Arc::make_mut(frame);
            for object in frame.objects.values_mut().chain(&mut frame.allocated) {
                let copy = path.state.instances[*object as usize].clone();
                let copy = path.state.add(copy);
                copies.insert(*object, copy);
                *object = copy;
            }
        }
        each_value(&mut path.state, &mut one, |value| {
            if let Value::Pointer(pointer) = value
                && let Base::Instance(object) = &mut pointer.base
                && let Some(&copy) = copies.get(object)
            {
                *object = copy;
            }
        });
        self.rename(path, &mut one);
        path.is_exact = false;
        path.state.threads.push(one);
        path.state.threads.len() - 1
    }

    /// Gives a thread symbols that nobody else has, with the conditions that speak of nothing but its own.
    fn rename(&self, path: &mut Path, thread: &mut Thread) {
        let terms = self.machine.terms.clone();
        let symbols = terms.symbols(mentioned(&path.state, thread));
        if symbols.is_empty() {
            return;
        }
        let own: FxHashSet<Symbol> = symbols.iter().copied().collect();
        let mut names = FxHashMap::default();
        for &symbol in &symbols {
            let copy = terms.fresh_copy(symbol);
            names.insert(symbol, terms.var(copy));
            if let Some(model) = &mut path.model
                && let Some(value) = model.get(&symbol).cloned()
            {
                model.insert(copy, value);
            }
        }
        let renew = |term: &mut Term| *term = terms.substitute(*term, &names);
        each_value(&mut path.state, thread, |value| {
            if let Some(term) = term_mut(value) {
                renew(term);
            }
        });
        for object in own_objects(thread) {
            for (_, content) in path.state.instances[object as usize].cells_mut() {
                if let Content::Number(number) = content {
                    renew(&mut number.term);
                }
            }
        }
        let is_own = |condition: &Term| {
            let symbols = terms.symbols([*condition]);
            symbols.iter().all(|symbol| own.contains(symbol))
        };
        let conditions = path.conditions.iter().copied().filter(is_own);
        let copies = conditions.map(|condition| terms.substitute(condition, &names));
        let copies: Vec<Term> = copies.collect();
        Arc::make_mut(&mut path.conditions).extend(copies);
    }

    /// The state in which threads that stand alike are one or many; none if one of them has something that can't be many.
    fn gathered(&mut self, mut path: Path) -> Option<Path> {
        let terms = self.machine.terms.clone();
        path.state.switch_to(0);
        let mut main = std::mem::take(&mut path.state.frames);
        self.forget_variables(&mut main);
        path.state.frames = main;
        let others = path.state.threads.split_off(1);
        let mut crowd: BTreeMap<u64, Thread> = BTreeMap::new();
        for mut thread in others {
            if thread.result.is_some() {
                continue;
            }
            self.forget_variables(&mut thread.frames);
            for frame in &mut thread.frames {
                let frame = Arc::make_mut(frame);
                let is_alive = |object: u32| path.state.instances[object as usize].is_alive;
                frame.objects.retain(|_, object| is_alive(*object));
                frame.allocated.retain(|object| is_alive(*object));
            }
            if !self.is_apart(&thread, &path) || !self.look_at_own(&thread, &mut path) {
                return None;
            }
            let key = self.keys.alone(
                &terms,
                &path.state,
                &thread.frames,
                &path.conditions,
                &self.globals,
            );
            let entry = crowd.remove(&key);
            thread.is_many |= entry.is_some();
            for object in entry.iter().flat_map(own_objects) {
                path.state.instances[object as usize].end();
            }
            if thread.is_many {
                // What is found out later of a value that others have, too, is found out of one of these threads only.
                self.rename(&mut path, &mut thread);
            }
            crowd.insert(key, thread);
        }
        path.state.threads.extend(crowd.into_values());
        Some(path)
    }

    /// Leaves out the variables that nobody looks at any more.
    fn forget_variables(&mut self, frames: &mut [Arc<Frame>]) {
        let depth = frames.len();
        for (index, frame) in frames.iter_mut().enumerate() {
            let frame = Arc::make_mut(frame);
            let kept = self.keys.looked_at(frame, index + 1 == depth);
            frame.variables.retain(|var, _| kept.contains(var));
        }
    }

    /// Whether nobody else gets to the objects of its calls, and everything that it has points to these and to globals.
    fn is_apart(&self, thread: &Thread, path: &Path) -> bool {
        let own: FxHashSet<u32> = own_objects(thread).collect();
        let instance = |object: &u32| -> &Instance { &path.state.instances[*object as usize] };
        let is_common = |value: &Value| match value {
            Value::Pointer(pointer) => match pointer.base {
                Base::Instance(object) => self.globals.contains(&object) || own.contains(&object),
                Base::Function(_) => true,
            },
            _ => true,
        };
        let mut values = thread
            .frames
            .iter()
            .flat_map(|frame| frame.variables.values());
        let mut in_objects = own.iter().flat_map(|object| instance(object).pointers());
        let is_private = own.iter().all(|object| !instance(object).is_shared);
        is_private && values.all(is_common) && in_objects.all(is_common)
    }

    /// Makes numbers of what a thread's objects have from inputs and nobody has looked at: each of many threads has
    /// inputs of its own. Gives whether that can be done.
    fn look_at_own(&mut self, thread: &Thread, path: &mut Path) -> bool {
        for object in own_objects(thread) {
            for (size, content) in path.state.instances[object as usize].cells_mut() {
                if !matches!(content, Content::Fresh(_)) {
                    continue;
                }
                if size > LARGEST {
                    return false;
                }
                let ty = Type::Int(IntType::unsigned(8 * size as u16));
                *content = Content::Number(self.machine.symbol("own", ty).1);
            }
        }
        Arc::make_mut(&mut path.conditions).append(&mut self.machine.assumed);
        true
    }
}

/// The objects of a thread's calls.
pub(super) fn own_objects(thread: &Thread) -> impl Iterator<Item = u32> {
    let frames = thread.frames.iter();
    frames.flat_map(|frame| frame.objects.values().chain(&frame.allocated).copied())
}

/// The terms in the variables and objects of a thread.
pub(super) fn mentioned(state: &PathState, thread: &Thread) -> Vec<Term> {
    let variables = (thread.frames.iter()).flat_map(|frame| frame.variables.values());
    let mut terms: Vec<Term> = variables.filter_map(term_of).collect();
    for object in own_objects(thread) {
        terms.extend(contained(&state.instances[object as usize]));
    }
    terms
}

/// The terms in an object.
pub(super) fn contained(instance: &Instance) -> impl Iterator<Item = Term> {
    let (_, cells) = instance.parts();
    cells.filter_map(|(_, _, content)| match content {
        Content::Number(number) => Some(number.term),
        Content::Whole(value) => term_of(value),
        Content::Fresh(_) => None,
    })
}

/// Changes the values in the variables of a thread, and the pointers in its objects.
fn each_value(state: &mut PathState, thread: &mut Thread, mut change: impl FnMut(&mut Value)) {
    for frame in &mut thread.frames {
        (Arc::make_mut(frame).variables.values_mut()).for_each(&mut change);
    }
    for object in own_objects(thread) {
        for (_, content) in state.instances[object as usize].cells_mut() {
            if let Content::Whole(value) = content {
                change(value);
            }
        }
    }
}

pub(super) fn term_of(value: &Value) -> Option<Term> {
    term_mut(&mut value.clone()).copied()
}

fn term_mut(value: &mut Value) -> Option<&mut Term> {
    match value {
        Value::Truth(term) => Some(term),
        Value::Number(number) => Some(&mut number.term),
        Value::Pointer(pointer) => Some(&mut pointer.offset.term),
        Value::Known(_) | Value::Wild | Value::Choice(_) => None,
    }
}
