//! Addresses as numbers, which C leaves open: everything that depends on one is noted.

use super::{IN_ARENA, InstanceKind, Leak, Memory, Pointer, Provenance};
use crate::ids::FuncId;

impl Memory {
    /// The pointer that a number stands for: to the live object that the address lies in or just behind, if there is one.
    pub(in crate::interp) fn resolve(&mut self, address: u64) -> Pointer {
        let arena_end = self.space.origin + self.arena.len() as u64;
        if address < self.space.origin {
            return self.resolve_function(address);
        }
        if address >= arena_end {
            return Pointer::bare(address);
        }
        if let Some(pointer) = self.resolve_other(address) {
            return pointer;
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
        let start = self.space.function_address(FuncId::from_raw(0));
        let index = address.wrapping_sub(start) / 16;
        // Functions come first among the instances, one next to the other, and there are no others later.
        let slot = u64::from(Provenance::FIRST_FUNCTION_SLOT).saturating_add(index);
        let instance = usize::try_from(slot)
            .ok()
            .and_then(|slot| self.instances.get(slot));
        let is_function = instance.is_some_and(|instance| instance.kind == InstanceKind::Function);
        if address >= start && address.is_multiple_of(16) && is_function {
            self.leak = Some(Leak::Address);
            return Pointer {
                address,
                provenance: Provenance::function(FuncId::from_raw(index as u32)),
            };
        }
        Pointer::bare(address)
    }

    /// The address as a number.
    pub(in crate::interp) fn expose(&mut self, pointer: Pointer) -> u64 {
        if !self.is_given(pointer) {
            self.leak = Some(
                pointer
                    .provenance
                    .wild_origin()
                    .map_or(Leak::Address, Leak::Wild),
            );
        }
        pointer.address
    }

    /// The address as a number; `roughly` if it is only compared with one at which nothing lies.
    pub(in crate::interp) fn expose_as(&mut self, pointer: Pointer, roughly: bool) -> u64 {
        match roughly && self.is_inside(pointer, true) {
            true => pointer.address,
            false => self.expose(pointer),
        }
    }

    /// Notes it if a comparison of the two addresses depends on where objects lie: `ordered` for less and greater, else for equality.
    #[inline]
    pub(in crate::interp) fn note_comparison(&mut self, lhs: Pointer, rhs: Pointer, ordered: bool) {
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
        if self.is_given(lhs) && self.is_given(rhs) {
            return;
        }
        // Null is never the address of an object or of its end, and no two objects overlap, wherever they lie. But the end of one may
        // be the start of another.
        let is_not_null = |pointer| self.is_inside(pointer, true) || self.has_ended(pointer);
        let certain = if lhs == Pointer::NULL {
            is_not_null(rhs)
        } else if rhs == Pointer::NULL {
            is_not_null(lhs)
        } else {
            !ordered && self.is_inside(lhs, false) && self.is_inside(rhs, false)
        };
        if !certain {
            self.leak = Some(Leak::Address);
        }
    }

    /// Notes it if the distance between the two depends on where objects lie.
    pub(in crate::interp) fn note_difference(&mut self, lhs: Pointer, rhs: Pointer) {
        let are_given = self.is_given(lhs) && self.is_given(rhs);
        if lhs.provenance != rhs.provenance && !are_given {
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

    /// Whether the pointer is to an object that was there and is no more. It keeps its address, which is still not null.
    fn has_ended(&self, pointer: Pointer) -> bool {
        let instance = &self.instances[pointer.provenance.slot()];
        let is_object = matches!(
            instance.kind,
            InstanceKind::Declared | InstanceKind::Heap | InstanceKind::Stack
        );
        let offset = pointer.address.wrapping_sub(self.space.origin);
        is_object
            && instance.generation != pointer.provenance.generation()
            && offset <= self.arena.len() as u64
    }

    /// The function that the pointer is the address of.
    pub(in crate::interp) fn function_at(&self, pointer: Pointer) -> Option<FuncId> {
        let instance = &self.instances[pointer.provenance.slot()];
        (instance.kind == InstanceKind::Function && instance.base == pointer.address)
            .then(|| FuncId::from_raw(instance.origin))
    }
}
