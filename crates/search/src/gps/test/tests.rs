//! Tests of tests: what they find, how fast they get there, and that they are right.

use std::time::Duration;

use rhumb_certify::counterexample;
use rhumb_certify::{Verdict, certify_unsafe};
use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_summary::{OracleOptions, Preset};

use super::*;
use crate::gps::decode::Decoder;

/// Compiles a text that is known to be valid.
fn program(text: &str) -> Program {
    let text = format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n{text}"
    );
    let source = load_text("test.i", text.clone().into_bytes(), &LoadOptions::default());
    let compiled = compile(source.expect("a text").map, &Options::default());
    match compiled.program {
        Some(program) => program,
        None => panic!("not valid C: {:?}\n{text}", compiled.diagnostics),
    }
}

/// What a test from the entry came to.
struct Tested {
    trace: Trace,
    statistics: Statistics,
    /// Whether the inputs lead to the error.
    is_confirmed: bool,
}

fn test(text: &str, gas: bool) -> Tested {
    let lowered = program(text);
    let task = Task::new(&lowered);
    let budget = Budget::time(Duration::from_secs(20));
    let options = OracleOptions {
        summaries: true,
        gas,
        preset: Preset::Full,
    };
    let mut oracle = Oracle::new(&task.graph, options, &budget);
    let mut tester = Tester::new(&task, &Config::GPS);
    let start = Start {
        node: task.graph.entry,
        state: Assignment::default(),
        plan: Assignment::default(),
    };
    let trace = tester.run(&mut oracle, start, &budget);
    let mut decoder = Decoder::new(&task, Assignment::default());
    let is_confirmed = matches!(trace.end, End::Goal(_)) && {
        decoder.follow(&trace.steps).expect("inputs");
        let budget = counterexample::Budget::default();
        matches!(
            certify_unsafe(&lowered, &decoder.finish(), &budget),
            Ok(Verdict::Unsafe(_))
        )
    };
    Tested {
        trace,
        statistics: tester.statistics(),
        is_confirmed,
    }
}

#[test]
fn the_length_of_a_loop_costs_nothing() {
    let mut steps = Vec::new();
    for bound in ["10", "10000", "1000000", "2147483647"] {
        for gas in [false, true] {
            let text = format!(
                "int main(void) {{
                   int n = __VERIFIER_nondet_int();
                   int i = 0, lines = 0;
                   while (i < n) {{ lines = lines + 1; i = i + 1; }}
                   if (lines >= {bound}) reach_error();
                   return 0;
                 }}"
            );
            let tested = test(&text, gas);
            println!(
                "{bound} {gas}: {:?} {:?}",
                tested.trace.end, tested.statistics
            );
            assert!(tested.is_confirmed, "{bound} {gas}: {:?}", tested.trace);
            steps.push(tested.statistics.steps);
        }
    }
    assert!(steps.iter().all(|&count| count <= 12), "{steps:?}");
}

#[test]
fn five_nested_loops() {
    let text = "int main(void) {
      unsigned a, b, c, d, e;
      unsigned uint32_max = 0xffffffff;
      for (a = 0; a < uint32_max - 1; ++a)
        for (b = 0; b < uint32_max - 1; ++b)
          for (c = 0; c < uint32_max - 1; ++c)
            for (d = 0; d < uint32_max - 1; ++d)
              for (e = 0; e < uint32_max - 1; ++e)
                if ((a == b) && (b == c) && (c == d) && (d == e) && (e == (uint32_max - 2)))
                  reach_error();
      return 0;
    }";
    let start = std::time::Instant::now();
    let tested = test(text, false);
    println!(
        "{:?} {:?} {:?}",
        start.elapsed(),
        tested.trace.end,
        tested.statistics
    );
    assert!(tested.is_confirmed);
}
