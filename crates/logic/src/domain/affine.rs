//! Affine spaces over the rationals: the solutions of linear equations.
//!
//! A space of dimension n is kept as the equations `h.(1, x) = 0` that hold on it, a subspace of Q^(n+1) in reduced echelon
//! form. Adding a point then is one elimination step: of the equations that the point violates, one is given up, and the
//! others are corrected by multiples of it. No space needs more than n + 1 steps to grow from nothing to everything, which
//! is what makes affine hulls of formulas cheap.

use dashu_base::Signed;

use super::echelon::Echelon;
use super::limits::{Budget, DomainLimits};
use super::{Constraint, Kind};
use crate::num::{Int, Rat, dot, make_primitive, over_common_denominator, ratio};

/// An affine space, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineSpace {
    dimensions: usize,
    /// Equations in reduced echelon form, constant first, pivots sought in the coordinates first. For no points: all of them.
    equations: Vec<Vec<Int>>,
}

/// A point and directions: the space is the point plus all combinations of the directions, which are independent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineGenerators {
    /// A point of the space.
    pub point: Vec<Rat>,
    /// A basis of its directions.
    pub directions: Vec<Vec<Int>>,
}

impl AffineSpace {
    /// No point.
    pub fn empty(dimensions: usize) -> Self {
        let columns = columns(dimensions).map(|index| {
            let mut row = vec![Int::ZERO; dimensions + 1];
            row[index] = Int::ONE;
            row
        });
        AffineSpace {
            dimensions,
            equations: columns.collect(),
        }
    }

    /// All points.
    pub fn universe(dimensions: usize) -> Self {
        AffineSpace {
            dimensions,
            equations: Vec::new(),
        }
    }

    /// The points that satisfy the equalities among the constraints; inequalities are ignored.
    ///
    /// # Panics
    /// If a constraint is of another dimension.
    pub fn from_constraints(
        dimensions: usize,
        constraints: impl IntoIterator<Item = Constraint>,
    ) -> Self {
        let mut never = false;
        let mut rows = Vec::new();
        for constraint in constraints {
            assert_eq!(constraint.dimensions(), dimensions, "dimensions differ");
            never |= constraint.is_trivial() == Some(false);
            if constraint.kind() == Kind::Eq {
                rows.push(constraint.to_row());
            }
        }
        if never {
            return Self::empty(dimensions);
        }
        Self::from_rows(dimensions, rows)
    }

    fn from_rows(dimensions: usize, rows: Vec<Vec<Int>>) -> Self {
        let echelon = eliminate(rows, columns(dimensions));
        // An equation with its pivot in the constant says 1 = 0.
        if echelon.pivots.contains(&0) {
            return Self::empty(dimensions);
        }
        AffineSpace {
            dimensions,
            equations: echelon.rows,
        }
    }

    /// How many coordinates its points have.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The dimension of the space itself; `None` if it has no point.
    pub fn affine_dimension(&self) -> Option<usize> {
        self.dimensions.checked_sub(self.equations.len())
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.equations.len() > self.dimensions
    }

    /// The independent equalities that describe it, in reduced echelon form; [`Constraint::never`] if it is empty.
    pub fn constraints(&self) -> Vec<Constraint> {
        if self.is_empty() {
            return vec![Constraint::never(self.dimensions)];
        }
        self.equations
            .iter()
            .map(|row| Constraint::from_row(Kind::Eq, row))
            .collect()
    }

    /// Whether the point is in it.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn contains(&self, point: &[Rat]) -> bool {
        self.contains_row(&self.point_row(point))
    }

    fn contains_row(&self, row: &[Int]) -> bool {
        self.equations
            .iter()
            .all(|equation| dot(equation, row).is_zero())
    }

    fn point_row(&self, point: &[Rat]) -> Vec<Int> {
        assert_eq!(point.len(), self.dimensions, "dimensions differ");
        let (numerators, denominator) = over_common_denominator(point);
        std::iter::once(denominator).chain(numerators).collect()
    }

    /// Grows to the smallest space that contains the point as well; says whether it had to grow.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn add_point(&mut self, point: &[Rat]) -> bool {
        self.add_row(&self.point_row(point))
    }

    /// [`Self::add_point`] for integer coordinates.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn add_integer_point(&mut self, point: &[Int]) -> bool {
        assert_eq!(point.len(), self.dimensions, "dimensions differ");
        let row: Vec<Int> = std::iter::once(Int::ONE)
            .chain(point.iter().cloned())
            .collect();
        self.add_row(&row)
    }

    /// Adds a point or direction in homogeneous coordinates.
    fn add_row(&mut self, added: &[Int]) -> bool {
        // Giving up the last violated equation keeps the echelon form: it has no entry in the pivot column of another one, and
        // only those above it, whose pivots come first, are corrected.
        let violated = |row: &Vec<Int>| !dot(row, added).is_zero();
        let Some(last) = self.equations.iter().rposition(violated) else {
            return false;
        };
        let given_up = self.equations.remove(last);
        let excess = dot(&given_up, added);
        for row in &mut self.equations {
            let own = dot(row, added);
            if own.is_zero() {
                continue;
            }
            let (factor, counter) = if excess.is_negative() {
                (-&excess, -own)
            } else {
                (excess.clone(), own)
            };
            let terms = row.iter().zip(&given_up);
            *row = terms.map(|(x, y)| &factor * x - &counter * y).collect();
            make_primitive(row);
        }
        true
    }

    /// Whether every point of `other` is in it.
    ///
    /// # Panics
    /// If the other space is of another dimension.
    pub fn includes(&self, other: &Self) -> bool {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        other
            .homogeneous_basis()
            .iter()
            .all(|row| self.contains_row(row))
    }

    /// The smallest space around both.
    ///
    /// # Panics
    /// If the other space is of another dimension.
    pub fn join(&self, other: &Self) -> Self {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        let mut result = self.clone();
        for row in other.homogeneous_basis() {
            result.add_row(&row);
        }
        result
    }

    /// The points in both.
    ///
    /// # Panics
    /// If the other space is of another dimension.
    pub fn meet(&self, other: &Self) -> Self {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        let rows = self.equations.iter().chain(&other.equations);
        Self::from_rows(self.dimensions, rows.cloned().collect())
    }

    /// Strikes out coordinates; the others keep their order and close ranks.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn project_out(&self, dimensions: &[usize]) -> Self {
        let mut gone = vec![false; self.dimensions + 1];
        for &dimension in dimensions {
            assert!(dimension < self.dimensions, "no such dimension");
            gone[dimension + 1] = true;
        }
        let left = gone.iter().filter(|gone| !**gone).count() - 1;
        if self.is_empty() {
            return Self::empty(left);
        }
        // Pivots in the lost columns first: the rows without such a pivot have no entry there.
        let (lost, kept): (Vec<usize>, Vec<usize>) =
            columns(self.dimensions).partition(|&column| gone[column]);
        let echelon = eliminate(self.equations.clone(), lost.into_iter().chain(kept));
        let rows = echelon.rows.iter().zip(&echelon.pivots);
        let rows = rows.filter(|(_, pivot)| !gone[**pivot]).map(|(row, _)| {
            let entries = row.iter().zip(&gone).filter(|(_, gone)| !**gone);
            entries.map(|(entry, _)| entry.clone()).collect()
        });
        Self::from_rows(left, rows.collect())
    }

    /// A point and a basis of the directions; `None` if it is empty.
    pub fn generators(&self) -> Option<AffineGenerators> {
        let mut basis = self.homogeneous_basis();
        let position = basis.iter().position(|row| !row[0].is_zero())?;
        let point = basis.remove(position);
        let coordinate = |entry: &Int| ratio(entry.clone(), point[0].clone());
        Some(AffineGenerators {
            point: point[1..].iter().map(coordinate).collect(),
            directions: basis.into_iter().map(|row| row[1..].to_vec()).collect(),
        })
    }

    /// A basis of the solutions in homogeneous coordinates: one row per column without pivot, of which exactly one (the
    /// column of the constant, unless the space is empty) is a point.
    fn homogeneous_basis(&self) -> Vec<Vec<Int>> {
        let pivots: Vec<usize> = self
            .equations
            .iter()
            .filter_map(|row| columns(self.dimensions).find(|&column| !row[column].is_zero()))
            .collect();
        let free = columns(self.dimensions).filter(|column| !pivots.contains(column));
        free.map(|column| {
            // Set this free column to the common denominator of what the pivots then have to be, and the others to zero.
            let mut entries = vec![Rat::ZERO; self.dimensions + 1];
            entries[column] = Rat::ONE;
            for (row, &pivot) in self.equations.iter().zip(&pivots) {
                entries[pivot] = ratio(-&row[column], row[pivot].clone());
            }
            over_common_denominator(&entries).0
        })
        .collect()
    }
}

/// The columns in the order in which pivots are sought: coordinates, then the constant.
fn columns(dimensions: usize) -> impl Iterator<Item = usize> + Clone {
    (1..=dimensions).chain([0])
}

/// Gaussian elimination has polynomial cost and so needs no limits.
fn eliminate(rows: Vec<Vec<Int>>, columns: impl Iterator<Item = usize> + Clone) -> Echelon<Int> {
    let mut budget = Budget::new(&DomainLimits::NONE);
    Echelon::new(rows, columns, &mut budget).unwrap_or(Echelon {
        rows: Vec::new(),
        pivots: Vec::new(),
    })
}
