//! Constants in fixed registers, and equality of expressions.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use super::instr::Slot;
use crate::expr::{BinOp, ExprKind, Exprs};
use crate::ids::ExprId;
use crate::model::Program;
use crate::types::Type;

/// The constants of the code: each has a fixed register.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    words: FxHashMap<u64, Slot>,
    pairs: FxHashMap<(u64, u64), Slot>,
    /// First contents of all fixed registers; the global variables come first.
    registers: Vec<u64>,
    global_words: usize,
    frozen: bool,
}

impl Pool {
    /// A pool behind so many registers of global variables.
    pub(super) fn new(global_words: u32) -> Pool {
        Pool {
            words: FxHashMap::default(),
            pairs: FxHashMap::default(),
            registers: vec![0; global_words as usize],
            global_words: global_words as usize,
            frozen: false,
        }
    }

    /// From here on it gets no new constants: activations begin where it ends.
    pub(super) fn freeze(&mut self) {
        self.frozen = true;
    }

    /// First contents of all fixed registers.
    pub(super) fn registers(&self) -> &[u64] {
        &self.registers
    }

    /// The constant in a register, if it has one.
    pub(super) fn constant_in(&self, slot: Slot) -> Option<u64> {
        let is_constant = !slot.is_local() && slot.index(0) >= self.global_words;
        is_constant.then(|| self.registers[slot.index(0)])
    }

    /// The register with this constant, if there is or can be one.
    pub(super) fn word(&mut self, value: u64) -> Option<Slot> {
        if let Some(&slot) = self.words.get(&value) {
            return Some(slot);
        }
        if self.frozen {
            return None;
        }
        let slot = Slot::fixed(self.registers.len() as u32);
        self.registers.push(value);
        self.words.insert(value, slot);
        Some(slot)
    }

    /// The first of two neighbouring registers with these constants.
    pub(super) fn pair(&mut self, low: u64, high: u64) -> Option<Slot> {
        if let Some(&slot) = self.pairs.get(&(low, high)) {
            return Some(slot);
        }
        if self.frozen {
            return None;
        }
        let slot = Slot::fixed(self.registers.len() as u32);
        self.registers.extend([low, high]);
        self.pairs.insert((low, high), slot);
        Some(slot)
    }
}

/// For every expression the first one that is equal to it, node by node.
#[derive(Debug)]
pub(super) struct Canon {
    first: IndexVec<ExprId, ExprId>,
    /// Whether computing it may show something that C leaves open (see [`super::memory::Leak`]), or depends on the direction of rounding.
    observing: IndexVec<ExprId, bool>,
    known: FxHashMap<(ExprKind, Type), ExprId>,
}

impl Canon {
    pub(super) fn new(program: &Program) -> Canon {
        let exprs = &program.exprs;
        let rounds = program.sets_rounding();
        let mut canon = Canon {
            first: IndexVec::with_capacity(exprs.len()),
            observing: IndexVec::with_capacity(exprs.len()),
            known: FxHashMap::default(),
        };
        for index in 0..exprs.len() {
            let id = ExprId::new(index);
            let expr = &exprs[id];
            let key = (canon.kind(expr.kind), expr.ty);
            let first = *canon.known.entry(key).or_insert(id);
            canon.first.push(first);
            let observing = observes(exprs, id)
                || (rounds && is_rounded(exprs, id))
                || exprs.children(id).any(|child| canon.observing[child]);
            canon.observing.push(observing);
        }
        canon
    }

    /// The representative of all expressions equal to this one.
    pub(super) fn of(&self, id: ExprId) -> ExprId {
        self.first[id]
    }

    /// Whether computing it may show something that C leaves open.
    pub(super) fn is_observing(&self, id: ExprId) -> bool {
        self.observing[id]
    }

    /// The representative of `lhs op rhs`, if the program has that expression.
    pub(super) fn binary(&self, op: BinOp, lhs: ExprId, rhs: ExprId, ty: Type) -> Option<ExprId> {
        let kind = ExprKind::Binary(op, self.of(lhs), self.of(rhs));
        self.known.get(&(kind, ty)).copied()
    }

    /// The node with its children replaced by their representatives, which come before it in the arena.
    fn kind(&self, kind: ExprKind) -> ExprKind {
        match kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => {
                kind
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.of(a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, self.of(a), self.of(b)),
            ExprKind::Cast(a) => ExprKind::Cast(self.of(a)),
            ExprKind::Overflows(op, a, b) => ExprKind::Overflows(op, self.of(a), self.of(b)),
            ExprKind::CastOverflows(ty, a) => ExprKind::CastOverflows(ty, self.of(a)),
            ExprKind::PtrAdd(a, b) => ExprKind::PtrAdd(self.of(a), self.of(b)),
            ExprKind::PtrDiff(a, b) => ExprKind::PtrDiff(self.of(a), self.of(b)),
            ExprKind::AccessOk { ptr, size, write } => ExprKind::AccessOk {
                ptr: self.of(ptr),
                size: self.of(size),
                write,
            },
            ExprKind::FreeOk(a) => ExprKind::FreeOk(self.of(a)),
        }
    }
}

/// Whether the result of the operation is rounded.
fn is_rounded(exprs: &Exprs, id: ExprId) -> bool {
    matches!(exprs.ty(id), Type::Float(_))
        && matches!(exprs[id].kind, ExprKind::Binary(..) | ExprKind::Cast(_))
}

/// Whether the operation itself looks at the addresses of pointers.
fn observes(exprs: &Exprs, id: ExprId) -> bool {
    let expr = &exprs[id];
    match expr.kind {
        ExprKind::PtrDiff(..) => true,
        ExprKind::Binary(_, lhs, _) => exprs.ty(lhs) == Type::Ptr,
        ExprKind::Cast(arg) => expr.ty == Type::Ptr || exprs.ty(arg) == Type::Ptr,
        _ => false,
    }
}
