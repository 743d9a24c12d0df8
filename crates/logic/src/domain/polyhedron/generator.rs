//! Vertices, rays and lines.

use dashu_base::{Abs, Signed};

use super::conversion::Addition;
use crate::domain::Kind;
use crate::num::{Int, Rat, divide_exact, gcd_of, make_primitive, over_common_denominator, ratio};

/// What a polyhedron is spanned by: all points `convex combination of points + non-negative combination of rays + any
/// combination of lines`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generator {
    /// A point, as numerators over one positive denominator.
    Point {
        /// The numerators of the coordinates.
        numerators: Vec<Int>,
        /// Their common denominator, positive.
        denominator: Int,
    },
    /// A direction in which the polyhedron is unbounded.
    Ray(Vec<Int>),
    /// A direction in which it is unbounded both ways.
    Line(Vec<Int>),
}

impl Generator {
    /// A point with integer coordinates.
    pub fn integer_point(coordinates: Vec<Int>) -> Self {
        Generator::Point {
            numerators: coordinates,
            denominator: Int::ONE,
        }
    }

    /// A point.
    pub fn point(coordinates: &[Rat]) -> Self {
        let (numerators, denominator) = over_common_denominator(coordinates);
        Generator::Point {
            numerators,
            denominator,
        }
    }

    /// The coordinates: of the point, or of the direction.
    pub fn coordinates(&self) -> Vec<Rat> {
        match self {
            Generator::Point {
                numerators,
                denominator,
            } => numerators
                .iter()
                .map(|numerator| ratio(numerator.clone(), denominator.clone()))
                .collect(),
            Generator::Ray(direction) | Generator::Line(direction) => {
                direction.iter().cloned().map(Rat::from).collect()
            }
        }
    }

    /// How many coordinates it has.
    pub fn dimensions(&self) -> usize {
        match self {
            Generator::Point { numerators, .. } => numerators.len(),
            Generator::Ray(direction) | Generator::Line(direction) => direction.len(),
        }
    }

    /// Whether it is a point.
    pub fn is_point(&self) -> bool {
        matches!(self, Generator::Point { .. })
    }

    /// As a homogeneous row of a cone.
    pub(crate) fn to_addition(&self) -> Addition {
        let (kind, first, rest) = match self {
            Generator::Point {
                numerators,
                denominator,
            } => (Kind::Ge, denominator.clone(), numerators),
            Generator::Ray(direction) => (Kind::Ge, Int::ZERO, direction),
            Generator::Line(direction) => (Kind::Eq, Int::ZERO, direction),
        };
        // The denominator is public, so its sign can't be relied upon.
        let sign = if first.is_negative() {
            Int::NEG_ONE
        } else {
            Int::ONE
        };
        let mut row: Vec<Int> = rest.iter().map(|entry| entry * &sign).collect();
        row.insert(0, first.abs());
        make_primitive(&mut row);
        Addition { kind, row }
    }

    /// From a row of the lines or rays of a cone.
    pub(crate) fn from_row(kind: Kind, row: &[Int]) -> Self {
        let (first, rest) = match row.split_first() {
            Some((first, rest)) => (first.clone(), rest.to_vec()),
            None => (Int::ZERO, Vec::new()),
        };
        if kind == Kind::Eq {
            return Generator::Line(rest);
        }
        let common = gcd_of(std::iter::once(&first).chain(&rest));
        let mut numerators = rest;
        divide_exact(&mut numerators, &common);
        if first.is_zero() {
            Generator::Ray(numerators)
        } else {
            Generator::Point {
                numerators,
                denominator: first / common,
            }
        }
    }
}
