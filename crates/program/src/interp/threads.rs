//! Threads: several stacks, one of which goes on.
//!
//! A switch happens only where an instruction says that it may, and which thread goes on is an input. Fixed registers
//! belong to all threads; everything else that a stack is made of is put away and taken out again.

use rustc_apfloat::Round;

use super::code::{Extra, Operand};
use super::executor::{Executor, Halt, Stop};
use super::extra::bad_call;
use super::float;
use super::inputs::input_value;
use super::instr::Instr;
use super::memory::{Pointer, Provenance, Stack};
use super::outcome::{FaultDetail, UnsupportedReason};
use super::races::Clocks;
use super::state::{Frame, RunState, Scope};
use super::values;
use crate::builtin::{Builtin, ThreadOp};
use crate::types::{IntType, Type};

/// Threads that there may be in a run.
const MAX_THREADS: usize = 1 << 14;

/// The type of the choices.
const CHOICE: Type = Type::Int(IntType::unsigned(16));

/// All threads of a run.
#[derive(Debug)]
pub(super) struct Threads {
    /// The one whose stack the state has.
    current: usize,
    /// How many parts without a switch have begun.
    atomic: u32,
    /// Number of fixed registers.
    fixed: usize,
    list: Vec<Thread>,
    clocks: Clocks,
}

#[derive(Debug, Default)]
struct Thread {
    is_done: bool,
    /// Whether it waits, and nobody has done anything since.
    waits: bool,
    result: Option<Pointer>,
    /// Its stack while others go on.
    suspended: Option<Suspended>,
}

#[derive(Debug)]
struct Suspended {
    pc: u32,
    /// How many parts without a switch have begun: it waits in one, or there is none.
    atomic: u32,
    registers: Vec<u64>,
    base: usize,
    frames: Vec<Frame>,
    stack: Stack,
    scopes: Vec<Scope>,
    allocations: Vec<Provenance>,
    rounding: Round,
}

impl Threads {
    /// The first thread alone.
    pub(super) fn new(fixed: usize) -> Threads {
        Threads {
            current: 0,
            atomic: 0,
            fixed,
            list: vec![Thread::default()],
            clocks: Clocks::new(),
        }
    }

    /// The thread that an input says; none if it can't go on, or does already.
    fn chosen(&self, choice: u64) -> Option<usize> {
        let count = self.list.len() as u64;
        let thread = (choice.checked_sub(1)? % count) as usize;
        (thread != self.current && !self.list[thread].is_done).then_some(thread)
    }

    /// The next thread that may go on.
    fn next(&self) -> Option<usize> {
        let count = self.list.len();
        let others = (1..count).map(|distance| (self.current + distance) % count);
        let mut others = others.filter(|&thread| !self.list[thread].is_done);
        others.find(|&thread| !self.list[thread].waits)
    }

    /// Something was done that others may have waited for.
    fn wake(&mut self) {
        for thread in &mut self.list {
            thread.waits = false;
        }
    }
}

impl RunState {
    /// Puts the stack of the thread that goes on away, and takes another one's out. Gives the instruction at which that one goes on.
    fn switch(&mut self, to: usize, pc: u32) -> u32 {
        let Some(other) = self.threads.list[to].suspended.take() else {
            return pc;
        };
        let next = other.pc;
        let left = self.exchange(other, pc);
        let from = std::mem::replace(&mut self.threads.current, to);
        self.threads.list[from].suspended = Some(left);
        next
    }

    fn exchange(&mut self, mut other: Suspended, pc: u32) -> Suspended {
        let fixed = self.threads.fixed;
        other.registers[..fixed].copy_from_slice(&self.registers[..fixed]);
        let world = &mut self.world;
        Suspended {
            pc,
            atomic: std::mem::replace(&mut self.threads.atomic, other.atomic),
            registers: std::mem::replace(&mut self.registers, other.registers),
            base: std::mem::replace(&mut self.base, other.base),
            frames: std::mem::replace(&mut self.frames, other.frames),
            stack: std::mem::replace(&mut world.stack, other.stack),
            scopes: std::mem::replace(&mut world.scopes, other.scopes),
            allocations: std::mem::replace(&mut world.allocations, other.allocations),
            rounding: std::mem::replace(&mut world.rounding, other.rounding),
        }
    }
}

impl Executor<'_> {
    /// Executes from an instruction on, with all threads, until something stops it. Gives the instruction that did.
    pub(super) fn execute(
        &mut self,
        state: &mut RunState,
        pc: u32,
        steps_left: &mut u64,
    ) -> (Stop, u32) {
        let mut pc = pc;
        loop {
            let (stop, at) = self.execute_thread(state, pc, steps_left);
            if !matches!(stop, Stop::Thread) {
                return (stop, at);
            }
            pc = match self.thread_action(state, at) {
                Ok(next) => next,
                Err(halt) => return (*halt, at),
            };
            match steps_left.checked_sub(self.code.charges[pc as usize].into()) {
                Some(left) => *steps_left = left,
                None => return (Stop::Budget, pc),
            }
        }
    }

    /// Does what the instruction says, and gives the one that comes next.
    fn thread_action(&mut self, state: &mut RunState, pc: u32) -> Result<u32, Halt> {
        let code = self.code;
        let Instr::Thread { index } = code.instrs[pc as usize] else {
            return Ok(pc);
        };
        let Extra::Builtin {
            builtin: Builtin::Thread(op),
            ref args,
            dst,
        } = code.extras[index as usize]
        else {
            return Ok(pc + 1);
        };
        let result = match op {
            ThreadOp::Yield => return Ok(self.may_switch(state, pc + 1)),
            ThreadOp::AtomicBegin => {
                state.threads.atomic += 1;
                return Ok(pc + 1);
            }
            ThreadOp::AtomicEnd => {
                let threads = &mut state.threads;
                threads.atomic = threads.atomic.saturating_sub(1);
                if threads.atomic == 0 {
                    threads.clocks.release(threads.current);
                }
                threads.wake();
                return Ok(pc + 1);
            }
            ThreadOp::MayWait => return Ok(pc + 1),
            ThreadOp::Block => return self.block(state, dst, pc),
            ThreadOp::End => return self.end_thread(state, args, pc),
            ThreadOp::Spawn => self.spawn(state, args)?,
            ThreadOp::Current => state.threads.current as u128,
            ThreadOp::IsDone => {
                let thread = thread_of(state, args)?;
                let threads = &mut state.threads;
                let is_done = threads.list[thread].is_done;
                if is_done {
                    threads.clocks.joins(threads.current, thread);
                }
                is_done.into()
            }
            ThreadOp::Races { write } => self.races(state, args, write)?.into(),
            ThreadOp::Result => {
                let result = state.threads.list[thread_of(state, args)?].result;
                if let Some(dst) = dst {
                    let pointer = result.unwrap_or(Pointer::NULL);
                    values::write_pointer(&mut state.registers, state.base, dst.slot, pointer);
                }
                return Ok(pc + 1);
            }
        };
        if let Some(dst) = dst {
            values::write(&mut state.registers, state.base, dst, result);
        }
        Ok(pc + 1)
    }

    /// Another thread may go on here.
    fn may_switch(&mut self, state: &mut RunState, pc: u32) -> u32 {
        let threads = &state.threads;
        let others = threads.list.len() > 1 && threads.atomic == 0;
        if !others
            || (0..threads.list.len()).all(|thread| threads.chosen(thread as u64 + 1).is_none())
        {
            return pc;
        }
        let choice = self.choice(state);
        state.threads.wake();
        match state.threads.chosen(choice) {
            Some(thread) => state.switch(thread, pc),
            None => pc,
        }
    }

    /// Whether the access that comes next races with an earlier one. One that fails is no access.
    fn races(&self, state: &mut RunState, args: &[Operand], write: bool) -> Result<bool, Halt> {
        let &[ptr, size] = args else {
            return Err(bad_call(FaultDetail::Unspecified));
        };
        let pointer = state.pointer(ptr.slot);
        let size = values::read(&state.registers, state.base, size) as u64;
        let (memory, threads) = (&state.world.memory, &mut state.threads);
        let object = pointer.provenance.raw();
        let Some((base, end)) = memory.extent(pointer.provenance) else {
            // Two that free one object race, though the second one comes too late.
            let (thread, is_atomic) = (threads.current, threads.atomic > 0);
            let frees = size == u64::MAX;
            return Ok(frees && threads.clocks.frees_again(thread, object, is_atomic));
        };
        // What is done before there are others happens before all that they do.
        if threads.list.len() == 1 {
            return Ok(false);
        }
        let (first, size) = match size {
            u64::MAX => (0, end),
            size => (pointer.address.wrapping_sub(base), size),
        };
        let last = first.checked_add(size).filter(|&last| last <= end);
        let Some(last) = last else {
            return Ok(false);
        };
        let (thread, is_atomic) = (threads.current, threads.atomic > 0);
        let clocks = &mut threads.clocks;
        match clocks.has_room(size) {
            true => Ok(clocks.access(thread, object, first..last, write, is_atomic)),
            false => Err(Box::new(Stop::Memory)),
        }
    }

    /// This thread waits, in a part without a switch that has just begun.
    fn block(&mut self, state: &mut RunState, dst: Option<Operand>, pc: u32) -> Result<u32, Halt> {
        let current = state.threads.current;
        state.threads.list[current].waits = true;
        if let Some(dst) = dst {
            values::write(&mut state.registers, state.base, dst, 0);
        }
        // Nobody else can go on in a larger part.
        let next = match state.threads.atomic > 1 {
            true => None,
            false => self.must_switch(state, pc + 1),
        };
        match (next, dst) {
            (Some(next), _) => Ok(next),
            (None, Some(dst)) => {
                values::write(&mut state.registers, state.base, dst, 1);
                Ok(pc + 1)
            }
            (None, None) => Err(Box::new(Stop::Deadlock)),
        }
    }

    /// Another thread goes on, if one can.
    fn must_switch(&mut self, state: &mut RunState, pc: u32) -> Option<u32> {
        let next = state.threads.next()?;
        let choice = self.choice(state);
        let thread = state.threads.chosen(choice).unwrap_or(next);
        Some(state.switch(thread, pc))
    }

    fn choice(&mut self, state: &mut RunState) -> u64 {
        let Some(site) = self.layout.schedule else {
            return 0;
        };
        let occurrence = state.world.next_occurrence(site);
        input_value(CHOICE, self.inputs.value(site, occurrence, CHOICE)) as u64
    }

    /// A thread that runs a function on two pointers.
    fn spawn(&mut self, state: &mut RunState, args: &[Operand]) -> Result<u128, Halt> {
        let &[body, ref args @ ..] = args else {
            return Err(bad_call(FaultDetail::Unspecified));
        };
        let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let body = values::pointer(&state.registers, state.base, body.slot);
        let function = self.callee(&state.world, body, &types, None)?;
        let count = state.threads.list.len();
        if count >= MAX_THREADS {
            return Err(Box::new(Stop::Stack));
        }
        let entry = self.code.functions[function.index()];
        let fixed = state.threads.fixed;
        let mut registers = state.registers[..fixed].to_vec();
        for arg in args {
            let pointer = values::pointer(&state.registers, state.base, arg.slot);
            registers.extend([0; 2]);
            let base = registers.len() - 2;
            values::write_pointer(&mut registers, base, super::instr::Slot::local(0), pointer);
        }
        // Room behind the activation, as behind every other.
        registers.resize(
            fixed + (entry.words as usize).max(registers.len() - fixed) + 64,
            0,
        );
        state.world.memory.reserve(8 * registers.len() as u64)?;
        let thread = Suspended {
            pc: entry.pc,
            atomic: 0,
            registers,
            base: fixed,
            frames: Vec::new(),
            stack: Stack::default(),
            scopes: Vec::new(),
            allocations: Vec::new(),
            rounding: float::NEAREST,
        };
        state.threads.list.push(Thread::default());
        state.threads.clocks.spawn(state.threads.current);
        let before = state.exchange(thread, 0);
        let opened = match entry.scope {
            true => {
                let RunState {
                    registers,
                    base,
                    world,
                    ..
                } = state;
                self.open_scope(world, registers, *base, function)
            }
            false => Ok(()),
        };
        let thread = state.exchange(before, entry.pc);
        state.threads.list[count].suspended = Some(thread);
        opened?;
        Ok(count as u128)
    }

    /// This thread ends; the others go on, if there are any.
    fn end_thread(&mut self, state: &mut RunState, args: &[Operand], pc: u32) -> Result<u32, Halt> {
        let result = args
            .first()
            .map(|arg| values::pointer(&state.registers, state.base, arg.slot));
        let mut at = pc;
        loop {
            let function = self.code.function_of(at);
            let RunState {
                registers,
                base,
                world,
                ..
            } = state;
            if self.code.functions[function.index()].scope {
                self.close_scope(world, registers, *base, function);
            }
            let Some(frame) = state.frames.pop() else {
                break;
            };
            state.base = frame.base;
            at = frame.return_pc - 1;
        }
        let threads = &mut state.threads;
        threads.wake();
        threads.atomic = 0;
        let current = threads.current;
        threads.clocks.release(current);
        let thread = &mut threads.list[current];
        thread.is_done = true;
        thread.result = result;
        self.must_switch(state, pc)
            .ok_or_else(|| Box::new(Stop::Exit(0)))
    }
}

/// The thread that an argument names.
fn thread_of(state: &RunState, args: &[Operand]) -> Result<usize, Halt> {
    let number = args
        .first()
        .map(|&arg| values::read(&state.registers, state.base, arg) as usize);
    number
        .filter(|&number| number < state.threads.list.len())
        .ok_or_else(|| {
            let what = "a thread that there is not";
            Box::new(Stop::Unsupported(UnsupportedReason::Other(what)))
        })
}
