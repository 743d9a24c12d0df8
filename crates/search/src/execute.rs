//! Following all runs with their inputs left open, as an engine and as a companion of others.
//!
//! Right for programs whose runs are short and do what formulas about blocks don't say: memory, recursion, calls through pointers, floating point.

use rhumb_certify::proof::{Followed, Proof, Runs};
use rhumb_encode::NodeKind;
use rhumb_logic::{Budget, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::runs::{Replayed, replay};
use crate::task::Task;

/// Work between two reports.
const SLICE: Work = Work::millis(250);

/// The engine `execute`.
pub(crate) struct Execute<'t> {
    task: &'t Task<'t>,
    runs: Runs<'t>,
    /// The first thing that was in the way.
    obstacle: Option<Reason>,
}

impl<'t> Execute<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Execute<'t> {
        Execute {
            task,
            runs: Runs::new(task.lowered),
            obstacle: None,
        }
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
        let begin = Work::so_far();
        match self.runs.go_on(budget, SLICE) {
            Followed::Working if Work::since(begin) < SLICE => {
                return Step::Done(Claim::Unknown(self.stopped()));
            }
            Followed::Working | Followed::Ended { .. } => {}
            Followed::Complete(extent) => {
                return Step::Done(Claim::Safe(Proof::execution(extent.steps)));
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

/// What execution gets before another engine begins, if that is not more than a quarter of everything.
const OPENING: Work = Work::secs(2);

/// An engine that is given a hand where formulas can't follow the program: execution before it, and again when it has given up or had half of the rest.
pub(crate) struct Accompanied<'t> {
    execute: Box<Execute<'t>>,
    inner: Box<dyn Engine + 't>,
    stage: Stage,
}

enum Stage {
    Opening(Option<Budget>),
    Inner(Option<Budget>),
    /// With what the inner engine said at the end.
    Closing(Reason),
}

impl<'t> Accompanied<'t> {
    /// The engine itself, if formulas say all of the program.
    pub(crate) fn start(task: &'t Task<'t>, inner: Box<dyn Engine + 't>) -> Box<dyn Engine + 't> {
        let graph = &task.graph;
        let is_followed = graph
            .edges
            .iter()
            .all(|edge| edge.approximations.is_empty())
            && (graph.nodes.iter())
                .all(|node| !matches!(node.kind, NodeKind::Unsupported(_) | NodeKind::Call(_)));
        if is_followed || graph.goals().next().is_none() {
            return inner;
        }
        Box::new(Accompanied {
            execute: Box::new(Execute::new(task)),
            inner,
            stage: Stage::Opening(None),
        })
    }
}

impl Engine for Accompanied<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        match &mut self.stage {
            Stage::Opening(share) => {
                let share = share.get_or_insert_with(|| match budget.left() {
                    Some(left) => budget.within(OPENING.min(left / 4)),
                    None => budget.within(OPENING),
                });
                match self.execute.step(share) {
                    Step::Done(Claim::Unknown(_)) if !budget.is_over() => {
                        self.stage = Stage::Inner(None);
                        Step::Working
                    }
                    step => step,
                }
            }
            Stage::Inner(share) => {
                let share = share.get_or_insert_with(|| budget.part(2));
                match self.inner.step(share) {
                    Step::Done(Claim::Unknown(reason)) if !budget.is_spent() => {
                        self.stage = Stage::Closing(reason);
                        Step::Working
                    }
                    step => step,
                }
            }
            Stage::Closing(reason) => match self.execute.step(budget) {
                Step::Done(Claim::Unknown(_)) => Step::Done(Claim::Unknown(reason.clone())),
                step => step,
            },
        }
    }

    fn go_on(&mut self) -> bool {
        match &self.stage {
            Stage::Opening(_) => {
                self.stage = Stage::Inner(None);
                true
            }
            Stage::Inner(_) => self.inner.go_on(),
            Stage::Closing(_) => false,
        }
    }

    fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Inner(_) => self.inner.progress(),
            Stage::Opening(_) | Stage::Closing(_) => self.execute.progress(),
        }
    }
}
