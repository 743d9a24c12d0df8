//! Functions explored one by one, for large programs in which few variables matter.
//!
//! Right for programs of many functions whose errors hang on a handful of numbers: nothing is inlined, and the variables are followed that are found to
//! matter. At first none is. A way to an error that no run can go says which other ones matter: those of the condition that stands in the way, and
//! what gave them their values.

use rhumb_certify::proof::{Judged, Procedures, Proof, Tabulated, Tabulation};
use rhumb_logic::{Budget, Work};
use rhumb_program::VarId;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::runs::{Replayed, replay};
use crate::task::Task;

/// Work between two reports.
const STEP: Work = Work::millis(250);

/// What is done at most to find out about one way.
const JUDGE: Work = Work::secs(2);

/// The engine `tabulate`.
pub(crate) struct Tabulate<'t> {
    task: &'t Task<'t>,
    procedures: Procedures<'t>,
    followed: Vec<VarId>,
    walk: Tabulation<'t>,
    /// How often variables were added.
    refinements: usize,
}

impl<'t> Tabulate<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Tabulate<'t> {
        let procedures = Procedures::new(task.lowered);
        Tabulate {
            task,
            walk: procedures.walk(&[]),
            procedures,
            followed: Vec::new(),
            refinements: 0,
        }
    }

    fn stopped(&self) -> Step {
        let so_far = format!("at {} states of functions", self.walk.states());
        Step::Done(Claim::Unknown(Reason::Stopped(so_far)))
    }

    /// Begins again, with more variables.
    fn follow(&mut self, more: Vec<VarId>) -> Step {
        self.followed.extend(more);
        self.walk = self.procedures.walk(&self.followed);
        self.refinements += 1;
        Step::Working
    }
}

impl Engine for Tabulate<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let way = match self.walk.go_on(budget, STEP) {
            Tabulated::Closed => {
                let proof = Proof::tabulation(self.followed.clone());
                return Step::Done(Claim::Safe(proof));
            }
            Tabulated::Paused => return Step::Working,
            Tabulated::Spent => return self.stopped(),
            Tabulated::Malformed(span) => {
                let place = self.task.place(span);
                let what = format!("edges of a location, {place}");
                return Step::Done(Claim::Unknown(Reason::Unsupported(what)));
            }
            Tabulated::Reached(way) => way,
        };
        let place = || {
            let span = way.end(self.task.lowered);
            span.map_or_else(String::new, |span| self.task.place(span))
        };
        let judged = self
            .procedures
            .judge(&way, &self.followed, &budget.within(JUDGE));
        if budget.is_spent() {
            return self.stopped();
        }
        match judged {
            Judged::Possible(inputs) => {
                let reason = match replay(self.task, &inputs) {
                    Replayed::Target(target) => {
                        return Step::Done(Claim::Unsafe { target, inputs });
                    }
                    Replayed::Unsupported(reason) => reason,
                    Replayed::Other => {
                        Reason::Approximated(format!("state on a way to {}", place()))
                    }
                };
                match self.procedures.skipped(&way, &self.followed) {
                    more if more.is_empty() => Step::Done(Claim::Unknown(reason)),
                    more => self.follow(more),
                }
            }
            Judged::Impossible(more) => self.follow(more),
            Judged::Unclear => {
                let what = format!("what functions know of each other on a way to {}", place());
                Step::Done(Claim::Unknown(Reason::Approximated(what)))
            }
        }
    }

    fn progress(&self) -> Progress {
        let (states, open) = (self.walk.states(), self.walk.open());
        let followed = self.followed.len();
        Progress {
            summary: format!("{states} states of functions, {open} open, {followed} variables"),
            figures: vec![
                ("states", states as f64),
                ("open", open as f64),
                ("followed", followed as f64),
                ("refinements", self.refinements as f64),
            ],
        }
    }
}
