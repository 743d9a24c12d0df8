//! `cargo bench -p rhumb-logic --bench interpolation`: labels of infeasible paths, with lazy and with exact projection
//! of the inputs: time, queries and the size of what comes out.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::interpolate::{
    Backward, Label, PathAnswer, PathQuery, PathSession, Projection, check_seq,
};
use rhumb_logic::{Budget, SessionOptions, Sort, Symbol, Term, Terms, Transition};

const REPEATS: u32 = 7;

/// What each path may take.
const LIMIT: Duration = Duration::from_secs(10);

struct Subject {
    name: String,
    terms: Arc<Terms>,
    pre: Term,
    path: Vec<Transition>,
    post: Term,
}

const STRATEGIES: [(&str, Projection); 3] = [
    ("guided", Projection::Guided),
    ("cover", Projection::Cover),
    ("exact", Projection::Exact),
];

fn main() {
    print!("{:<32} {:>5}", "path", "steps");
    for (name, _) in STRATEGIES {
        print!(" |{name:>12} {:>7} {:>8}", "queries", "literals");
    }
    println!();
    let subjects = [
        dead_end(0),
        dead_end(3),
        wrapped(2),
        wrapped(4),
        wrapped(8),
        chosen(4, 3),
        chosen(6, 4),
        copies(12),
        chained(2),
        chained(4),
    ];
    for subject in &subjects {
        print!("{:<32} {:>5}", subject.name, subject.path.len());
        for (_, projection) in STRATEGIES {
            match measure(subject, projection) {
                Some(found) => print!(
                    " |{:>9.2} ms {:>7} {:>8}",
                    found.time.as_secs_f64() * 1e3,
                    found.queries,
                    found.literals
                ),
                None => print!(" |{:>12} {:>7} {:>8}", "gave up", "-", "-"),
            }
        }
        println!();
    }
}

struct Measured {
    time: Duration,
    /// Of the path's session; a projector has its own.
    queries: u64,
    /// Of all labels.
    literals: usize,
}

/// The best of several runs.
fn measure(subject: &Subject, projection: Projection) -> Option<Measured> {
    let path: Vec<&Transition> = subject.path.iter().collect();
    let query = PathQuery {
        pre: subject.pre,
        path: &path,
        post: subject.post,
        known: &[],
    };
    let strategy = Backward {
        projection,
        ..Backward::default()
    };
    let mut best: Option<Measured> = None;
    let mut paths = PathSession::new(subject.terms.clone(), SessionOptions::default());
    // Both start with the path asserted and known to be infeasible.
    check_seq(&mut paths, &query, None, &Budget::time(LIMIT));
    for _ in 0..REPEATS {
        let before = paths.session().statistics().total().queries();
        let start = Instant::now();
        let answer = check_seq(&mut paths, &query, Some(&strategy), &Budget::time(LIMIT));
        let time = start.elapsed();
        let PathAnswer::Infeasible(refutation) = answer else {
            panic!("{} is infeasible", subject.name);
        };
        let found = Measured {
            time,
            queries: paths.session().statistics().total().queries() - before,
            literals: size(&subject.terms, &refutation.labels?),
        };
        if best.as_ref().is_none_or(|known| time < known.time) {
            best = Some(found);
        }
    }
    best
}

fn size(terms: &Terms, labels: &[Label]) -> usize {
    let clauses = labels.iter().flat_map(Label::clauses);
    clauses.map(|&clause| literals(terms, clause)).sum()
}

/// Literals of a formula in which conjunctions and disjunctions alternate.
fn literals(terms: &Terms, formula: Term) -> usize {
    let mut parts = terms.conjuncts(formula);
    if parts == [formula] {
        parts = terms.disjuncts(formula);
    }
    if parts == [formula] {
        return 1;
    }
    parts.iter().map(|&part| literals(terms, part)).sum()
}

/// The path through the first loop of the GPS paper's third example, and the summary of its second loop.
fn dead_end(rounds: usize) -> Subject {
    let terms = Arc::new(Terms::new());
    let [n, m, x, count] = ["n", "m", "x", "k"].map(|name| terms.symbol(name, Sort::Int));
    let var = |symbol: Symbol| terms.var(symbol);
    let zero = terms.int(0);
    let less = |symbol: Symbol| (symbol, terms.sub(var(symbol), terms.int(1)));
    let mut path = vec![Transition::assign(&terms, [(x, terms.int(2))])];
    for _ in 0..rounds {
        let body = Transition::assign(&terms, [less(n), (x, terms.scale(2, var(x)))]);
        path.push(body.restrict(&terms, terms.gt(var(n), zero)));
    }
    let leave = Transition::assign(&terms, [less(n)]);
    path.push(leave.restrict(&terms, terms.le(var(n), zero)));
    let k = var(count);
    let left = terms.sub(var(m), k);
    let result = terms.sub(var(x), terms.scale(2, k));
    let guard = terms.and([
        terms.ge(k, zero),
        terms.implies(terms.ge(k, terms.int(1)), terms.ge(left, zero)),
        terms.le(left, zero),
        terms.eq(result, terms.int(1)),
    ]);
    path.push(Transition::new(
        &terms,
        [(m, left), (x, result)],
        guard,
        [count],
    ));
    Subject {
        name: format!("dead end after {rounds} rounds"),
        pre: terms.bool(true),
        path,
        post: terms.bool(false),
        terms,
    }
}

/// Additions of small inputs to an unsigned number of 32 bits.
fn wrapped(count: usize) -> Subject {
    let terms = Arc::new(Terms::new());
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    let path = (0..count)
        .map(|_| {
            let input = terms.symbol("i", Sort::Int);
            let other = terms.symbol("j", Sort::Int);
            let add = |a: Symbol, b: Symbol| {
                let sum = terms.add(terms.var(a), terms.var(b));
                let top = terms.int(1i64 << 32);
                terms.ite(terms.ge(sum, top), terms.sub(sum, top), sum)
            };
            let guard = terms.and([
                terms.within(0, terms.var(input), 10),
                terms.within(0, terms.var(other), (1i64 << 32) - 1),
            ]);
            let updates = [(x, add(x, input)), (y, add(y, other))];
            Transition::new(&terms, updates, guard, [input, other])
        })
        .collect();
    let limit = i64::try_from(10 * count).unwrap_or(i64::MAX);
    Subject {
        name: format!("{count} unsigned additions"),
        pre: terms.and([
            terms.eq(terms.var(x), terms.int(0)),
            terms.within(0, terms.var(y), (1i64 << 32) - 1),
        ]),
        path,
        post: terms.le(terms.var(x), terms.int(limit)),
        terms,
    }
}

/// Choices between cases, each with an input of its own.
fn chosen(count: usize, cases: i64) -> Subject {
    let terms = Arc::new(Terms::new());
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    let (vx, vy) = (terms.var(x), terms.var(y));
    let path = (0..count)
        .map(|_| {
            let case = |case: i64| {
                let input = terms.symbol("i", Sort::Int);
                let i = terms.var(input);
                let guard = terms.and([
                    terms.ge(terms.scale(case + 2, i), terms.sub(vy, vx)),
                    terms.le(terms.scale(case + 1, i), terms.add(vy, terms.int(case))),
                    terms.ge(i, terms.int(0)),
                ]);
                let updates = [
                    (x, terms.add(vx, terms.scale(case + 1, i))),
                    (y, terms.add(vy, terms.int(1))),
                ];
                Transition::new(&terms, updates, guard, [input])
            };
            (1..cases).fold(case(0), |all, next| all.choice(&terms, &case(next)))
        })
        .collect();
    Subject {
        name: format!("{count} choices of {cases} cases"),
        pre: terms.and([terms.ge(vx, terms.int(0)), terms.ge(vy, terms.int(0))]),
        path,
        post: terms.ge(
            terms.add(vx, vy),
            terms.int(i64::try_from(count).unwrap_or(0)),
        ),
        terms,
    }
}

/// Inputs that are only compared with each other, and a sum of which a bound is known.
fn copies(count: usize) -> Subject {
    let terms = Arc::new(Terms::new());
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
    let (vx, vy, vz) = (terms.var(x), terms.var(y), terms.var(z));
    let path = (0..count)
        .map(|_| {
            let input = terms.symbol("i", Sort::Int);
            let i = terms.var(input);
            let guard = terms.and([
                terms.ge(terms.scale(3, i), vz),
                terms.le(terms.scale(2, i), terms.add(vz, terms.int(9))),
                terms.ge(i, terms.int(0)),
            ]);
            let updates = [
                (x, terms.add(vx, terms.int(3))),
                (y, terms.add(vy, i)),
                (z, terms.modulo(terms.add(i, vy), 7)),
            ];
            Transition::new(&terms, updates, guard, [input])
        })
        .collect();
    Subject {
        name: format!("{count} inputs beside a counter"),
        pre: terms.and([
            terms.eq(terms.modulo(vx, 3), terms.int(1)),
            terms.ge(vy, terms.int(0)),
        ]),
        path,
        post: terms.and([
            terms.ne(terms.modulo(vx, 3), terms.int(0)),
            terms.ge(vy, terms.int(0)),
        ]),
        terms,
    }
}

/// Inputs that bound each other by fractions.
fn chained(count: usize) -> Subject {
    let terms = Arc::new(Terms::new());
    let x = terms.symbol("x", Sort::Int);
    let vx = terms.var(x);
    let path = (0..count)
        .map(|_| {
            let inputs = ["i", "j", "k"].map(|name| terms.symbol(name, Sort::Int));
            let [i, j, k] = inputs.map(|input| terms.var(input));
            let at_most = |a: i64, left: Term, b: i64, right: Term, more: i64| {
                let right = terms.add(terms.scale(b, right), terms.int(more));
                terms.le(terms.scale(a, left), right)
            };
            let guard = terms.and([
                at_most(3, i, 2, j, 1),
                at_most(5, j, 3, k, 2),
                at_most(7, k, 4, vx, 3),
                terms.ge(k, terms.int(0)),
            ]);
            Transition::new(&terms, [(x, terms.add(vx, i))], guard, inputs)
        })
        .collect();
    let mut limit = 100i64;
    for _ in 0..count {
        limit += (2 * ((3 * ((4 * limit + 3) / 7) + 2) / 5) + 1) / 3;
    }
    Subject {
        name: format!("{count} sums of fractions"),
        pre: terms.within(0, vx, 100),
        path,
        post: terms.le(vx, terms.int(limit)),
        terms,
    }
}
