//! Hulls of formulas against their definition: they contain every model, and nothing of their kind that does is smaller.

#[path = "../common/mod.rs"]
mod common;

mod bounded;
mod cubes;
mod edges;
mod unbounded;

use rhumb_logic::Int;
use rhumb_logic::domain::DomainLimits;
use rhumb_logic::domain::affine::AffineSpace;
use rhumb_logic::domain::interval::{Interval, IntervalBox};
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};

const LIMITS: DomainLimits = DomainLimits::NONE;

fn vector(entries: &[i64]) -> Vec<Int> {
    entries.iter().copied().map(Int::from).collect()
}

/// The least sets of each kind around some points.
struct Least {
    sides: IntervalBox,
    affine: AffineSpace,
    lattice: Lattice,
    convex: Polyhedron,
}

impl Least {
    fn around(dimensions: usize, points: &[Vec<Int>]) -> Least {
        let mut affine = AffineSpace::empty(dimensions);
        let mut lattice = Lattice::empty(dimensions);
        let mut sides = IntervalBox::empty(dimensions);
        for point in points {
            affine.add_integer_point(point);
            lattice.add_point(point);
            let side = |coordinate: &Int| Interval::point(coordinate.clone());
            sides = sides.join(&IntervalBox::new(point.iter().map(side).collect()));
        }
        let generators = points.iter().cloned().map(Generator::integer_point);
        Least {
            sides,
            affine,
            lattice,
            convex: Polyhedron::from_generators(dimensions, generators),
        }
    }
}
