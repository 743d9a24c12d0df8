//! Cones described twice, by constraints and by generators.
//!
//! A polyhedron of dimension n is treated as the cone over it in dimension n + 1: a point `p` becomes the ray `(1, p)`, a
//! direction `r` the ray `(0, r)`, and `a.x + c >= 0` becomes `(c, a).y >= 0`. For cones, constraints and generators
//! are the same thing seen from two sides: `h` is a constraint of the generator `y`, and `y` one of `h`, if `h.y >= 0`. So
//! one algorithm (`conversion.rs`) adds a constraint or, with the sides swapped, a generator.

use super::bits::BitMatrix;
use crate::num::Int;

/// One side of the description: constraints or generators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    /// Equalities or lines: independent, in reduced echelon form.
    pub(crate) linear: Vec<Vec<Int>>,
    /// Inequalities or rays: none of them redundant, reduced modulo the linear part, primitive and sorted.
    pub(crate) extreme: Vec<Vec<Int>>,
}

/// Both descriptions of a cone, minimal and canonical: two cones are equal iff their sides are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cone {
    pub(crate) constraints: Side,
    pub(crate) generators: Side,
    /// Bit (i, j): ray i lies on the boundary of inequality j.
    pub(crate) saturation: BitMatrix,
}

fn unit(width: usize, index: usize) -> Vec<Int> {
    let mut row = vec![Int::ZERO; width];
    row[index] = Int::ONE;
    row
}

impl Cone {
    /// The cone over all points of that dimension: the half-space where the first coordinate is not negative.
    pub(crate) fn over_everything(dimensions: usize) -> Self {
        let width = dimensions + 1;
        let mut saturation = BitMatrix::new(1);
        saturation.push(&[]);
        Cone {
            constraints: Side {
                linear: Vec::new(),
                extreme: vec![unit(width, 0)],
            },
            generators: Side {
                linear: (1..width).map(|index| unit(width, index)).collect(),
                extreme: vec![unit(width, 0)],
            },
            saturation,
        }
    }

    /// The cone over nothing: the origin alone.
    pub(crate) fn over_nothing(dimensions: usize) -> Self {
        let width = dimensions + 1;
        let columns = (1..width).chain([0]);
        Cone {
            constraints: Side {
                linear: columns.map(|index| unit(width, index)).collect(),
                extreme: Vec::new(),
            },
            generators: Side::default(),
            saturation: BitMatrix::new(0),
        }
    }

    /// Whether it is the cone over no point.
    pub(crate) fn is_over_nothing(&self) -> bool {
        self.generators.extreme.is_empty() && self.generators.linear.is_empty()
    }

    /// The cone with the sides swapped.
    pub(crate) fn dual(self) -> Self {
        let saturation = self.saturation.transposed(self.constraints.extreme.len());
        Cone {
            constraints: self.generators,
            generators: self.constraints,
            saturation,
        }
    }
}
