//! Folds: sums of elements of large objects.
//!
//! Right for programs in which several loops add up the same elements: however long the array is and whatever is in it,
//! both get the same.
//!
//! A *fold* belongs to a load, its site. It is three variables: a place `first`, a place `next`, and the sum of the
//! elements at `first`, `first + stride`, and so on, up to the last one before `next`, as they are now. At the
//! site the element that is read is added if it is the one at `next`; if not, the fold begins anew with it. A write to
//! the object leaves no element in the fold, which is always true. The sum is of mathematical integers: no object has
//! so many elements that it would not fit its type.
//!
//! So two folds of one object from the same place to the same place have the same sum. Nothing else is said of sums, and
//! it is said where it is decided whether a target counts.

use super::homes::Home;
use super::pointees::HomeId;
use crate::ids::{EdgeId, VarId};
use crate::types::{IntType, Type};

/// A fold to be followed, in terms of the program after inlining.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FoldPlan {
    /// The object.
    pub home: Home,
    /// The load whose elements are added up.
    pub site: EdgeId,
    /// The distance from one element to the next, which may be negative.
    pub stride: i64,
    /// The type of elements.
    pub ty: Type,
}

/// A fold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GhostFold {
    /// The object.
    pub home: HomeId,
    /// The load whose elements are added up.
    pub site: EdgeId,
    /// The distance from one element to the next.
    pub stride: i64,
    /// The type of elements.
    pub ty: Type,
    /// Where the first element is.
    pub first: VarId,
    /// Where the element behind the last one is.
    pub next: VarId,
    /// The sum.
    pub sum: VarId,
}

impl GhostFold {
    /// The type of sums.
    pub const SUM: IntType = IntType {
        width: 120,
        signed: true,
    };

    /// No sum is larger, and none is smaller than its negative: there are at most 2^48 places, and no element has more
    /// than 64 bits.
    pub const LARGEST: i128 = 1 << 113;

    /// The variables of places, and of the sum.
    pub fn vars(&self) -> [VarId; 3] {
        [self.first, self.next, self.sum]
    }

    /// Whether another fold adds up elements of the same kind: in the same order, or, if the answer is `false`, in the
    /// opposite one.
    pub fn is_alike(&self, other: &GhostFold) -> Option<bool> {
        let is_same = (self.home, self.ty) == (other.home, other.ty);
        let order = match other.stride {
            stride if stride == self.stride => Some(true),
            stride if stride.checked_neg() == Some(self.stride) => Some(false),
            _ => None,
        };
        order.filter(|_| is_same)
    }
}
