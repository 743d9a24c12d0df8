//! The state of a run.

use rustc_apfloat::Round;
use rustc_hash::FxHashSet;

use super::code::Operand;
use super::instr::Slot;
use super::layout::Layout;
use super::memory::{InstanceKind, Leak, Mark, Memory, Pointer, Provenance, Stack};
use super::outcome::Caveat;
use super::threads::Threads;
use super::values;
use crate::ids::{EdgeId, FuncId, InputSiteId, VarId};
use crate::model::{self, Program};

/// Everything that changes while a program runs.
#[derive(Debug)]
pub(super) struct RunState {
    /// The fixed registers, then those of the activations, the current one last.
    pub(super) registers: Vec<u64>,
    /// Where the registers of the current activation begin.
    pub(super) base: usize,
    /// The suspended activations.
    pub(super) frames: Vec<Frame>,
    pub(super) world: World,
    /// The thread whose stack this is, and the others.
    pub(super) threads: Threads,
}

impl RunState {
    /// The word in a register.
    pub(super) fn word(&self, slot: Slot) -> u64 {
        self.registers[slot.index(self.base)]
    }

    /// The pointer in two registers.
    pub(super) fn pointer(&self, slot: Slot) -> Pointer {
        values::pointer(&self.registers, self.base, slot)
    }
}

/// What a call keeps for the return.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) base: usize,
    /// The instruction behind the call.
    pub(super) return_pc: u32,
    /// Where the caller wants the result.
    pub(super) dst: Slot,
}

/// The local memory of an activation. Only functions that have local objects, or allocate some, have one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope {
    /// Where the declared objects lie.
    pub(super) home: u64,
    /// How far the stack was filled before.
    pub(super) mark: Mark,
    /// How many allocations were there before.
    pub(super) allocations: usize,
}

/// What instructions other than plain computations work on.
#[derive(Debug)]
pub(super) struct World {
    pub(super) memory: Memory,
    pub(super) stack: Stack,
    /// The local memory of activations, the innermost last.
    pub(super) scopes: Vec<Scope>,
    /// Allocations that end with their activation, innermost last.
    pub(super) allocations: Vec<Provenance>,
    /// How often each input site was passed.
    pub(super) occurrences: Vec<u64>,
    pub(super) output: Output,
    pub(super) caveats: Caveats,
    /// The direction in which floating-point arithmetic rounds.
    pub(super) rounding: Round,
}

impl World {
    /// How often the site was passed before; this time counts from now on.
    pub(super) fn next_occurrence(&mut self, site: InputSiteId) -> u64 {
        let count = &mut self.occurrences[site.index()];
        let before = *count;
        *count = before.saturating_add(1);
        before
    }

    /// An allocation was freed before its activation ended.
    pub(super) fn forget_allocation(&mut self, provenance: Provenance) {
        if let Some(index) = self.allocations.iter().rposition(|&p| p == provenance) {
            self.allocations.remove(index);
        }
    }

    /// Ends the allocations that came after so many.
    pub(super) fn end_allocations(&mut self, before: usize) {
        for provenance in self.allocations.drain(before..) {
            let start = Pointer {
                address: self.memory.base_of(provenance),
                provenance,
            };
            // What was freed by the program is not in the list any more.
            let ended = self.memory.free(start, InstanceKind::Stack);
            debug_assert_eq!(ended, Ok(()));
        }
    }
}

/// What the program writes.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    pub(super) limit: u64,
    pub(super) truncated: bool,
}

impl Output {
    /// Writes one byte, if there is room.
    pub(super) fn push(&mut self, byte: u8) {
        if (self.bytes.len() as u64) < self.limit {
            self.bytes.push(byte);
        } else {
            self.truncated = true;
        }
    }

    /// Writes the same byte several times.
    pub(super) fn pad(&mut self, byte: u8, count: u64) {
        let room = self.limit - self.bytes.len() as u64;
        self.truncated |= count > room;
        let end = self.bytes.len() + count.min(room) as usize;
        self.bytes.resize(end, byte);
    }
}

/// The caveats of a run, each once.
#[derive(Debug, Default)]
pub(super) struct Caveats {
    seen: FxHashSet<Caveat>,
    pub(super) list: Vec<Caveat>,
}

impl Caveats {
    pub(super) fn add(&mut self, caveat: Caveat) {
        if self.seen.insert(caveat) {
            self.list.push(caveat);
        }
    }

    /// Adds what memory saw at this edge.
    pub(super) fn add_leak(&mut self, leak: Leak, function: FuncId, edge: EdgeId) {
        self.add(match leak {
            Leak::Address => Caveat::Addresses { function, edge },
            Leak::Wild(what) => Caveat::Approximation(what),
        });
    }
}

/// The state of a run as an observer sees it: before the edge's action.
pub struct View<'a> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a Layout,
    pub(super) registers: &'a [u64],
    pub(super) base: usize,
    pub(super) function: FuncId,
    pub(super) depth: usize,
}

impl View<'_> {
    /// The function whose edge is next.
    pub fn function(&self) -> FuncId {
        self.function
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.program
    }

    /// Number of calls under way.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The value of a variable in the current activation, by its bits (a pointer: its address). `None` for a local of another function.
    pub fn value(&self, var: VarId) -> Option<u128> {
        let info = &self.program.vars[var];
        match info.scope {
            model::Scope::Local(owner) if owner != self.function => None,
            _ => Some(values::read(
                self.registers,
                self.base,
                Operand {
                    slot: self.layout.vars[var],
                    ty: info.ty,
                },
            )),
        }
    }
}
