//! What steps do to cells.

use rhumb_program::{Access, Action, AllocKind, ExprId, LocKind, Type};
use rustc_hash::FxHashMap;

use super::points::{Analysis, Home, Points, What};
use super::{Builder, Cell, Plan, PlannedCell};
use crate::unfold::{Activation, UnfoldedPlace, Var};

/// What a variable becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum To {
    Any,
    Bits(u128),
    /// An expression of constants and addresses.
    Expr(ExprId),
}

/// Where a cell is: a number, and an index so many times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) base: u64,
    pub(crate) ghost: Option<(Var, i64)>,
}

/// A cell that an access may be to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) cell: Var,
    pub(crate) at: Address,
    pub(crate) size: u64,
    /// Whether it is to that one, whatever the pointer's number is.
    pub(crate) is_sure: bool,
}

/// A load that is a site of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) activation: Activation,
    pub(crate) ptr: ExprId,
    /// Whether the element that was chosen is the one that was read.
    pub(crate) hit: Var,
    /// The cell and the largest index; none if what is read may be something else.
    pub(crate) element: Option<(Address, u128)>,
}

/// A load or a store through a pointer.
#[derive(Clone, Debug)]
pub(crate) struct Through {
    pub(crate) activation: Activation,
    pub(crate) ptr: ExprId,
    pub(crate) access: Access,
    pub(crate) ways: Vec<Way>,
}

#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Set(Var, To),
    Load(Through, Var),
    Store(Through, ExprId),
    Site(Site),
}

/// An access of the program.
pub(super) struct AccessAt {
    place: UnfoldedPlace,
    activation: Activation,
    ptr: ExprId,
    pub(super) access: Access,
    pub(super) points: Points,
    /// What is stored; none for a load.
    value: Option<ExprId>,
    dst: Option<Var>,
}

/// All loads and stores.
pub(super) fn accesses(analysis: &Analysis<'_, '_>) -> Vec<AccessAt> {
    let unfolded = analysis.unfolded;
    let mut found = Vec::new();
    for place in unfolded.places() {
        let activation = unfolded.activation_of(place);
        let (ptr, access, value, dst) = match unfolded.action(place) {
            Some(&Action::Load { dst, ptr, access }) => (ptr, access, None, Some(dst)),
            Some(&Action::Store { ptr, value, access }) => (ptr, access, Some(value), None),
            _ => continue,
        };
        found.push(AccessAt {
            place,
            activation,
            ptr,
            access,
            points: analysis.points(ptr, activation),
            value,
            dst: dst.map(|dst| unfolded.var(activation, dst)),
        });
    }
    found
}

/// What places begin and end, as far as the analysis knows.
pub(super) struct Lifetimes {
    pub(super) frees: Vec<(UnfoldedPlace, Points)>,
    pub(super) fills: Vec<(UnfoldedPlace, usize, bool)>,
}

pub(super) fn lifetimes(analysis: &Analysis<'_, '_>) -> Lifetimes {
    let unfolded = analysis.unfolded;
    let exprs = &unfolded.program.exprs;
    let mut found = Lifetimes {
        frees: Vec::new(),
        fills: Vec::new(),
    };
    for place in unfolded.places() {
        let activation = unfolded.activation_of(place);
        match unfolded.action(place) {
            Some(Action::Free { ptr, .. }) => {
                found.frees.push((place, analysis.points(*ptr, activation)));
            }
            Some(Action::InputBytes { ptr, .. }) => {
                if let Some((home, _)) = analysis.points(*ptr, activation).exactly() {
                    found.fills.push((place, home, false));
                }
            }
            Some(Action::Fill { dst, byte, size }) => {
                if let Some((home, _)) = analysis.points(*dst, activation).exactly() {
                    let size = exprs.as_int_const(*size).map(|size| size.1);
                    let is_whole = size == analysis.homes[home].size.map(u128::from);
                    let is_zero = matches!(exprs.as_int_const(*byte), Some((_, 0)));
                    let is_cleared = is_whole && size.is_some() && is_zero;
                    found.fills.push((place, home, is_cleared));
                }
            }
            _ => {}
        }
    }
    found
}

impl Builder<'_, '_, '_> {
    fn push(&mut self, place: UnfoldedPlace, effect: Effect) {
        self.memory.effects.entry(place).or_default().push(effect);
    }

    /// Indices and what belongs to them.
    pub(super) fn indices(
        &mut self,
        plan: &Plan,
        homes: &[Home],
        numbers: &FxHashMap<What, usize>,
    ) {
        let model = self.unfolded.program.data_model;
        for number in 0..plan.sites.len() {
            let mut limit = model.size_type().mask();
            for cell in plan.cells.iter().filter(|cell| cell.index == number) {
                let home = cell.home(self.unfolded).and_then(|what| numbers.get(&what));
                let size = home.and_then(|&home| homes[home].size);
                let size = size.map_or(model.size_type().mask(), u128::from);
                let (size, width) = (size as i128, i128::from(cell.ty.width / 8));
                // How far it is from the element with the index 0 to the end on the other side.
                let room = match cell.stride < 0 {
                    true => i128::from(cell.offset),
                    false => size - i128::from(cell.offset) - width,
                };
                let room = room.clamp(0, model.size_type().mask() as i128) as u128;
                limit = limit.min(room / u128::from(cell.stride.unsigned_abs().max(1)));
            }
            let index = self.extra(Type::Int(model.size_type()), "an index", To::Any);
            let hit = self.extra(Type::Bool, "a hit", To::Bits(1));
            self.memory.indices.push((index, limit));
            self.memory.hits.push(hit);
        }
    }

    /// The cell of an element that was chosen.
    pub(super) fn ghost_cell(
        &mut self,
        planned: &PlannedCell,
        numbers: &FxHashMap<What, usize>,
        bases: &[u64],
        is_kept: &dyn Fn(usize) -> bool,
    ) {
        let what = planned.home(self.unfolded);
        let home = what.and_then(|what| numbers.get(&what).copied());
        let index = self.memory.indices.get(planned.index).copied();
        let (Some(home), Some((index, _))) = (home.filter(|&home| is_kept(home)), index) else {
            self.ghost_cells.push(None);
            return;
        };
        let first = match what {
            Some(What::Object(None, object)) => {
                // All of its elements are the same at first, or nothing is known.
                match self.unfolded.program.objects[object].init.is_empty() {
                    true => To::Bits(0),
                    false => To::Any,
                }
            }
            _ => To::Any,
        };
        let ty = Type::Int(planned.ty);
        let var = self.extra(ty, "an element", first);
        let cell = Cell {
            var,
            at: Address {
                base: bases[home].wrapping_add_signed(planned.offset),
                ghost: Some((index, planned.stride)),
            },
            size: u64::from(planned.ty.width / 8),
        };
        self.cells.entry(home).or_default().push(cell);
        self.ghost_cells.push(Some((cell, home)));
    }

    /// What a load or a store does.
    pub(super) fn effect(
        &mut self,
        access: &AccessAt,
        bases: &[u64],
        is_kept: &dyn Fn(usize) -> bool,
    ) {
        let size = access.access.size(self.unfolded.program.data_model);
        let sure = access.points.exactly();
        let mut ways = Vec::new();
        let mut homes: Vec<usize> = access.points.homes().collect();
        homes.dedup();
        for home in homes.into_iter().filter(|&home| is_kept(home)) {
            for cell in self.cells.get(&home).into_iter().flatten() {
                let exact = sure.map(|(_, distance)| bases[home].wrapping_add(distance as u64));
                let is_sure = match (exact, cell.at.ghost) {
                    // To this one or to another one.
                    (Some(at), None) if at == cell.at.base => true,
                    (Some(at), None)
                        if at.saturating_add(size) <= cell.at.base
                            || cell.at.base.saturating_add(cell.size) <= at =>
                    {
                        continue;
                    }
                    _ => false,
                };
                ways.push(Way {
                    cell: cell.var,
                    at: cell.at,
                    size: cell.size,
                    is_sure,
                });
            }
        }
        let through = Through {
            activation: access.activation,
            ptr: access.ptr,
            access: access.access,
            ways,
        };
        match (access.value, access.dst) {
            (Some(value), _) => self.push(access.place, Effect::Store(through, value)),
            (None, Some(dst)) => self.push(access.place, Effect::Load(through, dst)),
            (None, None) => {}
        }
    }

    /// Where objects begin and end, and where all of their bytes are set.
    pub(super) fn begin_and_end(
        &mut self,
        times: &Lifetimes,
        numbers: &FxHashMap<What, usize>,
        bases: &[u64],
    ) {
        let places: Vec<UnfoldedPlace> = self.unfolded.places().collect();
        for place in places {
            let activation = self.unfolded.activation_of(place);
            let (what, begins) = match self.unfolded.action(place) {
                Some(&Action::Enter(object)) => (What::Object(Some(activation), object), true),
                Some(&Action::Leave(object)) => (What::Object(Some(activation), object), false),
                Some(&Action::Alloc { .. }) => (What::Allocation(place), true),
                _ => continue,
            };
            let Some(home) = numbers.get(&what).copied() else {
                continue;
            };
            let Some(&alive) = self.alive.get(&home) else {
                continue;
            };
            self.push(place, Effect::Set(alive, To::Bits(begins.into())));
            if begins {
                self.set_all(place, home, To::Bits(0));
            }
            if let Some(&Action::Alloc { dst, .. }) = self.unfolded.action(place) {
                let dst = self.unfolded.var(activation, dst);
                self.push(place, Effect::Set(dst, To::Bits(bases[home].into())));
            }
        }
        for (place, points) in &times.frees {
            let is_one = points.exactly().is_some();
            let to = if is_one { To::Bits(0) } else { To::Any };
            for home in points.homes() {
                if let Some(&alive) = self.alive.get(&home) {
                    self.push(*place, Effect::Set(alive, to));
                }
            }
        }
        for &(place, home, is_cleared) in &times.fills {
            let to = if is_cleared { To::Bits(0) } else { To::Any };
            self.set_all(place, home, to);
        }
        self.leave(numbers);
    }

    /// Wherever memory changes, what is known of what was read is known no more.
    pub(super) fn versions(&mut self) {
        let word = self.unfolded.program.data_model.size_type();
        let version = self.extra(Type::Int(word), "a version", To::Any);
        self.memory.version = Some(version);
        let places: Vec<UnfoldedPlace> = self.unfolded.places().collect();
        for place in places {
            // What is allocated lies where nothing was.
            let changes = matches!(
                self.unfolded.action(place),
                Some(
                    Action::Store { .. }
                        | Action::Copy { .. }
                        | Action::Fill { .. }
                        | Action::InputBytes { .. }
                        | Action::Enter(_)
                        | Action::Leave(_)
                        | Action::Free { .. }
                )
            );
            if changes {
                self.push(place, Effect::Set(version, To::Any));
            }
        }
    }

    /// The objects of an activation end with it.
    fn leave(&mut self, numbers: &FxHashMap<What, usize>) {
        let mut ends: Vec<(Activation, Var)> = Vec::new();
        for (what, home) in numbers {
            let Some(&alive) = self.alive.get(home) else {
                continue;
            };
            match *what {
                What::Object(Some(activation), _) => ends.push((activation, alive)),
                What::Allocation(place) => {
                    if let Some(Action::Alloc {
                        kind: AllocKind::Stack,
                        ..
                    }) = self.unfolded.action(place)
                    {
                        ends.push((self.unfolded.activation_of(place), alive));
                    }
                }
                What::Object(None, _) => {}
            }
        }
        ends.sort_unstable_by_key(|end| end.1);
        let places: Vec<UnfoldedPlace> = self.unfolded.places().collect();
        for place in places {
            if self.unfolded.kind(place) == Some(LocKind::Exit) {
                let activation = self.unfolded.activation_of(place);
                for &(_, alive) in ends.iter().filter(|end| end.0 == activation) {
                    self.push(place, Effect::Set(alive, To::Bits(0)));
                }
            }
        }
    }

    fn set_all(&mut self, place: UnfoldedPlace, home: usize, to: To) {
        let cells = self.cells.get(&home).into_iter().flatten();
        let cells: Vec<Var> = cells.map(|cell| cell.var).collect();
        for cell in cells {
            self.push(place, Effect::Set(cell, to));
        }
    }

    /// Loads that are sites say whether they read the element that was chosen, before they read it.
    pub(super) fn sites(&mut self, plan: &Plan, accesses: &[AccessAt]) {
        for (number, sites) in plan.sites.iter().enumerate() {
            let (Some(&hit), Some(&(_, limit))) = (
                self.memory.hits.get(number),
                self.memory.indices.get(number),
            ) else {
                continue;
            };
            for (calls, (function, edge), cell) in sites {
                let edges = &self.unfolded.program.functions[*function].cfa.edges;
                let source = edges[*edge].source;
                let place = self.unfolded.named_place(calls, (*function, source));
                let access = accesses.iter().find(|access| Some(access.place) == place);
                let Some(access) = access.filter(|access| access.dst.is_some()) else {
                    continue;
                };
                let known = self.ghost_cells.get(*cell).copied().flatten();
                let element = known.and_then(|(cell, home)| {
                    let is_only = access.points.only() == Some(home);
                    is_only.then_some((cell.at, limit))
                });
                let site = Site {
                    activation: access.activation,
                    ptr: access.ptr,
                    hit,
                    element,
                };
                let effects = self.memory.effects.entry(access.place).or_default();
                effects.insert(0, Effect::Site(site));
            }
        }
    }
}
