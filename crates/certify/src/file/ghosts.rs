//! Elements of large objects that a proof follows, in certificate files.
//!
//! ```json
//! "ghosts": {
//!   "indices": [{"sites": [[41, 0]]}],
//!   "cells": [{"of": {"object": 3}, "index": 0, "offset": 0, "stride": 4, "bits": 32, "signed": true}],
//!   "instances": [17],
//!   "reads": [52]
//! }
//! ```
//!
//! Beside those there may be `"folds": [{"of": {"object": 3}, "site": 41, "stride": 4, "bits": 32, "signed": true}]`: sums of
//! what a load reads, one element after the other.
//!
//! Edges and objects are those of the program after inlining. An index has the loads that are its sites, each with the
//! number of the cell that it may read; a cell is the integer at `offset + stride * index` of an object. Formulas name
//! them as variables with a `ghost`: `index`, `hit`, `cell`, `first`, `next` or `sum`, and a number; or `distance`, and a pointer variable.
//!
//! Instances are allocations that are made any number of times and of which one is followed: they have a `pick` and are
//! `taken`, by the edge. Reads are the loads after which a target counts only if what is followed was `met`.
//! Pointers in what is allocated have a number, and are `set` or not.

use rhumb_program::passes::scalars::{CellPlan, FoldPlan, Home, Plan};
use rhumb_program::passes::{GhostPart, VarOrigin};
use rhumb_program::{EdgeId, IntType, ObjectId, Type, VarId};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GhostsEntry {
    indices: Vec<IndexEntry>,
    cells: Vec<CellEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folds: Vec<FoldEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    instances: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reads: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexEntry {
    sites: Vec<(u32, usize)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CellEntry {
    of: HomeEntry,
    index: usize,
    offset: i64,
    stride: i64,
    bits: u16,
    signed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoldEntry {
    of: HomeEntry,
    site: u32,
    stride: i64,
    bits: u16,
    signed: bool,
}

/// A declared object, or what an edge allocates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HomeEntry {
    Object(u32),
    Allocation(u32),
}

impl HomeEntry {
    fn of(home: Home) -> HomeEntry {
        match home {
            Home::Declared(object) => HomeEntry::Object(object.raw()),
            Home::Allocated(edge) => HomeEntry::Allocation(edge.raw()),
        }
    }

    fn home(&self) -> Home {
        match *self {
            HomeEntry::Object(object) => Home::Declared(ObjectId::from_raw(object)),
            HomeEntry::Allocation(edge) => Home::Allocated(EdgeId::from_raw(edge)),
        }
    }
}

/// A variable that belongs to a ghost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GhostVariable {
    Index(u32),
    Hit(u32),
    Cell(u32),
    First(u32),
    Next(u32),
    Sum(u32),
    Distance(u32),
    Pick(u32),
    Taken(u32),
    Met(u32),
    Set(u32),
}

impl GhostVariable {
    pub(super) fn of(origin: VarOrigin) -> Option<GhostVariable> {
        match origin {
            VarOrigin::Ghost(GhostPart::Index, number) => Some(GhostVariable::Index(number)),
            VarOrigin::Ghost(GhostPart::Hit, number) => Some(GhostVariable::Hit(number)),
            VarOrigin::Ghost(GhostPart::Cell, number) => Some(GhostVariable::Cell(number)),
            VarOrigin::Ghost(GhostPart::FoldFirst, number) => Some(GhostVariable::First(number)),
            VarOrigin::Ghost(GhostPart::FoldNext, number) => Some(GhostVariable::Next(number)),
            VarOrigin::Ghost(GhostPart::FoldSum, number) => Some(GhostVariable::Sum(number)),
            VarOrigin::Ghost(GhostPart::Pick, number) => Some(GhostVariable::Pick(number)),
            VarOrigin::Ghost(GhostPart::Taken, number) => Some(GhostVariable::Taken(number)),
            VarOrigin::Ghost(GhostPart::Met, number) => Some(GhostVariable::Met(number)),
            VarOrigin::Ghost(GhostPart::Set, number) => Some(GhostVariable::Set(number)),
            VarOrigin::Distance(var) => Some(GhostVariable::Distance(var.raw())),
            _ => None,
        }
    }

    pub(super) fn origin(self) -> VarOrigin {
        match self {
            GhostVariable::Index(number) => VarOrigin::Ghost(GhostPart::Index, number),
            GhostVariable::Hit(number) => VarOrigin::Ghost(GhostPart::Hit, number),
            GhostVariable::Cell(number) => VarOrigin::Ghost(GhostPart::Cell, number),
            GhostVariable::First(number) => VarOrigin::Ghost(GhostPart::FoldFirst, number),
            GhostVariable::Next(number) => VarOrigin::Ghost(GhostPart::FoldNext, number),
            GhostVariable::Sum(number) => VarOrigin::Ghost(GhostPart::FoldSum, number),
            GhostVariable::Pick(number) => VarOrigin::Ghost(GhostPart::Pick, number),
            GhostVariable::Taken(number) => VarOrigin::Ghost(GhostPart::Taken, number),
            GhostVariable::Met(number) => VarOrigin::Ghost(GhostPart::Met, number),
            GhostVariable::Set(number) => VarOrigin::Ghost(GhostPart::Set, number),
            GhostVariable::Distance(var) => VarOrigin::Distance(VarId::from_raw(var)),
        }
    }
}

impl GhostsEntry {
    pub(super) fn is_empty(&self) -> bool {
        self.indices.is_empty()
            && self.cells.is_empty()
            && self.folds.is_empty()
            && self.instances.is_empty()
    }

    /// The entry for a plan.
    pub(super) fn of(plan: &Plan) -> GhostsEntry {
        let indices = plan.indices.iter().map(|sites| IndexEntry {
            sites: sites
                .iter()
                .map(|&(edge, cell)| (edge.raw(), cell))
                .collect(),
        });
        let cells = plan.cells.iter().filter_map(|cell| {
            let int = cell.ty.as_int()?;
            Some(CellEntry {
                of: HomeEntry::of(cell.home),
                index: cell.index,
                offset: cell.offset,
                stride: cell.stride,
                bits: int.width,
                signed: int.signed,
            })
        });
        let folds = plan.folds.iter().filter_map(|fold| {
            let int = fold.ty.as_int()?;
            Some(FoldEntry {
                of: HomeEntry::of(fold.home),
                site: fold.site.raw(),
                stride: fold.stride,
                bits: int.width,
                signed: int.signed,
            })
        });
        GhostsEntry {
            indices: indices.collect(),
            cells: cells.collect(),
            folds: folds.collect(),
            instances: plan.instances.iter().map(|edge| edge.raw()).collect(),
            reads: plan.reads.iter().map(|edge| edge.raw()).collect(),
        }
    }

    /// The plan.
    pub(super) fn plan(&self) -> Plan {
        let indices = self.indices.iter().map(|index| {
            let sites = index.sites.iter();
            sites
                .map(|&(edge, cell)| (EdgeId::from_raw(edge), cell))
                .collect()
        });
        let cells = self.cells.iter().map(|cell| CellPlan {
            home: cell.of.home(),
            index: cell.index,
            offset: cell.offset,
            stride: cell.stride,
            ty: Type::Int(IntType {
                width: cell.bits,
                signed: cell.signed,
            }),
        });
        let folds = self.folds.iter().map(|fold| FoldPlan {
            home: fold.of.home(),
            site: EdgeId::from_raw(fold.site),
            stride: fold.stride,
            ty: Type::Int(IntType {
                width: fold.bits,
                signed: fold.signed,
            }),
        });
        Plan {
            indices: indices.collect(),
            cells: cells.collect(),
            folds: folds.collect(),
            instances: self
                .instances
                .iter()
                .map(|&edge| EdgeId::from_raw(edge))
                .collect(),
            reads: self
                .reads
                .iter()
                .map(|&edge| EdgeId::from_raw(edge))
                .collect(),
        }
    }
}
