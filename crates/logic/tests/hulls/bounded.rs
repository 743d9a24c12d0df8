//! Random formulas with `ite`, quotients, remainders and congruences over a small box, whose models can be counted out.

use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::{Budget, Int, Term};

use crate::common::{Expr, Point, Random, Scope, Shape, Test};
use crate::{LIMITS, Least};

const SIDE: i64 = 2;

const SHAPE: Shape = Shape {
    depth: 1,
    huge: false,
    products: false,
};

/// All points of the box.
fn points(scope: &Scope) -> Vec<Point> {
    let mut points = vec![Point {
        ints: Vec::new(),
        bools: Vec::new(),
    }];
    for _ in &scope.ints {
        let extended = points.iter().flat_map(|point| {
            (-SIDE..=SIDE).map(|value| {
                let mut point = point.clone();
                point.ints.push(Int::from(value));
                point
            })
        });
        points = extended.collect();
    }
    for _ in &scope.bools {
        let extended = points.iter().flat_map(|point| {
            [false, true].map(|value| {
                let mut point = point.clone();
                point.bools.push(value);
                point
            })
        });
        points = extended.collect();
    }
    points
}

fn in_the_box(scope: &Scope) -> Term {
    let terms = &scope.terms;
    let ints = scope.ints.iter();
    terms.and(ints.map(|&symbol| terms.within(-SIDE, terms.var(symbol), SIDE)))
}

/// Mostly plain: coordinates, sums, differences; now and then anything.
fn dimension(random: &mut Random, scope: &Scope) -> Expr {
    let var = |random: &mut Random| Box::new(Expr::Var(random.below(scope.ints.len())));
    match random.below(5) {
        0 | 1 => *var(random),
        2 => Expr::Sub(var(random), var(random)),
        3 => Expr::Add(var(random), var(random)),
        _ => Expr::random(random, scope, SHAPE),
    }
}

#[derive(Default)]
struct Tally {
    all: usize,
    empty: usize,
    /// Convex hulls that are neither empty nor everything.
    real: usize,
}

#[test]
fn hulls_are_the_least_around_all_models() {
    let mut tally = Tally::default();
    for seed in 0..10 {
        let mut random = Random(seed);
        let scope = Scope::new(3, 1);
        let points = points(&scope);
        let mut hulls =
            Abstraction::new(scope.terms.clone(), in_the_box(&scope), Options::default());
        for _ in 0..40 {
            let shape = Shape { depth: 2, ..SHAPE };
            let test = Test::And(
                (0..random.between(1, 3))
                    .map(|_| Test::random(&mut random, &scope, shape))
                    .collect(),
            );
            let dimensions: Vec<Expr> = (0..random.between(1, 3))
                .map(|_| dimension(&mut random, &scope))
                .collect();
            let models = points.iter().filter(|point| test.value(point));
            let images: Vec<Vec<Int>> = models
                .map(|point| dimensions.iter().map(|expr| expr.value(point)).collect())
                .collect();
            hulls.push(test.build(&scope));
            let context = format!("{test:?}\n{dimensions:?}");
            let dimensions: Vec<Term> = dimensions.iter().map(|expr| expr.build(&scope)).collect();
            compare(&mut hulls, &dimensions, &images, &mut tally, &context);
            hulls.pop();
        }
    }
    println!(
        "{} formulas, {} unsatisfiable, {} with a hull that says something",
        tally.all, tally.empty, tally.real
    );
    assert!(tally.empty * 4 >= tally.all && tally.real * 4 >= tally.all);
}

fn compare(
    hulls: &mut Abstraction,
    dimensions: &[Term],
    images: &[Vec<Int>],
    tally: &mut Tally,
    context: &str,
) {
    let budget = Budget::unlimited();
    let least = Least::around(dimensions.len(), images);
    // In turn, since each leaves models for the next.
    let turn = tally.all % 3;
    for kind in (0..4).map(|kind| (kind + turn) % 4) {
        match kind {
            0 => {
                let sides = hulls.intervals(dimensions, &budget);
                assert_eq!(sides.shape, least.sides, "{context}");
                assert!(sides.exact, "{context}");
            }
            1 => {
                let affine = hulls.affine(dimensions, &budget);
                assert_eq!(affine.shape, least.affine, "{context}");
                assert!(affine.exact, "{context}");
            }
            2 => {
                let lattice = hulls.lattice(dimensions, &budget);
                assert_eq!(lattice.shape, least.lattice, "{context}");
                assert!(lattice.exact, "{context}");
            }
            _ => {
                let hull = hulls.convex(dimensions, &budget);
                assert!(hull.exact, "{context}");
                let is_least = hull.shape.equals(&least.convex, &LIMITS).unwrap();
                assert!(is_least, "{context}");
                tally.real += usize::from(!hull.facts.is_empty() && !images.is_empty());
            }
        }
    }
    tally.all += 1;
    tally.empty += usize::from(images.is_empty());
}

#[test]
fn models_of_earlier_hulls_save_queries() {
    let (mut kept, mut fresh) = (0, 0);
    for seed in 100..110 {
        let mut random = Random(seed);
        let scope = Scope::new(3, 0);
        let test = Test::random(&mut random, &scope, Shape { depth: 2, ..SHAPE });
        let split = Test::random(&mut random, &scope, Shape { depth: 0, ..SHAPE });
        let terms = &scope.terms;
        let formula = terms.and([in_the_box(&scope), test.build(&scope)]);
        let variables: Vec<Term> = scope.ints.iter().map(|&symbol| terms.var(symbol)).collect();
        let differences = [
            terms.sub(variables[1], variables[0]),
            terms.sub(variables[2], variables[1]),
        ];
        let views: [&[Term]; 3] = [&differences, &variables[..2], &variables[1..]];
        let cells = [
            terms.bool(true),
            split.build(&scope),
            terms.not(split.build(&scope)),
        ];
        let new = || Abstraction::new(terms.clone(), formula, Options::default());
        let budget = Budget::unlimited();
        let mut session = new();
        for cell in cells {
            session.push(cell);
            for view in views {
                let reused = session.convex(view, &budget);
                let mut alone = new();
                alone.push(cell);
                let anew = alone.convex(view, &budget);
                assert!(reused.exact && anew.exact);
                assert_eq!(reused.facts, anew.facts, "{test:?} {split:?}");
                fresh += alone.statistics().total().queries();
            }
            session.pop();
        }
        kept += session.statistics().total().queries();
    }
    println!("queries: {kept} with models kept, {fresh} without");
    assert!(kept * 4 < fresh * 3);
}
