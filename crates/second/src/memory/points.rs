//! What pointers may point to: sets of objects and distances, for the whole run, whatever the order of its steps.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_program::{
    Access, Action, AllocKind, BinOp, Callee, ExprId, ExprKind, Init, ObjectId, Scope, Type,
};
use rustc_hash::FxHashMap;

use crate::unfold::{Activation, Next, Step, Unfolded, UnfoldedPlace, Var};

/// An object of the program in one activation; or what a place allocates, which it does once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum What {
    Object(Option<Activation>, ObjectId),
    Allocation(UnfoldedPlace),
}

#[derive(Clone, Debug)]
pub(super) struct Home {
    pub(super) what: What,
    /// None if it is computed.
    pub(super) size: Option<u64>,
}

/// What a pointer may point to; nothing is null. A distance that is none may be any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Points {
    /// Whether it may come from where nobody looks. Then it is to no object whose address has not been there.
    pub(super) is_wild: bool,
    pub(super) to: BTreeSet<(usize, Option<i64>)>,
}

/// So many distances into one object are told apart.
const MAX_DISTANCES: usize = 24;

impl Points {
    fn wild() -> Points {
        Points {
            is_wild: true,
            to: BTreeSet::new(),
        }
    }

    fn add(&mut self, other: &Points) -> bool {
        let before = (self.is_wild, self.to.len());
        self.is_wild |= other.is_wild;
        self.to.extend(&other.to);
        let homes: BTreeSet<usize> = self.homes().collect();
        for home in homes {
            let distances = self.to.iter().filter(|to| to.0 == home).count();
            if distances > MAX_DISTANCES || (distances > 1 && self.to.contains(&(home, None))) {
                self.to.retain(|to| to.0 != home);
                self.to.insert((home, None));
            }
        }
        before != (self.is_wild, self.to.len())
    }

    pub(super) fn homes(&self) -> impl Iterator<Item = usize> + '_ {
        self.to.iter().map(|to| to.0)
    }

    /// The only object that it may be to.
    pub(super) fn only(&self) -> Option<usize> {
        let first = self.to.first()?.0;
        (!self.is_wild && self.homes().all(|home| home == first)).then_some(first)
    }

    /// The only place that it may be to.
    pub(super) fn exactly(&self) -> Option<(usize, i64)> {
        match self.to.first() {
            Some(&(home, Some(distance))) if self.to.len() == 1 && !self.is_wild => {
                Some((home, distance))
            }
            _ => None,
        }
    }

    /// The only place that is known of it, whatever else it may be.
    pub(super) fn known(&self) -> Option<(usize, i64)> {
        match self.to.first() {
            Some(&(home, Some(distance))) if self.to.len() == 1 => Some((home, distance)),
            _ => None,
        }
    }

    fn moved(&self, by: Option<i64>) -> Points {
        let to = self.to.iter().map(|&(home, distance)| {
            let moved = distance
                .zip(by)
                .and_then(|(distance, by)| distance.checked_add(by));
            (
                home,
                moved.filter(|distance| distance.unsigned_abs() < 1 << 40),
            )
        });
        Points {
            is_wild: self.is_wild,
            to: to.collect(),
        }
    }
}

/// The analysis of an unfolded program.
pub(super) struct Analysis<'a, 'p> {
    pub(super) unfolded: &'a Unfolded<'p>,
    pub(super) homes: Vec<Home>,
    numbers: FxHashMap<What, usize>,
    /// Objects that somebody may use in ways that are not understood.
    pub(super) refused: BTreeSet<usize>,
    /// Objects of which only elements are followed that a plan names: their contents are no pointers.
    pub(super) ghosts: BTreeSet<usize>,
    vars: FxHashMap<Var, Points>,
    /// The pointers in objects, by object and distance.
    cells: BTreeMap<(usize, i64), Points>,
}

impl<'a, 'p> Analysis<'a, 'p> {
    /// Finds the objects. None if calls stay, which may do anything to them.
    pub(super) fn new(unfolded: &'a Unfolded<'p>) -> Option<Analysis<'a, 'p>> {
        let program = unfolded.program;
        let mut homes = Vec::new();
        for (id, object) in program.objects.iter_enumerated() {
            if object.scope == Scope::Global {
                homes.push(Home {
                    what: What::Object(None, id),
                    size: Some(object.size),
                });
            }
        }
        for place in unfolded.places() {
            match unfolded.next(place) {
                Next::Go(Step::Call(..), _) | Next::Agreed(_) | Next::Return => return None,
                _ => {}
            }
            let activation = unfolded.activation_of(place);
            match unfolded.action(place) {
                Some(Action::Call {
                    callee: Callee::Builtin(rhumb_program::Builtin::Outside),
                    ..
                }) => return None,
                Some(&Action::Enter(id)) => homes.push(Home {
                    what: What::Object(Some(activation), id),
                    size: Some(program.objects[id].size),
                }),
                Some(&Action::Alloc { size, .. }) if !is_on_cycle(unfolded, place) => {
                    let size = program.exprs.as_int_const(size);
                    homes.push(Home {
                        what: What::Allocation(place),
                        size: size.and_then(|size| u64::try_from(size.1).ok()),
                    });
                }
                _ => {}
            }
        }
        let mut numbers: FxHashMap<What, usize> = FxHashMap::default();
        // An object may be entered at several places.
        homes.retain(|home: &Home| {
            let next = numbers.len();
            let is_new = !numbers.contains_key(&home.what);
            numbers.entry(home.what).or_insert(next);
            is_new
        });
        Some(Analysis {
            unfolded,
            homes,
            numbers,
            refused: BTreeSet::new(),
            ghosts: BTreeSet::new(),
            vars: FxHashMap::default(),
            cells: BTreeMap::new(),
        })
    }

    pub(super) fn number(&self, what: What) -> Option<usize> {
        self.numbers.get(&what).copied()
    }

    fn object(&self, object: ObjectId, activation: Activation) -> Option<usize> {
        let scope = self.unfolded.program.objects[object].scope;
        let activation = (scope != Scope::Global).then_some(activation);
        self.number(What::Object(activation, object))
    }

    /// What a pointer may point to. Recursive on the depth of the expression, which the model limits.
    pub(super) fn points(&self, expr: ExprId, activation: Activation) -> Points {
        let exprs = &self.unfolded.program.exprs;
        match exprs[expr].kind {
            ExprKind::Const(0) | ExprKind::FuncAddr(_) => Points::default(),
            ExprKind::Var(var) => {
                let var = self.unfolded.var(activation, var);
                self.vars.get(&var).cloned().unwrap_or_default()
            }
            ExprKind::AddrOf(object) => match self.object(object, activation) {
                Some(home) => Points {
                    is_wild: false,
                    to: BTreeSet::from([(home, Some(0))]),
                },
                None => Points::wild(),
            },
            ExprKind::PtrAdd(pointer, bytes) => {
                let by = exprs.as_int_const(bytes);
                let by = by.and_then(|(int, bits)| i64::try_from(int.extend(bits)).ok());
                let signed = self.unfolded.program.data_model.ptrdiff_type();
                let by = by.map(|by| signed.extend(signed.wrap(by as u128)) as i64);
                self.points(pointer, activation).moved(by)
            }
            ExprKind::Cast(arg) => match exprs.as_int_const(arg) {
                Some((_, 0)) => Points::default(),
                _ if exprs.ty(arg) == Type::Ptr => self.points(arg, activation),
                _ => Points::wild(),
            },
            _ => Points::wild(),
        }
    }

    pub(super) fn variable(&self, var: Var) -> Option<&Points> {
        self.vars.get(&var)
    }

    pub(super) fn cell(&self, home: usize, distance: u64) -> Option<&Points> {
        self.cells.get(&(home, i64::try_from(distance).ok()?))
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (Var, &Points)> + '_ {
        self.vars.iter().map(|(&var, points)| (var, points))
    }

    fn is_followed(&self, home: usize) -> bool {
        !self.refused.contains(&home) && !self.ghosts.contains(&home)
    }

    /// Solves, and takes out what is used in ways that are not understood, until nothing changes.
    pub(super) fn solve(&mut self) {
        loop {
            self.vars.clear();
            self.cells.clear();
            self.first();
            while self.round() {}
            let before = self.refused.len();
            for place in self.unfolded.places() {
                self.refuse_at(place);
            }
            self.refuse_first();
            if self.refused.len() == before {
                return;
            }
        }
    }

    fn first(&mut self) {
        let program = self.unfolded.program;
        let start = self.unfolded.activation_of(self.unfolded.start());
        for (id, var) in program.vars.iter_enumerated() {
            if let (Scope::Global, Type::Ptr, Some(init)) = (var.scope, var.ty, var.init) {
                let points = self.points(init, start);
                self.vars.insert(self.unfolded.global_var(id), points);
            }
        }
        for (object, offset, value) in self.initial_pointers() {
            let points = self.points(value, start);
            if let Some(home) = self.object(object, start) {
                self.cells.entry((home, offset)).or_default().add(&points);
            }
        }
    }

    fn initial_pointers(&self) -> Vec<(ObjectId, i64, ExprId)> {
        let program = self.unfolded.program;
        let mut found = Vec::new();
        for (id, object) in program.objects.iter_enumerated() {
            for init in &object.init {
                if let Init::Scalar {
                    offset,
                    access,
                    value,
                } = init
                    && access.ty == Type::Ptr
                {
                    found.push((id, *offset as i64, *value));
                }
            }
        }
        found
    }

    fn refuse_first(&mut self) {
        let start = self.unfolded.activation_of(self.unfolded.start());
        for (object, _, value) in self.initial_pointers() {
            let is_kept = self
                .object(object, start)
                .is_some_and(|home| self.is_followed(home));
            if !is_kept {
                let points = self.points(value, start);
                self.refuse(&points);
            }
        }
    }

    /// One look at all steps. Whether something is new.
    fn round(&mut self) -> bool {
        let mut is_new = false;
        for place in self.unfolded.places() {
            let activation = self.unfolded.activation_of(place);
            let mut found: Vec<(Var, Points)> = Vec::new();
            if let Next::Go(Step::Assign(activation, assignments), _) = self.unfolded.next(place) {
                for &(var, value) in assignments {
                    if self.unfolded.ty(var) == Type::Ptr {
                        found.push((var, self.points(value, *activation)));
                    }
                }
            }
            match self.unfolded.action(place) {
                Some(&Action::Alloc { dst, .. }) => {
                    let points = match self.number(What::Allocation(place)) {
                        Some(home) => Points {
                            is_wild: false,
                            to: BTreeSet::from([(home, Some(0))]),
                        },
                        None => Points::wild(),
                    };
                    found.push((self.unfolded.var(activation, dst), points));
                }
                Some(&Action::Load { dst, ptr, access }) if access.ty == Type::Ptr => {
                    let points = self.loaded(&self.points(ptr, activation));
                    found.push((self.unfolded.var(activation, dst), points));
                }
                Some(&Action::Store { ptr, value, access }) if access.ty == Type::Ptr => {
                    let value = self.points(value, activation);
                    for (home, distance) in self.points(ptr, activation).to {
                        if let (true, Some(distance)) = (self.is_followed(home), distance) {
                            is_new |= self.cells.entry((home, distance)).or_default().add(&value);
                        }
                    }
                }
                // What is no pointer is written over one: then it may be anything.
                Some(&Action::Store { ptr, access, .. }) => {
                    let size = access.size(self.unfolded.program.data_model) as i64;
                    let points = self.points(ptr, activation);
                    is_new |= self.spoil(&points, size);
                }
                Some(&Action::InputBytes { ptr, .. }) => {
                    let points = self.points(ptr, activation);
                    is_new |= self.spoil(&points.moved(None), 1);
                }
                Some(&Action::Fill { dst, byte, .. }) => {
                    let points = self.points(dst, activation);
                    if !matches!(self.unfolded.program.exprs.as_int_const(byte), Some((_, 0))) {
                        is_new |= self.spoil(&points.moved(None), 1);
                    }
                }
                _ => {
                    if let Next::Go(Step::Any(var), _) = self.unfolded.next(place)
                        && self.unfolded.ty(*var) == Type::Ptr
                    {
                        found.push((*var, Points::wild()));
                    }
                }
            }
            for (var, points) in found {
                is_new |= self.vars.entry(var).or_default().add(&points);
            }
        }
        is_new
    }

    /// Pointers in objects are written over, so many bytes from where a pointer may be.
    fn spoil(&mut self, points: &Points, size: i64) -> bool {
        let width = i64::from(self.unfolded.program.data_model.pointer_width() / 8);
        let mut is_new = false;
        for &(home, distance) in &points.to {
            let range = match distance {
                Some(distance) => (home, distance - width + 1)..=(home, distance + size - 1),
                None => (home, i64::MIN)..=(home, i64::MAX),
            };
            for (_, cell) in self.cells.range_mut(range) {
                is_new |= !std::mem::replace(&mut cell.is_wild, true);
            }
        }
        is_new
    }

    /// What a pointer that is read may point to.
    fn loaded(&self, from: &Points) -> Points {
        let mut points = Points::default();
        points.is_wild |= from.is_wild;
        for &(home, distance) in &from.to {
            match distance {
                Some(distance) if self.is_followed(home) => {
                    let known = self.cells.get(&(home, distance));
                    known.into_iter().for_each(|known| _ = points.add(known));
                }
                // Somewhere in it, or bytes of other things.
                _ => {
                    points.is_wild = true;
                    let cells = self.cells.range((home, i64::MIN)..=(home, i64::MAX));
                    cells.for_each(|(_, known)| _ = points.add(known));
                }
            }
        }
        points
    }

    /// Whether one access may be to several objects, one of which has no known end: then its address doesn't say which it is to.
    fn is_muddled(&self, points: &Points) -> bool {
        let mut homes = points.homes();
        let has_end = |home: usize| self.homes[home].size.is_some();
        !(points.only().is_some() || homes.all(has_end))
    }

    fn refuse(&mut self, points: &Points) {
        self.refused.extend(points.homes());
    }

    /// Takes out the objects that a step uses in a way that is not understood.
    fn refuse_at(&mut self, place: UnfoldedPlace) {
        let activation = self.unfolded.activation_of(place);
        if let &Next::Branch { condition, .. } = self.unfolded.next(place) {
            self.look(condition, activation);
        }
        let Some(action) = self.unfolded.action(place) else {
            return;
        };
        action.for_each_expr(|expr| self.look(expr, activation));
        let has_bits = |access: Access| access.bits.is_some();
        match action {
            &Action::Load { ptr, access, .. } => {
                let points = self.points(ptr, activation);
                if has_bits(access) || self.is_muddled(&points) {
                    self.refuse(&points);
                }
            }
            &Action::Store { ptr, value, access } => {
                let target = self.points(ptr, activation);
                if has_bits(access) || self.is_muddled(&target) {
                    self.refuse(&target);
                }
                if access.ty == Type::Ptr {
                    let is_known =
                        |to: &(usize, Option<i64>)| self.is_followed(to.0) && to.1.is_some();
                    let is_kept = !target.is_wild && target.to.iter().all(is_known);
                    if !is_kept {
                        let points = self.points(value, activation);
                        self.refuse(&points);
                    }
                }
            }
            &Action::Copy { dst, src, .. } => {
                for pointer in [dst, src] {
                    let points = self.points(pointer, activation);
                    self.refuse(&points);
                }
                // What is copied may be pointers to others.
                let all: Vec<Points> = self.cells.values().cloned().collect();
                all.iter().for_each(|points| self.refuse(points));
            }
            &Action::InputBytes { ptr, .. } | &Action::Fill { dst: ptr, .. } => {
                let points = self.points(ptr, activation);
                let is_start = points.exactly().is_some_and(|(_, distance)| distance == 0);
                if !is_start {
                    self.refuse(&points);
                }
            }
            Action::Call { args, .. } => {
                let is_entered = matches!(self.unfolded.next(place), Next::Go(Step::Assign(..), _));
                let params = match self.unfolded.next(place) {
                    Next::Go(Step::Assign(_, given), _) => given.len(),
                    _ => 0,
                };
                let skipped = if is_entered { params } else { 0 };
                for &arg in args.iter().skip(skipped) {
                    if self.unfolded.program.exprs.ty(arg) == Type::Ptr {
                        let points = self.points(arg, activation);
                        self.refuse(&points);
                    }
                }
            }
            Action::Free {
                kind: AllocKind::Stack,
                ptr,
            } => {
                let points = self.points(*ptr, activation);
                self.refuse(&points);
            }
            _ => {}
        }
    }

    /// Looks for addresses that are used as numbers.
    fn look(&mut self, expr: ExprId, activation: Activation) {
        let exprs = &self.unfolded.program.exprs;
        let of = |work: &Self, pointer: ExprId| work.points(pointer, activation);
        match exprs[expr].kind {
            ExprKind::Cast(arg) if exprs.ty(arg) == Type::Ptr && exprs.ty(expr) != Type::Ptr => {
                let points = of(self, arg);
                self.refuse(&points);
            }
            ExprKind::Binary(BinOp::Lt | BinOp::Le, a, b) | ExprKind::PtrDiff(a, b)
                if exprs.ty(a) == Type::Ptr =>
            {
                let mut points = of(self, a);
                points.add(&of(self, b));
                if points.only().is_none() {
                    self.refuse(&points);
                }
            }
            _ => {}
        }
        let children: Vec<ExprId> = exprs.children(expr).collect();
        children
            .into_iter()
            .for_each(|child| self.look(child, activation));
    }
}

/// Whether a run may come back to a place.
fn is_on_cycle(unfolded: &Unfolded<'_>, place: UnfoldedPlace) -> bool {
    let mut seen: rustc_hash::FxHashSet<UnfoldedPlace> = rustc_hash::FxHashSet::default();
    let mut todo: Vec<UnfoldedPlace> = unfolded.successors(place).collect();
    while let Some(next) = todo.pop() {
        if next == place {
            return true;
        }
        if seen.insert(next) {
            todo.extend(unfolded.successors(next));
        }
    }
    false
}
