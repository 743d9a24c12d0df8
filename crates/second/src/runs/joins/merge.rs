//! Two states with the same control become one.
//!
//! The states `a` and `b` are sets: for inputs that satisfy `a.path`, the values of `a`. No inputs satisfy both paths.
//! The one made of them has, for inputs that satisfy `a.path`, the values of `a`, for those that satisfy `b.path` those
//! of `b`, and its path says that one of them is satisfied: nothing is added and nothing is lost. Where that can't be
//! said (pointers to different objects, an object that is there on one side only), there is no such state, and both
//! stay.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::pool::{Id, Sort};
use crate::runs::Runs;
use crate::runs::memory::Object;
use crate::runs::state::{Frame, PathState, Pointer, Thread, Value};

impl Runs<'_> {
    /// One state for two, which have the same control and whose paths exclude one another.
    pub(super) fn merge(&mut self, a: &PathState, b: &PathState) -> Option<PathState> {
        let pairs = a.path.iter().zip(&b.path);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        let (own, other) = (&a.path[shared..], &b.path[shared..]);
        let (is_a, conditions) = self.selector(own, other)?;
        let objects = self.merge_objects(is_a, &a.objects, &b.objects)?;
        let globals = self.merge_values(is_a, &a.globals, &b.globals, true)?;
        let pairs = a.threads.iter().zip(&b.threads);
        let mut threads = Vec::with_capacity(a.threads.len());
        for (a, b) in pairs {
            threads.push(self.merge_threads(is_a, a, b, &objects)?);
        }
        let mut path = a.path[..shared].to_vec();
        path.extend(conditions);
        let known = a.known.iter();
        let known = known.filter(|(word, bits)| b.known.get(word) == Some(bits));
        let mut events = a.events.clone();
        for (&site, &passed) in &b.events {
            // The next one is an input that neither of them has read.
            let most = events.entry(site).or_default();
            *most = passed.max(*most);
        }
        Some(PathState {
            globals,
            global_objects: a.global_objects.clone(),
            objects,
            threads,
            current: a.current,
            path,
            known: known.map(|(&word, &bits)| (word, bits)).collect(),
            events,
            is_approximate: a.is_approximate || b.is_approximate,
            model: None,
        })
    }

    /// What tells the inputs of the first from those of the second, given that one of them is satisfied; and conditions
    /// that say that one is. None if there is nothing to tell them by: paths of different states are never the same.
    fn selector(&mut self, own: &[Id], other: &[Id]) -> Option<(Id, Vec<Id>)> {
        let (&first, &second) = (own.first()?, other.first()?);
        let opposite = self.pool.not(first);
        if opposite == second {
            let (mine, theirs) = (
                self.pool.and(own.iter().copied().skip(1)),
                self.pool.and(other.iter().copied().skip(1)),
            );
            let conditions = [
                self.pool.or([opposite, mine]),
                self.pool.or([first, theirs]),
            ];
            let is_said = |id: &Id| self.pool.as_bool(*id) != Some(true);
            return Some((first, conditions.into_iter().filter(is_said).collect()));
        }
        let (mine, theirs) = (
            self.pool.and(own.iter().copied()),
            self.pool.and(other.iter().copied()),
        );
        Some((mine, vec![self.pool.or([mine, theirs])]))
    }

    fn choose(&mut self, is_a: Id, a: Value, b: Value) -> Option<Value> {
        match (a, b) {
            _ if a == b => Some(a),
            (Value::Scalar(a), Value::Scalar(b)) if self.pool.sort(a) == self.pool.sort(b) => {
                Some(Value::Scalar(self.select(is_a, a, b)))
            }
            (Value::Pointer(a), Value::Pointer(b)) if a.base == b.base => {
                let offset = self.select(is_a, a.offset, b.offset);
                let base = a.base;
                Some(Value::Pointer(Pointer { base, offset }))
            }
            _ => None,
        }
    }

    /// A choice; of truth values by `and` and `or`, which fold where one is known.
    fn select(&mut self, is_a: Id, a: Id, b: Id) -> Id {
        if self.pool.sort(a) != Sort::Bool || a == b {
            return self.pool.ite(is_a, a, b);
        }
        let is_b = self.pool.not(is_a);
        let (left, right) = (self.pool.or([is_b, a]), self.pool.or([is_a, b]));
        self.pool.and([left, right])
    }

    /// Values by key. A local variable that only one side has set is forgotten: nobody reads it before it is set.
    fn merge_values<K: Ord + Copy>(
        &mut self,
        is_a: Id,
        a: &BTreeMap<K, Value>,
        b: &BTreeMap<K, Value>,
        is_all: bool,
    ) -> Option<BTreeMap<K, Value>> {
        if is_all && a.len() != b.len() {
            return None;
        }
        let mut merged = BTreeMap::new();
        for (&key, &value) in a {
            match b.get(&key) {
                Some(&other) => _ = merged.insert(key, self.choose(is_a, value, other)?),
                None if is_all => return None,
                None => {}
            }
        }
        Some(merged)
    }

    fn merge_threads(
        &mut self,
        is_a: Id,
        a: &Thread,
        b: &Thread,
        objects: &[Rc<Object>],
    ) -> Option<Thread> {
        let mut frames = Vec::with_capacity(a.frames.len());
        for (a, b) in a.frames.iter().zip(&b.frames) {
            let locals = self.merge_values(is_a, &a.locals, &b.locals, false)?;
            // What is no longer there has no address.
            let lives = |number: &u32| objects[*number as usize].is_live;
            let of_a = a.objects.iter().filter(|(_, number)| lives(number));
            let of_b = b.objects.iter().filter(|(_, number)| lives(number));
            if !of_a.clone().eq(of_b) || a.allocations != b.allocations {
                return None;
            }
            let mut rounds = a.rounds.clone();
            for (&head, &count) in &b.rounds {
                let most = rounds.entry(head).or_default();
                *most = count.max(*most);
            }
            frames.push(Frame {
                locals,
                objects: of_a.map(|(&id, &number)| (id, number)).collect(),
                result: self.merge_options(is_a, a.result, b.result)?,
                rounds,
                ..a.clone()
            });
        }
        let result = self.merge_options(is_a, a.result, b.result)?;
        Some(Thread {
            frames,
            result,
            ..*a
        })
    }

    fn merge_options(
        &mut self,
        is_a: Id,
        a: Option<Value>,
        b: Option<Value>,
    ) -> Option<Option<Value>> {
        match (a, b) {
            (None, None) => Some(None),
            (Some(a), Some(b)) => self.choose(is_a, a, b).map(Some),
            _ => None,
        }
    }

    /// Objects by number. One side may have more, if those are no longer there: no address of the other side is one of
    /// theirs.
    fn merge_objects(
        &mut self,
        is_a: Id,
        a: &[Rc<Object>],
        b: &[Rc<Object>],
    ) -> Option<Vec<Rc<Object>>> {
        let common = a.len().min(b.len());
        let rest = [&a[common..], &b[common..]].concat();
        if rest.iter().any(|object| object.is_live) {
            return None;
        }
        let mut merged = Vec::with_capacity(common + rest.len());
        for (a, b) in a.iter().zip(b) {
            merged.push(match Rc::ptr_eq(a, b) || !(a.is_live || b.is_live) {
                true => a.clone(),
                false => Rc::new(self.merge_object(is_a, a, b)?),
            });
        }
        merged.extend(rest);
        Some(merged)
    }

    fn merge_object(&mut self, is_a: Id, a: &Object, b: &Object) -> Option<Object> {
        if !a.is_alike(b) {
            return None;
        }
        let others = b.cells().filter(|&(at, ..)| !a.has_cell_at(at));
        let mut merged = BTreeMap::new();
        for (at, size, value) in a.cells().chain(others) {
            let of_a = self.value_at(a, at, size, value)?;
            let of_b = self.value_at(b, at, size, value)?;
            merged.insert(at, (size, self.choose(is_a, of_a, of_b)?));
        }
        Some(a.with_cells(merged))
    }
}
