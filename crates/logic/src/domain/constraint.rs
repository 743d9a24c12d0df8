//! Linear constraints with integer coefficients, in a normal form that makes equal ones identical.

use std::cmp::Ordering;
use std::fmt;

use dashu_base::{Abs, Signed};

use crate::num::{
    Int, Rat, divide_exact, dot, floor_div, floor_mod, gcd_of, make_primitive,
    over_common_denominator, ratio,
};

/// `a.x + c` with integer `a` and `c`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearForm {
    /// One coefficient per dimension.
    pub coefficients: Vec<Int>,
    /// What it is at the origin.
    pub constant: Int,
}

impl LinearForm {
    /// The form with these coefficients.
    pub fn new(coefficients: Vec<Int>, constant: Int) -> Self {
        LinearForm {
            coefficients,
            constant,
        }
    }

    /// The coordinate `dimension` of a point with `dimensions` of them.
    ///
    /// # Panics
    /// If there is no such coordinate.
    pub fn coordinate(dimensions: usize, dimension: usize) -> Self {
        assert!(dimension < dimensions, "no such dimension");
        let mut coefficients = vec![Int::ZERO; dimensions];
        coefficients[dimension] = Int::ONE;
        LinearForm::new(coefficients, Int::ZERO)
    }

    /// The value at a point.
    ///
    /// # Panics
    /// If the point has another number of coordinates.
    pub fn value(&self, point: &[Rat]) -> Rat {
        assert_eq!(self.coefficients.len(), point.len(), "dimensions differ");
        let (numerators, denominator) = over_common_denominator(point);
        let numerator = dot(&self.coefficients, &numerators) + &self.constant * &denominator;
        ratio(numerator, denominator)
    }
}

/// What a [`Constraint`] says of its linear form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `a.x + c = 0`
    Eq,
    /// `a.x + c >= 0`
    Ge,
}

/// `a.x + c >= 0` or `a.x + c = 0`.
///
/// The greatest common divisor of `a` and `c` together is 1, and the first coefficient of an equality is positive. So two
/// constraints with the same kind and the same rational solutions are identical, unless they have none or all points
/// as solutions (see [`Constraint::is_trivial`]), or describe the same half-space after rounding to integers only
/// (see [`Constraint::tightened`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constraint {
    kind: Kind,
    coefficients: Vec<Int>,
    constant: Int,
}

impl Constraint {
    /// The constraint `coefficients . x + constant (kind) 0`, in normal form.
    pub fn new(kind: Kind, coefficients: Vec<Int>, constant: Int) -> Self {
        let mut row = coefficients;
        row.push(constant);
        make_primitive(&mut row);
        let leading = row.iter().find(|entry| !entry.is_zero());
        if kind == Kind::Eq && leading.is_some_and(Signed::is_negative) {
            row.iter_mut().for_each(|entry| *entry = -&*entry);
        }
        let constant = row.pop().unwrap_or_default();
        Constraint {
            kind,
            coefficients: row,
            constant,
        }
    }

    /// `form >= 0`
    pub fn non_negative(form: LinearForm) -> Self {
        Self::new(Kind::Ge, form.coefficients, form.constant)
    }

    /// `form = 0`
    pub fn zero(form: LinearForm) -> Self {
        Self::new(Kind::Eq, form.coefficients, form.constant)
    }

    /// The constraint that nothing satisfies: `-1 >= 0`.
    pub fn never(dimensions: usize) -> Self {
        Self::new(Kind::Ge, vec![Int::ZERO; dimensions], Int::NEG_ONE)
    }

    /// From a homogeneous row: the constant first.
    pub(crate) fn from_row(kind: Kind, row: &[Int]) -> Self {
        match row.split_first() {
            Some((constant, coefficients)) => {
                Self::new(kind, coefficients.to_vec(), constant.clone())
            }
            None => Self::new(kind, Vec::new(), Int::ZERO),
        }
    }

    /// As a homogeneous row: the constant first.
    pub(crate) fn to_row(&self) -> Vec<Int> {
        std::iter::once(&self.constant)
            .chain(&self.coefficients)
            .cloned()
            .collect()
    }

    /// The coefficients `a`, one per dimension.
    pub fn coefficients(&self) -> &[Int] {
        &self.coefficients
    }

    /// The constant `c`.
    pub fn constant(&self) -> &Int {
        &self.constant
    }

    /// Equality or inequality.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many dimensions the points have that it speaks of.
    pub fn dimensions(&self) -> usize {
        self.coefficients.len()
    }

    /// The form `a.x + c`.
    pub fn form(&self) -> LinearForm {
        LinearForm::new(self.coefficients.clone(), self.constant.clone())
    }

    /// `Some` if no coordinate occurs: then either every point is a solution or none is.
    pub fn is_trivial(&self) -> Option<bool> {
        self.coefficients
            .iter()
            .all(Int::is_zero)
            .then(|| self.allows(&self.constant))
    }

    /// Whether the point is a solution.
    ///
    /// # Panics
    /// If the point has another number of coordinates.
    pub fn holds_at(&self, point: &[Rat]) -> bool {
        assert_eq!(self.dimensions(), point.len(), "dimensions differ");
        let (numerators, denominator) = over_common_denominator(point);
        self.allows(&(dot(&self.coefficients, &numerators) + &self.constant * denominator))
    }

    /// Whether the form may have this value.
    pub(crate) fn allows(&self, value: &Int) -> bool {
        match self.kind {
            Kind::Eq => value.is_zero(),
            Kind::Ge => !value.is_negative(),
        }
    }

    /// The strongest constraint of the same direction with the same *integer* solutions: coefficients divided by their own
    /// greatest common divisor and the constant rounded. An equality without integer solutions becomes
    /// [`Constraint::never`].
    pub fn tightened(&self) -> Constraint {
        let common = gcd_of(&self.coefficients);
        if common.is_zero() || common.is_one() {
            return self.clone();
        }
        if self.kind == Kind::Eq && !floor_mod(&self.constant, &common).is_zero() {
            return Constraint::never(self.dimensions());
        }
        let mut coefficients = self.coefficients.clone();
        divide_exact(&mut coefficients, &common);
        Constraint {
            kind: self.kind,
            coefficients,
            constant: floor_div(&self.constant, &common),
        }
    }

    /// Compares inequalities with parallel boundaries and the same direction: `Less` if `self` admits fewer points. `None`
    /// for all others.
    pub(crate) fn compare_parallel(&self, other: &Constraint) -> Option<Ordering> {
        let (left, right) = (gcd_of(&self.coefficients), gcd_of(&other.coefficients));
        let same_direction = self
            .coefficients
            .iter()
            .zip(&other.coefficients)
            .all(|(a, b)| a * &right == b * &left);
        (same_direction && !left.is_zero() && !right.is_zero())
            .then(|| (&self.constant * right).cmp(&(&other.constant * left)))
    }
}

/// `2 x0 - x1 + 3 >= 0`
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (dimension, coefficient) in self.coefficients.iter().enumerate() {
            if coefficient.is_zero() {
                continue;
            }
            write_sign(f, first, coefficient)?;
            let size = coefficient.abs();
            if !size.is_one() {
                write!(f, "{size} ")?;
            }
            write!(f, "x{dimension}")?;
            first = false;
        }
        if first || !self.constant.is_zero() {
            write_sign(f, first, &self.constant)?;
            write!(f, "{}", (&self.constant).abs())?;
        }
        f.write_str(match self.kind {
            Kind::Eq => " = 0",
            Kind::Ge => " >= 0",
        })
    }
}

fn write_sign(f: &mut fmt::Formatter<'_>, first: bool, value: &Int) -> fmt::Result {
    f.write_str(match (first, value.is_negative()) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => " + ",
        (false, true) => " - ",
    })
}
