//! Sparse linear combinations over the dimensions of a system.

use crate::num::{Int, gcd_of};

/// A dimension of a system, by its place there.
pub(super) type Dim = u32;

/// A combination of dimensions with integer coefficients, and a constant. Sorted by dimension, no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Row {
    /// Dimensions and coefficients.
    pub(super) parts: Vec<(Dim, Int)>,
    /// The constant.
    pub(super) constant: Int,
}

impl Row {
    /// A constant.
    pub(super) fn constant(value: Int) -> Row {
        Row {
            parts: Vec::new(),
            constant: value,
        }
    }

    /// A dimension alone.
    pub(super) fn single(dim: Dim) -> Row {
        Row {
            parts: vec![(dim, Int::ONE)],
            constant: Int::ZERO,
        }
    }

    /// The coefficient of a dimension, if it is not zero.
    pub(super) fn coefficient(&self, dim: Dim) -> Option<&Int> {
        let place = self.parts.binary_search_by_key(&dim, |part| part.0).ok()?;
        Some(&self.parts[place].1)
    }

    /// `a * self + b * other`.
    pub(super) fn combine(&self, a: &Int, other: &Row, b: &Int) -> Row {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let (dim, coefficient) = match (left.peek(), right.peek()) {
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let sum = (x.0, a * &x.1 + b * &y.1);
                    left.next();
                    right.next();
                    sum
                }
                (Some(&x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    left.next();
                    (x.0, a * &x.1)
                }
                (_, Some(&y)) => {
                    right.next();
                    (y.0, b * &y.1)
                }
                (_, None) => break,
            };
            if !coefficient.is_zero() {
                parts.push((dim, coefficient));
            }
        }
        Row {
            parts,
            constant: a * &self.constant + b * &other.constant,
        }
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, factor: &Int, other: &Row) -> Row {
        self.combine(&Int::ONE, other, factor)
    }

    /// `factor * self`.
    pub(super) fn times(&self, factor: &Int) -> Row {
        self.combine(factor, &Row::default(), &Int::ZERO)
    }

    /// The row with another constant: `self + by`.
    pub(super) fn shifted(mut self, by: &Int) -> Row {
        self.constant += by;
        self
    }

    /// The row without a dimension.
    pub(super) fn without(&self, dim: Dim) -> Row {
        let mut rest = self.clone();
        rest.parts.retain(|part| part.0 != dim);
        rest
    }

    /// Coefficients divided by a common divisor, the constant through a function of its own.
    pub(super) fn divided(&mut self, by: &Int, constant: impl Fn(&Int) -> Int) {
        if !by.is_one() {
            for part in &mut self.parts {
                part.1 /= by;
            }
            self.constant = constant(&self.constant);
        }
    }

    /// The greatest common divisor of the coefficients, without the constant; zero if there is none.
    pub(super) fn content(&self) -> Int {
        gcd_of(self.parts.iter().map(|(_, coefficient)| coefficient))
    }

    /// The value at a point; a dimension that the point lacks counts as zero.
    pub(super) fn value(&self, point: &[Int]) -> Int {
        let mut sum = self.constant.clone();
        for (dim, coefficient) in &self.parts {
            if let Some(value) = point.get(*dim as usize) {
                sum += coefficient * value;
            }
        }
        sum
    }
}
