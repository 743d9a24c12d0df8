//! Where everything lies: variables in registers, objects at addresses.

use index_vec::IndexVec;

use super::instr::{Slot, words};
use super::memory::{AddressSpace, Instance, InstanceKind, Pointer, Provenance, ROOM};
use crate::cfa::{Action, AllocKind, Cfa};
use crate::ids::{EdgeId, FuncId, InputSiteId, ObjectId, VarId};
use crate::model::{Program, Scope};

/// Where variables and objects lie.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) space: AddressSpace,
    /// First register of each variable.
    pub(super) vars: IndexVec<VarId, Slot>,
    pub(super) objects: IndexVec<ObjectId, Home>,
    pub(super) functions: IndexVec<FuncId, Activation>,
    /// Number of fixed registers that global variables take.
    pub(super) global_words: u32,
    /// The global objects as instances.
    pub(super) globals: Vec<Instance>,
    /// One past the last address of a global object.
    pub(super) globals_end: u64,
    /// Number of edges in the functions before this one.
    pub(super) edges_before: IndexVec<FuncId, u32>,
    /// The site of the choices between threads.
    pub(super) schedule: Option<InputSiteId>,
    /// The site of the contents of objects that others made.
    pub(super) others: Option<InputSiteId>,
}

/// Where an object lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// There, for the whole run.
    Global(Pointer),
    /// In an activation.
    Local {
        /// The register that holds its provenance.
        slot: Slot,
        /// Distance from the start of the activation's part of the stack.
        offset: u64,
    },
}

/// What an activation of a function needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Activation {
    /// Number of registers for variables and for the provenances of objects.
    pub(super) words: u32,
    /// Number of registers that the arguments take, which are the first ones.
    pub(super) param_words: u32,
    /// Whether it has local memory: declared objects, or allocations that end with it.
    pub(super) scope: bool,
    /// The local objects, each with its register (relative to the activation).
    pub(super) objects: Vec<(ObjectId, u32)>,
    /// Number of bytes for the local objects.
    pub(super) bytes: u64,
    /// Alignment of that.
    pub(super) align: u64,
}

impl Layout {
    pub(super) fn new(program: &Program) -> Layout {
        let space = AddressSpace::new(program.data_model);
        let mut functions: IndexVec<FuncId, Activation> = program
            .functions
            .iter()
            .map(|_| Activation {
                align: 1,
                ..Activation::default()
            })
            .collect();
        let mut edges_before = IndexVec::with_capacity(program.functions.len());
        let mut edges = 0u32;
        for function in &program.functions {
            edges_before.push(edges);
            edges += function.cfa.edges.len() as u32;
        }
        let others = program.others();
        let mut layout = Layout {
            space,
            vars: program.vars.iter().map(|_| Slot::NOWHERE).collect(),
            objects: IndexVec::with_capacity(program.objects.len()),
            functions: IndexVec::new(),
            global_words: 0,
            globals: Vec::new(),
            // Objects of others come first: who gives a run its inputs knows their addresses.
            globals_end: space.origin + others.map_or(0, |_| ROOM),
            edges_before,
            schedule: program.schedule(),
            others,
        };
        // Arguments come first in an activation, in order.
        for (id, function) in program.functions.iter_enumerated() {
            let activation = &mut functions[id];
            for &param in &function.params {
                layout.vars[param] = Slot::local(activation.words);
                activation.words += words(program.vars[param].ty);
            }
            activation.param_words = activation.words;
            activation.scope = id == program.start || allocates(&function.cfa);
        }
        for (id, var) in program.vars.iter_enumerated() {
            if layout.vars[id] != Slot::NOWHERE {
                continue;
            }
            let width = words(var.ty);
            layout.vars[id] = match var.scope {
                Scope::Global => {
                    layout.global_words += width;
                    Slot::fixed(layout.global_words - width)
                }
                Scope::Local(function) => {
                    let activation = &mut functions[function];
                    activation.words += width;
                    Slot::local(activation.words - width)
                }
            };
        }
        for (id, object) in program.objects.iter_enumerated() {
            let align = object.align.max(1).checked_next_power_of_two().unwrap_or(1);
            let home = match object.scope {
                Scope::Global => layout.place_global(program, id, align),
                Scope::Local(function) => {
                    let activation = &mut functions[function];
                    let offset = align_up(activation.bytes, align);
                    activation.bytes = offset.saturating_add(object.size).saturating_add(1);
                    activation.align = activation.align.max(align);
                    activation.scope = true;
                    activation.objects.push((id, activation.words));
                    activation.words += 1;
                    Home::Local {
                        slot: Slot::local(activation.words - 1),
                        offset,
                    }
                }
            };
            layout.objects.push(home);
        }
        layout.functions = functions;
        layout
    }

    fn place_global(&mut self, program: &Program, id: ObjectId, align: u64) -> Home {
        let object = &program.objects[id];
        let address = align_up(self.globals_end, align);
        self.globals_end = address.saturating_add(object.size).saturating_add(1);
        let provenance =
            Provenance::global(program.functions.len() as u32, self.globals.len() as u32);
        self.globals.push(Instance::new(
            InstanceKind::Declared,
            id.raw(),
            address,
            object.size,
        ));
        Home::Global(Pointer {
            address,
            provenance,
        })
    }

    /// The function and edge with that number in the whole program.
    pub(super) fn edge_numbered(&self, number: u32) -> (FuncId, EdgeId) {
        // A function without edges shares its number with the one behind it, which is the last with that number.
        let after = self
            .edges_before
            .raw
            .partition_point(|&before| before <= number);
        let function = FuncId::new(after.saturating_sub(1));
        let edge = EdgeId::from_raw(number - self.edges_before[function]);
        (function, edge)
    }
}

/// Whether the function makes allocations that end with its activation.
fn allocates(cfa: &Cfa) -> bool {
    cfa.edges.iter().any(|edge| {
        let kind = AllocKind::Stack;
        matches!(edge.action, Action::Alloc { kind: found, .. } if found == kind)
    })
}

/// The least multiple of `align`, a power of two, that is not less. Saturates.
fn align_up(value: u64, align: u64) -> u64 {
    value.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}
