//! Linear programming and Fourier-Motzkin elimination against the double description.

use rhumb_logic::domain::fourier_motzkin::{eliminate, eliminate_by_bounds};
use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::domain::{Constraint, Kind, simplex};

use crate::support::{NO_LIMITS, Random};

#[test]
fn irredundant_constraints_are_needed_and_suffice() {
    let (mut empty, mut dropped) = (0, 0);
    const CASES: usize = 2000;
    for case in 0..CASES {
        let mut random = Random::new(20_000_000 + case as u64);
        let dimensions = random.index(5);
        let system = if random.chance(40) {
            random.satisfiable_system(dimensions)
        } else {
            random.system(dimensions)
        };
        let kept = simplex::irredundant(&system, &NO_LIMITS).unwrap();
        let polyhedron = Polyhedron::from_constraints(dimensions, system.clone());
        let same = Polyhedron::from_constraints(dimensions, kept.clone());
        assert!(polyhedron.equals(&same, &NO_LIMITS).unwrap());
        if polyhedron.is_empty(&NO_LIMITS).unwrap() {
            empty += 1;
            assert_eq!(kept, [Constraint::never(dimensions)]);
            continue;
        }
        dropped += usize::from(kept.len() < system.len());
        for (position, constraint) in kept.iter().enumerate() {
            if constraint.kind() == Kind::Ge {
                let mut rest = kept.clone();
                rest.remove(position);
                assert!(!simplex::entails(&rest, constraint, &NO_LIMITS).unwrap());
            }
        }
    }
    assert!(
        4 * empty > CASES && 5 * dropped > CASES,
        "{empty} empty, {dropped} dropped"
    );
}

#[test]
fn entailment_agrees_with_generators() {
    let (mut yes, mut no) = (0, 0);
    for case in 0..3000 {
        let mut random = Random::new(21_000_000 + case);
        let dimensions = random.index(5);
        let system = random.satisfiable_system(dimensions);
        let conclusion = if random.chance(50) {
            let implied = random.satisfiable_system(dimensions);
            implied
                .first()
                .cloned()
                .unwrap_or_else(|| random.constraint(dimensions))
        } else {
            random.constraint(dimensions)
        };
        let polyhedron = Polyhedron::from_constraints(dimensions, system.clone());
        let expected = polyhedron.entails(&conclusion, &NO_LIMITS).unwrap();
        *(if expected { &mut yes } else { &mut no }) += 1;
        assert_eq!(
            simplex::entails(&system, &conclusion, &NO_LIMITS).unwrap(),
            expected
        );
    }
    assert!(yes > 300 && no > 300, "{yes} yes, {no} no");
}

#[test]
fn elimination_of_larger_systems_is_projection() {
    let mut real = 0;
    for case in 0..25 {
        let mut random = Random::new(22_000_000 + case);
        let dimensions = 5 + random.index(2);
        let mut system = Vec::new();
        while system.len() < 12 {
            system.extend(random.satisfiable_system(dimensions));
            // All around one point, so that the system stays satisfiable.
            if !simplex::is_satisfiable(&system, &NO_LIMITS).unwrap() {
                system.clear();
            }
        }
        system.truncate(14);
        let gone: Vec<usize> = (0..dimensions).filter(|_| random.chance(60)).collect();
        let eliminated = eliminate(&system, &gone, &NO_LIMITS).unwrap();
        for constraint in &eliminated {
            assert!(
                gone.iter()
                    .all(|&dimension| constraint.coefficients()[dimension].is_zero())
            );
        }
        let expected = Polyhedron::from_constraints(dimensions, system.clone())
            .forget(&gone, &NO_LIMITS)
            .unwrap();
        let found = Polyhedron::from_constraints(dimensions, eliminated);
        assert!(found.equals(&expected, &NO_LIMITS).unwrap());
        let by_bounds = eliminate_by_bounds(&system, &gone, &NO_LIMITS).unwrap();
        let by_bounds = Polyhedron::from_constraints(dimensions, by_bounds);
        assert!(by_bounds.equals(&expected, &NO_LIMITS).unwrap());
        real += usize::from(gone.len() > 1 && !found.is_universe(&NO_LIMITS).unwrap());
    }
    assert!(real > 12, "{real} real projections");
}
