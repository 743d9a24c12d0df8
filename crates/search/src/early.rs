//! Explicit states and formulas, each where it is good.
//!
//! Formulas do well where there are few branches and much arithmetic, and their proofs are the better ones to read. Of programs with many branches their
//! summaries and interpolants grow out of hand, while there an exploration of explicit states often ends soon: the branches are what tells the states apart. So
//! in a program with many branches the exploration goes first, for a while; then the guided search has its turn, and what that leaves of the work
//! is for the exploration again, which goes on where it was. In other programs the exploration comes last, if there is anything left.

use rhumb_logic::{Budget, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::explicit::Explicit;
use crate::explorer::Explorer;
use crate::gps::{self, Gps};
use crate::task::Task;

/// Branches that matter for a target; from so many on explicit states go first.
const MANY_BRANCHES: usize = 40;

/// The part of the work that the exploration may take at first, of a program with many branches.
const PART_AT_FIRST: u32 = 3;

/// What it may take at last, of a program with few branches.
const FOR_FEW: Work = Work::secs(2);

/// The part of the work that is kept for an exploration that was stopped.
const PART_AT_LAST: u32 = 2;

/// The engine `gps` with explicit states before or after it.
pub(crate) struct Early<'t> {
    explicit: Explicit<'t>,
    gps: Explorer<'t, Gps<'t>>,
    stage: Stage,
    /// What the stage may take, from its first step on.
    share: Option<Budget>,
    /// Whether the exploration may still come to something.
    is_open: bool,
    /// Why the guided search gave up.
    given_up: Option<Reason>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    Guided,
    Last,
}

impl<'t> Early<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Early<'t> {
        let explicit = Explicit::new(task);
        let is_large = explicit.branches() >= MANY_BRANCHES;
        Early {
            explicit,
            gps: gps::whole(task),
            stage: if is_large {
                Stage::First
            } else {
                Stage::Guided
            },
            share: None,
            is_open: true,
            given_up: None,
        }
    }

    fn is_large(&self) -> bool {
        self.explicit.branches() >= MANY_BRANCHES
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.share = None;
    }

    fn share(&self, budget: &Budget) -> Budget {
        match self.stage {
            Stage::First => budget.part(PART_AT_FIRST),
            Stage::Last if !self.is_large() => budget.within(FOR_FEW),
            Stage::Guided if self.is_large() && self.is_open => match budget.left() {
                Some(left) => budget.within(left - left / PART_AT_LAST),
                None => budget.clone(),
            },
            Stage::Guided | Stage::Last => budget.clone(),
        }
    }
}

impl Engine for Early<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let share = match self.share.take() {
            Some(share) => share,
            None => self.share(budget),
        };
        let step = match self.stage {
            Stage::First | Stage::Last => self.explicit.step(&share),
            Stage::Guided => self.gps.step(&share),
        };
        self.share = Some(share);
        let Step::Done(Claim::Unknown(reason)) = &step else {
            return step;
        };
        match self.stage {
            _ if budget.is_spent() => step,
            Stage::First => {
                self.is_open = matches!(reason, Reason::Stopped(_));
                self.enter(Stage::Guided);
                Step::Working
            }
            Stage::Guided if self.is_open => {
                self.given_up = Some(reason.clone());
                self.enter(Stage::Last);
                Step::Working
            }
            Stage::Guided => step,
            Stage::Last => match self.given_up.take() {
                Some(reason) => Step::Done(Claim::Unknown(reason)),
                None => step,
            },
        }
    }

    fn go_on(&mut self) -> bool {
        match self.stage {
            // Evidence of the exploration was not accepted: there will be no other.
            Stage::First => {
                self.is_open = false;
                self.enter(Stage::Guided);
                true
            }
            Stage::Guided if self.gps.go_on() => true,
            Stage::Guided => {
                self.enter(Stage::Last);
                self.is_open
            }
            Stage::Last => false,
        }
    }

    fn progress(&self) -> Progress {
        match self.stage {
            Stage::First | Stage::Last => self.explicit.progress(),
            Stage::Guided => self.gps.progress(),
        }
    }
}
