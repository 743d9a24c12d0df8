//! Loads, stores and operators that have no instruction of their own.

use rustc_apfloat::Round;

use super::code::{AnyAccess, Generic, GenericOp, Operand};
use super::compile::value_size;
use super::eval::{self, NoValue};
use super::executor::{Halt, Stop, open_nan};
use super::instr::{Cell, Slot};
use super::memory::{AccessError, Pointer};
use super::outcome::{FaultDetail, UnsupportedReason};
use super::state::World;
use super::values;
use crate::cfa::UbKind;
use crate::types::{Access, BitRange, DataModel, IntType, Type};

/// An access that failed.
#[cold]
pub(super) fn failed(error: AccessError, size: u64, write: bool) -> Halt {
    Box::new(Stop::Access { error, size, write })
}

#[cold]
fn trap(byte: u8) -> Halt {
    Box::new(Stop::Fault(
        UbKind::BadBool,
        FaultDetail::TrapRepresentation { byte },
    ))
}

/// Reads a number from an object without pointers; `None` asks for [`load`].
#[inline(always)]
pub(super) fn load_plain(world: &World, cell: Cell, pointer: Pointer) -> Option<u64> {
    let memory = &world.memory;
    Some(match cell {
        Cell::I8 => i8::from_le_bytes(memory.read_plain(pointer)?) as u64,
        Cell::U8 => u8::from_le_bytes(memory.read_plain(pointer)?).into(),
        Cell::I16 => i16::from_le_bytes(memory.read_plain(pointer)?) as u64,
        Cell::U16 => u16::from_le_bytes(memory.read_plain(pointer)?).into(),
        Cell::I32 => i32::from_le_bytes(memory.read_plain(pointer)?) as u64,
        Cell::U32 => u32::from_le_bytes(memory.read_plain(pointer)?).into(),
        Cell::Word => u64::from_le_bytes(memory.read_plain(pointer)?),
        Cell::Bool | Cell::Pointer => return None,
    })
}

/// Reads a number that lies beside pointers in one object, or a truth value; `None` asks for [`load`].
#[inline]
pub(super) fn load_beside_pointers(world: &World, cell: Cell, pointer: Pointer) -> Option<u64> {
    let memory = &world.memory;
    Some(match cell {
        Cell::I8 => i8::from_le_bytes(memory.read_beside_pointers(pointer)?) as u64,
        Cell::U8 => u8::from_le_bytes(memory.read_beside_pointers(pointer)?).into(),
        Cell::I16 => i16::from_le_bytes(memory.read_beside_pointers(pointer)?) as u64,
        Cell::U16 => u16::from_le_bytes(memory.read_beside_pointers(pointer)?).into(),
        Cell::I32 => i32::from_le_bytes(memory.read_beside_pointers(pointer)?) as u64,
        Cell::U32 => u32::from_le_bytes(memory.read_beside_pointers(pointer)?).into(),
        Cell::Word => u64::from_le_bytes(memory.read_beside_pointers(pointer)?),
        Cell::Bool => match memory.read_beside_pointers(pointer)? {
            [byte @ 0..=1] => byte.into(),
            _ => return None,
        },
        Cell::Pointer => return None,
    })
}

/// Reads a pointer.
pub(super) fn load_pointer(world: &mut World, pointer: Pointer) -> Result<Pointer, Halt> {
    let size = world.memory.space().pointer.size();
    world
        .memory
        .read_pointer(pointer)
        .map_err(|error| failed(error, size, false))
}

/// Reads a number.
pub(super) fn load(world: &mut World, cell: Cell, pointer: Pointer) -> Result<u64, Halt> {
    let size = size(cell);
    let mut word = [0; 8];
    match world.memory.read(pointer, size) {
        Ok(bytes) => word[..size as usize].copy_from_slice(bytes),
        Err(error) => return Err(failed(error, size, false)),
    }
    let bits = u64::from_le_bytes(word);
    if cell == Cell::Bool && bits > 1 {
        return Err(trap(bits as u8));
    }
    Ok(match cell {
        Cell::I8 => bits as i8 as u64,
        Cell::I16 => bits as i16 as u64,
        Cell::I32 => bits as i32 as u64,
        _ => bits,
    })
}

/// Number of bytes of a number.
fn size(cell: Cell) -> u64 {
    match cell {
        Cell::I8 | Cell::U8 | Cell::Bool => 1,
        Cell::I16 | Cell::U16 => 2,
        Cell::I32 | Cell::U32 => 4,
        Cell::Word | Cell::Pointer => 8,
    }
}

/// Writes a number to an object without pointers; `false` asks for [`store_otherwise`].
#[inline(always)]
pub(super) fn store_plain(world: &mut World, cell: Cell, pointer: Pointer, value: u64) -> bool {
    let memory = &mut world.memory;
    match cell {
        Cell::I8 | Cell::U8 | Cell::Bool => {
            memory.write_plain(pointer, (value as u8).to_le_bytes())
        }
        Cell::I16 | Cell::U16 => memory.write_plain(pointer, (value as u16).to_le_bytes()),
        Cell::I32 | Cell::U32 => memory.write_plain(pointer, (value as u32).to_le_bytes()),
        Cell::Word => memory.write_plain(pointer, value.to_le_bytes()),
        Cell::Pointer => false,
    }
}

/// Any store that is not a plain one.
#[inline(never)]
pub(super) fn store_otherwise(
    world: &mut World,
    registers: &[u64],
    base: usize,
    value: Slot,
    cell: Cell,
    pointer: Pointer,
) -> Result<(), Halt> {
    if cell == Cell::Pointer {
        let size = world.memory.space().pointer.size();
        let value = values::pointer(registers, base, value);
        return world
            .memory
            .write_pointer(pointer, value)
            .map_err(|error| failed(error, size, true));
    }
    let size = size(cell);
    let word = registers[value.index(base)];
    world
        .memory
        .write(pointer, size)
        .map_err(|error| failed(error, size, true))?
        .copy_from_slice(&word.to_le_bytes()[..size as usize]);
    Ok(())
}

/// Reads anything but a pointer.
#[inline(never)]
pub(super) fn load_any(
    world: &mut World,
    registers: &mut [u64],
    base: usize,
    any: &AnyAccess,
    model: DataModel,
) -> Result<(), Halt> {
    let pointer = values::pointer(registers, base, any.ptr);
    let bits = load_bits(world, pointer, any.access, model)?;
    let dst = Operand {
        slot: any.value,
        ty: any.access.ty,
    };
    values::write(registers, base, dst, bits);
    Ok(())
}

fn load_bits(
    world: &mut World,
    pointer: Pointer,
    access: Access,
    model: DataModel,
) -> Result<u128, Halt> {
    let size = access.size(model);
    let bytes = world
        .memory
        .read(pointer, size)
        .map_err(|error| failed(error, size, false))?;
    match access.bits {
        None => {
            let mut wide = [0; 16];
            let used = value_size(access.ty, model);
            wide[..used].copy_from_slice(&bytes[..used]);
            let bits = u128::from_le_bytes(wide);
            match access.ty {
                Type::Int(int) => Ok(int.wrap(bits)),
                Type::Bool if bits > 1 => Err(trap(bits as u8)),
                _ => Ok(bits),
            }
        }
        Some(range) => {
            let field = extract(bytes, range);
            Ok(match access.ty {
                Type::Int(int) => {
                    let narrow = IntType {
                        width: range.width.into(),
                        signed: int.signed,
                    };
                    int.wrap(narrow.extend(field) as u128)
                }
                _ => field,
            })
        }
    }
}

/// Writes anything but a pointer.
#[inline(never)]
pub(super) fn store_any(
    world: &mut World,
    registers: &[u64],
    base: usize,
    any: &AnyAccess,
    model: DataModel,
) -> Result<(), Halt> {
    let pointer = values::pointer(registers, base, any.ptr);
    let value = Operand {
        slot: any.value,
        ty: any.access.ty,
    };
    let bits = values::read(registers, base, value);
    let size = any.access.size(model);
    let bytes = world
        .memory
        .write(pointer, size)
        .map_err(|error| failed(error, size, true))?;
    match any.access.bits {
        None => {
            // The bytes behind an 80-bit float are padding and stay as they are.
            let used = value_size(any.access.ty, model);
            bytes[..used].copy_from_slice(&bits.to_le_bytes()[..used]);
        }
        Some(range) => insert(bytes, range, bits),
    }
    Ok(())
}

/// The bits of a bit-field, from the bytes that it touches.
fn extract(bytes: &[u8], range: BitRange) -> u128 {
    let mut field = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        let at = 8 * index as i32 - i32::from(range.offset);
        let byte = u128::from(byte);
        field |= match at {
            ..0 => byte >> -at,
            0..128 => byte << at,
            _ => 0,
        };
    }
    field & IntType::unsigned(range.width.into()).mask()
}

/// Replaces the bits of a bit-field in the bytes that it touches.
fn insert(bytes: &mut [u8], range: BitRange, bits: u128) {
    let mask = IntType::unsigned(range.width.into()).mask();
    let shifted = |bits: u128, at: i32| match at {
        ..0 => (bits << -at) as u8,
        0..128 => (bits >> at) as u8,
        _ => 0,
    };
    for (index, byte) in bytes.iter_mut().enumerate() {
        let at = 8 * index as i32 - i32::from(range.offset);
        let own = shifted(mask, at);
        *byte = *byte & !own | shifted(bits, at) & own;
    }
}

/// Executes an operator by its definition.
#[inline(never)]
pub(super) fn generic(
    generic: &Generic,
    registers: &mut [u64],
    base: usize,
    round: Round,
) -> Result<(), Halt> {
    let &Generic { op, dst, a, b } = generic;
    let lhs = values::read(registers, base, a);
    let rhs = values::read(registers, base, b);
    let result = match op {
        GenericOp::Unary(op) => eval::unary(op, a.ty, lhs),
        GenericOp::Binary(op) => eval::binary_rounded(op, a.ty, lhs, b.ty, rhs, round),
        GenericOp::Overflows(op) => eval::overflows(op, a.ty, lhs, b.ty, rhs).map(u128::from),
        GenericOp::Cast => eval::cast_rounded(a.ty, dst.ty, lhs, round),
        GenericOp::CastOverflows(to) => eval::cast_overflows(to, a.ty, lhs).map(u128::from),
    };
    match result {
        Ok(bits) => {
            values::write(registers, base, dst, bits);
            Ok(())
        }
        Err(why) => Err(Box::new(no_value(why, generic, lhs, rhs))),
    }
}

#[cold]
fn no_value(why: NoValue, generic: &Generic, lhs: u128, rhs: u128) -> Stop {
    match (why, generic.a.ty, generic.b.ty, generic.dst.ty) {
        (NoValue::DivisionByZero, ..) => {
            Stop::Fault(UbKind::DivisionByZero, FaultDetail::ZeroDivisor)
        }
        (NoValue::ShiftAmount, _, Type::Int(ty), _) => Stop::Fault(
            UbKind::BadShift,
            FaultDetail::ShiftAmount { ty, amount: rhs },
        ),
        (NoValue::FloatToInt, Type::Float(from), _, Type::Int(to)) => Stop::Fault(
            UbKind::FloatToInt,
            FaultDetail::FloatToInt {
                from,
                bits: lhs,
                to,
            },
        ),
        (NoValue::OpenNan, ..) => *open_nan(),
        _ => Stop::Unsupported(UnsupportedReason::Other(
            "an operator on operands of a type that it is not defined for",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_fields_are_independent() {
        for (offset, width) in [(0, 1), (3, 5), (7, 2), (5, 64), (7, 128), (0, 128)] {
            let range = BitRange { offset, width };
            let size = (usize::from(offset) + usize::from(width)).div_ceil(8);
            let mask = IntType::unsigned(width.into()).mask();
            for bits in [0, u128::MAX, 0x0123_4567_89ab_cdef_0fed_cba9_8765_4321] {
                for background in [0x00, 0xff] {
                    let mut bytes = vec![background; size];
                    insert(&mut bytes, range, bits);
                    assert_eq!(extract(&bytes, range), bits & mask);
                    insert(
                        &mut bytes,
                        range,
                        if background == 0 { 0 } else { u128::MAX },
                    );
                    assert_eq!(bytes, vec![background; size], "only its own bits change");
                }
            }
        }
    }
}
