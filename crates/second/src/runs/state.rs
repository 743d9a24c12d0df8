//! Where a path is.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rhumb_program::{EdgeId, FuncId, InputSiteId, LocId, ObjectId, Scope, Type, VarId};
use rustc_hash::FxHasher;

use super::Runs;
use super::memory::Object;
use super::model::Model;
use crate::pool::{Id, Sort};

/// Why a path is not followed any further, and with it all others.
#[derive(Debug)]
pub(super) enum Halt {
    Undecided(String),
    /// The step needs this word to be a number.
    Split(Id),
    Reached {
        what: String,
        /// Whether nothing on the path was approximated.
        is_certain: bool,
    },
}

impl Halt {
    pub(super) fn undecided(why: &str) -> Halt {
        Halt::Undecided(why.to_owned())
    }
}

/// An input: the site (none for what nobody defines), how often it was passed before, and which bytes of it.
pub(super) type Event = (Option<InputSiteId>, u32, u64, u64);

/// What a pointer may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Base {
    /// Nothing: the distance is the address.
    Nothing,
    Object(u32),
    Function(FuncId),
    /// Not known: it may be handed around, and nothing else.
    Anywhere,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pointer {
    pub(super) base: Base,
    /// In bytes, an unsigned word as wide as a pointer.
    pub(super) offset: Id,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    /// A truth value, a word, or the bits of a float as a word.
    Scalar(Id),
    Pointer(Pointer),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub(super) function: FuncId,
    pub(super) at: LocId,
    /// The call that it waits for; then it goes on at `at`.
    pub(super) call: Option<EdgeId>,
    pub(super) locals: BTreeMap<VarId, Value>,
    /// The instances of its objects.
    pub(super) objects: BTreeMap<ObjectId, u32>,
    /// What was allocated in it for as long as it is there.
    pub(super) allocations: Vec<u32>,
    /// Where the caller wants the result.
    pub(super) wanted: Option<VarId>,
    pub(super) result: Option<Value>,
    /// How often the heads of loops were passed since the loop was entered; only where runs meet.
    pub(super) rounds: BTreeMap<LocId, u32>,
}

impl Frame {
    pub(super) fn new(function: FuncId, at: LocId, wanted: Option<VarId>) -> Frame {
        Frame {
            function,
            at,
            call: None,
            locals: BTreeMap::new(),
            objects: BTreeMap::new(),
            allocations: Vec::new(),
            wanted,
            result: None,
            rounds: BTreeMap::new(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Thread {
    pub(super) frames: Vec<Frame>,
    /// How many parts without a switch have begun.
    pub(super) atomic: u32,
    /// Whether it waits, and nobody has done anything since.
    pub(super) waits: bool,
    pub(super) is_done: bool,
    pub(super) result: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) struct PathState {
    pub(super) globals: BTreeMap<VarId, Value>,
    pub(super) global_objects: Rc<BTreeMap<ObjectId, u32>>,
    pub(super) objects: Vec<Rc<Object>>,
    pub(super) threads: Vec<Thread>,
    pub(super) current: usize,
    /// Conditions on inputs that hold on this path.
    pub(super) path: Vec<Id>,
    /// Words that these conditions make a number.
    pub(super) known: BTreeMap<Id, u128>,
    /// How often input sites were passed.
    pub(super) events: BTreeMap<Option<InputSiteId>, u32>,
    /// Whether something on the path was approximated.
    pub(super) is_approximate: bool,
    /// Inputs for which the conditions hold, if such are known.
    pub(super) model: Option<Model>,
}

impl PathState {
    /// At the start, with the globals as they are initialised.
    pub(super) fn first(runs: &mut Runs<'_>) -> Result<PathState, Halt> {
        let program = runs.program;
        let mut state = PathState {
            globals: BTreeMap::new(),
            global_objects: Rc::default(),
            objects: Vec::new(),
            threads: vec![Thread::default()],
            current: 0,
            path: Vec::new(),
            known: BTreeMap::new(),
            events: BTreeMap::new(),
            is_approximate: false,
            model: Some(Model::default()),
        };
        let mut numbers = BTreeMap::new();
        for (id, object) in program.objects.iter_enumerated() {
            if object.scope == Scope::Global {
                numbers.insert(id, state.objects.len() as u32);
                let size = runs.size(object.size);
                state
                    .objects
                    .push(Rc::new(Object::new(size, object.read_only)));
            }
        }
        state.global_objects = Rc::new(numbers);
        for (id, var) in program.vars.iter_enumerated() {
            if var.scope == Scope::Global {
                let value = match var.init {
                    Some(init) => runs.evaluate(&state, init)?,
                    None => runs.zero(var.ty),
                };
                state.globals.insert(id, value);
            }
        }
        for (id, object) in program.objects.iter_enumerated() {
            if object.scope == Scope::Global {
                let number = state.global_objects[&id];
                runs.initialise(&mut state, number, &object.init)?;
            }
        }
        let entry = program.functions[program.start].cfa.entry;
        let frame = Frame::new(program.start, entry, None);
        state.threads[0].frames.push(frame);
        Ok(state)
    }

    /// The activation that goes on.
    pub(super) fn frame(&self) -> Option<&Frame> {
        self.threads[self.current].frames.last()
    }

    pub(super) fn frame_mut(&mut self) -> Result<&mut Frame, Halt> {
        let frame = self.threads[self.current].frames.last_mut();
        frame.ok_or_else(|| Halt::undecided("a thread has no activation left"))
    }

    /// What makes two states the same: all but how the path came there.
    pub(super) fn fingerprint(&self) -> u128 {
        let mut path = self.path.clone();
        path.sort_unstable();
        path.dedup();
        let hash = |seed: u64| {
            let mut hasher = FxHasher::default();
            seed.hash(&mut hasher);
            self.globals.hash(&mut hasher);
            self.objects.hash(&mut hasher);
            self.threads.hash(&mut hasher);
            self.current.hash(&mut hasher);
            path.hash(&mut hasher);
            self.events.hash(&mut hasher);
            hasher.finish()
        };
        u128::from(hash(1)) << 64 | u128::from(hash(0x9e37_79b9_7f4a_7c15))
    }
}

impl Runs<'_> {
    /// The sort of the values of a type, floats being their bits; none for pointers.
    pub(super) fn sort(&self, ty: Type) -> Option<Sort> {
        use rhumb_program::{FloatType, IntType};
        Some(match ty {
            Type::Bool => Sort::Bool,
            Type::Int(int) => Sort::Word(int),
            Type::Float(FloatType::F32) => Sort::Word(IntType::unsigned(32)),
            Type::Float(FloatType::F64) => Sort::Word(IntType::unsigned(64)),
            Type::Float(FloatType::X87) => Sort::Word(IntType::unsigned(80)),
            Type::Float(FloatType::F128) => Sort::Word(IntType::unsigned(128)),
            Type::Ptr => return None,
        })
    }

    /// A number of bytes.
    pub(super) fn size(&mut self, bytes: u64) -> Id {
        let ty = self.program.data_model.size_type();
        self.pool.word(ty, bytes.into())
    }

    /// The value of a type with these bits; a pointer to nothing.
    pub(super) fn bits(&mut self, ty: Type, bits: u128) -> Value {
        match self.sort(ty) {
            Some(Sort::Bool) => Value::Scalar(self.pool.bool(bits != 0)),
            Some(Sort::Word(word)) => Value::Scalar(self.pool.word(word, bits)),
            Some(Sort::Int) | None => {
                let word = self.program.data_model.size_type();
                let offset = self.pool.word(word, bits);
                let base = Base::Nothing;
                Value::Pointer(Pointer { base, offset })
            }
        }
    }

    pub(super) fn zero(&mut self, ty: Type) -> Value {
        self.bits(ty, 0)
    }

    /// The symbol of an input.
    pub(super) fn input(&mut self, event: Event, sort: Sort) -> Id {
        match self.inputs.get(&event) {
            Some(&known) if self.pool.sort(known) == sort => known,
            _ => {
                let symbol = self.pool.fresh(sort);
                self.inputs.insert(event, symbol);
                symbol
            }
        }
    }
}
