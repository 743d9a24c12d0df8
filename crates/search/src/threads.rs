//! Programs with threads: which engine decides them.

use rhumb_certify::proof::{AllSchedules, Followed, Proof};
use rhumb_logic::{Budget, Work};

use crate::catalog::{CATALOG, Entry};
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::execute::Execute;
use crate::task::Task;

/// Engines that leave a program with threads to the execution of all runs, beside the default one.
const FOLLOW: &[&str] = &["execute", "portfolio"];

/// What the execution of all runs gets before the threads are taken for many.
const OPENING: Work = Work::secs(3);

/// Work between two reports.
const SLICE: Work = Work::millis(250);

/// The engine for a program with threads, where this one was asked for.
pub(crate) fn start<'t>(task: &'t Task<'t>, engine: &Entry) -> Box<dyn Engine + 't> {
    match engine.name == CATALOG[0].name || FOLLOW.contains(&engine.name) {
        true => Box::new(Schedules {
            execute: Execute::new(task),
            crowd: AllSchedules::crowded(task.lowered),
            stage: Stage::Opening(None),
        }),
        false => Box::new(Refuses(engine.name)),
    }
}

/// Follows all schedules; if that doesn't come to an end soon, tries it with any number of threads for each that is created, which may.
struct Schedules<'t> {
    execute: Execute<'t>,
    crowd: AllSchedules<'t>,
    stage: Stage,
}

enum Stage {
    Opening(Option<Budget>),
    Crowd(Option<Budget>),
    Closing,
}

impl Engine for Schedules<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        match &mut self.stage {
            Stage::Opening(share) => {
                let share = share.get_or_insert_with(|| match budget.left() {
                    Some(left) => budget.within(OPENING.min(left / 8)),
                    None => budget.within(OPENING),
                });
                match self.execute.step(share) {
                    Step::Done(Claim::Unknown(_)) if !budget.is_over() => {
                        self.stage = Stage::Crowd(None);
                        Step::Working
                    }
                    step => step,
                }
            }
            Stage::Crowd(share) => {
                let share = share.get_or_insert_with(|| budget.part(4));
                let begin = Work::so_far();
                match self.crowd.go_on(share, SLICE) {
                    Followed::Complete(extent) => {
                        return Step::Done(Claim::Safe(Proof::crowd(extent.steps)));
                    }
                    Followed::Working if Work::since(begin) >= SLICE => {}
                    _ => self.stage = Stage::Closing,
                }
                Step::Working
            }
            Stage::Closing => self.execute.step(budget),
        }
    }

    fn go_on(&mut self) -> bool {
        match self.stage {
            Stage::Opening(_) | Stage::Closing => self.execute.go_on(),
            Stage::Crowd(_) => {
                self.stage = Stage::Closing;
                true
            }
        }
    }

    fn progress(&self) -> Progress {
        self.execute.progress()
    }
}

/// An engine that knows of one thread.
struct Refuses(&'static str);

impl Engine for Refuses {
    fn step(&mut self, _: &Budget) -> Step {
        let what = format!("threads, which the engine {} doesn't follow", self.0);
        Step::Done(Claim::Unknown(Reason::Unsupported(what)))
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: String::new(),
            figures: Vec::new(),
        }
    }
}
