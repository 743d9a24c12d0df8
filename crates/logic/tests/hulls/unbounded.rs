//! Cones and lattices with known generators: the terms are a base plus multiples of some vectors, where the multipliers are existential.

use std::sync::Arc;

use rhumb_logic::domain::affine::AffineSpace;
use rhumb_logic::domain::interval::{Interval, IntervalBox};
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::polyhedron::{Generator, Polyhedron};
use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::num::dot;
use rhumb_logic::{Budget, Int, Sort, Term, Terms};

use crate::common::Random;
use crate::{LIMITS, vector};

const DIMENSIONS: usize = 3;

/// `base + sum of k_i * vectors_i`, where each `k_i` is not negative, or any integer.
struct Cone {
    base: Vec<i64>,
    vectors: Vec<(Vec<i64>, bool)>,
}

fn cone(random: &mut Random) -> Cone {
    let mut vector =
        |low, high| -> Vec<i64> { (0..DIMENSIONS).map(|_| random.between(low, high)).collect() };
    let base = vector(-20, 20);
    let vectors = [vector(-4, 4), vector(-4, 4), vector(0, 6)];
    let count = random.between(0, 3) as usize;
    let vectors = vectors
        .into_iter()
        .take(count)
        .map(|vector| (vector, random.chance(70)));
    Cone {
        base,
        vectors: vectors.collect(),
    }
}

impl Cone {
    fn build(&self, terms: &Terms, dimensions: &[Term]) -> Term {
        let mut values: Vec<Term> = self.base.iter().map(|&entry| terms.int(entry)).collect();
        let mut facts = Vec::new();
        for (vector, is_ray) in &self.vectors {
            let multiplier = terms.fresh("k", Sort::Int);
            if *is_ray {
                facts.push(terms.ge(multiplier, terms.int(0)));
            }
            for (value, &entry) in values.iter_mut().zip(vector) {
                *value = terms.add(*value, terms.scale(entry, multiplier));
            }
        }
        let pairs = dimensions.iter().zip(values);
        facts.extend(pairs.map(|(&dimension, value)| terms.eq(dimension, value)));
        terms.and(facts)
    }

    fn convex(&self) -> Polyhedron {
        let rays = self
            .vectors
            .iter()
            .filter(|(vector, _)| vector.iter().any(|&entry| entry != 0));
        let rays = rays.map(|(entries, is_ray)| match is_ray {
            true => Generator::Ray(vector(entries)),
            false => Generator::Line(vector(entries)),
        });
        let base = Generator::integer_point(vector(&self.base));
        Polyhedron::from_generators(DIMENSIONS, rays.chain([base]))
    }

    /// Enough points to span its lattice.
    fn points(&self) -> Vec<Vec<Int>> {
        let steps = self.vectors.iter().map(|(vector, _)| {
            let entries = self.base.iter().zip(vector);
            entries.map(|(a, b)| Int::from(a + b)).collect()
        });
        steps.chain([vector(&self.base)]).collect()
    }

    fn sides(&self) -> IntervalBox {
        let side = |index: usize| {
            let grows = |sign: i64| {
                self.vectors.iter().any(|(vector, is_ray)| {
                    vector[index] * sign > 0 || !is_ray && vector[index] != 0
                })
            };
            let base = Int::from(self.base[index]);
            Interval::new(
                (!grows(-1)).then(|| base.clone()),
                (!grows(1)).then(|| base.clone()),
            )
        };
        IntervalBox::new((0..DIMENSIONS).map(side).collect())
    }
}

#[test]
fn unbounded_hulls_are_found_and_are_the_least() {
    let (mut all, mut top) = (0, 0);
    let terms = Arc::new(Terms::new());
    let dimensions: Vec<Term> = (0..DIMENSIONS)
        .map(|_| terms.fresh("x", Sort::Int))
        .collect();
    let mut hulls = Abstraction::new(terms.clone(), terms.bool(true), Options::default());
    for seed in 0..300 {
        let mut random = Random(seed);
        let parts: Vec<Cone> = (0..random.between(1, 2))
            .map(|_| cone(&mut random))
            .collect();
        let formula = terms.or(parts.iter().map(|part| part.build(&terms, &dimensions)));
        hulls.push(formula);
        let budget = Budget::unlimited();

        let (mut affine, mut lattice) =
            (AffineSpace::empty(DIMENSIONS), Lattice::empty(DIMENSIONS));
        let (mut convex, mut sides) = (
            Polyhedron::empty(DIMENSIONS),
            IntervalBox::empty(DIMENSIONS),
        );
        for part in &parts {
            convex = convex.join(&part.convex(), &LIMITS).unwrap();
            sides = sides.join(&part.sides());
            for point in part.points() {
                affine.add_integer_point(&point);
                lattice.add_point(&point);
            }
        }
        assert_eq!(
            hulls.lattice(&dimensions, &budget).shape,
            lattice,
            "seed {seed}"
        );
        assert_eq!(
            hulls.affine(&dimensions, &budget).shape,
            affine,
            "seed {seed}"
        );
        assert_eq!(
            hulls.intervals(&dimensions, &budget).shape,
            sides,
            "seed {seed}"
        );
        let hull = hulls.convex(&dimensions, &budget);
        assert!(
            hull.exact && hull.shape.equals(&convex, &LIMITS).unwrap(),
            "seed {seed}"
        );
        hulls.pop();
        // The formula of the hull says the same as its constraints.
        let said = hull.to_formula(&terms, &dimensions);
        let point: Vec<Int> = (0..DIMENSIONS)
            .map(|_| Int::from(random.between(-30, 30)))
            .collect();
        let symbols = dimensions.iter().filter_map(|&term| terms.as_symbol(term));
        let model = symbols
            .zip(point.iter().cloned().map(rhumb_logic::Value::Int))
            .collect();
        let inside = hull.facts.constraints.iter().all(|constraint| {
            let value = dot(constraint.coefficients(), &point) + constraint.constant();
            value.is_zero()
                || value > Int::ZERO && constraint.kind() == rhumb_logic::domain::Kind::Ge
        });
        assert_eq!(
            rhumb_logic::eval::holds(&terms, said, &model),
            inside,
            "seed {seed}"
        );
        all += 1;
        top += usize::from(convex.is_universe(&LIMITS).unwrap());
    }
    println!("{all} formulas, {top} with everything as their hull");
    assert!(top * 2 <= all);
}
