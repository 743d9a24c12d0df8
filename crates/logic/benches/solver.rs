//! `cargo bench -p rhumb-logic --bench solver`: what a session saves against a fresh solver for each query, and what its thread costs.
//!
//! Ratios are taken within one run, best of several, since absolute times say more about the machine.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::{Budget, Session, SessionOptions, Sort, Term, Terms, Wanted};

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
    let solver = z3::Solver::new();
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

/// What a step of a path does besides counting.
#[derive(Clone, Copy)]
enum Step {
    /// Adds the counter to a sum.
    Count,
    /// Adds an input to a sum.
    Input,
    /// Adds an input to a sum; every third step a branch depends on the sum.
    Branch,
    /// The branches of a loop body are joined: what is done depends on sum and counter.
    Join,
}

/// A path through a loop: the initial state, then the steps, each with new symbols for the state after it.
fn path(terms: &Terms, length: usize, kind: Step) -> Vec<Term> {
    let fresh = |name: &str, step: usize| terms.fresh(format!("{name}{step}"), Sort::Int);
    let (mut x, mut y, n) = (fresh("x", 0), fresh("y", 0), terms.fresh("n", Sort::Int));
    let zero = terms.int(0);
    let start = [
        terms.eq(x, zero),
        terms.eq(y, zero),
        terms.within(0, n, 2000),
    ];
    let mut edges = vec![terms.and(start)];
    for step in 1..=length {
        let (next_x, next_y, input) = (fresh("x", step), fresh("y", step), fresh("in", step));
        let range = terms.within(-10, input, 10);
        let counted = terms.eq(next_x, terms.add(x, terms.int(1)));
        let added = terms.eq(next_y, terms.add(y, input));
        let branch = if step % 3 == 0 {
            terms.lt(y, x)
        } else {
            terms.le(zero, input)
        };
        let rest = match kind {
            Step::Count => terms.eq(next_y, terms.add(y, x)),
            Step::Input => terms.and([range, added]),
            Step::Branch => terms.and([range, added, branch]),
            Step::Join => {
                let other = terms.sub(y, terms.int(1));
                let joined = terms.ite(terms.lt(y, x), terms.add(y, input), other);
                terms.and([range, terms.eq(next_y, joined)])
            }
        };
        edges.push(terms.and([terms.lt(x, n), counted, rest]));
        (x, y) = (next_x, next_y);
    }
    edges
}

/// One query after every edge of a path: is it still feasible, and in which state does it end?
fn paths() {
    println!("time per query (of the processor, all threads), one query after each of 50 steps");
    println!(
        "{:<20} {:>12} {:>16} {:>14} {:>16} {:>8}",
        "steps", "incremental", "asserted again", "fresh session", "against again", "fresh"
    );
    let kinds = [
        ("count", Step::Count),
        ("input", Step::Input),
        ("branch", Step::Branch),
        ("join", Step::Join),
    ];
    for (name, kind) in kinds {
        let terms = Arc::new(Terms::new());
        let edges = path(&terms, 50, kind);
        let queries = u32::try_from(edges.len()).unwrap_or(u32::MAX);
        let start = || Session::new(Arc::clone(&terms), SessionOptions::default());
        let ask = |session: &mut Session, path: &[Term]| {
            let state = terms.symbols(path.last().copied());
            let answer = session.check_wanting(&[], &Wanted::Symbols(state.into()), &budget());
            assert!(answer.is_sat(), "{answer:?}");
        };
        let incremental = best_work(|| {
            let mut session = start();
            for end in 1..=edges.len() {
                session.push();
                session.assert(edges[end - 1]);
                ask(&mut session, &edges[..end]);
            }
        }) / queries;
        let again = best_work(|| {
            let mut session = start();
            for end in 1..=edges.len() {
                session.push();
                edges[..end].iter().for_each(|&edge| session.assert(edge));
                ask(&mut session, &edges[..end]);
                session.pop();
            }
        }) / queries;
        let fresh = best_work(|| {
            for end in 1..=edges.len() {
                let mut session = start();
                edges[..end].iter().for_each(|&edge| session.assert(edge));
                ask(&mut session, &edges[..end]);
            }
        }) / queries;
        println!(
            "{name:<20} {:>9.3} ms {:>13.3} ms {:>11.3} ms {:>15.1}x {:>7.1}x",
            milliseconds(incremental),
            milliseconds(again),
            milliseconds(fresh),
            again.as_secs_f64() / incremental.as_secs_f64(),
            fresh.as_secs_f64() / incremental.as_secs_f64()
        );
    }
}

/// Time of the processor that the process has used.
fn work() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// As [`best`], in time of the processor: other work on the machine disturbs it less.
fn best_work(mut run: impl FnMut()) -> Duration {
    let runs = (0..REPEATS).map(|_| {
        let start = work();
        run();
        work().saturating_sub(start)
    });
    runs.min().unwrap_or_default()
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
