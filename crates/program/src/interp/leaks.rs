//! Memory of the heap that should not be there any more.

use super::executor::Executor;
use super::memory::Provenance;
use super::state::{Frame, World};
use super::values;
use crate::builtin::Leak;
use crate::ids::{EdgeId, FuncId};

impl Executor<'_> {
    /// Whether there is memory of the heap of which this is true.
    pub(super) fn leaks(
        &self,
        leak: Leak,
        world: &World,
        registers: &[u64],
        frames: &[Frame],
        base: usize,
        pc: u32,
    ) -> bool {
        if leak == Leak::Unfreed {
            return world.memory.has_heap();
        }
        // Every register file of an activation is a part of this one: bases are places in it.
        let mut held: Vec<Provenance> = Vec::new();
        let globals = self.roots.globals();
        held.extend(globals.map(|var| self.held(registers, base, var)));
        let mut activation = |function: FuncId, edge: EdgeId, base: usize| {
            let locals = self.roots.of(function, edge);
            held.extend(locals.map(|var| self.held(registers, base, var)));
        };
        for frame in frames {
            let call = frame.return_pc - 1;
            let edge = self.code.sites[call as usize].edge;
            activation(self.code.function_of(call), edge, frame.base);
        }
        let edge = self.code.sites[pc as usize].edge;
        activation(self.code.function_of(pc), edge, base);
        world.memory.has_lost(held)
    }

    fn held(&self, registers: &[u64], base: usize, var: crate::ids::VarId) -> Provenance {
        values::pointer(registers, base, self.layout.vars[var]).provenance
    }
}
