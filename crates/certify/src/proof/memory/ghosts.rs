//! Elements of large objects that are followed ([`rhumb_program::passes::scalars::Ghosts`]).
//!
//! What is believed, beside what [`super`] says: choose any numbers for the indices. Then every run of the given
//! program has a run of the new one, with the same values, in which the variable of a cell has the value that is in
//! memory where the cell is, as long as the object lives and the cell is inside it. Each edge keeps that
//! ([`Checker::ghost_edge`]): a store sets the cell if it is where the cell is, keeps it if both have no byte in
//! common, and makes it anything otherwise; what is loaded is the cell's value where the pointer was compared with the
//! cell's place, what was loaded from there before ([`super::Again`]), or anything.
//!
//! The variable of a pointer's distance is the distance from the start of its object modulo the size of an address
//! ([`Checker::is_distance`]), whenever the pointer is one to an object. So it is the distance, if it is not negative
//! and at most the largest one; a way that has not asked for that knows nothing.
//!
//! For a run that gets to a target choose, for each index, the place that the last of its sites has read, which is one
//! of the cell's places ([`GhostCell::covers`]). Then in the run of the new program that site found that it read the
//! cell, and every later one is no site of the index. So the truth value of the index is true, as it is at first if no
//! site was passed; and the run goes through the gate before the target ([`Checker::arrives`]).

mod folds;
mod places;

use rhumb_program::passes::scalars::{
    Apart, Distance, GhostCell, GhostIndex, Ghosts, HomeId, Pointees, UNKNOWN_SIZE,
};
use rhumb_program::{
    Access, Action, BinOp, EdgeId, ExprId, ExprKind, InputKind, LocId, LocKind, Type, UnOp, VarId,
};
use rustc_hash::FxHashSet;

use super::edges::is_convertible;
use super::{Checked, Checker, object_to, parts, require};

/// Ways through an edge's steps; more are not looked at.
const MOST_WAYS: usize = 1 << 12;

/// A way through the steps that an edge became.
#[derive(Clone, Default)]
struct Way<'a> {
    /// What is done, in order.
    actions: Vec<&'a Action>,
    /// Whether the pointer's distance is in the range in which it is the true one, if that was asked.
    is_inside: Option<bool>,
    /// The cells that the pointer was compared with, and whether it was to them.
    known: Vec<(usize, bool)>,
    /// The folds whose next element was asked for, and whether the pointer was to that.
    goes_on: Vec<(usize, bool)>,
    /// Whether a variable of the given program was set.
    is_set: bool,
}

impl<'a> Checker<'a> {
    fn indices(&self) -> &'a [GhostIndex] {
        &self.scalars.ghosts.indices
    }

    fn cells(&self) -> &'a [GhostCell] {
        &self.scalars.ghosts.cells
    }

    /// The numbers of the cells of an object.
    fn cells_of(&self, home: HomeId) -> impl Iterator<Item = (usize, &'a GhostCell)> {
        let cells = self.cells().iter().enumerate();
        cells.filter(move |(_, cell)| cell.home == home)
    }

    /// Whether a variable belongs to an index or a cell.
    pub(super) fn is_ghost(&self, var: VarId) -> bool {
        let mut indices = self.indices().iter();
        self.is_of_instances(var)
            || self.cells().iter().any(|cell| cell.var == var)
            || indices.any(|index| index.var == var || index.hit == var)
            || self.fold_of(var).is_some()
            || self
                .scalars
                .ghosts
                .distances
                .values()
                .any(|&own| own == var)
    }

    /// Indices and cells have variables of their own, sites are loads that may read their cells, and truth values are true at first.
    pub(super) fn check_ghosts(&self, used: &mut FxHashSet<VarId>) -> Checked {
        let (old, new) = (self.old, self.new);
        let mut own = |var: VarId, ty: Type| {
            let is_new = var.index() >= old.vars.len() && var.index() < new.vars.len();
            require(is_new && used.insert(var) && new.vars[var].ty == ty, || {
                format!("{var:?} is no variable of its own")
            })
        };
        for cell in self.cells() {
            own(cell.var, cell.ty)?;
            let object = self.object(cell.home)?;
            let is_number = matches!(cell.ty, Type::Int(_) | Type::Float(_));
            require(
                object.ghost && is_number && cell.index < self.indices().len(),
                || "a cell of another object".to_owned(),
            )?;
        }
        let cfa = &old.functions[self.start()].cfa;
        for (&pointer, &distance) in &self.scalars.ghosts.distances {
            own(distance, Type::Int(Ghosts::INT))?;
            let to = self.fact(pointer);
            let is_start = |init: ExprId| {
                matches!(
                    old.exprs[init].kind,
                    ExprKind::AddrOf(_) | ExprKind::Const(0)
                )
            };
            let is_right = pointer.index() < old.vars.len()
                && !to.other
                && old.vars[pointer].scope == new.vars[distance].scope
                && new.vars[distance].init.is_none()
                && old.vars[pointer].init.is_none_or(is_start);
            require(is_right, || format!("{pointer:?} has no distance"))?;
        }
        for index in self.indices() {
            own(index.var, Type::Int(Ghosts::index_type(index.limit)))?;
            own(index.hit, Type::Bool)?;
            let first = new.vars[index.hit].init.map(|init| new.exprs[init].kind);
            require(first == Some(ExprKind::Const(1)), || {
                "an index counts from the start".to_owned()
            })?;
            for (place, &(edge, cell)) in index.sites.iter().enumerate() {
                let is_first = index.sites[..place].iter().all(|site| site.0 != edge);
                let (Some(edge), Some(cell)) = (cfa.edges.get(edge), self.cells().get(cell)) else {
                    return object_to("there is no such site");
                };
                let Action::Load { ptr, .. } = edge.action else {
                    return object_to("a site is no load");
                };
                let whole = self.object(cell.home)?.size;
                let access = self.ghost_distances(ptr, cell.home)?;
                let is_own = std::ptr::eq(index, &raw const self.indices()[cell.index]);
                let covers = cell.covers(old.data_model, whole, index.limit, &access);
                require(is_first && is_own && covers, || {
                    "a site may read something else".to_owned()
                })?;
            }
        }
        self.check_folds(used)
    }

    /// Where in an object a pointer may be that is to nothing else.
    fn ghost_distances(&self, ptr: ExprId, home: HomeId) -> Checked<Vec<Distance>> {
        let to = self.pointees(ptr);
        let is_pure = !to.other && to.objects.iter().all(|entry| entry.0 == home);
        require(is_pure && !to.objects.is_empty(), || {
            "a pointer to several objects".to_owned()
        })?;
        Ok(to.objects.iter().map(|entry| entry.1).collect())
    }

    /// The object of which only some elements are followed that one of these may be.
    pub(super) fn ghost_of(&self, to: &Pointees) -> Option<HomeId> {
        let is_ghost = |home: &HomeId| {
            let object = self.scalars.objects.get(home);
            object.is_some_and(|object| object.ghost)
        };
        to.objects.iter().map(|entry| entry.0).find(is_ghost)
    }

    /// The indices are chosen at the entry, once, arbitrarily. Gives where the given program begins then.
    pub(super) fn beginning(&self) -> Checked<LocId> {
        let old = &self.old.functions[self.start()].cfa;
        let new = &self.new.functions[self.start()].cfa;
        if self.indices().is_empty() {
            return Ok(old.entry);
        }
        let wrong = || "the indices are not chosen at the entry".to_owned();
        let is_first = old.edges.iter().all(|edge| edge.target != old.entry);
        require(is_first && old.outgoing(old.entry).len() == 1, wrong)?;
        let mut at = new.entry;
        let anything = |at: &mut LocId, var: VarId| {
            let &[edge] = new.outgoing(*at) else {
                return object_to(wrong());
            };
            let edge = &new.edges[edge];
            let is_anything =
                matches!(edge.action, Action::Approximate { dst: Some(dst), .. } if dst == var);
            require(is_anything, wrong)?;
            *at = self.fresh(edge.target)?;
            Ok(())
        };
        for index in self.indices() {
            anything(&mut at, index.var)?;
            let &[first, second] = new.outgoing(at) else {
                return object_to(wrong());
            };
            let (first, second) = (&new.edges[first], &new.edges[second]);
            let Action::Assume { cond, holds: true } = first.action else {
                return object_to(wrong());
            };
            let is_limit = match self.new.exprs[cond].kind {
                ExprKind::Binary(BinOp::Le, a, b) => {
                    self.is_index(a, index) && self.is_number(b, index.limit as i64)
                }
                _ => false,
            };
            require(is_limit && i64::try_from(index.limit).is_ok(), wrong)?;
            self.is_sink(second.target)?;
            at = self.fresh(first.target)?;
        }
        for cell in self.cells() {
            let object = self.object(cell.home)?;
            let rhumb_program::passes::scalars::Home::Declared(id) = object.home else {
                continue;
            };
            if self.old.objects[id].init.is_empty() {
                // All zero: so is the variable.
                require(self.new.vars[cell.var].init.is_none(), || {
                    "a cell has another first value".to_owned()
                })?;
            } else {
                anything(&mut at, cell.var)?;
            }
        }
        Ok(at)
    }

    /// A location that the given program doesn't have and from which nothing goes on.
    pub(super) fn is_sink(&self, at: LocId) -> Checked {
        let new = &self.new.functions[self.start()].cfa;
        let is_new = at.index() >= self.old.functions[self.start()].cfa.locations.len();
        let is_end = matches!(new.locations[at].kind, LocKind::End(_));
        require(is_new && is_end && new.outgoing(at).is_empty(), || {
            format!("{at:?} is no end")
        })
    }

    /// Whether a location is that of the given program, or the gate before it, which lets those runs pass in which the
    /// indices count and folds of the same elements have the same sum.
    pub(super) fn arrives(&self, at: LocId, target: LocId) -> bool {
        if at == target {
            return true;
        }
        let old = &self.old.functions[self.start()].cfa;
        let new = &self.new.functions[self.start()].cfa;
        let (Ok(at), &[first, second]) = (self.fresh(at), new.outgoing(at)) else {
            return false;
        };
        let (first, second) = (&new.edges[first], &new.edges[second]);
        let Action::Assume { cond, holds: true } = first.action else {
            return false;
        };
        let is_hit = |&atom: &ExprId| match self.new.exprs[atom].kind {
            ExprKind::Var(var) => {
                let mut hits = self.indices().iter().map(|index| index.hit);
                self.scalars.instances.met == Some(var) || hits.any(|hit| hit == var)
            }
            _ => false,
        };
        at.index() >= old.locations.len()
            && matches!(old.locations[target].kind, LocKind::Target(_))
            && first.target == target
            && self.is_sink(second.target).is_ok()
            && (parts(self.new, cond, BinOp::And).iter())
                .all(|atom| is_hit(atom) || self.agree(*atom))
    }

    /// An edge with a pointer to an object of which only some elements are followed.
    pub(super) fn ghost_edge(
        &self,
        id: EdgeId,
        from: LocId,
        action: &Action,
        target: LocId,
        home: HomeId,
    ) -> Checked {
        let ptr = match *action {
            Action::Load { ptr, .. }
            | Action::Store { ptr, .. }
            | Action::InputBytes { ptr, .. } => ptr,
            Action::Copy { dst, .. } | Action::Fill { dst, .. } => dst,
            _ => return object_to("an action that knows nothing of ghosts"),
        };
        let access = self.ghost_distances(ptr, home)?;
        let mut ways = Vec::new();
        self.ghost_ways(id, from, target, (ptr, home), Way::default(), &mut ways)?;
        for way in &ways {
            let (rest, folds) = self.without_folds(way);
            match *action {
                Action::Load { dst, .. } => self.fold_load(id, way, ptr, dst, &folds)?,
                _ => self.folds_are_emptied(home, &folds)?,
            }
            let way = &Way {
                actions: rest,
                ..way.clone()
            };
            match *action {
                Action::Load { dst, access, .. } => self.ghost_load(id, way, ptr, dst, access)?,
                Action::Store {
                    value, access: as_, ..
                } => self.ghost_store(way, home, &access, value, as_)?,
                _ => self.ghost_range(way, home, &access, action)?,
            }
        }
        Ok(())
    }

    /// All ways from a location to where the edge leads.
    fn ghost_ways(
        &self,
        id: EdgeId,
        at: LocId,
        target: LocId,
        (ptr, home): (ExprId, HomeId),
        mut way: Way<'a>,
        ways: &mut Vec<Way<'a>>,
    ) -> Checked {
        let cfa = &self.new.functions[self.start()].cfa;
        match *cfa.outgoing(at) {
            [edge] => {
                let edge = &cfa.edges[edge];
                if edge.action != Action::Skip {
                    let set = edge.action.defined_var();
                    way.is_set |= set.is_some_and(|var| var.index() < self.old.vars.len());
                    way.actions.push(&edge.action);
                }
                if self.arrives(edge.target, target) {
                    ways.push(way);
                    return require(ways.len() <= MOST_WAYS, || "too many ways".to_owned());
                }
                let long = way.actions.len() > cfa.locations.len();
                require(!long, || "a way is a loop".to_owned())?;
                let at = self.fresh(edge.target)?;
                self.ghost_ways(id, at, target, (ptr, home), way, ways)
            }
            [first, second] => {
                let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
                let Action::Assume { cond, holds: true } = first.action else {
                    return object_to("a choice is no branch");
                };
                let is_touched = |fold: usize| {
                    let mut set = way.actions.iter().filter_map(|action| action.defined_var());
                    set.any(|var| self.fold_of(var) == Some(fold))
                };
                if let Some(fold) = self.is_sum_known(cond) {
                    require(!is_touched(fold), || "a sum of something else".to_owned())?;
                    self.is_sink(second.target)?;
                    let at = self.fresh(first.target)?;
                    return self.ghost_ways(id, at, target, (ptr, home), way, ways);
                }
                require(!way.is_set, || "a choice by what has changed".to_owned())?;
                if let Some(fold) = self.is_at_next(id, ptr, cond) {
                    require(way.is_inside == Some(true) && !is_touched(fold), || {
                        "a choice by what is not known".to_owned()
                    })?;
                    for (edge, holds) in [(first, true), (second, false)] {
                        let mut longer = way.clone();
                        longer.goes_on.push((fold, holds));
                        let at = self.fresh(edge.target)?;
                        self.ghost_ways(id, at, target, (ptr, home), longer, ways)?;
                    }
                    return Ok(());
                }
                let mut cells = self.cells_of(home);
                let cell = match way.is_inside {
                    None => {
                        require(self.is_inside(ptr, cond), || {
                            "a choice by something else than a range".to_owned()
                        })?;
                        None
                    }
                    Some(_) => {
                        let cell = cells.find(|(_, cell)| self.is_at(ptr, cell, cond));
                        let Some((cell, _)) = cell else {
                            return object_to("a choice by a place that is no cell's");
                        };
                        let is_known = way.known.iter().any(|known| known.0 == cell);
                        require(way.is_inside == Some(true) && !is_known, || {
                            "a choice by what is not known".to_owned()
                        })?;
                        Some(cell)
                    }
                };
                for (edge, holds) in [(first, true), (second, false)] {
                    let mut longer = way.clone();
                    match cell {
                        None => longer.is_inside = Some(holds),
                        Some(cell) => longer.known.push((cell, holds)),
                    }
                    let at = self.fresh(edge.target)?;
                    self.ghost_ways(id, at, target, (ptr, home), longer, ways)?;
                }
                Ok(())
            }
            _ => object_to("a way has no end"),
        }
    }

    fn ghost_load(
        &self,
        id: EdgeId,
        way: &Way<'_>,
        ptr: ExprId,
        dst: VarId,
        access: Access,
    ) -> Checked {
        let Some((last, before)) = way.actions.split_last() else {
            return object_to("a load that reads nothing");
        };
        let mut expected: Vec<(VarId, usize)> = Vec::new();
        for index in self.indices() {
            let sites = index.sites.iter().filter(|site| site.0 == id);
            expected.extend(sites.map(|site| (index.hit, site.1)));
        }
        for action in before {
            let Action::Assign { dst: hit, value } = **action else {
                return object_to("a load does more");
            };
            let Some(place) = expected.iter().position(|entry| entry.0 == hit) else {
                return object_to("an index counts where it has no site");
            };
            let (_, cell) = expected.swap_remove(place);
            // Where the distance may be another one than the true one, the index counts.
            let is_right = match self.new.exprs[value].kind {
                ExprKind::Binary(BinOp::Or, a, b) => {
                    let is_outside = matches!(self.new.exprs[a].kind,
                        ExprKind::Unary(UnOp::Not, inside) if self.is_inside(ptr, inside));
                    is_outside && self.is_at(ptr, &self.cells()[cell], b)
                }
                _ => false,
            };
            require(is_right, || "an index counts for something else".to_owned())?;
        }
        require(expected.is_empty(), || "an index doesn't count".to_owned())?;
        // No cell has a pointer that anybody knows.
        self.flows(&Pointees::other(), dst, "load")?;
        match **last {
            Action::Approximate { dst: Some(to), .. } if to == dst => Ok(()),
            Action::Assign { dst: to, value } if to == dst => {
                let is_read = |&(cell, holds): &(usize, bool)| {
                    let cell = &self.cells()[cell];
                    holds
                        && access.bits.is_none()
                        && is_convertible(cell.ty, access.ty)
                        && self.is_cell(value, cell.var).is_ok()
                };
                let is_read_again = || {
                    let before = self.again.read_before(id);
                    matches!(self.new.exprs[value].kind, ExprKind::Var(var) if before == Some(var))
                };
                require(way.known.iter().any(is_read) || is_read_again(), || {
                    "a load of another cell".to_owned()
                })
            }
            _ => object_to("a load sets something else"),
        }
    }

    /// What a way does to each cell: nothing, or this action. Nothing else is done, but for inputs that nobody reads.
    fn ghost_effects(&self, way: &Way<'a>, home: HomeId) -> Checked<Vec<Option<&'a Action>>> {
        let mut effects: Vec<Option<&Action>> = vec![None; self.cells().len()];
        for action in &way.actions {
            if matches!(action, Action::Input { dst, .. } if self.is_spare(*dst)) {
                continue;
            }
            let mut cells = self.cells_of(home);
            let cell = cells.find(|(_, cell)| action.defined_var() == Some(cell.var));
            match cell {
                Some((cell, _)) if effects[cell].is_none() => effects[cell] = Some(action),
                _ => return object_to("something else than a cell is set"),
            }
        }
        Ok(effects)
    }

    fn ghost_store(
        &self,
        way: &Way<'a>,
        home: HomeId,
        distances: &[Distance],
        value: ExprId,
        access: Access,
    ) -> Checked {
        let is_known = self.is_pointer(value) && self.pointees(value).is_tainted();
        require(!is_known, || "an address gets out of sight".to_owned())?;
        let effects = self.ghost_effects(way, home)?;
        let model = self.old.data_model;
        let whole = self.object(home)?.size;
        for (number, cell) in self.cells_of(home) {
            let known = way.known.iter().find(|known| known.0 == number);
            let limit = self.indices()[cell.index].limit;
            let apart = cell.apart(model, whole, limit, distances, access.size(model));
            match effects[number] {
                Some(Action::Approximate { .. }) => {}
                Some(Action::Assign { value: new, .. }) => {
                    let is_there = known.is_some_and(|known| known.1);
                    let is_whole = access.bits.is_none() && is_convertible(cell.ty, access.ty);
                    require(is_there && is_whole, || {
                        "a store to another place sets a cell".to_owned()
                    })?;
                    self.converted(value, *new)?;
                }
                Some(_) => return object_to("a store does something else"),
                None => {
                    let is_elsewhere = known.is_some_and(|known| !known.1);
                    let is_kept = match apart {
                        Apart::Always => true,
                        Apart::UnlessEqual => is_elsewhere,
                        Apart::Unknown => false,
                    };
                    require(is_kept, || "a store forgets a cell".to_owned())?;
                }
            }
        }
        Ok(())
    }

    /// Bytes of an object are set, copied or come in: each cell is anything then, unless all of the object is set.
    fn ghost_range(
        &self,
        way: &Way<'a>,
        home: HomeId,
        distances: &[Distance],
        action: &Action,
    ) -> Checked {
        match *action {
            Action::InputBytes { site, .. } => {
                let kind = &self.old.inputs[site].kind;
                require(!matches!(kind, InputKind::Outside { .. }), || {
                    "others know an object".to_owned()
                })?;
            }
            Action::Copy { src, .. } => {
                for &(source, _) in &self.pointees(src).objects {
                    let mut cells = self.object(source)?.cells.values();
                    require(cells.all(|cell| !self.fact(cell.var).is_tainted()), || {
                        "an address gets out of sight".to_owned()
                    })?;
                }
            }
            _ => {}
        }
        let effects = self.ghost_effects(way, home)?;
        let whole = self.object(home)?.size;
        for (number, cell) in self.cells_of(home) {
            match effects[number] {
                Some(Action::Approximate { .. }) => {}
                Some(Action::Assign { value, .. }) => {
                    let Action::Fill { byte, size, .. } = *action else {
                        return object_to("a cell of a range is set");
                    };
                    let is_all = distances == [Distance::exact(0)]
                        && whole != UNKNOWN_SIZE
                        && self.constant(size).is_some_and(|size| size >= whole);
                    let is_number = matches!(cell.ty, Type::Int(_));
                    require(is_all && is_number, || {
                        "a cell outside of a range is set".to_owned()
                    })?;
                    self.is_filled(byte, cell.var, *value)?;
                }
                _ => return object_to("a cell of a range is kept"),
            }
        }
        Ok(())
    }
}
