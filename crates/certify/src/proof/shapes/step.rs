//! Actions, as far as what they do is known.

use std::hash::{Hash, Hasher};

use rhumb_program::{
    Access, Action, AllocKind, BinOp, Builtin, Callee, ExprId, ExprKind, Init, IntType, Leak,
    Program, Roots, Scope, Type, UnOp, VarId,
};

use rustc_hash::FxHasher;

use super::eval::Evaluator;
use super::heap::{End, Frame, Kind, Object, State, Value};
use super::leaks;

/// Calls that may be under way at one time.
const MAX_DEPTH: usize = 64;

/// Copies and fills of more bytes are not followed.
const MAX_BYTES: u64 = 4096;

/// First contents of more bytes than that are not looked at.
const MAX_STRING: usize = 32;

/// What can't be followed, in a few words.
pub(super) type Gap = &'static str;

/// What an action comes to.
pub(super) enum Done {
    /// The run goes on at the end of the edge.
    Next,
    /// The run goes on where the state says.
    Moved,
    /// There is no successor.
    Ends,
    /// The object at this end of a row has to stand alone first; nothing was changed.
    Unfold(u32, End),
}

/// Where an access is to.
enum Place {
    /// This object, and this place in it, if it is known.
    At(u32, Option<u64>),
    /// Anywhere.
    Anywhere,
    /// Nowhere: it is undefined.
    Nowhere,
    Unfold(u32, End),
}

/// The state in which runs begin.
pub(super) fn start(program: &Program) -> State {
    let entry = program.functions[program.start].cfa.entry;
    let mut state = State {
        frames: vec![Frame {
            function: program.start,
            location: entry,
            variables: Default::default(),
            objects: Default::default(),
            allocated: Vec::new(),
            result: None,
        }],
        globals: Default::default(),
        statics: Default::default(),
        objects: Default::default(),
        may_be_lost: false,
    };
    for (id, object) in program.objects.iter_enumerated() {
        if object.scope == Scope::Global {
            let kind = Kind::Declared(id);
            let number = state.add(Object::zeros(kind, Some(object.size), object.read_only));
            state.statics.insert(id, number);
        }
    }
    for (id, var) in program.vars.iter_enumerated() {
        if var.scope == Scope::Global {
            let init = var
                .init
                .map(|init| Evaluator::new(program, &state).value(init));
            state.globals.insert(id, init.unwrap_or(Value::NULL));
        }
    }
    for (id, number) in state.statics.clone() {
        for init in &program.objects[id].init {
            initialise(program, &mut state, number, init);
        }
    }
    state
}

fn initialise(program: &Program, state: &mut State, number: u32, init: &Init) {
    let model = program.data_model;
    let value = match init {
        Init::Bytes { .. } => Value::Any,
        Init::Scalar { value, .. } => Evaluator::new(program, state).value(*value),
    };
    let Some(object) = state.objects.get_mut(&number) else {
        return;
    };
    match init {
        // Of large tables and strings nobody here looks at the bytes.
        Init::Bytes { bytes, .. } if bytes.len() as u64 > MAX_BYTES => object.contents.forget(),
        Init::Bytes { offset, bytes } if bytes.len() > MAX_STRING => {
            object.fill(*offset, bytes.len() as u64, false, model);
        }
        Init::Bytes { offset, bytes } => {
            let access = Access::whole(Type::Int(IntType::unsigned(8)));
            for (at, &byte) in (*offset..).zip(bytes) {
                object
                    .contents
                    .store(at, access, Value::Bits(byte.into()), model);
            }
        }
        Init::Scalar { offset, access, .. } => {
            object.contents.store(*offset, *access, value, model)
        }
    }
}

/// A name for where the state stands: the functions under way, and the place in the last one.
fn site(state: &State) -> u64 {
    let mut hasher = FxHasher::default();
    for frame in &state.frames {
        frame.function.hash(&mut hasher);
    }
    state.frame().location.hash(&mut hasher);
    hasher.finish() | 1
}

/// Executes actions.
pub(super) struct Stepper<'p> {
    pub(super) program: &'p Program,
    pub(super) roots: Roots<'p>,
}

impl<'p> Stepper<'p> {
    fn value(&self, state: &State, expr: ExprId) -> Value {
        Evaluator::new(self.program, state).value(expr)
    }

    fn number(&self, state: &State, expr: ExprId) -> Option<u64> {
        match self.value(state, expr) {
            Value::Bits(bits) => u64::try_from(bits).ok(),
            _ => None,
        }
    }

    pub(super) fn set(&self, state: &mut State, var: VarId, value: Value) {
        match self.program.vars[var].scope {
            Scope::Global => state.globals.insert(var, value),
            Scope::Local(_) => state.frame_mut().variables.insert(var, value),
        };
    }

    /// Where an access of so many bytes is to.
    fn place(&self, state: &State, ptr: ExprId, size: Option<u64>, write: bool) -> Place {
        let ptr = self.value(state, ptr);
        let evaluator = Evaluator::new(self.program, state);
        if evaluator.may_access(ptr, size, write) == Some(false) {
            return Place::Nowhere;
        }
        if let Some((number, end)) = ptr.row_end(state) {
            return Place::Unfold(number, end);
        }
        match ptr {
            Value::Pointer(pointer) => {
                let offset = pointer.offset.and_then(|offset| u64::try_from(offset).ok());
                Place::At(pointer.object, offset)
            }
            _ => Place::Anywhere,
        }
    }

    /// Executes an action that is no assumption.
    pub(super) fn act(&self, state: &mut State, action: &Action) -> Result<Done, Gap> {
        let model = self.program.data_model;
        match action {
            Action::Skip | Action::Exit { .. } => {}
            Action::Assume { .. } => return Err("an assumption without a branch"),
            Action::Assign { dst, value } => {
                let value = self.value(state, *value);
                self.set(state, *dst, value);
            }
            Action::Input { dst, .. } => self.set(state, *dst, Value::Any),
            Action::Approximate { dst, .. } => {
                if let Some(dst) = dst {
                    self.set(state, *dst, Value::Any);
                }
            }
            Action::Load { dst, ptr, access } => {
                let value = match self.place(state, *ptr, Some(access.size(model)), false) {
                    Place::At(number, Some(offset)) => {
                        state.objects[&number].contents.load(offset, *access, model)
                    }
                    Place::At(_, None) | Place::Anywhere => Value::Any,
                    Place::Nowhere => return Ok(Done::Ends),
                    Place::Unfold(number, end) => return Ok(Done::Unfold(number, end)),
                };
                self.set(state, *dst, value);
            }
            Action::Store { ptr, value, access } => {
                let value = self.value(state, *value);
                let place = self.place(state, *ptr, Some(access.size(model)), true);
                return self.write(state, place, |object, offset| {
                    object.contents.store(offset, *access, value, model);
                });
            }
            Action::InputBytes { ptr, size, .. } => {
                let size = self.number(state, *size);
                return self.fill(state, *ptr, size, false);
            }
            Action::Fill { dst, byte, size } => {
                let size = self.number(state, *size);
                let byte = self.value(state, *byte);
                let is_zero = matches!(byte, Value::Bits(bits) if bits & 0xff == 0);
                return self.fill(state, *dst, size, is_zero);
            }
            Action::Copy { dst, src, size } => return self.copy(state, *dst, *src, *size),
            Action::Enter(object) => {
                if let Some(number) = state.frame_mut().objects.remove(object) {
                    state.end(number);
                }
                let size = self.program.objects[*object].size;
                let number = state.add(Object::zeros(Kind::Declared(*object), Some(size), false));
                state.frame_mut().objects.insert(*object, number);
            }
            Action::Leave(object) => {
                if let Some(number) = state.frame_mut().objects.remove(object) {
                    state.end(number);
                }
            }
            Action::Alloc { dst, size, kind } => {
                let size = self.number(state, *size);
                let kind_of = match kind {
                    AllocKind::Heap => Kind::Heap,
                    AllocKind::Stack => Kind::Stack,
                };
                let mut object = Object::zeros(kind_of, size, false);
                object.site = site(state);
                let number = state.add(object);
                if *kind == AllocKind::Stack {
                    state.frame_mut().allocated.push(number);
                }
                self.set(state, *dst, Value::start_of(number));
            }
            Action::Free { ptr, kind } => return self.free(state, *ptr, *kind),
            Action::Call { dst, callee, args } => return self.call(state, *dst, *callee, args),
            Action::Return { value } => return self.give_back(state, *value),
        }
        Ok(Done::Next)
    }

    /// Changes an object at a place in it; if the place is not known all of its contents are forgotten.
    fn write(
        &self,
        state: &mut State,
        place: Place,
        change: impl FnOnce(&mut Object, u64),
    ) -> Result<Done, Gap> {
        let (number, offset) = match place {
            Place::At(number, offset) => (number, offset),
            Place::Anywhere => return Err("a write through a pointer that is not followed"),
            Place::Nowhere => return Ok(Done::Ends),
            Place::Unfold(number, end) => return Ok(Done::Unfold(number, end)),
        };
        if let Some(object) = state.objects.get_mut(&number) {
            match offset {
                Some(offset) => change(object, offset),
                None => object.contents.forget(),
            }
        }
        Ok(Done::Next)
    }

    fn fill(
        &self,
        state: &mut State,
        ptr: ExprId,
        size: Option<u64>,
        zero: bool,
    ) -> Result<Done, Gap> {
        let model = self.program.data_model;
        let place = self.place(state, ptr, size, true);
        self.write(state, place, |object, offset| match size {
            Some(size) if offset == 0 && object.size == Some(size) || size <= MAX_BYTES => {
                object.fill(offset, size, zero, model);
            }
            _ => object.contents.forget(),
        })
    }

    fn copy(&self, state: &mut State, dst: ExprId, src: ExprId, size: ExprId) -> Result<Done, Gap> {
        let model = self.program.data_model;
        let size = self.number(state, size);
        let extract = match self.place(state, src, size, false) {
            Place::At(number, Some(offset)) => {
                let object = &state.objects[&number].contents;
                let size = size.filter(|&size| size <= MAX_BYTES);
                size.map(|size| (object.is_zero, object.extract(offset, size, model)))
            }
            Place::At(_, None) | Place::Anywhere => None,
            Place::Nowhere => return Ok(Done::Ends),
            Place::Unfold(number, end) => return Ok(Done::Unfold(number, end)),
        };
        let place = self.place(state, dst, size, true);
        self.write(state, place, |object, offset| {
            let (Some((is_zero, cells)), Some(size)) = (extract, size) else {
                return object.contents.forget();
            };
            object.fill(offset, size, is_zero, model);
            for (at, cell) in cells {
                // Bytes that were filled one by one give way.
                for byte in 0..cell.ty.size(model) {
                    object.contents.cells.remove(&(offset + at + byte));
                }
                object.contents.cells.insert(offset + at, cell);
            }
        })
    }

    fn free(&self, state: &mut State, ptr: ExprId, kind: AllocKind) -> Result<Done, Gap> {
        let wanted = match kind {
            AllocKind::Heap => Kind::Heap,
            AllocKind::Stack => Kind::Stack,
        };
        let ptr = self.value(state, ptr);
        if let Some((number, end)) = ptr.row_end(state) {
            return Ok(Done::Unfold(number, end));
        }
        match ptr {
            Value::NULL => Ok(Done::Next),
            Value::Ended | Value::Function(_) => Ok(Done::Ends),
            Value::Pointer(pointer) => {
                let is_right = state.objects[&pointer.object].kind == wanted;
                match pointer.offset {
                    Some(0) if is_right => {
                        for frame in &mut state.frames {
                            frame.allocated.retain(|&number| number != pointer.object);
                        }
                        state.end(pointer.object);
                        Ok(Done::Next)
                    }
                    None if is_right => Err("what is freed is not followed"),
                    _ => Ok(Done::Ends),
                }
            }
            _ => Err("what is freed is not followed"),
        }
    }

    fn call(
        &self,
        state: &mut State,
        dst: Option<VarId>,
        callee: Callee,
        args: &[ExprId],
    ) -> Result<Done, Gap> {
        let program = self.program;
        let function = match callee {
            Callee::Function(function) => function,
            Callee::Builtin(builtin) => return self.builtin(state, dst, builtin),
            Callee::Pointer(ptr) => match self.value(state, ptr) {
                Value::Function(function) => {
                    let types = args.iter().map(|&arg| program.exprs.ty(arg));
                    let types: Vec<Type> = types.collect();
                    let result = dst.map(|dst| program.vars[dst].ty);
                    match program.takes(function, types.into_iter(), result) {
                        true => function,
                        false => return Ok(Done::Ends),
                    }
                }
                Value::NULL => return Ok(Done::Ends),
                _ => return Err("a call through a pointer that is not followed"),
            },
        };
        if state.frames.len() >= MAX_DEPTH {
            return Err("many calls under way at one time");
        }
        let called = &program.functions[function];
        let mut frame = Frame {
            function,
            location: called.cfa.entry,
            variables: Default::default(),
            objects: Default::default(),
            allocated: Vec::new(),
            result: dst,
        };
        for (&param, &arg) in called.params.iter().zip(args) {
            frame.variables.insert(param, self.value(state, arg));
        }
        state.frames.push(frame);
        Ok(Done::Moved)
    }

    fn builtin(
        &self,
        state: &mut State,
        dst: Option<VarId>,
        builtin: Builtin,
    ) -> Result<Done, Gap> {
        let mut value = Value::Any;
        match builtin {
            Builtin::Printf | Builtin::Puts | Builtin::Putchar | Builtin::Unseen(_) => {}
            Builtin::Math(..) | Builtin::Math2(..) | Builtin::Classify(..) => {}
            Builtin::SetRounding | Builtin::GetRounding => {}
            Builtin::Leaks(leak) => {
                let is_right = match leak {
                    Leak::Lost => leaks::is_nothing_lost(self.program, &self.roots, state),
                    Leak::Unfreed => leaks::is_all_freed(state),
                };
                if is_right {
                    value = Value::Bits(0);
                }
            }
            Builtin::Outside => return Err("a call that may change memory"),
            Builtin::Thread(_) => return Err("threads"),
        }
        if let Some(dst) = dst {
            self.set(state, dst, value);
        }
        Ok(Done::Next)
    }

    fn give_back(&self, state: &mut State, value: Option<ExprId>) -> Result<Done, Gap> {
        let value = value.map(|value| self.value(state, value));
        let Some(frame) = state.frames.pop() else {
            return Ok(Done::Ends);
        };
        if state.frames.is_empty() {
            return Ok(Done::Ends);
        }
        if let Some(dst) = frame.result {
            self.set(state, dst, value.unwrap_or(Value::Any));
        }
        for &number in frame.objects.values().chain(&frame.allocated) {
            state.end(number);
        }
        let caller = state.frame_mut();
        let cfa = &self.program.functions[caller.function].cfa;
        let edge = cfa.locations[caller.location].outgoing[0];
        caller.location = cfa.edges[edge].target;
        Ok(Done::Moved)
    }

    /// Notes what a condition says of variables.
    pub(super) fn assume(&self, state: &mut State, cond: ExprId, holds: bool) {
        let exprs = &self.program.exprs;
        match exprs[cond].kind {
            ExprKind::Var(var) => self.set(state, var, Value::Bits(holds.into())),
            ExprKind::Unary(UnOp::Not, arg) => self.assume(state, arg, !holds),
            ExprKind::Binary(BinOp::And, a, b) if holds => {
                self.assume(state, a, true);
                self.assume(state, b, true);
            }
            ExprKind::Binary(BinOp::Or, a, b) if !holds => {
                self.assume(state, a, false);
                self.assume(state, b, false);
            }
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) => {
                if matches!(exprs.ty(a), Type::Float(_)) {
                    return;
                }
                let is_equal = holds == (op == BinOp::Eq);
                for (one, other) in [(a, b), (b, a)] {
                    let ExprKind::Var(var) = exprs[one].kind else {
                        continue;
                    };
                    let (old, other) = (self.value(state, one), self.value(state, other));
                    match (old, other) {
                        (Value::Any | Value::NonZero, Value::Bits(_)) if is_equal => {
                            self.set(state, var, other);
                        }
                        (Value::Any, Value::NULL) => self.set(state, var, Value::NonZero),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}
