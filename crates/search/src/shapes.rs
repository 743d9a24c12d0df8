//! Looking at all that memory can look like.
//!
//! Right for programs with lists of any length whose accesses, frees and losses are asked for. See
//! [`rhumb_certify::proof::AllShapes`].

use std::collections::BTreeSet;

use rhumb_certify::proof::{AllShapes, Proof, Shaped};
use rhumb_logic::{Budget, Work};
use rhumb_program::{Program, TargetId};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::runs::choose;
use crate::task::Task;

/// Work between two reports.
const SLICE: Work = Work::millis(250);

/// The engine `shapes`.
pub(crate) struct Shapes<'t> {
    task: &'t Task<'t>,
    shapes: AllShapes<'t>,
}

impl<'t> Shapes<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Shapes<'t> {
        Shapes {
            task,
            shapes: AllShapes::new(task.lowered),
        }
    }

    /// There is no proof: perhaps a short run shows why.
    fn refuted(&self, reason: Reason) -> Claim {
        choose(self.task).unwrap_or(Claim::Unknown(reason))
    }
}

impl Engine for Shapes<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let claim = match self.shapes.go_on(budget, SLICE) {
            Shaped::Working if !budget.is_spent() => return Step::Working,
            Shaped::Working => {
                let so_far = format!("looking at {} shapes", self.shapes.states());
                Claim::Unknown(Reason::Stopped(so_far))
            }
            Shaped::Complete(reached) => match reached.first() {
                None => Claim::Safe(Proof::shapes(self.shapes.steps())),
                Some(&target) => {
                    let span = self.task.lowered.targets[target].span;
                    let what = format!("a step of a run to {}", self.task.place(span));
                    self.refuted(Reason::Approximated(what))
                }
            },
            Shaped::Lost { what, position } => {
                let place = position.map(|at| format!(", {}:{}", at.file, at.line));
                let what = format!("{what}{}", place.unwrap_or_default());
                self.refuted(Reason::Unsupported(what))
            }
        };
        Step::Done(claim)
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: format!(
                "{} shapes, {} open",
                self.shapes.states(),
                self.shapes.open()
            ),
            figures: vec![("shapes", self.shapes.states() as f64)],
        }
    }
}

/// The targets that may be reached as far as shapes tell; none if they don't.
pub(crate) fn reached(program: &Program, budget: &Budget) -> Option<BTreeSet<TargetId>> {
    let mut shapes = AllShapes::new(program);
    loop {
        match shapes.go_on(budget, SLICE) {
            Shaped::Working if budget.is_spent() => return None,
            Shaped::Working => {}
            Shaped::Complete(reached) => return Some(reached),
            Shaped::Lost { .. } => return None,
        }
    }
}
