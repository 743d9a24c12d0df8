//! How block formulas grow with the number of branches in a row: terms, encoding, and a query about the whole block, translation included.
//!
//! `cargo bench -p rhumb-encode --bench size`

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

#[path = "../tests/it/branches.rs"]
mod branches;

use std::sync::Arc;
use std::time::Duration;

use rhumb_cfront::{Options, compile_text};
use rhumb_encode::{BlockEdge, BlockGraph, CutPolicy, prepare};
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Sort, Term, Terms};
use rhumb_program::Program;
use rhumb_program::passes::Goals;
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 5;

fn main() {
    println!("branches   terms  terms/branch  encode ms  translate ms  check ms  search ms");
    for count in [11, 22, 44, 100, 200] {
        let program = load(&branches::program(count));
        let prepared = prepare(&program, &Goals::all_targets(&program));
        let build = || {
            let terms = Arc::new(Terms::new());
            BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads)
        };
        let encode = best(ClockId::ThreadCPUTime, || {
            build();
        });
        let graph = build();
        let Some(round) = graph.edges.iter().find(|edge| edge.source == edge.target) else {
            continue;
        };
        let updates = round.transition.updates.iter().map(|update| update.1);
        let size = graph
            .terms
            .postorder(updates.chain([round.transition.guard]))
            .len();
        let translate = query(&graph, round, Question::Contradiction);
        let check = query(&graph, round, Question::Possible);
        let search = query(&graph, round, Question::Counts(count - 1));
        println!(
            "{count:8} {size:7} {:13.1} {:10.2} {:13.2} {:9.2} {:10.2}",
            size as f64 / count as f64,
            milliseconds(encode),
            milliseconds(translate),
            milliseconds(check.saturating_sub(translate)),
            milliseconds(search.saturating_sub(translate)),
        );
    }
}

/// What is asked about a round of the loop.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    /// Nothing: a contradiction beside the block ends the query before the search begins.
    Contradiction,
    /// Whether it is possible at all: one model of the block.
    Possible,
    /// Whether it can count from 0 up to this. All branches must go one way, which the solver has to find.
    Counts(usize),
}

/// The time of a fresh session's answer.
fn query(graph: &BlockGraph, round: &BlockEdge, question: Question) -> Duration {
    let terms = &graph.terms;
    let mut formulas: Vec<Term> = vec![round.transition.guard];
    for &(symbol, value) in &round.transition.updates {
        let after = terms.fresh("after", Sort::Int);
        formulas.push(terms.eq(after, value));
        if let Question::Counts(reached) = question {
            formulas.push(terms.eq(terms.var(symbol), terms.int(0)));
            formulas.push(terms.eq(after, terms.int(reached)));
        }
    }
    if question == Question::Contradiction {
        let free = terms.fresh("free", Sort::Bool);
        formulas.extend([free, terms.not(free)]);
    }
    best(ClockId::ProcessCPUTime, || {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        for &formula in &formulas {
            session.assert(formula);
        }
        let answer = session.check(&Budget::time(Duration::from_secs(60)));
        assert_eq!(
            answer.is_sat(),
            question != Question::Contradiction,
            "{answer:?}"
        );
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The least processor time of several runs: other work on the machine doesn't count.
fn best(clock: ClockId, mut run: impl FnMut()) -> Duration {
    let now = || {
        let time = clock_gettime(clock);
        Duration::new(
            time.tv_sec.unsigned_abs(),
            time.tv_nsec.unsigned_abs() as u32,
        )
    };
    let times = (0..ROUNDS).map(|_| {
        let start = now();
        run();
        now().saturating_sub(start)
    });
    times.min().unwrap_or_default()
}

fn load(text: &str) -> Program {
    let program = compile_text("branches.i", text, &Options::default());
    program.expect("the generated program is valid C")
}
