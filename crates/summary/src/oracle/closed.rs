//! Formulas that are closed under the blocks, for proofs.
//!
//! `D(v)` says that a goal may be reached from `v`. If, for every block from `v` to `u`, whoever gets to a state in
//! `D(u)` was in `D(v)` before, then the negation of `D` is inductive, and excludes the goals, where `D` is true.
//! Summaries are closed; their projections are, where they are exact. So each block is asked for, and where it fails
//! `D` is weakened at its beginning: by the states that were missing, a few times; then by giving up, one by one, the
//! facts that are not kept. That ends, at the latest when nothing is required any more.

use std::collections::VecDeque;
use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::eval::evaluate;
use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::project::Projector;
use rhumb_logic::session::{Answer, Model, Purpose, Session, SessionOptions};
use rhumb_logic::{Budget, Sort, Term, Terms, Value, Work};

use super::clauses::clauses;
use super::required::{Precision, Question};
use super::simplify::simplified;
use crate::steps::Steps;

/// Queries of closure checks are counted under this purpose.
const PURPOSE: Purpose = Purpose("closure");

/// Missing states are added to a node so often.
const ADDITIONS: u32 = 3;

/// Formulas with more terms are not added to.
const LARGEST: usize = 2_000;

/// Resource units for one question.
const UNITS: u64 = 4_000_000;

/// The work for a hull.
const HULL: Work = Work::millis(300);

/// A formula for each node, closed under the blocks.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    /// The formulas.
    pub(super) formulas: IndexVec<NodeId, Term>,
    /// Which of them had to be weakened.
    pub(super) weakened: IndexVec<NodeId, bool>,
}

/// Formulas that are implied by the given ones and closed under the steps, given what is known at the nodes. At a goal
/// nothing is required. A node without a way to a goal should be given `false`.
pub(super) fn closed(
    steps: &Steps,
    wanted: IndexVec<NodeId, Term>,
    projector: &mut Projector,
    budget: &Budget,
) -> Closed {
    let mut session = Session::new(steps.terms.clone(), SessionOptions::default());
    session.set_purpose(PURPOSE);
    let stages = wanted.iter().map(|_| Stage::Whole { additions: 0 });
    let mut repair = Repair {
        steps,
        terms: steps.terms.clone(),
        incoming: incoming(steps),
        stages: stages.collect(),
        weakened: wanted.iter().map(|_| false).collect(),
        formulas: wanted,
        session,
        projector,
        budget: &budget.with_units(UNITS),
    };
    repair.run();
    Closed {
        formulas: repair.formulas,
        weakened: repair.weakened,
    }
}

/// The edges that lead to each node.
fn incoming(steps: &Steps) -> IndexVec<NodeId, Vec<BlockEdgeId>> {
    let mut incoming: IndexVec<NodeId, Vec<BlockEdgeId>> =
        steps.nodes.iter().map(|_| Vec::new()).collect();
    for (edge, step) in steps.edges.iter_enumerated() {
        incoming[step.target].push(edge);
    }
    incoming
}

/// What is tried next at a node where a block fails.
enum Stage {
    /// The missing states are added; so often that was done.
    Whole { additions: u32 },
    /// Facts are given up; these are left.
    Facts(Vec<Term>),
}

struct Repair<'a> {
    steps: &'a Steps,
    terms: Arc<Terms>,
    incoming: IndexVec<NodeId, Vec<BlockEdgeId>>,
    formulas: IndexVec<NodeId, Term>,
    stages: IndexVec<NodeId, Stage>,
    weakened: IndexVec<NodeId, bool>,
    session: Session,
    projector: &'a mut Projector,
    budget: &'a Budget,
}

impl Repair<'_> {
    fn run(&mut self) {
        for (node, of) in self.steps.nodes.iter_enumerated() {
            if of.is_goal {
                self.formulas[node] = self.terms.bool(true);
            }
        }
        let mut pending = Pending::new(self.steps);
        while let Some(edge) = pending.pop() {
            if self.budget.is_spent() {
                pending.push(edge);
                self.give_up(pending);
                return;
            }
            let Some(missing) = self.missing(edge) else {
                continue;
            };
            let source = self.steps.edges[edge].source;
            self.weaken(edge, missing);
            pending.push(edge);
            for &before in &self.incoming[source] {
                pending.push(before);
            }
        }
    }

    /// What a run over a block to a state of `D` satisfies, over the state before and the inputs of the block.
    fn way(&self, edge: BlockEdgeId) -> Term {
        let step = &self.steps.edges[edge];
        let end = self.steps.nodes[step.target].known;
        let end = self.terms.and([end, self.formulas[step.target]]);
        let begin = self.steps.nodes[step.source].known;
        let way = step.transition.before(&self.terms, end);
        self.terms.and([begin, way])
    }

    /// A run over a block from outside of `D` into it, or none if it is known that there is none. A run without a model may be one.
    fn missing(&mut self, edge: BlockEdgeId) -> Option<Option<Model>> {
        let step = &self.steps.edges[edge];
        let here = self.formulas[step.source];
        if self.terms.as_bool(here) == Some(true)
            || self.terms.as_bool(self.formulas[step.target]) == Some(false)
        {
            return None;
        }
        let way = self.way(edge);
        self.session.push();
        self.session.assert(way);
        self.session.assert(self.terms.not(here));
        let answer = self.session.check(self.budget);
        self.session.pop();
        match answer {
            Answer::Unsat(_) => None,
            Answer::Sat(model) => Some(Some(model)),
            Answer::Unknown(_) => Some(None),
        }
    }

    /// Weakens the formula at the beginning of a block that leads from outside into the formula at its end.
    fn weaken(&mut self, edge: BlockEdgeId, model: Option<Model>) {
        let node = self.steps.edges[edge].source;
        self.weakened[node] = true;
        if let Stage::Whole { additions } = self.stages[node] {
            if additions < ADDITIONS && model.is_some() && self.add_missing(edge) {
                self.stages[node] = Stage::Whole {
                    additions: additions + 1,
                };
                return;
            }
            // What is given up next is seen by the next question.
            let facts = self.facts(node);
            self.set_facts(node, facts);
            return;
        }
        let kept = self.kept(edge, model.as_ref());
        self.set_facts(node, kept);
    }

    /// Adds the states from which a block leads into the formula at its end. Says whether that could be done.
    fn add_missing(&mut self, edge: BlockEdgeId) -> bool {
        let step = &self.steps.edges[edge];
        let here = self.formulas[step.source];
        if self.terms.size(here) > LARGEST {
            return false;
        }
        let known = self.steps.nodes[step.source].known;
        let question = Question {
            formula: self.terms.and([self.way(edge), self.terms.not(here)]),
            eliminate: &step.transition.inputs,
            known,
        };
        let added = question.answer(self.projector, self.budget);
        if added.precision < Precision::Rational {
            return false;
        }
        let both = self.terms.or([here, added.formula]);
        self.formulas[step.source] = simplified(&mut self.session, both, known, self.budget);
        true
    }

    /// Facts that the formula of a node consists of, with those about its hull.
    fn facts(&self, node: NodeId) -> Vec<Term> {
        let terms = &self.terms;
        let formula = self.formulas[node];
        let mut facts = clauses(terms, formula);
        let dimensions: Vec<Term> = (terms.symbols([formula]).into_iter())
            .map(|symbol| terms.var(symbol))
            .filter(|&term| terms.sort(term) == Sort::Int)
            .collect();
        let states = terms.and([self.steps.nodes[node].known, formula]);
        let mut states = Abstraction::new(terms.clone(), states, Options::default());
        let hull = states.convex(&dimensions, &self.budget.within(HULL));
        facts.extend(terms.conjuncts(hull.to_formula(terms, &dimensions)));
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    /// The facts of the node where a block begins that a run over it to a state of `D` keeps. Fewer than there were.
    fn kept(&mut self, edge: BlockEdgeId, model: Option<&Model>) -> Vec<Term> {
        let node = self.steps.edges[edge].source;
        let Stage::Facts(facts) = &self.stages[node] else {
            return Vec::new();
        };
        let before = facts.len();
        if let Some(model) = model {
            let is_lost = |&fact: &Term| {
                let value = evaluate(&self.terms, fact, model.assignment());
                value == Some(Value::Bool(false))
            };
            let kept: Vec<Term> = facts
                .iter()
                .copied()
                .filter(|fact| !is_lost(fact))
                .collect();
            if kept.len() < before {
                return kept;
            }
        }
        // The solver said that some fact is lost, or nothing, and no model tells which.
        let facts = facts.clone();
        let way = self.way(edge);
        self.session.push();
        self.session.assert(way);
        let mut kept = facts;
        kept.retain(|&fact| self.session.entails(fact, self.budget) == Some(true));
        self.session.pop();
        if kept.len() == before {
            // Each follows, all of them don't: the solver contradicts itself.
            kept.clear();
        }
        kept
    }

    fn set_facts(&mut self, node: NodeId, facts: Vec<Term>) {
        self.formulas[node] = self.terms.and(facts.iter().copied());
        self.stages[node] = Stage::Facts(facts);
    }

    /// Requires nothing any more where a block that was not checked begins, and wherever there is a way to such a place.
    fn give_up(&mut self, pending: Pending) {
        let mut stack: Vec<BlockEdgeId> = pending.queue.into();
        let all = self.terms.bool(true);
        while let Some(edge) = stack.pop() {
            let step = &self.steps.edges[edge];
            let is_met = self.terms.as_bool(self.formulas[step.target]) == Some(false);
            let here = &mut self.formulas[step.source];
            if is_met || self.terms.as_bool(*here) == Some(true) {
                continue;
            }
            *here = all;
            self.weakened[step.source] = true;
            stack.extend(&self.incoming[step.source]);
        }
    }
}

/// Blocks that have to be looked at.
struct Pending {
    queue: VecDeque<BlockEdgeId>,
    waits: IndexVec<BlockEdgeId, bool>,
}

impl Pending {
    /// All blocks, those behind others first.
    fn new(steps: &Steps) -> Pending {
        let mut pending = Pending {
            queue: VecDeque::new(),
            waits: steps.edges.iter().map(|_| false).collect(),
        };
        let mut place: IndexVec<NodeId, usize> = steps.nodes.iter().map(|_| 0).collect();
        if !steps.nodes.is_empty() {
            let order = steps.graph().reverse_postorder(steps.entry);
            for (position, node) in order.into_iter().enumerate() {
                place[node] = position + 1;
            }
        }
        let mut edges: Vec<BlockEdgeId> = steps.edges.indices().collect();
        edges.sort_by_key(|&edge| std::cmp::Reverse(place[steps.edges[edge].source]));
        for edge in edges {
            pending.push(edge);
        }
        pending
    }

    fn push(&mut self, edge: BlockEdgeId) {
        if !std::mem::replace(&mut self.waits[edge], true) {
            self.queue.push_back(edge);
        }
    }

    fn pop(&mut self) -> Option<BlockEdgeId> {
        let edge = self.queue.pop_front()?;
        self.waits[edge] = false;
        Some(edge)
    }
}

#[cfg(test)]
mod tests;
