//! Questions about a polyhedron.

use std::cmp::Ordering;

use dashu_base::Signed;

use super::cone::Cone;
use super::conversion::Addition;
use super::{Pending, Polyhedron};
use crate::domain::affine::AffineSpace;
use crate::domain::interval::Interval;
use crate::domain::scalar::Scalar;
use crate::domain::{Constraint, DomainLimits, Kind, LinearForm, TooLarge};
use crate::num::{self, Int, Rat, dot, over_common_denominator, ratio};

/// The values that a linear form takes on a polyhedron that is not empty. Both ends are attained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least value, unless there are arbitrarily small ones.
    pub minimum: Option<Rat>,
    /// The greatest value, unless there are arbitrarily large ones.
    pub maximum: Option<Rat>,
}

impl Polyhedron {
    /// Whether there is no point.
    pub fn is_empty(&self, limits: &DomainLimits) -> Result<bool, TooLarge> {
        if self.resolved.get().is_none() && matches!(self.pending, Pending::Generators(_)) {
            // Generators wait only together with a point.
            return Ok(false);
        }
        Ok(self.cone(limits)?.is_over_nothing())
    }

    /// Whether every point is in it.
    pub fn is_universe(&self, limits: &DomainLimits) -> Result<bool, TooLarge> {
        Ok(
            self.cone(limits)?.generators.linear.len() == self.dimensions
                && !self.is_empty(limits)?,
        )
    }

    /// The dimension of the affine hull; `None` for the empty polyhedron.
    pub fn affine_dimension(&self, limits: &DomainLimits) -> Result<Option<usize>, TooLarge> {
        let cone = self.cone(limits)?;
        Ok((!cone.is_over_nothing()).then(|| self.dimensions - cone.constraints.linear.len()))
    }

    /// The smallest affine space around it.
    pub fn affine_hull(&self, limits: &DomainLimits) -> Result<AffineSpace, TooLarge> {
        let cone = self.cone(limits)?;
        if cone.is_over_nothing() {
            return Ok(AffineSpace::empty(self.dimensions));
        }
        let equalities = cone.constraints.linear.iter();
        Ok(AffineSpace::from_constraints(
            self.dimensions,
            equalities.map(|row| Constraint::from_row(Kind::Eq, row)),
        ))
    }

    /// For each dimension the integers that occur there, at least: the smallest interval around the polyhedron, rounded
    /// inwards.
    pub fn integer_bounds(&self, limits: &DomainLimits) -> Result<Vec<Interval>, TooLarge> {
        (0..self.dimensions)
            .map(|dimension| {
                let form = LinearForm::coordinate(self.dimensions, dimension);
                Ok(match self.range(&form, limits)? {
                    None => Interval::EMPTY,
                    Some(range) => Interval::new(
                        range.minimum.as_ref().map(num::ceil),
                        range.maximum.as_ref().map(num::floor),
                    ),
                })
            })
            .collect()
    }

    /// Whether the point is in it.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn contains(&self, point: &[Rat], limits: &DomainLimits) -> Result<bool, TooLarge> {
        assert_eq!(point.len(), self.dimensions, "dimensions differ");
        let (numerators, denominator) = over_common_denominator(point);
        let row: Vec<Int> = std::iter::once(denominator).chain(numerators).collect();
        if let (None, Pending::Constraints(waiting)) = (self.resolved.get(), &self.pending) {
            // No need to convert: the constraints are there.
            return Ok(satisfies(&self.base, Kind::Ge, &row)
                && waiting
                    .iter()
                    .all(|constraint| holds(constraint, Kind::Ge, &row)));
        }
        Ok(satisfies(self.cone(limits)?, Kind::Ge, &row))
    }

    /// Whether every point of `other` is in it.
    ///
    /// # Panics
    /// If the other polyhedron is of another dimension.
    pub fn includes(&self, other: &Self, limits: &DomainLimits) -> Result<bool, TooLarge> {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        let theirs = other.cone(limits)?;
        if let (None, Pending::Constraints(waiting)) = (self.resolved.get(), &self.pending) {
            return Ok(covers(&self.base, theirs)
                && waiting
                    .iter()
                    .all(|constraint| is_valid(constraint, theirs)));
        }
        Ok(covers(self.cone(limits)?, theirs))
    }

    /// Whether both have the same points.
    ///
    /// # Panics
    /// If the other polyhedron is of another dimension.
    pub fn equals(&self, other: &Self, limits: &DomainLimits) -> Result<bool, TooLarge> {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        Ok(self.cone(limits)?.constraints == other.cone(limits)?.constraints)
    }

    /// Whether the constraint holds at every point.
    ///
    /// # Panics
    /// If the constraint is of another dimension.
    pub fn entails(
        &self,
        constraint: &Constraint,
        limits: &DomainLimits,
    ) -> Result<bool, TooLarge> {
        assert_eq!(
            constraint.dimensions(),
            self.dimensions,
            "dimensions differ"
        );
        let addition = Addition {
            kind: constraint.kind(),
            row: constraint.to_row(),
        };
        Ok(is_valid(&addition, self.cone(limits)?))
    }

    /// Between which values the form lies; `None` if there is no point.
    ///
    /// # Panics
    /// If the form is of another dimension.
    pub fn range(
        &self,
        form: &LinearForm,
        limits: &DomainLimits,
    ) -> Result<Option<Range>, TooLarge> {
        assert_eq!(
            form.coefficients.len(),
            self.dimensions,
            "dimensions differ"
        );
        let cone = self.cone(limits)?;
        if cone.is_over_nothing() {
            return Ok(None);
        }
        let value = |row: &[Int]| match row.split_first() {
            Some((first, rest)) => dot(&form.coefficients, rest) + first * &form.constant,
            None => Int::ZERO,
        };
        let lines = &cone.generators.linear;
        let bounded = lines.iter().all(|line| value(line).is_zero());
        let mut range = Range {
            minimum: None,
            maximum: None,
        };
        let (mut falls, mut grows) = (!bounded, !bounded);
        for row in &cone.generators.extreme {
            let numerator = value(row);
            match row.first() {
                Some(denominator) if !denominator.is_zero() => {
                    let attained = ratio(numerator, denominator.clone());
                    if range.minimum.as_ref().is_none_or(|least| attained < *least) {
                        range.minimum = Some(attained.clone());
                    }
                    if range.maximum.as_ref().is_none_or(|most| attained > *most) {
                        range.maximum = Some(attained);
                    }
                }
                _ => match Scalar::sign(&numerator) {
                    Ordering::Less => falls = true,
                    Ordering::Equal => {}
                    Ordering::Greater => grows = true,
                },
            }
        }
        if falls {
            range.minimum = None;
        }
        if grows {
            range.maximum = None;
        }
        Ok(Some(range))
    }
}

/// Whether the generator, a ray or a line, satisfies all constraints of the cone.
fn satisfies(cone: &Cone, kind: Kind, generator: &[Int]) -> bool {
    cone.constraints
        .linear
        .iter()
        .all(|row| dot(row, generator).is_zero())
        && cone.constraints.extreme.iter().all(|row| {
            let value = dot(row, generator);
            value.is_zero() || kind == Kind::Ge && !value.is_negative()
        })
}

/// Whether the generator, a ray or a line, satisfies the constraint.
fn holds(constraint: &Addition, kind: Kind, generator: &[Int]) -> bool {
    let value = dot(&constraint.row, generator);
    value.is_zero() || (constraint.kind, kind) == (Kind::Ge, Kind::Ge) && !value.is_negative()
}

/// Whether the constraint holds everywhere in the cone.
pub(super) fn is_valid(constraint: &Addition, cone: &Cone) -> bool {
    let all_hold = |kind, rows: &[Vec<Int>]| rows.iter().all(|row| holds(constraint, kind, row));
    all_hold(Kind::Eq, &cone.generators.linear) && all_hold(Kind::Ge, &cone.generators.extreme)
}

/// Whether the first cone contains the second.
fn covers(outer: &Cone, inner: &Cone) -> bool {
    let all_in = |kind, rows: &[Vec<Int>]| rows.iter().all(|row| satisfies(outer, kind, row));
    all_in(Kind::Eq, &inner.generators.linear) && all_in(Kind::Ge, &inner.generators.extreme)
}
