//! What becomes of an action.

use super::super::homes::Home;
use super::super::inputs::Piece;
use super::super::pointees::{HomeId, Pointees};
use super::super::points_to::places as places_of;
use super::super::{CellVar, Promoted};
use super::{Step, Translator};
use crate::cfa::{Action, AllocKind};
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, InputSiteId, ObjectId, VarId};
use crate::model::{Decl, Scope};
use crate::passes::restore::VarOrigin;
use crate::span::Span;
use crate::types::Type;

impl Translator<'_, '_> {
    /// What takes the place of an edge.
    pub(super) fn step(&mut self, id: EdgeId, action: &Action) -> Step {
        let step = self.plain_step(id, action);
        self.with_distance(action, step)
    }

    fn plain_step(&mut self, id: EdgeId, action: &Action) -> Step {
        if let Some(step) = self.ghost_step(id, action) {
            return step;
        }
        match *action {
            Action::Load { dst, ptr, access } => {
                let (options, other) = self.places(ptr, access.size(self.source.data_model));
                let mut choice = Vec::new();
                for (address, cell) in options {
                    let value = self.result.exprs.var(cell.var, cell.ty);
                    let value = self.result.exprs.cast(access.ty, value);
                    let condition = self.is_at(ptr, address);
                    let mut actions = self.meets(id, true);
                    actions.push(Action::Assign { dst, value });
                    choice.push((condition, actions));
                }
                match self.is_one_of_many(ptr) {
                    true => Step::Choice(choice, self.load_another(id, dst)),
                    false => self.choose(choice, other, action),
                }
            }
            Action::Store { ptr, value, access } => {
                let (options, other) = self.places(ptr, access.size(self.source.data_model));
                let value = self.expr(value);
                let mut choice = Vec::new();
                for (address, cell) in options {
                    let value = self.result.exprs.cast(cell.ty, value);
                    let condition = self.is_at(ptr, address);
                    let dst = cell.var;
                    let mut actions = vec![Action::Assign { dst, value }];
                    actions.extend(self.says_set(cell.var, true));
                    choice.push((condition, actions));
                }
                match self.is_one_of_many(ptr) {
                    true => Step::Choice(choice, Vec::new()),
                    false => self.choose(choice, other, action),
                }
            }
            Action::Copy { dst, src, size } => self.copy(action, dst, src, size),
            Action::Fill { dst, byte, size } => {
                let Some((_, size)) = self.source.exprs.as_int_const(size) else {
                    return self.same(action);
                };
                let to = self.facts.eval(self.homes, dst);
                let mut choice = Vec::new();
                for &(home, distance) in &to.objects {
                    let Some(object) = self.objects.get(&home).cloned() else {
                        continue;
                    };
                    let start = distance.offset;
                    let mut actions = Vec::new();
                    for (&at, cell) in &object.cells {
                        if inside(at, start, size as u64) {
                            let value = self.filled(byte, cell.ty);
                            let dst = cell.var;
                            actions.push(Action::Assign { dst, value });
                            actions.extend(self.says_set(dst, true));
                        }
                    }
                    let address = object.base.wrapping_add(start as u64);
                    choice.push((self.is_at(dst, address), actions));
                }
                match self.is_one_of_many(dst) {
                    true => Step::Choice(choice, Vec::new()),
                    false => self.choose(choice, to.other, action),
                }
            }
            Action::InputBytes { site, .. } => self.input(action, site),
            Action::Enter(object) => match self.declared(object) {
                Some(home) => Step::Sequence(self.begin(home)),
                None => self.same(action),
            },
            Action::Leave(object) => match self.declared(object) {
                Some(home) => Step::Sequence(self.end(home)),
                None => self.same(action),
            },
            Action::Alloc { dst, .. } => match self.homes.allocated(id) {
                Some(home) if self.instances.of.contains_key(&home) => {
                    self.one_of_many(id, home, dst)
                }
                Some(home) if self.objects.contains_key(&home) => {
                    let mut actions = self.begin(home);
                    let value = self.address(self.objects[&home].base);
                    actions.push(Action::Assign { dst, value });
                    Step::Sequence(actions)
                }
                _ => self.same(action),
            },
            Action::Free { ptr, kind } => {
                let to = self.facts.eval(self.homes, ptr);
                let mut choice = Vec::new();
                for home in self.starts_of(&to, kind) {
                    let base = self.objects[&home].base;
                    let condition = self.is_at(ptr, base);
                    let actions = self.end(home);
                    choice.push((condition, actions));
                }
                let is_other = to.other || self.may_be_another(&to);
                let last = match (is_other, self.same(action)) {
                    (true, Step::Sequence(actions)) => actions,
                    _ => Vec::new(),
                };
                Step::Choice(choice, last)
            }
            _ => self.same(action),
        }
    }

    /// The action as it is, over the new expressions.
    pub(super) fn same(&mut self, action: &Action) -> Step {
        let mut action = action.clone();
        action.for_each_expr_mut(|expr| *expr = self.expr(*expr));
        Step::Sequence(vec![action])
    }

    /// A choice by conditions, where one of them holds unless the action itself is the rest.
    pub(super) fn choose(
        &mut self,
        mut options: Vec<(ExprId, Vec<Action>)>,
        other: bool,
        action: &Action,
    ) -> Step {
        if other || options.is_empty() {
            let Step::Sequence(last) = self.same(action) else {
                return Step::Sequence(Vec::new());
            };
            return match options.is_empty() {
                true => Step::Sequence(last),
                false => Step::Choice(options, last),
            };
        }
        let last = options.pop().map_or_else(Vec::new, |(_, actions)| actions);
        match options.is_empty() {
            true => Step::Sequence(last),
            false => Step::Choice(options, last),
        }
    }

    pub(super) fn declared(&self, object: ObjectId) -> Option<HomeId> {
        let home = self.homes.declared(object)?;
        self.objects.contains_key(&home).then_some(home)
    }

    /// The variables that an access can be to, each with its address, and whether it can be to memory.
    pub(super) fn places(&self, ptr: ExprId, size: u64) -> (Vec<(u64, CellVar)>, bool) {
        let to = self.facts.eval(self.homes, ptr);
        let places = places_of(self.homes, &to, size);
        let options = places.filter_map(|(home, offset)| {
            let object = self.objects.get(&home)?;
            let cell = *object.cells.get(&offset)?;
            Some((object.base + offset, cell))
        });
        let mut options: Vec<(u64, CellVar)> = options.collect();
        options.sort_unstable_by_key(|option| option.0);
        options.dedup_by_key(|option| option.0);
        (options, to.other)
    }

    pub(super) fn address(&mut self, address: u64) -> ExprId {
        let bits = self.source.data_model.size_type().wrap(address.into());
        self.result.exprs.push(ExprKind::Const(bits), Type::Ptr)
    }

    /// Whether a pointer of the given program is this address now.
    pub(super) fn is_at(&mut self, ptr: ExprId, address: u64) -> ExprId {
        let (ptr, address) = self.unmoved(ptr, address);
        let ptr = self.expr(ptr);
        let address = self.address(address);
        self.result.exprs.binary(BinOp::Eq, ptr, address)
    }

    /// The value of a piece all of whose bytes are the same.
    pub(super) fn filled(&mut self, byte: ExprId, ty: Type) -> ExprId {
        match (self.source.exprs.as_int_const(byte), ty) {
            (Some((_, bits)), _) => {
                let low = (bits & 0xff) as u8;
                let mut bits = u128::from_le_bytes([low; 16]);
                if let Type::Int(int) = ty {
                    bits = int.wrap(bits);
                }
                // Other types are only filled with zeros.
                self.result.exprs.push(ExprKind::Const(bits), ty)
            }
            (None, _) => {
                let byte = self.expr(byte);
                self.result.exprs.cast(ty, byte)
            }
        }
    }

    /// A lifetime begins: all zero.
    pub(super) fn begin(&mut self, home: HomeId) -> Vec<Action> {
        let object = self.objects[&home].clone();
        let mut actions = Vec::new();
        for cell in object.cells.values() {
            let value = self.result.exprs.push(ExprKind::Const(0), cell.ty);
            let dst = cell.var;
            actions.push(Action::Assign { dst, value });
            actions.extend(self.says_set(dst, true));
        }
        for cell in self.ghosts.cells.clone() {
            if cell.home == home {
                let value = self.result.exprs.push(ExprKind::Const(0), cell.ty);
                let dst = cell.var;
                actions.push(Action::Assign { dst, value });
            }
        }
        actions.extend(self.empty_folds(home));
        if let Some(dst) = object.alive {
            let value = self.result.exprs.bool(true);
            actions.push(Action::Assign { dst, value });
        }
        actions
    }

    /// A lifetime ends.
    pub(super) fn end(&mut self, home: HomeId) -> Vec<Action> {
        let alive = self.objects[&home].alive;
        let value = self.result.exprs.bool(false);
        alive
            .map(|dst| Action::Assign { dst, value })
            .into_iter()
            .collect()
    }

    /// The allocated objects of a kind whose start a pointer may be.
    pub(super) fn starts_of(&self, to: &Pointees, kind: AllocKind) -> Vec<HomeId> {
        let cfa = &self.source.functions[self.source.start].cfa;
        let is_of_kind = |home: Home| match home {
            Home::Allocated(edge) => {
                matches!(cfa.edges[edge].action, Action::Alloc { kind: found, .. } if found == kind)
            }
            Home::Declared(_) => false,
        };
        let mut starts: Vec<HomeId> = (to.objects.iter())
            .filter(|(home, distance)| {
                let object = self.objects.get(home);
                let is_of_kind = object.is_some_and(|object| is_of_kind(object.home));
                is_of_kind && distance.places(0, 0).0 > 0
            })
            .map(|entry| entry.0)
            .collect();
        starts.dedup();
        starts
    }

    pub(super) fn input(&mut self, action: &Action, site: InputSiteId) -> Step {
        let Action::InputBytes { ptr, .. } = *action else {
            return Step::Sequence(Vec::new());
        };
        let to = self.facts.eval(self.homes, ptr);
        let set = self.parts(action);
        let mut actions = self.input_parts(action, site, &set);
        for (_, _, cell) in &set {
            actions.extend(self.says_set(cell.var, false));
        }
        match to.objects[..] {
            [(home, distance)] if self.instances.of.contains_key(&home) => {
                let start = distance.offset as u64;
                let address = self.objects[&home].base.wrapping_add(start);
                let is_there = self.is_at(ptr, address);
                let elsewhere = self.input_parts(action, site, &[]);
                Step::Choice(vec![(is_there, actions)], elsewhere)
            }
            _ => Step::Sequence(actions),
        }
    }

    /// The inputs that one of bytes is, each for the variable that it is for, or for none.
    fn input_parts(
        &mut self,
        action: &Action,
        site: InputSiteId,
        set: &[(InputSiteId, u64, CellVar)],
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        let Action::InputBytes { ptr, .. } = *action else {
            return actions;
        };
        if !self.facts.eval(self.homes, ptr).is_tainted()
            && let Step::Sequence(same) = self.same(action)
        {
            actions = same;
        }
        for piece in self.pieces.clone() {
            if piece.whole != site {
                continue;
            }
            let cell = set.iter().find(|(_, offset, _)| *offset == piece.offset);
            let dst = match cell {
                Some((_, _, cell)) if cell.ty == piece.ty => cell.var,
                _ => self.unread(piece),
            };
            actions.push(Action::Input {
                dst,
                site: piece.site,
            });
            if let Some((_, _, cell)) = cell
                && cell.ty != piece.ty
            {
                let value = self.result.exprs.var(dst, piece.ty);
                let value = self.result.exprs.cast(cell.ty, value);
                let dst = cell.var;
                actions.push(Action::Assign { dst, value });
            }
        }
        actions
    }

    pub(super) fn unread(&mut self, piece: Piece) -> VarId {
        if let Some(&known) = self.unread.get(&piece.site) {
            return known;
        }
        let decl = Decl {
            name: "".into(),
            span: self.source.inputs[piece.whole].span,
            visible: Span::default(),
        };
        let var = self.add_var(
            String::new(),
            &decl,
            piece.ty,
            Scope::Local(self.source.start),
            VarOrigin::Part(piece.whole, piece.offset),
        );
        self.unread.insert(piece.site, var);
        var
    }

    pub(super) fn copy(&mut self, action: &Action, dst: ExprId, src: ExprId, size: ExprId) -> Step {
        let (to, from) = (
            self.facts.eval(self.homes, dst),
            self.facts.eval(self.homes, src),
        );
        let Some((_, size)) = self.source.exprs.as_int_const(size) else {
            return self.same(action);
        };
        let size = size as u64;
        let mut choice = Vec::new();
        let (new_dst, new_src) = (self.expr(dst), self.expr(src));
        let targets = self.starts(&to, size);
        let sources = self.starts(&from, size);
        for (a, at) in &targets {
            let is_target = self.is_at(dst, a.base + at);
            for (b, begin) in &sources {
                let is_source = self.is_at(src, b.base + begin);
                let both = self.result.exprs.binary(BinOp::And, is_target, is_source);
                let mut actions = Vec::new();
                for (offset, cell) in a.cells.range(*at..at + size) {
                    if let Some(other) = b.cells.get(&(offset - at + begin)) {
                        let value = self.result.exprs.var(other.var, other.ty);
                        let value = self.result.exprs.cast(cell.ty, value);
                        let dst = cell.var;
                        actions.push(Action::Assign { dst, value });
                    }
                }
                choice.push((both, actions));
            }
            if from.other {
                let mut actions = Vec::new();
                for (offset, cell) in a.cells.range(*at..at + size) {
                    let ptr = self.moved(new_src, offset - at);
                    let access = crate::types::Access::whole(cell.ty);
                    let dst = cell.var;
                    actions.push(Action::Load { dst, ptr, access });
                }
                choice.push((is_target, actions));
            }
        }
        if to.other {
            for (b, begin) in &sources {
                let is_source = self.is_at(src, b.base + begin);
                let mut actions = Vec::new();
                for (offset, cell) in b.cells.range(*begin..begin + size) {
                    let ptr = self.moved(new_dst, offset - begin);
                    let value = self.result.exprs.var(cell.var, cell.ty);
                    let access = crate::types::Access::whole(cell.ty);
                    actions.push(Action::Store { ptr, value, access });
                }
                choice.push((is_source, actions));
            }
        }
        self.choose(choice, to.other && from.other, action)
    }

    /// The objects that a pointer may be in with so many bytes behind it, and where.
    pub(super) fn starts(&self, to: &Pointees, size: u64) -> Vec<(Promoted, u64)> {
        let starts = to.objects.iter().filter_map(|(home, distance)| {
            let object = self.objects.get(home)?;
            let start = distance.places(size, object.size).1.next()?;
            Some((object.clone(), start))
        });
        starts.collect()
    }

    pub(super) fn moved(&mut self, ptr: ExprId, by: u64) -> ExprId {
        let bytes = (self.result.exprs).int(self.source.data_model.size_type(), by.into());
        self.result.exprs.ptr_add(ptr, bytes)
    }
}

/// Whether a piece begins in a range.
fn inside(at: u64, start: i64, size: u64) -> bool {
    let at = i128::from(at);
    at >= start.into() && at < i128::from(start) + i128::from(size)
}
