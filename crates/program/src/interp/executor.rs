//! What the loop of the interpreter needs around it: why it stops, what it works with, and what is too rare to stand in it.

use rustc_apfloat::Round;

use super::access;
use super::code::Code;
use super::compile::Image;
use super::float::{self, FloatOp};
use super::inputs::InputSource;
use super::instr::{Cell, Slot};
use super::layout::Layout;
use super::machine::Observer;
use super::memory::{AccessError, FreeError, InstanceKind, Memory, OutOfMemory, Pointer};
use super::outcome::{FaultDetail, UnsupportedReason};
use super::state::{Frame, RunState, View, World};
use super::values::write_pointer;
use crate::cfa::UbKind;
use crate::model::Program;
use crate::roots::Roots;
use crate::types::{FloatType, IntType};

/// Why execution stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The state before the first step is complete.
    Begun,
    /// The steps that are left don't cover the block that comes next; it was not begun.
    Budget,
    /// The observer wants a pause before the edge that comes next.
    Paused,
    /// An action of threads comes next; whoever has the stacks of all of them does it.
    Thread,
    /// Every thread waits for another one.
    Deadlock,
    Exit(i32),
    Sink(u32),
    Fault(UbKind, FaultDetail),
    Access {
        error: AccessError,
        size: u64,
        write: bool,
    },
    Free(FreeError),
    Unsupported(UnsupportedReason),
    Memory,
    Stack,
}

/// Where a loaded value goes, how it lies in memory, and the instruction that loads it.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) slot: Slot,
    pub(super) cell: Cell,
    pub(super) pc: u32,
}

/// A stop, on the way through functions that seldom fail.
pub(super) type Halt = Box<Stop>;

impl From<OutOfMemory> for Halt {
    fn from(OutOfMemory: OutOfMemory) -> Halt {
        Box::new(Stop::Memory)
    }
}

/// What execution needs beside the state.
pub(super) struct Executor<'a> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) roots: &'a Roots<'a>,
    pub(super) image: &'a Image,
    pub(super) code: &'a Code,
    pub(super) inputs: &'a mut dyn InputSource,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) depth_limit: u64,
}

impl Executor<'_> {
    /// Makes room for the registers of the current activation.
    pub(super) fn activate(&self, state: &mut RunState, words: u32) {
        let end = state.base + words as usize;
        if state.registers.len() < end {
            state.registers.resize(end, 0);
        }
    }

    /// Executes from the first instruction of a block on.
    pub(super) fn enter(&mut self, state: &mut RunState, pc: u32, budget: &mut u64) -> (Stop, u32) {
        match budget.checked_sub(self.code.charges[pc as usize].into()) {
            Some(left) => {
                *budget = left;
                self.execute(state, pc, budget)
            }
            None => (Stop::Budget, pc),
        }
    }

    /// Any load that is not a plain one.
    #[inline(never)]
    pub(super) fn load_otherwise(
        &mut self,
        world: &mut World,
        registers: &mut [u64],
        base: usize,
        target: Target,
        pointer: Pointer,
    ) -> Result<(), Halt> {
        let Target { slot, cell, pc } = target;
        if cell == Cell::Pointer {
            let value = match world.memory.read_known_pointer(pointer) {
                Some(value) => value,
                None => {
                    let value = access::load_pointer(world, pointer)?;
                    self.note_leak(world, pc);
                    value
                }
            };
            write_pointer(registers, base, slot, value);
            return Ok(());
        }
        registers[slot.index(base)] = match access::load_beside_pointers(world, cell, pointer) {
            Some(value) => value,
            None => {
                let value = access::load(world, cell, pointer)?;
                self.note_leak(world, pc);
                value
            }
        };
        Ok(())
    }

    /// Adds to the caveats what memory saw in this instruction, and gives their contents to objects of others that were seen in it first.
    #[cold]
    #[inline(never)]
    pub(super) fn note_leak(&mut self, world: &mut World, pc: u32) {
        if let Some(site) = self.layout.others {
            while world.memory.is_waiting() {
                let occurrence = world.next_occurrence(site);
                if let Some(bytes) = world.memory.fill_next() {
                    self.inputs.bytes(site, occurrence, bytes);
                }
            }
        }
        if let Some(leak) = world.memory.take_leak() {
            let function = self.code.function_of(pc);
            let edge = self.code.sites[pc as usize].edge;
            world.caveats.add_leak(leak, function, edge);
        }
    }

    /// Makes what is constant read-only.
    pub(super) fn protect(&self, memory: &mut Memory) {
        for &object in &self.image.read_only {
            memory.protect(object);
        }
    }

    /// Whether so many bytes may be accessed. Where that can't be known, the run stops.
    pub(super) fn access_ok(
        &self,
        memory: &Memory,
        pointer: Pointer,
        size: u64,
        write: bool,
    ) -> Result<bool, Halt> {
        match memory.check(pointer, size & self.layout.space.mask, write) {
            Ok(()) => Ok(true),
            Err(error @ AccessError::Wild(_)) => Err(Box::new(Stop::Access { error, size, write })),
            Err(_) => Ok(false),
        }
    }
}

impl<'a> Executor<'a> {
    /// What an observer sees of the state before an instruction.
    pub(super) fn view<'v>(
        &self,
        registers: &'v [u64],
        base: usize,
        pc: u32,
        depth: usize,
    ) -> View<'v>
    where
        'a: 'v,
    {
        View {
            program: self.program,
            layout: self.layout,
            registers,
            base,
            function: self.code.function_of(pc),
            depth,
        }
    }
}

/// Whether what a pointer points to may be freed. Where that can't be known, the run stops.
pub(super) fn free_ok(memory: &Memory, pointer: Pointer) -> Result<bool, Halt> {
    match memory.check_free(pointer, InstanceKind::Heap) {
        Ok(()) => Ok(true),
        Err(error @ FreeError::Wild(_)) => Err(Box::new(Stop::Free(error))),
        Err(_) => Ok(false),
    }
}

/// Makes room for more registers, at least `end`.
#[cold]
pub(super) fn grow(
    registers: &mut Vec<u64>,
    end: usize,
    frames: &[Frame],
    memory: &mut Memory,
) -> Result<(), Halt> {
    let wanted = end.max(registers.len() + registers.len() / 2);
    memory.reserve((wanted * size_of::<u64>() + 2 * size_of_val(frames)) as u64)?;
    registers.resize(wanted, 0);
    Ok(())
}

#[cold]
pub(super) fn zero_divisor() -> Stop {
    Stop::Fault(UbKind::DivisionByZero, FaultDetail::ZeroDivisor)
}

#[cold]
pub(super) fn open_nan() -> Halt {
    let what = "which of two NaNs an operation gives";
    Box::new(Stop::Unsupported(UnsupportedReason::Other(what)))
}

/// `lhs op rhs`, where it is not open.
pub(super) fn closed(
    op: FloatOp,
    ty: FloatType,
    lhs: u128,
    rhs: u128,
    round: Round,
) -> Result<u128, Halt> {
    match float::is_open(op, ty, lhs, rhs) {
        true => Err(open_nan()),
        false => Ok(float::binary(op, ty, lhs, rhs, round)),
    }
}

#[cold]
pub(super) fn bad_shift(amount: u64) -> Stop {
    Stop::Fault(
        UbKind::BadShift,
        FaultDetail::ShiftAmount {
            ty: IntType::signed(64),
            amount: amount.into(),
        },
    )
}
