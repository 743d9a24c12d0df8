//! Objects that others made: what pointers that come from outside may point to.
//!
//! A pointer from outside is a number, like any other input. Addresses from the start of the arena on belong to objects
//! of others, one next to the other, all of the same size. The n-th is made, with those before it, when a pointer to it
//! is first seen, and what it holds are the bytes at the n-th passage of one site of inputs. Since its address is an
//! input, too, nothing that depends on it is left open by C.

use super::{AddressSpace, Instance, InstanceKind, Memory, Pointer, Provenance};
use crate::types::DataModel;

/// Bytes from one such object to the next.
const STRIDE: u64 = 1 << 14;
/// Bytes of each.
const SIZE: u64 = STRIDE - 16;
/// How many there may be.
const COUNT: u64 = 256;
/// Bytes that they take of the arena.
pub(in crate::interp) const ROOM: u64 = STRIDE * COUNT;

/// Where objects lie that others made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Others {
    start: u64,
}

impl Others {
    /// Those of a program with this data model.
    pub fn of(model: DataModel) -> Others {
        let start = AddressSpace::new(model).origin;
        Others { start }
    }

    /// The address of the first byte of all of them.
    pub fn start(self) -> u64 {
        self.start
    }

    /// The address of the first byte of the one with this number, from 0.
    pub fn address(self, number: u64) -> Option<u64> {
        (number < COUNT).then(|| self.start + number * STRIDE)
    }

    /// The object that an address lies in, or just behind, and the distance from its start.
    pub fn find(self, address: u64) -> Option<(u64, u64)> {
        let distance = address.checked_sub(self.start)?;
        let (number, offset) = (distance / STRIDE, distance % STRIDE);
        (number < COUNT && offset <= SIZE).then_some((number, offset))
    }

    /// The number of bytes of each.
    pub fn size(self) -> u64 {
        SIZE
    }

    /// The number of bytes that all of them take.
    pub fn room(self) -> u64 {
        ROOM
    }
}

/// The objects of others in a run: there is room for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    /// Their slots, in the order of their numbers.
    slots: Vec<u32>,
    /// How many of them have their contents.
    filled: usize,
}

impl Memory {
    /// The pointer that an address in an object of others stands for. If that is new, it and those before it wait for their contents.
    pub(super) fn resolve_other(&mut self, address: u64) -> Option<Pointer> {
        let others = Others {
            start: self.space.origin,
        };
        let made = self.others.as_mut()?;
        let (number, _) = others.find(address)?;
        while made.slots.len() as u64 <= number {
            let next = made.slots.len() as u64;
            let base = others.address(next)?;
            let instance = Instance::new(InstanceKind::Other, next as u32, base, SIZE);
            made.slots.push(self.instances.len() as u32);
            self.instances.push(instance);
        }
        let &slot = made.slots.get(number as usize)?;
        Some(Pointer {
            address,
            provenance: Provenance::new(slot, self.instances[slot as usize].generation),
        })
    }

    /// Whether an object of others waits for its contents.
    #[inline(always)]
    pub(in crate::interp) fn is_waiting(&self) -> bool {
        (self.others.as_ref()).is_some_and(|made| made.filled < made.slots.len())
    }

    /// The bytes of the next object that waits for its contents, all zero; it waits no longer.
    pub(in crate::interp) fn fill_next(&mut self) -> Option<&mut [u8]> {
        let made = self.others.as_mut()?;
        let &slot = made.slots.get(made.filled)?;
        made.filled += 1;
        let start = self.index(self.instances[slot as usize].base);
        Some(&mut self.arena[start..start + SIZE as usize])
    }

    /// Whether the address of a pointer is an input, or made of one: it belongs to no object, or to one of others.
    pub(super) fn is_given(&self, pointer: Pointer) -> bool {
        let provenance = pointer.provenance;
        provenance == Provenance::NONE
            || self.instances[provenance.slot()].kind == InstanceKind::Other
    }

    /// Whether the address of a pointer says all of it.
    pub(super) fn is_plain_number(&self, pointer: Pointer) -> bool {
        let instance = &self.instances[pointer.provenance.slot()];
        let offset = pointer.address.wrapping_sub(instance.base);
        instance.kind == InstanceKind::Other && offset <= instance.size
    }
}
