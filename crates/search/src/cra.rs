//! Summaries alone: compositional recurrence analysis.
//!
//! If the summary of all paths from the entry to a goal has no model, no goal is reached. The proof: at every loop head, what the forward invariants say, and
//! that the summary from there to a goal doesn't hold, with its counters and intermediate states projected away. Right for programs whose loops the
//! operators describe well enough by themselves; where the summary has a model, nothing is known.

use rhumb_logic::Budget;
use rhumb_logic::session::{Answer, Model, Session, SessionOptions};
use rhumb_summary::{Oracle, OracleOptions};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::proof::Draft;
use crate::task::Task;

/// The engine `cra`.
pub(crate) struct Cra<'t> {
    task: &'t Task<'t>,
    phase: &'static str,
    /// A model of the summary from the entry to the goals, if there is one.
    pub(crate) model: Option<Model>,
}

impl<'t> Cra<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Cra<'t> {
        Cra {
            task,
            phase: "invariants",
            model: None,
        }
    }

    fn decide(&mut self, budget: &Budget) -> Claim {
        let (terms, graph) = (&self.task.terms, &self.task.graph);
        if graph.goals().next().is_none() {
            return Claim::Safe(Draft::without_goals(self.task, budget));
        }
        let options = OracleOptions {
            preset: self.task.preset,
            ..OracleOptions::default()
        };
        let mut oracle = Oracle::new(graph, options, budget);
        loop {
            self.phase = "summaries";
            let whole = oracle.summary(graph.entry, budget);
            if budget.is_spent() {
                return Claim::Unknown(Reason::Stopped("in the summaries".to_owned()));
            }
            let mut session = Session::new(terms.clone(), SessionOptions::default());
            session.assert(whole.guard);
            match session.check(budget) {
                Answer::Sat(model) => self.model = Some(model),
                Answer::Unknown(why) => return Claim::Unknown(Reason::Solver(why)),
                Answer::Unsat(_) => break,
            }
            self.phase = "invariants";
            if !oracle.strengthen(graph, budget) {
                return Claim::Unknown(Reason::Inconclusive);
            }
        }
        self.phase = "proof";
        let reaches = oracle.proof(budget).clone();
        Claim::Safe(Draft::at_heads(self.task, budget, |node| {
            let mut formulas = oracle.known(node).to_vec();
            formulas.push(terms.not(reaches[node]));
            formulas
        }))
    }
}

impl Engine for Cra<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        Step::Done(self.decide(budget))
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: self.phase.to_owned(),
            figures: Vec::new(),
        }
    }
}
