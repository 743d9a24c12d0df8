//! Where a run whose inputs are left open stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Int, Symbol, Term};
use rhumb_program::{FuncId, InputSiteId, IntType, LocId, ObjectId, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::{Instance, Source};
use super::value::Value;

/// A state of a run. Copies share what they have in common.
#[derive(Clone, Debug)]
pub(super) struct PathState {
    /// The calls under way; the last one goes on.
    pub(super) frames: Vec<Arc<Frame>>,
    pub(super) globals: Arc<BTreeMap<VarId, Value>>,
    /// All objects there ever were.
    pub(super) instances: Vec<Instance>,
    /// The objects of others, in the order in which they were made.
    pub(super) others: Vec<u32>,
    /// How often the sites of inputs were passed.
    pub(super) occurrences: Arc<FxHashMap<InputSiteId, u64>>,
    /// The inputs that have a symbol, in order.
    pub(super) inputs: Arc<Vec<Input>>,
    /// Exact results of operations that were found to fit a type.
    pub(super) fitting: Arc<FxHashSet<(Term, IntType)>>,
    /// Numbers that this run knows the value of, because it was told apart from the runs with other values.
    pub(super) pinned: Arc<FxHashMap<Term, Int>>,
    /// The threads, by number.
    pub(super) threads: Vec<Thread>,
    /// The one whose calls `frames` has.
    pub(super) current: usize,
    /// How many parts in which no other thread goes on have begun.
    pub(super) atomic: u32,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    /// The calls under way while others go on.
    pub(super) frames: Vec<Arc<Frame>>,
    /// With what it has ended.
    pub(super) result: Option<Value>,
    /// Whether it stands for any number of threads, none included.
    pub(super) is_many: bool,
}

/// A call under way.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) function: FuncId,
    pub(super) location: LocId,
    pub(super) variables: BTreeMap<VarId, Value>,
    /// The newest instance of each local object.
    pub(super) objects: BTreeMap<ObjectId, u32>,
    /// What was allocated until the function returns.
    pub(super) allocated: Vec<u32>,
    /// Where the caller wants the result.
    pub(super) result: Option<VarId>,
}

/// An input that was looked at, or some of them.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// The value at a passage of a site.
    Value {
        site: InputSiteId,
        symbol: Symbol,
        ty: Type,
    },
    /// Bytes at a passage of a site: so many, as an unsigned number.
    Bytes {
        source: Source,
        size: u64,
        symbol: Symbol,
    },
    /// A passage of a site of bytes, with the number that it has among all of them.
    Passage { site: InputSiteId, number: u64 },
    /// The first ones where a condition holds, and the others where not.
    Either(Term, Arc<[Vec<Input>; 2]>),
}

impl Input {
    /// Whether this is known to be the same one.
    pub(super) fn is(&self, other: &Input) -> bool {
        match (self, other) {
            (Input::Value { symbol: a, .. }, Input::Value { symbol: b, .. })
            | (Input::Bytes { symbol: a, .. }, Input::Bytes { symbol: b, .. }) => a == b,
            (Input::Passage { number: a, .. }, Input::Passage { number: b, .. }) => a == b,
            (Input::Either(_, a), Input::Either(_, b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Frame {
    pub(super) fn new(function: FuncId, entry: LocId, result: Option<VarId>) -> Frame {
        Frame {
            function,
            location: entry,
            variables: BTreeMap::new(),
            objects: BTreeMap::new(),
            allocated: Vec::new(),
            result,
        }
    }
}

impl PathState {
    /// The call that goes on. There is always one while a run lasts.
    pub(super) fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        Arc::make_mut(&mut self.frames[last])
    }

    /// Adds an object, and says its number.
    pub(super) fn add(&mut self, instance: Instance) -> u32 {
        self.instances.push(instance);
        (self.instances.len() - 1) as u32
    }

    /// One more passage of a site: how many there were before.
    pub(super) fn pass(&mut self, site: InputSiteId) -> u64 {
        let passages = Arc::make_mut(&mut self.occurrences)
            .entry(site)
            .or_default();
        *passages += 1;
        *passages - 1
    }

    /// Ends the call that goes on, with the lifetimes of its objects.
    pub(super) fn leave(&mut self) -> Option<Arc<Frame>> {
        let frame = self.frames.pop()?;
        for &instance in frame.objects.values().chain(&frame.allocated) {
            self.instances[instance as usize].end();
        }
        Some(frame)
    }
}
