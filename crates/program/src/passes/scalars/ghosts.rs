//! Ghosts: elements of objects that are too large, or of a size that is not known, to be variables element by element.
//!
//! Right for programs whose loops do the same to every element: what is proved of one element that was chosen at the
//! start, and that nobody knows anything of, is proved of all of them.
//!
//! An *index* is a number that is chosen once, before everything else, arbitrarily. A *cell* is the element of an
//! object at a distance that is a linear function of an index; it is a variable, which is exact: a write there sets it,
//! a write elsewhere doesn't. What is read elsewhere is any value. So for every choice the new program has all runs of
//! the given one.
//!
//! And not all choices have to be looked at: for each run that gets to a target it is enough to look at *one*. Some
//! loads are the *sites* of an index. The index counts for what the last site that was passed has read: a truth value
//! says whether that was the cell, and a target is only one if it was. For each run that gets to a target there is such
//! a choice: the place that was read last. (If none was, any choice is right: the truth value is true at first.)
//!
//! Where a pointer is in its object is a number that doesn't wrap round where addresses do: a pointer variable has a
//! second one, its *distance* from the start of the object, computed with 64 bits. It is the true one modulo the size
//! of an address; so if it is in the range of true ones, it is the true one, and if not, nothing is known.
//!
//! Which indices, cells and sites there are is a [`Plan`]. No plan is a wrong one; a useless one proves nothing.

use std::collections::BTreeMap;

use super::folds::{FoldPlan, GhostFold};
use super::homes::Home;
use super::pointees::{Distance, HomeId, gcd};
use crate::cfa::LocKind;
use crate::ids::{EdgeId, VarId};
use crate::model::Program;
use crate::types::{DataModel, IntType, Type};

/// Which elements to follow, in terms of the program after inlining.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Plan {
    /// For each index the loads that are its sites, each with the number of the cell that it may read.
    pub indices: Vec<Vec<(EdgeId, usize)>>,
    /// The cells.
    pub cells: Vec<CellPlan>,
    /// Sums of elements.
    pub folds: Vec<FoldPlan>,
    /// Allocations that are made any number of times, and of which one instance is followed.
    pub instances: Vec<EdgeId>,
    /// Loads after which a target counts only if what is followed was read: see [`Instances`](super::Instances).
    pub reads: Vec<EdgeId>,
}

/// A cell: the element at `offset + stride * index`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CellPlan {
    /// The object.
    pub home: Home,
    /// The number of the index.
    pub index: usize,
    /// Where the element with index 0 begins.
    pub offset: i64,
    /// The distance from one element to the next; 0 if it is always the same.
    pub stride: i64,
    /// Its type.
    pub ty: Type,
}

impl Plan {
    /// Whether nothing is followed.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.folds.is_empty() && self.instances.is_empty()
    }

    /// Whether it is to be shown that nobody reads a pointer in what is allocated before it is set.
    pub(super) fn has_late_pointers(&self, program: &Program) -> bool {
        let cfa = &program.functions[program.start].cfa;
        let is_target = |kind: LocKind| matches!(kind, LocKind::Target(_));
        !self.instances.is_empty()
            && cfa
                .locations
                .iter()
                .any(|location| is_target(location.kind))
    }

    /// Whether one of the instances of an allocation is followed.
    pub(super) fn has_one_of(&self, home: Home) -> bool {
        matches!(home, Home::Allocated(edge) if self.instances.contains(&edge))
    }

    /// Whether elements of an object are followed.
    pub(super) fn has(&self, home: Home) -> bool {
        self.cells.iter().any(|cell| cell.home == home)
            || self.folds.iter().any(|fold| fold.home == home)
    }
}

/// What became of a plan.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    /// The indices.
    pub indices: Vec<GhostIndex>,
    /// The cells.
    pub cells: Vec<GhostCell>,
    /// Sums of elements.
    pub folds: Vec<GhostFold>,
    /// For pointer variables that may be to one of the objects alone: the variables of their distances.
    pub distances: BTreeMap<VarId, VarId>,
}

impl Ghosts {
    /// The type of distances.
    pub const INT: IntType = IntType {
        width: 64,
        signed: true,
    };

    /// The largest distance that is looked at. None of those up to it wraps round.
    pub fn largest(model: DataModel) -> i64 {
        (1 << model.pointer_width().min(48)) - 1
    }

    /// The type of an index with this limit: as narrow as it can be, so that its range is known from its type.
    pub fn index_type(limit: u64) -> IntType {
        IntType {
            width: (64 - limit.leading_zeros() as u16).max(1),
            signed: false,
        }
    }
}

/// An index.
#[derive(Clone, Debug)]
pub struct GhostIndex {
    /// The number.
    pub var: VarId,
    /// Whether the last site that was passed has read its cell.
    pub hit: VarId,
    /// No index is larger.
    pub limit: u64,
    /// The loads that are its sites, each with the number of its cell.
    pub sites: Vec<(EdgeId, usize)>,
}

/// A cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GhostCell {
    /// The object.
    pub home: HomeId,
    /// The number of its index.
    pub index: usize,
    /// Where the element with index 0 begins.
    pub offset: i64,
    /// The distance from one element to the next.
    pub stride: i64,
    /// Its type.
    pub ty: Type,
    /// The variable that it is.
    pub var: VarId,
}

/// The size of an object of which none is known.
pub const UNKNOWN_SIZE: u64 = u64::MAX;

/// How an access lies to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apart {
    /// They have no byte in common.
    Always,
    /// If they don't begin at the same place, they have no byte in common.
    UnlessEqual,
    /// Neither is known.
    Unknown,
}

impl GhostCell {
    /// How an access of `size` bytes, at one of these distances in the cell's object, lies to the cell. Trusted.
    ///
    /// All differences between the two places are `r` modulo `g`. If `r` is not 0, the access begins at least `r` bytes
    /// behind the cell or at least `g - r` bytes before it; otherwise at least `g` bytes behind or before it, or where
    /// it begins.
    pub fn apart(
        &self,
        model: DataModel,
        whole: u64,
        limit: u64,
        access: &[Distance],
        size: u64,
    ) -> Apart {
        let own = self.ty.size(model);
        let mut result = Apart::Always;
        for distance in access {
            let step = gcd(distance.stride, self.step(model, limit));
            // Beyond the half of all addresses a distance may be another integer than it seems: only what survives a wrap counts.
            let step = match whole {
                UNKNOWN_SIZE => even_part(step),
                _ => step,
            };
            let difference = i128::from(distance.offset) - i128::from(self.offset);
            let one = match step {
                0 if difference == 0 => Apart::UnlessEqual,
                0 if difference >= own.into() || -difference >= size.into() => Apart::Always,
                0 => Apart::Unknown,
                step => {
                    let rest = difference.rem_euclid(step.into()) as u64;
                    match rest {
                        0 if step >= own.max(size) => Apart::UnlessEqual,
                        0 => Apart::Unknown,
                        rest if rest >= own && step - rest >= size => Apart::Always,
                        _ => Apart::Unknown,
                    }
                }
            };
            result = match (result, one) {
                (Apart::Unknown, _) | (_, Apart::Unknown) => Apart::Unknown,
                (Apart::UnlessEqual, _) | (_, Apart::UnlessEqual) => Apart::UnlessEqual,
                (Apart::Always, Apart::Always) => Apart::Always,
            };
        }
        result
    }

    /// What every distance of the cell is a multiple of, but for the offset.
    fn step(&self, model: DataModel, limit: u64) -> u64 {
        let stride = self.stride.unsigned_abs();
        let last = i128::from(self.offset) + i128::from(self.stride) * i128::from(limit);
        let fits = |place: i128| place >= 0 && place < 1 << (model.pointer_width() - 1).min(63);
        match fits(last) && fits(self.offset.into()) {
            true => stride,
            false => even_part(stride),
        }
    }

    /// Whether an access of the cell's object at one of these distances, inside the object, is where the cell is for
    /// some index up to the limit. Trusted.
    pub fn covers(&self, model: DataModel, whole: u64, limit: u64, access: &[Distance]) -> bool {
        let (Ok(stride), Ok(offset)) = (u64::try_from(self.stride), u64::try_from(self.offset))
        else {
            return false;
        };
        let last = match whole {
            UNKNOWN_SIZE => Ghosts::largest(model) as u64,
            whole => whole.saturating_sub(1),
        };
        let is_aligned = |distance: &Distance| {
            distance.stride.is_multiple_of(stride)
                && (i128::from(distance.offset) - i128::from(self.offset)).rem_euclid(stride.into())
                    == 0
        };
        stride > 0
            && offset < stride
            && (stride.is_power_of_two() || whole != UNKNOWN_SIZE)
            && last.saturating_sub(offset) / stride <= limit
            && access.iter().all(is_aligned)
    }
}

/// The largest power of two that divides a number; 0 for 0.
fn even_part(number: u64) -> u64 {
    number & number.wrapping_neg()
}
