//! Programs with threads: which engine decides them.

use rhumb_certify::proof::{AllSchedules, Followed, Proof};
use rhumb_logic::{Budget, Work};

use crate::catalog::{CATALOG, Entry};
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::execute::Execute;
use crate::task::Task;
use crate::turns::{Make, Share, Turns};

/// Engines that leave a program with threads to the execution of all runs, beside the default one.
const FOLLOW: &[&str] = &["execute", "portfolio"];

/// What the execution of all runs gets before the threads are taken for many.
const OPENING: Work = Work::secs(3);

/// Work between two reports.
const SLICE: Work = Work::millis(250);

/// The engine for a program with threads, where this one was asked for.
pub(crate) fn start<'t>(task: &'t Task<'t>, engine: &Entry) -> Box<dyn Engine + 't> {
    match engine.name == CATALOG[0].name || FOLLOW.contains(&engine.name) {
        true => {
            // If following all schedules doesn't come to an end soon, any number of threads for each that is created may.
            let execute: Make<'t> = Box::new(|| Box::new(Execute::new(task)));
            let crowd = AllSchedules::crowded(task.lowered);
            let turns = [
                (0, Share::AtMost(OPENING, 8)),
                (1, Share::Part(4)),
                (0, Share::Rest),
            ];
            Turns::of([execute, Box::new(|| Box::new(Crowd(crowd)))], &turns, 0)
        }
        false => Box::new(Refuses(engine.name)),
    }
}

/// Follows all schedules, with any number of threads for each that is created.
struct Crowd<'t>(AllSchedules<'t>);

impl Engine for Crowd<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let begin = Work::so_far();
        match self.0.go_on(budget, SLICE) {
            Followed::Complete(extent) => Step::Done(Claim::Safe(Proof::crowd(extent.steps))),
            Followed::Working if Work::since(begin) >= SLICE => Step::Working,
            _ => Step::Done(Claim::Unknown(Reason::Inconclusive)),
        }
    }

    fn progress(&self) -> Progress {
        let paths = self.0.extent().paths;
        Progress {
            summary: format!("any number of threads: {paths} paths"),
            figures: vec![("extent.paths", paths as f64)],
        }
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
