//! From automata to register code.
//!
//! Two codes are made from the same automata. *Fast* code executes a check and the action that it guards by one
//! instruction, keeps results of checks for the action, and counts steps per block. *Traced* code keeps every edge
//! apart, announces it to an observer and counts it on its own; it is also what the last, partial block before a limit
//! on steps is executed with. Variables lie in the same registers in both, so a run can change from one to the other at
//! any location.

mod action;
mod check;
mod control;
mod expr;
mod init;
mod place;
mod substitute;

use rustc_hash::FxHashMap;

use super::code::{AnyAccess, Call, Code, Extra, Generic, Sink, Site};
use super::instr::{Instr, Slot, words};
use super::layout::Layout;
use super::pool::{Canon, Pool};
use crate::cfa::Cfa;
use crate::expr::ExprKind;
use crate::ids::{EdgeId, ExprId, FuncId, LocId, VarId};
use crate::model::Program;
use crate::roots::Roots;
use crate::types::Type;

pub(super) use init::{Image, value_size};

use substitute::Uses;

/// Which of the two codes is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Fast,
    Traced,
}

/// What code is made from.
#[derive(Debug)]
pub(super) struct Source<'p> {
    pub(super) program: &'p Program,
    pub(super) layout: Layout,
    pub(super) roots: Roots<'p>,
    canon: Canon,
    uses: Uses,
}

impl<'p> Source<'p> {
    pub(super) fn new(program: &'p Program) -> Source<'p> {
        Source {
            program,
            layout: Layout::new(program),
            roots: Roots::new(program),
            canon: Canon::new(program),
            uses: Uses::new(program),
        }
    }
}

/// Makes the code of a whole program. New constants are added to the pool unless it is frozen.
pub(super) fn compile(source: &Source<'_>, pool: &mut Pool, mode: Mode) -> Code {
    let mut code = Code::default();
    for id in source.program.functions.indices() {
        FunctionCompiler::new(source, pool, mode, &mut code, id).function();
    }
    code
}

/// Not yet known as a jump target.
const UNPLACED: u32 = u32::MAX;

/// The state of making the code of one function.
struct FunctionCompiler<'a> {
    program: &'a Program,
    layout: &'a Layout,
    canon: &'a Canon,
    uses: &'a Uses,
    pool: &'a mut Pool,
    mode: Mode,
    code: &'a mut Code,
    id: FuncId,
    cfa: &'a Cfa,

    /// Number of edges that lead to each location.
    incoming: Vec<u32>,

    /// First instruction of each location that begins a block.
    location_pc: Vec<u32>,
    /// Branches whose target is a location without an instruction yet.
    unresolved: Vec<(u32, LocId)>,
    /// Ways out of blocks whose code comes behind the function's blocks.
    exits: Vec<control::Exit>,

    /// First instruction of the current block.
    block_start: u32,
    /// Index of the current block's first exit.
    block_exits: usize,
    /// Number of edges of the current block whose execution has begun.
    edges_done: u32,
    /// The edge that instructions belong to.
    edge: EdgeId,
    /// The edge on which the check fails that the next access stands for.
    check: Option<EdgeId>,

    /// Registers of expressions that were computed already and still have that value.
    memo: FxHashMap<ExprId, Slot>,
    /// Those of them that must be computed again for every edge, because a run must tell each edge that looks at an address.
    observing: Vec<ExprId>,
    /// Variables that are replaced by their values.
    substituted: FxHashMap<VarId, ExprId>,
    /// Number of registers in use, and the greatest such number.
    words_used: u32,
    words_needed: u32,
}

impl<'a> FunctionCompiler<'a> {
    fn new(
        source: &'a Source<'_>,
        pool: &'a mut Pool,
        mode: Mode,
        code: &'a mut Code,
        id: FuncId,
    ) -> FunctionCompiler<'a> {
        let Source {
            program,
            layout,
            canon,
            uses,
            roots: _,
        } = source;
        let cfa = &program.functions[id].cfa;
        let words = layout.functions[id].words;
        let mut incoming = vec![0; cfa.locations.len()];
        for edge in &cfa.edges {
            incoming[edge.target.index()] += 1;
        }
        FunctionCompiler {
            program,
            layout,
            canon,
            uses,
            pool,
            mode,
            code,
            id,
            cfa,
            incoming,
            location_pc: vec![UNPLACED; cfa.locations.len()],
            unresolved: Vec::new(),
            exits: Vec::new(),
            block_start: 0,
            block_exits: 0,
            edges_done: 0,
            edge: EdgeId::from_raw(0),
            check: None,
            memo: FxHashMap::default(),
            observing: Vec::new(),
            substituted: FxHashMap::default(),
            words_used: words,
            words_needed: words,
        }
    }

    fn fast(&self) -> bool {
        self.mode == Mode::Fast
    }

    fn pc(&self) -> u32 {
        self.code.instrs.len() as u32
    }

    /// Adds an instruction and gives its index.
    fn emit(&mut self, instr: Instr) -> u32 {
        let pc = self.pc();
        self.code.instrs.push(instr);
        self.code.charges.push(0);
        self.code.sites.push(Site {
            edge: self.edge,
            check: self.check,
            exit: UNPLACED,
            // Until the block is complete: how many of its edges were begun.
            pending: self.edges_done,
        });
        pc
    }

    fn emit_generic(&mut self, generic: Generic) {
        let index = self.code.generics.len() as u32;
        self.code.generics.push(generic);
        self.emit(Instr::Generic { index });
    }

    fn emit_extra(&mut self, extra: Extra) {
        let index = self.code.extras.len() as u32;
        self.code.extras.push(extra);
        self.emit(Instr::Extra { index });
    }

    fn emit_call(&mut self, call: Call) {
        let index = self.code.calls.len() as u32;
        self.code.calls.push(call);
        self.emit(Instr::Call { index });
    }

    fn emit_sink(&mut self, sink: Sink) {
        let index = self.code.sinks.len() as u32;
        self.code.sinks.push(sink);
        self.emit(Instr::Sink { index });
    }

    fn add_access(&mut self, access: AnyAccess) -> u32 {
        self.code.accesses.push(access);
        self.code.accesses.len() as u32 - 1
    }

    fn kind(&self, id: ExprId) -> ExprKind {
        self.program.exprs[id].kind
    }

    fn ty(&self, id: ExprId) -> Type {
        self.program.exprs.ty(id)
    }

    /// A new temporary register (or two) for a value of the type.
    fn temporary(&mut self, ty: Type) -> Slot {
        let slot = Slot::local(self.words_used);
        self.words_used += words(ty);
        self.words_needed = self.words_needed.max(self.words_used);
        slot
    }

    fn is_temporary(&self, slot: Slot) -> bool {
        slot.is_local() && slot.index(0) >= self.layout.functions[self.id].words as usize
    }

    /// Notes that the expression has this value.
    fn remember(&mut self, key: ExprId, slot: Slot) {
        self.memo.insert(key, slot);
        if self.canon.is_observing(key) {
            self.observing.push(key);
        }
    }

    /// Another edge begins, with the same values of all variables.
    fn forget_observing(&mut self) {
        for key in self.observing.drain(..) {
            self.memo.remove(&key);
        }
    }

    /// Values that were computed before are not known any more.
    fn forget(&mut self) {
        self.memo.clear();
        self.observing.clear();
        self.words_used = self.layout.functions[self.id].words;
    }

    /// A register with this constant.
    fn constant(&mut self, value: u64) -> Slot {
        self.pool.word(value).unwrap_or_else(|| {
            let slot = self.temporary(Type::Bool);
            self.emit(Instr::Const { dst: slot, value });
            slot
        })
    }

    /// Two neighbouring registers with these constants.
    fn constant_pair(&mut self, low: u64, high: u64) -> Slot {
        self.pool.pair(low, high).unwrap_or_else(|| {
            let slot = self.temporary(Type::Ptr);
            self.emit(Instr::Const {
                dst: slot,
                value: low,
            });
            self.emit(Instr::Const {
                dst: slot.next(),
                value: high,
            });
            slot
        })
    }
}
