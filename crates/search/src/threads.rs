//! Programs with threads: which engine decides them.

use rhumb_logic::Budget;

use crate::catalog::{CATALOG, Entry};
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::execute::Execute;
use crate::task::Task;

/// Engines that leave a program with threads to the execution of all runs, beside the default one.
const FOLLOW: &[&str] = &["execute", "portfolio"];

/// The engine for a program with threads, where this one was asked for.
pub(crate) fn start<'t>(task: &'t Task<'t>, engine: &Entry) -> Box<dyn Engine + 't> {
    match engine.name == CATALOG[0].name || FOLLOW.contains(&engine.name) {
        true => Box::new(Execute::new(task)),
        false => Box::new(Refuses(engine.name)),
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
