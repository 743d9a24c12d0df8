//! Coarser unions: widening, which ends every ascending chain, and the weak join.

use super::bits::BitMatrix;
use super::cone::Cone;
use super::conversion::Addition;
use super::queries::is_valid;
use super::{Pending, Polyhedron, additions};
use crate::domain::{Constraint, DomainLimits, Kind, TooLarge};
use crate::num::{Int, dot};

impl Polyhedron {
    /// A polyhedron around both that costs no conversion: the constraints of each that hold for the other. A replacement for
    /// [`Self::join`] where that is too large.
    ///
    /// # Panics
    /// If the other polyhedron is of another dimension.
    pub fn weak_join(&self, other: &Self, limits: &DomainLimits) -> Result<Self, TooLarge> {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        let (ours, theirs) = (self.cone(limits)?, other.cone(limits)?);
        // An empty polyhedron has all constraints, which its own few don't show.
        if ours.is_over_nothing() {
            return Ok(other.clone());
        }
        if theirs.is_over_nothing() {
            return Ok(self.clone());
        }
        let shared = |from: &Cone, with: &Cone| -> Vec<Addition> {
            // An equality that does not hold may still bound on one side.
            let halves = from.constraints.linear.iter().flat_map(|row| {
                let negated = row.iter().map(|entry| -entry).collect();
                [row.clone(), negated]
            });
            halves
                .chain(from.constraints.extreme.iter().cloned())
                .map(|row| Addition {
                    kind: Kind::Ge,
                    row,
                })
                .filter(|constraint| is_valid(constraint, with))
                .collect()
        };
        let mut kept = shared(ours, theirs);
        kept.extend(shared(theirs, ours));
        Ok(Polyhedron {
            pending: Pending::Constraints(kept),
            ..Self::universe(self.dimensions)
        })
    }

    /// The standard widening of `self` (the last iterate) by `next`: a polyhedron that contains both, such that iterating
    /// `x := x.widen(f(x))` becomes stable for every `f`.
    ///
    /// It keeps the constraints of `self` that still hold, and those of `next` that could replace one in `self` without
    /// changing it. While the affine hull grows, which it can't do for ever, nothing is given up: the result is the join.
    ///
    /// N. Halbwachs' thesis, 1979; R. Bagnara et al.: Precise widening operators for convex polyhedra, SAS 2003.
    ///
    /// # Panics
    /// If the other polyhedron is of another dimension.
    pub fn widen(&self, next: &Self, limits: &DomainLimits) -> Result<Self, TooLarge> {
        let joined = self.join(next, limits)?;
        let (old, new) = (self.cone(limits)?, joined.cone(limits)?);
        if old.constraints.linear.len() > new.constraints.linear.len() {
            // Covers the empty polyhedron too, which has more equalities than any other.
            return Ok(joined);
        }
        let mut kept: Vec<Addition> = additions(&old.constraints.linear, &old.constraints.extreme)
            .filter(|constraint| is_valid(constraint, new))
            .collect();
        let old_faces = faces(old, old);
        let new_faces = faces(new, old);
        for (face, row) in new_faces.rows().zip(&new.constraints.extreme) {
            if old_faces.rows().any(|old_face| old_face == face) {
                kept.push(Addition {
                    kind: Kind::Ge,
                    row: row.clone(),
                });
            }
        }
        Ok(Polyhedron {
            pending: Pending::Constraints(kept),
            ..Self::universe(self.dimensions)
        })
    }

    /// [`Self::widen`], but not beyond those of the thresholds that hold for both operands. With a fixed set of thresholds,
    /// iteration still becomes stable.
    ///
    /// # Panics
    /// If an operand is of another dimension.
    pub fn widen_up_to(
        &self,
        next: &Self,
        thresholds: &[Constraint],
        limits: &DomainLimits,
    ) -> Result<Self, TooLarge> {
        let mut widened = self.widen(next, limits)?;
        let mut respected = Vec::new();
        for threshold in thresholds {
            if self.entails(threshold, limits)? && next.entails(threshold, limits)? {
                respected.push(threshold.clone());
            }
        }
        widened.add_constraints(respected, limits)?;
        Ok(widened)
    }
}

/// For each inequality of the first cone, which rays of the second lie on its boundary.
fn faces(constraints: &Cone, generators: &Cone) -> BitMatrix {
    let rays = &generators.generators.extreme;
    let mut faces = BitMatrix::new(rays.len());
    for (index, row) in constraints.constraints.extreme.iter().enumerate() {
        faces.push(&[]);
        for (ray_index, ray) in rays.iter().enumerate() {
            if saturates(row, ray) {
                faces.set(index, ray_index);
            }
        }
    }
    faces
}

fn saturates(constraint: &[Int], ray: &[Int]) -> bool {
    dot(constraint, ray).is_zero()
}
