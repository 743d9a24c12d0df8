//! Memory: objects with bytes, bounds and lifetimes, at addresses of a simulated address space.
//!
//! Every object instance lies in one flat array of bytes, with a gap behind it so that no pointer to its end is a
//! pointer to another. A pointer is an address and a [`Provenance`]: which instance it may be used for. Instances live
//! in a table whose slots are reused; a slot's generation is part of the provenance, so a pointer to an instance that
//! has ended is never mistaken for one to its successor.

mod address;
mod blocks;
mod bytes;
mod leaks;
mod others;
mod provenance;
mod shadow;
mod stack;

use std::collections::BTreeMap;

use blocks::Blocks;
use others::Made;
use shadow::Shadow;

use crate::ids::{ApproxId, FuncId, ObjectId};

pub use others::Others;
pub(in crate::interp) use others::ROOM;
pub(in crate::interp) use provenance::{AddressSpace, Pointer, Provenance};
pub(in crate::interp) use stack::{Mark, Stack};

/// What an instance is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) enum InstanceKind {
    /// A slot that stands for no object.
    Reserved,
    /// A function; its number is the origin.
    Function,
    /// A declared object; its number is the origin.
    Declared,
    /// An allocation on the heap; the origin is the number of the edge.
    Heap,
    /// An allocation in an activation; the origin is the number of the edge.
    Stack,
    /// An object that others made; the origin says which of them.
    Other,
}

/// The pointers in it have a shadow.
const SHADOWED: u8 = 1;
/// It may not be written.
const READ_ONLY: u8 = 2;
/// It is a live object (no function, no reserved slot).
const IN_ARENA: u8 = 4;

/// One object at run time.
#[derive(Clone, Debug)]
pub(in crate::interp) struct Instance {
    /// Address of its first byte. For a free slot: the next free slot of the same list.
    base: u64,
    /// Number of bytes.
    size: u64,
    generation: u32,
    /// Index of its shadow, if it has one.
    shadow: u32,
    origin: u32,
    flags: u8,
    kind: InstanceKind,
}

impl Instance {
    pub(in crate::interp) fn new(
        kind: InstanceKind,
        origin: u32,
        base: u64,
        size: u64,
    ) -> Instance {
        Instance {
            base,
            size,
            generation: 1,
            shadow: 0,
            origin,
            flags: match kind {
                InstanceKind::Reserved | InstanceKind::Function => 0,
                InstanceKind::Declared
                | InstanceKind::Heap
                | InstanceKind::Stack
                | InstanceKind::Other => IN_ARENA,
            },
            kind,
        }
    }
}

/// Why an access is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) enum AccessError {
    Null {
        address: u64,
    },
    NoObject {
        address: u64,
    },
    Wild(ApproxId),
    Function(FuncId),
    /// A local object outside its lifetime.
    Dead(ObjectId),
    /// Allocated memory that is no more.
    Freed,
    OutOfBounds {
        kind: InstanceKind,
        origin: u32,
        size: u64,
        offset: i64,
    },
    ReadOnly {
        kind: InstanceKind,
        origin: u32,
    },
    /// The machine's own limit on memory.
    Memory,
}

/// Why memory can't be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) enum FreeError {
    Wild(ApproxId),
    AlreadyFreed,
    Invalid {
        object: Option<(InstanceKind, u32)>,
        offset: i64,
    },
}

/// That more memory is needed than the limit allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) struct OutOfMemory;

/// That something was seen which C leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) enum Leak {
    /// The address of an object.
    Address,
    /// The value of an approximated step.
    Wild(ApproxId),
}

const NO_SLOT: u64 = u64::MAX;

/// All memory of a run.
#[derive(Debug)]
pub(in crate::interp) struct Memory {
    arena: Vec<u8>,
    space: AddressSpace,
    instances: Vec<Instance>,
    /// First free slot of each list: one list per declared object, so that a dead slot still names its object, and one for allocations.
    free_slots: Vec<u64>,
    shadows: Vec<Shadow>,
    free_shadows: Vec<u32>,
    shadow_bytes: u64,
    blocks: Blocks,
    /// What pointers from outside point to, if the program has such.
    others: Option<Made>,
    /// Live objects by address, from the first time on that one is wanted.
    by_address: Option<BTreeMap<u64, u32>>,
    /// What the last slow operation saw.
    leak: Option<Leak>,
    limit: u64,
    /// What activations take of the limit.
    reserved: u64,
}

impl Memory {
    /// A memory with the reserved slots, the functions and the global objects, whose bytes are all zero.
    /// `globals` have addresses below `globals_end`; where there are objects of others, their room is below all of them.
    pub(in crate::interp) fn new(
        space: AddressSpace,
        functions: u32,
        globals: &[Instance],
        globals_end: u64,
        declared: usize,
        has_others: bool,
        limit: u64,
    ) -> Result<Memory, OutOfMemory> {
        let size = globals_end - space.origin;
        if size > limit || globals_end > space.end {
            return Err(OutOfMemory);
        }
        let mut instances = Vec::with_capacity(globals.len() + functions as usize + 64);
        for slot in 0..Provenance::FIRST_FUNCTION_SLOT {
            // An object outside its lifetime has an address too, though not a useful one.
            let base = if slot == Provenance::UNBORN_SLOT {
                0x400
            } else {
                0
            };
            instances.push(Instance {
                generation: 0,
                ..Instance::new(InstanceKind::Reserved, 0, base, 0)
            });
        }
        for id in 0..functions {
            let address = space.function_address(FuncId::from_raw(id));
            instances.push(Instance::new(InstanceKind::Function, id, address, 0));
        }
        instances.extend_from_slice(globals);
        Ok(Memory {
            arena: vec![0; size as usize],
            space,
            instances,
            free_slots: vec![NO_SLOT; declared + 1],
            // Shadow 0 is never used, so that an index of 0 means none.
            shadows: vec![Shadow::default()],
            free_shadows: Vec::new(),
            shadow_bytes: 0,
            blocks: Blocks::new(globals_end),
            others: has_others.then(Made::default),
            by_address: None,
            leak: None,
            limit,
            reserved: 0,
        })
    }

    pub(in crate::interp) fn space(&self) -> AddressSpace {
        self.space
    }

    /// Whether a slow operation since the last [`Memory::take_leak`] saw something.
    #[inline(always)]
    pub(in crate::interp) fn has_leak(&self) -> bool {
        self.leak.is_some() || self.is_waiting()
    }

    /// What the slow operations since the last call saw.
    pub(in crate::interp) fn take_leak(&mut self) -> Option<Leak> {
        self.leak.take()
    }

    /// From here on no one may write to the object.
    pub(in crate::interp) fn protect(&mut self, provenance: Provenance) {
        self.instances[provenance.slot()].flags |= READ_ONLY;
    }

    /// Says how much of the limit something else takes.
    pub(in crate::interp) fn reserve(&mut self, bytes: u64) -> Result<(), OutOfMemory> {
        self.reserved = bytes;
        self.check_limit(0)
    }

    fn check_limit(&self, more: u64) -> Result<(), OutOfMemory> {
        let used = (self.arena.len() + self.instances.len() * size_of::<Instance>()) as u64
            + self.shadow_bytes
            + self.reserved;
        if used.saturating_add(more) > self.limit {
            Err(OutOfMemory)
        } else {
            Ok(())
        }
    }

    /// Room for `size` bytes and a gap, at an address that is a multiple of `align` (a power of two).
    pub(in crate::interp) fn obtain(&mut self, size: u64, align: u64) -> Result<u64, OutOfMemory> {
        // First of all: no sum below can overflow then.
        if size > self.limit || align > self.limit {
            return Err(OutOfMemory);
        }
        let address = self.blocks.take(size, align);
        let end = self.blocks.end();
        if end > self.space.end {
            return Err(OutOfMemory);
        }
        let wanted = (end - self.space.origin) as usize;
        if wanted > self.arena.len() {
            self.check_limit((wanted - self.arena.len()) as u64)?;
            self.arena.resize(wanted, 0);
        }
        Ok(address)
    }

    /// Gives back what [`Memory::obtain`] gave.
    pub(in crate::interp) fn release(&mut self, address: u64, size: u64) {
        self.blocks.give_back(address, size);
    }

    fn index(&self, address: u64) -> usize {
        (address - self.space.origin) as usize
    }

    /// A declared local object begins its life at this address, with all bytes zero. It may be written even if it is `const`:
    /// edges give it its first contents, and nothing says where they end.
    pub(in crate::interp) fn begin(
        &mut self,
        object: ObjectId,
        base: u64,
        size: u64,
    ) -> Result<Provenance, OutOfMemory> {
        let instance = Instance::new(InstanceKind::Declared, object.raw(), base, size);
        self.create(object.index(), instance)
    }

    /// A new allocation.
    pub(in crate::interp) fn allocate(
        &mut self,
        kind: InstanceKind,
        origin: u32,
        size: u64,
    ) -> Result<Pointer, OutOfMemory> {
        let address = self.obtain(size, 16)?;
        let list = self.free_slots.len() - 1;
        let provenance = self.create(list, Instance::new(kind, origin, address, size))?;
        Ok(Pointer {
            address,
            provenance,
        })
    }

    fn create(&mut self, list: usize, instance: Instance) -> Result<Provenance, OutOfMemory> {
        let start = self.index(instance.base);
        self.arena[start..start + instance.size as usize].fill(0);
        let base = instance.base;
        let slot = match self.free_slots[list] {
            NO_SLOT => {
                self.check_limit(size_of::<Instance>() as u64)?;
                self.instances.push(instance);
                self.instances.len() - 1
            }
            slot => {
                let slot = slot as usize;
                let place = &mut self.instances[slot];
                self.free_slots[list] = place.base;
                let generation = place.generation;
                *place = Instance {
                    generation,
                    ..instance
                };
                slot
            }
        };
        if let Some(index) = &mut self.by_address {
            index.insert(base, slot as u32);
        }
        Ok(Provenance::new(
            slot as u32,
            self.instances[slot].generation,
        ))
    }

    /// The object's life ends.
    pub(in crate::interp) fn end(&mut self, provenance: Provenance) {
        let slot = provenance.slot();
        let instance = &mut self.instances[slot];
        if instance.flags & SHADOWED != 0 {
            let shadow = std::mem::take(&mut self.shadows[instance.shadow as usize]);
            self.shadow_bytes -= shadow.footprint();
            self.free_shadows.push(instance.shadow);
        }
        if let Some(index) = &mut self.by_address {
            index.remove(&instance.base);
        }
        let list = match instance.kind {
            InstanceKind::Declared => instance.origin as usize,
            _ => self.free_slots.len() - 1,
        };
        instance.flags = 0;
        instance.size = 0;
        if instance.generation == u32::MAX {
            // Its generations are used up: the slot is never used again, and no provenance has generation 0.
            instance.generation = 0;
        } else {
            instance.generation += 1;
            instance.base = self.free_slots[list];
            self.free_slots[list] = slot as u64;
        }
    }

    /// Ends an allocation of that kind. Null does nothing.
    pub(in crate::interp) fn free(
        &mut self,
        pointer: Pointer,
        kind: InstanceKind,
    ) -> Result<(), FreeError> {
        self.check_free(pointer, kind)?;
        if pointer.address != 0 {
            let size = self.instances[pointer.provenance.slot()].size;
            self.end(pointer.provenance);
            self.release(pointer.address, size);
        }
        Ok(())
    }

    /// Whether the pointer is null or the start of a live allocation of that kind.
    pub(in crate::interp) fn check_free(
        &self,
        pointer: Pointer,
        kind: InstanceKind,
    ) -> Result<(), FreeError> {
        if let Some(what) = pointer.provenance.wild_origin() {
            return Err(FreeError::Wild(what));
        }
        if pointer == Pointer::NULL {
            return Ok(());
        }
        let instance = &self.instances[pointer.provenance.slot()];
        if instance.generation != pointer.provenance.generation() {
            return Err(
                if matches!(instance.kind, InstanceKind::Heap | InstanceKind::Stack) {
                    FreeError::AlreadyFreed
                } else {
                    FreeError::Invalid {
                        object: None,
                        offset: pointer.address as i64,
                    }
                },
            );
        }
        let offset = pointer.address.wrapping_sub(instance.base) as i64;
        if instance.kind == kind && offset == 0 {
            return Ok(());
        }
        Err(match instance.kind {
            InstanceKind::Reserved | InstanceKind::Function => FreeError::Invalid {
                object: None,
                offset: pointer.address as i64,
            },
            found => FreeError::Invalid {
                object: Some((found, instance.origin)),
                offset,
            },
        })
    }
}
