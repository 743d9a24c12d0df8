//! Induction as an engine of its own.

use rhumb_encode::BlockGraph;
use rhumb_logic::Budget;
use rhumb_summary::Oracle;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::proof::Draft;
use crate::task::Task;

use super::prove::{Means, Prover};
use super::subset::Formulas;
use super::walk::explore;
use crate::facts::Facts;

/// The part of the time that is spent before summaries are asked for, and then of the rest on them.
const SHARE: u32 = 2;

/// The part that is left for everything else where elements of arrays are followed.
const SHARE_OF_OTHERS: u32 = 4;

/// A search under way.
struct Started<'t> {
    prover: Prover<'t>,
    facts: Facts,
    oracle: Oracle,
    /// Whether elements of arrays are followed.
    has_elements: bool,
    /// Whether summaries were asked for.
    knows_summaries: bool,
}

/// The engine `induction`.
pub(crate) struct Inductive<'t> {
    task: &'t Task<'t>,
    phase: &'static str,
    /// How many stages of the search there are, if not all: the first ones are about products.
    stages: Option<usize>,
    /// The search, if it was stopped: it goes on where it was.
    started: Option<Box<Started<'t>>>,
}

impl<'t> Inductive<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Inductive<'t> {
        Inductive {
            task,
            phase: "invariants",
            stages: None,
            started: None,
        }
    }

    /// An engine that looks whether equations of the program are kept, and at nothing else: a quick look, where
    /// variables are multiplied.
    pub(crate) fn of_equations(task: &'t Task<'t>) -> Inductive<'t> {
        Inductive {
            stages: Some(1),
            ..Inductive::new(task)
        }
    }

    /// An engine that looks for equations between products of variables, too.
    pub(crate) fn of_products(task: &'t Task<'t>) -> Inductive<'t> {
        Inductive {
            stages: Some(2),
            ..Inductive::new(task)
        }
    }

    fn decide(&mut self, budget: &Budget) -> Claim {
        let graph = &self.task.graph;
        if graph.goals().next().is_none() {
            return Claim::Safe(Draft::without_goals(self.task, budget));
        }
        if let Some(stages) = self.stages {
            self.phase = "products";
            let Started {
                mut prover,
                mut facts,
                ..
            } = *self.start(budget);
            let needed = (0..stages).find_map(|_| prover.advance(&mut facts, budget));
            let give_up = || Claim::Unknown(Reason::Inconclusive);
            return needed.map_or_else(give_up, |needed| self.claim(&needed, budget));
        }
        let mut started = match self.started.take() {
            Some(started) => started,
            None => self.start(budget),
        };
        match self.go_through(&mut started, budget) {
            Some(needed) => self.claim(&needed, budget),
            None if budget.is_spent() => {
                self.started = Some(started);
                Claim::Unknown(Reason::Stopped("in induction".to_owned()))
            }
            None => Claim::Unknown(Reason::Inconclusive),
        }
    }

    fn start(&self, budget: &Budget) -> Box<Started<'t>> {
        let graph: &'t BlockGraph = &self.task.graph;
        let oracle = self.task.oracle(budget);
        let mut facts = Facts::new(graph, |node| oracle.known(node).to_vec());
        explore(graph, &mut facts, budget);
        let means = Means { deeper: true };
        let mut prover = Prover::new(graph, means, &facts);
        let elements = self.task.followed();
        let has_elements = !elements.is_empty();
        if has_elements && self.stages.is_none() {
            // The proof will need them, and nothing may be left then.
            self.task.invariants_of_inlined(budget);
            prover.follow(elements);
        }
        Box::new(Started {
            prover,
            facts,
            oracle,
            has_elements,
            knows_summaries: false,
        })
    }

    /// What a proof needs, if there is one: from what the program says, then also from what summaries say.
    fn go_through(&mut self, started: &mut Started<'t>, budget: &Budget) -> Option<Formulas> {
        let Started {
            prover,
            facts,
            oracle,
            ..
        } = started;
        if !started.knows_summaries {
            let mut first = budget.part(SHARE);
            if started.has_elements {
                // Summaries hardly ever know of elements.
                let left = budget.left();
                first = left.map_or(first, |left| budget.within(left - left / SHARE_OF_OTHERS));
            }
            if let Some(needed) = self.prove(prover, facts, &first) {
                return Some(needed);
            }
            if budget.is_spent() {
                return None;
            }
            self.phase = "summaries";
            prover.require(oracle.proof(&budget.part(SHARE)).clone());
            started.knows_summaries = true;
        }
        self.prove(prover, facts, budget)
    }

    /// What a proof needs of the facts, if induction finds one.
    fn prove(
        &mut self,
        prover: &mut Prover<'_>,
        facts: &mut Facts,
        budget: &Budget,
    ) -> Option<Formulas> {
        self.phase = "induction";
        while prover.has_more(facts) && !budget.is_spent() {
            if let Some(needed) = prover.advance(facts, budget) {
                return Some(needed);
            }
        }
        None
    }

    /// The claim that facts are a proof.
    fn claim(&self, needed: &Formulas, budget: &Budget) -> Claim {
        Claim::Safe(Draft::at_heads(self.task, budget, |node| {
            needed[node].clone()
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
