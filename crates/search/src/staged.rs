//! One engine first, for a part of the work, and another one if that has no answer.
//!
//! Right where the first one is quick if it is good at all, and the other needs much before it can begin: it is made when its turn comes.

use rhumb_logic::{Budget, Work};
use rhumb_program::Program;

use crate::claim::Claim;
use crate::engine::{Engine, Progress, Step};
use crate::tabulate::Tabulate;
use crate::task::Task;

/// A program with at least so many edges, in all of its functions, is large.
const LARGE: usize = 1000;

/// The first engine gets this, or a part of all that there is if that is less.
const FIRST: Work = Work::secs(15);
const PART: u32 = 4;

/// How the second engine is made.
type Make<'t> = fn(&'t Task<'t>) -> Box<dyn Engine + 't>;

/// An engine, and another one after it.
pub(crate) struct Staged<'t> {
    task: &'t Task<'t>,
    at_work: Box<dyn Engine + 't>,
    /// What the first one may take, from its first step on.
    share: Option<Budget>,
    /// The second one, while the first is at work.
    next: Option<Make<'t>>,
}

impl<'t> Staged<'t> {
    /// Function by function first, if the program is large; the engine itself if not.
    pub(crate) fn start(task: &'t Task<'t>, next: Make<'t>) -> Box<dyn Engine + 't> {
        match is_large(task.lowered) {
            true => Box::new(Staged {
                task,
                at_work: Box::new(Tabulate::new(task)),
                share: None,
                next: Some(next),
            }),
            false => next(task),
        }
    }
}

fn is_large(program: &Program) -> bool {
    let edges = program.functions.iter().map(|body| body.cfa.edges.len());
    edges.sum::<usize>() >= LARGE
}

impl Engine for Staged<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let Some(next) = self.next else {
            return self.at_work.step(budget);
        };
        let share = self.share.get_or_insert_with(|| match budget.left() {
            Some(left) => budget.within(FIRST.min(left / PART)),
            None => budget.within(FIRST),
        });
        match self.at_work.step(share) {
            Step::Done(Claim::Unknown(_)) if !budget.is_over() => {
                self.next = None;
                self.at_work = next(self.task);
                Step::Working
            }
            step => step,
        }
    }

    fn go_on(&mut self) -> bool {
        match self.next.take() {
            Some(next) => {
                self.at_work = next(self.task);
                true
            }
            None => self.at_work.go_on(),
        }
    }

    fn progress(&self) -> Progress {
        self.at_work.progress()
    }
}
