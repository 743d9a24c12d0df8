//! One engine after the other.
//!
//! Summaries first: they are over within seconds and prove most of what is safe. Where they allow an error, a test from their model. Then unrolling, for as long as
//! there is time.

use rhumb_logic::Budget;

use crate::bmc::Bmc;
use crate::claim::Claim;
use crate::cra::Cra;
use crate::engine::{Engine, Progress, Step};
use crate::probe::probe;
use crate::task::Task;

/// The part of the time that summaries get.
const SHARE: u32 = 2;

/// The engine `portfolio`.
pub(crate) struct Portfolio<'t> {
    task: &'t Task<'t>,
    stage: Stage<'t>,
}

enum Stage<'t> {
    Summaries(Cra<'t>),
    Unrolling(Box<Bmc<'t>>),
}

impl<'t> Portfolio<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Portfolio<'t> {
        Portfolio {
            task,
            stage: Stage::Summaries(Cra::new(task)),
        }
    }
}

impl Engine for Portfolio<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let cra = match &mut self.stage {
            Stage::Unrolling(bmc) => return bmc.step(budget),
            Stage::Summaries(cra) => cra,
        };
        let share = match budget.remaining() {
            Some(left) => budget.within(left / SHARE),
            None => budget.clone(),
        };
        let step = cra.step(&share);
        if !matches!(step, Step::Done(Claim::Unknown(_))) || budget.is_spent() {
            return step;
        }
        let found = cra.model.as_ref();
        if let Some(claim) = found.and_then(|model| probe(self.task, model, &share)) {
            return Step::Done(claim);
        }
        self.go_on();
        Step::Working
    }

    fn go_on(&mut self) -> bool {
        let Stage::Summaries(cra) = &mut self.stage else {
            return false;
        };
        if !cra.go_on() {
            self.stage = Stage::Unrolling(Box::new(Bmc::new(self.task)));
        }
        true
    }

    fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Summaries(cra) => cra.progress(),
            Stage::Unrolling(bmc) => bmc.progress(),
        }
    }
}
