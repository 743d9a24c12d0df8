//! Contracts before another engine.

use rhumb_logic::Budget;

use super::Horn;
use crate::claim::Claim;
use crate::engine::{Engine, Progress, Step};
use crate::task::Task;
use crate::view::TreeView;

/// The part of the work that the clauses may take.
const PART: u32 = 2;

/// An engine that knows nothing of calls that stay, with contracts tried before: where functions call themselves, they
/// are most of what there is to know.
pub(crate) struct ContractsFirst<'t> {
    task: &'t Task<'t>,
    inner: Box<dyn Engine + 't>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Clauses,
    /// A proof was claimed.
    Claimed,
    Inner,
}

impl<'t> ContractsFirst<'t> {
    /// The engine itself, if no call stays.
    pub(crate) fn start(task: &'t Task<'t>, inner: Box<dyn Engine + 't>) -> Box<dyn Engine + 't> {
        match task.prepared.left.is_empty() {
            true => inner,
            false => Box::new(ContractsFirst {
                task,
                inner,
                stage: Stage::Clauses,
            }),
        }
    }
}

impl Engine for ContractsFirst<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        if self.stage != Stage::Clauses {
            self.stage = Stage::Inner;
            return self.inner.step(budget);
        }
        match Horn::guess(self.task, &budget.part(PART)) {
            Ok(proof) => {
                self.stage = Stage::Claimed;
                Step::Done(Claim::Safe(proof))
            }
            Err(_) => {
                self.stage = Stage::Inner;
                Step::Working
            }
        }
    }

    fn go_on(&mut self) -> bool {
        self.stage == Stage::Claimed || self.inner.go_on()
    }

    fn progress(&self) -> Progress {
        self.inner.progress()
    }

    fn tree(&self) -> Option<TreeView> {
        self.inner.tree()
    }
}
