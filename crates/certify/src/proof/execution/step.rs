//! Actions in a run whose inputs are left open.

use std::sync::Arc;

use rhumb_logic::{Int, Term};
use rhumb_program::interp::input_value;
use rhumb_program::{
    Access, Action, AllocKind, ExprId, Init, InputSiteId, IntType, ObjectId, Scope, Type, VarId,
};

use super::eval::Machine;
use super::memory::{Instance, Kind, Read, Source, unsigned};
use super::state::{Frame, Input, PathState, Thread};
use super::threads::Thing;
use super::value::{Base, Value, WILD};
use super::{Gap, Halt};
use crate::proof::encode::number::{Number, Range};

/// What an action comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Done {
    /// The run goes on at the end of the edge.
    Next,
    /// The run goes on elsewhere: the state says where.
    Moved,
    /// The action has no successor: its behaviour is undefined.
    Ends,
    /// The thread can't go on yet.
    Waits,
    /// The thread has ended.
    ThreadEnds,
}

/// An access at a place that is open.
#[derive(Clone, Copy)]
pub(super) struct Within {
    /// To which object.
    pub(super) instance: u32,
    /// Where in it.
    pub(super) offset: Term,
    /// What that is at most, if the access is a right one.
    pub(super) last: u64,
    /// That it is a right one.
    pub(super) may: Term,
}

impl Machine<'_> {
    /// The state in which runs begin.
    pub(super) fn start(&mut self) -> Result<PathState, Halt> {
        let program = self.program;
        let entry = program.functions[program.start].cfa.entry;
        let mut state = PathState {
            frames: vec![Arc::new(Frame::new(program.start, entry, None))],
            globals: Arc::default(),
            instances: Vec::new(),
            others: Vec::new(),
            occurrences: Arc::default(),
            inputs: Arc::default(),
            fitting: Arc::default(),
            pinned: Arc::default(),
            threads: vec![Thread::default()],
            current: 0,
            atomic: 0,
        };
        for (id, object) in program.objects.iter_enumerated() {
            if object.scope == Scope::Global {
                let mut instance = Instance::new(Kind::Declared, object.size, object.read_only)?;
                instance.is_shared = true;
                instance.origin = Some(id);
                self.globals.insert(id, state.add(instance));
            }
        }
        for (id, var) in program.vars.iter_enumerated() {
            if var.scope == Scope::Global {
                let value = match var.init {
                    Some(init) => self.value(&state, init)?,
                    None => Value::Known(0),
                };
                Arc::make_mut(&mut state.globals).insert(id, value);
            }
        }
        for (id, object) in program.objects.iter_enumerated() {
            if let Some(&instance) = self.globals.get(&id) {
                for init in &object.init {
                    self.initialise(&mut state, instance, init)?;
                }
            }
        }
        Ok(state)
    }

    fn initialise(
        &mut self,
        state: &mut PathState,
        instance: u32,
        init: &Init,
    ) -> Result<(), Halt> {
        match init {
            Init::Bytes { offset, bytes } => {
                state.instances[instance as usize].write_bytes(&self.terms, *offset, bytes);
            }
            Init::Scalar {
                offset,
                access,
                value,
            } => {
                let value = self.value(state, *value)?;
                self.store(state, instance, *offset, *access, &value)?;
            }
        }
        Ok(())
    }

    pub(super) fn set(&self, state: &mut PathState, var: VarId, value: Value) {
        match self.program.vars[var].scope {
            Scope::Global => Arc::make_mut(&mut state.globals).insert(var, value),
            Scope::Local(_) => state.frame_mut().variables.insert(var, value),
        };
    }

    /// Executes an action that is no assumption. Where runs have to be told apart first, nothing has been changed yet.
    pub(super) fn act(&mut self, state: &mut PathState, action: &Action) -> Result<Done, Halt> {
        match action {
            Action::Skip => {}
            Action::Assume { .. } => return Err(Halt::Gap(Gap("an assumption without a branch"))),
            Action::Assign { dst, value } => {
                let value = self.value(state, *value)?;
                self.set(state, *dst, value);
            }
            Action::Input { dst, site } => {
                let value = self.input(state, *dst, *site);
                self.set(state, *dst, value);
            }
            Action::InputBytes { ptr, size, site } => {
                let Some((instance, offset, size)) = self.range(state, *ptr, *size, true)? else {
                    return Ok(Done::Ends);
                };
                let occurrence = state.pass(*site);
                let place = &mut state.instances[instance as usize];
                if let Some(given) = &self.given {
                    let bytes = given.bytes_at(*site, occurrence);
                    place.fill(&self.terms, offset, size, 0);
                    let count = bytes.len().min(size as usize);
                    place.write_bytes(&self.terms, offset, &bytes[..count]);
                    return Ok(Done::Next);
                }
                let occurrence = match &mut self.passages {
                    Some(number) => {
                        *number += 1;
                        let (site, number) = (*site, *number);
                        Arc::make_mut(&mut state.inputs).push(Input::Passage { site, number });
                        number
                    }
                    None => occurrence,
                };
                let source = Source {
                    site: *site,
                    occurrence,
                    offset: 0,
                };
                let place = &mut state.instances[instance as usize];
                place.write_fresh(&self.terms, offset, size, source);
            }
            Action::Approximate { dst, .. } => {
                if let Some(dst) = *dst {
                    let value = self.unknown(self.program.vars[dst].ty);
                    self.set(state, dst, value);
                }
            }
            Action::Load { dst, ptr, access } => {
                let Some((instance, offset)) = self.accessed(state, *ptr, *access, false)? else {
                    return Ok(Done::Ends);
                };
                let value = self.load(state, instance, offset, *access)?;
                self.set(state, *dst, value);
            }
            Action::Store { ptr, value, access } => {
                let value = self.value(state, *value)?;
                let Some((instance, offset)) = self.accessed(state, *ptr, *access, true)? else {
                    return Ok(Done::Ends);
                };
                self.store(state, instance, offset, *access, &value)?;
            }
            Action::Copy { dst, src, size } => {
                let from = self.range(state, *src, *size, false)?;
                let to = self.range(state, *dst, *size, true)?;
                let (Some((from, start, size)), Some((to, place, _))) = (from, to) else {
                    return Ok(Done::Ends);
                };
                let extract = state.instances[from as usize].extract(&self.terms, start, size);
                if state.instances[to as usize].is_shared {
                    state.share(extract.pointees());
                }
                state.instances[to as usize].put(&self.terms, place, extract);
            }
            Action::Fill { dst, byte, size } => {
                let byte = self.number(state, *byte)?;
                let byte = self.constant(state, &byte)?;
                let Some((instance, offset, size)) = self.range(state, *dst, *size, true)? else {
                    return Ok(Done::Ends);
                };
                let byte = super::value::bits(
                    &byte,
                    Type::Int(IntType::unsigned(8)),
                    self.program.data_model,
                );
                state.instances[instance as usize].fill(&self.terms, offset, size, byte as u8);
            }
            Action::Enter(object) => {
                self.leave_object(state, *object);
                let size = self.program.objects[*object].size;
                let mut instance = Instance::new(Kind::Declared, size, false)?;
                instance.origin = Some(*object);
                let instance = state.add(instance);
                state.frame_mut().objects.insert(*object, instance);
            }
            Action::Leave(object) => self.leave_object(state, *object),
            Action::Alloc { dst, size, kind } => {
                let size = self.number(state, *size)?;
                let size = self.known(state, &size)?;
                let kind_of = match kind {
                    AllocKind::Heap => Kind::Heap,
                    AllocKind::Stack => Kind::Stack,
                };
                let instance = state.add(Instance::new(kind_of, size, false)?);
                if *kind == AllocKind::Stack {
                    state.frame_mut().allocated.push(instance);
                }
                let pointer = Value::start_of(&self.terms, Base::Instance(instance));
                self.set(state, *dst, pointer);
            }
            Action::Free { ptr, kind } => return self.free(state, *ptr, *kind),
            Action::Call { dst, callee, args } => return self.call(state, *dst, *callee, args),
            Action::Return { value } => return self.give_back(state, *value),
            // Where it leads the run ends.
            Action::Exit { .. } => {}
        }
        Ok(Done::Next)
    }

    fn leave_object(&mut self, state: &mut PathState, object: ObjectId) {
        if let Some(&instance) = state.frame().objects.get(&object) {
            self.touch(state, Thing::Object(instance), 0..u64::MAX, true);
            state.instances[instance as usize].end();
        }
    }

    fn input(&mut self, state: &mut PathState, dst: VarId, site: InputSiteId) -> Value {
        let var = &self.program.vars[dst];
        let occurrence = state.pass(site);
        if let Some(given) = &self.given {
            let bits = given.value_at(site, occurrence);
            return Value::Known(input_value(var.ty, bits));
        }
        let (symbol, number) = self.symbol(&var.decl.name, var.ty);
        let ty = var.ty;
        Arc::make_mut(&mut state.inputs).push(Input::Value { site, symbol, ty });
        match ty {
            Type::Bool => Value::Truth(self.terms.ge(number.term, self.terms.int(1))),
            _ => Value::Number(number),
        }
    }

    /// The object and the place in it that a range of bytes lies in, and their number; none where they are not in one
    /// object that may be used so.
    fn range(
        &mut self,
        state: &PathState,
        ptr: ExprId,
        size: ExprId,
        write: bool,
    ) -> Result<Option<(u32, u64, u64)>, Halt> {
        let size = self.number(state, size)?;
        let size = self.known(state, &size)?;
        let place = self.place(state, ptr, size, write)?;
        Ok(place.map(|(instance, offset)| (instance, offset, size)))
    }

    fn accessed(
        &mut self,
        state: &PathState,
        ptr: ExprId,
        access: Access,
        write: bool,
    ) -> Result<Option<(u32, u64)>, Halt> {
        let size = access.size(self.program.data_model);
        self.place(state, ptr, size, write)
    }

    fn place(
        &mut self,
        state: &PathState,
        ptr: ExprId,
        size: u64,
        write: bool,
    ) -> Result<Option<(u32, u64)>, Halt> {
        let value = self.resolved(state, ptr)?;
        let size = Number::constant(&self.terms, Int::from(size));
        let may = self.may_access(state, &value, &size, write)?;
        let Value::Pointer(pointer) = &value else {
            return Ok(None);
        };
        let Base::Instance(instance) = pointer.base else {
            return Ok(None);
        };
        if self.terms.as_bool(may) == Some(false) {
            return Ok(None);
        }
        let offset = match self.constant(state, &pointer.offset) {
            Ok(offset) => offset,
            Err(halt) => {
                let size = Int::from(state.instances[instance as usize].size) - &size.range.low;
                self.within = Some(Within {
                    instance,
                    offset: pointer.offset.term,
                    last: u64::try_from(size).unwrap_or(0),
                    may,
                });
                return Err(halt);
            }
        };
        let end = &offset + size.range.low;
        match u64::try_from(offset) {
            Ok(offset) if end <= Int::from(state.instances[instance as usize].size) => {
                let end = u64::try_from(end).unwrap_or(u64::MAX);
                self.touch(state, Thing::Object(instance), offset..end, write);
                Ok(Some((instance, offset)))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn load(
        &mut self,
        state: &mut PathState,
        instance: u32,
        offset: u64,
        access: Access,
    ) -> Result<Value, Halt> {
        let model = self.program.data_model;
        let terms = self.terms.clone();
        let size = match access.bits {
            None => used_bytes(access, self),
            Some(_) => access.size(model),
        };
        let read = self.bytes(state, instance, offset, size)?;
        let ty = access.ty;
        let number = match read {
            Read::Whole(value) if ty == Type::Ptr && access.bits.is_none() => return Ok(value),
            Read::Whole(value) => match self.settled(state, value)? {
                Value::Known(bits) => Number::constant(&terms, Int::from(bits)),
                Value::Number(number) => number,
                _ => return Err(Halt::Gap(Gap("a pointer as a number"))),
            },
            Read::Known(bits) => Number::constant(&terms, Int::from(bits)),
            Read::Number(number) => number,
        };
        let number = match access.bits {
            None => number,
            Some(range) => {
                let number = unsigned(&terms, number, size);
                let shifted = terms.div(number.term, Int::ONE << usize::from(range.offset));
                let period = Int::ONE << usize::from(range.width);
                let field = Number {
                    term: terms.modulo(shifted, period.clone()),
                    range: Range::new(Int::ZERO, period - Int::ONE),
                };
                match ty {
                    Type::Int(int) if int.signed => field.wrap(
                        &terms,
                        IntType {
                            width: range.width.into(),
                            signed: true,
                        },
                    ),
                    _ => field,
                }
            }
        };
        match ty {
            Type::Bool => {
                if !Range::new(0, 1).contains(&number.range) {
                    return Err(Halt::Gap(Gap("a truth value that may be neither 0 nor 1")));
                }
                let truth = terms.ge(number.term, terms.int(1));
                Ok(Value::from_truth(&terms, truth))
            }
            Type::Int(int) => {
                let number = number.wrap(&terms, int);
                Ok(Value::from_number(&terms, number, ty, model))
            }
            Type::Float(_) | Type::Ptr => {
                let number = unsigned(&terms, number, size);
                Ok(Value::from_number(&terms, number, ty, model))
            }
        }
    }

    /// Reads bytes; those that come from outside get a symbol now.
    pub(super) fn bytes(
        &mut self,
        state: &mut PathState,
        instance: u32,
        offset: u64,
        size: u64,
    ) -> Result<Read, Halt> {
        let terms = self.terms.clone();
        let mut looked_at = Vec::new();
        let fresh = |source: Source, size: u64| {
            let ty = Type::Int(IntType::unsigned(8 * size as u16));
            let (symbol, number) = self.symbol("contents", ty);
            looked_at.push(Input::Bytes {
                source,
                size,
                symbol,
            });
            number
        };
        let read = state.instances[instance as usize].read(&terms, offset, size, fresh)?;
        if !looked_at.is_empty() {
            Arc::make_mut(&mut state.inputs).extend(looked_at);
        }
        Ok(read)
    }

    pub(super) fn store(
        &mut self,
        state: &mut PathState,
        instance: u32,
        offset: u64,
        access: Access,
        value: &Value,
    ) -> Result<(), Halt> {
        let model = self.program.data_model;
        let terms = self.terms.clone();
        let size = used_bytes(access, self);
        if let Some(range) = access.bits {
            let size = access.size(model);
            let before = match self.bytes(state, instance, offset, size)? {
                Read::Known(bits) => Number::constant(&terms, Int::from(bits)),
                Read::Number(number) => unsigned(&terms, number, size),
                Read::Whole(_) => return Err(Halt::Gap(Gap("a pointer as a number"))),
            };
            let period = Int::ONE << usize::from(range.width);
            let weight = Int::ONE << usize::from(range.offset);
            let old = terms.modulo(terms.div(before.term, weight.clone()), period.clone());
            let new = terms.modulo(value.number(&terms, access.ty, model)?.term, period);
            let change = terms.scale(weight, terms.sub(new, old));
            let number = Number {
                term: terms.add(before.term, change),
                range: Range::of_int(IntType::unsigned(8 * size as u16)),
            };
            let place = &mut state.instances[instance as usize];
            match number
                .as_constant(&terms)
                .map(|value| u128::try_from(value.clone()))
            {
                Some(Ok(bits)) => place.write_bits(&terms, offset, size, bits),
                _ => place.write_number(&terms, offset, size, number),
            }
            return Ok(());
        }
        if let Value::Pointer(pointer) = value
            && state.instances[instance as usize].is_shared
        {
            state.share(pointer.instance().into_iter().collect());
        }
        let place = &mut state.instances[instance as usize];
        match value {
            Value::Known(bits) => place.write_bits(&terms, offset, size, *bits),
            Value::Pointer(_) | Value::Wild | Value::Choice(_) => {
                place.write_whole(&terms, offset, size, value.clone());
            }
            Value::Truth(_) | Value::Number(_) => {
                let number = value.number(&terms, access.ty, model)?;
                place.write_number(&terms, offset, size, number);
            }
        }
        Ok(())
    }

    fn free(&mut self, state: &mut PathState, ptr: ExprId, kind: AllocKind) -> Result<Done, Halt> {
        let pointer = match self.resolved(state, ptr)? {
            Value::NULL => return Ok(Done::Next),
            Value::Pointer(pointer) => pointer,
            _ => return Err(Halt::Gap(WILD)),
        };
        let wanted = match kind {
            AllocKind::Heap => Kind::Heap,
            AllocKind::Stack => Kind::Stack,
        };
        let offset = self.constant(state, &pointer.offset)?;
        let Base::Instance(number) = pointer.base else {
            return Ok(Done::Ends);
        };
        self.touch(state, Thing::Object(number), 0..u64::MAX, true);
        let instance = &mut state.instances[number as usize];
        if !instance.is_alive || instance.kind != wanted || offset != Int::ZERO {
            return Ok(Done::Ends);
        }
        instance.end();
        Ok(Done::Next)
    }
}

/// Number of bytes that the value of an access without bit-field has in memory: a float of 80 bits leaves its padding alone.
fn used_bytes(access: Access, machine: &Machine<'_>) -> u64 {
    match access.ty {
        Type::Float(rhumb_program::FloatType::X87) => 10,
        ty => ty.size(machine.program.data_model),
    }
}
