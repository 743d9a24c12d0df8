//! Summaries alone: compositional recurrence analysis.
//!
//! If the summary of all paths from the entry to a goal has no model, no goal is reached. The proof: at every loop
//! head, what the forward invariants say, and that from there the summaries allow no way to a goal, in the form that is
//! closed under the blocks. Right for programs whose loops the operators describe well enough by themselves; where the
//! summary has a model, nothing is known.

use rhumb_certify::proof::Proof;
use rhumb_logic::Budget;
use rhumb_logic::session::{Answer, Session, SessionOptions};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::proof::{Draft, inductive};
use crate::task::Task;

/// The part of the time that is left that one attempt may take: there has to be some for another one, and for the proof to be checked.
const SHARE: u32 = 2;

/// The engine `cra`.
pub(crate) struct Cra<'t> {
    task: &'t Task<'t>,
    phase: &'static str,
    next: Next,
}

/// What comes next.
enum Next {
    /// Asking the summaries.
    Summaries,
    /// Nothing, unless this proof is not accepted.
    Claimed(Proof),
    /// Claiming the inductive part of a proof that was not accepted.
    Mending(Proof),
    /// Nothing.
    Nothing,
}

impl<'t> Cra<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Cra<'t> {
        Cra {
            task,
            phase: "invariants",
            next: Next::Summaries,
        }
    }

    fn decide(&mut self, budget: &Budget) -> Claim {
        let (terms, graph) = (&self.task.terms, &self.task.graph);
        if graph.goals().next().is_none() {
            return Claim::Safe(Draft::without_goals(self.task, budget));
        }
        let mut oracle = self.task.oracle(budget);
        loop {
            self.phase = "summaries";
            let whole = oracle.summary(graph.entry, budget);
            if budget.is_spent() {
                return Claim::Unknown(Reason::Stopped("in the summaries".to_owned()));
            }
            let mut session = Session::new(terms.clone(), SessionOptions::default());
            session.assert(whole.guard);
            let obstacle = match session.check(&budget.part(SHARE)) {
                Answer::Sat(_) => Reason::Inconclusive,
                Answer::Unknown(why) => Reason::Solver(why),
                Answer::Unsat(_) => {
                    self.phase = "proof";
                    let reaches = oracle.proof(&budget.part(SHARE))[graph.entry];
                    if terms.as_bool(reaches) == Some(false) {
                        return Claim::Safe(Draft::by_summaries(self.task, &mut oracle, budget));
                    }
                    Reason::Stopped("in the proof".to_owned())
                }
            };
            // More invariants make for simpler summaries, too.
            self.phase = "invariants";
            if !oracle.strengthen(graph, budget) {
                return Claim::Unknown(obstacle);
            }
        }
    }
}

impl Engine for Cra<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let claim = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Mending(proof) => {
                self.phase = "mending the proof";
                match inductive(self.task, proof, &budget.part(SHARE)) {
                    Some(proof) => return Step::Done(Claim::Safe(proof)),
                    None => Claim::Unknown(Reason::Stopped("mending the proof".to_owned())),
                }
            }
            _ => self.decide(budget),
        };
        if let Claim::Safe(proof) = &claim {
            self.next = Next::Claimed(proof.clone());
        }
        Step::Done(claim)
    }

    fn go_on(&mut self) -> bool {
        match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Claimed(proof) => {
                self.next = Next::Mending(proof);
                true
            }
            _ => false,
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: self.phase.to_owned(),
            figures: Vec::new(),
        }
    }
}
