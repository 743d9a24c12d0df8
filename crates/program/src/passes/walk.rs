//! Walking over expressions and calls, for passes.

use index_vec::IndexVec;

use crate::cfa::Action;
use crate::expr::{ExprKind, Exprs};
use crate::ids::{ExprId, FuncId, VarId};
use crate::model::Program;

impl ExprKind {
    /// The same node over other children.
    pub(super) fn map_children(self, mut map: impl FnMut(ExprId) -> ExprId) -> ExprKind {
        match self {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => {
                self
            }
            ExprKind::Unary(op, arg) => ExprKind::Unary(op, map(arg)),
            ExprKind::Binary(op, lhs, rhs) => ExprKind::Binary(op, map(lhs), map(rhs)),
            ExprKind::Cast(arg) => ExprKind::Cast(map(arg)),
            ExprKind::Overflows(op, lhs, rhs) => ExprKind::Overflows(op, map(lhs), map(rhs)),
            ExprKind::CastOverflows(int, arg) => ExprKind::CastOverflows(int, map(arg)),
            ExprKind::PtrAdd(lhs, rhs) => ExprKind::PtrAdd(map(lhs), map(rhs)),
            ExprKind::PtrDiff(lhs, rhs) => ExprKind::PtrDiff(map(lhs), map(rhs)),
            ExprKind::AccessOk { ptr, size, write } => ExprKind::AccessOk {
                ptr: map(ptr),
                size: map(size),
                write,
            },
            ExprKind::FreeOk(arg) => ExprKind::FreeOk(map(arg)),
        }
    }
}

impl Program {
    /// Whether a function takes what a call gives, and gives what it wants. The call's arguments are in `exprs`, which
    /// may have more than the program's own.
    pub(super) fn accepts(&self, exprs: &Exprs, callee: FuncId, call: &Action) -> bool {
        let Action::Call { dst, args, .. } = call else {
            return false;
        };
        let args = args.iter().map(|&arg| exprs.ty(arg));
        self.takes(callee, args, dst.map(|dst| self.vars[dst].ty))
    }
}

/// Collects the variables that actions read. Each expression is looked at once, however often it occurs in an action.
pub(super) struct Readers {
    /// For each expression the number of the last walk that met it.
    met: IndexVec<ExprId, u32>,
    walk: u32,
    todo: Vec<ExprId>,
}

impl Readers {
    pub(super) fn new(program: &Program) -> Readers {
        Readers {
            met: IndexVec::from_vec(vec![0; program.exprs.len()]),
            walk: 0,
            todo: Vec::new(),
        }
    }

    /// Calls `visit` on every variable that the action reads, once each time it is mentioned in another place of the arena.
    pub(super) fn visit(
        &mut self,
        program: &Program,
        action: &Action,
        mut visit: impl FnMut(VarId),
    ) {
        self.walk += 1;
        action.for_each_expr(|expr| self.todo.push(expr));
        while let Some(id) = self.todo.pop() {
            if std::mem::replace(&mut self.met[id], self.walk) == self.walk {
                continue;
            }
            if let ExprKind::Var(var) = program.exprs[id].kind {
                visit(var);
            }
            self.todo.extend(program.exprs.children(id));
        }
    }
}
