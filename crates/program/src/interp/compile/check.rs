//! Checks whose failing branch leaves the block: overflow checks that do the operation at the same time, and access
//! checks that the access makes itself.

use super::FunctionCompiler;
use super::control::Exit;
use crate::cfa::Action;
use crate::expr::{ArithOp, BinOp, ExprKind, UnOp};
use crate::ids::{EdgeId, ExprId, LocId};
use crate::interp::instr::Instr;
use crate::types::Type;

impl FunctionCompiler<'_> {
    /// A branch of which one edge is taken rarely (or, in traced code, gets its code elsewhere): `out` is taken if the
    /// condition is `leave`. Gives the location to go on at.
    pub(super) fn checked(&mut self, cond: ExprId, leave: bool, out: EdgeId, on: EdgeId) -> LocId {
        if self.fast()
            && let Some(target) = self.checked_access(cond, leave, out, on)
        {
            return target;
        }
        let operation = self.checked_operation(cond, leave);
        let checked = operation.is_some();
        let branch = operation.unwrap_or_else(|| self.branch_if(cond, leave));
        self.exits.push(Exit {
            branch,
            checked,
            edge: Some(out),
            target: self.cfa.edges[out].target,
            edges: self.edges_done + 1,
        });
        self.begin_edge(on);
        self.cfa.edges[on].target
    }

    /// An overflow check on a common type: does the operation at the same time and keeps the result.
    fn checked_operation(&mut self, cond: ExprId, leave: bool) -> Option<u32> {
        let ExprKind::Overflows(op, lhs, rhs) = self.kind(cond) else {
            return None;
        };
        let int = self.ty(lhs).as_int()?;
        if !self.fast() || !leave || !int.signed || self.ty(rhs) != self.ty(lhs) {
            return None;
        }
        let binary = match op {
            ArithOp::Add => BinOp::Add,
            ArithOp::Sub => BinOp::Sub,
            ArithOp::Mul => BinOp::Mul,
            ArithOp::Div | ArithOp::Shl => return None,
        };
        if int.width != 32 && int.width != 64 {
            return None;
        }
        let (a, b) = (self.value(lhs), self.value(rhs));
        let dst = self.temporary(Type::Int(int));
        let pc = self.emit(match (binary, int.width) {
            (BinOp::Add, 32) => Instr::AddCheckI32 { dst, a, b },
            (BinOp::Add, _) => Instr::AddCheckI64 { dst, a, b },
            (BinOp::Sub, 32) => Instr::SubCheckI32 { dst, a, b },
            (BinOp::Sub, _) => Instr::SubCheckI64 { dst, a, b },
            (_, 32) => Instr::MulCheckI32 { dst, a, b },
            _ => Instr::MulCheckI64 { dst, a, b },
        });
        if let Some(result) = self.canon.binary(binary, lhs, rhs, Type::Int(int)) {
            self.remember(result, dst);
        }
        Some(pc)
    }

    /// An access check right before its access: the access checks by itself. Gives the location behind the access.
    fn checked_access(
        &mut self,
        cond: ExprId,
        leave: bool,
        out: EdgeId,
        on: EdgeId,
    ) -> Option<LocId> {
        let (cond, leave) = match self.kind(cond) {
            ExprKind::Unary(UnOp::Not, arg) => (arg, !leave),
            _ => (cond, leave),
        };
        let ExprKind::AccessOk { ptr, size, write } = self.kind(cond) else {
            return None;
        };
        let &[edge] = self.cfa.outgoing(self.cfa.edges[on].target) else {
            return None;
        };
        let (accessed, access, value) = match self.cfa.edges[edge].action {
            Action::Load { ptr, access, .. } if !write => (ptr, access, None),
            Action::Store { ptr, value, access } if write => (ptr, access, Some(value)),
            _ => return None,
        };
        let bytes = u128::from(access.size(self.program.data_model));
        let same = self.canon.of(accessed) == self.canon.of(ptr)
            && self.kind(size) == ExprKind::Const(bytes)
            && !self.canon.is_observing(ptr)
            && value.is_none_or(|value| self.is_total(value) && !self.canon.is_observing(value))
            && (self.program)
                .undefined_at(self.cfa.locations[self.cfa.edges[out].target].kind)
                .is_some();
        if leave || !same {
            return None;
        }
        let place = self.access_place(accessed, access);
        self.begin_edge(on);
        self.begin_edge(edge);
        let value = value.map(|value| self.value(value));
        self.check = Some(out);
        match (&self.cfa.edges[edge].action, value) {
            (&Action::Load { dst, .. }, _) => self.load(place, dst, access),
            (_, Some(value)) => self.store(place, value, access),
            (_, None) => {}
        }
        self.check = None;
        self.forget();
        Some(self.cfa.edges[edge].target)
    }
}
