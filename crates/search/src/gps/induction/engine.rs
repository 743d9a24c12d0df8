//! Induction as an engine of its own.

use index_vec::IndexVec;
use rhumb_encode::NodeId;
use rhumb_logic::{Budget, Term};
use rhumb_summary::{Oracle, OracleOptions, Preset};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::proof::Draft;
use crate::task::Task;

use super::prove::prove;
use super::subset::{Formulas, Induction};

/// The part of the time that is spent before summaries are asked for.
const SHARE: u32 = 4;

/// The engine `induction`.
pub(crate) struct Inductive<'t> {
    task: &'t Task<'t>,
    phase: &'static str,
}

impl<'t> Inductive<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Inductive<'t> {
        Inductive {
            task,
            phase: "invariants",
        }
    }

    fn decide(&mut self, budget: &Budget) -> Claim {
        let graph = &self.task.graph;
        if graph.goals().next().is_none() {
            return Claim::Safe(Draft::without_goals(self.task, budget));
        }
        let options = OracleOptions {
            summaries: true,
            gas: false,
            preset: Preset::Full,
        };
        let mut oracle = Oracle::new(graph, options, budget);
        let known: Formulas = graph
            .nodes
            .indices()
            .map(|node| oracle.known(node).to_vec())
            .collect();
        let mut induction = Induction::new(graph, known);
        self.phase = "induction";
        let share = match budget.remaining() {
            Some(left) => budget.within(left / SHARE),
            None => budget.clone(),
        };
        let anything: IndexVec<NodeId, Term> =
            graph.nodes.iter().map(|_| graph.terms.bool(true)).collect();
        if let Some(facts) = prove(&mut induction, &anything, &share) {
            return self.claim(&induction, &facts, budget);
        }
        self.phase = "summaries";
        let share = match budget.remaining() {
            Some(left) => budget.within(left / SHARE),
            None => budget.clone(),
        };
        let nodes = graph.nodes.indices();
        let ahead: IndexVec<NodeId, Term> = nodes.map(|node| oracle.prune(node, &share)).collect();
        self.phase = "induction";
        match prove(&mut induction, &ahead, budget) {
            Some(facts) => self.claim(&induction, &facts, budget),
            None if budget.is_spent() => Claim::Unknown(Reason::Stopped("in induction".to_owned())),
            None => Claim::Unknown(Reason::Inconclusive),
        }
    }

    /// The claim that facts are a proof.
    fn claim(&self, induction: &Induction<'_>, facts: &Formulas, budget: &Budget) -> Claim {
        Claim::Safe(Draft::at_heads(self.task, budget, |node| {
            let mut formulas = induction.known(node).to_vec();
            formulas.extend(&facts[node]);
            formulas
        }))
    }
}

impl Engine for Inductive<'_> {
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
