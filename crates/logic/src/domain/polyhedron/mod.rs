//! Closed convex polyhedra over the rationals, by constraints and by generators.
//!
//! Each description is computed from the other when it is first needed, and both are kept minimal and canonical from then
//! on: equal polyhedra have identical constraints. Adding to a polyhedron continues from there, so that a hull grows point
//! by point at the price of what changes.
//!
//! ```
//! use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
//! use rhumb_logic::domain::DomainLimits;
//! use rhumb_logic::num::Int;
//!
//! let limits = DomainLimits::default();
//! let corners = [[0, 0], [2, 0], [0, 2], [1, 1]];
//! let points = corners.map(|corner| Generator::integer_point(corner.map(Int::from).to_vec()));
//! let triangle = Polyhedron::from_generators(2, points);
//! let text: Vec<String> = triangle.constraints(&limits)?.iter().map(|c| c.to_string()).collect();
//! assert_eq!(text, ["-x0 - x1 + 2 >= 0", "x1 >= 0", "x0 >= 0"]);
//! assert_eq!(triangle.generators(&limits)?.len(), 3);
//! # Ok::<(), rhumb_logic::domain::TooLarge>(())
//! ```

mod bits;
mod cone;
mod conversion;
mod generator;
mod integers;
mod queries;
mod transform;
mod widening;

use std::sync::{Arc, OnceLock};

pub use self::generator::Generator;
pub use self::queries::Range;

use self::cone::Cone;
use self::conversion::Addition;
use super::{Constraint, DomainLimits, Kind, TooLarge};
use crate::num::Int;

/// A closed convex polyhedron.
///
/// An operation that gives up with [`TooLarge`] leaves its operands as they are.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    dimensions: usize,
    base: Arc<Cone>,
    pending: Pending,
    /// `base` and `pending` taken together, once somebody has asked.
    resolved: OnceLock<Arc<Cone>>,
}

/// What has been added and not yet been looked at.
#[derive(Clone, Debug)]
enum Pending {
    Constraints(Vec<Addition>),
    Generators(Vec<Addition>),
}

impl Polyhedron {
    /// All points of that dimension.
    pub fn universe(dimensions: usize) -> Self {
        Self::from_cone(dimensions, Cone::over_everything(dimensions))
    }

    /// No point.
    pub fn empty(dimensions: usize) -> Self {
        Self::from_cone(dimensions, Cone::over_nothing(dimensions))
    }

    /// The points that satisfy all the constraints.
    ///
    /// # Panics
    /// If a constraint is of another dimension.
    pub fn from_constraints(
        dimensions: usize,
        constraints: impl IntoIterator<Item = Constraint>,
    ) -> Self {
        Polyhedron {
            dimensions,
            base: Arc::new(Cone::over_everything(dimensions)),
            pending: Pending::Constraints(to_additions(dimensions, constraints)),
            resolved: OnceLock::new(),
        }
    }

    /// The smallest polyhedron that contains the generators: empty if there is no point among them.
    ///
    /// # Panics
    /// If a generator is of another dimension.
    pub fn from_generators(
        dimensions: usize,
        generators: impl IntoIterator<Item = Generator>,
    ) -> Self {
        let mut additions = Vec::new();
        let mut has_point = false;
        for generator in generators {
            assert_eq!(generator.dimensions(), dimensions, "dimensions differ");
            has_point |= generator.is_point();
            additions.push(generator.to_addition());
        }
        if !has_point {
            return Self::empty(dimensions);
        }
        Polyhedron {
            dimensions,
            base: Arc::new(Cone::over_nothing(dimensions)),
            pending: Pending::Generators(additions),
            resolved: OnceLock::new(),
        }
    }

    fn from_cone(dimensions: usize, cone: Cone) -> Self {
        Polyhedron {
            dimensions,
            base: Arc::new(cone),
            pending: Pending::Constraints(Vec::new()),
            resolved: OnceLock::new(),
        }
    }

    /// How many coordinates its points have.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Keeps only the points that satisfy the constraints. That is cheap until somebody asks for the result.
    ///
    /// # Panics
    /// If a constraint is of another dimension.
    pub fn add_constraints(
        &mut self,
        constraints: impl IntoIterator<Item = Constraint>,
        limits: &DomainLimits,
    ) -> Result<(), TooLarge> {
        let added = to_additions(self.dimensions, constraints);
        let is_resolved = self.resolved.get().is_some();
        if let (false, Pending::Constraints(waiting)) = (is_resolved, &mut self.pending) {
            waiting.extend(added);
            return Ok(());
        }
        self.base = Arc::clone(self.cone(limits)?);
        self.resolved = OnceLock::new();
        self.pending = Pending::Constraints(added);
        Ok(())
    }

    /// Keeps only the points that satisfy the constraint.
    ///
    /// # Panics
    /// If the constraint is of another dimension.
    pub fn add_constraint(
        &mut self,
        constraint: Constraint,
        limits: &DomainLimits,
    ) -> Result<(), TooLarge> {
        self.add_constraints([constraint], limits)
    }

    /// The smallest polyhedron that contains this one and the generators. To the empty polyhedron, rays and lines without
    /// a point add nothing.
    ///
    /// # Panics
    /// If a generator is of another dimension.
    pub fn add_generators(
        &mut self,
        generators: impl IntoIterator<Item = Generator>,
        limits: &DomainLimits,
    ) -> Result<(), TooLarge> {
        let mut added = Vec::new();
        let mut has_point = false;
        for generator in generators {
            assert_eq!(generator.dimensions(), self.dimensions, "dimensions differ");
            has_point |= generator.is_point();
            added.push(generator.to_addition());
        }
        self.add_rows(added, has_point, limits)
    }

    /// [`Self::add_generators`] with one.
    ///
    /// # Panics
    /// If the generator is of another dimension.
    pub fn add_generator(
        &mut self,
        generator: Generator,
        limits: &DomainLimits,
    ) -> Result<(), TooLarge> {
        self.add_generators([generator], limits)
    }

    fn add_rows(
        &mut self,
        added: Vec<Addition>,
        has_point: bool,
        limits: &DomainLimits,
    ) -> Result<(), TooLarge> {
        let is_resolved = self.resolved.get().is_some();
        if let (false, Pending::Generators(waiting)) = (is_resolved, &mut self.pending) {
            // What waits is never without a point: see the next case.
            waiting.extend(added);
            return Ok(());
        }
        let cone = Arc::clone(self.cone(limits)?);
        if cone.is_over_nothing() && !has_point {
            return Ok(());
        }
        self.base = cone;
        self.resolved = OnceLock::new();
        self.pending = Pending::Generators(added);
        Ok(())
    }

    /// The intersection.
    ///
    /// # Panics
    /// If the other polyhedron is of another dimension.
    pub fn meet(&self, other: &Self, limits: &DomainLimits) -> Result<Self, TooLarge> {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        // Neither has to be converted if both are known by constraints.
        let mut result = self.clone();
        match (&other.pending, other.resolved.get()) {
            (Pending::Constraints(waiting), None) => {
                let known = constraint_additions(&other.base);
                result.append_constraints(known.chain(waiting.iter().cloned()), limits)?;
            }
            _ => result.append_constraints(constraint_additions(other.cone(limits)?), limits)?,
        }
        Ok(result)
    }

    fn append_constraints(
        &mut self,
        additions: impl Iterator<Item = Addition>,
        limits: &DomainLimits,
    ) -> Result<(), TooLarge> {
        self.add_constraints(std::iter::empty(), limits)?;
        if let Pending::Constraints(waiting) = &mut self.pending {
            waiting.extend(additions);
        }
        Ok(())
    }

    /// The convex hull of the union.
    ///
    /// # Panics
    /// If the other polyhedron is of another dimension.
    pub fn join(&self, other: &Self, limits: &DomainLimits) -> Result<Self, TooLarge> {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        let (ours, theirs) = (self.cone(limits)?, other.cone(limits)?);
        if theirs.is_over_nothing() {
            return Ok(self.clone());
        }
        if ours.is_over_nothing() {
            return Ok(other.clone());
        }
        // Start from the larger one: what is already converted need not be done again.
        let larger = ours.constraints.extreme.len() >= theirs.constraints.extreme.len();
        let (base, added) = if larger {
            (ours, theirs)
        } else {
            (theirs, ours)
        };
        Ok(Polyhedron {
            dimensions: self.dimensions,
            base: Arc::clone(base),
            pending: Pending::Generators(generator_additions(added).collect()),
            resolved: OnceLock::new(),
        })
    }

    /// The minimal constraints in canonical order, equalities first: the same for equal polyhedra. For the empty one,
    /// [`Constraint::never`] alone.
    ///
    /// The equalities are in reduced echelon form, and the inequalities don't mention the leading dimension of any.
    pub fn constraints(&self, limits: &DomainLimits) -> Result<Vec<Constraint>, TooLarge> {
        let cone = self.cone(limits)?;
        if cone.is_over_nothing() {
            return Ok(vec![Constraint::never(self.dimensions)]);
        }
        let side = &cone.constraints;
        let equalities = side.linear.iter().map(|row| (Kind::Eq, row));
        let inequalities = side.extreme.iter().map(|row| (Kind::Ge, row));
        Ok(equalities
            .chain(inequalities)
            .map(|(kind, row)| Constraint::from_row(kind, row))
            // The cone has the constraint that the homogenising coordinate is not negative.
            .filter(|constraint| constraint.is_trivial().is_none())
            .collect())
    }

    /// The minimal generators in canonical order: lines, then rays and points. None for the empty polyhedron.
    ///
    /// Without lines, the points are the vertices. With lines there are no vertices, and each point stands for a minimal
    /// face.
    pub fn generators(&self, limits: &DomainLimits) -> Result<Vec<Generator>, TooLarge> {
        let side = &self.cone(limits)?.generators;
        let lines = side.linear.iter().map(|row| (Kind::Eq, row));
        let rays = side.extreme.iter().map(|row| (Kind::Ge, row));
        Ok(lines
            .chain(rays)
            .map(|(kind, row)| Generator::from_row(kind, row))
            .collect())
    }

    /// The cone over the polyhedron, with both descriptions.
    fn cone(&self, limits: &DomainLimits) -> Result<&Arc<Cone>, TooLarge> {
        if let Some(cone) = self.resolved.get() {
            return Ok(cone);
        }
        let cone = match &self.pending {
            Pending::Constraints(added) | Pending::Generators(added) if added.is_empty() => {
                Arc::clone(&self.base)
            }
            Pending::Constraints(added) => {
                let cut = self.base.with_constraints(added, limits)?;
                Arc::new(cut.unwrap_or_else(|| Cone::over_nothing(self.dimensions)))
            }
            Pending::Generators(added) => Arc::new(self.base.with_generators(added, limits)?),
        };
        Ok(self.resolved.get_or_init(|| cone))
    }
}

fn to_additions(
    dimensions: usize,
    constraints: impl IntoIterator<Item = Constraint>,
) -> Vec<Addition> {
    constraints
        .into_iter()
        .map(|constraint| {
            assert_eq!(constraint.dimensions(), dimensions, "dimensions differ");
            Addition {
                kind: constraint.kind(),
                row: constraint.to_row(),
            }
        })
        .collect()
}

fn constraint_additions(cone: &Cone) -> impl Iterator<Item = Addition> {
    additions(&cone.constraints.linear, &cone.constraints.extreme)
}

fn generator_additions(cone: &Cone) -> impl Iterator<Item = Addition> {
    additions(&cone.generators.linear, &cone.generators.extreme)
}

fn additions(linear: &[Vec<Int>], extreme: &[Vec<Int>]) -> impl Iterator<Item = Addition> {
    let of_kind = |kind| {
        move |row: &Vec<Int>| Addition {
            kind,
            row: row.clone(),
        }
    };
    let linear = linear.iter().map(of_kind(Kind::Eq));
    linear.chain(extreme.iter().map(of_kind(Kind::Ge)))
}
