//! Projections against their definition.

mod generate;
mod oracle;

use generate::{Random, World};
use oracle::{at_points, enumerate, equivalent, vectors};
use rhumb_logic::project::Projector;
use rhumb_logic::{Answer, Budget, Session, SessionOptions, Term, Terms};

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

#[test]
fn exact_projection_equals_enumeration() {
    let mut tally = Tally::default();
    let points = vectors(2, -7, 7);
    for seed in 0..1200 {
        let mut random = Random::new(seed);
        let world = World::new(2, 2, &[2, 3, 4, 5, 7]);
        let terms = &world.terms;
        let formula = world.conjunction(&mut random);
        let formula = world.bounded(formula, BOX.0 as i64, BOX.1 as i64);
        let gone = world.eliminated();
        tally.cases += 1;
        let expected = enumerate(
            terms,
            formula,
            &world.kept,
            &world.gone,
            world.flag,
            &points,
            BOX,
        );
        let mut projector = Projector::new(terms.clone());
        let Ok(result) = projector.exact(formula, &gone, &Budget::unlimited()) else {
            continue;
        };
        tally.answered += 1;
        tally.largest = tally.largest.max(terms.size(result));
        tally.total_size += terms.size(result);
        assert!(
            terms
                .symbols([result])
                .iter()
                .all(|s| world.kept.contains(s))
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
        let satisfiable = projector.session().is_sat(&[formula], &Budget::unlimited());
        match satisfiable {
            Some(true) => tally.satisfiable += 1,
            Some(false) => tally.unsatisfiable += 1,
            None => {}
        }
    }
    tally.assert_useful("exact, bounded");
}

#[test]
fn exact_projection_equals_the_solvers_quantifier() {
    let mut tally = Tally::default();
    let mut decided = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed + 1_000_000);
        let world = World::new(2, 2, &[2, 3, 4, 6, 100, 1 << 32]);
        let terms = &world.terms;
        let formula = world.conjunction(&mut random);
        let gone = world.eliminated();
        tally.cases += 1;
        let mut projector = Projector::new(terms.clone());
        let budget = Budget::unlimited();
        let Ok(result) = projector.exact(formula, &gone, &budget) else {
            continue;
        };
        tally.answered += 1;
        tally.largest = tally.largest.max(terms.size(result));
        tally.total_size += terms.size(result);
        match projector.session().is_sat(&[formula], &budget) {
            Some(true) => tally.satisfiable += 1,
            Some(false) => tally.unsatisfiable += 1,
            None => {}
        }
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
    for seed in 0..500 {
        let mut random = Random::new(seed + 2_000_000);
        let world = World::new(2, 2, &[2, 3, 4, 6, 100]);
        let terms = &world.terms;
        let formula = world.conjunction(&mut random);
        tally.cases += 1;
        let mut projector = Projector::new(terms.clone());
        let budget = Budget::unlimited();
        let Ok(result) = projector.rational(formula, &world.eliminated(), &budget) else {
            continue;
        };
        assert!(
            terms
                .symbols([result])
                .iter()
                .all(|s| world.kept.contains(s))
        );
        tally.answered += 1;
        tally.largest = tally.largest.max(terms.size(result));
        tally.total_size += terms.size(result);
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(formula);
        match session.check(&budget) {
            Answer::Sat(_) => tally.satisfiable += 1,
            Answer::Unsat(_) => tally.unsatisfiable += 1,
            Answer::Unknown(_) => {}
        }
        assert_eq!(
            session.entails(result, &budget),
            Some(true),
            "seed {seed}: {} gives {}",
            show(terms, formula),
            show(terms, result)
        );
    }
    tally.assert_useful("rational");
}
