//! The loop that executes instructions.

use super::access;
use super::code::{CallTarget, Code};
use super::compile::Image;
use super::float;
use super::inputs::InputSource;
use super::instr::{Cell, Instr, Slot};
use super::layout::Layout;
use super::machine::Observer;
use super::memory::{
    AccessError, FreeError, InstanceKind, Memory, OutOfMemory, Pointer, Provenance,
};
use super::outcome::{FaultDetail, UnsupportedReason};
use super::state::{Frame, State, View, World};
use super::values::{self, write_pointer};
use crate::cfa::UbKind;
use crate::model::Program;
use crate::types::{FloatType, IntType};

/// Number of registers that there are at least behind those of an activation.
const SLACK: usize = 8;

/// Why execution stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The state before the first step is complete.
    Begun,
    /// The steps that are left don't cover the block that comes next; it was not begun.
    Budget,
    /// The observer wants a pause before the edge that comes next.
    Paused,
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
struct Target {
    slot: Slot,
    cell: Cell,
    pc: u32,
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
    pub(super) image: &'a Image,
    pub(super) code: &'a Code,
    pub(super) inputs: &'a mut dyn InputSource,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) depth_limit: u64,
}

impl Executor<'_> {
    /// Makes room for the registers of the current activation.
    pub(super) fn activate(&self, state: &mut State, words: u32) {
        let end = state.base + words as usize;
        if state.registers.len() < end {
            state.registers.resize(end, 0);
        }
    }

    /// Executes from the first instruction of a block on.
    pub(super) fn enter(&mut self, state: &mut State, pc: u32, budget: &mut u64) -> (Stop, u32) {
        match budget.checked_sub(self.code.charges[pc as usize].into()) {
            Some(left) => {
                *budget = left;
                self.execute(state, pc, budget)
            }
            None => (Stop::Budget, pc),
        }
    }

    /// Executes from an instruction on, until something stops it. Gives the instruction that did.
    pub(super) fn execute(
        &mut self,
        state: &mut State,
        pc: u32,
        steps_left: &mut u64,
    ) -> (Stop, u32) {
        let code = self.code;
        let instrs = &code.instrs[..];
        let charges = &code.charges[..];
        let mask = self.layout.space.mask;
        let State {
            registers: all_registers,
            base: current_base,
            frames,
            world,
        } = state;
        let mut registers = &mut all_registers[..];
        let mut base = *current_base;
        let mut budget = *steps_left;
        let mut pc = pc as usize;

        macro_rules! get {
            ($slot:expr) => {
                registers[$slot.index(base)]
            };
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value: u64 = $value;
                registers[$slot.index(base)] = value;
                pc += 1;
            }};
        }
        macro_rules! signed {
            ($slot:expr) => {
                get!($slot) as i64
            };
        }
        macro_rules! pointer {
            ($slot:expr) => {
                values::pointer(registers, base, $slot)
            };
        }
        macro_rules! stop {
            ($stop:expr) => {{
                *current_base = base;
                *steps_left = budget;
                return ($stop, pc as u32);
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(halt) => stop!(*halt),
                }
            };
        }
        // Transfers control; pays for the edges of the block if the target begins one.
        macro_rules! transfer {
            ($target:expr) => {{
                let target = $target as usize;
                match budget.checked_sub(u64::from(charges[target])) {
                    Some(left) => budget = left,
                    None => {
                        pc = target;
                        stop!(Stop::Budget)
                    }
                }
                pc = target;
            }};
        }
        macro_rules! branch {
            ($condition:expr, $target:expr) => {
                if $condition {
                    transfer!($target)
                } else {
                    transfer!(pc + 1)
                }
            };
        }
        macro_rules! checked {
            ($dst:expr, $result:expr) => {
                match $result {
                    Some(value) => set!($dst, value as u64),
                    None => pc = code.sites[pc].exit as usize,
                }
            };
        }
        macro_rules! count {
            ($a:expr, $step:expr, $target:expr, |$sum:ident| $condition:expr) => {
                match (get!($a) as i32).checked_add($step.into()) {
                    Some(sum) => {
                        let $sum = i64::from(sum);
                        registers[$a.index(base)] = $sum as u64;
                        branch!($condition, $target)
                    }
                    None => pc = code.sites[pc].exit as usize,
                }
            };
        }
        macro_rules! offset {
            ($index:expr, $scale:expr) => {
                get!($index).wrapping_mul($scale.into()) & mask
            };
        }
        macro_rules! moved {
            ($ptr:expr, $index:expr, $scale:expr) => {{
                let pointer = pointer!($ptr);
                Pointer {
                    address: pointer
                        .address
                        .wrapping_add(get!($index).wrapping_mul($scale.into()))
                        & mask,
                    ..pointer
                }
            }};
        }
        macro_rules! in_object {
            ($object:expr, $offset:expr) => {{
                let provenance = Provenance::from_raw(get!($object));
                Pointer {
                    address: world.memory.base_of(provenance).wrapping_add($offset) & mask,
                    provenance,
                }
            }};
        }
        macro_rules! note_leak {
            () => {
                if world.memory.has_leak() {
                    self.note_leak(world, pc as u32)
                }
            };
        }
        // Everything but the plain cases of loads and stores is out of line, as one call: what stands here costs the loop registers.
        macro_rules! load {
            ($dst:expr, $pointer:expr, $cell:expr) => {{
                let target = Target {
                    slot: $dst,
                    cell: $cell,
                    pc: pc as u32,
                };
                attempt!(self.load_otherwise(world, registers, base, target, $pointer));
                pc += 1;
            }};
        }
        macro_rules! store {
            ($value:expr, $pointer:expr, $cell:expr) => {{
                attempt!(access::store_otherwise(
                    world, registers, base, $value, $cell, $pointer
                ));
                pc += 1;
            }};
        }

        loop {
            match instrs[pc] {
                Instr::Const { dst, value } => set!(dst, value),
                Instr::Move { dst, a } => set!(dst, get!(a)),
                Instr::Move2 { dst, a } => {
                    let pointer = pointer!(a);
                    write_pointer(registers, base, dst, pointer);
                    pc += 1;
                }

                Instr::Add { dst, a, b } => set!(dst, get!(a).wrapping_add(get!(b))),
                Instr::Sub { dst, a, b } => set!(dst, get!(a).wrapping_sub(get!(b))),
                Instr::Mul { dst, a, b } => set!(dst, get!(a).wrapping_mul(get!(b))),
                Instr::Scale { dst, a, b, scale } => set!(
                    dst,
                    get!(a).wrapping_mul(scale.into()).wrapping_add(get!(b))
                ),
                Instr::AddI32 { dst, a, b } => {
                    set!(dst, get!(a).wrapping_add(get!(b)) as i32 as u64)
                }
                Instr::SubI32 { dst, a, b } => {
                    set!(dst, get!(a).wrapping_sub(get!(b)) as i32 as u64)
                }
                Instr::MulI32 { dst, a, b } => {
                    set!(dst, get!(a).wrapping_mul(get!(b)) as i32 as u64)
                }
                Instr::AddU32 { dst, a, b } => {
                    set!(dst, get!(a).wrapping_add(get!(b)) as u32 as u64)
                }
                Instr::SubU32 { dst, a, b } => {
                    set!(dst, get!(a).wrapping_sub(get!(b)) as u32 as u64)
                }
                Instr::MulU32 { dst, a, b } => {
                    set!(dst, get!(a).wrapping_mul(get!(b)) as u32 as u64)
                }
                Instr::AddCheckI32 { dst, a, b } => {
                    let sum = (get!(a) as i32).checked_add(get!(b) as i32);
                    checked!(dst, sum)
                }
                Instr::SubCheckI32 { dst, a, b } => {
                    let difference = (get!(a) as i32).checked_sub(get!(b) as i32);
                    checked!(dst, difference)
                }
                Instr::MulCheckI32 { dst, a, b } => {
                    let product = (get!(a) as i32).checked_mul(get!(b) as i32);
                    checked!(dst, product)
                }
                Instr::AddCheckI64 { dst, a, b } => {
                    checked!(dst, signed!(a).checked_add(signed!(b)))
                }
                Instr::SubCheckI64 { dst, a, b } => {
                    checked!(dst, signed!(a).checked_sub(signed!(b)))
                }
                Instr::MulCheckI64 { dst, a, b } => {
                    checked!(dst, signed!(a).checked_mul(signed!(b)))
                }
                Instr::DivSigned { dst, a, b, spare } => match signed!(b) {
                    0 => stop!(zero_divisor()),
                    divisor => {
                        let quotient = signed!(a).wrapping_div(divisor);
                        set!(dst, (quotient << spare >> spare) as u64)
                    }
                },
                Instr::DivUnsigned { dst, a, b } => match get!(a).checked_div(get!(b)) {
                    Some(quotient) => set!(dst, quotient),
                    None => stop!(zero_divisor()),
                },
                Instr::RemSigned { dst, a, b } => match signed!(b) {
                    0 => stop!(zero_divisor()),
                    divisor => set!(dst, signed!(a).wrapping_rem(divisor) as u64),
                },
                Instr::RemUnsigned { dst, a, b } => match get!(a).checked_rem(get!(b)) {
                    Some(remainder) => set!(dst, remainder),
                    None => stop!(zero_divisor()),
                },
                Instr::And { dst, a, b } => set!(dst, get!(a) & get!(b)),
                Instr::Or { dst, a, b } => set!(dst, get!(a) | get!(b)),
                Instr::Xor { dst, a, b } => set!(dst, get!(a) ^ get!(b)),
                Instr::ShlSigned { dst, a, b, spare } => match get!(b) {
                    amount if amount < 64 - u64::from(spare) => {
                        set!(dst, (signed!(a) << amount << spare >> spare) as u64)
                    }
                    amount => stop!(bad_shift(amount)),
                },
                Instr::ShlUnsigned { dst, a, b, spare } => match get!(b) {
                    amount if amount < 64 - u64::from(spare) => {
                        set!(dst, get!(a) << amount << spare >> spare)
                    }
                    amount => stop!(bad_shift(amount)),
                },
                Instr::ShrSigned { dst, a, b, spare } => match get!(b) {
                    amount if amount < 64 - u64::from(spare) => {
                        set!(dst, (signed!(a) >> amount) as u64)
                    }
                    amount => stop!(bad_shift(amount)),
                },
                Instr::ShrUnsigned { dst, a, b, spare } => match get!(b) {
                    amount if amount < 64 - u64::from(spare) => set!(dst, get!(a) >> amount),
                    amount => stop!(bad_shift(amount)),
                },
                Instr::WrapSigned { dst, a, spare } => {
                    set!(dst, (signed!(a) << spare >> spare) as u64)
                }
                Instr::WrapUnsigned { dst, a, spare } => set!(dst, get!(a) << spare >> spare),

                Instr::Eq { dst, a, b } => set!(dst, (get!(a) == get!(b)).into()),
                Instr::Ne { dst, a, b } => set!(dst, (get!(a) != get!(b)).into()),
                Instr::LtSigned { dst, a, b } => set!(dst, (signed!(a) < signed!(b)).into()),
                Instr::LeSigned { dst, a, b } => set!(dst, (signed!(a) <= signed!(b)).into()),
                Instr::LtUnsigned { dst, a, b } => set!(dst, (get!(a) < get!(b)).into()),
                Instr::LeUnsigned { dst, a, b } => set!(dst, (get!(a) <= get!(b)).into()),

                Instr::Jump { target } => transfer!(target),
                Instr::IfTrue { a, target } => branch!(get!(a) != 0, target),
                Instr::IfFalse { a, target } => branch!(get!(a) == 0, target),
                Instr::IfEq { a, b, target } => branch!(get!(a) == get!(b), target),
                Instr::IfNe { a, b, target } => branch!(get!(a) != get!(b), target),
                Instr::IfLtSigned { a, b, target } => branch!(signed!(a) < signed!(b), target),
                Instr::IfLeSigned { a, b, target } => branch!(signed!(a) <= signed!(b), target),
                Instr::IfLtUnsigned { a, b, target } => branch!(get!(a) < get!(b), target),
                Instr::IfLeUnsigned { a, b, target } => branch!(get!(a) <= get!(b), target),

                Instr::CountLtI32 {
                    a,
                    limit,
                    target,
                    step,
                } => count!(a, step, target, |sum| sum < signed!(limit)),
                Instr::CountLeI32 {
                    a,
                    limit,
                    target,
                    step,
                } => count!(a, step, target, |sum| sum <= signed!(limit)),

                Instr::F64 { dst, a, b, op } if world.rounding == float::NEAREST => {
                    set!(dst, float::binary_f64(op, get!(a), get!(b)))
                }
                Instr::F64 { dst, a, b, op } => {
                    let (a, b) = (get!(a).into(), get!(b).into());
                    let result = float::binary(op, FloatType::F64, a, b, world.rounding);
                    set!(dst, result as u64)
                }
                Instr::F32 { dst, a, b, op } => {
                    let (a, b) = (get!(a).into(), get!(b).into());
                    let result = float::binary(op, FloatType::F32, a, b, world.rounding);
                    set!(dst, result as u64)
                }
                Instr::F64Lt { dst, a, b } => {
                    set!(
                        dst,
                        (f64::from_bits(get!(a)) < f64::from_bits(get!(b))).into()
                    )
                }
                Instr::F64Le { dst, a, b } => {
                    set!(
                        dst,
                        (f64::from_bits(get!(a)) <= f64::from_bits(get!(b))).into()
                    )
                }
                Instr::F64FromSigned { dst, a } if world.rounding == float::NEAREST => {
                    set!(dst, (signed!(a) as f64).to_bits())
                }
                Instr::F64FromSigned { dst, a } => {
                    let int = IntType::signed(64);
                    let a = get!(a).into();
                    let result = float::from_int(FloatType::F64, int, a, world.rounding);
                    set!(dst, result as u64)
                }
                Instr::Generic { index } => {
                    let generic = &code.generics[index as usize];
                    attempt!(access::generic(generic, registers, base, world.rounding));
                    pc += 1;
                }

                Instr::PtrAdd { dst, a, b, scale } => {
                    let result = moved!(a, b, scale);
                    write_pointer(registers, base, dst, result);
                    pc += 1;
                }
                Instr::PtrEq { dst, a, b, negate } => {
                    let (lhs, rhs) = (pointer!(a), pointer!(b));
                    world.memory.note_comparison(lhs, rhs, false);
                    note_leak!();
                    set!(dst, ((lhs.address == rhs.address) != negate).into())
                }
                Instr::PtrLt { dst, a, b } => {
                    let (lhs, rhs) = (pointer!(a), pointer!(b));
                    world.memory.note_comparison(lhs, rhs, true);
                    note_leak!();
                    set!(dst, (lhs.address < rhs.address).into())
                }
                Instr::PtrLe { dst, a, b } => {
                    let (lhs, rhs) = (pointer!(a), pointer!(b));
                    world.memory.note_comparison(lhs, rhs, true);
                    note_leak!();
                    set!(dst, (lhs.address <= rhs.address).into())
                }
                Instr::PtrDiff { dst, a, b } => {
                    let (lhs, rhs) = (pointer!(a), pointer!(b));
                    world.memory.note_difference(lhs, rhs);
                    note_leak!();
                    let distance = lhs.address.wrapping_sub(rhs.address);
                    set!(dst, values::sign_extend_address(distance, mask))
                }
                Instr::PtrToInt { dst, a, signed } => {
                    let address = world.memory.expose(pointer!(a));
                    note_leak!();
                    set!(
                        dst,
                        if signed {
                            values::sign_extend_address(address, mask)
                        } else {
                            address
                        }
                    )
                }
                Instr::IntToPtr { dst, a } => {
                    let pointer = world.memory.resolve(get!(a) & mask);
                    note_leak!();
                    write_pointer(registers, base, dst, pointer);
                    pc += 1;
                }
                Instr::LocalAddress { dst, object } => {
                    let pointer = in_object!(object, 0);
                    write_pointer(registers, base, dst, pointer);
                    pc += 1;
                }
                Instr::AccessOk {
                    dst,
                    ptr,
                    size,
                    write,
                } => {
                    let ok = match world.memory.check(pointer!(ptr), get!(size) & mask, write) {
                        Ok(()) => true,
                        Err(error @ AccessError::Wild(_)) => {
                            let size = get!(size);
                            stop!(Stop::Access { error, size, write })
                        }
                        Err(_) => false,
                    };
                    set!(dst, ok.into())
                }
                Instr::FreeOk { dst, ptr } => {
                    let ok = match world.memory.check_free(pointer!(ptr), InstanceKind::Heap) {
                        Ok(()) => true,
                        Err(error @ FreeError::Wild(_)) => stop!(Stop::Free(error)),
                        Err(_) => false,
                    };
                    set!(dst, ok.into())
                }

                Instr::LoadI32 {
                    dst,
                    ptr,
                    index,
                    scale,
                } => {
                    let pointer = moved!(ptr, index, scale);
                    match world.memory.read_plain(pointer) {
                        Some(bytes) => set!(dst, i32::from_le_bytes(bytes) as u64),
                        None => load!(dst, pointer, Cell::I32),
                    }
                }
                Instr::LoadObjectI32 {
                    dst,
                    object,
                    index,
                    scale,
                } => {
                    let offset = offset!(index, scale);
                    let provenance = Provenance::from_raw(get!(object));
                    match world.memory.read_in(provenance, offset) {
                        Some(bytes) => set!(dst, i32::from_le_bytes(bytes) as u64),
                        None => load!(dst, in_object!(object, offset), Cell::I32),
                    }
                }
                Instr::Load {
                    dst,
                    ptr,
                    index,
                    scale,
                    cell,
                } => {
                    let pointer = moved!(ptr, index, scale);
                    match access::load_plain(world, cell, pointer) {
                        Some(value) => set!(dst, value),
                        None => load!(dst, pointer, cell),
                    }
                }
                Instr::LoadObject {
                    dst,
                    object,
                    index,
                    scale,
                    cell,
                } => {
                    let offset = offset!(index, scale);
                    let pointer = in_object!(object, offset);
                    match access::load_plain(world, cell, pointer) {
                        Some(value) => set!(dst, value),
                        None => load!(dst, pointer, cell),
                    }
                }
                Instr::StoreI32 {
                    a,
                    ptr,
                    index,
                    scale,
                } => {
                    let pointer = moved!(ptr, index, scale);
                    let bytes = (get!(a) as u32).to_le_bytes();
                    if world.memory.write_plain(pointer, bytes) {
                        pc += 1;
                    } else {
                        store!(a, pointer, Cell::I32)
                    }
                }
                Instr::StoreObjectI32 {
                    a,
                    object,
                    index,
                    scale,
                } => {
                    let offset = offset!(index, scale);
                    let provenance = Provenance::from_raw(get!(object));
                    let bytes = (get!(a) as u32).to_le_bytes();
                    if world.memory.write_in(provenance, offset, bytes) {
                        pc += 1;
                    } else {
                        store!(a, in_object!(object, offset), Cell::I32)
                    }
                }
                Instr::Store {
                    a,
                    ptr,
                    index,
                    scale,
                    cell,
                } => {
                    let pointer = moved!(ptr, index, scale);
                    if access::store_plain(world, cell, pointer, get!(a)) {
                        pc += 1;
                    } else {
                        store!(a, pointer, cell)
                    }
                }
                Instr::StoreObject {
                    a,
                    object,
                    index,
                    scale,
                    cell,
                } => {
                    let offset = offset!(index, scale);
                    let pointer = in_object!(object, offset);
                    if access::store_plain(world, cell, pointer, get!(a)) {
                        pc += 1;
                    } else {
                        store!(a, pointer, cell)
                    }
                }
                Instr::LoadAny { index } => {
                    let access = &code.accesses[index as usize];
                    let model = self.program.data_model;
                    attempt!(access::load_any(world, registers, base, access, model));
                    note_leak!();
                    pc += 1;
                }
                Instr::StoreAny { index } => {
                    let access = &code.accesses[index as usize];
                    let model = self.program.data_model;
                    attempt!(access::store_any(world, registers, base, access, model));
                    pc += 1;
                }

                Instr::Input { index } => {
                    let (dst, site) = code.inputs[index as usize];
                    self.input(world, registers, base, dst, site);
                    note_leak!();
                    pc += 1;
                }
                Instr::Call { index } => {
                    let call = &code.calls[index as usize];
                    let callee = match &call.callee {
                        &CallTarget::Function(function) => function,
                        CallTarget::Pointer { ptr, args, result } => {
                            attempt!(self.callee(world, pointer!(*ptr), args, *result))
                        }
                    };
                    let entry = code.functions[callee.index()];
                    if frames.len() as u64 >= self.depth_limit {
                        stop!(Stop::Stack);
                    }
                    let callee_base = base + call.advance as usize;
                    let end = callee_base + entry.words as usize;
                    if end + SLACK > registers.len() {
                        let growth = grow(all_registers, end + SLACK, frames, &mut world.memory);
                        registers = &mut all_registers[..];
                        attempt!(growth);
                    }
                    let mut next = callee_base;
                    for arg in &call.args[..entry.param_words as usize] {
                        registers[next] = get!(arg);
                        next += 1;
                    }
                    // The registers behind the activation are free: a block of fixed size is cleared faster than one that fits.
                    registers[next..next + SLACK].fill(0);
                    if next + SLACK < end {
                        registers[next + SLACK..end].fill(0);
                    }
                    if entry.scope {
                        attempt!(self.open_scope(world, registers, callee_base, callee));
                    }
                    frames.push(Frame {
                        base,
                        return_pc: pc as u32 + 1,
                        dst: call.dst,
                    });
                    base = callee_base;
                    transfer!(entry.pc)
                }
                Instr::Return {
                    a,
                    words,
                    scope,
                    function,
                } => {
                    if scope {
                        self.close_scope(world, registers, base, function);
                    }
                    let Some(frame) = frames.pop() else {
                        let status = if words == 1 { get!(a) as i32 } else { 0 };
                        stop!(Stop::Exit(status));
                    };
                    if words > 0 && frame.dst != Slot::NOWHERE {
                        let to = frame.dst.index(frame.base);
                        registers[to] = get!(a);
                        if words == 2 {
                            registers[to + 1] = get!(a.next());
                        }
                    }
                    base = frame.base;
                    transfer!(frame.return_pc)
                }
                Instr::Exit { a } => stop!(Stop::Exit(get!(a) as i32)),
                Instr::Sink { index } => stop!(Stop::Sink(index)),
                Instr::Extra { index } => {
                    let extra = &code.extras[index as usize];
                    attempt!(self.extra(extra, world, registers, base, pc as u32));
                    note_leak!();
                    pc += 1;
                }
                Instr::Edge { edge } => {
                    let Some(left) = budget.checked_sub(1) else {
                        stop!(Stop::Budget)
                    };
                    let view = View {
                        program: self.program,
                        layout: self.layout,
                        registers,
                        base,
                        function: code.function_of(pc as u32),
                        depth: frames.len(),
                    };
                    if self.observer.pauses_before(edge, &view) {
                        stop!(Stop::Paused);
                    }
                    budget = left;
                    self.observer.edge(edge, &view);
                    pc += 1;
                }
                Instr::Begin => {
                    for &object in &self.image.read_only {
                        world.memory.protect(object);
                    }
                    stop!(Stop::Begun)
                }
            }
        }
    }
}

impl Executor<'_> {
    /// Any load that is not a plain one.
    #[inline(never)]
    fn load_otherwise(
        &self,
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

    /// Adds to the caveats what memory saw in this instruction.
    #[cold]
    #[inline(never)]
    fn note_leak(&self, world: &mut World, pc: u32) {
        if let Some(leak) = world.memory.take_leak() {
            let function = self.code.function_of(pc);
            let edge = self.code.sites[pc as usize].edge;
            world.caveats.add_leak(leak, function, edge);
        }
    }
}

/// Makes room for more registers, at least `end`.
#[cold]
fn grow(
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
fn zero_divisor() -> Stop {
    Stop::Fault(UbKind::DivisionByZero, FaultDetail::ZeroDivisor)
}

#[cold]
fn bad_shift(amount: u64) -> Stop {
    Stop::Fault(
        UbKind::BadShift,
        FaultDetail::ShiftAmount {
            ty: IntType::signed(64),
            amount: amount.into(),
        },
    )
}
