//! The guided search in the program without what decides nothing ([`Task::sliced`]).
//!
//! Right for proofs only: an error there may lead through a loop that doesn't end in truth, and to find that out takes long.

use rhumb_logic::Budget;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::gps;
use crate::task::Task;
use crate::view::TreeView;

/// A search whose proofs count and whose errors don't.
pub(crate) struct Sliced<'t>(Box<dyn Engine + 't>);

impl<'t> Sliced<'t> {
    pub(crate) fn new(sliced: &'t Task<'t>) -> Sliced<'t> {
        Sliced(Box::new(gps::whole(sliced)))
    }
}

impl Engine for Sliced<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        match self.0.step(budget) {
            Step::Done(Claim::Unsafe { .. }) => Step::Done(Claim::Unknown(Reason::Inconclusive)),
            step => step,
        }
    }

    fn go_on(&mut self) -> bool {
        self.0.go_on()
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn tree(&self) -> Option<TreeView> {
        self.0.tree()
    }
}
