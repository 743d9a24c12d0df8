//! The engine for elements of arrays, where there are none to follow: see [`crate::plans::elements_first`].

use rhumb_logic::Budget;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};

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
