//! Expressions: the same value in both programs.

use rhumb_program::passes::scalars::{Distance, Home, HomeId, Pointees, Promoted, UNKNOWN_SIZE};
use rhumb_program::{Action, AllocKind, BinOp, ExprId, ExprKind, Scope, Type};

use super::{Checked, Checker, exactly, object_to, parts, require, sides};

impl Checker<'_> {
    /// An expression of the new program is that of the given one, with new addresses. Recursive on the depth, which the model limits.
    pub(super) fn image(&self, old: ExprId, new: ExprId) -> Checked {
        let (a, b) = (&self.old.exprs[old], &self.new.exprs[new]);
        let differs = || format!("{old:?} became {new:?}");
        require(a.ty == b.ty, differs)?;
        match (a.kind, b.kind) {
            (ExprKind::AddrOf(object), kind) => match self.declared.get(&object) {
                Some(&home) => {
                    let base = ExprKind::Const(self.object(home)?.base.into());
                    require(kind == base, differs)
                }
                None => require(kind == a.kind, differs),
            },
            (ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::FuncAddr(_), kind) => {
                require(kind == a.kind, differs)
            }
            // These are looked at where a branch to undefined behaviour depends on them; elsewhere they must know no new address.
            (ExprKind::AccessOk { .. } | ExprKind::FreeOk(_), kind) => {
                self.is_unknown(old, "a question about memory")?;
                require(kind == a.kind, differs)
            }
            (left, right) => {
                self.is_no_number(old)?;
                require(same_operation(left, right), differs)?;
                let children: Vec<ExprId> = self.old.exprs.children(old).collect();
                let others: Vec<ExprId> = self.new.exprs.children(new).collect();
                require(children.len() == others.len(), differs)?;
                let mut pairs = children.into_iter().zip(others);
                pairs.try_for_each(|(a, b)| self.image(a, b))
            }
        }
    }

    /// The same, or converted between integers of one width.
    pub(super) fn converted(&self, old: ExprId, new: ExprId) -> Checked {
        if self.old.exprs.ty(old) == self.new.exprs.ty(new) {
            return self.image(old, new);
        }
        let ExprKind::Cast(inner) = self.new.exprs[new].kind else {
            return object_to(format!("{new:?} has another type"));
        };
        let (from, to) = (self.new.exprs.ty(inner), self.new.exprs.ty(new));
        require(super::edges::is_convertible(from, to), || {
            format!("{new:?} is another value")
        })?;
        self.image(old, inner)
    }

    /// An operation on pointers gives the same with new addresses: it is equality that doesn't depend on where objects
    /// lie (the end of one may be the start of another), or about distances within one object.
    fn is_no_number(&self, id: ExprId) -> Checked {
        let number = || format!("{id:?} takes an address for a number");
        match self.old.exprs[id].kind {
            ExprKind::PtrAdd(..) => Ok(()),
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, _) if !self.is_pointer(a) => Ok(()),
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) => {
                let (a, b) = (self.pointees(a), self.pointees(b));
                let entries = || a.objects.iter().chain(&b.objects);
                let is_alone = |home: HomeId| entries().all(|entry| entry.0 == home);
                let is_within = |(home, distance): &(HomeId, Distance)| {
                    distance.stride == 0
                        && u64::try_from(distance.offset)
                            .is_ok_and(|offset| offset < self.known_size(*home))
                };
                let (mine, yours) = (a.objects.first(), b.objects.first());
                let is_known = |side: &Pointees| !side.other;
                let null = mine.is_none() && is_known(&a) || yours.is_none() && is_known(&b);
                let nothing = mine.is_none() && yours.is_none();
                let lives = |(home, _): &(HomeId, Distance)| !self.may_have_ended(*home);
                let is_one = |home: HomeId| is_alone(home) && !self.is_many(home);
                let decided = entries().all(|entry| is_one(entry.0))
                    || entries().all(is_within) && entries().all(lives);
                require(
                    nothing || null || is_known(&a) && is_known(&b) && decided,
                    number,
                )
            }
            ExprKind::Binary(BinOp::Lt | BinOp::Le, a, b) | ExprKind::PtrDiff(a, b)
                if self.is_pointer(a) =>
            {
                let (a, b) = (self.pointees(a), self.pointees(b));
                let mut objects: Vec<HomeId> = (a.objects.iter().chain(&b.objects))
                    .map(|entry| entry.0)
                    .collect();
                objects.dedup();
                let is_known = |side: &Pointees| !side.other && !self.may_be_many(side);
                let within_one = objects.len() == 1 && is_known(&a) && is_known(&b);
                require(objects.is_empty() || within_one, number)
            }
            _ => {
                let mut children = self.old.exprs.children(id);
                children.try_for_each(|child| {
                    let is_fine = !self.is_pointer(child) || !self.pointees(child).is_tainted();
                    require(is_fine, number)
                })
            }
        }
    }

    /// Whether an object may have ended at the location that is looked at, so that others may lie where it lay.
    fn may_have_ended(&self, home: HomeId) -> bool {
        let (Some(at), Ok(object)) = (self.at.get(), self.object(home)) else {
            return false;
        };
        self.ended
            .before(at, (home, object.home), |ptr| self.pointees(ptr))
    }

    /// The size of an object, as far as it is known.
    fn known_size(&self, home: HomeId) -> u64 {
        match self.scalars.objects[&home].size {
            UNKNOWN_SIZE => 0,
            size => size,
        }
    }

    /// The condition of a branch. A question about memory that stays one has both answers in the new program, whatever
    /// it was in the given one.
    pub(super) fn condition(&self, old: ExprId, new: ExprId, otherwise: Otherwise) -> Checked {
        if otherwise == Otherwise::GoesOn {
            return self.image(old, new);
        }
        for op in [BinOp::And, BinOp::Or] {
            if let (Some((a, b)), Some((c, d))) =
                (sides(self.old, old, op), sides(self.new, new, op))
                && self.is_about_memory(old)
                && !is_question(self.old.exprs[old].kind)
            {
                self.condition(a, c, otherwise)?;
                return self.condition(b, d, otherwise);
            }
        }
        let is_open = is_question(self.new.exprs[new].kind);
        match self.old.exprs[old].kind {
            ExprKind::AccessOk { .. } | ExprKind::FreeOk(_) if is_open => Ok(()),
            ExprKind::AccessOk { ptr, size, write } => {
                self.access_ok(ptr, size, write, new)?;
                match otherwise {
                    Otherwise::Counts => self.is_exact(ptr, Some((size, write)), new),
                    _ => Ok(()),
                }
            }
            ExprKind::FreeOk(ptr) => {
                self.free_ok(ptr, new)?;
                match otherwise {
                    Otherwise::Counts => self.is_exact(ptr, None, new),
                    _ => Ok(()),
                }
            }
            _ => self.image(old, new),
        }
    }

    fn is_about_memory(&self, id: ExprId) -> bool {
        is_question(self.old.exprs[id].kind)
            || (self.old.exprs.children(id)).any(|child| self.is_about_memory(child))
    }

    /// The new condition holds wherever the access is inside a live object: for each place there is a part of it that does.
    fn access_ok(&self, ptr: ExprId, size: ExprId, write: bool, new: ExprId) -> Checked {
        let to = self.pointees(ptr);
        let options = parts(self.new, new, BinOp::Or);
        let constant = self.constant(size);
        let asks = |option: ExprId| match self.new.exprs[option].kind {
            ExprKind::AccessOk {
                ptr: new_ptr,
                size: new_size,
                write: new_write,
            } => {
                new_write == write
                    && self.image(ptr, new_ptr).is_ok()
                    && self.image(size, new_size).is_ok()
            }
            _ => false,
        };
        let asks_another = |option: &ExprId| self.is_of_another(*option, ptr, asks);
        for &(home, distance) in &to.objects {
            let object = self.object(home)?;
            let is_read_only = matches!(object.home, Home::Declared(id)
                if self.old.objects[id].read_only && self.old.objects[id].scope == Scope::Global);
            let least = constant.unwrap_or(0);
            if write && is_read_only || distance.places(least, object.size).0 == 0 {
                continue;
            }
            let holds = options.iter().any(|&option| {
                let mut atoms = parts(self.new, option, BinOp::And).into_iter();
                atoms.all(|atom| self.holds_inside(atom, ptr, size, home, distance))
            });
            let holds = holds && (!self.is_many(home) || options.iter().any(asks_another));
            require(holds, || {
                format!("a check of {:?} is too strict", object.home)
            })?;
        }
        if to.other {
            let rest = options.iter().any(|&option| asks(option));
            require(rest, || "a check forgets other memory".to_owned())?;
        }
        Ok(())
    }

    /// Whether a condition holds whenever the pointer is in the live object, at such a distance, with so many bytes left.
    fn holds_inside(
        &self,
        atom: ExprId,
        ptr: ExprId,
        size: ExprId,
        home: HomeId,
        distance: Distance,
    ) -> bool {
        let Ok(object) = self.object(home) else {
            return false;
        };
        let is_ptr = |id: ExprId| self.image(ptr, id).is_ok();
        let address = |id: ExprId| match self.new.exprs[id].kind {
            ExprKind::Const(bits) => u64::try_from(bits).ok(),
            _ => None,
        };
        let end = object.base.saturating_add(object.size);
        match self.new.exprs[atom].kind {
            ExprKind::Var(var) => object.alive == Some(var),
            ExprKind::Const(bits) => bits == 1,
            ExprKind::Unary(..) if object.ghost => {
                let least = self.constant(size).unwrap_or(0);
                self.is_not_beyond(ptr, atom, object.size.saturating_sub(least))
            }
            ExprKind::Binary(BinOp::Eq, a, b)
                if exactly(distance).is_some_and(|offset| {
                    self.compared(ptr, a, b) == Some(object.base + offset)
                }) =>
            {
                true
            }
            // What it was made of is the start.
            ExprKind::Binary(BinOp::Eq, a, b) if self.is_root_of(ptr, a) => {
                address(b) == Some(object.base)
            }
            ExprKind::Binary(BinOp::Le, a, b) if is_ptr(b) => {
                address(a).is_some_and(|first| first <= object.base)
            }
            ExprKind::Binary(BinOp::Le, a, b) if is_ptr(a) => {
                let least = self.constant(size).unwrap_or(0);
                address(b).is_some_and(|last| last.saturating_add(least) >= end)
            }
            // The size is at most what is left.
            ExprKind::Binary(BinOp::Le, a, b) if self.image(size, a).is_ok() => {
                let ExprKind::Cast(room) = self.new.exprs[b].kind else {
                    return false;
                };
                let is_wide = self.new.exprs.ty(b) == Type::Int(self.old.data_model.size_type());
                match self.new.exprs[room].kind {
                    ExprKind::PtrDiff(last, from) => {
                        is_wide && is_ptr(from) && address(last) == Some(end)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn free_ok(&self, ptr: ExprId, new: ExprId) -> Checked {
        let to = self.pointees(ptr);
        let options = parts(self.new, new, BinOp::Or);
        let is_at = |atom: ExprId, address: u64| match self.new.exprs[atom].kind {
            ExprKind::Binary(BinOp::Eq, a, b) => {
                self.image(ptr, a).is_ok()
                    && self.new.exprs[b].kind == ExprKind::Const(address.into())
            }
            _ => false,
        };
        let asks = |option: ExprId| match self.new.exprs[option].kind {
            ExprKind::FreeOk(inner) => self.image(ptr, inner).is_ok(),
            _ => false,
        };
        let asks_another = |option: &ExprId| self.is_of_another(*option, ptr, asks);
        let mut fine = options.iter().any(|&option| is_at(option, 0));
        for home in self.freed(&to, AllocKind::Heap) {
            let object = self.object(home)?;
            fine &= !self.is_many(home) || options.iter().any(asks_another);
            fine &= options.iter().any(|&option| {
                let mut atoms = parts(self.new, option, BinOp::And).into_iter();
                atoms.all(|atom| {
                    let is_alive = object
                        .alive
                        .is_some_and(|alive| self.new.exprs[atom].kind == ExprKind::Var(alive));
                    is_alive || is_at(atom, object.base)
                })
            });
        }
        if to.other {
            fine &= options.iter().any(|&option| asks(option));
        }
        require(fine, || "a check of what is freed is too strict".to_owned())
    }

    /// The allocated objects of a kind whose start the pointer may be.
    pub(super) fn freed(&self, to: &Pointees, kind: AllocKind) -> Vec<HomeId> {
        let starts = to.objects.iter().filter(|(home, distance)| {
            let object = self.scalars.objects.get(home);
            let is_of_kind = object.is_some_and(|object| self.is_allocated(object, kind));
            is_of_kind && distance.covers(Distance::exact(0))
        });
        starts.map(|entry| entry.0).collect()
    }

    /// Whether an object is allocated, and so.
    pub(super) fn is_allocated(&self, object: &Promoted, kind: AllocKind) -> bool {
        let cfa = &self.old.functions[self.start()].cfa;
        match object.home {
            Home::Allocated(edge) => {
                matches!(cfa.edges[edge].action, Action::Alloc { kind: found, .. } if found == kind)
            }
            Home::Declared(_) => false,
        }
    }
}

/// What it means that a condition doesn't hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Otherwise {
    /// The run goes on, and the condition has to be the same.
    GoesOn,
    /// The run ends in undefined behaviour. It is enough that the new condition holds whenever the given one does.
    Ends,
    /// The same, and somebody wants to know of it: neither may hold without the other.
    Counts,
}

/// A question about which objects are alive, which nobody answers but who executes the program.
fn is_question(kind: ExprKind) -> bool {
    matches!(kind, ExprKind::AccessOk { .. } | ExprKind::FreeOk(_))
}

/// Whether two nodes are the same but for their children.
fn same_operation(a: ExprKind, b: ExprKind) -> bool {
    match (a, b) {
        (ExprKind::Unary(x, _), ExprKind::Unary(y, _)) => x == y,
        (ExprKind::Binary(x, ..), ExprKind::Binary(y, ..)) => x == y,
        (ExprKind::Overflows(x, ..), ExprKind::Overflows(y, ..)) => x == y,
        (ExprKind::CastOverflows(x, _), ExprKind::CastOverflows(y, _)) => x == y,
        (ExprKind::Cast(_), ExprKind::Cast(_))
        | (ExprKind::PtrAdd(..), ExprKind::PtrAdd(..))
        | (ExprKind::PtrDiff(..), ExprKind::PtrDiff(..)) => true,
        _ => false,
    }
}
