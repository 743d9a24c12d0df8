//! What threads do, in a run whose inputs are left open.

use std::ops::Range;
use std::sync::Arc;

use rhumb_logic::Int;
use rhumb_program::{ExprId, Scope, ThreadOp, Type, VarId};

use crate::proof::execution::eval::Machine;
use crate::proof::execution::state::{Frame, PathState, Thread};
use crate::proof::execution::step::Done;
use crate::proof::execution::value::{Base, Value, WILD};
use crate::proof::execution::{Gap, Halt};

/// Threads that there may be at one time.
const MAX_THREADS: usize = 64;

/// Something that threads have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::proof::execution) enum Thing {
    /// An object.
    Object(u32),
    /// Whether a thread has ended.
    End(usize),
    /// The number of threads.
    Threads,
}

/// An access to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::proof::execution) struct Touch {
    pub(super) thing: Thing,
    /// Which bytes; none: whether it is alive.
    pub(super) range: Range<u64>,
    pub(super) write: bool,
    /// Whether it is not one step of a machine, though it is one here.
    pub(super) is_long: bool,
}

impl Touch {
    /// Whether a thread comes or goes.
    pub(super) fn changes_threads(&self) -> bool {
        self.write && matches!(self.thing, Thing::End(_) | Thing::Threads)
    }

    /// Whether the order of two accesses by different threads may matter.
    pub(super) fn meets(&self, other: &Touch) -> bool {
        // Whether something is alive matters to all that end it.
        let overlap = self.range.start < other.range.end && other.range.start < self.range.end
            || self.range.is_empty() && other.range.end == u64::MAX
            || other.range.is_empty() && self.range.end == u64::MAX;
        self.thing == other.thing && overlap && (self.write || other.write)
    }
}

impl Machine<'_> {
    /// Notes an access to what other threads may reach.
    pub(in crate::proof::execution) fn touch(
        &mut self,
        state: &PathState,
        thing: Thing,
        range: Range<u64>,
        write: bool,
    ) {
        let Some(touched) = &mut self.touched else {
            return;
        };
        let is_private = match thing {
            Thing::Object(instance) => !state.instances[instance as usize].is_shared,
            // Nobody waits for one of many threads.
            Thing::End(_) => self.is_crowd,
            Thing::Threads => false,
        };
        if !is_private {
            touched.push(Touch {
                thing,
                range,
                write,
                is_long: false,
            });
        }
    }

    /// Notes that it is asked whether an object is alive. Globals always are.
    pub(in crate::proof::execution) fn touch_lifetime(&mut self, state: &PathState, value: &Value) {
        if let Value::Pointer(pointer) = value
            && let Some(instance) = pointer.instance()
            && !self.is_global(state, instance)
        {
            self.touch(state, Thing::Object(instance), 0..0, false);
        }
    }

    fn is_global(&self, state: &PathState, instance: u32) -> bool {
        let origin = state.instances[instance as usize].origin;
        origin.is_some_and(|object| self.program.objects[object].scope == Scope::Global)
    }

    /// Notes that the objects of the call that goes on end.
    pub(in crate::proof::execution) fn touch_locals(&mut self, state: &PathState) {
        if self.touched.is_none() {
            return;
        }
        let Some(frame) = state.frames.last() else {
            return;
        };
        for &instance in frame.objects.values().chain(&frame.allocated) {
            if state.instances[instance as usize].is_alive {
                self.touch(state, Thing::Object(instance), 0..u64::MAX, true);
            }
        }
    }

    /// Executes an action of threads. Whether another thread goes on at [`ThreadOp::Yield`] is not decided here.
    pub(in crate::proof::execution) fn thread_op(
        &mut self,
        state: &mut PathState,
        dst: Option<VarId>,
        op: ThreadOp,
        args: &[ExprId],
    ) -> Result<Done, Halt> {
        if self.touched.is_none() {
            return Err(Halt::Gap(Gap("threads")));
        }
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.value(state, arg)?);
        }
        let result = match op {
            ThreadOp::Yield | ThreadOp::MayWait => return Ok(Done::Next),
            ThreadOp::AtomicBegin => {
                state.atomic += 1;
                return Ok(Done::Next);
            }
            ThreadOp::AtomicEnd => {
                state.atomic = state.atomic.saturating_sub(1);
                return Ok(Done::Next);
            }
            ThreadOp::Block => return Ok(Done::Waits),
            ThreadOp::Spawn => {
                let number = self.spawn(state, values)?;
                match self.is_crowd {
                    false => Value::Known(number as u128),
                    true => self.unknown(Type::Int(rhumb_program::IntType::INT)),
                }
            }
            ThreadOp::Current if self.is_crowd && state.current > 0 => {
                return Err(Halt::Gap(Gap("the number of one of many threads")));
            }
            ThreadOp::Current => {
                self.asked_for_number = true;
                Value::Known(state.current as u128)
            }
            ThreadOp::End => {
                let value = values.pop().unwrap_or(Value::NULL);
                if let Value::Pointer(pointer) = &value {
                    state.share(pointer.instance().into_iter().collect());
                }
                while !state.frames.is_empty() {
                    self.touch_locals(state);
                    state.leave();
                }
                let current = state.current;
                state.atomic = 0;
                state.threads[current].result = Some(value);
                self.touch(state, Thing::End(current), 0..1, true);
                return Ok(Done::ThreadEnds);
            }
            // Whether there is one is found out later, by who knows what the others do.
            ThreadOp::Races { write } => {
                self.note(state, &values, args.get(1).copied(), write)?;
                Value::Known(0)
            }
            ThreadOp::IsDone => {
                let thread = self.thread(state, values.pop())?;
                Value::Known(state.threads[thread].result.is_some().into())
            }
            ThreadOp::Result => {
                let thread = self.thread(state, values.pop())?;
                state.threads[thread].result.clone().unwrap_or(Value::NULL)
            }
        };
        if let Some(dst) = dst {
            self.set(state, dst, result);
        }
        Ok(Done::Next)
    }

    /// The thread that a number names.
    fn thread(&mut self, state: &PathState, value: Option<Value>) -> Result<usize, Halt> {
        let value = value.ok_or(Gap("a thread that there is not"))?;
        if self.is_crowd {
            return Err(Halt::Gap(Gap(
                "one of many threads that another one waits for",
            )));
        }
        let int = Type::Int(rhumb_program::IntType::INT);
        let number = value.number(&self.terms, int, self.program.data_model)?;
        let number = self.constant(state, &number)?;
        match usize::try_from(number) {
            Ok(thread) if thread < state.threads.len() => {
                self.touch(state, Thing::End(thread), 0..1, false);
                Ok(thread)
            }
            _ => Err(Halt::Gap(Gap("a thread that there is not"))),
        }
    }

    fn spawn(&mut self, state: &mut PathState, mut values: Vec<Value>) -> Result<usize, Halt> {
        if state.threads.len() >= MAX_THREADS {
            return Err(Halt::Gap(Gap("many threads")));
        }
        if values.len() != 3 {
            return Err(Halt::Gap(Gap("a thread without arguments")));
        }
        let arguments = values.split_off(1);
        let Some(Value::Pointer(body)) = values.pop() else {
            return Err(Halt::Gap(WILD));
        };
        let (Base::Function(function), true) =
            (body.base, self.constant(state, &body.offset)? == Int::ZERO)
        else {
            return Err(Halt::Gap(WILD));
        };
        let called = &self.program.functions[function];
        if called.params.len() != arguments.len() {
            return Err(Halt::Gap(WILD));
        }
        let mut frame = Frame::new(function, called.cfa.entry, None);
        for (&param, value) in called.params.iter().zip(arguments) {
            if let Value::Pointer(pointer) = &value {
                state.share(pointer.instance().into_iter().collect());
            }
            frame.variables.insert(param, value);
        }
        self.touch(state, Thing::Threads, 0..1, true);
        state.threads.push(Thread {
            frames: vec![Arc::new(frame)],
            ..Thread::default()
        });
        Ok(state.threads.len() - 1)
    }
}

impl PathState {
    /// From now on other threads may reach these objects, and what they point to.
    pub(in crate::proof::execution) fn share(&mut self, objects: Vec<u32>) {
        let mut waiting = objects;
        while let Some(object) = waiting.pop() {
            let instance = &mut self.instances[object as usize];
            if !instance.is_shared {
                instance.is_shared = true;
                waiting.extend(instance.pointees());
            }
        }
    }

    /// Puts the calls of the thread that goes on away, and takes another one's out.
    pub(super) fn switch_to(&mut self, thread: usize) {
        if thread != self.current {
            let frames = std::mem::take(&mut self.threads[thread].frames);
            let current = std::mem::replace(&mut self.current, thread);
            self.threads[current].frames = std::mem::replace(&mut self.frames, frames);
        }
    }

    /// The calls of a thread.
    pub(super) fn calls(&self, thread: usize) -> &[Arc<Frame>] {
        match thread == self.current {
            true => &self.frames,
            false => &self.threads[thread].frames,
        }
    }

    /// The threads that have not ended.
    pub(super) fn running(&self) -> impl Iterator<Item = usize> {
        (0..self.threads.len()).filter(|&thread| self.threads[thread].result.is_none())
    }
}
