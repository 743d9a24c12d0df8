//! What a test costs by itself, for the benchmark.

use std::time::{Duration, Instant};

use rhumb_logic::{Assignment, Budget};
use rhumb_summary::{Oracle, OracleOptions, Preset};

use super::test::{Start, Tester};
use crate::runs::End;
use crate::task::Task;

/// What a test did, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct TestCost {
    /// Blocks that were executed.
    pub steps: u64,
    /// Jumps over cycles.
    pub jumps: u64,
    /// Whether a goal was reached.
    pub is_goal: bool,
    /// The time.
    pub time: Duration,
}

impl TestCost {
    /// Runs one test from the entry, without help from invariants or summaries: right for programs that read nothing.
    pub fn measure<'t>(task: &'t Task<'t>, jumps: bool, budget: &Budget) -> TestCost {
        let options = OracleOptions {
            summaries: false,
            gas: false,
            preset: Preset::Full,
        };
        let mut oracle = Oracle::new(&task.graph, options, &Budget::time(Duration::ZERO));
        let mut tester = Tester::new(task, jumps);
        let start = Start {
            node: task.graph.entry,
            state: Assignment::default(),
            plan: Assignment::default(),
        };
        let begun = Instant::now();
        let trace = tester.run(&mut oracle, start, budget);
        let time = begun.elapsed();
        let statistics = tester.statistics();
        TestCost {
            steps: statistics.steps,
            jumps: statistics.jumps,
            is_goal: matches!(trace.end, End::Goal(_)),
            time,
        }
    }
}
