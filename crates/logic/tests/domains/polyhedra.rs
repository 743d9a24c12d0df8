//! Polyhedra: both descriptions, and every operation on them.

use rhumb_logic::domain::affine::AffineSpace;
use rhumb_logic::domain::fourier_motzkin::{eliminate, eliminate_by_bounds};
use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
use rhumb_logic::domain::{Constraint, Kind, LinearForm, simplex};
use rhumb_logic::num::{Int, Rat};

use crate::support::{NO_LIMITS, Random, all_hold, grid, ints, rats, samples};

/// Random systems: three in ten have a solution by construction, the others as it happens.
fn systems(seed: u64, cases: usize) -> impl Iterator<Item = (usize, Vec<Constraint>, Random)> {
    (0..cases).map(move |case| {
        let mut random = Random::new(seed * 1_000_003 + case as u64);
        let dimensions = random.index(5);
        let system = if random.chance(30) {
            random.satisfiable_system(dimensions)
        } else {
            random.system(dimensions)
        };
        (dimensions, system, random)
    })
}

#[test]
fn generators_and_constraints_describe_the_same_points() {
    let (mut empty, mut members, mut others) = (0, 0, 0);
    const CASES: usize = 2000;
    for (dimensions, system, mut random) in systems(1, CASES) {
        let polyhedron = Polyhedron::from_constraints(dimensions, system.clone());
        let is_empty = polyhedron.is_empty(&NO_LIMITS).unwrap();
        assert_eq!(
            is_empty,
            !simplex::is_satisfiable(&system, &NO_LIMITS).unwrap()
        );
        empty += usize::from(is_empty);

        let minimal = polyhedron.constraints(&NO_LIMITS).unwrap();
        let generators = polyhedron.generators(&NO_LIMITS).unwrap();
        for (position, generator) in generators.iter().enumerate() {
            // None can be spared.
            let mut rest = generators.clone();
            rest.remove(position);
            let smaller = Polyhedron::from_generators(dimensions, rest);
            assert!(
                !smaller.equals(&polyhedron, &NO_LIMITS).unwrap(),
                "{generator:?}"
            );
        }
        for position in 0..minimal.len() {
            let mut rest = minimal.clone();
            rest.remove(position);
            let larger = Polyhedron::from_constraints(dimensions, rest);
            assert!(!larger.equals(&polyhedron, &NO_LIMITS).unwrap());
        }
        let back = Polyhedron::from_generators(dimensions, generators);
        assert_eq!(back.constraints(&NO_LIMITS).unwrap(), minimal);

        for _ in 0..30 {
            let point = random.point(dimensions);
            let expected = all_hold(&system, &point);
            assert_eq!(polyhedron.contains(&point, &NO_LIMITS).unwrap(), expected);
            assert_eq!(all_hold(&minimal, &point), expected);
            *(if expected { &mut members } else { &mut others }) += 1;
        }
        for point in samples(&polyhedron) {
            assert!(all_hold(&system, &point));
        }
    }
    assert!(
        4 * empty >= CASES && 4 * empty <= 3 * CASES,
        "{empty} empty"
    );
    assert!(
        members > 8 * CASES && others > 8 * CASES,
        "{members} in, {others} out"
    );
}

#[test]
fn adding_one_by_one_is_adding_together() {
    for (dimensions, system, mut random) in systems(2, 1000) {
        let at_once = Polyhedron::from_constraints(dimensions, system.clone());
        let mut grown = Polyhedron::universe(dimensions);
        for constraint in system {
            grown.add_constraint(constraint, &NO_LIMITS).unwrap();
            if random.chance(60) {
                grown.is_empty(&NO_LIMITS).unwrap();
            }
        }
        assert!(grown.equals(&at_once, &NO_LIMITS).unwrap());

        let generators = random.generators(dimensions);
        let at_once = Polyhedron::from_generators(dimensions, generators.clone());
        let points_first = |generator: &Generator| !generator.is_point();
        let mut grown = Polyhedron::empty(dimensions);
        let mut ordered = generators;
        ordered.sort_by_key(points_first);
        for generator in ordered {
            grown.add_generator(generator, &NO_LIMITS).unwrap();
            if random.chance(60) {
                grown.constraints(&NO_LIMITS).unwrap();
            }
        }
        assert!(grown.equals(&at_once, &NO_LIMITS).unwrap());
    }
}

#[test]
fn the_join_is_the_least_polyhedron_around_both() {
    let (mut proper, mut entailed, mut weak_but_useful) = (0, 0, 0);
    const CASES: usize = 1500;
    for case in 0..CASES {
        let mut random = Random::new(3_000_000 + case as u64);
        let dimensions = random.index(5);
        let (p, q) = (random.polyhedron(dimensions), random.polyhedron(dimensions));
        let join = p.join(&q, &NO_LIMITS).unwrap();
        assert!(join.includes(&p, &NO_LIMITS).unwrap() && join.includes(&q, &NO_LIMITS).unwrap());
        let both_there = !p.is_empty(&NO_LIMITS).unwrap() && !q.is_empty(&NO_LIMITS).unwrap();
        proper += usize::from(both_there);
        for constraint in join.constraints(&NO_LIMITS).unwrap() {
            // A bound is attained by one of the two, or approached along a direction where one of them is unbounded.
            let (p_range, q_range) = (
                p.range(&constraint.form(), &NO_LIMITS).unwrap(),
                q.range(&constraint.form(), &NO_LIMITS).unwrap(),
            );
            let minima = [p_range, q_range]
                .into_iter()
                .flatten()
                .map(|range| range.minimum);
            if both_there || minima.clone().count() > 0 {
                assert_eq!(minima.flatten().min(), Some(Rat::ZERO));
            }
        }
        let weak = p.weak_join(&q, &NO_LIMITS).unwrap();
        assert!(weak.includes(&join, &NO_LIMITS).unwrap());
        weak_but_useful += usize::from(both_there && !weak.is_universe(&NO_LIMITS).unwrap());
        let mut generators = p.generators(&NO_LIMITS).unwrap();
        generators.extend(q.generators(&NO_LIMITS).unwrap());
        let hull = Polyhedron::from_generators(dimensions, generators);
        assert!(hull.equals(&join, &NO_LIMITS).unwrap());
        let (p, q) = (
            p.constraints(&NO_LIMITS).unwrap(),
            q.constraints(&NO_LIMITS).unwrap(),
        );
        for _ in 0..10 {
            let form = random.form(dimensions);
            let loose = form.constant + Int::from(random.between(0, 10));
            let candidate = Constraint::new(Kind::Ge, form.coefficients, loose);
            let in_both = simplex::entails(&p, &candidate, &NO_LIMITS).unwrap()
                && simplex::entails(&q, &candidate, &NO_LIMITS).unwrap();
            entailed += usize::from(in_both);
            assert_eq!(join.entails(&candidate, &NO_LIMITS).unwrap(), in_both);
        }
    }
    assert!(2 * proper > CASES, "{proper} joins of two");
    assert!(entailed > CASES, "{entailed} constraints entailed");
    assert!(
        10 * weak_but_useful > CASES,
        "{weak_but_useful} weak joins with constraints"
    );
}

#[test]
fn the_meet_is_the_intersection() {
    let (mut both, mut one) = (0, 0);
    for case in 0..1500 {
        let mut random = Random::new(4_000_000 + case);
        let dimensions = random.index(4);
        let (p, q) = (random.polyhedron(dimensions), random.polyhedron(dimensions));
        let meet = p.meet(&q, &NO_LIMITS).unwrap();
        let mut points: Vec<Vec<Rat>> = (0..20).map(|_| random.point(dimensions)).collect();
        points.extend(samples(&p).into_iter().chain(samples(&q)));
        for point in points {
            let in_p = p.contains(&point, &NO_LIMITS).unwrap();
            let in_q = q.contains(&point, &NO_LIMITS).unwrap();
            both += usize::from(in_p && in_q);
            one += usize::from(in_p != in_q);
            assert_eq!(meet.contains(&point, &NO_LIMITS).unwrap(), in_p && in_q);
        }
        assert!(p.includes(&meet, &NO_LIMITS).unwrap() && q.includes(&meet, &NO_LIMITS).unwrap());
    }
    assert!(both > 5000 && one > 5000, "{both} in both, {one} in one");
}

#[test]
fn inclusion_agrees_with_points() {
    let (mut included, mut not) = (0, 0);
    for case in 0..2000 {
        let mut random = Random::new(5_000_000 + case);
        let dimensions = random.index(4);
        let p = random.polyhedron(dimensions);
        let q = if random.chance(50) {
            random.polyhedron(dimensions)
        } else {
            p.join(&random.polyhedron(dimensions), &NO_LIMITS).unwrap()
        };
        let answer = q.includes(&p, &NO_LIMITS).unwrap();
        let q_constraints = q.constraints(&NO_LIMITS).unwrap();
        let far = samples(&p);
        if answer {
            included += 1;
            assert!(far.iter().all(|point| all_hold(&q_constraints, point)));
        } else {
            not += 1;
            // Some constraint of q is violated somewhere in p: linear programming finds out independently.
            let p_constraints = p.constraints(&NO_LIMITS).unwrap();
            assert!(q_constraints.iter().any(|constraint| {
                !simplex::entails(&p_constraints, constraint, &NO_LIMITS).unwrap()
            }));
        }
        let equal = answer && p.includes(&q, &NO_LIMITS).unwrap();
        assert_eq!(p.equals(&q, &NO_LIMITS).unwrap(), equal);
    }
    assert!(
        included > 500 && not > 500,
        "{included} included, {not} not"
    );
}

/// The values for one coordinate that satisfy all constraints when the others are given, by definition.
fn fibre_is_empty(system: &[Constraint], dimension: usize, rest: &[Rat]) -> bool {
    let (mut lower, mut upper): (Option<Rat>, Option<Rat>) = (None, None);
    for constraint in system {
        let mut at_zero = rest.to_vec();
        at_zero.insert(dimension, Rat::ZERO);
        let value = constraint.form().value(&at_zero);
        let slope = Rat::from(constraint.coefficients()[dimension].clone());
        if slope.is_zero() {
            if value < Rat::ZERO || constraint.kind() == Kind::Eq && !value.is_zero() {
                return true;
            }
            continue;
        }
        let bound = -value / &slope;
        if slope > Rat::ZERO || constraint.kind() == Kind::Eq {
            lower = Some(lower.map_or(bound.clone(), |old| old.max(bound.clone())));
        }
        if slope < Rat::ZERO || constraint.kind() == Kind::Eq {
            upper = Some(upper.map_or(bound.clone(), |old| old.min(bound)));
        }
    }
    matches!((lower, upper), (Some(lower), Some(upper)) if lower > upper)
}

#[test]
fn projection_is_existence() {
    let (mut inside, mut outside, mut empty) = (0, 0, 0);
    const CASES: usize = 2000;
    let with_dimensions = systems(6, usize::MAX).filter(|(dimensions, ..)| *dimensions > 0);
    for (dimensions, system, mut random) in with_dimensions.take(CASES) {
        let polyhedron = Polyhedron::from_constraints(dimensions, system.clone());
        empty += usize::from(polyhedron.is_empty(&NO_LIMITS).unwrap());
        let dimension = random.index(dimensions);
        let projected = polyhedron.project_out(&[dimension], &NO_LIMITS).unwrap();
        assert_eq!(projected.dimensions(), dimensions - 1);
        for _ in 0..20 {
            let point = random.point(dimensions - 1);
            let expected = !fibre_is_empty(&system, dimension, &point);
            assert_eq!(projected.contains(&point, &NO_LIMITS).unwrap(), expected);
            *(if expected { &mut inside } else { &mut outside }) += 1;
        }
        let forgotten = polyhedron.forget(&[dimension], &NO_LIMITS).unwrap();
        let eliminated = eliminate_by_bounds(&system, &[dimension], &NO_LIMITS).unwrap();
        let eliminated = Polyhedron::from_constraints(dimensions, eliminated);
        assert!(forgotten.equals(&eliminated, &NO_LIMITS).unwrap());
    }
    assert!(4 * empty > CASES, "{empty} empty");
    assert!(
        inside > 5 * CASES && outside > 2 * CASES,
        "{inside} in, {outside} out"
    );
}

#[test]
fn projecting_several_dimensions_is_projecting_each() {
    let mut real = 0;
    for (dimensions, system, mut random) in systems(7, 1500) {
        let gone: Vec<usize> = (0..dimensions).filter(|_| random.chance(50)).collect();
        let polyhedron = Polyhedron::from_constraints(dimensions, system.clone());
        let at_once = polyhedron.project_out(&gone, &NO_LIMITS).unwrap();
        let mut stepwise = polyhedron.clone();
        for &dimension in gone.iter().rev() {
            stepwise = stepwise.project_out(&[dimension], &NO_LIMITS).unwrap();
        }
        assert!(at_once.equals(&stepwise, &NO_LIMITS).unwrap());
        let forms: Vec<LinearForm> = (0..dimensions)
            .filter(|dimension| !gone.contains(dimension))
            .map(|dimension| LinearForm::coordinate(dimensions, dimension))
            .collect();
        let image = polyhedron.affine_image(&forms, &NO_LIMITS).unwrap();
        assert!(at_once.equals(&image, &NO_LIMITS).unwrap());
        let eliminated = eliminate(&system, &gone, &NO_LIMITS).unwrap();
        let eliminated = Polyhedron::from_constraints(dimensions, eliminated);
        let forgotten = polyhedron.forget(&gone, &NO_LIMITS).unwrap();
        assert!(forgotten.equals(&eliminated, &NO_LIMITS).unwrap());
        real += usize::from(!gone.is_empty() && !at_once.is_universe(&NO_LIMITS).unwrap());
    }
    assert!(real > 400, "{real} with constraints left");
}

#[test]
fn images_and_preimages_are_those_of_points() {
    let (mut inside, mut outside) = (0, 0);
    for case in 0..1000 {
        let mut random = Random::new(8_000_000 + case);
        let (from, to) = (random.index(4), random.index(4));
        let forms: Vec<LinearForm> = (0..to).map(|_| random.form(from)).collect();
        let image_of =
            |point: &[Rat]| -> Vec<Rat> { forms.iter().map(|form| form.value(point)).collect() };
        let p = random.polyhedron(from);
        let image = p.affine_image(&forms, &NO_LIMITS).unwrap();
        for point in samples(&p) {
            assert!(image.contains(&image_of(&point), &NO_LIMITS).unwrap());
        }
        // The least such: every point that generates the image is the image of a point of p.
        let back = image.affine_preimage(from, &forms, &NO_LIMITS).unwrap();
        assert!(back.includes(&p, &NO_LIMITS).unwrap());
        let again = back.affine_image(&forms, &NO_LIMITS).unwrap();
        assert!(again.equals(&image, &NO_LIMITS).unwrap());
        let q = random.polyhedron(to);
        let preimage = q.affine_preimage(from, &forms, &NO_LIMITS).unwrap();
        for _ in 0..10 {
            let point = random.point(from);
            let expected = q.contains(&image_of(&point), &NO_LIMITS).unwrap();
            assert_eq!(preimage.contains(&point, &NO_LIMITS).unwrap(), expected);
            *(if expected { &mut inside } else { &mut outside }) += 1;
        }
    }
    assert!(inside > 500 && outside > 500, "{inside} in, {outside} out");
}

#[test]
fn dimensions_can_be_added_and_reordered() {
    for case in 0..1000 {
        let mut random = Random::new(9_000_000 + case);
        let (dimensions, more) = (random.index(4), random.index(3));
        let p = random.polyhedron(dimensions);
        if random.chance(50) {
            p.is_empty(&NO_LIMITS).unwrap();
            p.constraints(&NO_LIMITS).unwrap();
        }
        let longer = p.add_dimensions(more);
        let mut order: Vec<usize> = (0..dimensions + more).collect();
        for position in (1..order.len()).rev() {
            order.swap(position, random.index(position + 1));
        }
        let permuted = longer.permuted(&order, &NO_LIMITS).unwrap();
        for _ in 0..10 {
            let point = random.point(dimensions + more);
            let moved: Vec<Rat> = order.iter().map(|&old| point[old].clone()).collect();
            let expected = p.contains(&point[..dimensions], &NO_LIMITS).unwrap();
            assert_eq!(longer.contains(&point, &NO_LIMITS).unwrap(), expected);
            assert_eq!(permuted.contains(&moved, &NO_LIMITS).unwrap(), expected);
        }
        let new: Vec<usize> = (dimensions..dimensions + more).collect();
        let back = longer.project_out(&new, &NO_LIMITS).unwrap();
        assert!(back.equals(&p, &NO_LIMITS).unwrap());
        // The canonical form does not remember the way.
        let constraints = permuted.constraints(&NO_LIMITS).unwrap();
        let fresh = Polyhedron::from_constraints(dimensions + more, constraints.clone());
        assert_eq!(fresh.constraints(&NO_LIMITS).unwrap(), constraints);
        assert_eq!(
            fresh.generators(&NO_LIMITS).unwrap(),
            permuted.generators(&NO_LIMITS).unwrap()
        );
    }
}

#[test]
fn facets_of_hulls_are_tight_at_enough_points() {
    let mut facets = 0;
    for case in 0..400 {
        let mut random = Random::new(10_000_000 + case);
        let dimensions = 1 + random.index(5);
        let count = 1 + random.index(3 * dimensions);
        let points: Vec<Vec<Int>> = (0..count)
            .map(|_| ints(&random.vector(dimensions, 5)))
            .collect();
        let mut hull = Polyhedron::empty(dimensions);
        let mut space = AffineSpace::empty(dimensions);
        for point in &points {
            hull.add_generator(Generator::integer_point(point.clone()), &NO_LIMITS)
                .unwrap();
            space.add_integer_point(point);
        }
        assert_eq!(hull.affine_hull(&NO_LIMITS).unwrap(), space);
        let dimension = space.affine_dimension().unwrap();
        assert_eq!(hull.affine_dimension(&NO_LIMITS).unwrap(), Some(dimension));
        for constraint in hull.constraints(&NO_LIMITS).unwrap() {
            let value = |point: &Vec<Int>| constraint.form().value(&rats(point));
            assert!(points.iter().all(|point| constraint.holds_at(&rats(point))));
            if constraint.kind() == Kind::Eq {
                continue;
            }
            facets += 1;
            let mut face = AffineSpace::empty(dimensions);
            for point in points.iter().filter(|point| value(point).is_zero()) {
                face.add_integer_point(point);
            }
            assert_eq!(face.affine_dimension(), dimension.checked_sub(1));
        }
    }
    assert!(facets > 3000, "{facets} facets");
}

#[test]
fn ranges_are_attained() {
    let (mut bounded, mut unbounded) = (0, 0);
    for case in 0..1500 {
        let mut random = Random::new(11_000_000 + case);
        let dimensions = random.index(4);
        let p = random.polyhedron(dimensions);
        let form = random.form(dimensions);
        let Some(range) = p.range(&form, &NO_LIMITS).unwrap() else {
            assert!(p.is_empty(&NO_LIMITS).unwrap());
            continue;
        };
        let constraints = p.constraints(&NO_LIMITS).unwrap();
        // form >= value, scaled to integers.
        let at_least = |value: &Rat, sign: i64| {
            let scale = Int::from(value.denominator().clone()) * Int::from(sign);
            let coefficients = form
                .coefficients
                .iter()
                .map(|entry| entry * &scale)
                .collect();
            let constant = &form.constant * &scale - Int::from(sign) * value.numerator();
            Constraint::new(Kind::Ge, coefficients, constant)
        };
        for (bound, sign) in [(&range.minimum, 1), (&range.maximum, -1)] {
            if let Some(value) = bound {
                bounded += 1;
                let attained = Constraint::new(
                    Kind::Eq,
                    at_least(value, 1).coefficients().to_vec(),
                    at_least(value, 1).constant().clone(),
                );
                let mut with = constraints.clone();
                with.push(attained);
                assert!(simplex::is_satisfiable(&with, &NO_LIMITS).unwrap());
                let limit = at_least(value, sign);
                assert!(simplex::entails(&constraints, &limit, &NO_LIMITS).unwrap());
            } else {
                unbounded += 1;
                let far = at_least(&Rat::from(-1_000_000 * sign), -sign);
                let mut with = constraints.clone();
                with.push(far);
                assert!(simplex::is_satisfiable(&with, &NO_LIMITS).unwrap());
            }
        }
    }
    assert!(
        bounded > 400 && unbounded > 400,
        "{bounded} bounded, {unbounded} not"
    );
}

#[test]
fn tightening_keeps_the_integer_points() {
    let (mut smaller, mut emptied) = (0, 0);
    for case in 0..1200 {
        let mut random = Random::new(12_000_000 + case);
        let dimensions = 1 + random.index(3);
        // Boundaries between integer points: something to round.
        let loosened = |constraint: &Constraint| {
            let factor = Int::from(random.between(1, 3));
            let coefficients = constraint
                .coefficients()
                .iter()
                .map(|entry| entry * &factor);
            let constant = constraint.constant() * &factor + Int::from(random.between(0, 2));
            Constraint::new(constraint.kind(), coefficients.collect(), constant)
        };
        let system = Random::new(case).satisfiable_system(dimensions);
        let system: Vec<Constraint> = system.iter().map(loosened).collect();
        let p = Polyhedron::from_constraints(dimensions, system);
        let tight = p.tightened_to_integers(&NO_LIMITS).unwrap();
        assert!(p.includes(&tight, &NO_LIMITS).unwrap());
        smaller += usize::from(!tight.equals(&p, &NO_LIMITS).unwrap());
        emptied +=
            usize::from(tight.is_empty(&NO_LIMITS).unwrap() && !p.is_empty(&NO_LIMITS).unwrap());
        for point in grid(dimensions, 4) {
            let point = rats(&point);
            assert_eq!(
                p.contains(&point, &NO_LIMITS).unwrap(),
                tight.contains(&point, &NO_LIMITS).unwrap()
            );
        }
    }
    assert!(
        smaller > 200 && emptied > 30,
        "{smaller} smaller, {emptied} emptied"
    );
}

#[test]
fn widening_contains_both_and_ends() {
    let (mut slow, mut extrapolated, mut respected) = (0, 0, 0);
    for case in 0..400 {
        let mut random = Random::new(13_000_000 + case);
        let dimensions = 1 + random.index(3);
        let start = random.polyhedron(dimensions);
        let forms: Vec<LinearForm> = (0..dimensions).map(|_| random.form(dimensions)).collect();
        let thresholds: Vec<Constraint> = (0..3).map(|_| random.constraint(dimensions)).collect();
        let mut current = start;
        let mut rounds = 0;
        loop {
            let image = current.affine_image(&forms, &NO_LIMITS).unwrap();
            let next = current.join(&image, &NO_LIMITS).unwrap();
            let widened = current.widen_up_to(&next, &thresholds, &NO_LIMITS).unwrap();
            assert!(widened.includes(&next, &NO_LIMITS).unwrap());
            for threshold in &thresholds {
                let holds = current.entails(threshold, &NO_LIMITS).unwrap()
                    && next.entails(threshold, &NO_LIMITS).unwrap();
                respected += usize::from(holds && !next.is_empty(&NO_LIMITS).unwrap());
                assert!(!holds || widened.entails(threshold, &NO_LIMITS).unwrap());
            }
            extrapolated += usize::from(!widened.equals(&next, &NO_LIMITS).unwrap());
            if widened.equals(&current, &NO_LIMITS).unwrap() {
                break;
            }
            current = widened;
            rounds += 1;
            assert!(rounds < 100, "no end");
        }
        slow += usize::from(rounds > 1);
    }
    assert!(
        slow > 100 && extrapolated > 100 && respected > 50,
        "{slow} {extrapolated} {respected}"
    );
}
