//! Conditions that hold only where the access is right.
//!
//! Each part of the condition must exclude everything but a pointer to this object, alive as it is now, with enough
//! bytes behind it. That the address is in the object is not enough for it: see
//! [`Certain`](rhumb_program::passes::scalars::Certain). It is asked here, of the given program.

use rhumb_program::passes::scalars::{Home, Promoted, Root, UNKNOWN_SIZE};
use rhumb_program::{AllocKind, BinOp, ExprId, ExprKind, Scope, Type};

use super::{Checked, Checker, parts, require};

impl Checker<'_> {
    /// Whether an expression of the new program is what a pointer of the given one was made of: a variable that is null
    /// or the start of an object.
    pub(super) fn is_root_of(&self, ptr: ExprId, new: ExprId) -> bool {
        match self.certain.root(ptr) {
            Some((Root::Variable(_), root)) => self.image(root, new).is_ok(),
            _ => false,
        }
    }

    /// The condition of the new program holds only if the question of the given one has the answer yes: about an access
    /// of so many bytes, or about `free`.
    pub(super) fn is_exact(
        &self,
        ptr: ExprId,
        access: Option<(ExprId, bool)>,
        new: ExprId,
    ) -> Checked {
        let to = self.pointees(ptr);
        let root = self.certain.root(ptr);
        for option in parts(self.new, new, BinOp::Or) {
            if self.new.exprs[option].kind == ExprKind::Const(0) {
                continue;
            }
            let atoms = parts(self.new, option, BinOp::And);
            let holds = match (root, access) {
                _ if to.other || self.may_be_many(&to) => false,
                (None, _) => false,
                (Some((root, _)), Some((size, write))) => to.objects.iter().any(|&(home, _)| {
                    let Some(object) = self.scalars.objects.get(&home) else {
                        return false;
                    };
                    object.size != UNKNOWN_SIZE
                        && self.is_this(root, ptr, object, &atoms)
                        && !(write && self.is_read_only(object))
                        && self.is_within(ptr, size, object, &atoms)
                }),
                (Some(_), None) if self.is_moved(ptr) => false,
                (Some((root, _)), None) => {
                    let is_null = |&atom: &ExprId| self.is_address(ptr, 0, atom);
                    atoms.iter().any(is_null)
                        || to.objects.iter().any(|&(home, _)| {
                            let object = self.scalars.objects.get(&home);
                            object.is_some_and(|object| {
                                self.is_this(root, ptr, object, &atoms)
                                    && self.is_allocated(object, AllocKind::Heap)
                                    && atoms
                                        .iter()
                                        .any(|&atom| self.is_address(ptr, object.base, atom))
                            })
                        })
                }
            };
            require(holds, || "a check is too generous".to_owned())?;
        }
        Ok(())
    }

    fn is_moved(&self, ptr: ExprId) -> bool {
        matches!(self.old.exprs[ptr].kind, ExprKind::PtrAdd(..))
    }

    /// Whether the conditions say that the pointer is to this object, and that it is alive.
    fn is_this(&self, root: Root, ptr: ExprId, object: &Promoted, atoms: &[ExprId]) -> bool {
        let is_alive = |alive| {
            let kind = ExprKind::Var(alive);
            atoms.iter().any(|&atom| self.new.exprs[atom].kind == kind)
        };
        let is_made_of_it = match root {
            Root::Object(id) => object.home == Home::Declared(id),
            Root::Variable(_) => atoms.iter().any(|&atom| match self.new.exprs[atom].kind {
                ExprKind::Binary(BinOp::Eq, a, b) => {
                    self.is_root_of(ptr, a)
                        && self.new.exprs[b].kind == ExprKind::Const(object.base.into())
                }
                _ => false,
            }),
        };
        is_made_of_it
            && object.alive.is_none_or(is_alive)
            && self.certain.is_current(root, object.home)
    }

    fn is_address(&self, ptr: ExprId, address: u64, atom: ExprId) -> bool {
        match self.new.exprs[atom].kind {
            ExprKind::Binary(BinOp::Eq, a, b) => {
                self.image(ptr, a).is_ok()
                    && self.new.exprs[b].kind == ExprKind::Const(address.into())
            }
            _ => false,
        }
    }

    /// Whether the conditions say that so many bytes from the pointer on are in the object: as numbers, for its
    /// distance is that of the addresses.
    fn is_within(&self, ptr: ExprId, size: ExprId, object: &Promoted, atoms: &[ExprId]) -> bool {
        let constant = |id: ExprId| match self.new.exprs[id].kind {
            ExprKind::Const(bits) => u64::try_from(bits).ok(),
            _ => None,
        };
        let is_ptr = |id: ExprId| self.image(ptr, id).is_ok();
        let (base, end) = (object.base, object.base.saturating_add(object.size));
        let fits = |from: u64, bytes: u64| {
            from >= base && from.checked_add(bytes).is_some_and(|last| last <= end)
        };
        let least = self.constant(size);
        let mut is_behind_base = false;
        let mut is_before_end = false;
        let mut is_at_most_end = false;
        let mut has_room = false;
        for &atom in atoms {
            let ExprKind::Binary(op, a, b) = self.new.exprs[atom].kind else {
                continue;
            };
            match op {
                BinOp::Eq if is_ptr(a) => {
                    let at = constant(b);
                    if at.zip(least).is_some_and(|(at, bytes)| fits(at, bytes)) {
                        return true;
                    }
                }
                BinOp::Le if is_ptr(b) => {
                    is_behind_base |= constant(a).is_some_and(|first| first >= base);
                }
                BinOp::Le if is_ptr(a) => {
                    let last = constant(b);
                    is_at_most_end |= last.is_some_and(|last| last <= end);
                    is_before_end |=
                        (last.zip(least)).is_some_and(|(last, bytes)| fits(last, bytes));
                }
                // The size is at most what is left.
                BinOp::Le if self.image(size, a).is_ok() => {
                    let ExprKind::Cast(room) = self.new.exprs[b].kind else {
                        continue;
                    };
                    let wide = Type::Int(self.old.data_model.size_type());
                    if let ExprKind::PtrDiff(last, from) = self.new.exprs[room].kind {
                        has_room |= self.new.exprs.ty(b) == wide
                            && is_ptr(from)
                            && constant(last) == Some(end);
                    }
                }
                _ => {}
            }
        }
        is_behind_base && (is_before_end || is_at_most_end && has_room)
    }

    fn is_read_only(&self, object: &Promoted) -> bool {
        matches!(object.home, Home::Declared(id)
            if self.old.objects[id].read_only && self.old.objects[id].scope == Scope::Global)
    }
}
