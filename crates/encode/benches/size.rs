//! How block formulas grow with the number of branches in a row: terms, encoding, and a query about the whole block, translation included.
//!
//! `cargo bench -p rhumb-encode --bench size`

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

#[path = "../tests/it/branches.rs"]
mod branches;

use std::sync::Arc;
use std::time::Duration;

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_encode::{BlockEdge, BlockGraph, CutPolicy, prepare};
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Sort, Term, Terms};
use rhumb_program::Program;
use rhumb_program::passes::Goals;

const ROUNDS: usize = 5;

fn main() {
    println!(
        "branches   terms  terms/branch  encode ms  translate ms  sat check ms  unsat check ms"
    );
    for count in [11, 22, 44, 100, 200, 400] {
        let program = load(&branches::program(count));
        let prepared = prepare(&program, &Goals::all_targets(&program));
        let build = || {
            let terms = Arc::new(Terms::new());
            BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads)
        };
        let encode = best(|| {
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
        let translate = query(&graph, round, None);
        // The last letter leads out of the loop.
        let sat = query(&graph, round, Some(count - 1));
        let unsat = query(&graph, round, Some(count));
        println!(
            "{count:8} {size:7} {:13.1} {:10.2} {:13.2} {:13.2} {:15.2}",
            size as f64 / count as f64,
            encode.as_secs_f64() * 1e3,
            translate.as_secs_f64() * 1e3,
            sat.saturating_sub(translate).as_secs_f64() * 1e3,
            unsat.saturating_sub(translate).as_secs_f64() * 1e3,
        );
    }
}

/// The time of a fresh session's answer to whether one round can count from 0 up to a number. Without a number the block is translated and a contradiction
/// beside it ends the query before the search begins.
fn query(graph: &BlockGraph, round: &BlockEdge, reached: Option<usize>) -> Duration {
    let terms = &graph.terms;
    let mut formulas: Vec<Term> = vec![round.transition.guard];
    for &(symbol, value) in &round.transition.updates {
        let after = terms.fresh("after", Sort::Int);
        formulas.push(terms.eq(terms.var(symbol), terms.int(0)));
        formulas.push(terms.eq(after, value));
        if let Some(reached) = reached {
            formulas.push(terms.eq(after, terms.int(reached)));
        }
    }
    if reached.is_none() {
        let free = terms.fresh("free", Sort::Bool);
        formulas.extend([free, terms.not(free)]);
    }
    best(|| {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        for &formula in &formulas {
            session.assert(formula);
        }
        let answer = session.check(&Budget::time(Duration::from_secs(60)));
        let expected = reached.is_some_and(|reached| reached < round.transition.inputs.len());
        assert_eq!(answer.is_sat(), expected, "{answer:?}");
    })
}

/// The least processor time of several runs: other work on the machine doesn't count.
fn best(mut run: impl FnMut()) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let start = processor_time();
        run();
        processor_time().saturating_sub(start)
    });
    times.min().unwrap_or_default()
}

/// Processor time of all threads of this process so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

fn load(text: &str) -> Program {
    let source = load_text(
        "branches.i",
        text.as_bytes().to_vec(),
        &LoadOptions::default(),
    );
    let compiled = source.map(|source| compile(source.map, &Options::default()));
    match compiled.map(|compiled| compiled.program) {
        Ok(Some(program)) => program,
        _ => panic!("the generated program is valid C"),
    }
}
