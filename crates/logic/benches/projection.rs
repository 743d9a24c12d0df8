//! `cargo bench -p rhumb-logic --bench projection`: projection over chained unsigned additions, and lazy against exact
//! projection on formulas of loop paths.
//!
//! Times are the best of several, in one living session; ratios are taken within one run.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::project::{Lazy, Projector, Step, Verdict};
use rhumb_logic::{Answer, Budget, Session, SessionOptions, Sort, Symbol, Term, Terms};

const REPEATS: u32 = 5;

fn main() {
    println!(
        "{:<34} {:>10} {:>8} {:>6}",
        "exact projection", "time", "queries", "size"
    );
    for count in [1, 2, 3, 4, 5, 50, 200] {
        additions(count, false);
    }
    for count in [1, 2, 3, 4, 5, 8] {
        additions(count, true);
    }
    println!();
    println!(
        "{:<34} {:>10} {:>6} {:>10} {:>6} {:>8}  lazy stopped at",
        "loop path", "exact", "size", "lazy", "size", "ratio"
    );
    for loops in [1, 2, 3, 4, 6] {
        for kind in [Prefix::Bounds, Prefix::Parity] {
            loop_path(loops, kind);
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn budget() -> Budget {
    Budget::time(Duration::from_secs(20))
}

/// The unsigned sum of two terms of 32 bits.
fn wrapped_sum(terms: &Terms, a: Term, b: Term) -> Term {
    let (sum, modulus) = (terms.add(a, b), 1u64 << 32);
    let wraps = terms.ge(sum, terms.int(modulus));
    terms.ite(wraps, terms.sub(sum, terms.int(modulus)), sum)
}

/// A chain of unsigned additions with a bound on the last sum: without the intermediate values, and without the added values as well.
fn additions(count: usize, inputs_too: bool) {
    let terms = Arc::new(Terms::new());
    let word = |name: String| terms.symbol(name, Sort::Int);
    let inputs: Vec<Symbol> = (0..=count).map(|i| word(format!("a{i}"))).collect();
    let sums: Vec<Symbol> = (0..count).map(|i| word(format!("s{i}"))).collect();
    let mut members = Vec::new();
    for &symbol in inputs.iter().chain(&sums) {
        members.push(terms.within(0, terms.var(symbol), u32::MAX));
    }
    let mut last = terms.var(inputs[0]);
    for (input, sum) in inputs[1..].iter().zip(&sums) {
        let sum = terms.var(*sum);
        members.push(terms.eq(sum, wrapped_sum(&terms, last, terms.var(*input))));
        last = sum;
    }
    members.push(terms.le(last, terms.add(terms.var(inputs[0]), terms.int(1000))));
    let formula = terms.and(members);
    let mut gone = sums[..count - 1].to_vec();
    if inputs_too {
        gone.extend(&inputs[1..]);
    }
    let mut projector = Projector::new(terms.clone());
    let mut result = None;
    let mut best = Duration::MAX;
    let mut queries = 0;
    for _ in 0..REPEATS {
        let before = projector.session().statistics().total().queries();
        let start = Instant::now();
        result = projector.exact(formula, &gone, &budget()).ok();
        best = best.min(start.elapsed());
        queries = projector.session().statistics().total().queries() - before;
    }
    let what = if inputs_too {
        "sums and inputs"
    } else {
        "sums"
    };
    println!(
        "{:<34} {:>7.2} ms {:>8} {:>6}",
        format!("{count} additions, without {what}"),
        milliseconds(best),
        queries,
        result.map_or("-".to_owned(), |result| terms.size(result).to_string())
    );
}

/// What the states before a path are known to satisfy.
#[derive(Clone, Copy, Debug)]
enum Prefix {
    /// Something that the bounds of the path contradict.
    Bounds,
    /// Something that only the steps of its loops contradict.
    Parity,
}

/// Loops in a row, each taken some times: `x` goes down by two, `y` goes up by a step of the loop's own, while a budget
/// lasts; in the end `x` is one and `y` lies in a range. The counters and all states but the first are to go.
fn loop_path(loops: usize, prefix: Prefix) {
    let terms = Arc::new(Terms::new());
    let int = |name: String| terms.symbol(name, Sort::Int);
    let state = |at: usize| ["x", "y", "m"].map(|name| int(format!("{name}{at}")));
    let states: Vec<[Symbol; 3]> = (0..=loops).map(state).collect();
    let mut members = Vec::new();
    let mut gone = Vec::new();
    for at in 0..loops {
        let [x, y, m] = states[at].map(|symbol| terms.var(symbol));
        let [x2, y2, m2] = states[at + 1].map(|symbol| terms.var(symbol));
        let k = int(format!("k{at}"));
        let count = terms.var(k);
        members.push(terms.ge(count, terms.int(0)));
        members.push(terms.eq(x2, terms.sub(x, terms.scale(2, count))));
        let faster = terms.add(y, terms.scale(at as i64 + 3, count));
        let slower = terms.add(y, terms.scale(at as i64 + 1, count));
        members.push(terms.or([
            terms.and([terms.eq(y2, faster), terms.ge(y, terms.int(0))]),
            terms.and([terms.eq(y2, slower), terms.lt(y, terms.int(5))]),
        ]));
        members.push(terms.eq(m2, terms.sub(m, count)));
        members.push(terms.ge(m2, terms.int(0)));
        // The guard of the last iteration.
        let at_least = terms.ge(terms.add(x2, terms.int(2)), terms.int(2));
        members.push(terms.or([terms.le(count, terms.int(0)), at_least]));
        gone.push(k);
        gone.extend(states[at + 1]);
    }
    let [x, y, _] = states[loops].map(|symbol| terms.var(symbol));
    members.push(terms.eq(x, terms.int(1)));
    members.push(terms.within(3, y, 40));
    let formula = terms.and(members);
    let x = terms.var(states[0][0]);
    let prefix_formula = match prefix {
        Prefix::Bounds => terms.le(x, terms.int(0)),
        Prefix::Parity => terms.and([terms.divides(2, x), terms.ge(x, terms.int(0))]),
    };

    let mut projector = Projector::new(terms.clone());
    let mut exact = (Duration::MAX, None);
    for _ in 0..REPEATS {
        let start = Instant::now();
        let result = projector.exact(formula, &gone, &budget()).ok();
        exact = (exact.0.min(start.elapsed()), result);
        if start.elapsed() > Duration::from_secs(2) {
            break;
        }
    }
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(prefix_formula);
    let mut accept = |candidate: Term| {
        session.push();
        session.assert(candidate);
        let answer = session.check(&budget());
        session.pop();
        match answer {
            Answer::Unsat(_) => Verdict::Accepted,
            Answer::Sat(model) => Verdict::Rejected(Some(model.into_assignment())),
            Answer::Unknown(_) => Verdict::Rejected(None),
        }
    };
    let mut lazy = (Duration::MAX, None::<(Term, Step)>);
    for _ in 0..REPEATS {
        let start = Instant::now();
        let answer = projector.lazy(formula, &gone, &budget(), &mut accept);
        lazy.0 = lazy.0.min(start.elapsed());
        if let Ok(Lazy::Accepted(result, step)) = answer {
            lazy.1 = Some((result, step));
        }
    }
    let size = |result: Option<Term>| result.map_or("-".to_owned(), |t| terms.size(t).to_string());
    println!(
        "{:<34} {:>7.2} ms {:>6} {:>7.2} ms {:>6} {:>7.1}x  {}",
        format!("{loops} loops, prefix {prefix:?}"),
        milliseconds(exact.0),
        size(exact.1),
        milliseconds(lazy.0),
        size(lazy.1.map(|(result, _)| result)),
        exact.0.as_secs_f64() / lazy.0.as_secs_f64(),
        lazy.1
            .map_or("-".to_owned(), |(_, step)| format!("{step:?}"))
    );
}
