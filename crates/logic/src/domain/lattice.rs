//! Integer affine lattices: a point plus all integer combinations of some vectors.
//!
//! They describe strides: a counter that grows by 4 or by 8 is in `4 + 4Z` after one step. The vectors are kept as a basis in
//! Hermite normal form, so that equal lattices are identical and membership is one pass of exact divisions.

use dashu_base::Signed;

use super::{Constraint, Kind};
use crate::num::{Int, Rat, dot, ext_gcd, floor_div, floor_mod, over_common_denominator, ratio};

/// `coefficients . x = residue (mod modulus)`
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Congruence {
    /// One coefficient per dimension, each at least 0 and less than the modulus.
    pub coefficients: Vec<Int>,
    /// At least 0 and less than the modulus.
    pub residue: Int,
    /// At least 2.
    pub modulus: Int,
}

impl Congruence {
    /// Whether the integer point satisfies it.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn holds_at(&self, point: &[Int]) -> bool {
        assert_eq!(self.coefficients.len(), point.len(), "dimensions differ");
        floor_mod(
            &(dot(&self.coefficients, point) - &self.residue),
            &self.modulus,
        )
        .is_zero()
    }
}

/// A set `b + L` of integer points, where `L` is closed under addition and subtraction; or the empty set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lattice {
    dimensions: usize,
    /// `b`, reduced by the basis; none for the empty set.
    origin: Option<Vec<Int>>,
    /// A basis of `L` in Hermite normal form: the first entry of each row is positive, stands further right than that of
    /// the row above, and the entries above it are non-negative and smaller.
    basis: Vec<Vec<Int>>,
}

impl Lattice {
    /// No point.
    pub fn empty(dimensions: usize) -> Self {
        Lattice {
            dimensions,
            origin: None,
            basis: Vec::new(),
        }
    }

    /// All integer points.
    pub fn universe(dimensions: usize) -> Self {
        let unit = |dimension| {
            let mut row = vec![Int::ZERO; dimensions];
            row[dimension] = Int::ONE;
            row
        };
        Lattice {
            dimensions,
            origin: Some(vec![Int::ZERO; dimensions]),
            basis: (0..dimensions).map(unit).collect(),
        }
    }

    /// How many coordinates its points have.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.origin.is_none()
    }

    /// A point of the lattice, if there is one.
    pub fn origin(&self) -> Option<&[Int]> {
        self.origin.as_deref()
    }

    /// A basis of the differences of points, in Hermite normal form.
    pub fn basis(&self) -> &[Vec<Int>] {
        &self.basis
    }

    /// Whether the point is in it.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn contains(&self, point: &[Int]) -> bool {
        assert_eq!(point.len(), self.dimensions, "dimensions differ");
        let Some(origin) = &self.origin else {
            return false;
        };
        self.spans(difference(point, origin))
    }

    /// Whether the vector is an integer combination of the basis.
    fn spans(&self, mut vector: Vec<Int>) -> bool {
        reduce(&mut vector, &self.basis);
        vector.iter().all(Int::is_zero)
    }

    /// Grows to the smallest lattice that contains the point as well; says whether it had to grow.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn add_point(&mut self, point: &[Int]) -> bool {
        assert_eq!(point.len(), self.dimensions, "dimensions differ");
        match &self.origin {
            None => {
                self.origin = Some(point.to_vec());
                true
            }
            Some(origin) => {
                let vector = difference(point, origin);
                self.add_vector(vector)
            }
        }
    }

    /// Adds a vector to the basis; says whether it was new.
    fn add_vector(&mut self, vector: Vec<Int>) -> bool {
        if self.spans(vector.clone()) {
            return false;
        }
        insert(&mut self.basis, vector);
        if let Some(origin) = &mut self.origin {
            reduce(origin, &self.basis);
        }
        true
    }

    /// Whether every point of `other` is in it.
    ///
    /// # Panics
    /// If the other lattice is of another dimension.
    pub fn includes(&self, other: &Self) -> bool {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        match &other.origin {
            None => true,
            Some(origin) => {
                self.contains(origin) && other.basis.iter().all(|row| self.spans(row.clone()))
            }
        }
    }

    /// The smallest lattice around both.
    ///
    /// # Panics
    /// If the other lattice is of another dimension.
    pub fn join(&self, other: &Self) -> Self {
        assert_eq!(self.dimensions, other.dimensions, "dimensions differ");
        let mut result = self.clone();
        if let Some(origin) = &other.origin {
            result.add_point(origin);
            for row in &other.basis {
                result.add_vector(row.clone());
            }
        }
        result
    }

    /// The congruences and equalities that hold exactly at its points; [`Constraint::never`] for the empty lattice.
    ///
    /// Solving `x - b = sum of t_i * basis_i` column by column expresses each `t_i` by coordinates; a congruence says that it
    /// is an integer, and what then remains in the other columns must be zero.
    pub fn constraints(&self) -> (Vec<Congruence>, Vec<Constraint>) {
        let Some(origin) = &self.origin else {
            return (Vec::new(), vec![Constraint::never(self.dimensions)]);
        };
        // Row k expresses coordinate k of the rest of x - b as rational combination of the coordinates of x - b.
        let unit = |dimension: usize| {
            let mut row = vec![Rat::ZERO; self.dimensions];
            row[dimension] = Rat::ONE;
            row
        };
        let mut rest: Vec<Vec<Rat>> = (0..self.dimensions).map(unit).collect();
        let mut congruences = Vec::new();
        let mut is_pivot = vec![false; self.dimensions];
        for row in &self.basis {
            let Some(pivot) = row.iter().position(|entry| !entry.is_zero()) else {
                continue;
            };
            is_pivot[pivot] = true;
            let scale = ratio(Int::ONE, row[pivot].clone());
            let multiplier: Vec<Rat> = rest[pivot].iter().map(|entry| entry * &scale).collect();
            congruences.extend(integrality(&multiplier, origin));
            for (form, entry) in rest.iter_mut().zip(row) {
                if !entry.is_zero() {
                    let factor = Rat::from(entry.clone());
                    for (sum, part) in form.iter_mut().zip(&multiplier) {
                        *sum -= part * &factor;
                    }
                }
            }
        }
        let left = rest.iter().zip(is_pivot).filter(|(_, pivot)| !*pivot);
        let equalities = left.map(|(form, _)| {
            let (coefficients, _) = over_common_denominator(form);
            let constant = -dot(&coefficients, origin);
            Constraint::new(Kind::Eq, coefficients, constant)
        });
        (congruences, equalities.collect())
    }
}

/// `form . (x - origin)` is an integer, as a congruence in `x`; nothing if that is always so.
fn integrality(form: &[Rat], origin: &[Int]) -> Option<Congruence> {
    let (numerators, modulus) = over_common_denominator(form);
    if modulus.is_one() {
        return None;
    }
    let coefficients: Vec<Int> = numerators
        .iter()
        .map(|entry| floor_mod(entry, &modulus))
        .collect();
    let residue = floor_mod(&dot(&coefficients, origin), &modulus);
    Some(Congruence {
        coefficients,
        residue,
        modulus,
    })
}

fn difference(a: &[Int], b: &[Int]) -> Vec<Int> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Subtracts multiples of the rows so that each pivot column becomes non-negative and smaller than the pivot.
fn reduce(vector: &mut [Int], basis: &[Vec<Int>]) {
    for row in basis {
        let Some(pivot) = row.iter().position(|entry| !entry.is_zero()) else {
            continue;
        };
        let quotient = floor_div(&vector[pivot], &row[pivot]);
        subtract(vector, &quotient, row);
    }
}

fn subtract(vector: &mut [Int], factor: &Int, row: &[Int]) {
    if factor.is_zero() {
        return;
    }
    for (entry, other) in vector.iter_mut().zip(row) {
        *entry -= factor * other;
    }
}

/// Adds a vector to a basis in Hermite normal form.
fn insert(basis: &mut Vec<Vec<Int>>, mut vector: Vec<Int>) {
    let mut position = 0;
    while let Some(leading) = vector.iter().position(|entry| !entry.is_zero()) {
        let pivot_of = |row: &Vec<Int>| row.iter().position(|entry| !entry.is_zero());
        while basis
            .get(position)
            .and_then(pivot_of)
            .is_some_and(|pivot| pivot < leading)
        {
            position += 1;
        }
        if basis.get(position).and_then(pivot_of) != Some(leading) {
            if vector[leading].is_negative() {
                vector.iter_mut().for_each(|entry| *entry = -&*entry);
            }
            basis.insert(position, vector);
            break;
        }
        // The unimodular combination of both rows that has the greatest common divisor as pivot, and one without pivot.
        let row = &mut basis[position];
        let (divisor, s, t) = ext_gcd(&row[leading], &vector[leading]);
        let (u, v) = (&row[leading] / &divisor, &vector[leading] / &divisor);
        for (entry, other) in row.iter_mut().zip(&mut vector) {
            let combined = &s * &*entry + &t * &*other;
            *other = &u * &*other - &v * &*entry;
            *entry = combined;
        }
    }
    for index in 1..basis.len() {
        let (above, below) = basis.split_at_mut(index);
        if let Some(row) = below.first() {
            above
                .iter_mut()
                .for_each(|other| reduce(other, std::slice::from_ref(row)));
        }
    }
}
