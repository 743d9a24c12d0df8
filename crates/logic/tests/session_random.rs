//! Sessions against enumeration, on random formulas over a small box.

mod random;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use random::{Formula, Variables, formula, points};
use rhumb_logic::term::RelationInfo;
use rhumb_logic::{Answer, Budget, Session, SessionOptions, Terms};

const CASES: u32 = 2000;

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    })
}

fn budget() -> Budget {
    Budget::time(Duration::from_secs(30)).with_units(1_000_000)
}

/// What was seen, so that a test says how much it has tested.
#[derive(Default, Debug)]
struct Seen {
    sat: u32,
    unsat: u32,
    unknown: u32,
    smaller_cores: u32,
}

struct Fixture {
    terms: Arc<Terms>,
    vars: Variables,
    session: Session,
    seen: Seen,
}

impl Fixture {
    fn new() -> Fixture {
        let terms = Arc::new(Terms::new());
        let vars = Variables::new(&terms);
        let mut session = Session::new(Arc::clone(&terms), SessionOptions::default());
        session.assert(vars.range(&terms));
        Fixture {
            terms,
            vars,
            session,
            seen: Seen::default(),
        }
    }

    /// The first formulas are asserted, each on a level of its own, the others assumed.
    fn case(&mut self, formulas: &[Formula], asserted: usize) -> Result<(), TestCaseError> {
        let terms = Arc::clone(&self.terms);
        let all: Vec<_> = formulas
            .iter()
            .map(|f| f.term(&terms, &self.vars))
            .collect();
        let (below, above) = all.split_at(asserted.min(all.len()));
        let before = self.session.level();
        for &formula in below {
            self.session.push();
            self.session.assert(formula);
        }
        let holds = |some: &[&Formula]| points().find(|p| some.iter().all(|f| f.eval(p)));
        let expected = holds(&formulas.iter().collect::<Vec<_>>());
        match self.session.check_assuming(above, &budget()) {
            Answer::Sat(model) => {
                self.seen.sat += 1;
                prop_assert!(expected.is_some(), "there is no model");
                prop_assert!(model.is_complete());
                let point = self.vars.point(|symbol| model.value(symbol));
                let real = formulas.iter().all(|formula| formula.eval(&point));
                prop_assert!(real, "{point:?} is no model");
            }
            Answer::Unsat(core) => {
                self.seen.unsat += 1;
                prop_assert_eq!(expected, None);
                prop_assert!(core.iter().all(|member| above.contains(member)));
                let least = self.session.minimise_core(&core, &budget());
                self.seen.smaller_cores += u32::from(least.len() < core.len());
                prop_assert!(least.iter().all(|member| core.contains(member)));
                // The rest of the formulas is not needed, and in a minimised core every member is.
                let kept = |skipped: Option<usize>| -> Vec<&Formula> {
                    let members = all.iter().zip(formulas).enumerate();
                    let kept = members.filter(|(place, (term, _))| {
                        *place < below.len()
                            || least
                                .iter()
                                .enumerate()
                                .any(|(m, t)| t == *term && Some(m) != skipped)
                    });
                    kept.map(|(_, (_, formula))| formula).collect()
                };
                prop_assert_eq!(holds(&kept(None)), None);
                for member in 0..least.len() {
                    prop_assert!(holds(&kept(Some(member))).is_some(), "not minimal");
                }
            }
            Answer::Unknown(_) => self.seen.unknown += 1,
        }
        for _ in below {
            self.session.pop();
        }
        prop_assert_eq!(self.session.level(), before);
        Ok(())
    }
}

#[test]
fn answers_models_and_cores() {
    let fixture = RefCell::new(Fixture::new());
    let cases = (proptest::collection::vec(formula(), 1..7), 0usize..4);
    let outcome = runner(CASES).run(&cases, |(formulas, asserted)| {
        fixture.borrow_mut().case(&formulas, asserted)
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let fixture = fixture.into_inner();
    let seen = fixture.seen;
    println!("{seen:?}");
    assert!(seen.sat >= CASES / 4 && seen.unsat >= CASES / 4, "{seen:?}");
    assert!(seen.unknown <= CASES / 50, "{seen:?}");
    assert!(seen.smaller_cores > 0, "{seen:?}");
    // All that is left is the box.
    let mut session = fixture.session;
    assert!(session.check(&budget()).is_sat());
    assert_eq!(session.statistics().rebuilt, 0);
}

#[test]
fn a_core_is_a_core_for_a_fresh_session_too() {
    let seen = RefCell::new(0u32);
    let cases = proptest::collection::vec(formula(), 3..7);
    let outcome = runner(150).run(&cases, |formulas| {
        let mut fixture = Fixture::new();
        let terms = Arc::clone(&fixture.terms);
        let all: Vec<_> = formulas
            .iter()
            .map(|f| f.term(&terms, &fixture.vars))
            .collect();
        if let Answer::Unsat(core) = fixture.session.check_assuming(&all, &budget()) {
            let mut fresh = Session::new(Arc::clone(&terms), SessionOptions::default());
            fresh.assert(fixture.vars.range(&terms));
            core.iter().for_each(|&member| fresh.assert(member));
            prop_assert!(fresh.check(&budget()).is_unsat());
            *seen.borrow_mut() += 1;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(seen.into_inner() >= 40);
}

#[test]
fn a_named_relation_means_its_body() {
    let fixture = RefCell::new(Fixture::new());
    let decided = RefCell::new(0u32);
    let cases = (formula(), formula(), 0usize..6);
    let outcome = runner(500).run(&cases, |(body, other, rotation)| {
        let Fixture {
            terms: t,
            vars,
            session,
            ..
        } = &mut *fixture.borrow_mut();
        let params = Variables::new(t);
        let relation = t.relation(RelationInfo {
            name: "r".into(),
            params: params.numbers.into_iter().chain(params.truths).collect(),
            body: body.term(t, &params),
        });
        // Parameters themselves as arguments, in another order: only a replacement at once is right.
        let mut numbers = params.numbers;
        numbers.rotate_left(rotation % 3);
        let mut args = numbers.map(|x| t.add(t.var(x), t.int(1))).to_vec();
        args.extend([other.term(t, vars), t.var(params.truths[rotation % 2])]);
        let call = t.call(relation, args);
        let range = params.range(t);
        let same = t.implies(range, t.iff(call, t.expand(call)));
        let answer = session.entails(same, &budget());
        prop_assert_ne!(answer, Some(false));
        *decided.borrow_mut() += u32::from(answer.is_some());
        let sat = [call, t.expand(call)].map(|f| session.is_sat(&[f, range], &budget()));
        prop_assert!(sat.contains(&None) || sat[0] == sat[1]);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(decided.into_inner() >= 450);
}
