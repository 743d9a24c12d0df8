//! One engine after the other.
//!
//! The search guided by summaries first; then, with what is left of the budget, unrolling, which needs neither summaries nor interpolants: right for programs whose loops
//! are short and whose steps are hard.

use rhumb_logic::Budget;

use crate::bmc::Bmc;
use crate::claim::Claim;
use crate::engine::{Engine, Progress, Step};
use crate::explorer::Explorer;
use crate::gps::{self, Gps};
use crate::task::Task;

/// The part of the work that is kept for unrolling.
const KEPT: u32 = 3;

/// The engine `portfolio`.
pub(crate) struct Portfolio<'t> {
    task: &'t Task<'t>,
    stage: Stage<'t>,
    /// What the guided search may take, from its first step on.
    share: Option<Budget>,
}

enum Stage<'t> {
    Guided(Box<Explorer<'t, Gps<'t>>>),
    Unrolling(Box<Bmc<'t>>),
}

impl<'t> Portfolio<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Portfolio<'t> {
        Portfolio {
            task,
            stage: Stage::Guided(Box::new(gps::whole(task))),
            share: None,
        }
    }

    fn unroll(&mut self) {
        self.stage = Stage::Unrolling(Box::new(Bmc::new(self.task)));
    }
}

impl Engine for Portfolio<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let gps = match &mut self.stage {
            Stage::Unrolling(bmc) => return bmc.step(budget),
            Stage::Guided(gps) => gps,
        };
        let share = self.share.get_or_insert_with(|| match budget.left() {
            Some(given) => budget.within(given - given / KEPT),
            None => budget.clone(),
        });
        let step = gps.step(share);
        if matches!(step, Step::Done(Claim::Unknown(_))) && !budget.is_spent() {
            self.unroll();
            return Step::Working;
        }
        step
    }

    fn go_on(&mut self) -> bool {
        match &mut self.stage {
            Stage::Guided(gps) => {
                if !gps.go_on() {
                    self.unroll();
                }
                true
            }
            Stage::Unrolling(bmc) => bmc.go_on(),
        }
    }

    fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Guided(gps) => gps.progress(),
            Stage::Unrolling(bmc) => bmc.progress(),
        }
    }
}
