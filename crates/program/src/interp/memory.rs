//! Memory: objects with bytes, bounds and lifetimes, at addresses of a simulated address space.
//!
//! Every object instance lies in one flat array of bytes, with a gap behind it so that no pointer to its end is a pointer to another. A pointer is
//! an address and a [`Provenance`]: which instance it may be used for. Instances live in a table whose slots are reused; a slot's generation
//! is part of the provenance, so a pointer to an instance that has ended is never mistaken for one to its successor.

use std::collections::BTreeMap;

use super::blocks::Blocks;
use super::shadow::{Shadow, Unit};
use crate::ids::{ApproxId, FuncId, ObjectId};
use crate::types::DataModel;

/// What a pointer may be used for: a slot of the instance table and its generation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Provenance(u64);

impl Provenance {
    /// Nothing: null, or an address without an object.
    pub(super) const NONE: Provenance = Provenance(0);
    const WILD_SLOT: u32 = 1;
    const UNBORN_SLOT: u32 = 2;
    const FIRST_FUNCTION_SLOT: u32 = 3;

    const fn new(slot: u32, generation: u32) -> Provenance {
        Provenance((generation as u64) << 32 | slot as u64)
    }

    /// From the word of a register.
    #[inline(always)]
    pub(super) const fn from_raw(word: u64) -> Provenance {
        Provenance(word)
    }

    /// As the word of a register.
    #[inline(always)]
    pub(super) const fn raw(self) -> u64 {
        self.0
    }

    #[inline(always)]
    const fn slot(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// That of a pointer which an approximated step gave.
    pub(super) fn wild(what: ApproxId) -> Provenance {
        Provenance::new(Provenance::WILD_SLOT, what.raw() + 1)
    }

    /// The approximated step that gave the pointer.
    pub(super) fn wild_origin(self) -> Option<ApproxId> {
        (self.slot() == Provenance::WILD_SLOT as usize)
            .then(|| ApproxId::from_raw(self.generation() - 1))
    }

    /// That of a pointer to a local object outside its lifetime.
    pub(super) fn unborn(object: ObjectId) -> Provenance {
        Provenance::new(Provenance::UNBORN_SLOT, object.raw() + 1)
    }

    /// Whether it is that of a local object outside its lifetime.
    pub(super) fn is_unborn(self) -> bool {
        self.slot() == Provenance::UNBORN_SLOT as usize
    }

    /// That of a pointer to a function.
    pub(super) fn function(id: FuncId) -> Provenance {
        Provenance::new(Provenance::FIRST_FUNCTION_SLOT + id.raw(), 1)
    }

    /// That of a pointer to the `index`-th global object of a program with this many functions.
    pub(super) const fn global(functions: u32, index: u32) -> Provenance {
        Provenance::new(Provenance::FIRST_FUNCTION_SLOT + functions + index, 1)
    }
}

/// A pointer value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pointer {
    pub(super) address: u64,
    pub(super) provenance: Provenance,
}

impl Pointer {
    pub(super) const NULL: Pointer = Pointer::bare(0);

    /// An address without an object.
    pub(super) const fn bare(address: u64) -> Pointer {
        Pointer {
            address,
            provenance: Provenance::NONE,
        }
    }

    /// What an approximated step gives.
    pub(super) fn wild(what: ApproxId) -> Pointer {
        Pointer {
            address: 0x800,
            provenance: Provenance::wild(what),
        }
    }
}

/// Where functions and objects lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressSpace {
    /// Address of the first byte of the arena.
    pub(super) origin: u64,
    /// One past the last address that the arena may have.
    pub(super) end: u64,
    /// The bits of an address.
    pub(super) mask: u64,
    /// The size of a pointer.
    pub(super) pointer: Unit,
}

impl AddressSpace {
    pub(super) fn new(model: DataModel) -> AddressSpace {
        match model {
            DataModel::Ilp32 => AddressSpace {
                origin: 0x0800_0000,
                end: 0xffff_0000,
                mask: 0xffff_ffff,
                pointer: Unit::new(4),
            },
            DataModel::Lp64 => AddressSpace {
                origin: 0x10_0000_0000,
                end: 0x7fff_ffff_0000,
                mask: u64::MAX,
                pointer: Unit::new(8),
            },
        }
    }

    /// Address of a function: below all objects.
    pub(super) fn function_address(self, id: FuncId) -> u64 {
        0x1000 + 16 * u64::from(id.raw())
    }
}

/// What an instance is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InstanceKind {
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
}

/// The pointers in it have a shadow.
const SHADOWED: u8 = 1;
/// It may not be written.
const READ_ONLY: u8 = 2;
/// It is a live object (no function, no reserved slot).
const IN_ARENA: u8 = 4;

/// One object at run time.
#[derive(Clone, Debug)]
pub(super) struct Instance {
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
    pub(super) fn new(kind: InstanceKind, origin: u32, base: u64, size: u64) -> Instance {
        Instance {
            base,
            size,
            generation: 1,
            shadow: 0,
            origin,
            flags: match kind {
                InstanceKind::Reserved | InstanceKind::Function => 0,
                InstanceKind::Declared | InstanceKind::Heap | InstanceKind::Stack => IN_ARENA,
            },
            kind,
        }
    }
}

/// Why an access is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessError {
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
pub(super) enum FreeError {
    Wild(ApproxId),
    AlreadyFreed,
    Invalid {
        object: Option<(InstanceKind, u32)>,
        offset: i64,
    },
}

/// That more memory is needed than the limit allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfMemory;

/// That something was seen which C leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leak {
    /// The address of an object.
    Address,
    /// The value of an approximated step.
    Wild(ApproxId),
}

const NO_SLOT: u64 = u64::MAX;

/// All memory of a run.
#[derive(Debug)]
pub(super) struct Memory {
    arena: Vec<u8>,
    space: AddressSpace,
    instances: Vec<Instance>,
    /// First free slot of each list: one list per declared object, so that a dead slot still names its object, and one for allocations.
    free_slots: Vec<u64>,
    shadows: Vec<Shadow>,
    free_shadows: Vec<u32>,
    shadow_bytes: u64,
    blocks: Blocks,
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
    /// `globals` have addresses below `globals_end`.
    pub(super) fn new(
        space: AddressSpace,
        functions: u32,
        globals: &[Instance],
        globals_end: u64,
        declared: usize,
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
            by_address: None,
            leak: None,
            limit,
            reserved: 0,
        })
    }

    pub(super) fn space(&self) -> AddressSpace {
        self.space
    }

    /// Whether a slow operation since the last [`Memory::take_leak`] saw something.
    #[inline(always)]
    pub(super) fn has_leak(&self) -> bool {
        self.leak.is_some()
    }

    /// What the slow operations since the last call saw.
    pub(super) fn take_leak(&mut self) -> Option<Leak> {
        self.leak.take()
    }

    /// From here on no one may write to the object.
    pub(super) fn protect(&mut self, provenance: Provenance) {
        self.instances[provenance.slot()].flags |= READ_ONLY;
    }

    /// Says how much of the limit something else takes.
    pub(super) fn reserve(&mut self, bytes: u64) -> Result<(), OutOfMemory> {
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

    // --- Creation and end of objects ---

    /// Room for `size` bytes and a gap, at an address that is a multiple of `align` (a power of two).
    pub(super) fn obtain(&mut self, size: u64, align: u64) -> Result<u64, OutOfMemory> {
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
    pub(super) fn release(&mut self, address: u64, size: u64) {
        self.blocks.give_back(address, size);
    }

    fn index(&self, address: u64) -> usize {
        (address - self.space.origin) as usize
    }

    /// A declared local object begins its life at this address, with all bytes zero.
    pub(super) fn begin(
        &mut self,
        object: ObjectId,
        base: u64,
        size: u64,
        read_only: bool,
    ) -> Result<Provenance, OutOfMemory> {
        let list = object.index();
        let instance = Instance::new(InstanceKind::Declared, object.raw(), base, size);
        let provenance = self.create(list, instance)?;
        if read_only {
            self.protect(provenance);
        }
        Ok(provenance)
    }

    /// A new allocation.
    pub(super) fn allocate(
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
    pub(super) fn end(&mut self, provenance: Provenance) {
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
    pub(super) fn free(&mut self, pointer: Pointer, kind: InstanceKind) -> Result<(), FreeError> {
        self.check_free(pointer, kind)?;
        if pointer.address != 0 {
            let size = self.instances[pointer.provenance.slot()].size;
            self.end(pointer.provenance);
            self.release(pointer.address, size);
        }
        Ok(())
    }

    /// Whether the pointer is null or the start of a live allocation of that kind.
    pub(super) fn check_free(&self, pointer: Pointer, kind: InstanceKind) -> Result<(), FreeError> {
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

    // --- Checks ---

    /// Address of the object's first byte.
    #[inline(always)]
    pub(super) fn base_of(&self, provenance: Provenance) -> u64 {
        self.instances[provenance.slot()].base
    }

    /// Index of the first byte if this is an access that needs no further care: inside a live object, and without one of the flags.
    #[inline(always)]
    fn plain(&self, pointer: Pointer, size: u64, unwanted: u8) -> Option<usize> {
        let instance = self.instances.get(pointer.provenance.slot())?;
        let offset = pointer.address.wrapping_sub(instance.base);
        (instance.generation == pointer.provenance.generation()
            && offset < instance.size
            && size <= instance.size - offset
            && instance.flags & unwanted == 0)
            .then(|| (pointer.address - self.space.origin) as usize)
    }

    /// As [`Memory::plain`], for an offset in an object whose provenance is current.
    #[inline(always)]
    fn plain_in(&self, object: Provenance, offset: u64, size: u64, unwanted: u8) -> Option<usize> {
        let instance = self.instances.get(object.slot())?;
        (offset < instance.size && size <= instance.size - offset && instance.flags & unwanted == 0)
            .then(|| (instance.base - self.space.origin + offset) as usize)
    }

    /// Whether that many bytes may be accessed.
    pub(super) fn check(
        &self,
        pointer: Pointer,
        size: u64,
        write: bool,
    ) -> Result<(), AccessError> {
        let instance = &self.instances[pointer.provenance.slot()];
        let address = pointer.address;
        if let Some(what) = pointer.provenance.wild_origin() {
            return Err(AccessError::Wild(what));
        }
        if instance.generation != pointer.provenance.generation()
            || instance.kind == InstanceKind::Reserved
        {
            return Err(match instance.kind {
                InstanceKind::Declared => AccessError::Dead(ObjectId::from_raw(instance.origin)),
                InstanceKind::Heap | InstanceKind::Stack => AccessError::Freed,
                _ if pointer.provenance.is_unborn() => {
                    AccessError::Dead(ObjectId::from_raw(pointer.provenance.generation() - 1))
                }
                // A member of nothing: its address is small, seen from both sides.
                _ if address < 0x1000 || (self.space.mask - address) < 0x1000 => {
                    AccessError::Null { address }
                }
                _ => AccessError::NoObject { address },
            });
        }
        if instance.kind == InstanceKind::Function {
            return Err(AccessError::Function(FuncId::from_raw(instance.origin)));
        }
        let offset = address.wrapping_sub(instance.base);
        if offset > instance.size || size > instance.size - offset {
            return Err(AccessError::OutOfBounds {
                kind: instance.kind,
                origin: instance.origin,
                size: instance.size,
                offset: offset as i64,
            });
        }
        if write && instance.flags & READ_ONLY != 0 {
            return Err(AccessError::ReadOnly {
                kind: instance.kind,
                origin: instance.origin,
            });
        }
        Ok(())
    }

    // --- Reading and writing ---

    /// Reads bytes of an object without pointers; `None` asks for [`Memory::read`].
    #[inline(always)]
    pub(super) fn read_plain<const N: usize>(&self, pointer: Pointer) -> Option<[u8; N]> {
        let start = self.plain(pointer, N as u64, SHADOWED)?;
        self.arena[start..].first_chunk().copied()
    }

    /// Writes bytes of an object without pointers; `false` asks for [`Memory::write`].
    #[inline(always)]
    pub(super) fn write_plain<const N: usize>(&mut self, pointer: Pointer, bytes: [u8; N]) -> bool {
        match self.plain(pointer, N as u64, SHADOWED | READ_ONLY) {
            Some(start) => match self.arena[start..].first_chunk_mut() {
                Some(place) => {
                    *place = bytes;
                    true
                }
                None => false,
            },
            None => false,
        }
    }

    /// Reads bytes at an offset of an object without pointers; `None` asks for [`Memory::read`].
    #[inline(always)]
    pub(super) fn read_in<const N: usize>(
        &self,
        object: Provenance,
        offset: u64,
    ) -> Option<[u8; N]> {
        let start = self.plain_in(object, offset, N as u64, SHADOWED)?;
        self.arena[start..].first_chunk().copied()
    }

    /// Writes bytes at an offset of an object without pointers; `false` asks for [`Memory::write`].
    #[inline(always)]
    pub(super) fn write_in<const N: usize>(
        &mut self,
        object: Provenance,
        offset: u64,
        bytes: [u8; N],
    ) -> bool {
        match self.plain_in(object, offset, N as u64, SHADOWED | READ_ONLY) {
            Some(start) => match self.arena[start..].first_chunk_mut() {
                Some(place) => {
                    *place = bytes;
                    true
                }
                None => false,
            },
            None => false,
        }
    }

    /// Reads bytes that have none in common with a pointer; `None` asks for [`Memory::read`].
    #[inline]
    pub(super) fn read_beside_pointers<const N: usize>(&self, pointer: Pointer) -> Option<[u8; N]> {
        let start = self.plain(pointer, N as u64, 0)?;
        let instance = &self.instances[pointer.provenance.slot()];
        if instance.flags & SHADOWED != 0 {
            let offset = pointer.address - instance.base;
            let shadow = &self.shadows[instance.shadow as usize];
            if shadow
                .any_in(offset, N as u64, self.space.pointer)
                .is_some()
            {
                return None;
            }
        }
        self.arena[start..].first_chunk().copied()
    }

    /// Reads a pointer that was stored whole, or null; `None` asks for [`Memory::read_pointer`].
    #[inline]
    pub(super) fn read_known_pointer(&self, pointer: Pointer) -> Option<Pointer> {
        let unit = self.space.pointer;
        let start = self.plain(pointer, unit.size(), 0)?;
        let address = if unit.size() == 8 {
            u64::from_le_bytes(*self.arena[start..].first_chunk()?)
        } else {
            u32::from_le_bytes(*self.arena[start..].first_chunk()?).into()
        };
        let instance = &self.instances[pointer.provenance.slot()];
        let provenance = if instance.flags & SHADOWED != 0 {
            let offset = pointer.address - instance.base;
            self.shadows[instance.shadow as usize].get(offset, unit)
        } else {
            Provenance::NONE
        };
        (provenance != Provenance::NONE || address == 0).then_some(Pointer {
            address,
            provenance,
        })
    }

    /// Writes the first contents of global objects.
    pub(super) fn initialise(&mut self, address: u64, bytes: &[u8]) {
        let start = self.index(address);
        self.arena[start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// Bytes as numbers. Seeing a byte of a pointer is seeing an address.
    pub(super) fn read(&mut self, pointer: Pointer, size: u64) -> Result<&[u8], AccessError> {
        self.check(pointer, size, false)?;
        let instance = &self.instances[pointer.provenance.slot()];
        if instance.flags & SHADOWED != 0 {
            let offset = pointer.address - instance.base;
            let shadow = &self.shadows[instance.shadow as usize];
            if let Some(seen) = shadow.any_in(offset, size, self.space.pointer) {
                self.leak = Some(seen.wild_origin().map_or(Leak::Address, Leak::Wild));
            }
        }
        let start = self.index(pointer.address);
        Ok(&self.arena[start..start + size as usize])
    }

    /// Bytes to be overwritten with numbers; pointers that lie there are forgotten.
    pub(super) fn write(&mut self, pointer: Pointer, size: u64) -> Result<&mut [u8], AccessError> {
        self.check(pointer, size, true)?;
        self.forget_pointers(pointer, size);
        let start = self.index(pointer.address);
        Ok(&mut self.arena[start..start + size as usize])
    }

    fn forget_pointers(&mut self, pointer: Pointer, size: u64) {
        let instance = &self.instances[pointer.provenance.slot()];
        if instance.flags & SHADOWED != 0 {
            let offset = pointer.address - instance.base;
            let shadow = &mut self.shadows[instance.shadow as usize];
            shadow.clear(offset, size, self.space.pointer);
        }
    }

    /// Reads a pointer. One that was not stored whole is an address like any other number.
    pub(super) fn read_pointer(&mut self, pointer: Pointer) -> Result<Pointer, AccessError> {
        let unit = self.space.pointer;
        let size = unit.size() as usize;
        self.check(pointer, unit.size(), false)?;
        let start = self.index(pointer.address);
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.arena[start..start + size]);
        let address = u64::from_le_bytes(bytes);
        let instance = &self.instances[pointer.provenance.slot()];
        if instance.flags & SHADOWED != 0 {
            let offset = pointer.address - instance.base;
            let provenance = self.shadows[instance.shadow as usize].get(offset, unit);
            if provenance != Provenance::NONE {
                return Ok(Pointer {
                    address,
                    provenance,
                });
            }
        }
        Ok(self.resolve(address))
    }

    /// Writes a pointer.
    pub(super) fn write_pointer(
        &mut self,
        pointer: Pointer,
        value: Pointer,
    ) -> Result<(), AccessError> {
        let size = self.space.pointer.size();
        let bytes = value.address.to_le_bytes();
        self.write(pointer, size)?
            .copy_from_slice(&bytes[..size as usize]);
        if value.provenance != Provenance::NONE {
            let offset = pointer.address - self.base_of(pointer.provenance);
            self.remember_pointer(pointer.provenance.slot(), offset, value.provenance)
                .map_err(|OutOfMemory| AccessError::Memory)?;
        }
        Ok(())
    }

    fn remember_pointer(
        &mut self,
        slot: usize,
        offset: u64,
        provenance: Provenance,
    ) -> Result<(), OutOfMemory> {
        let instance = &mut self.instances[slot];
        if instance.flags & SHADOWED == 0 {
            instance.flags |= SHADOWED;
            instance.shadow = self.free_shadows.pop().unwrap_or_else(|| {
                self.shadows.push(Shadow::default());
                (self.shadows.len() - 1) as u32
            });
        }
        let shadow = &mut self.shadows[instance.shadow as usize];
        let before = shadow.footprint();
        shadow.set(offset, self.space.pointer, provenance);
        let after = shadow.footprint();
        if after > before {
            self.shadow_bytes += after - before;
            self.check_limit(0)?;
        }
        Ok(())
    }

    /// Copies bytes and the pointers among them; the ranges may overlap. The error says whether it was the read that failed.
    pub(super) fn copy(
        &mut self,
        dst: Pointer,
        src: Pointer,
        size: u64,
    ) -> Result<(), (AccessError, bool)> {
        self.check(src, size, false)
            .map_err(|error| (error, false))?;
        self.check(dst, size, true).map_err(|error| (error, true))?;
        let unit = self.space.pointer;
        let source = &self.instances[src.provenance.slot()];
        let mut pointers = Vec::new();
        if source.flags & SHADOWED != 0 {
            let offset = src.address - source.base;
            pointers = self.shadows[source.shadow as usize].whole_in(offset, size, unit);
        }
        self.forget_pointers(dst, size);
        let (from, to) = (self.index(src.address), self.index(dst.address));
        self.arena.copy_within(from..from + size as usize, to);
        let base = dst.address - self.base_of(dst.provenance);
        for (offset, provenance) in pointers {
            self.remember_pointer(dst.provenance.slot(), base + offset, provenance)
                .map_err(|OutOfMemory| (AccessError::Memory, true))?;
        }
        Ok(())
    }

    // --- Addresses as numbers ---

    /// The pointer that a number stands for: to the live object that the address lies in or just behind, if there is one.
    pub(super) fn resolve(&mut self, address: u64) -> Pointer {
        let arena_end = self.space.origin + self.arena.len() as u64;
        if address < self.space.origin {
            return self.resolve_function(address);
        }
        if address >= arena_end {
            return Pointer::bare(address);
        }
        let index = self.by_address.get_or_insert_with(|| {
            let slots = self.instances.iter().enumerate();
            slots
                .filter(|(_, instance)| instance.flags & IN_ARENA != 0)
                .map(|(slot, instance)| (instance.base, slot as u32))
                .collect()
        });
        if let Some((&base, &slot)) = index.range(..=address).next_back() {
            let instance = &self.instances[slot as usize];
            if address - base <= instance.size {
                self.leak = Some(Leak::Address);
                return Pointer {
                    address,
                    provenance: Provenance::new(slot, instance.generation),
                };
            }
        }
        Pointer::bare(address)
    }

    fn resolve_function(&mut self, address: u64) -> Pointer {
        let first = Provenance::FIRST_FUNCTION_SLOT as usize;
        let functions = self.instances[first..]
            .iter()
            .take_while(|instance| instance.kind == InstanceKind::Function)
            .count();
        let start = self.space.function_address(FuncId::from_raw(0));
        let index = address.wrapping_sub(start) / 16;
        if address >= start && address.is_multiple_of(16) && index < functions as u64 {
            self.leak = Some(Leak::Address);
            return Pointer {
                address,
                provenance: Provenance::function(FuncId::from_raw(index as u32)),
            };
        }
        Pointer::bare(address)
    }

    /// The address as a number.
    pub(super) fn expose(&mut self, pointer: Pointer) -> u64 {
        if pointer.provenance != Provenance::NONE {
            self.leak = Some(
                pointer
                    .provenance
                    .wild_origin()
                    .map_or(Leak::Address, Leak::Wild),
            );
        }
        pointer.address
    }

    /// Notes it if a comparison of the two addresses depends on where objects lie: `ordered` for less and greater, else for equality.
    #[inline]
    pub(super) fn note_comparison(&mut self, lhs: Pointer, rhs: Pointer, ordered: bool) {
        // The two common cases: within one object, and with null.
        let within_one = lhs.provenance == rhs.provenance && lhs.provenance.wild_origin().is_none();
        if within_one || rhs == Pointer::NULL && self.is_inside(lhs, true) {
            return;
        }
        self.note_other_comparison(lhs, rhs, ordered);
    }

    #[cold]
    fn note_other_comparison(&mut self, lhs: Pointer, rhs: Pointer, ordered: bool) {
        for pointer in [lhs, rhs] {
            if let Some(what) = pointer.provenance.wild_origin() {
                self.leak = Some(Leak::Wild(what));
                return;
            }
        }
        // Null is never the address of an object or of its end, and no two objects overlap, wherever they lie. But the end of one may
        // be the start of another.
        let certain = if lhs == Pointer::NULL {
            self.is_inside(rhs, true)
        } else if rhs == Pointer::NULL {
            self.is_inside(lhs, true)
        } else {
            !ordered && self.is_inside(lhs, false) && self.is_inside(rhs, false)
        };
        if !certain {
            self.leak = Some(Leak::Address);
        }
    }

    /// Notes it if the distance between the two depends on where objects lie.
    pub(super) fn note_difference(&mut self, lhs: Pointer, rhs: Pointer) {
        if lhs.provenance != rhs.provenance {
            self.leak = Some(Leak::Address);
        }
        for pointer in [lhs, rhs] {
            if let Some(what) = pointer.provenance.wild_origin() {
                self.leak = Some(Leak::Wild(what));
            }
        }
    }

    /// Whether the pointer is to a function, or into a live object (its end counts if `end_too`).
    fn is_inside(&self, pointer: Pointer, end_too: bool) -> bool {
        let instance = &self.instances[pointer.provenance.slot()];
        if instance.generation != pointer.provenance.generation() {
            return false;
        }
        let offset = pointer.address.wrapping_sub(instance.base);
        match instance.kind {
            InstanceKind::Reserved => false,
            InstanceKind::Function => offset == 0,
            _ => offset < instance.size || end_too && offset == instance.size,
        }
    }

    /// The function that the pointer is the address of.
    pub(super) fn function_at(&self, pointer: Pointer) -> Option<FuncId> {
        let instance = &self.instances[pointer.provenance.slot()];
        (instance.kind == InstanceKind::Function && instance.base == pointer.address)
            .then(|| FuncId::from_raw(instance.origin))
    }
}
