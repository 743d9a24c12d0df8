//! Extremes: nothing, no dimensions, huge numbers, and systems that are too large.

use rhumb_logic::domain::affine::AffineSpace;
use rhumb_logic::domain::fourier_motzkin::{eliminate, eliminate_by_bounds};
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
use rhumb_logic::domain::{Constraint, DomainLimits, Kind, LinearForm, TooLarge, simplex};
use rhumb_logic::num::{Int, Rat};

use crate::support::{NO_LIMITS, Random, ints};

fn cube(dimensions: usize) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for dimension in 0..dimensions {
        let form = LinearForm::coordinate(dimensions, dimension);
        let negated = form.coefficients.iter().map(|entry| -entry).collect();
        constraints.push(Constraint::non_negative(form));
        constraints.push(Constraint::new(Kind::Ge, negated, Int::ONE));
    }
    constraints
}

#[test]
fn a_cube_has_exponentially_many_vertices() {
    for dimensions in 0..8 {
        let polyhedron = Polyhedron::from_constraints(dimensions, cube(dimensions));
        assert_eq!(
            polyhedron.generators(&NO_LIMITS).unwrap().len(),
            1 << dimensions
        );
        let back =
            Polyhedron::from_generators(dimensions, polyhedron.generators(&NO_LIMITS).unwrap());
        assert_eq!(back.constraints(&NO_LIMITS).unwrap().len(), 2 * dimensions);
    }
    let large = Polyhedron::from_constraints(40, cube(40));
    assert_eq!(large.generators(&DomainLimits::default()), Err(TooLarge));
    // Given up, not broken.
    assert_eq!(
        large.contains(&vec![Rat::ONE; 40], &DomainLimits::default()),
        Ok(true)
    );
    assert_eq!(
        large.contains(&vec![Rat::from(2); 40], &DomainLimits::default()),
        Ok(false)
    );
}

#[test]
fn large_cubes_are_no_problem_without_generators() {
    let limits = DomainLimits::default();
    let gone: Vec<usize> = (0..30).collect();
    let left = eliminate(&cube(40), &gone, &limits).unwrap();
    assert_eq!(left.len(), 20);
    assert_eq!(simplex::is_satisfiable(&cube(40), &limits), Ok(true));
    let all = Constraint::new(Kind::Ge, vec![Int::NEG_ONE; 40], Int::from(40));
    assert_eq!(simplex::entails(&cube(40), &all, &limits), Ok(true));
    let less = Constraint::new(Kind::Ge, vec![Int::NEG_ONE; 40], Int::from(39));
    assert_eq!(simplex::entails(&cube(40), &less, &limits), Ok(false));
}

#[test]
fn every_limit_stops() {
    let mut random = Random::new(50_000_000);
    let points: Vec<Generator> = (0..200)
        .map(|_| Generator::integer_point(ints(&random.vector(7, 1000))))
        .collect();
    let hull = Polyhedron::from_generators(7, points);
    let few_rows = DomainLimits {
        rows: 100,
        ..DomainLimits::NONE
    };
    let little_work = DomainLimits {
        work: 100_000,
        ..DomainLimits::NONE
    };
    let short_numbers = DomainLimits {
        bits: 20,
        ..DomainLimits::NONE
    };
    assert_eq!(hull.constraints(&few_rows), Err(TooLarge));
    assert_eq!(hull.constraints(&little_work), Err(TooLarge));
    let huge = Int::ONE << 100usize;
    let scaled = [[1, 5, 7], [3, 4, 9], [2, 8, 1], [5, 0, 3]].map(|point| {
        Generator::integer_point(
            ints(&point)
                .iter()
                .map(|entry| entry * &huge + Int::ONE)
                .collect(),
        )
    });
    assert_eq!(
        Polyhedron::from_generators(3, scaled).constraints(&short_numbers),
        Err(TooLarge)
    );
}

#[test]
fn work_is_time() {
    // Dense systems whose projection by bounds explodes: given up after a time that the limit foretells, roughly.
    let mut random = Random::new(52_000_000);
    let system: Vec<Constraint> = (0..24)
        .map(|_| Constraint::new(Kind::Ge, ints(&random.vector(12, 3)), Int::from(10)))
        .collect();
    let gone: Vec<usize> = (0..6).collect();
    let limits = DomainLimits {
        work: 10_000_000,
        ..DomainLimits::default()
    };
    let start = std::time::Instant::now();
    assert_eq!(eliminate_by_bounds(&system, &gone, &limits), Err(TooLarge));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn without_dimensions_there_are_two_polyhedra() {
    let (all, none) = (Polyhedron::universe(0), Polyhedron::empty(0));
    assert!(all.contains(&[], &NO_LIMITS).unwrap() && !none.contains(&[], &NO_LIMITS).unwrap());
    assert_eq!(all.constraints(&NO_LIMITS).unwrap(), []);
    assert_eq!(
        none.constraints(&NO_LIMITS).unwrap(),
        [Constraint::never(0)]
    );
    assert!(all.includes(&none, &NO_LIMITS).unwrap() && !none.includes(&all, &NO_LIMITS).unwrap());
    assert!(
        none.widen(&all, &NO_LIMITS)
            .unwrap()
            .equals(&all, &NO_LIMITS)
            .unwrap()
    );
    assert!(
        all.widen(&none, &NO_LIMITS)
            .unwrap()
            .equals(&all, &NO_LIMITS)
            .unwrap()
    );
    assert!(
        none.tightened_to_integers(&NO_LIMITS)
            .unwrap()
            .is_empty(&NO_LIMITS)
            .unwrap()
    );
    let image = none
        .affine_image(&[LinearForm::new(vec![], Int::ONE)], &NO_LIMITS)
        .unwrap();
    assert!(image.is_empty(&NO_LIMITS).unwrap());
    assert!(none.add_dimensions(2).is_empty(&NO_LIMITS).unwrap());
    assert!(all.add_dimensions(2).is_universe(&NO_LIMITS).unwrap());
    assert_eq!(eliminate(&[], &[], &NO_LIMITS), Ok(vec![]));
    assert_eq!(simplex::irredundant(&[], &NO_LIMITS), Ok(vec![]));
    assert_eq!(AffineSpace::universe(0).affine_dimension(), Some(0));
    assert!(AffineSpace::empty(0).add_point(&[]));
    assert!(Lattice::empty(0).add_point(&[]));
}

#[test]
fn rays_without_a_point_span_nothing() {
    let ray = Generator::Ray(ints(&[1, 2]));
    let mut nothing = Polyhedron::from_generators(2, [ray.clone()]);
    assert!(nothing.is_empty(&NO_LIMITS).unwrap());
    nothing.add_generator(ray.clone(), &NO_LIMITS).unwrap();
    assert!(nothing.is_empty(&NO_LIMITS).unwrap());
    nothing
        .add_generator(Generator::integer_point(ints(&[0, 0])), &NO_LIMITS)
        .unwrap();
    assert_eq!(nothing.generators(&NO_LIMITS).unwrap().len(), 1);
    nothing.add_generator(ray, &NO_LIMITS).unwrap();
    assert_eq!(nothing.generators(&NO_LIMITS).unwrap().len(), 2);
}

/// Multiplying all coordinates by a number beyond 128 bits changes nothing but the scale: the same polyhedra come out of the
/// computation on machine words and of the one on large integers.
#[test]
fn huge_coordinates_are_scaled_small_ones() {
    let huge = (Int::ONE << 200usize) + Int::ONE;
    let mut facets = 0;
    for case in 0..300 {
        let mut random = Random::new(51_000_000 + case);
        let dimensions = 1 + random.index(4);
        let small = random.polyhedron(dimensions);
        let stretched = |dimension: usize| {
            let mut form = LinearForm::coordinate(dimensions, dimension);
            form.coefficients[dimension] = huge.clone();
            form
        };
        let forms: Vec<LinearForm> = (0..dimensions).map(stretched).collect();
        let large = small.affine_image(&forms, &NO_LIMITS).unwrap();
        let expected: Vec<Constraint> = small
            .constraints(&NO_LIMITS)
            .unwrap()
            .into_iter()
            .map(|constraint| {
                let constant = constraint.constant() * &huge;
                Constraint::new(
                    constraint.kind(),
                    constraint.coefficients().to_vec(),
                    constant,
                )
            })
            .collect();
        facets += expected.len();
        let found = Polyhedron::from_constraints(dimensions, expected.clone());
        assert!(found.equals(&large, &NO_LIMITS).unwrap());
        let back = large
            .affine_preimage(dimensions, &forms, &NO_LIMITS)
            .unwrap();
        assert!(back.equals(&small, &NO_LIMITS).unwrap());
        assert_eq!(
            simplex::is_satisfiable(&expected, &NO_LIMITS).unwrap(),
            !small.is_empty(&NO_LIMITS).unwrap()
        );
    }
    assert!(facets > 600, "{facets} constraints");
}

#[test]
fn ends_of_the_word_range_are_exact() {
    // Half of what is computed here overflows machine words.
    let (least, greatest) = (Int::from(i64::MIN), Int::from(i64::MAX));
    let corner = |x: &Int, y: &Int| Generator::integer_point(vec![x.clone(), y.clone()]);
    let square = Polyhedron::from_generators(
        2,
        [
            (&least, &least),
            (&least, &greatest),
            (&greatest, &least),
            (&greatest, &greatest),
        ]
        .map(|(x, y)| corner(x, y)),
    );
    let constraints = square.constraints(&NO_LIMITS).unwrap();
    assert_eq!(constraints.len(), 4);
    let sum = LinearForm::new(ints(&[1, 1]), Int::ZERO);
    let range = square.range(&sum, &NO_LIMITS).unwrap().unwrap();
    assert_eq!(range.minimum, Some(Rat::from(&least + &least)));
    assert_eq!(range.maximum, Some(Rat::from(&greatest + &greatest)));
}
