//! Huge numbers, budgets that are used up, and what linear arithmetic can't take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::domain::DomainLimits;
use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::term::FunctionInfo;
use rhumb_logic::{Budget, Int, Op, Sort, Term, Terms};

fn two() -> (Arc<Terms>, Term, Term) {
    let terms = Arc::new(Terms::new());
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::Int));
    (terms, x, y)
}

fn seconds(count: u64) -> Budget {
    Budget::time(Duration::from_secs(count))
}

#[test]
fn nothing_has_the_empty_hull() {
    let (terms, x, _) = two();
    let never = terms.and([terms.divides(2, x), terms.congruent(x, 4, 1)]);
    let mut hulls = Abstraction::new(terms.clone(), never, Options::default());
    for dimensions in [&[x][..], &[]] {
        let budget = Budget::unlimited();
        let said = [
            hulls
                .intervals(dimensions, &budget)
                .to_formula(&terms, dimensions),
            hulls
                .affine(dimensions, &budget)
                .to_formula(&terms, dimensions),
            hulls
                .lattice(dimensions, &budget)
                .to_formula(&terms, dimensions),
            hulls
                .convex(dimensions, &budget)
                .to_formula(&terms, dimensions),
        ];
        assert!(said.iter().all(|&said| terms.as_bool(said) == Some(false)));
    }
}

#[test]
fn huge_numbers_are_numbers() {
    let (terms, x, y) = two();
    let huge = Int::ONE << 300_usize;
    // x = 2^300 y and 5 <= x + y <= 2^301
    let formula = terms.and([
        terms.eq(x, terms.scale(huge.clone(), y)),
        terms.within(5, terms.add(x, y), &huge * 2),
    ]);
    let mut hulls = Abstraction::new(terms.clone(), formula, Options::default());
    let budget = seconds(20);
    let only = terms.and([
        terms.eq(x, terms.int(huge.clone())),
        terms.eq(y, terms.int(1)),
    ]);
    let dimensions = [x, y];
    assert_eq!(
        hulls
            .lattice(&dimensions, &budget)
            .to_formula(&terms, &dimensions),
        only
    );
    assert_eq!(
        hulls
            .intervals(&dimensions, &budget)
            .to_formula(&terms, &dimensions),
        only
    );
    let hull = hulls.convex(&dimensions, &budget);
    assert!(hull.exact);
    assert_eq!(
        hull.to_formula(&terms, &dimensions),
        terms.and([terms.eq(y, terms.int(1)), terms.eq(x, terms.int(huge))])
    );
}

#[test]
fn what_is_not_linear_is_bounded_by_the_solver() {
    let (terms, x, y) = two();
    // x = y * y and -3 <= y <= 5: the values of x are 0 .. 25.
    let square = terms.and([terms.eq(x, terms.mul(y, y)), terms.within(-3, y, 5)]);
    let mut hulls = Abstraction::new(terms.clone(), square, Options::default());
    let sides = hulls.intervals(&[x, y], &seconds(20));
    assert_eq!(
        sides.to_formula(&terms, &[x, y]),
        terms.and([terms.within(0, x, 25), terms.within(-3, y, 5)])
    );
    let hull = hulls.convex(&[x, y], &seconds(20));
    assert!(!hull.exact && !hull.facts.is_empty());
    let symbols = [x, y].map(|term| terms.as_symbol(term).unwrap());
    for value in -3..=5_i64 {
        let model = symbols
            .into_iter()
            .zip([value * value, value].map(|n| rhumb_logic::Value::Int(Int::from(n))));
        assert!(rhumb_logic::eval::holds(
            &terms,
            hull.to_formula(&terms, &[x, y]),
            &model.collect()
        ));
    }
}

#[test]
fn uninterpreted_functions_and_other_theories_are_no_obstacle() {
    let (terms, x, y) = two();
    let function = terms.function(FunctionInfo {
        name: "f".into(),
        params: [Sort::Int].into(),
        result: Sort::Int,
    });
    let image = terms.apply(function, [x]);
    let byte = terms.op(Op::BvToInt, [terms.fresh("b", Sort::BitVec(8))]);
    let formula = terms.and([
        terms.within(0, image, 9),
        terms.eq(y, terms.add(byte, terms.scale(2, x))),
        terms.within(1, x, 2),
    ]);
    let mut hulls = Abstraction::new(terms.clone(), formula, Options::default());
    assert_eq!(
        hulls
            .intervals(&[x, y], &seconds(20))
            .to_formula(&terms, &[x, y]),
        terms.and([terms.within(1, x, 2), terms.within(2, y, 259)])
    );
    // The value of f(x) is in no model.
    let unknown = hulls.convex(&[x, image], &seconds(20));
    assert!(!unknown.exact);
    let said = unknown.to_formula(&terms, &[x, image]);
    assert_eq!(said, terms.within(1, x, 2));
}

#[test]
fn a_spent_budget_gives_a_larger_hull() {
    let (terms, x, y) = two();
    let corner = |a: i64, b: i64| terms.and([terms.eq(x, terms.int(a)), terms.eq(y, terms.int(b))]);
    let formula = terms.or((0..12).map(|k| corner(k, k * k)));
    let start = Instant::now();
    let budgets = [
        (Options::default(), Budget::time(Duration::ZERO)),
        (
            Options {
                rounds: 0,
                ..Options::default()
            },
            Budget::unlimited(),
        ),
        (
            Options {
                rounds: 3,
                ..Options::default()
            },
            Budget::unlimited(),
        ),
        (
            Options {
                limits: DomainLimits {
                    rows: 2,
                    ..DomainLimits::default()
                },
                ..Options::default()
            },
            Budget::unlimited(),
        ),
    ];
    for (options, budget) in budgets {
        let mut hulls = Abstraction::new(terms.clone(), formula, options);
        let hull = hulls.convex(&[x, y], &budget);
        assert!(!hull.exact);
        let said = hull.to_formula(&terms, &[x, y]);
        let mut check = Abstraction::new(
            terms.clone(),
            terms.and([formula, terms.not(said)]),
            Options::default(),
        );
        assert!(check.affine(&[x], &Budget::unlimited()).shape.is_empty());
    }
    let cancelled = Budget::unlimited();
    cancelled.cancel.cancel();
    let mut hulls = Abstraction::new(terms.clone(), formula, Options::default());
    assert!(!hulls.intervals(&[x], &cancelled).exact && !hulls.lattice(&[x], &cancelled).exact);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn cubes_that_are_too_large_to_project_are_taken_in_parts() {
    let (terms, x, y) = two();
    let others: Vec<Term> = (0..6)
        .map(|index| terms.fresh(format!("z{index}"), Sort::Int))
        .collect();
    // x <= z_i <= y for all i, and 0 <= x, y <= 10
    let between = others
        .iter()
        .flat_map(|&z| [terms.le(x, z), terms.le(z, y)]);
    let formula = terms.and(between.chain([terms.ge(x, terms.int(0)), terms.le(y, terms.int(10))]));
    let stingy = Options {
        projection: DomainLimits {
            rows: 2,
            work: 10,
            bits: 64,
        },
        ..Options::default()
    };
    let budget = seconds(20);
    let hull = Abstraction::new(terms.clone(), formula, stingy).convex(&[x, y], &budget);
    let usual =
        Abstraction::new(terms.clone(), formula, Options::default()).convex(&[x, y], &budget);
    assert!(hull.exact && usual.exact);
    assert_eq!(hull.facts, usual.facts);
}

#[test]
fn models_from_elsewhere_are_checked() {
    let (terms, x, _) = two();
    let mut hulls = Abstraction::new(terms.clone(), terms.within(0, x, 9), Options::default());
    let model = |value: i64| {
        std::iter::once((
            terms.as_symbol(x).unwrap(),
            rhumb_logic::Value::Int(Int::from(value)),
        ))
        .collect()
    };
    assert!(hulls.add_model(model(9)) && !hulls.add_model(model(10)));
    hulls.push(terms.le(x, terms.int(5)));
    assert!(!hulls.add_model(model(9)) && hulls.add_model(model(5)));
    assert_eq!(hulls.models().count(), 1);
    hulls.pop();
    assert_eq!(hulls.models().count(), 2);
}
