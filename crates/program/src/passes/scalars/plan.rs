//! Which elements to follow: a guess from how a program reads what its targets depend on.
//!
//! The loads nearest to a target, on ways that pass no loop head, are the sites of the first index, or, where one load
//! has nothing to do with the place that another one reads, of a second one. Cells are, in every object that needs
//! them, the elements with that index, and those whose place is a linear function of it where both are accessed in one
//! pass of a loop. Right for programs that look at an element, or at a few that belong together, at a time. Where
//! several loops add up elements of one object, the sums are followed, and nothing else if targets depend on no more.

mod folds;
mod forms;
mod instances;
mod slice;

use std::collections::BTreeMap;

use self::forms::{Form, Forms};
use super::ghosts::{CellPlan, Plan, UNKNOWN_SIZE};
use super::homes::{Home, Homes, Refusal};
use super::pointees::{Distance, HomeId, gcd};
use super::points_to::{self, PointsTo};
use crate::cfa::Action;
use crate::ids::EdgeId;
use crate::model::Program;
use crate::types::Type;

/// Objects of which elements are followed.
const MOST_OBJECTS: usize = 12;
/// Indices.
const MOST_INDICES: usize = 2;
/// Cells.
const MOST_CELLS: usize = 10;

/// A load or store of an object that elements can be followed of.
struct Access {
    edge: EdgeId,
    home: HomeId,
    is_load: bool,
    /// Distances are this plus multiples of the stride.
    offset: i64,
    stride: i64,
    ty: Type,
    /// The distance, as a linear function of variables.
    form: Option<Form>,
}

/// A plan for a program after inlining, given what stays in memory without one; empty if there is nothing to follow.
pub fn plan(program: &Program, refused: &[(Home, Refusal)]) -> Plan {
    let mut plan = elements(program, refused);
    instances::add(program, refused, &mut plan);
    plan
}

/// The elements of large objects.
fn elements(program: &Program, refused: &[(Home, Refusal)]) -> Plan {
    let large = refused.iter().filter(|(_, refusal)| {
        matches!(
            refusal,
            Refusal::Choices | Refusal::Size | Refusal::Overlap | Refusal::Copied | Refusal::Mixed
        )
    });
    let trial = Plan {
        indices: Vec::new(),
        folds: Vec::new(),
        cells: (large.take(MOST_OBJECTS))
            .map(|&(home, _)| CellPlan {
                home,
                index: 0,
                offset: 0,
                stride: 0,
                ty: Type::Bool,
            })
            .collect(),
        ..Plan::default()
    };
    if trial.is_empty() {
        return trial;
    }
    let mut homes = Homes::of(program, &trial);
    let facts = points_to::solve(program, &mut homes);
    let planner = Planner {
        accesses: accesses(&facts, &homes),
        homes: &homes,
        plan: Plan::default(),
    };
    planner.finish(program)
}

/// All accesses of which it is known which elements of one object they may be to.
fn accesses(facts: &PointsTo<'_>, homes: &Homes) -> Vec<Access> {
    let program = facts.program;
    let forms = Forms::of(program);
    let mut all = Vec::new();
    for (edge, step) in program.functions[program.start].cfa.edges.iter_enumerated() {
        let (ptr, access, is_load) = match step.action {
            Action::Load { ptr, access, .. } => (ptr, access, true),
            Action::Store { ptr, access, .. } => (ptr, access, false),
            _ => continue,
        };
        let to = facts.eval(homes, ptr);
        let Some(home) = homes.only_ghost(&to) else {
            continue;
        };
        if access.bits.is_some() || !matches!(access.ty, Type::Int(_)) {
            continue;
        }
        let distances: Vec<Distance> = to.objects.iter().map(|entry| entry.1).collect();
        let is_sized = homes[home].size != UNKNOWN_SIZE;
        let size = access.size(program.data_model);
        if let Some((offset, stride)) = class(&distances, is_sized, size) {
            all.push(Access {
                edge,
                home,
                is_load,
                offset,
                stride,
                ty: access.ty,
                form: forms.of_pointer(ptr),
            });
        }
    }
    all
}

/// An offset and a stride that all of these distances have in common.
fn class(distances: &[Distance], is_sized: bool, size: u64) -> Option<(i64, i64)> {
    let first = distances.first()?;
    let mut stride = 0;
    for distance in distances {
        stride = gcd(stride, distance.stride);
        stride = gcd(stride, distance.offset.abs_diff(first.offset));
    }
    if !is_sized {
        stride &= stride.wrapping_neg();
    }
    if stride == 0 {
        return (first.offset >= 0).then_some((first.offset, 0));
    }
    let stride = i64::try_from(stride).ok()?;
    (stride as u64 >= size).then(|| (first.offset.rem_euclid(stride), stride))
}

struct Planner<'h> {
    accesses: Vec<Access>,
    homes: &'h Homes,
    plan: Plan,
}

impl Planner<'_> {
    fn finish(mut self, program: &Program) -> Plan {
        let regions = slice::regions(program, |edge| {
            (self.accesses.iter()).any(|access| access.edge == edge && access.is_load)
        });
        let mut primary: BTreeMap<EdgeId, usize> = BTreeMap::new();
        for region in &regions {
            let sites = region.sites.iter().filter_map(|&edge| self.access(edge));
            let sites: Vec<usize> = sites.collect();
            let mut chosen: Vec<usize> = Vec::new();
            for site in sites {
                let is_new = self.accesses[site].stride > 0
                    && chosen
                        .iter()
                        .all(|&other| self.related(other, site).is_none());
                if is_new && chosen.len() < MOST_INDICES {
                    chosen.push(site);
                }
            }
            for (index, &site) in chosen.iter().enumerate() {
                primary.entry(self.accesses[site].edge).or_insert(index);
            }
        }
        self.plan.folds = self.folds(program);
        let is_fold = |edge: &EdgeId| self.plan.folds.iter().any(|fold| fold.site == *edge);
        if !self.plan.folds.is_empty() && primary.keys().all(is_fold) {
            return self.plan;
        }
        let count = primary.values().max().map_or(0, |last| last + 1);
        self.plan.indices = vec![Vec::new(); count];
        for (&edge, &index) in &primary {
            let Some(site) = self.access(edge) else {
                continue;
            };
            let (home, offset, stride, ty) = self.place(site);
            if let Some(cell) = self.add(home, index, offset, stride, ty) {
                self.plan.indices[index].push((edge, cell));
            }
        }
        if count == 0 {
            return self.plan;
        }
        self.relate(program, &regions);
        self.same_index(count);
        self.plan
    }

    fn access(&self, edge: EdgeId) -> Option<usize> {
        self.accesses.iter().position(|access| access.edge == edge)
    }

    fn place(&self, access: usize) -> (HomeId, i64, i64, Type) {
        let access = &self.accesses[access];
        (access.home, access.offset, access.stride, access.ty)
    }

    /// Adds a cell; gives its number, also if it is there already.
    fn add(
        &mut self,
        home: HomeId,
        index: usize,
        offset: i64,
        stride: i64,
        ty: Type,
    ) -> Option<usize> {
        let cell = CellPlan {
            home: self.homes[home].home,
            index,
            offset,
            stride,
            ty,
        };
        let is_same = |known: &CellPlan| {
            let place = (known.home, known.offset, known.stride);
            let same_index = stride == 0 || known.index == index;
            place == (cell.home, offset, stride) && same_index
        };
        if let Some(known) = self.plan.cells.iter().position(is_same) {
            return Some(known);
        }
        if self.plan.cells.len() >= MOST_CELLS {
            return None;
        }
        self.plan.cells.push(cell);
        Some(self.plan.cells.len() - 1)
    }

    /// The place of the second access, given that of the first, which is at an index: its offset and stride.
    fn related(&self, from: usize, to: usize) -> Option<(i64, i64)> {
        let (a, b) = (&self.accesses[from], &self.accesses[to]);
        let (num, den, constant) = a.form.as_ref()?.ratio(b.form.as_ref()?)?;
        // The first is at offset + stride * k; the second at num / den of that, plus a constant.
        let stride = a.stride.checked_mul(num)?;
        let offset = a.offset.checked_mul(num)?;
        if stride % den != 0 || offset % den != 0 {
            return None;
        }
        Some(((offset / den).checked_add(constant)?, stride / den))
    }

    /// Cells for what is read in the same pass in which a cell is accessed, at a place that is a linear function of the
    /// cell's, if the pass is decided by it or the cell is set to it: each cell makes each write a choice more.
    fn relate(&mut self, program: &Program, regions: &[slice::Region]) {
        let mut rounds = 0;
        let mut before = 0;
        while before != self.plan.cells.len() && rounds < 3 {
            before = self.plan.cells.len();
            rounds += 1;
            for region in regions {
                for from in 0..self.accesses.len() {
                    if !region.has(self.accesses[from].edge) {
                        continue;
                    }
                    let indices: Vec<usize> = (self.plan.cells.iter())
                        .filter(|cell| self.is_of(cell, from))
                        .map(|cell| cell.index)
                        .collect();
                    if indices.is_empty() {
                        continue;
                    }
                    let feeding = region.feeding(program, self.accesses[from].edge);
                    for to in 0..self.accesses.len() {
                        if to == from || !feeding.contains(&self.accesses[to].edge) {
                            continue;
                        }
                        let (home, _, _, ty) = self.place(to);
                        if let Some((offset, stride)) = self.related(from, to) {
                            for &index in &indices {
                                self.add(home, index, offset, stride, ty);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether a cell is the element that an access is to, for some index.
    fn is_of(&self, cell: &CellPlan, access: usize) -> bool {
        let access = &self.accesses[access];
        cell.home == self.homes[access.home].home
            && (cell.offset, cell.stride) == (access.offset, access.stride)
            && access.stride > 0
    }

    /// Cells for the elements of all objects that have the same index.
    fn same_index(&mut self, count: usize) {
        for access in 0..self.accesses.len() {
            let (home, offset, stride, ty) = self.place(access);
            for index in 0..count {
                if stride > 0 {
                    self.add(home, index, offset, stride, ty);
                }
            }
        }
    }
}
