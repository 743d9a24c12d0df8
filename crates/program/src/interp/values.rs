//! Values in registers.
//!
//! Everywhere outside the machine a value is a bit pattern as the model defines it; in registers integers are extended to whole words by
//! their signedness, so that comparing and widening need no thought about the width.

use super::code::Operand;
use super::instr::{Slot, words};
use super::memory::{Pointer, Provenance};
use crate::types::Type;

/// The word that stands for a value of a type that takes one register.
pub(super) fn canonical(ty: Type, bits: u128) -> u64 {
    match ty {
        Type::Int(int) => int.extend(int.wrap(bits)) as u64,
        _ => bits as u64,
    }
}

/// The words that stand for a value of a type that takes two registers and is no pointer.
pub(super) fn canonical_pair(ty: Type, bits: u128) -> (u64, u64) {
    let extended = match ty {
        Type::Int(int) => int.extend(int.wrap(bits)) as u128,
        _ => bits,
    };
    (extended as u64, (extended >> 64) as u64)
}

/// The bit pattern of a value in registers; of a pointer: its address.
pub(super) fn read(registers: &[u64], base: usize, operand: Operand) -> u128 {
    let index = operand.slot.index(base);
    let low = u128::from(registers[index]);
    match operand.ty {
        Type::Ptr => low,
        Type::Int(int) if int.width <= 64 => int.wrap(low),
        Type::Int(int) => int.wrap(low | u128::from(registers[index + 1]) << 64),
        ty if words(ty) == 2 => low | u128::from(registers[index + 1]) << 64,
        _ => low,
    }
}

/// Puts the value with that bit pattern into registers. Not for pointers.
pub(super) fn write(registers: &mut [u64], base: usize, operand: Operand, bits: u128) {
    let index = operand.slot.index(base);
    if words(operand.ty) == 1 {
        registers[index] = canonical(operand.ty, bits);
    } else {
        let (low, high) = canonical_pair(operand.ty, bits);
        registers[index] = low;
        registers[index + 1] = high;
    }
}

/// The pointer in two registers.
#[inline(always)]
pub(super) fn pointer(registers: &[u64], base: usize, slot: Slot) -> Pointer {
    let index = slot.index(base);
    Pointer {
        address: registers[index],
        provenance: Provenance::from_raw(registers[index + 1]),
    }
}

/// Puts a pointer into two registers.
#[inline(always)]
pub(super) fn write_pointer(registers: &mut [u64], base: usize, slot: Slot, pointer: Pointer) {
    let index = slot.index(base);
    registers[index] = pointer.address;
    registers[index + 1] = pointer.provenance.raw();
}

/// An address as an integer of its width, signed or not.
pub(super) fn address_as(address: u64, signed: bool, mask: u64) -> u64 {
    match signed {
        true => sign_extend_address(address, mask),
        false => address,
    }
}

/// An address, or the distance of two, as a signed integer as wide as an address.
#[inline(always)]
pub(super) fn sign_extend_address(address: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        address
    } else {
        address as i32 as u64
    }
}
