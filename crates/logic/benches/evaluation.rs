//! `cargo bench -p rhumb-logic --bench evaluation`: the truth of a formula in one state after the other, compiled, by
//! walking the graph, and by a living solver session.
//!
//! Ratios are taken within one run, best of several, since absolute times say more about the machine.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::eval::{Evaluator, evaluate};
use rhumb_logic::{
    Assignment, Budget, Int, Session, SessionOptions, Sort, Symbol, Term, Terms, Value,
};

const REPEATS: u32 = 5;

/// States for compiled evaluation, for the walk, and for the solver.
const STATES: [usize; 3] = [100_000, 2_000, 200];

struct Subject {
    name: &'static str,
    terms: Arc<Terms>,
    symbols: Vec<Symbol>,
    formula: Term,
}

fn main() {
    println!(
        "{:<28} {:>6} {:>11} {:>11} {:>11} {:>9} {:>9}",
        "formula", "nodes", "compiled", "walk", "solver", "walk/", "solver/"
    );
    for subject in [bounds(), reachability(), branches(40)] {
        measure(&subject);
    }
}

fn measure(subject: &Subject) {
    let Subject {
        terms,
        symbols,
        formula,
        ..
    } = subject;
    let evaluator = Evaluator::new(terms, symbols, &[*formula]);
    let mut frame = evaluator.frame();
    let states: Vec<Vec<i128>> = (0..STATES[0])
        .map(|index| state(index, symbols.len()))
        .collect();
    let assignments: Vec<Assignment> = states[..STATES[1]]
        .iter()
        .map(|state| {
            let values = state.iter().map(|&value| Value::Int(Int::from(value)));
            symbols.iter().copied().zip(values).collect()
        })
        .collect();
    let mut held = 0usize;
    let compiled = best(STATES[0], || {
        held = states
            .iter()
            .filter(|state| black_box(evaluator.holds(&mut frame, state)) == Some(true))
            .count();
    });
    let mut walked = 0usize;
    let walk = best(STATES[1], || {
        walked = assignments
            .iter()
            .filter(|assignment| {
                black_box(evaluate(terms, *formula, assignment)) == Some(Value::Bool(true))
            })
            .count();
    });
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(*formula);
    let budget = Budget::unlimited();
    let mut solved = 0usize;
    let solver = best(STATES[2], || {
        solved = 0;
        for state in &states[..STATES[2]] {
            session.push();
            for (&symbol, &value) in symbols.iter().zip(state) {
                session.assert(terms.eq(terms.var(symbol), terms.int(value)));
            }
            solved += usize::from(session.is_sat(&[], &budget) == Some(true));
            session.pop();
        }
    });
    let same = |count: usize| {
        (states.iter().take(count))
            .filter(|state| evaluator.holds(&mut evaluator.frame(), state) == Some(true))
            .count()
    };
    assert_eq!((walked, solved), (same(STATES[1]), same(STATES[2])));
    println!(
        "{:<28} {:>6} {:>8.1} ns {:>8.1} us {:>8.1} us {:>8.0}x {:>8.0}x   ({held} of {} hold)",
        subject.name,
        terms.size(*formula),
        compiled.as_secs_f64() * 1e9,
        walk.as_secs_f64() * 1e6,
        solver.as_secs_f64() * 1e6,
        walk.as_secs_f64() / compiled.as_secs_f64(),
        solver.as_secs_f64() / compiled.as_secs_f64(),
        STATES[0],
    );
}

/// The best time of one evaluation.
fn best(count: usize, mut run: impl FnMut()) -> Duration {
    let times = (0..REPEATS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    times.min().unwrap_or_default() / u32::try_from(count).unwrap_or(1)
}

/// Values that are small now and large then.
fn state(index: usize, width: usize) -> Vec<i128> {
    let mut mixed = index as u64;
    let value = |_| {
        mixed = mixed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let shift = 40 + (mixed >> 7) % 20;
        i128::from(mixed >> shift) - 8
    };
    (0..width).map(value).collect()
}

fn variables(terms: &Terms, count: usize) -> (Vec<Symbol>, Vec<Term>) {
    let symbols: Vec<Symbol> = (0..count)
        .map(|index| terms.symbol(format!("x{index}"), Sort::Int))
        .collect();
    let vars = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
    (symbols, vars)
}

/// A few linear atoms: what a guard is.
fn bounds() -> Subject {
    let terms = Arc::new(Terms::new());
    let (symbols, x) = variables(&terms, 4);
    let formula = terms.and([
        terms.le(x[0], x[1]),
        terms.ge(terms.add(x[0], x[2]), terms.int(-3)),
        terms.le(terms.sub(terms.scale(2, x[3]), x[1]), terms.int(1 << 20)),
    ]);
    Subject {
        name: "guard of three atoms",
        terms,
        symbols,
        formula,
    }
}

/// "The error can still be reached": a disjunction of cases with congruences and quotients.
fn reachability() -> Subject {
    let terms = Arc::new(Terms::new());
    let (symbols, x) = variables(&terms, 8);
    let cases = (0..12).map(|case: i64| {
        let at = |place: i64| x[((case + place) % 8) as usize];
        let sum = terms.add(terms.scale(3, at(0)), terms.scale(case - 5, at(1)));
        terms.and([
            terms.congruent(sum, 2 + case % 5, case),
            terms.le(terms.add(sum, at(2)), terms.int(1000 * case)),
            terms.ge(at(3), terms.div(at(4), 3)),
            terms.ne(terms.modulo(at(5), 1i64 << (case + 3)), terms.int(7)),
        ])
    });
    let formula = terms.or(cases.collect::<Vec<_>>());
    Subject {
        name: "twelve ways to the error",
        terms,
        symbols,
        formula,
    }
}

/// A row of branches, joined by conditionals, with unsigned wrap-around.
fn branches(count: i64) -> Subject {
    let terms = Arc::new(Terms::new());
    let (symbols, x) = variables(&terms, 4);
    let modulus = 1i64 << 32;
    let mut sum = x[0];
    for step in 0..count {
        let more = terms.add(sum, x[(step % 4) as usize]);
        let top = terms.int(modulus);
        let wrapped = terms.ite(terms.ge(more, top), terms.sub(more, top), more);
        let condition = terms.le(x[((step + 1) % 4) as usize], terms.int(100 * step));
        sum = terms.ite(condition, wrapped, sum);
    }
    let formula = terms.le(sum, terms.int(1 << 20));
    Subject {
        name: "forty branches with wrap",
        terms,
        symbols,
        formula,
    }
}
