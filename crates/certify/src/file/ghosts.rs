//! Elements of large objects that a proof follows, in certificate files.
//!
//! ```json
//! "ghosts": {
//!   "indices": [{"sites": [[41, 0]]}],
//!   "cells": [{"of": {"object": 3}, "index": 0, "offset": 0, "stride": 4, "bits": 32, "signed": true}]
//! }
//! ```
//!
//! Edges and objects are those of the program after inlining. An index has the loads that are its sites, each with the
//! number of the cell that it may read; a cell is the integer at `offset + stride * index` of an object. Formulas name
//! them as variables with a `ghost`: `index`, `hit` or `cell`, and a number; or `distance`, and a pointer variable.

use rhumb_program::passes::scalars::{CellPlan, Home, Plan};
use rhumb_program::passes::{GhostPart, VarOrigin};
use rhumb_program::{EdgeId, IntType, ObjectId, Type, VarId};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GhostsEntry {
    indices: Vec<IndexEntry>,
    cells: Vec<CellEntry>,
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

/// A declared object, or what an edge allocates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HomeEntry {
    Object(u32),
    Allocation(u32),
}

/// A variable that belongs to a ghost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GhostVariable {
    Index(u32),
    Hit(u32),
    Cell(u32),
    Distance(u32),
}

impl GhostVariable {
    pub(super) fn of(origin: VarOrigin) -> Option<GhostVariable> {
        match origin {
            VarOrigin::Ghost(GhostPart::Index, number) => Some(GhostVariable::Index(number)),
            VarOrigin::Ghost(GhostPart::Hit, number) => Some(GhostVariable::Hit(number)),
            VarOrigin::Ghost(GhostPart::Cell, number) => Some(GhostVariable::Cell(number)),
            VarOrigin::Distance(var) => Some(GhostVariable::Distance(var.raw())),
            _ => None,
        }
    }

    pub(super) fn origin(self) -> VarOrigin {
        match self {
            GhostVariable::Index(number) => VarOrigin::Ghost(GhostPart::Index, number),
            GhostVariable::Hit(number) => VarOrigin::Ghost(GhostPart::Hit, number),
            GhostVariable::Cell(number) => VarOrigin::Ghost(GhostPart::Cell, number),
            GhostVariable::Distance(var) => VarOrigin::Distance(VarId::from_raw(var)),
        }
    }
}

impl GhostsEntry {
    pub(super) fn is_empty(&self) -> bool {
        self.indices.is_empty() && self.cells.is_empty()
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
                of: match cell.home {
                    Home::Declared(object) => HomeEntry::Object(object.raw()),
                    Home::Allocated(edge) => HomeEntry::Allocation(edge.raw()),
                },
                index: cell.index,
                offset: cell.offset,
                stride: cell.stride,
                bits: int.width,
                signed: int.signed,
            })
        });
        GhostsEntry {
            indices: indices.collect(),
            cells: cells.collect(),
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
            home: match cell.of {
                HomeEntry::Object(object) => Home::Declared(ObjectId::from_raw(object)),
                HomeEntry::Allocation(edge) => Home::Allocated(EdgeId::from_raw(edge)),
            },
            index: cell.index,
            offset: cell.offset,
            stride: cell.stride,
            ty: Type::Int(IntType {
                width: cell.bits,
                signed: cell.signed,
            }),
        });
        Plan {
            indices: indices.collect(),
            cells: cells.collect(),
        }
    }
}
