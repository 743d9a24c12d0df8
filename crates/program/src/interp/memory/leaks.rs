//! What of the heap can still be reached.

use super::{IN_ARENA, Instance, InstanceKind, Memory, Provenance, SHADOWED};

impl Memory {
    fn is_live_heap(instance: &Instance) -> bool {
        instance.kind == InstanceKind::Heap && instance.flags & IN_ARENA != 0
    }

    /// Whether an object of the heap is alive.
    pub(in crate::interp) fn has_heap(&self) -> bool {
        self.instances.iter().any(Memory::is_live_heap)
    }

    /// Whether there is a live object of the heap to which nothing leads: neither one of these pointers, nor one in an
    /// object that is no part of the heap, nor one in an object to which something leads. A pointer into the middle of
    /// an object, or to its end, leads to it.
    pub(in crate::interp) fn has_lost(&self, held: impl IntoIterator<Item = Provenance>) -> bool {
        let mut reached = vec![false; self.instances.len()];
        let mut todo: Vec<usize> = Vec::new();
        for (slot, instance) in self.instances.iter().enumerate() {
            let is_object = instance.flags & IN_ARENA != 0;
            if is_object && instance.kind != InstanceKind::Heap {
                reached[slot] = true;
                todo.push(slot);
            }
        }
        let mut lead = |provenance: Provenance, todo: &mut Vec<usize>| {
            let Some(instance) = self.instances.get(provenance.slot()) else {
                return;
            };
            let is_current = instance.generation == provenance.generation();
            let is_object = instance.flags & IN_ARENA != 0;
            if is_current && is_object && !reached[provenance.slot()] {
                reached[provenance.slot()] = true;
                todo.push(provenance.slot());
            }
        };
        for provenance in held {
            lead(provenance, &mut todo);
        }
        while let Some(slot) = todo.pop() {
            let instance = &self.instances[slot];
            if instance.flags & SHADOWED != 0 {
                let shadow = &self.shadows[instance.shadow as usize];
                let unit = self.space.pointer;
                for (_, provenance) in shadow.whole_in(0, instance.size, unit) {
                    lead(provenance, &mut todo);
                }
            }
        }
        (self.instances.iter().zip(&reached))
            .any(|(instance, reached)| Memory::is_live_heap(instance) && !reached)
    }
}
