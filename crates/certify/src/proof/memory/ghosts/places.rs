//! Where pointers and cells are: expressions of distances, with 64 bits.

use rhumb_program::passes::scalars::{GhostCell, GhostIndex, Ghosts};
use rhumb_program::{Action, BinOp, ExprId, ExprKind, IntType, Type, UnOp};

use super::super::{Checked, Checker, require};

impl Checker<'_> {
    /// Whether an expression is an index, with 64 bits.
    pub(super) fn is_index(&self, id: ExprId, index: &GhostIndex) -> bool {
        self.new.exprs.ty(id) == Type::Int(Ghosts::INT)
            && matches!(self.new.exprs[id].kind, ExprKind::Cast(inner)
                if self.new.exprs[inner].kind == ExprKind::Var(index.var))
    }

    /// Whether an expression is this number, with 64 bits.
    pub(super) fn is_number(&self, id: ExprId, value: i64) -> bool {
        let bits = Ghosts::INT.wrap(value as u128);
        self.new.exprs[id].kind == ExprKind::Const(bits)
            && self.new.exprs.ty(id) == Type::Int(Ghosts::INT)
    }

    /// Whether a condition is that the distance of a pointer is not negative, and at most the largest one.
    pub(super) fn is_inside(&self, ptr: ExprId, cond: ExprId) -> bool {
        let exprs = &self.new.exprs;
        let largest = Ghosts::largest(self.old.data_model);
        let ExprKind::Binary(BinOp::And, a, b) = exprs[cond].kind else {
            return false;
        };
        let first = matches!(exprs[a].kind, ExprKind::Binary(BinOp::Le, x, y)
            if self.is_number(x, 0) && self.is_distance(ptr, y));
        let last = matches!(exprs[b].kind, ExprKind::Binary(BinOp::Le, x, y)
            if self.is_distance(ptr, x) && self.is_number(y, largest));
        first && last
    }

    /// Whether a condition is that the distance of a pointer is that of a cell.
    pub(super) fn is_at(&self, ptr: ExprId, cell: &GhostCell, cond: ExprId) -> bool {
        matches!(self.new.exprs[cond].kind, ExprKind::Binary(BinOp::Eq, a, b)
            if self.is_distance(ptr, a) && self.is_place(b, cell))
    }

    /// Whether an expression is the distance of a cell.
    fn is_place(&self, id: ExprId, cell: &GhostCell) -> bool {
        let exprs = &self.new.exprs;
        let index = &self.indices()[cell.index];
        if cell.stride == 0 {
            return self.is_number(id, cell.offset);
        }
        let ExprKind::Binary(BinOp::Add, first, by) = exprs[id].kind else {
            return false;
        };
        self.is_number(first, cell.offset)
            && matches!(exprs[by].kind, ExprKind::Binary(BinOp::Mul, a, b)
                if self.is_index(a, index) && self.is_number(b, cell.stride))
    }

    /// That a condition holds if the distance of a pointer is at most this, or is not known: see the check of accesses.
    pub(in super::super) fn is_not_beyond(&self, ptr: ExprId, cond: ExprId, least: u64) -> bool {
        let exprs = &self.new.exprs;
        let ExprKind::Unary(UnOp::Not, wrong) = exprs[cond].kind else {
            return false;
        };
        let ExprKind::Binary(BinOp::And, inside, beyond) = exprs[wrong].kind else {
            return false;
        };
        let ExprKind::Binary(BinOp::Lt, room, distance) = exprs[beyond].kind else {
            return false;
        };
        let ExprKind::Const(bits) = exprs[room].kind else {
            return false;
        };
        self.is_inside(ptr, inside)
            && self.is_distance(ptr, distance)
            && exprs.ty(room) == Type::Int(Ghosts::INT)
            && Ghosts::INT.extend(bits) >= i128::from(least)
    }

    /// Whether an expression of the new program is, modulo the size of an address, how far a pointer of the given one
    /// is from the start of its object, if it is a pointer to one. Recursive on the depth, which the model limits.
    pub(in super::super) fn is_distance(&self, old: ExprId, new: ExprId) -> bool {
        match self.old.exprs[old].kind {
            ExprKind::Const(0) | ExprKind::AddrOf(_) => self.is_number(new, 0),
            ExprKind::Var(var) => {
                let distance = self.scalars.ghosts.distances.get(&var);
                distance.is_some_and(|&var| self.new.exprs[new].kind == ExprKind::Var(var))
            }
            ExprKind::PtrAdd(from, by) => {
                matches!(self.new.exprs[new].kind, ExprKind::Binary(BinOp::Add, a, b)
                    if self.is_distance(from, a) && self.is_wide(by, b))
            }
            _ => false,
        }
    }

    /// Whether an expression of 64 bits has the value of one of the given program, modulo the size of an address.
    fn is_wide(&self, old: ExprId, new: ExprId) -> bool {
        let (from, to) = (&self.old.exprs, &self.new.exprs);
        let width = self.old.data_model.pointer_width();
        if to.ty(new) != Type::Int(Ghosts::INT) {
            return false;
        }
        let int = |id: ExprId| from.ty(id).as_int();
        let is_address = |id: ExprId| int(id).is_some_and(|int| int.width == width);
        match (from[old].kind, to[new].kind) {
            _ if !is_address(old) => false,
            (
                ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b),
                ExprKind::Binary(same, x, y),
            ) if op == same && self.is_wide(a, x) && self.is_wide(b, y) => true,
            (ExprKind::Cast(arg), _) if is_address(arg) && self.is_wide(arg, new) => true,
            // What is narrower is extended by its own sign, here as there.
            (ExprKind::Cast(arg), ExprKind::Cast(inner))
                if int(arg).is_some_and(|int| int.width < width)
                    && self.image(arg, inner).is_ok() =>
            {
                true
            }
            (ExprKind::Const(bits), ExprKind::Const(wide)) => {
                let int = IntType {
                    width,
                    signed: true,
                };
                int.wrap(wide) == int.wrap(bits)
            }
            (_, ExprKind::Cast(inner)) if self.image(old, inner).is_ok() => true,
            _ => from.ty(old) == to.ty(new) && self.image(old, new).is_ok(),
        }
    }

    /// What an edge does beside setting the distance of the pointer variable that it sets, if that has one.
    pub(in super::super) fn without_distance<'b>(
        &self,
        action: &Action,
        actions: &[&'b Action],
    ) -> Checked<Vec<&'b Action>> {
        let pointer = action.defined_var();
        let distance = pointer.and_then(|var| self.scalars.ghosts.distances.get(&var));
        let Some(&distance) = distance else {
            return Ok(actions.to_vec());
        };
        let (own, rest): (Vec<&Action>, Vec<&Action>) =
            (actions.iter()).partition(|action| action.defined_var() == Some(distance));
        let is_right = match (&own[..], action) {
            ([Action::Approximate { .. }], _) => true,
            ([Action::Assign { value: new, .. }], Action::Assign { value, .. }) => {
                self.is_distance(*value, *new)
            }
            ([Action::Assign { value: new, .. }], Action::Alloc { .. }) => self.is_number(*new, 0),
            _ => false,
        };
        require(is_right, || "a distance is another one".to_owned())?;
        Ok(rest)
    }
}
