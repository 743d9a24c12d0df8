//! Projections against their definition.

mod generate;
mod oracle;

use generate::{Random, World};
use oracle::{at_points, enumerate, equivalent, vectors};
use rhumb_logic::project::Projector;
use rhumb_logic::{Budget, Term, Terms};
use std::time::{Duration, Instant};

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
        assert!(self.answered * 100 >= self.cases * 99, "{name}: {self:?}");
        assert!(self.satisfiable * 4 >= self.cases, "{name}: {self:?}");
        assert!(self.unsatisfiable * 4 >= self.cases, "{name}: {self:?}");
    }
}

/// The budget of one projection in a test.
fn budget() -> Budget {
    Budget::time(Duration::from_secs(2))
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
    for seed in 0..cases(1000) {
        let mut random = Random::new(seed);
        let formula = world.conjunction(&mut random);
        let formula = world.bounded(formula, &world.gone, BOX.0 as i64, BOX.1 as i64);
        let formula = world.bounded(formula, &world.kept, -9, 9);
        tally.cases += 1;
        let start = Instant::now();
        let Ok(result) = projector.exact(formula, &gone, &budget()) else {
            println!("seed {seed}: nothing for {}", show(terms, formula));
            continue;
        };
        if start.elapsed() > Duration::from_millis(500) {
            println!(
                "seed {seed}: {:?} for {}",
                start.elapsed(),
                show(terms, formula)
            );
        }
        let satisfiable = projector.session().is_sat(&[formula], &budget());
        tally.count(terms, result, satisfiable);
        assert!(
            terms
                .symbols([result])
                .iter()
                .all(|s| world.kept.contains(s))
        );
        let expected = enumerate(
            terms,
            formula,
            &world.kept,
            &world.gone,
            world.flag,
            &points,
            BOX,
        );
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
    for seed in 0..cases(120) {
        let mut random = Random::new(seed + 1_000_000);
        let formula = world.conjunction(&mut random);
        tally.cases += 1;
        let Ok(result) = projector.exact(formula, &gone, &budget()) else {
            println!("seed {seed}: nothing for {}", show(terms, formula));
            continue;
        };
        let satisfiable = projector.session().is_sat(&[formula], &budget());
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
    assert!(decided * 10 >= tally.cases * 8, "{decided} decided");
}

#[test]
fn rational_projection_is_implied() {
    let mut tally = Tally::default();
    let world = World::new(2, 2, &[2, 3, 4, 6, 100]);
    let terms = &world.terms;
    let gone = world.eliminated();
    let mut projector = Projector::new(terms.clone());
    for seed in 0..cases(300) {
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
        let session = projector.session();
        let satisfiable = session.is_sat(&[formula], &budget());
        tally.count(terms, result, satisfiable);
        let escapes = session.is_sat(&[formula, terms.not(result)], &budget());
        assert_eq!(
            escapes,
            Some(false),
            "seed {seed}: {} gives {}",
            show(terms, formula),
            show(terms, result)
        );
    }
    tally.assert_useful("rational");
}

/// Number of cases, or what the environment asks for.
fn cases(usual: u64) -> u64 {
    let asked = std::env::var("RHUMB_PROJECTION_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}
