//! Variables that need no register.
//!
//! The front end names intermediate results: an address before it is checked and used, the old value of `i` in `i++`.
//! Such a variable is set once and read soon after, and nothing that its value was computed from changes in between.
//! Fast code then computes the value where it is read, mostly as a part of another instruction.

use index_vec::IndexVec;

use super::expr::keeps_register;
use super::{FunctionCompiler, UNPLACED};
use crate::cfa::{Action, Callee, LocKind};
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, VarId};
use crate::interp::layout::Home;
use crate::model::{Program, Scope};
use crate::types::Type;

/// How many locations behind an assignment are looked at.
const LOOKAHEAD: u32 = 16;
/// How large an expression may be.
const MAX_NODES: u32 = 32;

/// By how many edges variables are set and read.
#[derive(Debug)]
pub(super) struct Uses {
    vars: IndexVec<VarId, Use>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Use {
    sets: u32,
    reads: u32,
    /// The last edge that was counted as a read.
    last: u32,
}

impl Uses {
    /// Counts in the whole program.
    pub(super) fn new(program: &Program) -> Uses {
        let mut vars: IndexVec<VarId, Use> = program.vars.iter().map(|_| Use::default()).collect();
        let mut seen = vec![0u32; program.exprs.len()];
        let mut waiting = Vec::new();
        let mut number = 0;
        for function in &program.functions {
            for &param in &function.params {
                vars[param].sets += 1;
            }
            for edge in &function.cfa.edges {
                number += 1;
                if let Some(var) = edge.action.defined_var() {
                    vars[var].sets += 1;
                }
                edge.action.for_each_expr(|expr| waiting.push(expr));
                while let Some(expr) = waiting.pop() {
                    // Shared parts of an expression count once.
                    if std::mem::replace(&mut seen[expr.index()], number) == number {
                        continue;
                    }
                    if let ExprKind::Var(var) = program.exprs[expr].kind {
                        let place = &mut vars[var];
                        place.reads += u32::from(place.last != number);
                        place.last = number;
                    }
                    waiting.extend(program.exprs.children(expr));
                }
            }
        }
        Uses { vars }
    }
}

/// What the value of an expression depends on.
#[derive(Default)]
struct Operands {
    vars: Vec<VarId>,
    /// Whether it has the address of a local object, which changes with the object's lifetime.
    local_object: bool,
}

impl FunctionCompiler<'_> {
    /// The expression without substituted variables at its root.
    pub(super) fn resolve(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Var(var) = self.kind(id)
            && let Some(&value) = self.substituted.get(&var)
        {
            id = value;
        }
        id
    }

    /// Substitutes the variable that the edge assigns to, if that is possible; then the edge has no code.
    pub(super) fn substitute(&mut self, edge: EdgeId) -> bool {
        let Action::Assign { dst, value } = self.cfa.edges[edge].action else {
            return false;
        };
        let local = self.program.vars[dst].scope == Scope::Local(self.id);
        if !self.fast() || !local || self.uses.vars[dst].sets != 1 {
            return false;
        }
        let mut operands = Operands::default();
        if !self.collect(value, &mut operands, &mut MAX_NODES.clone()) {
            return false;
        }
        let Some(places) = self.places_of_reads(edge, dst, &operands) else {
            return false;
        };
        // A value that is computed is computed again at every place.
        if places > 2 && !self.is_free(value) {
            return false;
        }
        self.substituted.insert(dst, value);
        true
    }

    /// Whether the expression has a register already.
    fn is_free(&self, id: ExprId) -> bool {
        let id = self.resolve(id);
        match self.kind(id) {
            ExprKind::Var(_) | ExprKind::Const(_) => true,
            ExprKind::Cast(arg) => keeps_register(self.ty(arg), self.ty(id)) && self.is_free(arg),
            _ => false,
        }
    }

    /// Adds what the expression depends on. `false` if it is large, if computing it can fail or is something to be told.
    fn collect(&self, id: ExprId, operands: &mut Operands, fuel: &mut u32) -> bool {
        let id = self.resolve(id);
        if *fuel == 0 || self.canon.is_observing(id) || !self.is_total_operation(id) {
            return false;
        }
        *fuel -= 1;
        match self.kind(id) {
            ExprKind::Var(var) => operands.vars.push(var),
            ExprKind::AddrOf(object) => {
                operands.local_object |= matches!(self.layout.objects[object], Home::Local { .. });
            }
            _ => {}
        }
        self.program
            .exprs
            .children(id)
            .all(|child| self.collect(child, operands, fuel))
    }

    /// Number of places at which the variable is read, if they all lie on the straight way behind the edge that sets it, and its value
    /// could be computed at each of them instead.
    fn places_of_reads(&self, edge: EdgeId, var: VarId, operands: &Operands) -> Option<u32> {
        let mut left = self.uses.vars[var].reads;
        let mut places = 0;
        let mut location = self.cfa.edges[edge].target;
        for _ in 0..LOOKAHEAD {
            if left == 0 {
                return Some(places);
            }
            let here = location.index();
            if self.cfa.locations[location].kind != LocKind::Plain
                || self.incoming[here] > 1
                || self.location_pc[here] != UNPLACED
            {
                return None;
            }
            let on = match *self.cfa.outgoing(location) {
                [edge] => {
                    if self.reads(edge, var)? {
                        left = left.saturating_sub(1);
                        places += 1;
                    }
                    // What the last reader changes does not matter any more.
                    if left > 0 && !self.leaves_alone(edge, operands) {
                        return None;
                    }
                    edge
                }
                [first, second] => {
                    if self.reads(first, var)? {
                        left = left.saturating_sub(2);
                        places += 1;
                    }
                    match (self.leads_to_sink(first), self.leads_to_sink(second)) {
                        (true, false) => second,
                        (false, true) => first,
                        _ if left == 0 => return Some(places),
                        _ => return None,
                    }
                }
                _ => return None,
            };
            location = self.cfa.edges[on].target;
        }
        None
    }

    /// Whether the edge reads the variable; `None` if its expressions are too large to tell.
    fn reads(&self, edge: EdgeId, var: VarId) -> Option<bool> {
        let mut waiting = Vec::new();
        let action = &self.cfa.edges[edge].action;
        action.for_each_expr(|expr| waiting.push(expr));
        let mut fuel = MAX_NODES;
        while let Some(expr) = waiting.pop() {
            if self.kind(expr) == ExprKind::Var(var) {
                return Some(true);
            }
            fuel = fuel.checked_sub(1)?;
            waiting.extend(self.program.exprs.children(expr));
        }
        Some(false)
    }

    /// Whether the edge stays in the block and changes none of the operands.
    fn leaves_alone(&self, edge: EdgeId, operands: &Operands) -> bool {
        let action = &self.cfa.edges[edge].action;
        match action {
            Action::Call { callee, .. } if !matches!(callee, Callee::Builtin(_)) => return false,
            Action::Return { .. } | Action::Exit { .. } => return false,
            Action::Enter(_) | Action::Leave(_) if operands.local_object => return false,
            _ => {}
        }
        action
            .defined_var()
            .is_none_or(|var| !operands.vars.contains(&var))
    }

    /// Whether nothing can go wrong in computing the expression.
    pub(super) fn is_total(&self, id: ExprId) -> bool {
        self.is_total_within(id, &mut MAX_NODES.clone())
    }

    /// `fuel` bounds the walk: a large expression counts as one that can fail.
    fn is_total_within(&self, id: ExprId, fuel: &mut u32) -> bool {
        if *fuel == 0 {
            return false;
        }
        *fuel -= 1;
        self.is_total_operation(id)
            && self
                .program
                .exprs
                .children(id)
                .all(|child| self.is_total_within(child, fuel))
    }

    /// Whether the operation at the root can't go wrong.
    fn is_total_operation(&self, id: ExprId) -> bool {
        match self.kind(id) {
            ExprKind::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..) => false,
            ExprKind::Cast(arg) => !matches!(self.ty(arg), Type::Float(_)),
            ExprKind::AccessOk { .. } | ExprKind::FreeOk(_) => false,
            _ => true,
        }
    }
}
