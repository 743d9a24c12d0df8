//! Random systems and points to try them on.

use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
use rhumb_logic::domain::{Constraint, DomainLimits, Kind, LinearForm};
use rhumb_logic::num::{Int, Rat, ratio};

pub(crate) const NO_LIMITS: DomainLimits = DomainLimits::NONE;

/// A small generator of random numbers (splitmix64): the same cases on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let count = (high - low + 1) as u64;
        low + (self.next() % count) as i64
    }

    pub(crate) fn index(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub(crate) fn vector(&mut self, dimensions: usize, size: i64) -> Vec<i64> {
        (0..dimensions).map(|_| self.between(-size, size)).collect()
    }

    pub(crate) fn form(&mut self, dimensions: usize) -> LinearForm {
        LinearForm::new(
            ints(&self.vector(dimensions, 3)),
            Int::from(self.between(-4, 4)),
        )
    }

    pub(crate) fn constraint(&mut self, dimensions: usize) -> Constraint {
        let kind = if self.chance(15) { Kind::Eq } else { Kind::Ge };
        let form = self.form(dimensions);
        Constraint::new(kind, form.coefficients, form.constant)
    }

    /// A conjunction: short ones are mostly satisfiable, long ones mostly not.
    pub(crate) fn system(&mut self, dimensions: usize) -> Vec<Constraint> {
        let count = self.index(3 * dimensions + 3);
        (0..count).map(|_| self.constraint(dimensions)).collect()
    }

    /// A conjunction with a solution.
    pub(crate) fn satisfiable_system(&mut self, dimensions: usize) -> Vec<Constraint> {
        let inside = ints(&self.vector(dimensions, 2));
        let mut system = self.system(dimensions);
        for constraint in &mut system {
            let form = constraint.form();
            let value = form.value(&rats(&inside));
            let room = match constraint.kind() {
                Kind::Eq => Int::ZERO,
                Kind::Ge => Int::from(self.between(0, 3)),
            };
            let constant = form.constant - value.numerator() + room;
            *constraint = Constraint::new(constraint.kind(), form.coefficients, constant);
        }
        system
    }

    /// A polyhedron described in one of the two ways, empty in some cases.
    pub(crate) fn polyhedron(&mut self, dimensions: usize) -> Polyhedron {
        match self.index(3) {
            0 => Polyhedron::from_constraints(dimensions, self.system(dimensions)),
            1 => Polyhedron::from_constraints(dimensions, self.satisfiable_system(dimensions)),
            _ => Polyhedron::from_generators(dimensions, self.generators(dimensions)),
        }
    }

    pub(crate) fn generators(&mut self, dimensions: usize) -> Vec<Generator> {
        let count = self.index(dimensions + 4);
        (0..count)
            .map(|_| {
                let coordinates = ints(&self.vector(dimensions, 3));
                match self.index(10) {
                    0 => Generator::Line(coordinates),
                    1 | 2 => Generator::Ray(coordinates),
                    _ => Generator::Point {
                        numerators: coordinates,
                        denominator: Int::from(self.between(1, 2)),
                    },
                }
            })
            .collect()
    }

    /// A point with small coordinates, halves among them.
    pub(crate) fn point(&mut self, dimensions: usize) -> Vec<Rat> {
        let denominator = Int::from(self.between(1, 2));
        (0..dimensions)
            .map(|_| ratio(Int::from(self.between(-8, 8)), denominator.clone()))
            .collect()
    }
}

pub(crate) fn ints(values: &[i64]) -> Vec<Int> {
    values.iter().copied().map(Int::from).collect()
}

pub(crate) fn rats(values: &[Int]) -> Vec<Rat> {
    values.iter().cloned().map(Rat::from).collect()
}

/// All integer points of `[-size, size]^dimensions`.
pub(crate) fn grid(dimensions: usize, size: i64) -> Vec<Vec<Int>> {
    let mut points = vec![Vec::new()];
    for _ in 0..dimensions {
        points = points
            .into_iter()
            .flat_map(|point: Vec<Int>| {
                (-size..=size).map(move |value| {
                    let mut longer = point.clone();
                    longer.push(Int::from(value));
                    longer
                })
            })
            .collect();
    }
    points
}

pub(crate) fn all_hold(constraints: &[Constraint], point: &[Rat]) -> bool {
    constraints
        .iter()
        .all(|constraint| constraint.holds_at(point))
}

/// Some points of the polyhedron: its points, moved along its rays and lines, and means of neighbours in the list.
pub(crate) fn samples(polyhedron: &Polyhedron) -> Vec<Vec<Rat>> {
    let generators = polyhedron.generators(&NO_LIMITS).unwrap();
    let coordinates = |wanted: fn(&Generator) -> bool| -> Vec<Vec<Rat>> {
        let chosen = generators.iter().filter(|generator| wanted(generator));
        chosen.map(Generator::coordinates).collect()
    };
    let points = coordinates(Generator::is_point);
    let rays = coordinates(|generator| matches!(generator, Generator::Ray(_)));
    let lines = coordinates(|generator| matches!(generator, Generator::Line(_)));
    let mut found = points.clone();
    for point in &points {
        let moved = |direction: &[Rat], factor: i64| -> Vec<Rat> {
            let steps = direction.iter().map(|entry| entry * Rat::from(factor));
            point.iter().zip(steps).map(|(x, step)| x + step).collect()
        };
        found.extend(rays.iter().map(|ray| moved(ray, 3)));
        found.extend(
            lines
                .iter()
                .flat_map(|line| [moved(line, 2), moved(line, -5)]),
        );
    }
    for pair in points.windows(2) {
        let half = ratio(Int::ONE, Int::from(2));
        found.push(
            pair[0]
                .iter()
                .zip(&pair[1])
                .map(|(x, y)| (x + y) * &half)
                .collect(),
        );
    }
    found
}
