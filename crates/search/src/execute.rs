//! Following all runs with their inputs left open.
//!
//! Right for programs whose runs are short and do what formulas about blocks don't say: memory, recursion, calls
//! through pointers, floating point.

use rhumb_certify::proof::{Followed, Proof, Runs};
use rhumb_logic::{Budget, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::runs::{Replayed, replay, wander};
use crate::task::Task;

/// Work between two reports.
const SLICE: Work = Work::millis(250);

/// The engine `execute`.
pub(crate) struct Execute<'t> {
    task: &'t Task<'t>,
    runs: Runs<'t>,
    /// The first thing that was in the way.
    obstacle: Option<Reason>,
    /// Whether long runs on few inputs are to be tried first.
    wanders: bool,
}

impl<'t> Execute<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Execute<'t> {
        Execute {
            task,
            runs: Runs::new(task.lowered),
            obstacle: None,
            wanders: false,
        }
    }

    /// The same side by side: runs go on as one where they meet.
    pub(crate) fn together(task: &'t Task<'t>) -> Execute<'t> {
        Execute {
            runs: Runs::together(task.lowered),
            ..Execute::new(task)
        }
    }

    /// The same after long runs on few inputs: where places in memory are computed.
    pub(crate) fn after_long_runs(self, wanders: bool) -> Execute<'t> {
        Execute { wanders, ..self }
    }

    fn stopped(&self) -> Reason {
        let extent = self.runs.extent();
        let (paths, open) = (extent.paths, self.runs.open());
        let so_far = format!("in the execution of all runs: {paths} paths, {open} open");
        Reason::Stopped(so_far)
    }
}

impl Engine for Execute<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        if budget.is_spent() {
            return Step::Done(Claim::Unknown(self.stopped()));
        }
        if std::mem::take(&mut self.wanders)
            && let Some(claim) = wander(self.task)
        {
            return Step::Done(claim);
        }
        let begin = Work::so_far();
        match self.runs.go_on(budget, SLICE) {
            Followed::Working if Work::since(begin) < SLICE => {
                // What is left is too little for a question. Whoever shares out work must see that it was spent: with
                // more there is more to come.
                budget.spend(budget.units_for_query().unwrap_or(0));
                return Step::Done(Claim::Unknown(self.stopped()));
            }
            Followed::Working | Followed::Ended { .. } => {}
            Followed::Complete(extent) => {
                // A question that was answered just within its limit may stay open when it is asked again.
                let steps = extent.steps.saturating_mul(2);
                let proof = match self.runs {
                    Runs::Together(_) => Proof::together(steps),
                    Runs::Sequential(_) | Runs::Threads(_) => Proof::execution(steps),
                };
                return Step::Done(Claim::Safe(proof));
            }
            Followed::Incomplete => {
                let reason = self.obstacle.clone();
                return Step::Done(Claim::Unknown(reason.unwrap_or(Reason::Inconclusive)));
            }
            Followed::Lost { what, position } => {
                let place = position.map(|at| format!(", {}:{}", at.file, at.line));
                let what = format!("{what}{}", place.unwrap_or_default());
                self.obstacle.get_or_insert(Reason::Unsupported(what));
            }
            Followed::Reached { target, inputs } => {
                let span = self.task.lowered.targets[target].span;
                if let Some(inputs) = inputs
                    && let Replayed::Target(target) = replay(self.task, &inputs)
                {
                    return Step::Done(Claim::Unsafe { target, inputs });
                }
                let what = format!("a step of a run to {}", self.task.place(span));
                self.obstacle.get_or_insert(Reason::Approximated(what));
            }
        }
        Step::Working
    }

    fn go_on(&mut self) -> bool {
        self.runs.open() > 0
    }

    fn progress(&self) -> Progress {
        let extent = self.runs.extent();
        Progress {
            summary: format!("{} paths, {} open", extent.paths, self.runs.open()),
            figures: vec![
                ("extent.paths", extent.paths as f64),
                ("extent.steps", extent.steps as f64),
            ],
        }
    }
}
