//! What a way through the new program does, against what the edge does.

use rhumb_program::passes::scalars::{HomeId, Pointees};
use rhumb_program::{Access, Action, Builtin, Callee, ExprId, ExprKind, InputKind, Type, VarId};

use super::super::{Checked, Checker, object_to, require};
use super::{Case, Cases, PointedTo, assignments, is_convertible, only_assignment};

impl Checker<'_> {
    /// The actions do what the edge does in one case. Of some pointers it is known from then on that they are not set.
    pub(super) fn does(
        &self,
        cases: &Cases<'_>,
        case: &Case,
        actions: &[&Action],
        unset: &[VarId],
    ) -> Checked {
        let action = cases.action;
        match (action, &case[..]) {
            (&Action::Load { dst, access, .. }, &[PointedTo::Another(home, offset)]) => {
                let cell = self.cell(home, offset, access)?;
                let is_right = match actions {
                    [Action::Approximate { dst: Some(to), .. }] => *to == dst,
                    [Action::Assign { dst: to, value }] => {
                        let before = self.again.read_before(cases.id);
                        *to == dst
                            && matches!(self.new.exprs[*value].kind, ExprKind::Var(var) if before == Some(var))
                    }
                    _ => false,
                };
                require(is_right, || "a load from another instance".to_owned())?;
                self.flows(self.fact(cell), dst, "load")
            }
            (&Action::Store { value, access, .. }, &[PointedTo::Another(home, offset)]) => {
                let cell = self.cell(home, offset, access)?;
                require(actions.is_empty(), || {
                    "a store to another instance".to_owned()
                })?;
                match self.is_pointer(value) {
                    true => self.flows(&self.pointees(value), cell, "store"),
                    false => Ok(()),
                }
            }
            (&Action::Fill { .. }, &[PointedTo::Another(..)]) => {
                require(actions.is_empty(), || {
                    "a fill of another instance".to_owned()
                })
            }
            (&Action::InputBytes { .. }, &[PointedTo::Another(..)]) => {
                let is_spare = |action: &&Action| matches!(action, Action::Input { dst, .. } if self.is_spare(*dst));
                require(actions.iter().all(is_spare), || {
                    "an input of another instance".to_owned()
                })
            }
            (&Action::Load { dst, access, .. }, &[PointedTo::In(home, offset)]) => {
                let cell = self.cell(home, offset, access)?;
                let value = only_assignment(actions, dst)?;
                self.is_cell(value, cell)?;
                self.flows(self.fact(cell), dst, "load")
            }
            (&Action::Store { value, access, .. }, &[PointedTo::In(home, offset)]) => {
                let cell = self.cell(home, offset, access)?;
                self.converted(value, only_assignment(actions, cell)?)?;
                match self.is_pointer(value) {
                    true => self.flows(&self.pointees(value), cell, "store"),
                    false => Ok(()),
                }
            }
            (&Action::Copy { size, .. }, &[to, from]) => match (self.constant(size), to, from) {
                (_, PointedTo::Other, PointedTo::Other) => self.same(action, actions),
                (Some(size), to, from) => self.copies([to, from], size, actions),
                (None, ..) => object_to("a copy of unknown size"),
            },
            (&Action::Fill { byte, size, .. }, &[PointedTo::In(home, start)]) => {
                let Some(size) = self.constant(size) else {
                    return object_to("a fill of unknown size");
                };
                let set = assignments(actions)?;
                self.sets_touched(home, start, size, &set, |cell, _, value| {
                    self.is_filled(byte, cell, value)
                })
            }
            (&Action::InputBytes { size, site, .. }, &[PointedTo::In(home, start)]) => {
                let kind = &self.old.inputs[site].kind;
                require(!matches!(kind, InputKind::Outside { .. }), || {
                    "others know an object".to_owned()
                })?;
                let Some(size) = self.constant(size) else {
                    return object_to("an input of unknown size");
                };
                self.is_input(home, (start, size), unset, actions)
            }
            (&Action::InputBytes { .. }, _) => {
                let is_spare = |action: &Action| matches!(action, Action::Input { dst, .. } if self.is_spare(*dst));
                let rest = actions.iter().copied().filter(|action| !is_spare(action));
                self.same(action, &rest.collect::<Vec<&Action>>())
            }
            (&Action::Free { .. }, &[PointedTo::In(home, _)]) => self.ends(home, actions),
            (&Action::Free { .. }, &[PointedTo::Null]) => {
                let does_nothing = |action: &&Action| matches!(action, Action::Free { .. });
                require(actions.iter().all(does_nothing), || {
                    "free of null".to_owned()
                })
            }
            (&Action::Enter(object), _) if self.declared.contains_key(&object) => {
                self.begins(self.declared[&object], actions, None)
            }
            (&Action::Leave(object), _) if self.declared.contains_key(&object) => {
                self.ends(self.declared[&object], actions)
            }
            (&Action::Alloc { dst, .. }, _) => {
                let home = self.allocated.iter().find(|(edge, _)| {
                    let cfa = &self.old.functions[self.start()].cfa;
                    std::ptr::eq(&raw const cfa.edges[**edge].action, action)
                });
                match home {
                    Some((_, &home)) => {
                        self.flows(&Pointees::start_of(home), dst, "allocation")?;
                        self.begins(home, actions, Some(dst))
                    }
                    None => self.same(action, actions),
                }
            }
            _ => self.same(action, actions),
        }
    }

    /// One action, over new addresses, that puts no address where nobody looks for it.
    pub(super) fn same(&self, old: &Action, actions: &[&Action]) -> Checked {
        self.unchanged(old, actions)?;
        self.leaks_nothing(old)
    }

    /// One action, over new addresses.
    pub(in super::super) fn unchanged(&self, old: &Action, actions: &[&Action]) -> Checked {
        let differs = || "another action".to_owned();
        let is_skip = *old == Action::Skip && actions.is_empty();
        if is_skip {
            return Ok(());
        }
        let &[new] = actions else {
            return object_to(differs());
        };
        let mut expected = Vec::new();
        old.for_each_expr(|expr| expected.push(expr));
        let mut found = Vec::new();
        new.for_each_expr(|expr| found.push(expr));
        require(expected.len() == found.len(), differs)?;
        for (&a, &b) in expected.iter().zip(&found) {
            self.image(a, b)?;
        }
        // All but the expressions is the same.
        let mut copy = new.clone();
        let mut back = expected.iter();
        copy.for_each_expr_mut(|expr| *expr = *back.next().unwrap_or(expr));
        require(copy == *old, differs)
    }

    /// An action that stays puts no address where nobody looks for it.
    pub(super) fn leaks_nothing(&self, action: &Action) -> Checked {
        let is_known = |id: ExprId| self.is_pointer(id) && self.pointees(id).is_tainted();
        let leak = || "an address gets out of sight".to_owned();
        match action {
            Action::Assign { dst, value } if self.is_pointer(*value) => {
                self.flows(&self.pointees(*value), *dst, "assignment")
            }
            Action::Store { value, .. } => require(!is_known(*value), leak),
            Action::Return { value } => require(!value.is_some_and(is_known), leak),
            Action::Call { dst, callee, args } => {
                let reads_only = matches!(
                    callee,
                    Callee::Builtin(Builtin::Printf | Builtin::Puts | Builtin::Putchar)
                );
                require(reads_only || !args.iter().any(|&arg| is_known(arg)), leak)?;
                match dst {
                    Some(dst) => self.flows(&Pointees::other(), *dst, "call"),
                    None => Ok(()),
                }
            }
            Action::Input { dst, .. } if self.unread.contains(dst) => Ok(()),
            Action::Input { dst, .. } | Action::Load { dst, .. } | Action::Alloc { dst, .. } => {
                self.flows(&Pointees::other(), *dst, "load")
            }
            Action::Approximate { dst: Some(dst), .. } => {
                self.flows(&Pointees::other(), *dst, "approximation")
            }
            _ => Ok(()),
        }
    }

    /// The variable of the piece at a place, which must be all that the access touches.
    pub(super) fn cell(&self, home: HomeId, offset: u64, access: Access) -> Checked<VarId> {
        let cell = self.object(home)?.cells.get(&offset);
        match cell {
            Some(cell) if access.bits.is_none() && is_convertible(cell.ty, access.ty) => {
                Ok(cell.var)
            }
            _ => object_to(format!("no variable for the piece at {offset} of {home:?}")),
        }
    }

    /// The value of a variable, perhaps converted between integers of one width.
    pub(in super::super) fn is_cell(&self, value: ExprId, cell: VarId) -> Checked {
        let exprs = &self.new.exprs;
        let inner = match exprs[value].kind {
            ExprKind::Cast(inner) if is_convertible(exprs.ty(inner), exprs.ty(value)) => inner,
            _ => value,
        };
        require(exprs[inner].kind == ExprKind::Var(cell), || {
            format!("{value:?} is not the value of {cell:?}")
        })
    }

    /// Exactly the pieces that a range touches are set, each as it must be.
    pub(super) fn sets_touched(
        &self,
        home: HomeId,
        start: u64,
        size: u64,
        set: &[(VarId, ExprId)],
        mut is_right: impl FnMut(VarId, u64, ExprId) -> Checked,
    ) -> Checked {
        let wrong = || format!("a range of {home:?} is not set");
        let mut count = 0;
        for (&offset, cell) in &self.object(home)?.cells {
            let end = offset + cell.ty.size(self.old.data_model);
            if end <= start || offset >= start + size {
                continue;
            }
            require(offset >= start && end <= start + size, wrong)?;
            let value = set.iter().find(|entry| entry.0 == cell.var);
            let Some(&(_, value)) = value else {
                return object_to(wrong());
            };
            is_right(cell.var, offset - start, value)?;
            count += 1;
        }
        require(count == set.len(), wrong)
    }

    pub(super) fn copies(
        &self,
        [to, from]: [PointedTo; 2],
        size: u64,
        actions: &[&Action],
    ) -> Checked {
        match (to, from) {
            (PointedTo::Another(..), _) | (_, PointedTo::Another(..)) => {
                object_to("a copy of one of many")
            }
            (PointedTo::In(home, start), PointedTo::In(source, begin)) => {
                let apart = start.abs_diff(begin) >= size;
                require(home != source || start == begin || apart, || {
                    "a copy overlaps with itself".to_owned()
                })?;
                let set = assignments(actions)?;
                self.sets_touched(home, start, size, &set, |cell, offset, value| {
                    let ty = self.new.vars[cell].ty;
                    let other = self.cell(source, begin + offset, Access::whole(ty))?;
                    self.is_never_late(other)?;
                    self.is_cell(value, other)?;
                    self.flows(self.fact(other), cell, "copy")
                })
            }
            (PointedTo::In(home, start), _) => {
                let loads = actions.iter().map(|action| match action {
                    Action::Load { dst, ptr, .. } => Ok((*dst, *ptr)),
                    _ => object_to("a copy from memory is no load"),
                });
                let set = loads.collect::<Checked<Vec<(VarId, ExprId)>>>()?;
                self.sets_touched(home, start, size, &set, |cell, _, _| {
                    self.flows(&Pointees::other(), cell, "copy")
                })
            }
            (_, PointedTo::In(home, start)) => {
                let stores = actions
                    .iter()
                    .all(|action| matches!(action, Action::Store { .. }));
                require(stores, || "a copy to memory is no store".to_owned())?;
                for (&offset, cell) in &self.object(home)?.cells {
                    let end = offset + cell.ty.size(self.old.data_model);
                    let is_touched = end > start && offset < start + size;
                    require(!is_touched || !self.fact(cell.var).is_tainted(), || {
                        "an address gets out of sight".to_owned()
                    })?;
                    if is_touched {
                        self.is_never_late(cell.var)?;
                    }
                }
                Ok(())
            }
            _ => object_to("a copy from nowhere"),
        }
    }

    /// A value all of whose bytes are the given one.
    pub(in super::super) fn is_filled(&self, byte: ExprId, cell: VarId, value: ExprId) -> Checked {
        let ty = self.new.vars[cell].ty;
        let is_right = match (self.old.exprs.as_int_const(byte), ty) {
            (Some((_, bits)), Type::Int(int)) => {
                let bits = int.wrap(u128::from_le_bytes([bits as u8; 16]));
                self.new.exprs[value].kind == ExprKind::Const(bits)
            }
            (Some((_, bits)), _) => {
                bits as u8 == 0 && self.new.exprs[value].kind == ExprKind::Const(0)
            }
            (None, Type::Int(int)) if int.width == 8 => match self.new.exprs[value].kind {
                ExprKind::Cast(inner) if self.image(byte, inner).is_ok() => true,
                _ => self.image(byte, value).is_ok(),
            },
            _ => false,
        };
        require(is_right, || {
            format!("{cell:?} is filled with something else")
        })
    }

    /// A variable that no object has and the given program doesn't know.
    pub(in super::super) fn is_spare(&self, var: VarId) -> bool {
        let mut objects = self.scalars.objects.values();
        let is_own = objects.any(|object| {
            let mut cells = object.cells.values();
            object.alive == Some(var) || cells.any(|cell| cell.var == var)
        });
        var.index() >= self.old.vars.len() && !is_own && !self.is_ghost(var)
    }

    /// The pieces of a range get any values, and nothing else does.
    pub(super) fn is_input(
        &self,
        home: HomeId,
        (start, size): (u64, u64),
        unset: &[VarId],
        actions: &[&Action],
    ) -> Checked {
        let mut set = Vec::new();
        for action in actions {
            match **action {
                Action::Input { dst, .. } if self.is_spare(dst) => {}
                Action::Input { dst, .. } => set.push((dst, ExprId::from_usize(0))),
                // A part of another type.
                Action::Assign { dst, value } => {
                    let ExprKind::Cast(inner) = self.new.exprs[value].kind else {
                        return object_to("an input is no conversion");
                    };
                    let is_spare = matches!(self.new.exprs[inner].kind,
                        ExprKind::Var(var) if self.is_spare(var));
                    require(is_spare, || "an input is something else".to_owned())?;
                    set.push((dst, value));
                }
                _ => return object_to("an input is something else"),
            }
        }
        self.sets_touched(home, start, size, &set, |cell, _, _| {
            match unset.contains(&cell) {
                // Nobody reads it before it is set again.
                true => Ok(()),
                false => self.flows(&Pointees::other(), cell, "input"),
            }
        })
    }

    /// A lifetime begins: everything is zero, and the pointer, if there is one, is to the start.
    pub(in super::super) fn begins(
        &self,
        home: HomeId,
        actions: &[&Action],
        dst: Option<VarId>,
    ) -> Checked {
        let object = self.object(home)?;
        let mut set = assignments(actions)?;
        let is = |value: ExprId, bits: u128| self.new.exprs[value].kind == ExprKind::Const(bits);
        let mut take = |var: VarId, bits: u128| {
            let place = set.iter().position(|entry| entry.0 == var);
            let value = place.map(|place| set.swap_remove(place).1);
            require(value.is_some_and(|value| is(value, bits)), || {
                format!("a lifetime begins without {var:?}")
            })
        };
        for cell in object.cells.values() {
            take(cell.var, 0)?;
        }
        for cell in &self.scalars.ghosts.cells {
            if cell.home == home {
                take(cell.var, 0)?;
            }
        }
        for fold in &self.scalars.ghosts.folds {
            if fold.home == home {
                for var in fold.vars() {
                    take(var, 0)?;
                }
            }
        }
        if let Some(alive) = object.alive {
            take(alive, 1)?;
        }
        if let Some(dst) = dst {
            take(dst, object.base.into())?;
        }
        require(set.is_empty(), || "a lifetime begins with more".to_owned())
    }

    /// A lifetime ends. (If nothing says so, the new program goes on where the given one doesn't.)
    pub(super) fn ends(&self, home: HomeId, actions: &[&Action]) -> Checked {
        let alive = self.object(home)?.alive;
        let set = assignments(actions)?;
        let is_end = |&(var, value): &(VarId, ExprId)| {
            Some(var) == alive && self.new.exprs[value].kind == ExprKind::Const(0)
        };
        require(set.iter().all(is_end), || {
            "a lifetime ends with more".to_owned()
        })
    }
}
