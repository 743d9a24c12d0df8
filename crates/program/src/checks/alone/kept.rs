//! Whether what is written keeps the promises.

use super::super::Application;
use super::make::Thread;
use super::{Fact, FactSide, Promise};
use crate::cfa::{Action, LocKind};
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::{EdgeId, ExprId, FuncId, LocId, ObjectId, TargetId, VarId};
use crate::model::{Program, Scope};
use crate::span::Span;
use crate::types::{Access, IntType, Type};

impl Thread<'_> {
    /// Puts a question about all promises behind whatever writes memory.
    pub(super) fn ask_what_is_written(&self, work: &mut Application<'_>) {
        let writes = |action: &Action| {
            matches!(
                action,
                Action::Store { .. }
                    | Action::Copy { .. }
                    | Action::Fill { .. }
                    | Action::InputBytes { .. }
            )
        };
        for (function, edge) in work.edges(writes) {
            if function != self.others {
                self.ask(work, function, edge);
            }
        }
    }

    fn ask(&self, work: &mut Application<'_>, function: FuncId, edge: EdgeId) {
        let base = match &work.program.functions[function].cfa.edges[edge].action {
            Action::Store { ptr, .. } | Action::InputBytes { ptr, .. } => base(&work.program, *ptr),
            Action::Copy { dst, .. } | Action::Fill { dst, .. } => base(&work.program, *dst),
            _ => None,
        };
        let numbers = self.promises.numbers.iter();
        let touched: Vec<bool> = numbers
            .map(|number| base.is_none_or(|base| base == number.object))
            .collect();
        if !touched.contains(&true) {
            return;
        }
        let (source, next, span) = {
            let edge = &work.program.functions[function].cfa.edges[edge];
            (edge.source, edge.target, edge.span)
        };
        let outgoing = work.cut(function, source);
        let (old, before) = self.read(work, function, source, span);
        work.join(function, outgoing, before);
        let behind = work.program.functions[function]
            .cfa
            .add_location(LocKind::Plain);
        work.program.functions[function].cfa.edges[edge].target = behind;
        let (new, mut at) = self.read(work, function, behind, span);
        // Where there are no others nobody relies on anything.
        let told = work.program.functions[function]
            .cfa
            .add_location(LocKind::Plain);
        let has_others = work.variable(self.has_others);
        at = work.branch(function, at, has_others, told, span);
        for (number, promise) in self.promises.promises.iter().enumerate() {
            if !concerns(promise, &touched) {
                continue;
            }
            let kept = match *promise {
                Promise::Owned { lock, held, number } => {
                    let Some(flag) = self.is_mine[lock] else {
                        continue;
                    };
                    let same = self.is_same(work, (old[number], new[number]));
                    let is_held = self.is_number(work, lock, old[lock], held);
                    let is_mine = work.variable(flag);
                    let may = work.program.exprs.binary(BinOp::Or, same, is_mine);
                    implied(work, is_held, may)
                }
                _ => self.is_kept(work, promise, &old, &new),
            };
            at = self.require(work, function, at, kept, number, span);
        }
        let cfa = &mut work.program.functions[function].cfa;
        cfa.add_edge(at, Action::Skip, told, span);
        let mut at = told;
        for (number, flag) in self.is_mine.iter().enumerate() {
            let Some(flag) = *flag else { continue };
            if !touched[number] {
                continue;
            }
            let changed = self.is_same(work, (old[number], new[number]));
            let changed = work.program.exprs.unary(UnOp::Not, changed);
            let mine = work.variable(flag);
            let value = work.program.exprs.binary(BinOp::Or, mine, changed);
            at = work.then(function, at, Action::Assign { dst: flag, value }, span);
        }
        let cfa = &mut work.program.functions[function].cfa;
        cfa.add_edge(at, Action::Skip, next, span);
    }

    /// A target where a promise is not kept.
    fn require(
        &self,
        work: &mut Application<'_>,
        function: FuncId,
        at: LocId,
        kept: ExprId,
        promise: usize,
        span: Span,
    ) -> LocId {
        let (id, kept) = match self.unless_not_asked(work, promise, kept) {
            Some(kept) => (TargetId::from_usize(self.broken), kept),
            None => (TargetId::from_usize(self.broken + promise), kept),
        };
        let cfa = &mut work.program.functions[function].cfa;
        let broken = cfa.add_location(LocKind::Target(id));
        work.branch(function, at, kept, broken, span)
    }

    /// Reads all numbers, from a location without edges on; gives where that ends.
    pub(super) fn read(
        &self,
        work: &mut Application<'_>,
        function: FuncId,
        at: LocId,
        span: Span,
    ) -> (Vec<VarId>, LocId) {
        let mut at = at;
        let mut values = Vec::new();
        for number in &self.promises.numbers {
            let dst = work.add_variable(Type::Int(number.int), Scope::Local(function), span);
            let distance = work.program.data_model.ptrdiff_type();
            let exprs = &mut work.program.exprs;
            let base = exprs.addr_of(number.object);
            let ptr = match number.offset {
                0 => base,
                offset => {
                    let offset = exprs.int(distance, i128::from(offset));
                    exprs.ptr_add(base, offset)
                }
            };
            let access = Access::whole(Type::Int(number.int));
            at = work.then(function, at, Action::Load { dst, ptr, access }, span);
            values.push(dst);
        }
        (values, at)
    }

    pub(super) fn is_same(&self, work: &mut Application<'_>, (old, new): (VarId, VarId)) -> ExprId {
        let (old, new) = (work.variable(old), work.variable(new));
        work.program.exprs.binary(BinOp::Eq, old, new)
    }

    pub(super) fn is_number(
        &self,
        work: &mut Application<'_>,
        number: usize,
        var: VarId,
        value: i128,
    ) -> ExprId {
        let value = (work.program.exprs).int(self.promises.numbers[number].int, value);
        let var = work.variable(var);
        work.program.exprs.binary(BinOp::Eq, var, value)
    }

    /// Whether a step keeps a promise that doesn't depend on whose it is.
    pub(super) fn is_kept(
        &self,
        work: &mut Application<'_>,
        promise: &Promise,
        old: &[VarId],
        new: &[VarId],
    ) -> ExprId {
        let (number, unless, grows) = match promise {
            Promise::Grows { number, unless } => (*number, unless, true),
            Promise::Falls { number, unless } => (*number, unless, false),
            Promise::Stays(facts) => {
                let before = self.any(work, facts, old);
                let after = self.any(work, facts, new);
                return implied(work, before, after);
            }
            Promise::Owned { .. } => return work.program.exprs.bool(false),
        };
        let (before, after) = (work.variable(old[number]), work.variable(new[number]));
        let (low, high) = match grows {
            true => (before, after),
            false => (after, before),
        };
        let keeps = work.program.exprs.binary(BinOp::Le, low, high);
        match unless {
            None => keeps,
            Some(fact) => {
                let excused = self.fact(work, fact, new);
                work.program.exprs.binary(BinOp::Or, excused, keeps)
            }
        }
    }

    fn any(&self, work: &mut Application<'_>, facts: &[Fact], values: &[VarId]) -> ExprId {
        let mut any = work.program.exprs.bool(false);
        for fact in facts {
            let fact = self.fact(work, fact, values);
            any = work.program.exprs.binary(BinOp::Or, any, fact);
        }
        any
    }

    fn fact(&self, work: &mut Application<'_>, fact: &Fact, values: &[VarId]) -> ExprId {
        let of_number = |side: FactSide| match side {
            FactSide::Number(number) => Some(self.promises.numbers[number].int),
            FactSide::Constant(_) => None,
        };
        let int = of_number(fact.left).or(of_number(fact.right));
        let int = int.unwrap_or(IntType::INT);
        let [left, right] = [fact.left, fact.right].map(|side| match side {
            FactSide::Number(number) => work.variable(values[number]),
            FactSide::Constant(value) => work.program.exprs.int(int, value),
        });
        work.program.exprs.binary(fact.op, left, right)
    }
}

/// Whether a write that may touch these numbers may break a promise.
fn concerns(promise: &Promise, touched: &[bool]) -> bool {
    let of_fact = |fact: &Fact| {
        [fact.left, fact.right]
            .iter()
            .any(|side| matches!(side, FactSide::Number(number) if touched[*number]))
    };
    match promise {
        Promise::Owned { number, .. } => touched[*number],
        Promise::Grows { number, .. } | Promise::Falls { number, .. } => touched[*number],
        Promise::Stays(facts) => facts.iter().any(of_fact),
    }
}

pub(super) fn implied(work: &mut Application<'_>, premise: ExprId, conclusion: ExprId) -> ExprId {
    let no = work.program.exprs.unary(UnOp::Not, premise);
    work.program.exprs.binary(BinOp::Or, no, conclusion)
}

/// The object whose address an expression says in so many words, or a part of it.
fn base(program: &Program, ptr: ExprId) -> Option<ObjectId> {
    match program.exprs[ptr].kind {
        ExprKind::AddrOf(object) => Some(object),
        ExprKind::PtrAdd(ptr, _) => base(program, ptr),
        _ => None,
    }
}
