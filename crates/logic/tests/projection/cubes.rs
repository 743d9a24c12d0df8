//! Model-based projection of cubes, by enumeration alone: no solver takes part, so there are thousands of them.

use rhumb_logic::eval::{self, Evaluator};
use rhumb_logic::project::model_based;
use rhumb_logic::{Assignment, Int, Term, Value};

use super::generate::{Random, World};
use super::oracle::{at_points, vectors};
use super::{BOX, cases, show};

/// What stays lies between these numbers in the enumeration.
const KEPT: (i128, i128) = (-5, 5);

#[test]
fn finitely_many_projections_cover_each_cube() {
    let (mut satisfiable, mut rounds, mut most, mut literals) = (0, 0, 0, 0);
    let points = vectors(2, KEPT.0, KEPT.1);
    let cases = cases(3000);
    let mut world = World::new(2, 2, &[2, 3, 4, 6, 9, 77]);
    for seed in 0..cases {
        // Terms are never freed: a new store now and then keeps this small.
        if seed % 500 == 0 {
            world = World::new(2, 2, &[2, 3, 4, 6, 9, 77]);
        }
        let terms = &world.terms;
        let gone = world.eliminated();
        let mut random = Random::new(seed + 6_000_000);
        let count = random.between(1, 6);
        let cube: Vec<Term> = (0..count).map(|_| world.literal(&mut random)).collect();
        let formula = world.bounded(terms.and(cube), &world.gone, BOX.0 as i64, BOX.1 as i64);
        let expected = world.enumerate(formula, &points, BOX);
        satisfiable += u64::from(expected.contains(&true));
        let mut covered = vec![false; points.len()];
        let mut used = 0;
        for place in 0..points.len() {
            if !expected[place] || covered[place] {
                continue;
            }
            let model = extend(&world, formula, &points[place]);
            let cube = model_based(terms, &[formula], &gone, &model).expect("linear arithmetic");
            used += 1;
            literals += cube.len();
            assert!(
                cube.iter()
                    .all(|&literal| eval::holds(terms, literal, &model))
            );
            let part = terms.and(cube);
            assert!(
                terms
                    .symbols([part])
                    .iter()
                    .all(|symbol| world.kept.contains(symbol))
            );
            let found = at_points(terms, part, &world.kept, &points);
            for (at, found) in found.into_iter().enumerate() {
                assert!(
                    expected[at] || !found,
                    "seed {seed} at {:?}: {} gives {}",
                    points[at],
                    show(terms, formula),
                    show(terms, part)
                );
                covered[at] |= found;
            }
            assert!(covered[place], "the model is in it");
        }
        rounds += used;
        most = most.max(used);
    }
    println!(
        "{satisfiable} of {cases} satisfiable, {rounds} projections, at most {most}, {literals} literals"
    );
    assert!(satisfiable * 4 >= cases && (cases - satisfiable) * 4 >= cases);
    // A projection covers many points: one for each of the 121 would be no generalisation.
    assert!(rounds * 2 <= satisfiable * 7, "{rounds} for {satisfiable}");
    assert!(most <= 60, "{most}");
}

/// Values of what goes that make the formula true at a point where there are some.
fn extend(world: &World, formula: Term, point: &[i128]) -> Assignment {
    let inputs: Vec<_> = world
        .kept
        .iter()
        .chain(&world.gone)
        .copied()
        .chain([world.flag])
        .collect();
    let evaluator = Evaluator::new(&world.terms, &inputs, &[formula]);
    let mut frame = evaluator.frame();
    for unknown in vectors(world.gone.len(), BOX.0, BOX.1) {
        for flag in [0, 1] {
            let values: Vec<i128> = point
                .iter()
                .chain(&unknown)
                .copied()
                .chain([flag])
                .collect();
            if evaluator.holds(&mut frame, &values) == Some(true) {
                let mut model: Assignment = inputs
                    .iter()
                    .zip(&values)
                    .map(|(&symbol, &value)| (symbol, Value::Int(Int::from(value))))
                    .collect();
                model.insert(world.flag, Value::Bool(flag == 1));
                return model;
            }
        }
    }
    panic!("the enumeration found values");
}
