//! Which pieces of an object become variables: those that are read and written as scalars, as long as they don't overlap.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::homes::{Home, Homes, Refusal};
use super::pointees::{HomeId, Pointees};
use super::points_to::{PointsTo, places};
use crate::cfa::Action;
use crate::ids::ExprId;
use crate::model::Init;
use crate::span::Span;
use crate::types::{DataModel, Type};

/// More pieces than this no object has.
const MAX_CELLS: usize = 256;

/// The pieces of each object, by their distance from its start.
#[derive(Default)]
pub(super) struct Cells {
    by_home: FxHashMap<HomeId, BTreeMap<u64, Type>>,
}

impl Cells {
    /// Of all objects that are not refused. Those whose pieces overlap are refused here.
    pub(super) fn of(facts: &PointsTo<'_>, homes: &mut Homes) -> Cells {
        let mut cells = Cells::default();
        let program = facts.program;
        let cfa = &program.functions[program.start].cfa;
        for edge in &cfa.edges {
            if let Action::Load { ptr, access, .. } | Action::Store { ptr, access, .. } =
                edge.action
            {
                let to = facts.eval(homes, ptr);
                let size = access.size(program.data_model);
                let all: Vec<(HomeId, u64)> = places(homes, &to, size).collect();
                for (home, offset) in all {
                    cells.add(
                        homes,
                        program.data_model,
                        home,
                        offset,
                        access.ty,
                        edge.span,
                    );
                }
            }
        }
        // What is copied has the same pieces on both sides.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for edge in &cfa.edges {
                if let Action::Copy { dst, src, size } = edge.action
                    && let Some((_, size)) = program.exprs.as_int_const(size)
                {
                    let (to, from) = (facts.eval(homes, dst), facts.eval(homes, src));
                    changed |= cells.share(homes, program.data_model, &to, &from, size, edge.span);
                }
            }
        }
        for edge in &cfa.edges {
            cells.refuse_parts(facts, homes, &edge.action, edge.span);
        }
        cells.refuse_first_values(facts, homes);
        cells
    }

    /// Refuses objects whose first contents are given in other pieces.
    fn refuse_first_values(&self, facts: &PointsTo<'_>, homes: &mut Homes) {
        let program = facts.program;
        let model = program.data_model;
        let mut wrong = Vec::new();
        for (home, candidate) in homes.chosen() {
            let Home::Declared(object) = candidate.home else {
                continue;
            };
            let object = &program.objects[object];
            for init in &object.init {
                let is_fine = match init {
                    Init::Scalar { offset, access, .. } => {
                        let size = access.size(model);
                        self.touched(model, home, *offset, size).all(|(at, ty)| {
                            let is_whole = at == *offset && access.bits.is_none();
                            is_whole && is_convertible(model, ty, access.ty)
                        })
                    }
                    Init::Bytes { offset, bytes } => {
                        let touched = self.touched(model, home, *offset, bytes.len() as u64);
                        let mut touched = touched.map(|cell| cell.1);
                        touched.all(|ty| matches!(ty, Type::Int(_) | Type::Float(_)))
                    }
                };
                if !is_fine {
                    wrong.push((home, object.decl.span));
                }
            }
        }
        for (home, span) in wrong {
            homes.refuse_one(home, Refusal::Overlap, span);
        }
    }

    /// The pieces of an object.
    pub(super) fn of_home(&self, home: HomeId) -> impl Iterator<Item = (u64, Type)> + '_ {
        let cells = self.by_home.get(&home).into_iter().flatten();
        cells.map(|(&offset, &ty)| (offset, ty))
    }

    /// The pieces that begin or end in a range of an object.
    fn touched(
        &self,
        model: DataModel,
        home: HomeId,
        start: u64,
        size: u64,
    ) -> impl Iterator<Item = (u64, Type)> + '_ {
        let end = start.saturating_add(size);
        self.of_home(home)
            .filter(move |(offset, ty)| *offset < end && offset + ty.size(model) > start)
    }

    /// Adds a piece; gives whether it is new.
    fn add(
        &mut self,
        homes: &mut Homes,
        model: DataModel,
        home: HomeId,
        offset: u64,
        ty: Type,
        span: Span,
    ) -> bool {
        if homes[home].ghost {
            return false;
        }
        let size = ty.size(model);
        let mut touched = self.touched(model, home, offset, size);
        match (touched.next(), touched.next()) {
            (None, _) => {
                drop(touched);
                let cells = self.by_home.entry(home).or_default();
                cells.insert(offset, ty);
                if cells.len() > MAX_CELLS {
                    homes.refuse_one(home, Refusal::Size, span);
                }
                true
            }
            (Some((at, old)), None) if at == offset && is_convertible(model, old, ty) => false,
            _ => {
                drop(touched);
                homes.refuse_one(home, Refusal::Overlap, span);
                false
            }
        }
    }

    /// Both sides of a copy get each other's pieces.
    fn share(
        &mut self,
        homes: &mut Homes,
        model: DataModel,
        to: &Pointees,
        from: &Pointees,
        size: u128,
        span: Span,
    ) -> bool {
        let Ok(size) = u64::try_from(size) else {
            return false;
        };
        let mut changed = false;
        for (a, at) in to.objects.iter().map(|entry| (entry.0, entry.1.offset)) {
            for (b, begin) in from.objects.iter().map(|entry| (entry.0, entry.1.offset)) {
                let (Ok(at), Ok(begin)) = (u64::try_from(at), u64::try_from(begin)) else {
                    continue;
                };
                let inside = |home: HomeId, start: u64| {
                    start
                        .checked_add(size)
                        .is_some_and(|end| end <= homes[home].size)
                };
                if !inside(a, at) || !inside(b, begin) {
                    continue;
                }
                for (x, from, y, to) in [(a, at, b, begin), (b, begin, a, at)] {
                    let pieces: Vec<(u64, Type)> = self.touched(model, x, from, size).collect();
                    for (offset, ty) in pieces {
                        if offset < from || offset + ty.size(model) > from.saturating_add(size) {
                            homes.refuse_one(x, Refusal::Overlap, span);
                        } else {
                            changed |= self.add(homes, model, y, offset - from + to, ty, span);
                        }
                    }
                }
            }
        }
        changed
    }

    /// Refuses objects of which a piece is changed in part, or to what its type has no value for.
    fn refuse_parts(&self, facts: &PointsTo<'_>, homes: &mut Homes, action: &Action, span: Span) {
        let exprs = &facts.program.exprs;
        let model = facts.program.data_model;
        let constant = |id: ExprId| exprs.as_int_const(id).map(|(_, bits)| bits as u64);
        let (ptr, size, byte) = match *action {
            Action::Fill { dst, byte, size } => (dst, size, Some(constant(byte))),
            Action::InputBytes { ptr, size, .. } => (ptr, size, None),
            Action::Copy { dst, size, .. } => (dst, size, None),
            _ => return,
        };
        let Some(size) = constant(size) else {
            return;
        };
        for (home, distance) in facts.eval(homes, ptr).objects {
            let Ok(start) = u64::try_from(distance.offset) else {
                continue;
            };
            let is_fine = |(offset, ty): (u64, Type)| {
                let is_inside =
                    offset >= start && offset + ty.size(model) <= start.saturating_add(size);
                let has_value = match (byte, ty) {
                    (None | Some(Some(0)), _) => true,
                    (Some(Some(_)), Type::Int(_)) => true,
                    (Some(None), Type::Int(int)) => int.width == 8,
                    _ => false,
                };
                is_inside && has_value
            };
            if !self.touched(model, home, start, size).all(is_fine) {
                homes.refuse_one(home, Refusal::Overlap, span);
            }
        }
    }
}

/// Whether a value of one type can be read as one of the other by a conversion: the same type, or integers of the same width.
pub(super) fn is_convertible(model: DataModel, a: Type, b: Type) -> bool {
    a == b
        || matches!((a, b), (Type::Int(_), Type::Int(_)))
            && a.size(model) == b.size(model)
            && a.as_int().map(|int| int.width) == b.as_int().map(|int| int.width)
}
