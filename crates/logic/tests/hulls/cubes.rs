//! Disjunctions of conjunctions of inequalities, for which the hull of the rational solutions is computed from the constraints alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::domain::{Constraint, Kind};
use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::{Budget, Int, Sort, Term, Terms};

use crate::common::Random;
use crate::{LIMITS, Least, vector};

const SYMBOLS: usize = 4;

type Inequality = (Vec<i64>, i64);

struct World {
    terms: Arc<Terms>,
    variables: Vec<Term>,
    /// One session for all formulas: each is an assumption.
    hulls: Abstraction,
}

impl World {
    fn new() -> World {
        let terms = Arc::new(Terms::new());
        let variables = (0..SYMBOLS).map(|index| terms.fresh(format!("x{index}"), Sort::Int));
        World {
            variables: variables.collect(),
            hulls: Abstraction::new(terms.clone(), terms.bool(true), Options::default()),
            terms,
        }
    }

    fn build(&self, cubes: &[Vec<Inequality>]) -> Term {
        let terms = &self.terms;
        let inequality = |(coefficients, constant): &Inequality| {
            let sum = coefficients
                .iter()
                .zip(&self.variables)
                .fold(terms.int(*constant), |sum, (&factor, &variable)| {
                    terms.add(sum, terms.scale(factor, variable))
                });
            terms.ge(sum, terms.int(0))
        };
        terms.or(cubes
            .iter()
            .map(|cube| terms.and(cube.iter().map(inequality))))
    }
}

/// The hull of the rational solutions, projected to the first two symbols.
fn rational_hull(cubes: &[Vec<Inequality>]) -> Polyhedron {
    let mut hull = Polyhedron::empty(2);
    for cube in cubes {
        let rows = cube.iter().map(|(coefficients, constant)| {
            Constraint::new(Kind::Ge, vector(coefficients), Int::from(*constant))
        });
        let solutions = Polyhedron::from_constraints(SYMBOLS, rows);
        let shadow = solutions.project_out(&[2, 3], &LIMITS).unwrap();
        hull = hull.join(&shadow, &LIMITS).unwrap();
    }
    hull
}

fn unit(index: usize, factor: i64) -> Vec<i64> {
    let mut row = vec![0; SYMBOLS];
    row[index] = factor;
    row
}

/// `x - y <= c`, `x <= c`, `x >= c`: the systems of these are totally unimodular, so all their vertices are integral.
fn difference(random: &mut Random) -> Inequality {
    let mut row = unit(random.below(SYMBOLS), 1);
    if random.chance(70) {
        row[random.below(SYMBOLS)] -= 1;
    } else if random.chance(50) {
        row.iter_mut().for_each(|entry| *entry = -*entry);
    }
    (row, random.between(-3, 4))
}

fn general(random: &mut Random) -> Inequality {
    let row = (0..SYMBOLS).map(|_| {
        if random.chance(50) {
            random.between(-3, 3)
        } else {
            0
        }
    });
    (row.collect(), random.between(-6, 6))
}

fn cubes(
    random: &mut Random,
    mut atom: impl FnMut(&mut Random) -> Inequality,
) -> Vec<Vec<Inequality>> {
    let literals = random.between(2, 11);
    (0..random.between(1, 4))
        .map(|_| (0..literals).map(|_| atom(random)).collect())
        .collect()
}

#[test]
fn hulls_of_integral_cubes_are_the_least() {
    let (mut all, mut empty, mut top) = (0, 0, 0);
    let mut world = World::new();
    for seed in 0..400 {
        let mut random = Random(seed);
        let cubes = cubes(&mut random, difference);
        let formula = world.build(&cubes);
        let (hulls, wanted) = (&mut world.hulls, &world.variables[..2]);
        let budget = Budget::unlimited();
        hulls.push(formula);
        let hull = hulls.convex(wanted, &budget);
        let sides = hulls.intervals(wanted, &budget);
        hulls.pop();
        let expected = rational_hull(&cubes);
        assert!(hull.exact, "{cubes:?}");
        assert!(hull.shape.equals(&expected, &LIMITS).unwrap(), "{cubes:?}");
        // The box of a hull with integral vertices is the box of the models.
        let bounds = expected.integer_bounds(&LIMITS).unwrap();
        assert_eq!(sides.shape.sides(), bounds, "{cubes:?}");
        all += 1;
        empty += usize::from(expected.is_empty(&LIMITS).unwrap());
        top += usize::from(expected.is_universe(&LIMITS).unwrap());
    }
    println!("{all} formulas, {empty} unsatisfiable, {top} with everything as their hull");
    assert!(empty * 4 >= all && (all - empty - top) * 4 >= all);
}

#[test]
fn hulls_of_other_cubes_are_those_of_their_integer_points() {
    let (mut all, mut real, mut smaller) = (0, 0, 0);
    let mut world = World::new();
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut cubes = cubes(&mut random, general);
        let bounded = random.chance(50);
        if bounded {
            for index in 0..SYMBOLS {
                let sides = [1, -1].map(|side| (unit(index, side), 3));
                cubes.iter_mut().for_each(|cube| cube.extend(sides.clone()));
            }
        }
        let formula = world.build(&cubes);
        let (hulls, wanted) = (&mut world.hulls, &world.variables[..2]);
        hulls.push(formula);
        let hull = hulls.convex(wanted, &Budget::unlimited());
        hulls.pop();
        let outer = rational_hull(&cubes);
        assert!(hull.exact, "{cubes:?}");
        assert!(outer.includes(&hull.shape, &LIMITS).unwrap(), "{cubes:?}");
        all += 1;
        real += usize::from(!hull.shape.is_universe(&LIMITS).unwrap());
        smaller += usize::from(!hull.shape.equals(&outer, &LIMITS).unwrap());
        if bounded {
            let least = Least::around(2, &solutions(&cubes)).convex;
            assert!(hull.shape.equals(&least, &LIMITS).unwrap(), "{cubes:?}");
        }
    }
    println!(
        "{all} formulas, {real} with a hull that is not everything, {smaller} smaller than the rational hull"
    );
    assert!(real * 2 >= all && smaller * 10 >= all);
}

/// The first two coordinates of the solutions of a disjunction of cubes within the box from -3 to 3.
fn solutions(cubes: &[Vec<Inequality>]) -> Vec<Vec<Int>> {
    (0..7_i64.pow(4))
        .map(|code| [1, 7, 49, 343].map(|place| code / place % 7 - 3))
        .filter(|point| {
            let holds = |(row, constant): &Inequality| {
                row.iter().zip(point).map(|(a, b)| a * b).sum::<i64>() + constant >= 0
            };
            cubes.iter().any(|cube| cube.iter().all(holds))
        })
        .map(|point| vector(&point[..2]))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}
