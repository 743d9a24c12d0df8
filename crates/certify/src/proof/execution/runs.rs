//! All runs of a program, with one thread or several, and the check that is made of them.

use rhumb_logic::{Budget, Work};
use rhumb_program::Program;

use super::{AllRuns, AllSchedules, Extent, Followed, Together};
use crate::proof::check::Accepted;
use crate::proof::reject::{Lost, Rejected};

/// Work of a check between two looks at how far it is.
const SLICE: Work = Work::secs(1);

/// Checks that all runs, followed in this manner, end without reaching a target, within so many steps.
pub(in crate::proof) fn check(
    program: &Program,
    mut runs: Runs<'_>,
    steps: u64,
    budget: &Budget,
) -> Result<Accepted, Rejected> {
    let lost = loop {
        let begin = Work::so_far();
        let followed = runs.go_on(budget, SLICE);
        if runs.extent().steps > steps {
            break Lost::Long(steps);
        }
        match followed {
            Followed::Complete(_) => {
                return Ok(Accepted {
                    obligations: runs.extent().paths as usize,
                    queries: runs.queries(),
                });
            }
            Followed::Working if Work::since(begin) < SLICE => break Lost::Budget,
            Followed::Working | Followed::Ended { .. } => {}
            Followed::Reached { target, .. } => {
                let span = program.targets[target].span;
                break Lost::Target(Some(program.sources.position(span)));
            }
            Followed::Lost { what, position } => break Lost::Gap { what, position },
            Followed::Incomplete => {
                break Lost::Gap {
                    what: "its beginning".to_owned(),
                    position: None,
                };
            }
        }
    };
    Err(Rejected::Lost(lost))
}

/// All runs of a program, with one thread or several.
pub enum Runs<'p> {
    /// With one.
    Sequential(AllRuns<'p>),
    /// With one, side by side.
    Together(Together<'p>),
    /// With several.
    Threads(AllSchedules<'p>),
}

impl<'p> Runs<'p> {
    /// All runs, from the start of a program as lowered.
    pub fn new(program: &'p Program) -> Runs<'p> {
        match program.schedule() {
            None => Runs::Sequential(AllRuns::new(program)),
            Some(_) => Runs::Threads(AllSchedules::new(program)),
        }
    }

    /// The same side by side, of a program with one thread.
    pub fn together(program: &'p Program) -> Runs<'p> {
        Runs::Together(Together::new(program))
    }

    /// The same with any number of threads for each that is created.
    pub(in crate::proof) fn crowded(program: &'p Program) -> Runs<'p> {
        Runs::Threads(AllSchedules::crowded(program))
    }

    /// Goes on until there is something to tell, about so much work is done, or the budget is spent.
    pub fn go_on(&mut self, budget: &Budget, slice: Work) -> Followed {
        match self {
            Runs::Sequential(runs) => runs.go_on(budget, slice),
            Runs::Together(runs) => runs.go_on(budget, slice),
            Runs::Threads(runs) => runs.go_on(budget, slice),
        }
    }

    /// What was done so far.
    pub fn extent(&self) -> Extent {
        match self {
            Runs::Sequential(runs) => runs.extent(),
            Runs::Together(runs) => runs.extent(),
            Runs::Threads(runs) => runs.extent(),
        }
    }

    /// How much is waiting.
    pub fn open(&self) -> usize {
        match self {
            Runs::Sequential(runs) => runs.open(),
            Runs::Together(runs) => runs.open(),
            Runs::Threads(runs) => runs.open(),
        }
    }

    fn queries(&self) -> u64 {
        match self {
            Runs::Sequential(runs) => runs.queries(),
            Runs::Together(runs) => runs.queries(),
            Runs::Threads(runs) => runs.queries(),
        }
    }
}
