//! Affine spaces and lattices.

use rhumb_logic::domain::affine::AffineSpace;
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
use rhumb_logic::domain::{Constraint, Kind};
use rhumb_logic::num::{Int, Rat};

use crate::support::{NO_LIMITS, Random, all_hold, grid, ints, rats};

fn random_space(random: &mut Random, dimensions: usize) -> AffineSpace {
    if random.chance(50) {
        let mut space = AffineSpace::empty(dimensions);
        for _ in 0..random.index(dimensions + 2) {
            space.add_point(&random.point(dimensions));
        }
        space
    } else {
        let count = random.index(dimensions + 2);
        let equalities = (0..count).map(|_| {
            let form = random.form(dimensions);
            Constraint::new(Kind::Eq, form.coefficients, form.constant)
        });
        AffineSpace::from_constraints(dimensions, equalities.collect::<Vec<_>>())
    }
}

/// Some of its points.
fn points_of(space: &AffineSpace, random: &mut Random) -> Vec<Vec<Rat>> {
    let Some(generators) = space.generators() else {
        return Vec::new();
    };
    assert_eq!(Some(generators.directions.len()), space.affine_dimension());
    (0..5)
        .map(|_| {
            let mut point = generators.point.clone();
            for direction in &generators.directions {
                let factor = Rat::from(random.between(-3, 3));
                for (coordinate, step) in point.iter_mut().zip(direction) {
                    *coordinate += Rat::from(step.clone()) * &factor;
                }
            }
            point
        })
        .collect()
}

#[test]
fn affine_operations_are_those_of_sets() {
    let (mut empty, mut grew, mut stayed, mut met) = (0, 0, 0, 0);
    const CASES: usize = 2000;
    for case in 0..CASES {
        let mut random = Random::new(30_000_000 + case as u64);
        let dimensions = random.index(5);
        let (a, b) = (
            random_space(&mut random, dimensions),
            random_space(&mut random, dimensions),
        );
        empty += usize::from(a.is_empty());
        let a_points = points_of(&a, &mut random);
        let b_points = points_of(&b, &mut random);
        let (join, meet) = (a.join(&b), a.meet(&b));
        assert!(join.includes(&a) && join.includes(&b) && a.includes(&meet) && b.includes(&meet));
        met += usize::from(!meet.is_empty());
        for point in a_points.iter().chain(&b_points) {
            assert!(join.contains(point));
            assert!(all_hold(&join.constraints(), point));
            assert_eq!(meet.contains(point), a.contains(point) && b.contains(point));
        }
        // Least: grown from points alone it is the same.
        let mut grown = a.clone();
        if let Some(generators) = b.generators() {
            let mut corners = vec![generators.point.clone()];
            for direction in &generators.directions {
                let moved = generators.point.iter().zip(direction);
                corners.push(moved.map(|(x, step)| x + Rat::from(step.clone())).collect());
            }
            for corner in corners {
                let new = !grown.contains(&corner);
                assert_eq!(grown.add_point(&corner), new);
                *(if new { &mut grew } else { &mut stayed }) += 1;
            }
        }
        assert_eq!(grown, join);
        assert_eq!(
            AffineSpace::from_constraints(dimensions, join.constraints()),
            join
        );

        let gone: Vec<usize> = (0..dimensions).filter(|_| random.chance(40)).collect();
        let projected = a.project_out(&gone);
        let polyhedron = Polyhedron::from_constraints(dimensions, a.constraints());
        let expected = polyhedron.project_out(&gone, &NO_LIMITS).unwrap();
        assert_eq!(expected.affine_hull(&NO_LIMITS).unwrap(), projected);
        assert_eq!(
            polyhedron
                .join(
                    &Polyhedron::from_constraints(dimensions, b.constraints()),
                    &NO_LIMITS
                )
                .unwrap()
                .affine_hull(&NO_LIMITS)
                .unwrap(),
            join
        );
    }
    assert!(
        4 * empty > CASES / 2 && met > CASES / 8,
        "{empty} empty, {met} met"
    );
    assert!(
        grew > CASES / 4 && stayed > CASES / 8,
        "{grew} grew, {stayed} stayed"
    );
}

#[test]
fn lattices_contain_exactly_the_combinations() {
    let (mut members, mut others, mut congruent) = (0, 0, 0);
    for case in 0..600 {
        let mut random = Random::new(31_000_000 + case);
        let dimensions = random.index(4);
        let count = random.index(4);
        let points: Vec<Vec<Int>> = (0..count)
            .map(|_| ints(&random.vector(dimensions, 4)))
            .collect();
        let mut lattice = Lattice::empty(dimensions);
        for point in &points {
            let new = !lattice.contains(point);
            assert_eq!(lattice.add_point(point), new);
            assert!(lattice.contains(point));
        }
        // The order of the points does not matter.
        let mut reversed = Lattice::empty(dimensions);
        for point in points.iter().rev() {
            reversed.add_point(point);
        }
        assert_eq!(lattice, reversed);
        assert!(lattice.includes(&reversed) && Lattice::universe(dimensions).includes(&lattice));

        // By definition: the first point plus integer combinations of differences.
        for _ in 0..5 {
            let Some(first) = points.first() else { break };
            let mut combined = first.clone();
            for point in &points {
                let factor = Int::from(random.between(-3, 3));
                for (index, coordinate) in combined.iter_mut().enumerate() {
                    *coordinate += &factor * (&point[index] - &first[index]);
                }
            }
            assert!(lattice.contains(&combined));
        }
        let (congruences, equalities) = lattice.constraints();
        congruent += usize::from(!congruences.is_empty());
        for point in grid(dimensions, 3) {
            let described = congruences
                .iter()
                .all(|congruence| congruence.holds_at(&point))
                && all_hold(&equalities, &rats(&point));
            let expected = lattice.contains(&point);
            assert_eq!(described, expected, "{lattice:?} {point:?}");
            *(if expected { &mut members } else { &mut others }) += 1;
        }
        assert_eq!(lattice.origin().is_none(), points.is_empty());
    }
    assert!(
        members > 1000 && others > 5000 && congruent > 150,
        "{members} {others} {congruent}"
    );
}

#[test]
fn members_of_a_lattice_are_integer_combinations() {
    // Exhaustive in the plane: the lattice of two vectors against all small combinations of them.
    let mut random = Random::new(32_000_000);
    for _ in 0..200 {
        let (u, v) = (random.vector(2, 3), random.vector(2, 3));
        let mut lattice = Lattice::empty(2);
        for point in [&[0, 0][..], &u, &v] {
            lattice.add_point(&ints(point));
        }
        for point in grid(2, 3) {
            let reached = (-40..=40).any(|s| {
                (-40..=40).any(|t| {
                    point[0] == Int::from(s * u[0] + t * v[0])
                        && point[1] == Int::from(s * u[1] + t * v[1])
                })
            });
            assert_eq!(lattice.contains(&point), reached, "{u:?} {v:?} {point:?}");
        }
    }
}

#[test]
fn joins_of_lattices_are_least() {
    for case in 0..500 {
        let mut random = Random::new(33_000_000 + case);
        let dimensions = random.index(4);
        let mut sides = [Lattice::empty(dimensions), Lattice::empty(dimensions)];
        let mut all = Lattice::empty(dimensions);
        for _ in 0..random.index(5) {
            let point = ints(&random.vector(dimensions, 4));
            sides[random.index(2)].add_point(&point);
            all.add_point(&point);
        }
        let join = sides[0].join(&sides[1]);
        assert_eq!(join, all);
        assert!(sides.iter().all(|side| join.includes(side)));
    }
}

#[test]
fn strides_are_found() {
    let mut lattice = Lattice::empty(1);
    for step in [4, 8, 12] {
        lattice.add_point(&ints(&[step]));
    }
    let (congruences, equalities) = lattice.constraints();
    assert_eq!(equalities, []);
    assert_eq!(congruences.len(), 1);
    assert_eq!(congruences[0].modulus, Int::from(4));
    assert_eq!(
        (&congruences[0].coefficients[..], &congruences[0].residue),
        (&ints(&[1])[..], &Int::ZERO)
    );

    let generators = [[4, 4], [8, 8]].map(|point| Generator::integer_point(ints(&point)));
    let hull = Polyhedron::from_generators(2, generators);
    assert_eq!(hull.affine_dimension(&NO_LIMITS), Ok(Some(1)));
}
