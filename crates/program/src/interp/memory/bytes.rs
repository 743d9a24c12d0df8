//! Access to the bytes of objects, each checked against bounds and lifetime.

use super::shadow::Shadow;
use super::{
    AccessError, IN_ARENA, InstanceKind, Leak, Memory, OutOfMemory, Pointer, Provenance, READ_ONLY,
    SHADOWED,
};
use crate::ids::{FuncId, ObjectId};

impl Memory {
    /// Address of the object's first byte.
    #[inline(always)]
    pub(in crate::interp) fn base_of(&self, provenance: Provenance) -> u64 {
        self.instances[provenance.slot()].base
    }

    /// Address of the first byte of a live object, and the number of its bytes.
    pub(in crate::interp) fn extent(&self, provenance: Provenance) -> Option<(u64, u64)> {
        let instance = self.instances.get(provenance.slot())?;
        let lives =
            instance.generation == provenance.generation() && instance.flags & IN_ARENA != 0;
        lives.then_some((instance.base, instance.size))
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
    pub(in crate::interp) fn check(
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

    /// Reads bytes of an object without pointers; `None` asks for [`Memory::read`].
    #[inline(always)]
    pub(in crate::interp) fn read_plain<const N: usize>(
        &self,
        pointer: Pointer,
    ) -> Option<[u8; N]> {
        let start = self.plain(pointer, N as u64, SHADOWED)?;
        self.arena[start..].first_chunk().copied()
    }

    /// Writes bytes of an object without pointers; `false` asks for [`Memory::write`].
    #[inline(always)]
    pub(in crate::interp) fn write_plain<const N: usize>(
        &mut self,
        pointer: Pointer,
        bytes: [u8; N],
    ) -> bool {
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
    pub(in crate::interp) fn read_in<const N: usize>(
        &self,
        object: Provenance,
        offset: u64,
    ) -> Option<[u8; N]> {
        let start = self.plain_in(object, offset, N as u64, SHADOWED)?;
        self.arena[start..].first_chunk().copied()
    }

    /// Writes bytes at an offset of an object without pointers; `false` asks for [`Memory::write`].
    #[inline(always)]
    pub(in crate::interp) fn write_in<const N: usize>(
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
    pub(in crate::interp) fn read_beside_pointers<const N: usize>(
        &self,
        pointer: Pointer,
    ) -> Option<[u8; N]> {
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
    pub(in crate::interp) fn read_known_pointer(&self, pointer: Pointer) -> Option<Pointer> {
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
    pub(in crate::interp) fn initialise(&mut self, address: u64, bytes: &[u8]) {
        let start = self.index(address);
        self.arena[start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// Bytes as numbers. Seeing a byte of a pointer is seeing an address.
    pub(in crate::interp) fn read(
        &mut self,
        pointer: Pointer,
        size: u64,
    ) -> Result<&[u8], AccessError> {
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
    pub(in crate::interp) fn write(
        &mut self,
        pointer: Pointer,
        size: u64,
    ) -> Result<&mut [u8], AccessError> {
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
    pub(in crate::interp) fn read_pointer(
        &mut self,
        pointer: Pointer,
    ) -> Result<Pointer, AccessError> {
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
    pub(in crate::interp) fn write_pointer(
        &mut self,
        pointer: Pointer,
        value: Pointer,
    ) -> Result<(), AccessError> {
        let size = self.space.pointer.size();
        let bytes = value.address.to_le_bytes();
        self.write(pointer, size)?
            .copy_from_slice(&bytes[..size as usize]);
        // What an address says alone is read again by it: its bytes are numbers.
        if value.provenance != Provenance::NONE && !self.is_plain_number(value) {
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
    pub(in crate::interp) fn copy(
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
}
