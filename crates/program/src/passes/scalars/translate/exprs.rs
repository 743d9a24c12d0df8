//! What becomes of an expression.

use super::super::certain::Root;
use super::super::ghosts::UNKNOWN_SIZE;
use super::super::homes::Home;
use super::super::pointees::Pointees;
use super::Translator;
use crate::cfa::AllocKind;
use crate::expr::{BinOp, ExprKind};
use crate::ids::ExprId;
use crate::model::{Program, Scope};
use crate::types::Type;

impl Translator<'_, '_> {
    /// An expression of the given program in the new one. Recursive on its depth, which the model limits.
    pub(super) fn expr(&mut self, id: ExprId) -> ExprId {
        if let Some(&known) = self.exprs.get(&id) {
            return known;
        }
        let expr = self.source.exprs[id].clone();
        let new = match expr.kind {
            ExprKind::AddrOf(object) => match self.declared(object) {
                Some(home) => self.address(self.objects[&home].base),
                None => id,
            },
            ExprKind::AccessOk { ptr, size, write } => self.access_ok(id, ptr, size, write),
            ExprKind::FreeOk(ptr) => self.free_ok(id, ptr),
            kind => {
                let kind = kind.map_children(|child| self.expr(child));
                match kind == expr.kind {
                    true => id,
                    false => self.result.exprs.push(kind, expr.ty),
                }
            }
        };
        self.exprs.insert(id, new);
        new
    }

    pub(super) fn all(&mut self, conditions: Vec<ExprId>) -> ExprId {
        let all =
            (conditions.into_iter()).reduce(|a, b| self.result.exprs.binary(BinOp::And, a, b));
        all.unwrap_or_else(|| self.result.exprs.bool(true))
    }

    pub(super) fn any(&mut self, conditions: Vec<ExprId>) -> ExprId {
        let any = (conditions.into_iter()).reduce(|a, b| self.result.exprs.binary(BinOp::Or, a, b));
        any.unwrap_or_else(|| self.result.exprs.bool(false))
    }

    pub(super) fn access_ok(
        &mut self,
        id: ExprId,
        ptr: ExprId,
        size: ExprId,
        write: bool,
    ) -> ExprId {
        let to = self.facts.eval(self.homes, ptr);
        let mut options = Vec::new();
        let new_ptr = self.expr(ptr);
        let new_size = self.expr(size);
        let Some(start) = self.certain_start(ptr, &to) else {
            return self.open_access(id, new_ptr, new_size, write);
        };
        let constant = self.source.exprs.as_int_const(size).map(|(_, bits)| bits);
        let mut last = None;
        for &(home, distance) in &to.objects {
            let Some(object) = self.objects.get(&home).cloned() else {
                continue;
            };
            if write && is_read_only(self.source, object.home) {
                continue;
            }
            let mut conditions: Vec<ExprId> = Vec::new();
            if let Some(start) = start {
                conditions.push(self.is_at(start, object.base));
            }
            if let Some(alive) = object.alive {
                conditions.push(self.result.exprs.var(alive, Type::Bool));
            }
            match constant.map(|size| u64::try_from(size).unwrap_or(u64::MAX)) {
                size if object.ghost => {
                    if last == Some(home) {
                        continue;
                    }
                    last = Some(home);
                    if let Some(size) = size
                        && object.size != UNKNOWN_SIZE
                        && let Some(room) = object.size.checked_sub(size)
                        && let Some(distance) = self.distance(ptr)
                    {
                        conditions.push(self.is_not_beyond(distance, room));
                    }
                    if conditions.is_empty() {
                        conditions.push(self.result.exprs.bool(true));
                    }
                }
                // Where it is has one answer, if it is there at all; null is nowhere.
                Some(size) if distance.stride == 0 => {
                    let Some(offset) = distance.places(size, object.size).1.next() else {
                        continue;
                    };
                    conditions.push(self.is_at(ptr, object.base + offset));
                }
                // All of its bounds are one condition.
                _ if last == Some(home) => continue,
                Some(size) => {
                    let Some(room) = object.size.checked_sub(size) else {
                        continue;
                    };
                    let first = self.address(object.base);
                    let end = self.address(object.base + room);
                    conditions.push(self.result.exprs.binary(BinOp::Le, first, new_ptr));
                    conditions.push(self.result.exprs.binary(BinOp::Le, new_ptr, end));
                    last = Some(home);
                }
                None => {
                    let first = self.address(object.base);
                    let end = self.address(object.base + object.size);
                    conditions.push(self.result.exprs.binary(BinOp::Le, first, new_ptr));
                    conditions.push(self.result.exprs.binary(BinOp::Le, new_ptr, end));
                    let room = (self.result.exprs).ptr_diff(end, new_ptr, self.source.data_model);
                    let size_type = Type::Int(self.source.data_model.size_type());
                    let room = self.result.exprs.cast(size_type, room);
                    conditions.push(self.result.exprs.binary(BinOp::Le, new_size, room));
                    last = Some(home);
                }
            }
            options.push(self.all(conditions));
        }
        if self.may_be_another(&to) || to.other {
            let question = self.open_access(id, new_ptr, new_size, write);
            options.push(self.of_another(question, ptr, &to));
        }
        self.any(options)
    }

    /// The question about memory that nobody answers.
    fn open_access(&mut self, id: ExprId, ptr: ExprId, size: ExprId, write: bool) -> ExprId {
        let kind = ExprKind::AccessOk { ptr, size, write };
        match kind == self.source.exprs[id].kind {
            true => id,
            false => self.result.exprs.push(kind, Type::Bool),
        }
    }

    /// Where conditions have to be exact: none if they can't be, otherwise the pointer that has to be the start of the
    /// object, unless that is so anyway.
    #[expect(clippy::option_option, reason = "two different absences")]
    fn certain_start(&self, ptr: ExprId, to: &Pointees) -> Option<Option<ExprId>> {
        let Some(certain) = &self.certain else {
            return Some(None);
        };
        let (root, start) = certain.root(ptr)?;
        let mut homes = to.objects.iter().map(|entry| self.homes[entry.0].home);
        // Of objects of which only some elements are followed bounds are not exact.
        let is_ghost = |home| self.objects.get(home).is_some_and(|object| object.ghost);
        if to.other
            || to.objects.iter().any(|(home, _)| is_ghost(home))
            || !homes.all(|home| certain.is_current(root, home))
        {
            return None;
        }
        Some(match root {
            Root::Object(_) => None,
            Root::Variable(_) => Some(start),
        })
    }

    pub(super) fn free_ok(&mut self, id: ExprId, ptr: ExprId) -> ExprId {
        let to = self.facts.eval(self.homes, ptr);
        let new_ptr = self.expr(ptr);
        let is_start = !matches!(self.source.exprs[ptr].kind, ExprKind::PtrAdd(..));
        let question = match new_ptr == ptr {
            true => id,
            false => (self.result.exprs).push(ExprKind::FreeOk(new_ptr), Type::Bool),
        };
        if self.certain.is_some() && (!is_start || self.certain_start(ptr, &to).is_none()) {
            return question;
        }
        let mut options = vec![self.is_at(ptr, 0)];
        for home in self.starts_of(&to, AllocKind::Heap) {
            let base = self.objects[&home].base;
            let mut conditions = vec![self.is_at(ptr, base)];
            if let Some(alive) = self.objects[&home].alive {
                conditions.push(self.result.exprs.var(alive, Type::Bool));
            }
            options.push(self.all(conditions));
        }
        if self.may_be_another(&to) || to.other {
            options.push(self.of_another(question, ptr, &to));
        }
        self.any(options)
    }
}

/// Whether a write to an object is undefined. (Edges write a local's first contents, `const` or not.)
fn is_read_only(program: &Program, home: Home) -> bool {
    match home {
        Home::Declared(id) => {
            let object = &program.objects[id];
            object.read_only && object.scope == Scope::Global
        }
        Home::Allocated(_) => false,
    }
}
