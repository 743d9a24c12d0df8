//! `cargo bench -p rhumb-logic --bench solver`: what a session saves against a fresh solver for each query, and what its thread costs.
//!
//! Ratios are taken within one run, best of several, since absolute times say more about the machine.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::{Answer, Budget, Session, SessionOptions, Sort, Term, Terms, Wanted};

const REPEATS: u32 = 5;

fn main() {
    round_trip();
    paths();
}

fn budget() -> Budget {
    Budget::time(Duration::from_secs(60))
}

/// The same trivial query, asked through a session's thread and directly.
fn round_trip() {
    const QUERIES: u32 = 2000;
    let terms = Arc::new(Terms::new());
    let mut session = Session::new(Arc::clone(&terms), SessionOptions::default());
    let (a, b) = (terms.fresh("a", Sort::Bool), terms.fresh("b", Sort::Bool));
    session.assert(terms.or([a, b]));
    let limit = budget();
    session.check(&limit);
    let ours = best(|| {
        for _ in 0..QUERIES {
            assert_eq!(session.is_sat(&[a], &limit), Some(true));
        }
    }) / QUERIES;
    let solver = {
        let params = {
            let mut params = z3::Params::new();
            params.set_u32("random_seed", 0);
            params
        };
        let solver = z3::Solver::new();
        solver.set_params(&params);
        solver
    };
    let (p, q) = (z3::ast::Bool::new_const("a"), z3::ast::Bool::new_const("b"));
    solver.push();
    solver.assert(z3::ast::Bool::or(&[&p, &q]));
    let direct = best(|| {
        for _ in 0..QUERIES {
            assert_eq!(
                solver.check_assumptions(std::slice::from_ref(&p)),
                z3::SatResult::Sat
            );
        }
    }) / QUERIES;
    println!(
        "trivial query: session {:.1} us, direct {:.1} us, difference {:.1} us\n",
        microseconds(ours),
        microseconds(direct),
        microseconds(ours) - microseconds(direct)
    );
}

/// A loop body, unrolled: an input is added, a counter goes up, a branch depends on both.
fn path(terms: &Terms, length: usize) -> Vec<Term> {
    let fresh = |name: &str, step: usize| terms.fresh(format!("{name}{step}"), Sort::Int);
    let (mut x, mut y, n) = (fresh("x", 0), fresh("y", 0), terms.fresh("n", Sort::Int));
    let mut edges = vec![terms.and([
        terms.eq(x, terms.int(0)),
        terms.eq(y, terms.int(0)),
        terms.within(1000, n, 2000),
    ])];
    for step in 1..=length {
        let (next_x, next_y, input) = (fresh("x", step), fresh("y", step), fresh("in", step));
        let odd = terms.congruent(input, 2, 1);
        let moved = terms.ite(
            terms.lt(y, x),
            terms.add(y, input),
            terms.sub(y, terms.int(1)),
        );
        edges.push(terms.and([
            terms.lt(x, n),
            terms.within(-10, input, 10),
            terms.or([odd, terms.lt(terms.int(0), y)]),
            terms.eq(next_x, terms.add(x, terms.int(1))),
            terms.eq(next_y, moved),
        ]));
        (x, y) = (next_x, next_y);
    }
    edges
}

/// One query after every edge of a path.
fn paths() {
    println!(
        "{:<28} {:>12} {:>14} {:>14} {:>8} {:>8}",
        "path, one query per step",
        "incremental",
        "asserted again",
        "fresh session",
        "ratio",
        "ratio"
    );
    for (name, wanted) in [("with model", Wanted::All), ("yes or no", Wanted::Nothing)] {
        for length in [10, 50, 100] {
            let terms = Arc::new(Terms::new());
            let edges = path(&terms, length);
            let queries = u32::try_from(edges.len()).unwrap_or(u32::MAX);
            let start = || Session::new(Arc::clone(&terms), SessionOptions::default());
            let ask = |session: &mut Session| {
                let answer = session.check_wanting(&[], &wanted, &budget());
                assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
            };
            let incremental = best(|| {
                let mut session = start();
                for &edge in &edges {
                    session.push();
                    session.assert(edge);
                    ask(&mut session);
                }
            }) / queries;
            let again = best(|| {
                let mut session = start();
                for end in 1..=edges.len() {
                    session.push();
                    edges
                        .iter()
                        .take(end)
                        .for_each(|&edge| session.assert(edge));
                    ask(&mut session);
                    session.pop();
                }
            }) / queries;
            let fresh = best(|| {
                for end in 1..=edges.len() {
                    let mut session = start();
                    edges
                        .iter()
                        .take(end)
                        .for_each(|&edge| session.assert(edge));
                    ask(&mut session);
                }
            }) / queries;
            println!(
                "{:<28} {:>9.3} ms {:>11.3} ms {:>11.3} ms {:>7.1}x {:>7.1}x",
                format!("{length} steps, {name}"),
                milliseconds(incremental),
                milliseconds(again),
                milliseconds(fresh),
                again.as_secs_f64() / incremental.as_secs_f64(),
                fresh.as_secs_f64() / incremental.as_secs_f64()
            );
        }
    }
}

fn best(mut run: impl FnMut()) -> Duration {
    let runs = (0..REPEATS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
