//! Pointers: addresses, and what they may be used for.

use super::shadow::Unit;
use crate::ids::{ApproxId, FuncId, ObjectId};
use crate::types::DataModel;

/// What a pointer may be used for: a slot of the instance table and its generation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::interp) struct Provenance(u64);

impl Provenance {
    /// Nothing: null, or an address without an object.
    pub(in crate::interp) const NONE: Provenance = Provenance(0);
    pub(super) const WILD_SLOT: u32 = 1;
    pub(super) const UNBORN_SLOT: u32 = 2;
    pub(super) const FIRST_FUNCTION_SLOT: u32 = 3;

    pub(super) const fn new(slot: u32, generation: u32) -> Provenance {
        Provenance((generation as u64) << 32 | slot as u64)
    }

    /// From the word of a register.
    #[inline(always)]
    pub(in crate::interp) const fn from_raw(word: u64) -> Provenance {
        Provenance(word)
    }

    /// As the word of a register.
    #[inline(always)]
    pub(in crate::interp) const fn raw(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub(super) const fn slot(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    pub(super) const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// That of a pointer which an approximated step gave.
    pub(in crate::interp) fn wild(what: ApproxId) -> Provenance {
        Provenance::new(Provenance::WILD_SLOT, what.raw() + 1)
    }

    /// The approximated step that gave the pointer.
    pub(in crate::interp) fn wild_origin(self) -> Option<ApproxId> {
        (self.slot() == Provenance::WILD_SLOT as usize)
            .then(|| ApproxId::from_raw(self.generation() - 1))
    }

    /// That of a pointer to a local object outside its lifetime.
    pub(in crate::interp) fn unborn(object: ObjectId) -> Provenance {
        Provenance::new(Provenance::UNBORN_SLOT, object.raw() + 1)
    }

    /// Whether it is that of a local object outside its lifetime.
    pub(in crate::interp) fn is_unborn(self) -> bool {
        self.slot() == Provenance::UNBORN_SLOT as usize
    }

    /// That of a pointer to a function.
    pub(in crate::interp) fn function(id: FuncId) -> Provenance {
        Provenance::new(Provenance::FIRST_FUNCTION_SLOT + id.raw(), 1)
    }

    /// That of a pointer to the `index`-th global object of a program with this many functions.
    pub(in crate::interp) const fn global(functions: u32, index: u32) -> Provenance {
        Provenance::new(Provenance::FIRST_FUNCTION_SLOT + functions + index, 1)
    }
}

/// A pointer value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) struct Pointer {
    pub(in crate::interp) address: u64,
    pub(in crate::interp) provenance: Provenance,
}

impl Pointer {
    pub(in crate::interp) const NULL: Pointer = Pointer::bare(0);

    /// An address without an object.
    pub(in crate::interp) const fn bare(address: u64) -> Pointer {
        Pointer {
            address,
            provenance: Provenance::NONE,
        }
    }

    /// What an approximated step gives.
    pub(in crate::interp) fn wild(what: ApproxId) -> Pointer {
        Pointer {
            address: 0x800,
            provenance: Provenance::wild(what),
        }
    }
}

/// Where functions and objects lie.
#[derive(Clone, Copy, Debug)]
pub(in crate::interp) struct AddressSpace {
    /// Address of the first byte of the arena.
    pub(in crate::interp) origin: u64,
    /// One past the last address that the arena may have.
    pub(in crate::interp) end: u64,
    /// The bits of an address.
    pub(in crate::interp) mask: u64,
    /// The size of a pointer.
    pub(in crate::interp) pointer: Unit,
}

impl AddressSpace {
    pub(in crate::interp) fn new(model: DataModel) -> AddressSpace {
        match model {
            DataModel::Ilp32 => AddressSpace {
                origin: 0x1000_0000,
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
    pub(in crate::interp) fn function_address(self, id: FuncId) -> u64 {
        0x1000 + 16 * u64::from(id.raw())
    }
}
