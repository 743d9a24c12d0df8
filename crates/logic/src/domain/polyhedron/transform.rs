//! Images of polyhedra: dimensions come, go and change places; affine maps.

use std::sync::{Arc, OnceLock};

use super::cone::{Cone, Side};
use super::conversion::Addition;
use super::{Generator, Pending, Polyhedron};
use crate::domain::{Constraint, DomainLimits, Kind, LinearForm, TooLarge};
use crate::num::{Int, dot};

impl Polyhedron {
    /// Makes the dimensions arbitrary: all points that agree with one of its points in all the others.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn forget(&self, dimensions: &[usize], limits: &DomainLimits) -> Result<Self, TooLarge> {
        let lines = dimensions.iter().map(|&dimension| {
            Generator::Line(LinearForm::coordinate(self.dimensions, dimension).coefficients)
        });
        let mut result = self.clone();
        result.add_generators(lines, limits)?;
        Ok(result)
    }

    /// Projects the dimensions away: the points that are left when these coordinates of its points are struck out. The other
    /// dimensions keep their order and close ranks.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn project_out(
        &self,
        dimensions: &[usize],
        limits: &DomainLimits,
    ) -> Result<Self, TooLarge> {
        let mut keep = vec![true; self.dimensions + 1];
        for &dimension in dimensions {
            assert!(dimension < self.dimensions, "no such dimension");
            keep[dimension + 1] = false;
        }
        let left = keep.iter().filter(|keep| **keep).count() - 1;
        let forgotten = self.forget(dimensions, limits)?;
        let cone = forgotten.cone(limits)?;
        if cone.is_over_nothing() {
            return Ok(Self::empty(left));
        }
        // Now the unit vectors of these dimensions are lines, no other generator and no constraint has an entry there,
        // and the rest is a minimal description of the projection.
        let strike = |rows: &[Vec<Int>]| -> Vec<Vec<Int>> {
            let kept = |row: &Vec<Int>| -> Vec<Int> {
                let entries = row.iter().zip(&keep).filter(|(_, keep)| **keep);
                entries.map(|(entry, _)| entry.clone()).collect()
            };
            rows.iter().map(kept).collect()
        };
        let strike_side = |side: &Side| Side {
            linear: strike(&side.linear),
            extreme: strike(&side.extreme),
        };
        let mut generators = strike_side(&cone.generators);
        generators
            .linear
            .retain(|line| line.iter().any(|entry| !entry.is_zero()));
        Ok(Self::from_cone(
            left,
            Cone {
                constraints: strike_side(&cone.constraints),
                generators,
                saturation: cone.saturation.clone(),
            },
        ))
    }

    /// Appends dimensions whose coordinates are arbitrary.
    pub fn add_dimensions(&self, count: usize) -> Self {
        let dimensions = self.dimensions + count;
        let pad = |row: &mut Vec<Int>| row.resize(dimensions + 1, Int::ZERO);
        let new_lines = (self.dimensions..dimensions).map(|dimension| {
            let mut line = vec![Int::ZERO; dimensions + 1];
            line[dimension + 1] = Int::ONE;
            line
        });
        let padded = |cone: &Cone| {
            if cone.is_over_nothing() {
                return Cone::over_nothing(dimensions);
            }
            let mut cone = cone.clone();
            let sides = [&mut cone.constraints, &mut cone.generators];
            for side in sides {
                side.linear
                    .iter_mut()
                    .chain(&mut side.extreme)
                    .for_each(pad);
            }
            cone.generators.linear.extend(new_lines.clone());
            cone
        };
        if let Some(cone) = self.resolved.get() {
            return Self::from_cone(dimensions, padded(cone));
        }
        let mut pending = self.pending.clone();
        match &mut pending {
            Pending::Constraints(added) => added.iter_mut().for_each(|added| pad(&mut added.row)),
            Pending::Generators(added) => {
                added.iter_mut().for_each(|added| pad(&mut added.row));
                // The base may be empty and then has no lines.
                added.extend(new_lines.clone().map(|row| Addition {
                    kind: Kind::Eq,
                    row,
                }));
            }
        }
        Polyhedron {
            dimensions,
            base: Arc::new(padded(&self.base)),
            pending,
            resolved: OnceLock::new(),
        }
    }

    /// Reorders the dimensions: coordinate `i` of the result is coordinate `order[i]` of `self`.
    ///
    /// # Panics
    /// If `order` is not a permutation of the dimensions.
    pub fn permuted(&self, order: &[usize], limits: &DomainLimits) -> Result<Self, TooLarge> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        assert!(
            sorted.into_iter().eq(0..self.dimensions),
            "not a permutation"
        );
        let cone = self.cone(limits)?;
        let reorder = |rows: &[Vec<Int>]| -> Vec<Vec<Int>> {
            let reordered = |row: &Vec<Int>| {
                let rest = order.iter().map(|&old| row[old + 1].clone());
                row.first().cloned().into_iter().chain(rest).collect()
            };
            rows.iter().map(reordered).collect()
        };
        let reorder_side = |side: &Side| Side {
            linear: reorder(&side.linear),
            extreme: reorder(&side.extreme),
        };
        let moved = Cone {
            constraints: reorder_side(&cone.constraints),
            generators: reorder_side(&cone.generators),
            saturation: cone.saturation.clone(),
        };
        // Minimal as before, but the canonical form depends on the order of the columns.
        let canonical = moved.with_constraints(&[], limits)?;
        Ok(Self::from_cone(
            self.dimensions,
            canonical.unwrap_or_else(|| Cone::over_nothing(self.dimensions)),
        ))
    }

    /// The image under `x -> (forms[0](x), forms[1](x), ...)`: one dimension per form.
    ///
    /// # Panics
    /// If a form is of another dimension.
    pub fn affine_image(
        &self,
        forms: &[LinearForm],
        limits: &DomainLimits,
    ) -> Result<Self, TooLarge> {
        for form in forms {
            assert_eq!(
                form.coefficients.len(),
                self.dimensions,
                "dimensions differ"
            );
        }
        let images = self.generators(limits)?.into_iter().map(|generator| {
            let linear = |direction: &[Int]| -> Vec<Int> {
                forms
                    .iter()
                    .map(|form| dot(&form.coefficients, direction))
                    .collect()
            };
            match generator {
                Generator::Point {
                    numerators,
                    denominator,
                } => {
                    let mut image = linear(&numerators);
                    for (coordinate, form) in image.iter_mut().zip(forms) {
                        *coordinate += &form.constant * &denominator;
                    }
                    Generator::Point {
                        numerators: image,
                        denominator,
                    }
                }
                Generator::Ray(direction) => Generator::Ray(linear(&direction)),
                Generator::Line(direction) => Generator::Line(linear(&direction)),
            }
        });
        Ok(Self::from_generators(forms.len(), images))
    }

    /// The points `x` with `dimensions` coordinates whose image `(forms[0](x), forms[1](x), ...)` is in this polyhedron.
    ///
    /// # Panics
    /// If there is not one form per dimension of `self`, or a form is not over `dimensions` coordinates.
    pub fn affine_preimage(
        &self,
        dimensions: usize,
        forms: &[LinearForm],
        limits: &DomainLimits,
    ) -> Result<Self, TooLarge> {
        assert_eq!(forms.len(), self.dimensions, "dimensions differ");
        for form in forms {
            assert_eq!(form.coefficients.len(), dimensions, "dimensions differ");
        }
        let pulled_back = self.constraints(limits)?.into_iter().map(|constraint| {
            let mut coefficients = vec![Int::ZERO; dimensions];
            let mut constant = constraint.constant().clone();
            for (factor, form) in constraint.coefficients().iter().zip(forms) {
                if factor.is_zero() {
                    continue;
                }
                constant += factor * &form.constant;
                for (sum, coefficient) in coefficients.iter_mut().zip(&form.coefficients) {
                    *sum += factor * coefficient;
                }
            }
            Constraint::new(constraint.kind(), coefficients, constant)
        });
        Ok(Self::from_constraints(dimensions, pulled_back))
    }
}
