//! One engine after the other.
//!
//! Summaries first: they are over within seconds and prove most of what is safe. Then unrolling, for as long as there is time.

use rhumb_logic::Budget;

use crate::bmc::Bmc;
use crate::claim::Claim;
use crate::cra::Cra;
use crate::engine::{Engine, Progress, Step};
use crate::task::Task;

/// The part of the time that is left which each engine but the last one gets.
const SHARE: u32 = 2;

/// The engine `portfolio`.
pub(crate) struct Portfolio<'t> {
    task: &'t Task<'t>,
    current: Box<dyn Engine + 't>,
    /// The engines that are still to come, the next one last.
    waiting: Vec<fn(&'t Task<'t>) -> Box<dyn Engine + 't>>,
}

impl<'t> Portfolio<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Portfolio<'t> {
        Portfolio {
            task,
            current: Box::new(Cra::new(task)),
            waiting: vec![|task| Box::new(Bmc::new(task))],
        }
    }
}

impl Engine for Portfolio<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let share = match budget.remaining() {
            Some(left) if !self.waiting.is_empty() => budget.within(left / SHARE),
            _ => budget.clone(),
        };
        let step = self.current.step(&share);
        match step {
            Step::Done(Claim::Unknown(_)) if !budget.is_spent() && self.go_on() => Step::Working,
            other => other,
        }
    }

    fn go_on(&mut self) -> bool {
        let next = self.waiting.pop();
        if let Some(start) = next {
            self.current = start(self.task);
        }
        next.is_some()
    }

    fn progress(&self) -> Progress {
        self.current.progress()
    }
}
