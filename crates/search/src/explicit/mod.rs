//! Explicit states: all of them, one by one.
//!
//! Right for programs whose state is a finite set of numbers, but for inputs that are copied, counted up and compared:
//! state machines, protocols, product lines. The walk is that of proofs by exploration
//! ([`rhumb_certify::proof::Walk`]): it needs no solver, and what it doesn't know may be anything. Here it is decided
//! what it looks at ([`slice`]), and what to make of the ways to a target that it finds: inputs, and a run of the
//! program on them.

mod slice;

use rhumb_certify::proof::{Ending, Ground, Proof, View, Walk, Way};
use rhumb_logic::{Budget, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::runs::{Replayed, replay};
use crate::task::Task;

/// The work of a step.
const STEP: Work = Work::millis(50);

/// The work that is spent on finding inputs for one way.
const FOLLOW: Work = Work::secs(5);

/// The engine `explicit`.
pub(crate) struct Explicit<'t> {
    task: &'t Task<'t>,
    ground: Ground<'t>,
    view: View,
    walk: Walk<'t>,
    branches: usize,
    /// Whether the view leaves something out.
    is_partial: bool,
}

impl<'t> Explicit<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Explicit<'t> {
        let ground = Ground::new(task.lowered);
        let (view, branches) = slice::slice(&ground);
        Explicit {
            task,
            walk: ground.walk(&view),
            ground,
            view,
            branches,
            is_partial: true,
        }
    }

    /// Number of branches on which it can depend whether a target is reached.
    pub(crate) fn branches(&self) -> usize {
        self.branches
    }

    /// What to make of a way to a target.
    fn found(&mut self, way: &Way, budget: &Budget) -> Step {
        let inputs = self.ground.inputs(way, &budget.within(FOLLOW));
        let obstacle = match inputs.map(|inputs| (replay(self.task, &inputs), inputs)) {
            Some((Replayed::Target(target), inputs)) => {
                return Step::Done(Claim::Unsafe { target, inputs });
            }
            Some((Replayed::Unsupported(reason), _)) => reason,
            Some((Replayed::Other, _)) | None => {
                let span = self
                    .ground
                    .cfa()
                    .edges
                    .iter()
                    .find(|edge| edge.target == way.end);
                let place = span.map_or_else(String::new, |edge| self.task.place(edge.span));
                Reason::Approximated(format!("state on a way to {place}"))
            }
        };
        if !std::mem::replace(&mut self.is_partial, false) {
            return Step::Done(Claim::Unknown(obstacle));
        }
        self.view = slice::whole(&self.ground);
        self.walk = self.ground.walk(&self.view);
        Step::Working
    }
}

impl Engine for Explicit<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        match self.walk.go_on(budget, STEP) {
            Ok(Ending::Closed) => {
                let proof = Proof::exploration(self.ground.named(&self.view));
                Step::Done(Claim::Safe(proof))
            }
            Ok(Ending::Reached(way)) => self.found(&way, budget),
            Ok(Ending::Paused) => Step::Working,
            Ok(Ending::Spent) => {
                let states = format!("at {} states", self.walk.states());
                Step::Done(Claim::Unknown(Reason::Stopped(states)))
            }
            // Only of a program that no front end makes.
            Err(rejected) => {
                let why = Reason::Unsupported(rejected.to_string());
                Step::Done(Claim::Unknown(why))
            }
        }
    }

    fn progress(&self) -> Progress {
        let (states, open) = (self.walk.states(), self.walk.open());
        Progress {
            summary: format!("{states} states, {open} open"),
            figures: vec![
                ("states", states as f64),
                ("open", open as f64),
                ("followed", self.view.followed.len() as f64),
                ("branches", self.branches as f64),
                ("unseen", self.view.unseen.len() as f64),
            ],
        }
    }
}
