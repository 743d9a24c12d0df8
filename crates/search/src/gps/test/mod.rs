//! Concrete tests: compiled blocks along a plan.
//!
//! A test is one run of the program from a state at a node of the block graph. Where the state decides, blocks are
//! executed, in nanoseconds each. Where inputs are to be chosen, the model of the last query is a plan: it has values
//! for the inputs of blocks that the summaries pass once. Where the plan ends, the solver is asked how a goal stays in
//! reach ([`ask`]), which gives inputs and a new plan. Whether a goal is still in reach is otherwise a matter of
//! evaluation. A cycle that repeats itself is jumped over ([`jump`]), however many iterations it has.

mod ask;
mod code;
mod course;
mod jump;
mod line;
mod program;
mod prover;
mod run;
mod state;
#[cfg(test)]
mod tests;
mod visits;

use rhumb_encode::NodeId;
use rhumb_logic::{Assignment, Budget};
use rhumb_summary::Oracle;

use crate::runs::{End, Trace};
use crate::task::Task;
use ask::Questions;
use program::Program;
use run::Run;

/// Where a test starts, and what it knows.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The node.
    pub(crate) node: NodeId,
    /// The values of the variables that are live there, and gas if there is any. What is missing is zero.
    pub(crate) state: Assignment,
    /// Values for inputs of blocks that lie ahead, from the model that the test is to follow.
    pub(crate) plan: Assignment,
}

/// What tests did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Statistics {
    /// Tests.
    pub(crate) tests: u64,
    /// Blocks that were executed.
    pub(crate) steps: u64,
    /// Jumps.
    pub(crate) jumps: u64,
    /// Questions to the solver.
    pub(crate) queries: u64,
    /// Tests that ended where no goal is in reach.
    pub(crate) dead_ends: u64,
}

impl Statistics {
    /// Adds what other tests did.
    pub(crate) fn add(&mut self, other: Statistics) {
        self.tests += other.tests;
        self.steps += other.steps;
        self.jumps += other.jumps;
        self.queries += other.queries;
        self.dead_ends += other.dead_ends;
    }
}

/// Runs tests. It belongs to one oracle: it keeps the code of its steps.
pub(crate) struct Tester<'t> {
    task: &'t Task<'t>,
    uses_jumps: bool,
    /// What depends on the oracle, from the first test on.
    program: Option<Program>,
    questions: Questions,
    statistics: Statistics,
}

impl<'t> Tester<'t> {
    /// A tester that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>, jumps: bool) -> Tester<'t> {
        Tester {
            task,
            uses_jumps: jumps,
            program: None,
            questions: Questions::default(),
            statistics: Statistics::default(),
        }
    }

    /// What the tests did so far.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            queries: self.questions.asked,
            ..self.statistics
        }
    }

    /// Runs a test.
    pub(crate) fn run(&mut self, oracle: &mut Oracle, start: Start, budget: &Budget) -> Trace {
        let task = self.task;
        if !self
            .program
            .as_ref()
            .is_some_and(|program| program.is_of(oracle))
        {
            self.program = None;
            self.questions.close();
        }
        let program = self
            .program
            .get_or_insert_with(|| Program::new(task, oracle));
        self.statistics.tests += 1;
        let Some(state) = program.layouts.state(start.node, &start.state) else {
            return Trace {
                steps: Vec::new(),
                end: End::TooLarge(start.node),
            };
        };
        let questions = &mut self.questions;
        let mut run = Run::new(task, program, questions, oracle, budget);
        run.uses_jumps = self.uses_jumps;
        run.node = start.node;
        run.state = state;
        run.plan = start.plan;
        let end = run.follow();
        self.statistics.steps += run.executed;
        self.statistics.jumps += run.jumps;
        self.statistics.dead_ends += u64::from(matches!(end, End::DeadEnd(_)));
        Trace {
            steps: run.steps,
            end,
        }
    }
}
