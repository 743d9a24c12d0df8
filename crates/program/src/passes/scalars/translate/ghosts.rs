//! Elements of large objects that are followed: what becomes of a plan.

use super::super::cells::is_convertible;
use super::super::ghosts::{Apart, GhostCell, GhostIndex, Ghosts, Plan, UNKNOWN_SIZE};
use super::super::homes::Home;
use super::super::pointees::{Distance, HomeId};
use super::{Stage, Step, Translator};
use crate::cfa::{Action, Cfa, LocKind};
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::{ApproxId, EdgeId, ExprId, LocId, VarId};
use crate::model::{Approximation, Decl, Scope};
use crate::passes::restore::{GhostPart, Role, VarOrigin};
use crate::span::Span;
use crate::types::{Access, Type};

impl Translator<'_, '_> {
    /// Variables for what a plan asks for, as far as it can be done.
    pub(super) fn declare_ghosts(&mut self, plan: &Plan) {
        let start = self.source.start;
        let cfa = &self.source.functions[start].cfa;
        if plan.is_empty() || cfa.outgoing(cfa.entry).len() != 1 {
            return;
        }
        let mut kept = Vec::new();
        for (number, cell) in plan.cells.iter().enumerate() {
            let chosen = self.homes.chosen();
            let home = chosen
                .into_iter()
                .find(|(_, candidate)| candidate.home == cell.home);
            let Some((home, candidate)) = home else {
                kept.push(None);
                continue;
            };
            if !candidate.ghost || cell.index >= plan.indices.len() || cell.ty == Type::Ptr {
                kept.push(None);
                continue;
            }
            let (name, decl, is_global, _) = self.describe(cell.home);
            let scope = match is_global {
                true => Scope::Global,
                false => Scope::Local(start),
            };
            let name = format!("{name}[{}+{}*k{}]", cell.offset, cell.stride, cell.index);
            let origin = VarOrigin::Ghost(GhostPart::Cell, number as u32);
            let var = self.add_var(name, &decl, cell.ty, scope, origin);
            kept.push(Some(self.ghosts.cells.len()));
            self.ghosts.cells.push(GhostCell {
                home,
                index: cell.index,
                offset: cell.offset,
                stride: cell.stride,
                ty: cell.ty,
                var,
            });
        }
        self.declare_distances(plan);
        for (number, sites) in plan.indices.iter().enumerate() {
            self.declare_index(number, sites, &kept);
        }
        self.declare_folds(&plan.folds);
    }

    fn declare_index(&mut self, number: usize, sites: &[(EdgeId, usize)], kept: &[Option<usize>]) {
        let source = self.source;
        let cfa = &source.functions[source.start].cfa;
        let largest = Ghosts::largest(source.data_model) as u64;
        let mut limit = 0;
        let mut found = Vec::new();
        for &(edge, cell) in sites {
            let Some(&Some(place)) = kept.get(cell) else {
                continue;
            };
            let cell = self.ghosts.cells[place];
            let Some(Action::Load { ptr, .. }) = cfa.edges.get(edge).map(|edge| &edge.action)
            else {
                continue;
            };
            let whole = self.homes[cell.home].size;
            let access = self.distances(*ptr);
            let is_right = self.ghost_home(*ptr) == Some(cell.home)
                && self.has_distance(*ptr)
                && cell.index == number
                && cell.covers(source.data_model, whole, largest, &access);
            if is_right {
                let last = match whole {
                    UNKNOWN_SIZE => largest,
                    whole => whole.saturating_sub(1),
                };
                let bound = last.saturating_sub(cell.offset as u64) / cell.stride as u64;
                limit = bound.max(limit);
                found.push((edge, place));
            }
        }
        if found.is_empty() {
            limit = largest;
        }
        let decl = Decl {
            name: "".into(),
            span: source.functions[source.start].span,
            visible: Span::default(),
        };
        let origin = |part: GhostPart| VarOrigin::Ghost(part, number as u32);
        let ty = Type::Int(Ghosts::index_type(limit));
        let name = format!("k{number}");
        let var = self.add_var(name, &decl, ty, Scope::Global, origin(GhostPart::Index));
        let name = format!("k{number} was read");
        let hit = self.add_var(
            name,
            &decl,
            Type::Bool,
            Scope::Global,
            origin(GhostPart::Hit),
        );
        self.result.vars[hit].init = Some(self.result.exprs.bool(true));
        self.ghosts.indices.push(GhostIndex {
            var,
            hit,
            limit,
            sites: found,
        });
    }

    /// Chooses the indices at the entry; gives where the program begins then.
    pub(super) fn choose_indices(&mut self, old: &Cfa) -> LocId {
        let Some(&id) = old.outgoing(old.entry).first() else {
            return old.entry;
        };
        let edge = old.edges[id].clone();
        let mut at = old.entry;
        for index in self.ghosts.indices.clone() {
            let actions = vec![self.anything(index.var, edge.span)];
            let (chosen, next) = (self.location(), self.location());
            self.chain(id, &edge, at, Role::Silent, actions, chosen);
            let value = self.index(&index);
            let limit = self.number(index.limit as i64);
            let cond = self.result.exprs.binary(BinOp::Le, value, limit);
            self.assume(id, edge.span, chosen, cond, next);
            at = next;
        }
        for cell in self.ghosts.cells.clone() {
            if self.has_first_contents(cell.home) {
                let next = self.location();
                let actions = vec![self.anything(cell.var, edge.span)];
                self.chain(id, &edge, at, Role::Silent, actions, next);
                at = next;
            }
        }
        at
    }

    /// Whether an object has first contents other than zeros.
    fn has_first_contents(&self, home: HomeId) -> bool {
        match self.homes[home].home {
            Home::Declared(object) => !self.source.objects[object].init.is_empty(),
            Home::Allocated(_) => false,
        }
    }

    /// Where an edge leads: to a target only if what was read last are the cells, and sums of the same elements are the same.
    pub(super) fn gate(&mut self, old: &Cfa, id: EdgeId) -> LocId {
        let edge = &old.edges[id];
        let target = edge.target;
        if !matches!(old.locations[target].kind, LocKind::Target(_)) {
            return target;
        }
        if let Some(&known) = self.gates.get(&target) {
            return known;
        }
        let hits: Vec<VarId> = (self.ghosts.indices.iter())
            .filter(|index| !index.sites.is_empty())
            .map(|index| index.hit)
            .chain(self.instances.met)
            .collect();
        let hits = hits.into_iter();
        let mut conditions: Vec<ExprId> = hits
            .map(|hit| self.result.exprs.var(hit, Type::Bool))
            .collect();
        conditions.extend(self.agreements());
        if conditions.is_empty() {
            return target;
        }
        let gate = self.location();
        let cond = self.all(conditions);
        self.assume(id, edge.span, gate, cond, target);
        self.gates.insert(target, gate);
        gate
    }

    /// What takes the place of an edge that touches an object of which only some elements are followed.
    pub(super) fn ghost_step(&mut self, id: EdgeId, action: &Action) -> Option<Step> {
        match *action {
            Action::Load { dst, ptr, access } => {
                let home = self.ghost_home(ptr)?;
                Some(self.ghost_load(id, home, dst, ptr, access))
            }
            Action::Store { ptr, value, access } => {
                let home = self.ghost_home(ptr)?;
                Some(self.ghost_store(id, home, ptr, value, access))
            }
            Action::Fill { dst, byte, size } => {
                let home = self.ghost_home(dst)?;
                let whole = self.homes[home].size;
                let is_start = self.distances(dst)[..] == [Distance::exact(0)];
                let size = self.source.exprs.as_int_const(size).map(|(_, bits)| bits);
                let is_all = is_start && size.is_some_and(|size| size >= whole.into());
                let byte = self
                    .source
                    .exprs
                    .as_int_const(byte)
                    .is_some()
                    .then_some(byte);
                let mut actions = Vec::new();
                for cell in self.cells_of(home) {
                    actions.push(match (byte, cell.ty) {
                        (Some(byte), Type::Int(_)) if is_all => Action::Assign {
                            dst: cell.var,
                            value: self.filled(byte, cell.ty),
                        },
                        _ => self.anything(cell.var, self.span(id)),
                    });
                }
                actions.extend(self.empty_folds(home));
                Some(Step::Sequence(actions))
            }
            Action::Copy { dst: ptr, .. } | Action::InputBytes { ptr, .. } => {
                let home = self.ghost_home(ptr)?;
                let cells = self.cells_of(home).into_iter();
                let forget = cells.map(|cell| self.anything(cell.var, self.span(id)));
                let mut actions: Vec<Action> = forget.collect();
                actions.extend(self.empty_folds(home));
                if let Action::InputBytes { site, .. } = *action
                    && let Step::Sequence(more) = self.input(action, site)
                {
                    actions.extend(more);
                }
                Some(Step::Sequence(actions))
            }
            _ => None,
        }
    }

    fn ghost_load(
        &mut self,
        id: EdgeId,
        home: HomeId,
        dst: VarId,
        ptr: ExprId,
        access: Access,
    ) -> Step {
        let forget = vec![match self.again.read_before(id) {
            Some(before) => {
                let value = self.result.exprs.var(before, self.source.vars[before].ty);
                Action::Assign { dst, value }
            }
            None => self.anything(dst, self.span(id)),
        }];
        let Some(distance) = self.distance(ptr) else {
            return Step::Sequence(forget);
        };
        let inside = self.is_inside(distance);
        let mut before = Vec::new();
        for index in self.ghosts.indices.clone() {
            for &(site, cell) in &index.sites {
                if site == id {
                    let outside = self.result.exprs.unary(UnOp::Not, inside);
                    let is_cell = self.is_cell(distance, self.ghosts.cells[cell]);
                    let value = self.result.exprs.binary(BinOp::Or, outside, is_cell);
                    let dst = index.hit;
                    before.push(Action::Assign { dst, value });
                }
            }
        }
        let mut options = Vec::new();
        for cell in self.cells_of(home) {
            if access.bits.is_some()
                || !is_convertible(self.source.data_model, cell.ty, access.ty)
                || self.apart(&cell, ptr, access) == Apart::Always
            {
                continue;
            }
            let value = self.result.exprs.var(cell.var, cell.ty);
            let value = self.result.exprs.cast(access.ty, value);
            let is_cell = self.is_cell(distance, cell);
            options.push((is_cell, vec![Action::Assign { dst, value }]));
        }
        let fold = self.fold_load(id, dst, distance);
        if before.is_empty() && options.is_empty() && fold.is_none() {
            return Step::Sequence(forget);
        }
        let mut stages = vec![(options, forget.clone())];
        let mut outside = forget;
        let mut known = None;
        if let Some(fold) = fold {
            known = Some(fold.known);
            stages.splice(0..0, fold.before);
            stages.push(fold.after);
            outside.extend(fold.outside);
        }
        Step::Guarded {
            before,
            inside,
            known,
            stages,
            outside,
            elsewhere: None,
        }
    }

    fn ghost_store(
        &mut self,
        id: EdgeId,
        home: HomeId,
        ptr: ExprId,
        value: ExprId,
        access: Access,
    ) -> Step {
        let value = self.expr(value);
        let distance = self.distance(ptr);
        let mut stages: Vec<Stage> = Vec::new();
        let mut outside = Vec::new();
        for cell in self.cells_of(home) {
            let apart = self.apart(&cell, ptr, access);
            if apart == Apart::Always {
                continue;
            }
            let forget = self.anything(cell.var, self.span(id));
            outside.push(forget.clone());
            let is_whole =
                access.bits.is_none() && is_convertible(self.source.data_model, cell.ty, access.ty);
            stages.push(match (apart, distance) {
                (Apart::UnlessEqual, Some(distance)) => {
                    let set = match is_whole {
                        true => {
                            let value = self.result.exprs.cast(cell.ty, value);
                            let dst = cell.var;
                            Action::Assign { dst, value }
                        }
                        false => forget,
                    };
                    (vec![(self.is_cell(distance, cell), vec![set])], Vec::new())
                }
                _ => (Vec::new(), vec![forget]),
            });
        }
        let folds = self.empty_folds(home);
        match distance {
            Some(distance) if !outside.is_empty() => Step::Guarded {
                before: folds,
                inside: self.is_inside(distance),
                known: None,
                stages,
                outside,
                elsewhere: None,
            },
            _ => {
                outside.extend(folds);
                Step::Sequence(outside)
            }
        }
    }

    /// Pointers that can be to one object of which only some elements are followed, and to nothing else, get a variable for their distance.
    pub(super) fn declare_distances(&mut self, plan: &Plan) {
        if self.ghosts.cells.is_empty() && plan.folds.is_empty() {
            return;
        }
        for (var, to) in self.facts.vars.iter_enumerated() {
            let declared = &self.source.vars[var];
            let is_start = |init: ExprId| {
                matches!(
                    self.source.exprs[init].kind,
                    ExprKind::AddrOf(_) | ExprKind::Const(0)
                )
            };
            if self.homes.only_ghost(to).is_none() || !declared.init.is_none_or(is_start) {
                continue;
            }
            let decl = declared.decl.clone();
            let name = format!("distance of {}", decl.name);
            let ty = Type::Int(Ghosts::INT);
            let scope = declared.scope;
            let distance = self.add_var(name, &decl, ty, scope, VarOrigin::Distance(var));
            self.ghosts.distances.insert(var, distance);
        }
    }

    /// A pointer variable is set: so is its distance.
    pub(super) fn with_distance(&mut self, action: &Action, step: Step) -> Step {
        let (dst, value) = match *action {
            Action::Assign { dst, value } => (dst, Some(value)),
            Action::Alloc { dst, .. } => (dst, None),
            _ => return step,
        };
        let Some(&to) = self.ghosts.distances.get(&dst) else {
            return step;
        };
        let mut actions = match step {
            Step::Sequence(actions) => actions,
            // Neither an assignment nor an allocation is a choice.
            step => return step,
        };
        let value = match value {
            Some(value) => self.distance(value),
            None => Some(self.number(0)),
        };
        actions.push(match value {
            Some(value) => Action::Assign { dst: to, value },
            None => self.anything(to, Span::default()),
        });
        Step::Sequence(actions)
    }

    /// The distance of a pointer from the start of its object, if it can be told.
    pub(super) fn distance(&mut self, ptr: ExprId) -> Option<ExprId> {
        match self.source.exprs[ptr].kind {
            ExprKind::Const(0) | ExprKind::AddrOf(_) => Some(self.number(0)),
            ExprKind::Var(var) => {
                let distance = *self.ghosts.distances.get(&var)?;
                Some((self.result.exprs).var(distance, Type::Int(Ghosts::INT)))
            }
            ExprKind::PtrAdd(from, by) => {
                let (from, by) = (self.distance(from)?, self.wide(by));
                Some(self.result.exprs.binary(BinOp::Add, from, by))
            }
            _ => None,
        }
    }

    pub(super) fn has_distance(&self, ptr: ExprId) -> bool {
        match self.source.exprs[ptr].kind {
            ExprKind::Const(0) | ExprKind::AddrOf(_) => true,
            ExprKind::Var(var) => self.ghosts.distances.contains_key(&var),
            ExprKind::PtrAdd(from, _) => self.has_distance(from),
            _ => false,
        }
    }

    /// A number as wide as a pointer, computed with 64 bits: the same modulo the size of an address.
    fn wide(&mut self, id: ExprId) -> ExprId {
        let exprs = &self.source.exprs;
        let width = self.source.data_model.pointer_width();
        let is_address = |id: ExprId| matches!(exprs.ty(id), Type::Int(int) if int.width == width);
        if is_address(id) {
            match exprs[id].kind {
                ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                    let (a, b) = (self.wide(a), self.wide(b));
                    return self.result.exprs.binary(op, a, b);
                }
                ExprKind::Cast(arg) if is_address(arg) => return self.wide(arg),
                ExprKind::Cast(arg) if matches!(exprs.ty(arg), Type::Int(int) if int.width < width) =>
                {
                    let arg = self.expr(arg);
                    return self.result.exprs.cast(Type::Int(Ghosts::INT), arg);
                }
                ExprKind::Const(bits) => {
                    let signed = crate::types::IntType {
                        width,
                        signed: true,
                    };
                    return self.number(signed.extend(bits) as i64);
                }
                _ => {}
            }
        }
        let id = self.expr(id);
        self.result.exprs.cast(Type::Int(Ghosts::INT), id)
    }

    pub(super) fn number(&mut self, value: i64) -> ExprId {
        self.result.exprs.int(Ghosts::INT, value.into())
    }

    /// Whether a distance is one that there can be.
    pub(super) fn is_inside(&mut self, distance: ExprId) -> ExprId {
        let (first, last) = (
            self.number(0),
            self.number(Ghosts::largest(self.source.data_model)),
        );
        let first = self.result.exprs.binary(BinOp::Le, first, distance);
        let last = self.result.exprs.binary(BinOp::Le, distance, last);
        self.result.exprs.binary(BinOp::And, first, last)
    }

    /// The object of which only some elements are followed that a pointer is to.
    pub(super) fn ghost_home(&self, ptr: ExprId) -> Option<HomeId> {
        let to = self.facts.eval(self.homes, ptr);
        self.homes.only_ghost(&to)
    }

    fn distances(&self, ptr: ExprId) -> Vec<Distance> {
        let to = self.facts.eval(self.homes, ptr);
        to.objects.iter().map(|entry| entry.1).collect()
    }

    fn apart(&self, cell: &GhostCell, ptr: ExprId, access: Access) -> Apart {
        let model = self.source.data_model;
        let limit = self.ghosts.indices[cell.index].limit;
        let whole = self.homes[cell.home].size;
        cell.apart(
            model,
            whole,
            limit,
            &self.distances(ptr),
            access.size(model),
        )
    }

    fn cells_of(&self, home: HomeId) -> Vec<GhostCell> {
        let cells = self.ghosts.cells.iter().copied();
        cells.filter(|cell| cell.home == home).collect()
    }

    fn span(&self, id: EdgeId) -> Span {
        self.source.functions[self.source.start].cfa.edges[id].span
    }

    /// An index as a distance.
    fn index(&mut self, index: &GhostIndex) -> ExprId {
        let ty = Type::Int(Ghosts::index_type(index.limit));
        let value = self.result.exprs.var(index.var, ty);
        self.result.exprs.cast(Type::Int(Ghosts::INT), value)
    }

    /// Whether a distance is that of a cell.
    fn is_cell(&mut self, distance: ExprId, cell: GhostCell) -> ExprId {
        let mut place = self.number(cell.offset);
        if cell.stride != 0 {
            let index = self.ghosts.indices[cell.index].clone();
            let index = self.index(&index);
            let stride = self.number(cell.stride);
            let by = self.result.exprs.binary(BinOp::Mul, index, stride);
            place = self.result.exprs.binary(BinOp::Add, place, by);
        }
        self.result.exprs.binary(BinOp::Eq, distance, place)
    }

    /// That a distance, if it is one that there can be, is at most this.
    pub(super) fn is_not_beyond(&mut self, distance: ExprId, room: u64) -> ExprId {
        let inside = self.is_inside(distance);
        let room = self.number(room as i64);
        let beyond = self.result.exprs.binary(BinOp::Lt, room, distance);
        let wrong = self.result.exprs.binary(BinOp::And, inside, beyond);
        self.result.exprs.unary(UnOp::Not, wrong)
    }

    /// The variable gets any value.
    pub(super) fn anything(&mut self, var: VarId, span: Span) -> Action {
        let what = self.forgotten(span);
        Action::Approximate {
            dst: Some(var),
            what,
        }
    }

    pub(super) fn forgotten(&mut self, span: Span) -> ApproxId {
        let approximations = &mut self.result.approximations;
        let known = approximations.position(|known| known.span == span && known.what == WHAT);
        known.unwrap_or_else(|| {
            approximations.push(Approximation {
                what: WHAT.to_owned(),
                span,
            })
        })
    }
}

/// What is approximated.
const WHAT: &str = "element of a large object";
