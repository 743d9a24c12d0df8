//! Edges: every way that an edge of the given program becomes does what the edge does.

use rhumb_program::passes::scalars::{HomeId, Pointees, Promoted};
use rhumb_program::{
    Access, Action, BinOp, Builtin, Callee, ExprId, ExprKind, InputKind, LocId, LocKind, Type,
    VarId,
};

use super::{Checked, Checker, object_to, parts, require};

/// Where the pointers of an action point: what a way through the new program is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// To an object that has become variables, at this distance.
    In(HomeId, u64),
    /// To other memory.
    Other,
    /// Nowhere: null.
    Null,
}

/// For each pointer of an action, where it points.
type Case = Vec<Place>;

/// An edge under examination.
struct Cases<'e> {
    /// Its pointers.
    pointers: Vec<ExprId>,
    /// Where they may point.
    cases: Vec<Case>,
    /// Where it leads.
    target: LocId,
    action: &'e Action,
}

impl Checker<'_> {
    /// Goes through all edges of the start function.
    pub(super) fn check_edges(&self) -> Checked {
        let old = &self.old.functions[self.start()].cfa;
        let new = &self.new.functions[self.start()].cfa;
        require(
            old.entry == new.entry && old.locations.len() <= new.locations.len(),
            || "locations are not the same".to_owned(),
        )?;
        for (at, location) in old.locations.iter_enumerated() {
            require(location.kind == new.locations[at].kind, || {
                format!("{at:?} is another location")
            })?;
            match *location.outgoing {
                [] => require(new.outgoing(at).is_empty(), || format!("{at:?} goes on"))?,
                [edge] => {
                    let edge = &old.edges[edge];
                    let checked = self.edge(at, &edge.action, edge.target);
                    checked.map_err(|objection| {
                        let place = self.old.sources.position(edge.span);
                        super::Objection(format!("{}:{}: {objection}", place.file, place.line))
                    })?;
                }
                [first, second] => self.branch(at, [first, second])?,
                _ => return object_to(format!("{at:?} has more than two edges")),
            }
        }
        Ok(())
    }

    fn branch(&self, at: LocId, ids: [rhumb_program::EdgeId; 2]) -> Checked {
        let old = &self.old.functions[self.start()].cfa;
        let new = &self.new.functions[self.start()].cfa;
        let differs = || format!("the branch at {at:?} is another one");
        let [a, b] = *new.outgoing(at) else {
            return object_to(differs());
        };
        let fails = |id: rhumb_program::EdgeId| match old.edges[id].action {
            Action::Assume { holds: false, .. } => Some(old.edges[id].target),
            _ => None,
        };
        let fails = ids.into_iter().find_map(fails);
        let or_undefined = fails.is_some_and(|to| matches!(old.locations[to].kind, LocKind::Ub(_)));
        for (was, is) in ids.into_iter().zip([a, b]) {
            let (was, is) = (&old.edges[was], &new.edges[is]);
            let (
                Action::Assume { cond, holds },
                Action::Assume {
                    cond: new_cond,
                    holds: new_holds,
                },
            ) = (&was.action, &is.action)
            else {
                return object_to(differs());
            };
            require(holds == new_holds && was.target == is.target, differs)?;
            self.condition(*cond, *new_cond, or_undefined)?;
        }
        Ok(())
    }

    /// An edge that is no branch.
    fn edge(&self, at: LocId, action: &Action, target: LocId) -> Checked {
        let pointers: Vec<(ExprId, u64)> = match *action {
            Action::Load { ptr, access, .. } | Action::Store { ptr, access, .. } => {
                vec![(ptr, access.size(self.old.data_model))]
            }
            Action::Copy { dst, src, size } => {
                let size = self.constant(size);
                vec![(dst, size.unwrap_or(0)), (src, size.unwrap_or(0))]
            }
            Action::Fill { dst, size, .. } => vec![(dst, self.constant(size).unwrap_or(0))],
            Action::InputBytes { ptr, size, .. } => {
                vec![(ptr, self.constant(size).unwrap_or(0))]
            }
            Action::Free { ptr, .. } => vec![(ptr, 0)],
            _ => Vec::new(),
        };
        let mut cases: Vec<Case> = vec![Vec::new()];
        for &(pointer, size) in &pointers {
            let places = self.places(action, &self.pointees(pointer), size)?;
            cases = (cases.iter())
                .flat_map(|case| {
                    places.iter().map(|&place| {
                        let mut longer = case.clone();
                        longer.push(place);
                        longer
                    })
                })
                .collect();
        }
        let cases = Cases {
            pointers: pointers.into_iter().map(|entry| entry.0).collect(),
            cases,
            target,
            action,
        };
        self.ways(at, cases)
    }

    /// Where a pointer may point, for an access of so many bytes.
    fn places(&self, action: &Action, to: &Pointees, size: u64) -> Checked<Vec<Place>> {
        let mut places = Vec::new();
        if let Action::Free { .. } = action {
            places.push(Place::Null);
            places.extend(self.freed(to).into_iter().map(|home| Place::In(home, 0)));
        } else {
            for &(home, distance) in &to.objects {
                let object = self.object(home)?;
                let (count, offsets) = distance.places(size, object.size);
                require(count <= 1 << 12, || {
                    "an access has too many places".to_owned()
                })?;
                places.extend(offsets.map(|offset| Place::In(home, offset)));
            }
        }
        if to.other {
            places.push(Place::Other);
        }
        Ok(places)
    }

    /// Follows the tests of pointers, and looks at what is done at the end of each way.
    fn ways(&self, from: LocId, mut cases: Cases<'_>) -> Checked {
        let cfa = &self.new.functions[self.start()].cfa;
        let mut at = from;
        let mut steps = 0;
        loop {
            let &[first, second] = cfa.outgoing(at) else {
                return self.way(at, &cases);
            };
            let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
            let (
                Action::Assume { cond, holds: true },
                Action::Assume {
                    cond: other,
                    holds: false,
                },
            ) = (&first.action, &second.action)
            else {
                return object_to("a choice is no branch");
            };
            require(cond == other, || "a choice is no branch".to_owned())?;
            let mut taken = Vec::new();
            let mut rest = Vec::new();
            for case in std::mem::take(&mut cases.cases) {
                match self.is_taken(*cond, &cases.pointers, &case)? {
                    true => taken.push(case),
                    false => rest.push(case),
                }
            }
            let way = Cases {
                pointers: cases.pointers.clone(),
                cases: taken,
                ..cases
            };
            self.way(self.fresh(first.target)?, &way)?;
            cases.cases = rest;
            at = self.fresh(second.target)?;
            steps += 1;
            require(steps <= cfa.locations.len(), || {
                "a choice is a loop".to_owned()
            })?;
        }
    }

    /// A location between two of the given program.
    fn fresh(&self, at: LocId) -> Checked<LocId> {
        let count = self.old.functions[self.start()].cfa.locations.len();
        let kind = self.new.functions[self.start()].cfa.locations[at].kind;
        require(at.index() >= count && kind == LocKind::Plain, || {
            format!("{at:?} is no location of a choice")
        })?;
        Ok(at)
    }

    /// Whether a test of pointers holds: all of it is "this pointer is that address", of an object that has become variables.
    fn is_taken(&self, cond: ExprId, pointers: &[ExprId], case: &Case) -> Checked<bool> {
        let mut all = true;
        for atom in parts(self.new, cond, BinOp::And) {
            let ExprKind::Binary(BinOp::Eq, a, b) = self.new.exprs[atom].kind else {
                return object_to("a choice by something else than an address");
            };
            let ExprKind::Const(address) = self.new.exprs[b].kind else {
                return object_to("a choice by an address that is not known");
            };
            let inside = |object: &&Promoted| {
                let base = u128::from(object.base);
                base <= address && address <= base + u128::from(object.size)
            };
            require(
                self.scalars.objects.values().any(|object| inside(&object)),
                || "a choice by an address of other memory".to_owned(),
            )?;
            let place = (pointers.iter().zip(case)).find(|(ptr, _)| self.image(**ptr, a).is_ok());
            let Some((_, place)) = place else {
                return object_to("a choice by something else than the pointer");
            };
            all &= match *place {
                Place::In(home, offset) => u128::from(self.object(home)?.base + offset) == address,
                Place::Other | Place::Null => false,
            };
        }
        Ok(all)
    }

    /// What is done on one way, up to where the edge leads, is right in all of its cases.
    fn way(&self, from: LocId, cases: &Cases<'_>) -> Checked {
        let cfa = &self.new.functions[self.start()].cfa;
        let mut actions: Vec<&Action> = Vec::new();
        let mut at = from;
        loop {
            let &[edge] = cfa.outgoing(at) else {
                return object_to("a way has no end");
            };
            let edge = &cfa.edges[edge];
            actions.push(&edge.action);
            if edge.target == cases.target && edge.target.index() < self.old_locations() {
                break;
            }
            at = self.fresh(edge.target)?;
            require(actions.len() <= cfa.locations.len(), || {
                "a way is a loop".to_owned()
            })?;
        }
        actions.retain(|action| **action != Action::Skip);
        for case in &cases.cases {
            self.does(cases.action, case, &actions)?;
        }
        Ok(())
    }

    fn old_locations(&self) -> usize {
        self.old.functions[self.start()].cfa.locations.len()
    }

    /// The actions do what the edge does in one case.
    fn does(&self, action: &Action, case: &Case, actions: &[&Action]) -> Checked {
        match (action, &case[..]) {
            (&Action::Load { dst, access, .. }, &[Place::In(home, offset)]) => {
                let cell = self.cell(home, offset, access)?;
                let value = only_assignment(actions, dst)?;
                self.is_cell(value, cell)?;
                self.flows(self.fact(cell), dst, "load")
            }
            (&Action::Store { value, access, .. }, &[Place::In(home, offset)]) => {
                let cell = self.cell(home, offset, access)?;
                self.converted(value, only_assignment(actions, cell)?)?;
                match self.is_pointer(value) {
                    true => self.flows(&self.pointees(value), cell, "store"),
                    false => Ok(()),
                }
            }
            (&Action::Copy { size, .. }, &[to, from]) => match (self.constant(size), to, from) {
                (_, Place::Other, Place::Other) => self.same(action, actions),
                (Some(size), to, from) => self.copies([to, from], size, actions),
                (None, ..) => object_to("a copy of unknown size"),
            },
            (&Action::Fill { byte, size, .. }, &[Place::In(home, start)]) => {
                let Some(size) = self.constant(size) else {
                    return object_to("a fill of unknown size");
                };
                let set = assignments(actions)?;
                self.sets_touched(home, start, size, &set, |cell, _, value| {
                    self.is_filled(byte, cell, value)
                })
            }
            (&Action::InputBytes { size, site, .. }, &[Place::In(home, start)]) => {
                let kind = &self.old.inputs[site].kind;
                require(!matches!(kind, InputKind::Outside { .. }), || {
                    "others know an object".to_owned()
                })?;
                let Some(size) = self.constant(size) else {
                    return object_to("an input of unknown size");
                };
                self.is_input(home, start, size, actions)
            }
            (&Action::InputBytes { .. }, _) => {
                let is_spare = |action: &Action| matches!(action, Action::Input { dst, .. } if self.is_spare(*dst));
                let rest = actions.iter().copied().filter(|action| !is_spare(action));
                self.same(action, &rest.collect::<Vec<&Action>>())
            }
            (&Action::Free { .. }, &[Place::In(home, _)]) => self.ends(home, actions),
            (&Action::Free { .. }, &[Place::Null]) => {
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

    /// One action, over new addresses.
    fn same(&self, old: &Action, actions: &[&Action]) -> Checked {
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
        require(copy == *old, differs)?;
        self.leaks_nothing(old)
    }

    /// An action that stays puts no address where nobody looks for it.
    fn leaks_nothing(&self, action: &Action) -> Checked {
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
    fn cell(&self, home: HomeId, offset: u64, access: Access) -> Checked<VarId> {
        let cell = self.object(home)?.cells.get(&offset);
        match cell {
            Some(cell) if access.bits.is_none() && is_convertible(cell.ty, access.ty) => {
                Ok(cell.var)
            }
            _ => object_to(format!("no variable for the piece at {offset} of {home:?}")),
        }
    }

    /// The value of a variable, perhaps converted between integers of one width.
    fn is_cell(&self, value: ExprId, cell: VarId) -> Checked {
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
    fn sets_touched(
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

    fn copies(&self, [to, from]: [Place; 2], size: u64, actions: &[&Action]) -> Checked {
        match (to, from) {
            (Place::In(home, start), Place::In(source, begin)) => {
                let apart = start.abs_diff(begin) >= size;
                require(home != source || start == begin || apart, || {
                    "a copy overlaps with itself".to_owned()
                })?;
                let set = assignments(actions)?;
                self.sets_touched(home, start, size, &set, |cell, offset, value| {
                    let ty = self.new.vars[cell].ty;
                    let other = self.cell(source, begin + offset, Access::whole(ty))?;
                    self.is_cell(value, other)?;
                    self.flows(self.fact(other), cell, "copy")
                })
            }
            (Place::In(home, start), _) => {
                let loads = actions.iter().map(|action| match action {
                    Action::Load { dst, ptr, .. } => Ok((*dst, *ptr)),
                    _ => object_to("a copy from memory is no load"),
                });
                let set = loads.collect::<Checked<Vec<(VarId, ExprId)>>>()?;
                self.sets_touched(home, start, size, &set, |cell, _, _| {
                    self.flows(&Pointees::other(), cell, "copy")
                })
            }
            (_, Place::In(home, start)) => {
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
                }
                Ok(())
            }
            _ => object_to("a copy from nowhere"),
        }
    }

    /// A value all of whose bytes are the given one.
    fn is_filled(&self, byte: ExprId, cell: VarId, value: ExprId) -> Checked {
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
    fn is_spare(&self, var: VarId) -> bool {
        let mut objects = self.scalars.objects.values();
        let is_own = objects.any(|object| {
            let mut cells = object.cells.values();
            object.alive == Some(var) || cells.any(|cell| cell.var == var)
        });
        var.index() >= self.old.vars.len() && !is_own
    }

    /// The pieces of a range get any values, and nothing else does.
    fn is_input(&self, home: HomeId, start: u64, size: u64, actions: &[&Action]) -> Checked {
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
            self.flows(&Pointees::other(), cell, "input")
        })
    }

    /// A lifetime begins: everything is zero, and the pointer, if there is one, is to the start.
    fn begins(&self, home: HomeId, actions: &[&Action], dst: Option<VarId>) -> Checked {
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
        if let Some(alive) = object.alive {
            take(alive, 1)?;
        }
        if let Some(dst) = dst {
            take(dst, object.base.into())?;
        }
        require(set.is_empty(), || "a lifetime begins with more".to_owned())
    }

    /// A lifetime ends. (If nothing says so, the new program goes on where the given one doesn't.)
    fn ends(&self, home: HomeId, actions: &[&Action]) -> Checked {
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

/// Whether values of one type are values of the other by a conversion that changes no bit.
pub(super) fn is_convertible(a: Type, b: Type) -> bool {
    match (a, b) {
        (Type::Int(a), Type::Int(b)) => a.width == b.width,
        _ => a == b,
    }
}

/// The actions as assignments, each to another variable.
fn assignments(actions: &[&Action]) -> Checked<Vec<(VarId, ExprId)>> {
    let mut set: Vec<(VarId, ExprId)> = Vec::new();
    for action in actions {
        let Action::Assign { dst, value } = action else {
            return object_to("something else than assignments");
        };
        let is_first = set.iter().all(|entry| entry.0 != *dst);
        require(is_first, || format!("{dst:?} is set twice"))?;
        set.push((*dst, *value));
    }
    Ok(set)
}

/// The value that the only action gives to the variable.
fn only_assignment(actions: &[&Action], to: VarId) -> Checked<ExprId> {
    match assignments(actions)?[..] {
        [(dst, value)] if dst == to => Ok(value),
        _ => object_to(format!("something else than {to:?} is set")),
    }
}
