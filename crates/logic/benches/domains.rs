//! `cargo bench -p rhumb-logic --bench domains`: polyhedra by dimension and size, machine words against large integers, and
//! projection by generators against projection by pairs of bounds.
//!
//! Times are the best of several runs; ratios are taken within one run, since absolute times say more about the machine.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use rhumb_logic::domain::fourier_motzkin::{eliminate, eliminate_by_bounds};
use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
use rhumb_logic::domain::{Constraint, DomainLimits, Kind, LinearForm, TooLarge};
use rhumb_logic::num::Int;

const REPEATS: u32 = 3;

/// More than any result here needs, and little enough to end.
const LIMITS: DomainLimits = DomainLimits {
    rows: 100_000,
    work: 20_000_000_000,
    bits: 4_096,
};

fn main() {
    hulls();
    cubes();
    projections();
}

/// Coordinates of up to this size, and the same multiplied by a number that no machine word holds.
fn hulls() {
    println!("hull of random integer points in [-100, 100]^d");
    println!(
        "{:>3} {:>6} {:>8} {:>8} {:>12} {:>12} {:>12} {:>7}",
        "d", "points", "vertices", "facets", "at once", "one by one", "large ints", "ratio"
    );
    let factor = Int::ONE << 64usize;
    for (dimensions, count) in [
        (2, 100),
        (3, 100),
        (4, 20),
        (4, 100),
        (5, 20),
        (5, 50),
        (6, 20),
        (6, 40),
        (7, 20),
        (7, 30),
        (8, 20),
        (8, 25),
    ] {
        let points = random_points(dimensions, count);
        let hull =
            |factor: &Int| Polyhedron::from_generators(dimensions, generators(&points, factor));
        let (at_once, constraints) = best(|| hull(&Int::ONE).constraints(&LIMITS));
        let (large, _) = best(|| hull(&factor).constraints(&LIMITS));
        let (one_by_one, _) = best(|| {
            let mut hull = Polyhedron::empty(dimensions);
            for point in generators(&points, &Int::ONE) {
                hull.add_generator(point, &LIMITS)?;
                hull.constraints(&LIMITS)?;
            }
            hull.constraints(&LIMITS)
        });
        let vertices = hull(&Int::ONE).generators(&LIMITS).map(|all| all.len());
        println!(
            "{dimensions:>3} {count:>6} {:>8} {:>8} {} {} {} {:>6.1}x",
            size(vertices),
            size(constraints.map(|all| all.len())),
            milliseconds(at_once),
            milliseconds(one_by_one),
            milliseconds(large),
            large.as_secs_f64() / at_once.as_secs_f64()
        );
    }
    println!();
}

fn cubes() {
    println!("hypercube: vertices from facets, and back");
    println!(
        "{:>3} {:>8} {:>12} {:>12}",
        "d", "vertices", "vertices", "facets"
    );
    for dimensions in [2, 4, 6, 8, 10, 12] {
        let cube = cube(dimensions);
        let (there, vertices) =
            best(|| Polyhedron::from_constraints(dimensions, cube.clone()).generators(&LIMITS));
        let Ok(vertices) = vertices else {
            println!("{dimensions:>3} {:>8}", "too large");
            continue;
        };
        let (back, facets) =
            best(|| Polyhedron::from_generators(dimensions, vertices.clone()).constraints(&LIMITS));
        assert!(facets.is_ok_and(|facets| facets.len() == 2 * dimensions));
        println!(
            "{dimensions:>3} {:>8} {} {}",
            vertices.len(),
            milliseconds(there),
            milliseconds(back)
        );
    }
    println!();
}

/// Half of the coordinates go.
fn projections() {
    println!("projection of half of the dimensions");
    println!(
        "{:<30} {:>4} {:>12} {:>12} {:>12}",
        "system", "d", "eliminate", "generators", "bounds only"
    );
    for dimensions in [4, 6, 8, 16] {
        compare("dense, 2d constraints", dimensions, &dense(dimensions));
    }
    for dimensions in [8, 16, 32] {
        compare(
            "chain x[i] <= x[i+1] in a cube",
            dimensions,
            &chain(dimensions),
        );
    }
    for dimensions in [8, 16, 32] {
        compare("hypercube", dimensions, &cube(dimensions));
    }
}

fn compare(name: &str, dimensions: usize, system: &[Constraint]) {
    let limits = DomainLimits {
        rows: 20_000,
        work: 1_000_000_000,
        bits: 4_096,
    };
    let gone: Vec<usize> = (0..dimensions).step_by(2).collect();
    let (chosen, answer) = best(|| eliminate(system, &gone, &limits));
    let (by_generators, polyhedron) = best(|| {
        Polyhedron::from_constraints(dimensions, system.iter().cloned())
            .forget(&gone, &limits)?
            .constraints(&limits)
    });
    let (by_bounds, combined) = best(|| eliminate_by_bounds(system, &gone, &limits));
    let shown = |time: Duration, result: &Result<Vec<Constraint>, TooLarge>| match result {
        Ok(_) => milliseconds(time),
        Err(TooLarge) => format!("{:>12}", "too large"),
    };
    println!(
        "{name:<30} {dimensions:>4} {} {} {}",
        shown(chosen, &answer),
        shown(by_generators, &polyhedron),
        shown(by_bounds, &combined)
    );
}

fn cube(dimensions: usize) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for dimension in 0..dimensions {
        let form = LinearForm::coordinate(dimensions, dimension);
        let negated = form.coefficients.iter().map(|entry| -entry).collect();
        constraints.push(Constraint::non_negative(form));
        constraints.push(Constraint::new(Kind::Ge, negated, Int::from(100)));
    }
    constraints
}

fn chain(dimensions: usize) -> Vec<Constraint> {
    let mut constraints = cube(dimensions);
    for dimension in 1..dimensions {
        let mut form = LinearForm::coordinate(dimensions, dimension);
        form.coefficients[dimension - 1] = Int::NEG_ONE;
        constraints.push(Constraint::non_negative(form));
    }
    constraints
}

fn dense(dimensions: usize) -> Vec<Constraint> {
    let rows = random_points(dimensions, 2 * dimensions);
    let small = |entry: &i64| Int::from(entry % 4);
    rows.iter()
        .map(|row| Constraint::new(Kind::Ge, row.iter().map(small).collect(), Int::from(10)))
        .collect()
}

/// Pseudo-random coordinates, the same in every run.
fn random_points(dimensions: usize, count: usize) -> Vec<Vec<i64>> {
    let mut state = (dimensions * 1000 + count) as u64;
    let mut next = || (rhumb_random::next(&mut state) % 201) as i64 - 100;
    (0..count)
        .map(|_| (0..dimensions).map(|_| next()).collect())
        .collect()
}

fn generators(points: &[Vec<i64>], factor: &Int) -> Vec<Generator> {
    let scaled = |point: &Vec<i64>| {
        point
            .iter()
            .map(|entry| Int::from(*entry) * factor)
            .collect()
    };
    points
        .iter()
        .map(|point| Generator::integer_point(scaled(point)))
        .collect()
}

fn best<R>(mut run: impl FnMut() -> R) -> (Duration, R) {
    let mut timed = || {
        let start = Instant::now();
        let result = run();
        (start.elapsed(), result)
    };
    let mut best = timed();
    for _ in 1..REPEATS {
        let next = timed();
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

fn milliseconds(time: Duration) -> String {
    format!("{:>9.3} ms", time.as_secs_f64() * 1000.0)
}

fn size(count: Result<usize, TooLarge>) -> String {
    count.map_or_else(|TooLarge| "too large".into(), |count| count.to_string())
}
