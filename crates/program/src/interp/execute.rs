//! The loop that executes instructions.

use super::access;
use super::code::CallTarget;
use super::executor::{
    Executor, Stop, Target, bad_shift, closed, free_ok, grow, open_nan, zero_divisor,
};
use super::float;
use super::instr::{Cell, Instr, Slot};
use super::memory::{Pointer, Provenance};
use super::state::{Frame, RunState};
use super::values::{self, write_pointer};
use crate::types::FloatType;

/// Number of registers that there are at least behind those of an activation.
const SLACK: usize = 8;

impl Executor<'_> {
    /// Executes one thread from an instruction on, until something stops it. Gives the instruction that did.
    pub(super) fn execute_thread(
        &mut self,
        state: &mut RunState,
        pc: u32,
        steps_left: &mut u64,
    ) -> (Stop, u32) {
        let code = self.code;
        let instrs = &code.instrs[..];
        let charges = &code.charges[..];
        let mask = self.layout.space.mask;
        let RunState {
            registers: all_registers,
            base: current_base,
            frames,
            world,
            ..
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
        macro_rules! set_pointer {
            ($slot:expr, $pointer:expr) => {{
                let pointer = $pointer;
                write_pointer(registers, base, $slot, pointer);
                pc += 1;
            }};
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
        macro_rules! set32 {
            ($dst:expr, $ty:ty, $value:expr) => {
                set!($dst, $value as $ty as u64)
            };
        }
        macro_rules! double {
            ($slot:expr) => {
                f64::from_bits(get!($slot))
            };
        }
        macro_rules! float {
            ($dst:expr, $op:expr, $ty:expr, $a:expr, $b:expr) => {{
                let (a, b) = (get!($a).into(), get!($b).into());
                let result = closed($op, $ty, a, b, world.rounding);
                set!($dst, attempt!(result) as u64)
            }};
        }
        macro_rules! shift {
            ($dst:expr, $b:expr, $spare:expr, |$amount:ident| $value:expr) => {
                match get!($b) {
                    $amount if $amount < 64 - u64::from($spare) => set!($dst, $value),
                    amount => stop!(bad_shift(amount)),
                }
            };
        }
        macro_rules! checked {
            ($dst:expr, $a:expr, $b:expr, $ty:ty, $operation:ident) => {
                match (get!($a) as $ty).$operation(get!($b) as $ty) {
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
        macro_rules! compare {
            ($dst:expr, $a:expr, $b:expr, $ordered:expr, |$x:ident, $y:ident| $result:expr) => {{
                let (lhs, rhs) = (pointer!($a), pointer!($b));
                world.memory.note_comparison(lhs, rhs, $ordered);
                note_leak!();
                let ($x, $y) = (lhs.address, rhs.address);
                set!($dst, ($result).into())
            }};
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

        macro_rules! load_cell {
            ($dst:expr, $pointer:expr, $cell:expr) => {{
                let pointer = $pointer;
                match access::load_plain(world, $cell, pointer) {
                    Some(value) => set!($dst, value),
                    None => load!($dst, pointer, $cell),
                }
            }};
        }
        macro_rules! store_cell {
            ($value:expr, $pointer:expr, $cell:expr) => {{
                let pointer = $pointer;
                if access::store_plain(world, $cell, pointer, get!($value)) {
                    pc += 1;
                } else {
                    store!($value, pointer, $cell)
                }
            }};
        }

        loop {
            match instrs[pc] {
                Instr::Const { dst, value } => set!(dst, value),
                Instr::Move { dst, a } => set!(dst, get!(a)),
                Instr::Move2 { dst, a } => set_pointer!(dst, pointer!(a)),

                Instr::Add { dst, a, b } => set!(dst, get!(a).wrapping_add(get!(b))),
                Instr::Sub { dst, a, b } => set!(dst, get!(a).wrapping_sub(get!(b))),
                Instr::Mul { dst, a, b } => set!(dst, get!(a).wrapping_mul(get!(b))),
                Instr::Scale { dst, a, b, scale } => set!(
                    dst,
                    get!(a).wrapping_mul(scale.into()).wrapping_add(get!(b))
                ),
                Instr::AddI32 { dst, a, b } => set32!(dst, i32, get!(a).wrapping_add(get!(b))),
                Instr::SubI32 { dst, a, b } => set32!(dst, i32, get!(a).wrapping_sub(get!(b))),
                Instr::MulI32 { dst, a, b } => set32!(dst, i32, get!(a).wrapping_mul(get!(b))),
                Instr::AddU32 { dst, a, b } => set32!(dst, u32, get!(a).wrapping_add(get!(b))),
                Instr::SubU32 { dst, a, b } => set32!(dst, u32, get!(a).wrapping_sub(get!(b))),
                Instr::MulU32 { dst, a, b } => set32!(dst, u32, get!(a).wrapping_mul(get!(b))),
                Instr::AddCheckI32 { dst, a, b } => checked!(dst, a, b, i32, checked_add),
                Instr::SubCheckI32 { dst, a, b } => checked!(dst, a, b, i32, checked_sub),
                Instr::MulCheckI32 { dst, a, b } => checked!(dst, a, b, i32, checked_mul),
                Instr::AddCheckI64 { dst, a, b } => checked!(dst, a, b, i64, checked_add),
                Instr::SubCheckI64 { dst, a, b } => checked!(dst, a, b, i64, checked_sub),
                Instr::MulCheckI64 { dst, a, b } => checked!(dst, a, b, i64, checked_mul),
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
                Instr::ShlSigned { dst, a, b, spare } => shift!(dst, b, spare, |amount| {
                    (signed!(a) << amount << spare >> spare) as u64
                }),
                Instr::ShlUnsigned { dst, a, b, spare } => shift!(dst, b, spare, |amount| {
                    get!(a) << amount << spare >> spare
                }),
                Instr::ShrSigned { dst, a, b, spare } => {
                    shift!(dst, b, spare, |amount| { (signed!(a) >> amount) as u64 })
                }
                Instr::ShrUnsigned { dst, a, b, spare } => {
                    shift!(dst, b, spare, |amount| get!(a) >> amount)
                }
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
                    let result = float::closed_f64(op, get!(a), get!(b));
                    set!(dst, attempt!(result.ok_or_else(open_nan)))
                }
                Instr::F64 { dst, a, b, op } => float!(dst, op, FloatType::F64, a, b),
                Instr::F32 { dst, a, b, op } => float!(dst, op, FloatType::F32, a, b),
                Instr::F64Lt { dst, a, b } => set!(dst, (double!(a) < double!(b)).into()),
                Instr::F64Le { dst, a, b } => set!(dst, (double!(a) <= double!(b)).into()),
                Instr::F64FromSigned { dst, a } if world.rounding == float::NEAREST => {
                    set!(dst, (signed!(a) as f64).to_bits())
                }
                Instr::F64FromSigned { dst, a } => {
                    set!(dst, float::f64_from_i64(signed!(a), world.rounding))
                }
                Instr::Generic { index } => {
                    let generic = &code.generics[index as usize];
                    attempt!(access::generic(generic, registers, base, world.rounding));
                    pc += 1;
                }

                Instr::PtrAdd { dst, a, b, scale } => set_pointer!(dst, moved!(a, b, scale)),
                Instr::PtrEq { dst, a, b, negate } => {
                    compare!(dst, a, b, false, |x, y| (x == y) != negate)
                }
                Instr::PtrLt { dst, a, b } => compare!(dst, a, b, true, |x, y| x < y),
                Instr::PtrLe { dst, a, b } => compare!(dst, a, b, true, |x, y| x <= y),
                Instr::PtrDiff { dst, a, b } => {
                    let (lhs, rhs) = (pointer!(a), pointer!(b));
                    world.memory.note_difference(lhs, rhs);
                    note_leak!();
                    let distance = lhs.address.wrapping_sub(rhs.address);
                    set!(dst, values::sign_extend_address(distance, mask))
                }
                Instr::PtrToInt {
                    dst,
                    a,
                    signed,
                    roughly,
                } => {
                    let address = world.memory.expose_as(pointer!(a), roughly);
                    note_leak!();
                    set!(dst, values::address_as(address, signed, mask))
                }
                Instr::IntToPtr { dst, a } => {
                    let pointer = world.memory.resolve(get!(a) & mask);
                    note_leak!();
                    set_pointer!(dst, pointer)
                }
                Instr::LocalAddress { dst, object } => set_pointer!(dst, in_object!(object, 0)),
                Instr::AccessOk {
                    dst,
                    ptr,
                    size,
                    write,
                } => {
                    let (pointer, size) = (pointer!(ptr), get!(size));
                    let ok = attempt!(self.access_ok(&world.memory, pointer, size, write));
                    set!(dst, ok.into())
                }
                Instr::FreeOk { dst, ptr } => {
                    let ok = attempt!(free_ok(&world.memory, pointer!(ptr)));
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
                    load_cell!(dst, pointer, cell)
                }
                Instr::LoadObject {
                    dst,
                    object,
                    index,
                    scale,
                    cell,
                } => {
                    let offset = offset!(index, scale);
                    load_cell!(dst, in_object!(object, offset), cell)
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
                    store_cell!(a, pointer, cell)
                }
                Instr::StoreObject {
                    a,
                    object,
                    index,
                    scale,
                    cell,
                } => {
                    let offset = offset!(index, scale);
                    store_cell!(a, in_object!(object, offset), cell)
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
                    attempt!(self.extra(extra, world, registers, frames, base, pc as u32));
                    note_leak!();
                    pc += 1;
                }
                Instr::Thread { .. } => stop!(Stop::Thread),
                Instr::Edge { edge } => {
                    let Some(left) = budget.checked_sub(1) else {
                        stop!(Stop::Budget)
                    };
                    let view = self.view(registers, base, pc as u32, frames.len());
                    if self.observer.pauses_before(edge, &view) {
                        stop!(Stop::Paused);
                    }
                    budget = left;
                    self.observer.edge(edge, &view);
                    pc += 1;
                }
                Instr::Begin => {
                    self.protect(&mut world.memory);
                    stop!(Stop::Begun)
                }
            }
        }
    }
}
