//! Tests of tests: what they find, how fast they get there, and that they are right.

mod goals;
mod lines;
mod loops;

use std::time::{Duration, Instant};

use rhumb_certify::counterexample;
use rhumb_certify::{Verdict, certify_unsafe};
use rhumb_cfront::{Options, compile_text};
use rhumb_program::Program as Lowered;
use rhumb_program::interp::Machine;
use rhumb_summary::{OracleOptions, Preset};

use super::*;
use crate::runs::Decoder;

/// Compiles a text that is known to be valid.
fn program(text: &str) -> Lowered {
    let text = format!(
        "extern void reach_error(void);
         extern int __VERIFIER_nondet_int(void);
         extern unsigned __VERIFIER_nondet_uint(void);
         extern unsigned char __VERIFIER_nondet_uchar(void);
         {text}"
    );
    compile_text("test.i", &text, &Options::default()).expect(&text)
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 3
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    /// A number from one up to another.
    fn within(&mut self, low: i128, high: i128) -> i128 {
        low + i128::from(self.below((high - low + 1) as u64))
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// What a test from the entry came to.
struct Tested {
    end: End,
    statistics: Statistics,
    time: Duration,
    /// Whether the inputs lead to the error.
    is_confirmed: bool,
}

/// Runs a test that starts at the entry and knows nothing, and checks the inputs that come out.
fn test(text: &str, gas: bool) -> Tested {
    let lowered = program(text);
    let task = Task::new(&lowered);
    let budget = Budget::time(Duration::from_secs(60));
    let options = OracleOptions {
        summaries: true,
        gas,
        preset: Preset::Full,
    };
    let mut oracle = Oracle::new(&task.graph, options, &budget);
    // What the summaries cost is not what a test costs.
    for node in task.graph.nodes.indices() {
        oracle.summary(node, &budget);
        oracle.prune(node, &budget);
    }
    let mut tester = Tester::new(&task, true);
    let start = Start {
        node: task.graph.entry,
        state: Assignment::default(),
        plan: Assignment::default(),
    };
    let begun = Instant::now();
    let trace = tester.run(&mut oracle, start, &budget);
    let time = begun.elapsed();
    let mut decoder = Decoder::new(&task, Assignment::default()).expect("a start");
    let is_confirmed = matches!(trace.end, End::Goal(_)) && {
        decoder.follow(&trace.steps).expect("inputs");
        let budget = counterexample::Budget::default();
        let verdict = certify_unsafe(&Machine::compile(&lowered), &decoder.finish(), &budget);
        matches!(verdict, Ok(Verdict::Unsafe(_)))
    };
    Tested {
        end: trace.end,
        statistics: tester.statistics(),
        time,
        is_confirmed,
    }
}
