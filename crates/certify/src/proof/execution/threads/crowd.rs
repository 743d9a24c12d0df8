//! Any number of threads: each that is created stands for others like it.
//!
//! Right for programs that create threads without a bound, if these have no objects of their own, nobody waits for one
//! of them, and what they share has few states.
//!
//! A state has the first thread, and a set of others, by where they stand and what they have in variables: *one* (at
//! most one thread stands so) or *many* (any number does, none included). A thread that leaves *many* leaves as many
//! behind; one that comes where another one is makes them many. So whatever threads there are in a run stand where the
//! state says that threads may stand: if a thread makes a step, there is one for it in the state that makes the same
//! step, and what holds of the others still does. Fewer threads than the state allows do nothing that more don't do,
//! since nobody waits for them and none has a number.
//!
//! Symbols in the variables of *many* threads have other values in each of them, and nobody else has these symbols:
//! what becomes many, and a thread that leaves them, gets symbols of its own, with the conditions that speak of nothing
//! but these; other conditions are forgotten for it. A thread goes on after its step as long as no other one can see
//! that: that is its own step as well, only earlier.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Budget, Symbol, Term};
use rhumb_program::Position;
use rustc_hash::{FxHashMap, FxHashSet};

use super::key::Key;
use super::segment::End;
use super::{AllSchedules, Found, Path, findings};
use crate::proof::execution::state::{Frame, Thread};
use crate::proof::execution::value::{Base, Value};

/// Steps that nobody sees and that a thread makes at once; it may stop before any of them.
const AT_ONCE: u32 = 256;

/// Ways that a thread goes at once. Where inputs decide how steps that nobody sees go on, each step can double them;
/// from here on they stop, and are compared with what was seen.
const WAYS: usize = 32;

impl AllSchedules<'_> {
    /// Lets every thread make a step from here, one of many as well as one that is alone.
    pub(super) fn expand_crowd(&mut self, path: Path, budget: &Budget) {
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
                Some(mut path) => {
                    let key = self.key_of(&path);
                    path.conditions = Arc::new(self.keys.kept().to_vec());
                    self.add(path, key);
                }
                None => self.gives_up("an object of one of many threads", None),
            }
        }
    }

    /// One thread of many goes: gives its number. Its symbols are its own.
    fn leave_many(&mut self, path: &mut Path, thread: usize) -> usize {
        let mut one = path.state.threads[thread].clone();
        one.is_many = false;
        self.rename(path, &mut one);
        path.is_exact = false;
        path.state.threads.push(one);
        path.state.threads.len() - 1
    }

    /// Gives a thread symbols that nobody else has, with the conditions that speak of nothing but its own.
    fn rename(&self, path: &mut Path, thread: &mut Thread) {
        let terms = self.machine.terms.clone();
        let mut mentioned: Vec<Term> = Vec::new();
        for frame in &thread.frames {
            for value in frame.variables.values() {
                mentioned.extend(term_of(value));
            }
        }
        let symbols = terms.symbols(mentioned);
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
        for frame in &mut thread.frames {
            for value in Arc::make_mut(frame).variables.values_mut() {
                if let Some(term) = term_mut(value) {
                    *term = terms.substitute(*term, &names);
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
        let others = path.state.threads.split_off(1);
        let mut crowd: BTreeMap<Key, Thread> = BTreeMap::new();
        for mut thread in others {
            if thread.result.is_some() {
                continue;
            }
            let depth = thread.frames.len();
            for (index, frame) in thread.frames.iter_mut().enumerate() {
                let frame = Arc::make_mut(frame);
                let kept = self.keys.looked_at(frame, index + 1 == depth);
                frame.variables.retain(|var, _| kept.contains(var));
                if !self.has_nothing_of_its_own(frame, &path) {
                    return None;
                }
                frame.objects.clear();
                frame.allocated.clear();
            }
            let key = self.keys.alone(&terms, &thread.frames, &path.conditions);
            let (entry, is_many) = (crowd.remove(&key), thread.is_many);
            thread.is_many = is_many || entry.is_some();
            if thread.is_many {
                // What is found out later of a value that others have, too, is found out of one of these threads only.
                self.rename(&mut path, &mut thread);
            }
            crowd.insert(key, thread);
        }
        path.state.threads.extend(crowd.into_values());
        Some(path)
    }

    /// Whether no object lives as long as the call, and its variables point to globals only.
    fn has_nothing_of_its_own(&self, frame: &Frame, path: &Path) -> bool {
        let mut objects = frame.objects.values().chain(&frame.allocated);
        let is_dead = |&object: &u32| !path.state.instances[object as usize].is_alive;
        let is_common = |value: &Value| match value {
            Value::Pointer(pointer) => match pointer.base {
                Base::Instance(object) => self.globals.contains(&object),
                Base::Function(_) => true,
            },
            _ => true,
        };
        objects.all(is_dead) && frame.variables.values().all(is_common)
    }
}

fn term_of(value: &Value) -> Option<Term> {
    term_mut(&mut value.clone()).copied()
}

fn term_mut(value: &mut Value) -> Option<&mut Term> {
    match value {
        Value::Truth(term) => Some(term),
        Value::Number(number) => Some(&mut number.term),
        Value::Pointer(pointer) => Some(&mut pointer.offset.term),
        Value::Known(_) | Value::Wild => None,
    }
}
