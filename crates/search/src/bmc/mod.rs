//! Bounded model checking.
//!
//! Unrolls the block graph: after `n` steps a run is at one of the nodes that `n` edges lead to, and an incremental
//! solver session knows every way there. At each depth two questions: can a goal be reached with exactly that many
//! edges, and can a run be that long at all? The first gives inputs, which the interpreter confirms before anybody
//! hears of them; when the answer to the second is no, all runs have been seen. Right for programs with short errors,
//! and for those whose loops end soon.

mod unroll;

use rhumb_certify::proof::Proof;
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::{Budget, Term};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::proof::{Draft, lacks_a_loop, unrolling};
use crate::task::Task;
use unroll::{Found, Unrolling};

/// Paths that the formulas allow and the program doesn't are put aside; after so many at one depth the search goes deeper all the same.
const SPURIOUS_PER_DEPTH: usize = 8;

/// The engine `bmc`.
pub(crate) struct Bmc<'t> {
    task: &'t Task<'t>,
    session: Session,
    unrolling: Unrolling<'t>,
    /// The first obstacle to concluding that nothing was missed.
    obstacle: Option<Reason>,
}

impl<'t> Bmc<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Bmc<'t> {
        Bmc {
            task,
            session: Session::new(task.terms.clone(), SessionOptions::default()),
            unrolling: Unrolling::new(task),
            obstacle: None,
        }
    }

    /// Looks for runs that end in a goal after exactly as many edges as the unrolling has.
    fn goals(&mut self, budget: &Budget) -> Option<Claim> {
        let terms = &self.task.terms;
        let goal = self.unrolling.goal();
        if terms.as_bool(goal) == Some(false) {
            return None;
        }
        for _ in 0..SPURIOUS_PER_DEPTH {
            let reason = match self.session.check_assuming(&[goal], budget) {
                Answer::Unsat(_) => {
                    self.session.assert(terms.not(goal));
                    return None;
                }
                Answer::Unknown(why) => {
                    self.obstacle.get_or_insert(Reason::Solver(why));
                    return None;
                }
                Answer::Sat(model) => {
                    let path = self.unrolling.path(&model);
                    let found = self.unrolling.confirm(&path, &model);
                    // Whatever becomes of it, this path is done with.
                    let taken = terms.and(path.iter().map(|taken| taken.bit));
                    self.session.assert(terms.not(taken));
                    match found {
                        Ok(Found { target, inputs }) => {
                            return Some(Claim::Unsafe { target, inputs });
                        }
                        Err(reason) => reason,
                    }
                }
            };
            self.obstacle.get_or_insert(reason);
        }
        None
    }

    /// Whether some run may be as long as the unrolling and go on. Where the solver doesn't know, it may.
    fn goes_on(&mut self, budget: &Budget) -> bool {
        let alive: Term = self.unrolling.alive();
        match self.task.terms.as_bool(alive) {
            Some(alive) => alive,
            None => !self.session.check_assuming(&[alive], budget).is_unsat(),
        }
    }

    /// What to say when all runs have been seen.
    fn conclude(&self, budget: &Budget) -> Claim {
        match &self.obstacle {
            Some(reason) => Claim::Unknown(reason.clone()),
            None if self.task.graph.goals().next().is_none() => {
                Claim::Safe(Draft::without_goals(self.task, budget))
            }
            None => {
                let depth = self.unrolling.depth() as u32;
                let proof = match lacks_a_loop(self.task) {
                    true => unrolling(self.task, depth, budget),
                    false => Some(Proof::unrolling(depth)),
                };
                proof.map_or(Claim::Unknown(Reason::Endless), Claim::Safe)
            }
        }
    }
}

impl Engine for Bmc<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        if self.task.graph.goals().next().is_none() {
            return Step::Done(self.conclude(budget));
        }
        if let Some(claim) = self.goals(budget) {
            return Step::Done(claim);
        }
        let more = self.goes_on(budget);
        if budget.is_spent() {
            let depth = format!("at depth {}", self.unrolling.depth());
            return Step::Done(Claim::Unknown(Reason::Stopped(depth)));
        }
        if !more {
            return Step::Done(self.conclude(budget));
        }
        self.unrolling.extend(&mut self.session);
        Step::Working
    }

    fn progress(&self) -> Progress {
        let queries = self.session.statistics();
        Progress {
            summary: format!("depth {}", self.unrolling.depth()),
            figures: vec![
                ("depth", self.unrolling.depth() as f64),
                ("queries", queries.total().queries() as f64),
                ("time.solver", queries.total().time.as_secs_f64()),
            ],
        }
    }
}
