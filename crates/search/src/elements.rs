//! Proofs about all elements of arrays: the engines for numbers, put to work on the program in which some elements are followed.
//!
//! Right for programs whose loops do the same to every element of an array that is long, or of a size that is not known. Invariants are looked for first, with what the
//! places of elements suggest ([`crate::induction`]); then the guided search has its turn.

use rhumb_logic::Budget;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::explorer::Explorer;
use crate::gps::{self, Gps};
use crate::induction::Inductive;
use crate::task::Task;

/// The part of the work that invariants get, and then of the rest the guided search, if there is another engine.
const PARTS: (u32, u32) = (3, 2);

/// An engine for programs with elements to follow, and perhaps another one that goes on when it has given up.
pub(crate) struct Elements<'t> {
    task: &'t Task<'t>,
    stage: Stage<'t>,
    share: Option<Budget>,
    /// The engine that comes last.
    rest: Option<Box<dyn Engine + 't>>,
    /// Why the others gave up.
    given_up: Option<Reason>,
}

enum Stage<'t> {
    Invariants(Box<Inductive<'t>>),
    Guided(Box<Explorer<'t, Gps<'t>>>),
    Rest,
}

impl<'t> Elements<'t> {
    /// The other engine itself, if there are no elements to follow.
    pub(crate) fn start(
        task: &'t Task<'t>,
        rest: Option<Box<dyn Engine + 't>>,
    ) -> Result<Box<dyn Engine + 't>, Option<Box<dyn Engine + 't>>> {
        let Some(task) = task.elements() else {
            return Err(rest);
        };
        Ok(Box::new(Elements {
            task,
            stage: Stage::Invariants(Box::new(Inductive::new(task))),
            share: None,
            rest,
            given_up: None,
        }))
    }

    fn engine(&mut self) -> Option<&mut dyn Engine> {
        match &mut self.stage {
            Stage::Invariants(engine) => Some(&mut **engine),
            Stage::Guided(engine) => Some(&mut **engine),
            Stage::Rest => self.rest.as_deref_mut().map(|rest| rest as &mut dyn Engine),
        }
    }

    /// Says whether there is a next stage.
    fn next(&mut self) -> bool {
        self.share = None;
        self.stage = match self.stage {
            Stage::Invariants(_) => Stage::Guided(Box::new(gps::whole(self.task))),
            Stage::Guided(_) if self.rest.is_some() => Stage::Rest,
            Stage::Guided(_) | Stage::Rest => return false,
        };
        true
    }
}

impl Engine for Elements<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let share = self.share.take().unwrap_or_else(|| match self.stage {
            Stage::Invariants(_) => budget.part(PARTS.0),
            Stage::Guided(_) if self.rest.is_some() => budget.part(PARTS.1),
            Stage::Guided(_) | Stage::Rest => budget.clone(),
        });
        let Some(engine) = self.engine() else {
            return Step::Done(Claim::Unknown(Reason::Inconclusive));
        };
        let step = engine.step(&share);
        self.share = Some(share);
        let Step::Done(Claim::Unknown(reason)) = step else {
            return step;
        };
        let reason = self.given_up.take().unwrap_or(reason);
        if budget.is_spent() || !self.next() {
            return Step::Done(Claim::Unknown(reason));
        }
        if matches!(self.stage, Stage::Rest) {
            self.given_up = Some(reason);
        }
        Step::Working
    }

    fn go_on(&mut self) -> bool {
        self.engine().is_some_and(|engine| engine.go_on()) || self.next()
    }

    fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Invariants(engine) => engine.progress(),
            Stage::Guided(engine) => engine.progress(),
            Stage::Rest => self
                .rest
                .as_ref()
                .map_or_else(Progress::default, |rest| rest.progress()),
        }
    }
}

/// An engine that has nothing to do: no element can be followed.
pub(crate) struct Nothing;

impl Engine for Nothing {
    fn step(&mut self, _: &Budget) -> Step {
        let what = "no element of an array can be followed".to_owned();
        Step::Done(Claim::Unknown(Reason::Unsupported(what)))
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}
