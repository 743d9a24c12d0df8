//! `cargo bench -p rhumb-logic --bench hulls`: the hulls that the summary of a loop takes (its differences, its states
//! before and after a step, for the whole body and for two halves of it), with one abstraction that keeps its models
//! against a new one for each hull.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::{Budget, Sort, Term, Terms};

const REPEATS: u32 = 3;

/// A loop body over variables and their values after it, a split of it, and the lists of terms whose hulls are wanted.
struct Subject {
    name: String,
    terms: Arc<Terms>,
    body: Term,
    cells: Vec<Term>,
    views: Vec<Vec<Term>>,
}

fn main() {
    println!(
        "{:<34} {:>10} {:>8} {:>10} {:>8} {:>7} {:>10}",
        "body", "kept", "queries", "anew", "queries", "ratio", "rational"
    );
    for subject in [
        choices(2, 2),
        choices(3, 4),
        choices(3, 16),
        machine(8),
        machine(23),
    ] {
        let options = Options::default();
        let (kept, asked) = fastest(|| with_models_kept(&subject, options));
        let (anew, asked_anew) = fastest(|| anew_for_each(&subject, options));
        let rational = Options {
            integral: false,
            ..options
        };
        let (relaxed, _) = fastest(|| with_models_kept(&subject, rational));
        println!(
            "{:<34} {:>7.1} ms {asked:>8} {:>7.1} ms {asked_anew:>8} {:>6.1}x {:>7.1} ms",
            subject.name,
            kept.as_secs_f64() * 1e3,
            anew.as_secs_f64() * 1e3,
            anew.as_secs_f64() / kept.as_secs_f64(),
            relaxed.as_secs_f64() * 1e3,
        );
    }
}

fn fastest(run: impl Fn() -> u64) -> (Duration, u64) {
    let runs = (0..REPEATS).map(|_| {
        let start = Instant::now();
        let queries = run();
        (start.elapsed(), queries)
    });
    runs.min().unwrap_or_default()
}

fn with_models_kept(subject: &Subject, options: Options) -> u64 {
    let mut hulls = Abstraction::new(subject.terms.clone(), subject.body, options);
    for &cell in &subject.cells {
        hulls.push(cell);
        for view in &subject.views {
            assert!(hulls.convex(view, &Budget::unlimited()).exact);
        }
        hulls.pop();
    }
    hulls.statistics().total().queries()
}

fn anew_for_each(subject: &Subject, options: Options) -> u64 {
    let mut queries = 0;
    for &cell in &subject.cells {
        for view in &subject.views {
            let mut hulls = Abstraction::new(subject.terms.clone(), subject.body, options);
            hulls.push(cell);
            assert!(hulls.convex(view, &Budget::unlimited()).exact);
            queries += hulls.statistics().total().queries();
        }
    }
    queries
}

fn subject(
    name: String,
    terms: Arc<Terms>,
    body: Term,
    split: Term,
    states: [&[Term]; 2],
) -> Subject {
    let [before, after] = states;
    let pairs = before.iter().zip(after);
    let differences = pairs.map(|(&x, &next)| terms.sub(next, x)).collect();
    Subject {
        name,
        body,
        cells: vec![terms.bool(true), split, terms.not(split)],
        views: vec![differences, before.to_vec(), after.to_vec()],
        terms,
    }
}

fn variables(terms: &Terms, count: usize, mark: &str) -> Vec<Term> {
    (0..count)
        .map(|index| terms.fresh(format!("x{index}{mark}"), Sort::Int))
        .collect()
}

/// Each branch adds its own vector.
fn choices(count: usize, branches: i64) -> Subject {
    let terms = Arc::new(Terms::new());
    let (before, after) = (variables(&terms, count, ""), variables(&terms, count, "'"));
    let branch = |number: i64| {
        let moves = before.iter().zip(&after).zip(1..);
        terms.and(moves.map(|((&x, &next), place)| {
            terms.eq(next, terms.add(x, terms.int(number * place % 7 - 2)))
        }))
    };
    let limit = terms.fresh("n", Sort::Int);
    let guard = before.iter().map(|&x| terms.le(x, limit));
    let choice = terms.or((0..branches).map(branch));
    let body = terms.and(guard.chain([choice, terms.within(0, limit, 1_000)]));
    let split = terms.le(before[0], terms.int(10));
    let name = format!("{branches} branches, {count} variables");
    subject(name, terms.clone(), body, split, [&before, &after])
}

/// A state machine with a counter: state `i` goes to `i + 1`, or back to the start, and the counter goes up in even states.
fn machine(states: i64) -> Subject {
    let terms = Arc::new(Terms::new());
    let (before, after) = (variables(&terms, 2, ""), variables(&terms, 2, "'"));
    let (state, count, next) = (before[0], before[1], after[0]);
    let step = |number: i64| {
        let goes = |to: i64| terms.eq(next, terms.int(to));
        let here = terms.eq(state, terms.int(number));
        terms.and([here, terms.or([goes(number + 1), goes(0)])])
    };
    let up = terms.ite(terms.divides(2, state), terms.int(1), terms.int(0));
    let counted = terms.eq(after[1], terms.add(count, up));
    let moves = terms.or((0..states).map(step));
    let body = terms.and([moves, counted, terms.ge(count, terms.int(0))]);
    let split = terms.le(state, terms.int(states / 2));
    subject(
        format!("machine with {states} states"),
        terms.clone(),
        body,
        split,
        [&before, &after],
    )
}
