//! Projections against their definition.
#![allow(clippy::print_stdout)]

mod cubes;
mod extremes;
mod generate;
mod oracle;
mod shapes;

use std::time::Duration;

use generate::{Random, World};
use oracle::{at_points, equivalent, vectors};
use rhumb_logic::cube::implicant;
use rhumb_logic::project::{Lazy, Projector, Verdict, model_based};
use rhumb_logic::{Answer, Assignment, Budget, Term, Terms, eval};

const BOX: (i128, i128) = (-3, 3);

fn show(terms: &Terms, term: Term) -> String {
    terms.display(term).to_string()
}

/// How many cases had an answer, and how many of those were satisfiable.
#[derive(Default, Debug)]
struct Tally {
    cases: usize,
    answered: usize,
    satisfiable: usize,
    unsatisfiable: usize,
    largest: usize,
    total_size: usize,
}

impl Tally {
    fn assert_useful(&self, name: &str) {
        println!("{name}: {self:?}");
        assert!(self.answered * 100 >= self.cases * 85, "{name}: {self:?}");
        assert!(self.satisfiable * 4 >= self.cases, "{name}: {self:?}");
        assert!(self.unsatisfiable * 4 >= self.cases, "{name}: {self:?}");
    }
}

/// Whether formulas can hold together. Asserted, not assumed, so that the session is as it was.
fn is_sat(projector: &mut Projector, formulas: &[Term]) -> Option<bool> {
    let session = projector.session();
    session.push();
    formulas.iter().for_each(|&formula| session.assert(formula));
    let answer = session.is_sat(&[], &budget());
    session.pop();
    answer
}

/// The budget of one projection in a test: resource units, so that the outcome doesn't depend on the machine.
fn budget() -> Budget {
    Budget::time(Duration::from_secs(60)).with_units(150_000)
}

impl Tally {
    fn count(&mut self, terms: &Terms, result: Term, satisfiable: Option<bool>) {
        self.answered += 1;
        self.largest = self.largest.max(terms.size(result));
        self.total_size += terms.size(result);
        match satisfiable {
            Some(true) => self.satisfiable += 1,
            Some(false) => self.unsatisfiable += 1,
            None => {}
        }
    }
}

#[test]
fn exact_projection_equals_enumeration() {
    let mut tally = Tally::default();
    let points = vectors(2, -7, 7);
    let world = World::new(2, 2, &[2, 3, 4, 5, 7]);
    let terms = &world.terms;
    let gone = world.eliminated();
    let mut projector = Projector::new(terms.clone());
    for seed in 0..cases(250) {
        let mut random = Random::new(seed);
        let formula = world.conjunction(&mut random);
        let formula = world.bounded(formula, &world.gone, BOX.0 as i64, BOX.1 as i64);
        let formula = world.bounded(formula, &world.kept, -9, 9);
        tally.cases += 1;
        let Ok(result) = projector.exact(formula, &gone, &budget()) else {
            continue;
        };
        let satisfiable = is_sat(&mut projector, &[formula]);
        tally.count(terms, result, satisfiable);
        assert!(
            terms
                .symbols([result])
                .iter()
                .all(|s| world.kept.contains(s))
        );
        let expected = world.enumerate(formula, &points, BOX);
        let found = at_points(terms, result, &world.kept, &points);
        for ((point, expected), found) in points.iter().zip(&expected).zip(&found) {
            assert_eq!(
                expected,
                found,
                "seed {seed} at {point:?}: {} gives {}",
                show(terms, formula),
                show(terms, result)
            );
        }
    }
    tally.assert_useful("exact, bounded");
}

#[test]
fn exact_projection_equals_the_solvers_quantifier() {
    let mut tally = Tally::default();
    let mut decided = 0;
    let world = World::new(2, 2, &[2, 3, 4, 6, 100, 1 << 32]);
    let terms = &world.terms;
    let gone = world.eliminated();
    let mut projector = Projector::new(terms.clone());
    for seed in 0..cases(60) {
        let mut random = Random::new(seed + 1_000_000);
        let formula = world.conjunction(&mut random);
        tally.cases += 1;
        let Ok(result) = projector.exact(formula, &gone, &budget()) else {
            continue;
        };
        let satisfiable = is_sat(&mut projector, &[formula]);
        tally.count(terms, result, satisfiable);
        let verdict = equivalent(terms, formula, &gone, result);
        assert_ne!(
            verdict,
            Some(false),
            "seed {seed}: {} gives {}",
            show(terms, formula),
            show(terms, result)
        );
        decided += usize::from(verdict.is_some());
    }
    println!("decided: {decided}");
    tally.assert_useful("exact, unbounded");
    assert!(decided * 10 >= tally.cases * 7, "{decided} decided");
}

#[test]
fn rational_projection_is_implied() {
    let mut tally = Tally::default();
    let (mut unknown, mut compared, mut equal) = (0, 0, 0);
    let points = vectors(2, -9, 9);
    let world = World::new(2, 2, &[2, 3, 4, 6, 100]);
    let terms = &world.terms;
    let gone = world.eliminated();
    let mut projector = Projector::new(terms.clone());
    for seed in 0..cases(200) {
        let mut random = Random::new(seed + 2_000_000);
        let formula = world.conjunction(&mut random);
        tally.cases += 1;
        let Ok(result) = projector.rational(formula, &gone, &budget()) else {
            continue;
        };
        assert!(
            terms
                .symbols([result])
                .iter()
                .all(|s| world.kept.contains(s))
        );
        let satisfiable = is_sat(&mut projector, &[formula]);
        tally.count(terms, result, satisfiable);
        if let Ok(exact) = projector.exact(formula, &gone, &budget()) {
            let of = |formula| at_points(terms, formula, &world.kept, &points);
            compared += 1;
            equal += usize::from(of(exact) == of(result));
        }
        let escapes = is_sat(&mut projector, &[formula, terms.not(result)]);
        unknown += usize::from(escapes.is_none());
        assert_ne!(
            escapes,
            Some(true),
            "seed {seed}: {} gives {}",
            show(terms, formula),
            show(terms, result)
        );
    }
    tally.assert_useful("rational");
    println!("{equal} of {compared} like the exact one near zero");
    assert!(unknown * 20 <= tally.cases, "{unknown} not decided");
    assert!(equal * 4 >= compared * 3, "{equal} of {compared}");
}

/// A model of a formula.
fn model(projector: &mut Projector, formula: Term) -> Option<Assignment> {
    let session = projector.session();
    session.push();
    session.assert(formula);
    let answer = session.check(&budget());
    session.pop();
    match answer {
        Answer::Sat(model) => Some(model.into_assignment()),
        _ => None,
    }
}

#[test]
fn implicants_hold_and_imply() {
    let world = World::new(2, 2, &[2, 3, 4, 6, 100]);
    let terms = &world.terms;
    let mut projector = Projector::new(terms.clone());
    let (mut found, mut literals, mut atoms) = (0, 0, 0);
    for seed in 0..cases(400) {
        let mut random = Random::new(seed + 3_000_000);
        let formula = world.formula(&mut random, 3);
        let Some(model) = model(&mut projector, formula) else {
            continue;
        };
        let cube = implicant(terms, formula, &model).expect("linear arithmetic can be evaluated");
        assert!(
            cube.iter()
                .all(|&literal| eval::holds(terms, literal, &model))
        );
        let together = terms.and(cube.iter().copied());
        let escapes = is_sat(&mut projector, &[together, terms.not(formula)]);
        assert_ne!(escapes, Some(true), "seed {seed}: {}", show(terms, formula));
        assert_eq!(implicant(terms, terms.not(formula), &model), None);
        found += 1;
        literals += cube.len();
        atoms += terms
            .postorder([formula])
            .iter()
            .filter(|&&term| is_atom(terms, term))
            .count();
    }
    println!("{found} implicants: {literals} literals of {atoms} atoms");
    assert!(found * 2 >= cases(400) as usize, "{found}");
    assert!(literals * 10 <= atoms * 8, "{literals} of {atoms}");
}

fn is_atom(terms: &Terms, term: Term) -> bool {
    use rhumb_logic::Node;
    matches!(
        terms.node(term),
        Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..)
    )
}

/// Model-based projections of one cube after the other, until they cover the whole formula.
#[test]
fn model_based_projections_cover_from_below() {
    let world = World::new(2, 2, &[2, 3, 5, 90]);
    let terms = &world.terms;
    let gone = world.eliminated();
    let points = vectors(2, -6, 6);
    let mut projector = Projector::new(terms.clone());
    let (mut covered, mut satisfiable, mut rounds, mut most) = (0, 0, 0, 0);
    let cases = cases(250);
    for seed in 0..cases {
        let mut random = Random::new(seed + 4_000_000);
        let formula = world.conjunction(&mut random);
        let formula = world.bounded(formula, &world.gone, BOX.0 as i64, BOX.1 as i64);
        let formula = world.bounded(formula, &world.kept, -6, 6);
        let expected = world.enumerate(formula, &points, BOX);
        satisfiable += u64::from(expected.contains(&true));
        let mut left = formula;
        for round in 0..60 {
            let Some(model) = model(&mut projector, left) else {
                covered += u64::from(is_sat(&mut projector, &[left]) == Some(false));
                rounds += round;
                most = most.max(round);
                break;
            };
            let cube = implicant(terms, formula, &model).expect("a model of the formula");
            let cube = model_based(terms, &cube, &gone, &model).expect("linear arithmetic");
            assert!(
                cube.iter()
                    .all(|&literal| eval::holds(terms, literal, &model))
            );
            let part = terms.and(cube);
            assert!(terms.symbols([part]).iter().all(|s| world.kept.contains(s)));
            let found = at_points(terms, part, &world.kept, &points);
            for ((point, expected), found) in points.iter().zip(&expected).zip(&found) {
                assert!(
                    *expected || !found,
                    "seed {seed} at {point:?}: {} gives {}",
                    show(terms, formula),
                    show(terms, part)
                );
            }
            left = terms.and([left, terms.not(part)]);
        }
    }
    println!(
        "{covered} of {cases} covered, {satisfiable} satisfiable, {rounds} rounds, at most {most}"
    );
    assert!(covered * 100 >= cases * 97, "{covered}");
    assert!(satisfiable * 4 >= cases && (cases - satisfiable) * 4 >= cases);
}

/// A prefix that contradicts the formula, or not: what lazy projection is for.
#[test]
fn lazy_projection_is_implied_and_refutes() {
    let world = World::new(2, 2, &[2, 3, 4, 90]);
    let terms = &world.terms;
    let gone = world.eliminated();
    let mut projector = Projector::new(terms.clone());
    let (mut accepted, mut hopeless, mut spent, mut smaller, mut compared) = (0, 0, 0, 0, 0);
    let cases = cases(100);
    for seed in 0..cases {
        let mut random = Random::new(seed + 5_000_000);
        let formula = world.conjunction(&mut random);
        let other = World {
            terms: terms.clone(),
            kept: world.kept.clone(),
            gone: world.kept.clone(),
            flag: world.flag,
            divisors: world.divisors.clone(),
        };
        let prefix = other.formula(&mut random, 2);
        let prefix = terms.substitute(
            prefix,
            &[(world.flag, terms.bool(false))].into_iter().collect(),
        );
        let contradicts = is_sat(&mut projector, &[formula, prefix]).map(|sat| !sat);
        let mut judge = Projector::new(terms.clone());
        let mut accept = |candidate: Term| match model(&mut judge, terms.and([candidate, prefix])) {
            None => Verdict::Accepted,
            model => Verdict::Rejected(model),
        };
        match projector.lazy(formula, &gone, &budget(), &mut accept) {
            Ok(Lazy::Accepted(result, _)) => {
                accepted += 1;
                assert_ne!(contradicts, Some(false), "seed {seed}");
                assert!(
                    terms
                        .symbols([result])
                        .iter()
                        .all(|s| world.kept.contains(s))
                );
                for question in [[formula, terms.not(result)], [result, prefix]] {
                    assert_ne!(
                        is_sat(&mut projector, &question),
                        Some(true),
                        "seed {seed}: {} gives {}",
                        show(terms, formula),
                        show(terms, result)
                    );
                }
                if let Ok(exact) = projector.exact(formula, &gone, &budget()) {
                    compared += 1;
                    smaller += u64::from(terms.size(result) <= terms.size(exact));
                }
            }
            Ok(Lazy::Hopeless(model)) => {
                hopeless += 1;
                assert_ne!(contradicts, Some(true), "seed {seed}: {model:?}");
            }
            Err(_) => spent += 1,
        }
    }
    println!(
        "{accepted} accepted, {hopeless} hopeless, {spent} spent, {smaller} of {compared} not larger"
    );
    assert!(accepted * 4 >= cases, "{accepted}");
    assert!(hopeless * 8 >= cases, "{hopeless}");
    assert!(spent * 20 <= cases, "{spent}");
    assert!(smaller * 4 >= compared * 3, "{smaller} of {compared}");
}

/// Number of cases, or what the environment asks for.
fn cases(usual: u64) -> u64 {
    let asked = std::env::var("RHUMB_PROJECTION_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}
