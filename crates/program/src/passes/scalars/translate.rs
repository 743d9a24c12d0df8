//! The program in which objects are variables.

use std::collections::BTreeMap;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use super::cells::Cells;
use super::homes::{Home, Homes};
use super::inputs::Piece;
use super::pointees::{HomeId, Pointees};
use super::points_to::PointsTo;
use super::{CellVar, Promoted, Scalars, refused, shape};
use crate::cfa::{Action, AllocKind, Cfa, Edge, Location};
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, InputSiteId, LocId, ObjectId, VarId};
use crate::model::{Decl, Init, InputSite, Object, Program, Scope, Var};
use crate::passes::restore::{
    Cell, CellPart, CellPlace, ContextId, EdgeOrigin, EdgeRef, FunctionRestore, LocRef, Placed,
    Restore, Role, VarOrigin,
};
use crate::passes::{Passed, finish};
use crate::span::Span;
use crate::types::Type;

/// Makes the program.
pub(super) fn run(facts: &PointsTo<'_>, homes: &Homes, cells: &Cells) -> Scalars {
    let mut translator = Translator {
        facts,
        homes,
        source: facts.program,
        result: facts.program.clone(),
        restore: Restore::without_functions(facts.program),
        objects: BTreeMap::new(),
        pointees: facts.vars.clone(),
        pieces: Vec::new(),
        unread: FxHashMap::default(),
        exprs: FxHashMap::default(),
        cfa: Cfa::new(),
        origins: FunctionRestore::default(),
    };
    translator.declare(cells);
    translator.find_pieces();
    translator.first_values();
    translator.build();
    translator.finish()
}

/// What takes the place of an edge.
enum Step {
    /// These actions, one after the other.
    Sequence(Vec<Action>),
    /// The first whose condition holds, or the last.
    Choice(Vec<(ExprId, Vec<Action>)>, Vec<Action>),
}

struct Translator<'a, 'p> {
    facts: &'a PointsTo<'p>,
    homes: &'a Homes,
    source: &'p Program,
    result: Program,
    restore: Restore,
    objects: BTreeMap<HomeId, Promoted>,
    pointees: IndexVec<VarId, Pointees>,
    pieces: Vec<Piece>,
    /// Variables for parts of inputs that nobody reads, by the part's site.
    unread: FxHashMap<InputSiteId, VarId>,
    exprs: FxHashMap<ExprId, ExprId>,
    cfa: Cfa,
    origins: FunctionRestore,
}

impl Translator<'_, '_> {
    /// Gives every object its address and its variables.
    fn declare(&mut self, cells: &Cells) {
        for (id, candidate) in self.homes.chosen() {
            let (name, decl, is_global, place) = self.describe(candidate.home);
            let object = match candidate.home {
                Home::Declared(object) => Some(&self.source.objects[object]),
                Home::Allocated(_) => None,
            };
            let scope = match is_global {
                true => Scope::Global,
                false => Scope::Local(self.source.start),
            };
            let mut promoted = Promoted {
                home: candidate.home,
                size: candidate.size,
                base: candidate.base,
                alive: None,
                cells: BTreeMap::new(),
            };
            if !is_global {
                let part = CellPart::Alive;
                // It has a first value: the object doesn't live yet.
                let var = self.add_var(
                    format!("{name} is alive"),
                    &decl,
                    Type::Bool,
                    Scope::Global,
                    VarOrigin::Cell(Cell { place, part }),
                );
                promoted.alive = Some(var);
            }
            for (offset, ty) in cells.of_home(id) {
                let path = object.map_or_else(
                    || format!("+{offset}"),
                    |object| shape::path(&object.shape, offset),
                );
                let part = CellPart::At(offset);
                let origin = VarOrigin::Cell(Cell { place, part });
                let var = self.add_var(format!("{name}{path}"), &decl, ty, scope, origin);
                if let Some(contents) = self.facts.contents.get(&(id, offset)) {
                    self.pointees[var] = contents.clone();
                }
                promoted.cells.insert(offset, CellVar { var, ty });
            }
            self.objects.insert(id, promoted);
        }
    }

    fn describe(&self, home: Home) -> (String, Decl, bool, CellPlace) {
        match home {
            Home::Declared(id) => {
                let object = &self.source.objects[id];
                let is_global = object.scope == Scope::Global;
                let name = match object.decl.name.is_empty() {
                    true => format!("object {}", id.index()),
                    false => object.decl.name.to_string(),
                };
                (name, object.decl.clone(), is_global, CellPlace::Object(id))
            }
            Home::Allocated(edge) => {
                let function = self.source.start;
                let span = self.source.functions[function].cfa.edges[edge].span;
                let decl = Decl {
                    name: "".into(),
                    span,
                    visible: span,
                };
                let place = CellPlace::Allocation(EdgeRef { function, edge });
                (format!("heap {}", edge.index()), decl, false, place)
            }
        }
    }

    fn add_var(
        &mut self,
        name: String,
        like: &Decl,
        ty: Type,
        scope: Scope,
        origin: VarOrigin,
    ) -> VarId {
        self.restore.vars.push(Placed {
            item: origin,
            context: ContextId::ROOT,
        });
        self.pointees.push(Pointees::default());
        self.result.vars.push(Var {
            decl: Decl {
                name: name.into(),
                ..like.clone()
            },
            ty,
            scope,
            init: None,
        })
    }

    /// The parts that inputs of bytes fall into.
    fn find_pieces(&mut self) {
        let cfa = &self.source.functions[self.source.start].cfa;
        let mut parts: BTreeMap<(InputSiteId, u64), Type> = BTreeMap::new();
        for edge in &cfa.edges {
            for (site, offset, cell) in self.parts(&edge.action) {
                // Two types at one place of one site: the first is as good.
                parts.entry((site, offset)).or_insert(cell.ty);
            }
        }
        for ((whole, offset), ty) in parts {
            let like = &self.source.inputs[whole];
            let site = self.result.inputs.push(InputSite {
                kind: like.kind.clone(),
                ty: Some(ty),
                function: like.function,
                span: like.span,
            });
            self.pieces.push(Piece {
                site,
                whole,
                offset,
                ty,
            });
        }
    }

    /// The variables that an input of bytes sets: each with the site and where in the bytes its value is.
    fn parts(&self, action: &Action) -> Vec<(InputSiteId, u64, CellVar)> {
        let Action::InputBytes { ptr, size, site } = *action else {
            return Vec::new();
        };
        let to = self.facts.eval(self.homes, ptr);
        let [(home, distance)] = to.objects[..] else {
            return Vec::new();
        };
        let (Some(object), Some((_, size)), Ok(start)) = (
            self.objects.get(&home),
            self.source.exprs.as_int_const(size),
            u64::try_from(distance.offset),
        ) else {
            return Vec::new();
        };
        let end = start.saturating_add(size as u64);
        let cells = object.cells.range(start..end);
        cells
            .map(|(&offset, &cell)| (site, offset - start, cell))
            .collect()
    }

    /// First values of global variables and of what were global objects.
    fn first_values(&mut self) {
        for id in self.source.vars.indices() {
            if let Some(init) = self.source.vars[id].init {
                self.result.vars[id].init = Some(self.expr(init));
            }
        }
        let globals: Vec<(ObjectId, Vec<(u64, CellVar)>)> = (self.objects.values())
            .filter_map(|object| match object.home {
                Home::Declared(id) if object.alive.is_none() => {
                    let cells = object.cells.iter().map(|(&at, &cell)| (at, cell));
                    Some((id, cells.collect()))
                }
                _ => None,
            })
            .collect();
        for (id, cells) in globals {
            for (offset, cell) in cells {
                let init = first_value(self.source, &self.source.objects[id], offset, cell.ty);
                self.result.vars[cell.var].init = match init {
                    First::Zero => None,
                    First::Bits(bits) => {
                        Some(self.result.exprs.push(ExprKind::Const(bits), cell.ty))
                    }
                    First::Expr(value) => {
                        let value = self.expr(value);
                        Some(self.result.exprs.cast(cell.ty, value))
                    }
                };
            }
        }
    }

    fn build(&mut self) {
        let function = self.source.start;
        let old = &self.source.functions[function].cfa;
        self.cfa.entry = old.entry;
        self.cfa.exit = old.exit;
        self.cfa.locations = IndexVec::new();
        for (at, location) in old.locations.iter_enumerated() {
            self.cfa.locations.push(Location {
                outgoing: Vec::new(),
                ..location.clone()
            });
            let item = LocRef {
                function,
                location: at,
            };
            self.origins.locations.push(Some(Placed {
                item,
                context: ContextId::ROOT,
            }));
        }
        for location in &old.locations {
            for &id in &location.outgoing {
                let edge = &old.edges[id];
                match self.step(id, &edge.action) {
                    Step::Sequence(actions) => {
                        self.sequence(id, edge, edge.source, Role::Step, actions);
                    }
                    Step::Choice(options, last) => self.choice(id, edge, options, last),
                }
            }
        }
    }

    fn finish(mut self) -> Scalars {
        let start = self.source.start;
        for function in self.source.functions.indices() {
            if function != start {
                let origins = FunctionRestore::identity(self.source, function);
                self.restore.functions.push(origins);
            } else {
                self.restore
                    .functions
                    .push(std::mem::take(&mut self.origins));
            }
        }
        self.result.functions[start].cfa = self.cfa;
        let Passed { program, restore } = finish(self.result, self.restore);
        Scalars {
            passed: Passed { program, restore },
            objects: self.objects,
            pointees: self.pointees,
            pieces: self.pieces,
            refused: refused(self.homes),
        }
    }

    fn edge(&mut self, id: EdgeId, at: LocId, action: Action, to: LocId, span: Span, role: Role) {
        self.cfa.add_edge(at, action, to, span);
        let item = EdgeRef {
            function: self.source.start,
            edge: id,
        };
        let edge = Placed {
            item,
            context: ContextId::ROOT,
        };
        self.origins.edges.push(EdgeOrigin { edge, role });
    }

    fn location(&mut self) -> LocId {
        self.origins.locations.push(None);
        self.cfa.add_location(crate::cfa::LocKind::Plain)
    }

    fn sequence(
        &mut self,
        id: EdgeId,
        edge: &Edge,
        from: LocId,
        mut role: Role,
        actions: Vec<Action>,
    ) {
        let mut at = from;
        let count = actions.len();
        if count == 0 {
            self.edge(id, at, Action::Skip, edge.target, edge.span, role);
        }
        for (index, action) in actions.into_iter().enumerate() {
            let to = match index + 1 == count {
                true => edge.target,
                false => self.location(),
            };
            self.edge(id, at, action, to, edge.span, role);
            role = Role::Silent;
            at = to;
        }
    }

    fn choice(
        &mut self,
        id: EdgeId,
        edge: &Edge,
        options: Vec<(ExprId, Vec<Action>)>,
        last: Vec<Action>,
    ) {
        let mut at = edge.source;
        let mut role = Role::Step;
        for (cond, actions) in options {
            let (then, other) = (self.location(), self.location());
            for (holds, to) in [(true, then), (false, other)] {
                self.edge(id, at, Action::Assume { cond, holds }, to, edge.span, role);
            }
            role = Role::Silent;
            self.sequence(id, edge, then, role, actions);
            at = other;
        }
        self.sequence(id, edge, at, role, last);
    }

    /// What takes the place of an edge.
    fn step(&mut self, id: EdgeId, action: &Action) -> Step {
        match *action {
            Action::Load { dst, ptr, access } => {
                let (options, other) = self.places(ptr, access.size(self.source.data_model));
                let mut choice = Vec::new();
                for (address, cell) in options {
                    let value = self.result.exprs.var(cell.var, cell.ty);
                    let value = self.result.exprs.cast(access.ty, value);
                    let condition = self.is_at(ptr, address);
                    choice.push((condition, vec![Action::Assign { dst, value }]));
                }
                self.choose(choice, other, action)
            }
            Action::Store { ptr, value, access } => {
                let (options, other) = self.places(ptr, access.size(self.source.data_model));
                let value = self.expr(value);
                let mut choice = Vec::new();
                for (address, cell) in options {
                    let value = self.result.exprs.cast(cell.ty, value);
                    let condition = self.is_at(ptr, address);
                    let dst = cell.var;
                    choice.push((condition, vec![Action::Assign { dst, value }]));
                }
                self.choose(choice, other, action)
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
                    let actions = (object.cells.iter())
                        .filter(|(at, _)| inside(**at, start, size as u64))
                        .map(|(_, &cell)| {
                            let value = self.filled(byte, cell.ty);
                            Action::Assign {
                                dst: cell.var,
                                value,
                            }
                        })
                        .collect();
                    let address = object.base.wrapping_add(start as u64);
                    choice.push((self.is_at(dst, address), actions));
                }
                self.choose(choice, to.other, action)
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
                Some(home) if self.objects.contains_key(&home) => {
                    let mut actions = self.begin(home);
                    let value = self.address(self.objects[&home].base);
                    actions.push(Action::Assign { dst, value });
                    Step::Sequence(actions)
                }
                _ => self.same(action),
            },
            Action::Free { ptr, .. } => {
                let to = self.facts.eval(self.homes, ptr);
                let mut choice = Vec::new();
                for home in self.heap_starts(&to) {
                    let base = self.objects[&home].base;
                    let condition = self.is_at(ptr, base);
                    let actions = self.end(home);
                    choice.push((condition, actions));
                }
                let last = match (to.other, self.same(action)) {
                    (true, Step::Sequence(actions)) => actions,
                    _ => Vec::new(),
                };
                Step::Choice(choice, last)
            }
            _ => self.same(action),
        }
    }

    /// The action as it is, over the new expressions.
    fn same(&mut self, action: &Action) -> Step {
        let mut action = action.clone();
        action.for_each_expr_mut(|expr| *expr = self.expr(*expr));
        Step::Sequence(vec![action])
    }

    /// A choice by conditions, where one of them holds unless the action itself is the rest.
    fn choose(
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

    fn declared(&self, object: ObjectId) -> Option<HomeId> {
        let home = self.homes.declared(object)?;
        self.objects.contains_key(&home).then_some(home)
    }

    /// The variables that an access can be to, each with its address, and whether it can be to memory.
    fn places(&self, ptr: ExprId, size: u64) -> (Vec<(u64, CellVar)>, bool) {
        let to = self.facts.eval(self.homes, ptr);
        let places = super::points_to::places(self.homes, &to, size);
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

    fn address(&mut self, address: u64) -> ExprId {
        let bits = self.source.data_model.size_type().wrap(address.into());
        self.result.exprs.push(ExprKind::Const(bits), Type::Ptr)
    }

    /// Whether a pointer of the given program is this address now.
    fn is_at(&mut self, ptr: ExprId, address: u64) -> ExprId {
        let ptr = self.expr(ptr);
        let address = self.address(address);
        self.result.exprs.binary(BinOp::Eq, ptr, address)
    }

    /// The value of a piece all of whose bytes are the same.
    fn filled(&mut self, byte: ExprId, ty: Type) -> ExprId {
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
    fn begin(&mut self, home: HomeId) -> Vec<Action> {
        let object = self.objects[&home].clone();
        let mut actions = Vec::new();
        for cell in object.cells.values() {
            let value = self.result.exprs.push(ExprKind::Const(0), cell.ty);
            let dst = cell.var;
            actions.push(Action::Assign { dst, value });
        }
        if let Some(dst) = object.alive {
            let value = self.result.exprs.bool(true);
            actions.push(Action::Assign { dst, value });
        }
        actions
    }

    /// A lifetime ends.
    fn end(&mut self, home: HomeId) -> Vec<Action> {
        let alive = self.objects[&home].alive;
        let value = self.result.exprs.bool(false);
        alive
            .map(|dst| Action::Assign { dst, value })
            .into_iter()
            .collect()
    }

    /// The heap objects whose start a pointer may be.
    fn heap_starts(&self, to: &Pointees) -> Vec<HomeId> {
        let mut starts: Vec<HomeId> = (to.objects.iter())
            .filter(|(home, distance)| {
                let is_heap = self.objects.get(home).is_some_and(
                    |object| matches!(object.home, Home::Allocated(edge) if self.is_heap(edge)),
                );
                is_heap && distance.places(0, 0).0 > 0
            })
            .map(|entry| entry.0)
            .collect();
        starts.dedup();
        starts
    }

    fn is_heap(&self, edge: EdgeId) -> bool {
        let cfa = &self.source.functions[self.source.start].cfa;
        matches!(
            cfa.edges[edge].action,
            Action::Alloc {
                kind: AllocKind::Heap,
                ..
            }
        )
    }

    fn input(&mut self, action: &Action, site: InputSiteId) -> Step {
        let set = self.parts(action);
        let mut actions = Vec::new();
        let Action::InputBytes { ptr, .. } = *action else {
            return Step::Sequence(actions);
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
        Step::Sequence(actions)
    }

    fn unread(&mut self, piece: Piece) -> VarId {
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

    fn copy(&mut self, action: &Action, dst: ExprId, src: ExprId, size: ExprId) -> Step {
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
    fn starts(&self, to: &Pointees, size: u64) -> Vec<(Promoted, u64)> {
        let starts = to.objects.iter().filter_map(|(home, distance)| {
            let object = self.objects.get(home)?;
            let start = distance.places(size, object.size).1.next()?;
            Some((object.clone(), start))
        });
        starts.collect()
    }

    fn moved(&mut self, ptr: ExprId, by: u64) -> ExprId {
        let bytes = (self.result.exprs).int(self.source.data_model.size_type(), by.into());
        self.result.exprs.ptr_add(ptr, bytes)
    }

    /// An expression of the given program in the new one. Recursive on its depth, which the model limits.
    fn expr(&mut self, id: ExprId) -> ExprId {
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

    fn all(&mut self, conditions: Vec<ExprId>) -> ExprId {
        let all =
            (conditions.into_iter()).reduce(|a, b| self.result.exprs.binary(BinOp::And, a, b));
        all.unwrap_or_else(|| self.result.exprs.bool(true))
    }

    fn any(&mut self, conditions: Vec<ExprId>) -> ExprId {
        let any = (conditions.into_iter()).reduce(|a, b| self.result.exprs.binary(BinOp::Or, a, b));
        any.unwrap_or_else(|| self.result.exprs.bool(false))
    }

    fn access_ok(&mut self, id: ExprId, ptr: ExprId, size: ExprId, write: bool) -> ExprId {
        let to = self.facts.eval(self.homes, ptr);
        let mut options = Vec::new();
        let new_ptr = self.expr(ptr);
        let new_size = self.expr(size);
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
            if let Some(alive) = object.alive {
                conditions.push(self.result.exprs.var(alive, Type::Bool));
            }
            match constant.map(|size| u64::try_from(size).unwrap_or(u64::MAX)) {
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
        if to.other {
            let kind = ExprKind::AccessOk {
                ptr: new_ptr,
                size: new_size,
                write,
            };
            options.push(match kind == self.source.exprs[id].kind {
                true => id,
                false => self.result.exprs.push(kind, Type::Bool),
            });
        }
        self.any(options)
    }

    fn free_ok(&mut self, id: ExprId, ptr: ExprId) -> ExprId {
        let to = self.facts.eval(self.homes, ptr);
        let new_ptr = self.expr(ptr);
        let mut options = vec![self.is_at(ptr, 0)];
        for home in self.heap_starts(&to) {
            let base = self.objects[&home].base;
            let mut conditions = vec![self.is_at(ptr, base)];
            if let Some(alive) = self.objects[&home].alive {
                conditions.push(self.result.exprs.var(alive, Type::Bool));
            }
            options.push(self.all(conditions));
        }
        if to.other {
            options.push(match new_ptr == ptr {
                true => id,
                false => (self.result.exprs).push(ExprKind::FreeOk(new_ptr), Type::Bool),
            });
        }
        self.any(options)
    }
}

/// Whether a piece begins in a range.
fn inside(at: u64, start: i64, size: u64) -> bool {
    let at = i128::from(at);
    at >= start.into() && at < i128::from(start) + i128::from(size)
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

/// The first value of a piece of a global object.
enum First {
    Zero,
    Bits(u128),
    Expr(ExprId),
}

fn first_value(program: &Program, object: &Object, offset: u64, ty: Type) -> First {
    let size = ty.size(program.data_model);
    let mut bits = [0u8; 16];
    let mut found = First::Zero;
    for init in &object.init {
        match init {
            Init::Scalar {
                offset: at, value, ..
            } if *at == offset => found = First::Expr(*value),
            Init::Bytes {
                offset: at,
                bytes: given,
            } => {
                for (index, &byte) in given.iter().enumerate() {
                    let place = at + index as u64;
                    if place >= offset && place < offset + size {
                        bits[(place - offset) as usize] = byte;
                        found = First::Bits(u128::from_le_bytes(bits));
                    }
                }
            }
            Init::Scalar { .. } => {}
        }
    }
    found
}
