//! Looking at all that memory can look like.
//!
//! Right for programs with lists of any length whose accesses, frees and losses are asked for. See
//! [`rhumb_certify::proof::AllShapes`].

use std::collections::BTreeSet;

use rhumb_certify::proof::{AllShapes, Folding, Proof, Shaped};
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
    /// Why there is no proof where rows are mixed; rows of what holds the same numbers are looked at from then on.
    mixed: Option<Mixed>,
}

/// What came of mixed rows.
struct Mixed {
    reason: Reason,
    steps: u64,
}

impl<'t> Shapes<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Shapes<'t> {
        Shapes {
            task,
            shapes: AllShapes::new(task.lowered, Folding::Mixed),
            mixed: None,
        }
    }

    /// There is no proof: perhaps a short run shows why. If not, and rows were mixed, others may do.
    fn refuted(&mut self, reason: Reason) -> Step {
        if let Some(mixed) = &self.mixed {
            return Step::Done(Claim::Unknown(mixed.reason.clone()));
        }
        if let Some(claim) = choose(self.task) {
            return Step::Done(claim);
        }
        let steps = self.shapes.steps();
        self.mixed = Some(Mixed { reason, steps });
        self.shapes = AllShapes::new(self.task.lowered, Folding::Alike);
        Step::Working
    }

    /// The steps that the checker needs, which tries both.
    fn steps(&self) -> u64 {
        let before = self.mixed.as_ref().map_or(0, |mixed| mixed.steps);
        self.shapes.steps().max(before)
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
                None => Claim::Safe(Proof::shapes(self.steps())),
                Some(&target) => {
                    let span = self.task.lowered.targets[target].span;
                    let what = format!("a step of a run to {}", self.task.place(span));
                    return self.refuted(Reason::Approximated(what));
                }
            },
            Shaped::Lost { what, position } => {
                let place = position.map(|at| format!(", {}:{}", at.file, at.line));
                let what = format!("{what}{}", place.unwrap_or_default());
                return self.refuted(Reason::Unsupported(what));
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
    let mut shapes = AllShapes::new(program, Folding::Mixed);
    loop {
        match shapes.go_on(budget, SLICE) {
            Shaped::Working if budget.is_spent() => return None,
            Shaped::Working => {}
            Shaped::Complete(reached) => return Some(reached),
            Shaped::Lost { .. } => return None,
        }
    }
}
