//! Paths against their definition: runs are runs, cores exclude every run, and labels lead from one to the next.

#[path = "../common/mod.rs"]
mod common;
mod labels;

use std::collections::BTreeSet;
use std::time::Duration;

use common::{Expr, Random, SMALL, Scope, State, Test, assignment, inputs, random_step};
use rhumb_logic::interpolate::{
    Backward, Label, LabelStore, PathAnswer, PathCore, PathQuery, PathSession, Projection,
    Refutation, Run, check_seq, verify,
};
use rhumb_logic::transition::Outcome;
use rhumb_logic::{
    Assignment, Budget, Int, Session, SessionOptions, Sort, Term, Transition, Value, eval,
};

fn budget() -> Budget {
    Budget::time(Duration::from_secs(20))
}

const STRATEGIES: [Projection; 3] = [Projection::Guided, Projection::Cover, Projection::Exact];

fn paths(scope: &Scope) -> PathSession {
    PathSession::new(scope.terms.clone(), SessionOptions::default())
}

fn fresh(scope: &Scope) -> Session {
    Session::new(scope.terms.clone(), SessionOptions::default())
}

/// Why a path can't be taken.
#[track_caller]
fn refuted(scope: &Scope, query: &PathQuery<'_>) -> Refutation {
    let answer = check_seq(
        &mut paths(scope),
        query,
        Some(&Backward::default()),
        &budget(),
    );
    let PathAnswer::Infeasible(refutation) = answer else {
        panic!("infeasible was expected, not {answer:?}");
    };
    refutation
}

/// States with values in a small range.
fn states(size: i64) -> Vec<State> {
    let values = || (-size..=size).map(Int::from);
    values()
        .flat_map(|x| values().map(move |y| vec![x.clone(), y]))
        .collect()
}

fn successors(scope: &Scope, step: &Transition, state: &State) -> BTreeSet<State> {
    let before = assignment(&scope.ints, state);
    let mut after = BTreeSet::new();
    for inputs in inputs(scope, step) {
        if let Outcome::To(next) = step.apply(&scope.terms, &before, &inputs) {
            let value = |symbol| next[symbol].as_int().cloned().expect("an integer");
            after.insert(scope.ints.iter().map(value).collect());
        }
    }
    after
}

fn holds(scope: &Scope, formula: Term, state: &State) -> bool {
    eval::holds(&scope.terms, formula, &assignment(&scope.ints, state))
}

/// The truth by listing all runs: the precondition bounds the variables, guards bound the inputs.
fn is_feasible(scope: &Scope, query: &PathQuery<'_>) -> bool {
    let mut reached: BTreeSet<State> = states(2)
        .into_iter()
        .filter(|state| holds(scope, query.pre, state))
        .collect();
    for step in query.path {
        reached = (reached.iter())
            .flat_map(|state| successors(scope, step, state))
            .collect();
    }
    reached.iter().any(|state| !holds(scope, query.post, state))
}

fn check_run(scope: &Scope, query: &PathQuery<'_>, run: &Run) {
    let terms = &scope.terms;
    assert_eq!(run.states.len(), query.path.len() + 1);
    assert_eq!(run.inputs.len(), query.path.len());
    assert!(eval::holds(terms, query.pre, &run.states[0]));
    let steps = query.path.iter().zip(&run.inputs);
    for ((step, inputs), pair) in steps.zip(run.states.windows(2)) {
        assert_eq!(
            step.apply(terms, &pair[0], inputs),
            Outcome::To(pair[1].clone())
        );
    }
    let last = run.states.last().expect("a state at the end");
    assert!(!eval::holds(terms, query.post, last));
}

/// The conditions on labels for all states of a range, by evaluation.
fn check_by_listing(scope: &Scope, query: &PathQuery<'_>, labels: &[Label]) {
    let formulas: Vec<Term> = labels.iter().map(|l| l.formula(&scope.terms)).collect();
    for state in states(3) {
        let is = |formula: Term| holds(scope, formula, &state);
        assert!(!is(query.pre) || is(formulas[0]));
        for (step, pair) in query.path.iter().zip(formulas.windows(2)) {
            if is(pair[0]) {
                for next in successors(scope, step, &state) {
                    assert!(holds(scope, pair[1], &next));
                }
            }
        }
        assert!(!is(formulas[labels.len() - 1]) || is(query.post));
    }
}

/// The relaxed path is infeasible, in a session that has nothing asserted.
fn check_core(scope: &Scope, checker: &mut Session, query: &PathQuery<'_>, core: &PathCore) {
    let terms = &scope.terms;
    let steps = query.path.iter().zip(&core.steps);
    let relaxed: Vec<Transition> = steps.map(|(step, core)| core.relax(terms, step)).collect();
    let bad = terms.and(core.bad.iter().copied());
    let path = Transition::sequence(terms, &relaxed).restrict_after(terms, bad);
    let before = core.before.iter().copied();
    let all: Vec<Term> = before.chain([path.guard]).collect();
    assert_eq!(checker.is_sat(&all, &budget()), Some(false));
}

/// Random paths of up to four steps with inputs, congruences and conditionals, decided by listing all runs.
#[test]
fn random_paths() {
    let mut random = Random(21);
    let (mut feasible, mut infeasible, mut explained, mut labelled) = (0, 0, 0, 0);
    let mut worst = Duration::ZERO;
    for _ in 0..80 {
        let scope = Scope::new(2, 0);
        let terms = &scope.terms;
        let mut session = paths(&scope);
        let mut checker = fresh(&scope);
        let steps: Vec<Transition> = (0..6).map(|_| random_step(&mut random, &scope)).collect();
        for _ in 0..15 {
            let path: Vec<&Transition> = (0..random.below(5))
                .map(|_| &steps[random.below(steps.len())])
                .collect();
            let range = |variable: usize| terms.within(-2, terms.var(scope.ints[variable]), 2);
            let start = match random.below(4) {
                0 => Test::random(&mut random, &scope, SMALL).build(&scope),
                _ => terms.bool(true),
            };
            let pre = terms.and([range(0), range(1), start]);
            let post = Test::random(&mut random, &scope, SMALL).build(&scope);
            let query = PathQuery {
                pre,
                path: &path,
                post,
                known: &[],
            };
            let begin = std::time::Instant::now();
            let strategy = Backward {
                projection: *random.pick(&STRATEGIES),
                ..Backward::default()
            };
            let answer = check_seq(&mut session, &query, Some(&strategy), &budget());
            worst = worst.max(begin.elapsed());
            match answer {
                PathAnswer::Feasible(run) => {
                    feasible += 1;
                    assert!(is_feasible(&scope, &query));
                    check_run(&scope, &query, &run);
                }
                PathAnswer::Infeasible(refutation) => {
                    infeasible += 1;
                    assert!(!is_feasible(&scope, &query));
                    check_core(&scope, &mut checker, &query, &refutation.core);
                    let Some(labels) = refutation.labels else {
                        continue;
                    };
                    explained += 1;
                    labelled += usize::from(labels.iter().any(|label| !label.is_top()));
                    let verified = verify(&mut checker, &query, &labels, &budget());
                    assert_eq!(verified, Some(true));
                    check_by_listing(&scope, &query, &labels);
                }
                PathAnswer::Unknown(reason) => panic!("small paths are decided: {reason}"),
            }
        }
    }
    println!(
        "{feasible} feasible, {infeasible} infeasible, {explained} explained, {labelled} with a real label, at most {worst:?}"
    );
    let total = feasible + infeasible;
    assert!(feasible * 4 >= total && infeasible * 4 >= total);
    assert!(
        explained * 100 >= infeasible * 95,
        "{explained} of {infeasible}"
    );
    assert!(labelled * 10 >= infeasible, "{labelled} of {infeasible}");
}

/// Paths whose inputs have no bounds, with havoc and choices, decided by a session that knows nothing of paths.
#[test]
fn random_paths_with_unbounded_inputs() {
    let mut random = Random(24);
    let (mut feasible, mut infeasible, mut explained) = (0, 0, 0);
    for _ in 0..40 {
        let scope = Scope::new(3, 0);
        let terms = &scope.terms;
        let mut session = paths(&scope);
        let mut checker = fresh(&scope);
        let steps: Vec<Transition> = (0..6)
            .map(|_| {
                let input = terms.symbol("i", Sort::Int);
                let wider = Scope {
                    terms: terms.clone(),
                    ints: scope.ints.iter().copied().chain([input]).collect(),
                    bools: Vec::new(),
                };
                let step = |random: &mut Random| {
                    let value = Expr::random(random, &wider, SMALL).build(&wider);
                    let guard = Test::random(random, &wider, SMALL).build(&wider);
                    let variable = scope.ints[random.below(3)];
                    Transition::new(terms, [(variable, value)], guard, [input])
                };
                match random.below(5) {
                    0 => Transition::havoc(terms, [scope.ints[0]]),
                    1 => step(&mut random).choice(terms, &step(&mut random)),
                    _ => step(&mut random),
                }
            })
            .collect();
        for _ in 0..15 {
            let path: Vec<&Transition> = (0..1 + random.below(4))
                .map(|_| &steps[random.below(steps.len())])
                .collect();
            let query = PathQuery {
                pre: Test::random(&mut random, &scope, SMALL).build(&scope),
                path: &path,
                post: Test::random(&mut random, &scope, SMALL).build(&scope),
                known: &[],
            };
            let whole = Transition::sequence(terms, path.iter().copied())
                .restrict(terms, query.pre)
                .restrict_after(terms, terms.not(query.post));
            let truth = checker.is_sat(&[whole.guard], &budget());
            let strategy = Backward {
                projection: *random.pick(&STRATEGIES[..2]),
                ..Backward::default()
            };
            match check_seq(&mut session, &query, Some(&strategy), &budget()) {
                PathAnswer::Feasible(run) => {
                    feasible += 1;
                    assert_eq!(truth, Some(true));
                    check_run(&scope, &query, &run);
                }
                PathAnswer::Infeasible(refutation) => {
                    infeasible += 1;
                    assert_eq!(truth, Some(false));
                    check_core(&scope, &mut checker, &query, &refutation.core);
                    if let Some(labels) = refutation.labels {
                        explained += 1;
                        let verified = verify(&mut checker, &query, &labels, &budget());
                        assert_eq!(verified, Some(true));
                    }
                }
                PathAnswer::Unknown(reason) => panic!("small paths are decided: {reason}"),
            }
        }
    }
    println!("{feasible} feasible, {infeasible} infeasible, {explained} explained");
    let total = feasible + infeasible;
    assert!(feasible * 4 >= total && infeasible * 4 >= total);
    assert!(explained * 100 >= infeasible * 95);
}

/// What is known at a cut is not explained again.
#[test]
fn known_labels_end_the_explanation() {
    let scope = Scope::new(2, 0);
    let terms = &scope.terms;
    let [x, y] = [0, 1].map(|index| terms.var(scope.ints[index]));
    let step = Transition::assign(
        terms,
        [
            (scope.ints[0], terms.add(x, terms.int(2))),
            (scope.ints[1], terms.add(x, y)),
        ],
    );
    let path = [&step; 8];
    let zero = terms.int(0);
    let mut query = PathQuery {
        pre: terms.and([terms.eq(x, zero), terms.eq(y, zero)]),
        path: &path,
        post: terms.divides(2, x),
        known: &[],
    };
    let mut session = paths(&scope);
    let mut checker = fresh(&scope);
    let mut labels = |query: &PathQuery<'_>| {
        let answer = check_seq(&mut session, query, Some(&Backward::default()), &budget());
        let PathAnswer::Infeasible(refutation) = answer else {
            panic!("infeasible was expected, not {answer:?}");
        };
        let labels = refutation.labels.expect("labels");
        assert_eq!(verify(&mut checker, query, &labels, &budget()), Some(true));
        labels
    };
    let even = labels(&query);
    assert!(even.iter().all(|label| !label.is_top()));
    // The new labels don't say again what is known.
    query.post = terms.and([terms.divides(2, x), terms.divides(2, y)]);
    query.known = &even;
    let beside = labels(&query);
    let alone = labels(&PathQuery {
        known: &[],
        ..query
    });
    let count = |labels: &[Label]| -> usize { labels.iter().map(|it| it.clauses().len()).sum() };
    assert!(
        count(&beside) < count(&alone),
        "{} and {}",
        count(&beside),
        count(&alone)
    );
    // Nothing is new about what is known at the end.
    query.post = terms.divides(2, x);
    assert!(labels(&query).iter().all(Label::is_top));
}

/// Labels that are wrong are found out.
#[test]
fn wrong_labels_are_rejected() {
    let scope = Scope::new(1, 0);
    let terms = &scope.terms;
    let x = terms.var(scope.ints[0]);
    let step = Transition::assign(terms, [(scope.ints[0], terms.add(x, terms.int(1)))]);
    let at_least = |value: i64| Label::of(terms, terms.ge(x, terms.int(value)));
    let query = PathQuery {
        pre: terms.eq(x, terms.int(0)),
        path: &[&step, &step],
        post: terms.ge(x, terms.int(1)),
        known: &[],
    };
    let mut session = fresh(&scope);
    let mut verdict =
        |values: [i64; 3]| verify(&mut session, &query, &values.map(at_least), &budget());
    assert_eq!(verdict([0, 1, 2]), Some(true));
    assert_eq!(verdict([-1, 0, 1]), Some(true));
    assert_eq!(verdict([1, 2, 3]), Some(false), "the start");
    assert_eq!(verdict([0, 2, 2]), Some(false), "a step");
    assert_eq!(verdict([0, 0, 0]), Some(false), "the end");
    assert_eq!(verify(&mut session, &query, &[], &budget()), Some(false));
}

/// Example 3 of the GPS paper: `x = 2; while (N-- > 0) x = 2 * x; while (M-- > 0) x = x - 2; assert(x != 1)`. The path
/// leaves the first loop after `rounds` rounds; the suffix is the summary of the second loop up to the error.
#[test]
fn the_suffix_of_decrements_by_two_gives_evenness() {
    for rounds in 0..4 {
        let scope = Scope::new(3, 0);
        let terms = &scope.terms;
        let [n, m, x] = [0, 1, 2].map(|index| scope.ints[index]);
        let var = |symbol| terms.var(symbol);
        let zero = terms.int(0);
        let less = |symbol| (symbol, terms.sub(var(symbol), terms.int(1)));
        let start = Transition::assign(terms, [(x, terms.int(2))]);
        let body = Transition::assign(terms, [less(n), (x, terms.scale(2, var(x)))])
            .restrict(terms, terms.gt(var(n), zero));
        let leave = Transition::assign(terms, [less(n)]).restrict(terms, terms.le(var(n), zero));
        // ∃k. M' = M - k, x' = x - 2k, k >= 1 => M' >= 0, M' <= 0, x' = 1
        let count = terms.symbol("k", Sort::Int);
        let k = var(count);
        let left = terms.sub(var(m), k);
        let result = terms.sub(var(x), terms.scale(2, k));
        let guard = terms.and([
            terms.ge(k, zero),
            terms.implies(terms.ge(k, terms.int(1)), terms.ge(left, zero)),
            terms.le(left, zero),
            terms.eq(result, terms.int(1)),
        ]);
        let suffix = Transition::new(terms, [(m, left), (x, result)], guard, [count]);
        let mut path = vec![&start];
        path.extend(std::iter::repeat_n(&body, rounds));
        path.extend([&leave, &suffix]);
        let query = PathQuery {
            pre: terms.bool(true),
            path: &path,
            post: terms.bool(false),
            known: &[],
        };
        let labels = refuted(&scope, &query).labels.expect("labels");
        let mut session = fresh(&scope);
        assert_eq!(verify(&mut session, &query, &labels, &budget()), Some(true));
        // At C, before the suffix, and at every visit of B.
        for (cut, label) in labels.iter().enumerate().skip(1).take(rounds + 2) {
            let formula = label.formula(terms);
            let shown = terms.display(formula);
            println!("{rounds} rounds, cut {cut}: {shown}");
            let even = terms.divides(2, var(x));
            let odd = [formula, terms.not(even)];
            if cut == rounds + 2 || rounds == 0 {
                assert_eq!(session.is_sat(&odd, &budget()), Some(false), "{shown}");
            }
            assert_eq!(session.is_sat(&[formula], &budget()), Some(true), "{shown}");
        }
    }
}

/// A path that grows and changes at its end keeps what is asserted.
#[test]
fn common_beginnings_stay_asserted() {
    let scope = Scope::new(1, 0);
    let terms = &scope.terms;
    let x = terms.var(scope.ints[0]);
    let step = |by: i64| Transition::assign(terms, [(scope.ints[0], terms.add(x, terms.int(by)))]);
    let (up, down) = (step(1), step(-1));
    let mut session = paths(&scope);
    assert_eq!(session.align(&[&up, &up, &down]), 0);
    assert_eq!(session.align(&[&up, &up, &up]), 2);
    assert_eq!(session.len(), 3);
    for (path, end) in [
        (vec![&up, &up, &up], 3),
        (vec![&up, &up], 2),
        (vec![&down], -1),
        (vec![], 0),
        (vec![&up, &down, &down, &down], -2),
    ] {
        let query = PathQuery {
            pre: terms.eq(x, terms.int(0)),
            path: &path,
            post: terms.ne(x, terms.int(end)),
            known: &[],
        };
        let PathAnswer::Feasible(run) = check_seq(&mut session, &query, None, &budget()) else {
            panic!("there is a run");
        };
        check_run(&scope, &query, &run);
        let post = terms.eq(x, terms.int(end));
        let query = PathQuery { post, ..query };
        let answer = check_seq(&mut session, &query, Some(&Backward::default()), &budget());
        assert!(matches!(answer, PathAnswer::Infeasible(_)));
    }
}

/// A spent budget and huge numbers: an answer, whatever it is, and no panic.
#[test]
fn budgets_and_huge_numbers() {
    let scope = Scope::new(1, 0);
    let terms = &scope.terms;
    let x = terms.var(scope.ints[0]);
    let huge = terms.int(Int::ONE << 300usize);
    let step = Transition::assign(terms, [(scope.ints[0], terms.add(x, huge))]);
    let query = PathQuery {
        pre: terms.ge(x, terms.int(0)),
        path: &[&step, &step],
        post: terms.gt(x, huge),
        known: &[],
    };
    let mut session = paths(&scope);
    let spent = Budget::time(Duration::ZERO);
    let answer = check_seq(&mut session, &query, Some(&Backward::default()), &spent);
    assert!(matches!(answer, PathAnswer::Unknown(_)));
    let answer = check_seq(&mut session, &query, Some(&Backward::default()), &budget());
    let PathAnswer::Infeasible(refutation) = answer else {
        panic!("infeasible was expected");
    };
    let labels = refutation.labels.expect("labels");
    assert_eq!(
        verify(&mut fresh(&scope), &query, &labels, &budget()),
        Some(true)
    );
    let bad = PathQuery {
        post: terms.lt(x, huge),
        ..query
    };
    let PathAnswer::Feasible(run) = check_seq(&mut session, &bad, None, &budget()) else {
        panic!("feasible was expected");
    };
    check_run(&scope, &bad, &run);
    let first = Assignment::from_iter([(scope.ints[0], Value::Int(Int::ZERO))]);
    assert_eq!(run.states[0].len(), first.len());
}
