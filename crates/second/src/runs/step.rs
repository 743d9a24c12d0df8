//! One edge after the other.

use std::rc::Rc;

use rhumb_program::interp::eval;
use rhumb_program::{Action, AllocKind, Builtin, Callee, ExprId, FuncId, LocKind, Scope, VarId};

use super::Runs;
use super::memory::Object;
use super::state::{Base, Frame, Halt, PathState, Pointer, Value};
use crate::pool::{Node, Sort};

/// How a path goes on.
pub(super) enum Flow {
    On,
    End,
    /// In these ways.
    Fork(Vec<PathState>),
}

/// Activations on one another.
const MAX_FRAMES: usize = 20_000;

impl Runs<'_> {
    /// Takes the next edge. A state that is to be split has not been changed.
    pub(super) fn step(&mut self, state: &mut PathState) -> Result<Flow, Halt> {
        let program = self.program;
        let Some(frame) = state.frame() else {
            return Ok(Flow::End);
        };
        let at = frame.at;
        let cfa = &program.functions[frame.function].cfa;
        match cfa.locations[at].kind {
            LocKind::Target(_) | LocKind::Unsupported(_) => return Err(self.reached(state, at)),
            LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => return Ok(Flow::End),
            LocKind::Exit => return self.leave(state),
            LocKind::Plain => {}
        }
        match *cfa.outgoing(at) {
            [] => Ok(Flow::End),
            [id] => {
                let edge = &cfa.edges[id];
                if let Action::Call { dst, callee, args } = &edge.action {
                    let depth = state.threads[state.current].frames.len();
                    let flow = self.call(state, *dst, *callee, args, edge.target)?;
                    let frames = &mut state.threads[state.current].frames;
                    if frames.len() > depth {
                        frames[depth - 1].call = Some(id);
                    }
                    return Ok(flow);
                }
                let flow = self.act(state, &edge.action)?;
                state.frame_mut()?.at = edge.target;
                Ok(flow)
            }
            [first, second, ..] => {
                let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
                let Action::Assume { cond, holds } = first.action else {
                    return Err(Halt::undecided("the program breaks a rule of the model"));
                };
                if !self.joins && self.is_open(state, cond)? {
                    let mut other = state.clone();
                    other.frame_mut()?.at = second.target;
                    state.frame_mut()?.at = first.target;
                    return Ok(Flow::Fork(vec![other, state.clone()]));
                }
                let condition = self.scalar(state, cond)?;
                if let Some(value) = self.pool.as_bool(condition) {
                    let taken = match value == holds {
                        true => first.target,
                        false => second.target,
                    };
                    state.frame_mut()?.at = taken;
                    return Ok(Flow::On);
                }
                let negated = self.pool.not(condition);
                let (yes, no) = match holds {
                    true => (condition, negated),
                    false => (negated, condition),
                };
                let mut states = Vec::new();
                for (side, target) in [(yes, first.target), (no, second.target)] {
                    if let Some(mut state) = self.assuming(state, side)? {
                        state.frame_mut()?.at = target;
                        states.push(state);
                    }
                }
                Ok(Flow::Fork(states))
            }
        }
    }

    /// Whatever an edge does that leads to its target.
    fn act(&mut self, state: &mut PathState, action: &Action) -> Result<Flow, Halt> {
        match *action {
            Action::Skip => {}
            Action::Assume { cond, holds } => {
                let condition = self.scalar(state, cond)?;
                let condition = match holds {
                    true => condition,
                    false => self.pool.not(condition),
                };
                match self.assuming(state, condition)? {
                    Some(next) => *state = next,
                    None => return Ok(Flow::End),
                }
            }
            Action::Assign { dst, value } => {
                let value = self.evaluate(state, value)?;
                self.assign(state, dst, value)?;
            }
            Action::Input { dst, site } => {
                let Some(sort) = self.sort(self.program.vars[dst].ty) else {
                    // It leads nowhere that is known here.
                    state.is_approximate = true;
                    let (base, offset) = (Base::Anywhere, self.size(0));
                    self.assign(state, dst, Value::Pointer(Pointer { base, offset }))?;
                    return Ok(Flow::On);
                };
                let passed = state.events.entry(Some(site)).or_default();
                let event = std::mem::replace(passed, *passed + 1);
                let value = self.input((Some(site), event, 0, 0), sort);
                self.assign(state, dst, Value::Scalar(value))?;
            }
            Action::InputBytes { ptr, size, site } => {
                let (ptr, size) = (self.evaluate(state, ptr)?, self.scalar(state, size)?);
                self.fill_with_inputs(state, ptr, size, site)?;
            }
            Action::Approximate { dst, .. } => {
                state.is_approximate = true;
                self.anything(state, dst)?;
            }
            Action::Load { dst, ptr, access } => {
                let pointer = self.evaluate(state, ptr)?;
                let place = self.place(state, pointer)?;
                let value = self.load(state, place, access)?;
                self.assign(state, dst, value)?;
            }
            Action::Store { ptr, value, access } => {
                let (pointer, value) = (self.evaluate(state, ptr)?, self.evaluate(state, value)?);
                let place = self.place(state, pointer)?;
                self.store(state, place, access, value)?;
            }
            Action::Copy { dst, src, size } => {
                let (dst, src) = (self.evaluate(state, dst)?, self.evaluate(state, src)?);
                let size = self.scalar(state, size)?;
                self.copy(state, dst, src, size)?;
            }
            Action::Fill { dst, byte, size } => {
                let (dst, byte) = (self.evaluate(state, dst)?, self.scalar(state, byte)?);
                let size = self.scalar(state, size)?;
                self.fill(state, dst, byte, size)?;
            }
            Action::Enter(object) => {
                let declared = &self.program.objects[object];
                let size = self.size(declared.size);
                let new = Object::new(size, declared.read_only);
                let number = state.objects.len() as u32;
                state.objects.push(Rc::new(new));
                let before = state.frame_mut()?.objects.insert(object, number);
                if let Some(before) = before {
                    end(state, before);
                }
            }
            Action::Leave(object) => {
                if let Some(before) = state.frame_mut()?.objects.get(&object).copied() {
                    end(state, before);
                }
            }
            Action::Alloc { dst, size, kind } => {
                let size = self.scalar(state, size)?;
                let mut new = Object::new(size, false);
                new.is_heap = kind == AllocKind::Heap;
                let number = state.objects.len() as u32;
                state.objects.push(Rc::new(new));
                if kind == AllocKind::Stack {
                    state.frame_mut()?.allocations.push(number);
                }
                let (base, offset) = (Base::Object(number), self.size(0));
                self.assign(state, dst, Value::Pointer(Pointer { base, offset }))?;
            }
            Action::Free { ptr, .. } => {
                let pointer = self.pointer(state, ptr)?;
                match pointer.base {
                    Base::Nothing
                        if matches!(self.pool.node(pointer.offset), Node::Const(_, 0)) => {}
                    Base::Object(object) => end(state, object),
                    Base::Nothing | Base::Function(_) | Base::Anywhere => {
                        return Err(Halt::undecided("what is freed is no object"));
                    }
                }
            }
            Action::Return { value } => {
                let value = value.map(|value| self.evaluate(state, value)).transpose()?;
                state.frame_mut()?.result = value;
            }
            Action::Exit { .. } => return Ok(Flow::End),
            Action::Call { .. } => {
                return Err(Halt::undecided("the program breaks a rule of the model"));
            }
        }
        Ok(Flow::On)
    }

    fn call(
        &mut self,
        state: &mut PathState,
        dst: Option<VarId>,
        callee: Callee,
        args: &[ExprId],
        target: rhumb_program::LocId,
    ) -> Result<Flow, Halt> {
        let function = match callee {
            Callee::Function(function) => function,
            Callee::Builtin(Builtin::Thread(op)) => {
                return self.thread(state, op, dst, args, target);
            }
            Callee::Builtin(builtin) => {
                self.library(state, builtin, dst, args)?;
                state.frame_mut()?.at = target;
                return Ok(Flow::On);
            }
            Callee::Pointer(pointer) => {
                let pointer = self.pointer(state, pointer)?;
                let types = args.iter().map(|&arg| self.program.exprs.ty(arg));
                let result = dst.map(|dst| self.program.vars[dst].ty);
                match pointer.base {
                    Base::Function(function)
                        if matches!(self.pool.node(pointer.offset), Node::Const(_, 0))
                            && self.program.takes(function, types, result) =>
                    {
                        function
                    }
                    _ => return Err(Halt::undecided("a call goes through a bad pointer")),
                }
            }
        };
        let frame = self.activation(state, function, dst, args)?;
        state.frame_mut()?.at = target;
        let frames = &mut state.threads[state.current].frames;
        if frames.len() >= MAX_FRAMES {
            return Err(Halt::undecided("calls are too deep"));
        }
        frames.push(frame);
        Ok(Flow::On)
    }

    /// A new activation of a function.
    pub(super) fn activation(
        &mut self,
        state: &PathState,
        function: FuncId,
        wanted: Option<VarId>,
        args: &[ExprId],
    ) -> Result<Frame, Halt> {
        let callee = &self.program.functions[function];
        let mut frame = Frame::new(function, callee.cfa.entry, wanted);
        for (&param, &arg) in callee.params.iter().zip(args) {
            let value = self.evaluate(state, arg)?;
            frame.locals.insert(param, value);
        }
        Ok(frame)
    }

    /// Ends an activation.
    fn leave(&mut self, state: &mut PathState) -> Result<Flow, Halt> {
        let thread = &mut state.threads[state.current];
        let Some(frame) = thread.frames.pop() else {
            return Ok(Flow::End);
        };
        if thread.frames.is_empty() {
            return match state.current {
                0 => Ok(Flow::End),
                _ => Err(Halt::undecided("a thread's function returns to nobody")),
            };
        }
        end_all(state, &frame);
        state.frame_mut()?.call = None;
        match (frame.wanted, frame.result) {
            (None, _) => {}
            (Some(dst), Some(value)) => self.assign(state, dst, value)?,
            (Some(_), None) => return Err(Halt::undecided("a result is wanted that is not there")),
        }
        Ok(Flow::On)
    }

    fn library(
        &mut self,
        state: &mut PathState,
        builtin: Builtin,
        dst: Option<VarId>,
        args: &[ExprId],
    ) -> Result<(), Halt> {
        match builtin {
            Builtin::Printf | Builtin::Puts | Builtin::Putchar => {
                state.is_approximate |= dst.is_some();
                self.anything(state, dst)
            }
            Builtin::Unseen(_) => Ok(()),
            Builtin::Math(..) | Builtin::Math2(..) | Builtin::Classify(..) => {
                let Some(dst) = dst else {
                    return Ok(());
                };
                let mut bits = Vec::new();
                for &arg in args {
                    let id = self.scalar(state, arg)?;
                    match *self.pool.node(id) {
                        Node::Const(_, constant) => bits.push(constant),
                        _ => {
                            let value = self.float_function(builtin, id)?;
                            return self.assign(state, dst, value);
                        }
                    }
                }
                let open = || Halt::undecided("C leaves the result of a function open");
                let result = eval::library(builtin, &bits).ok_or_else(open)?;
                let value = self.bits(self.program.vars[dst].ty, result);
                self.assign(state, dst, value)
            }
            Builtin::Leaks(leak) => {
                let is_there = self.leaks(state, leak)?;
                match dst {
                    Some(dst) => {
                        let value = self.bits(self.program.vars[dst].ty, is_there.into());
                        self.assign(state, dst, value)
                    }
                    None => Ok(()),
                }
            }
            Builtin::Outside | Builtin::SetRounding | Builtin::GetRounding | Builtin::Thread(_) => {
                Err(Halt::undecided("a library function is not modelled here"))
            }
        }
    }

    pub(super) fn assign(
        &self,
        state: &mut PathState,
        dst: VarId,
        value: Value,
    ) -> Result<(), Halt> {
        match self.program.vars[dst].scope {
            Scope::Global => {
                state.globals.insert(dst, value);
            }
            Scope::Local(_) => {
                state.frame_mut()?.locals.insert(dst, value);
            }
        }
        Ok(())
    }

    /// A variable gets any value of its type.
    fn anything(&mut self, state: &mut PathState, dst: Option<VarId>) -> Result<(), Halt> {
        let Some(dst) = dst else {
            return Ok(());
        };
        let value = match self.sort(self.program.vars[dst].ty) {
            // By how many there were before, so that paths that differ in nothing else have the same.
            Some(sort) => {
                let passed = state.events.entry(None).or_default();
                let event = std::mem::replace(passed, *passed + 1);
                let width = match sort {
                    Sort::Word(ty) => u64::from(ty.width),
                    Sort::Bool | Sort::Int => 0,
                };
                Value::Scalar(self.input((None, event, width, 0), sort))
            }
            None => {
                let (base, offset) = (Base::Anywhere, self.size(0));
                Value::Pointer(Pointer { base, offset })
            }
        };
        self.assign(state, dst, value)
    }
}

/// The objects of an activation end with it.
pub(super) fn end_all(state: &mut PathState, frame: &Frame) {
    for &object in frame.objects.values().chain(&frame.allocations) {
        end(state, object);
    }
}

/// The lifetime of an object ends.
fn end(state: &mut PathState, object: u32) {
    let object = &mut state.objects[object as usize];
    if object.is_live {
        let size = object.size;
        // Nobody may look at what was in it.
        let mut ended = Object::new(size, false);
        ended.is_live = false;
        *object = Rc::new(ended);
    }
}
