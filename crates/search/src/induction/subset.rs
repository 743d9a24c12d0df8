//! The inductive part of candidates.

use std::collections::BTreeSet;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::{Assignment, Budget, Term, Value, eval};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Facts;

use super::candidate::Candidate;
use super::implied::Implied;
use super::question::{Question, Reply, violates};

/// Questions that are kept, each with a solver of its own. In a graph with more blocks those are closed that were not
/// asked for the longest time.
const QUESTIONS: usize = 64;

/// Candidates at every node.
pub(crate) type Candidates = IndexVec<NodeId, Vec<Candidate>>;

/// Formulas at every node.
pub(crate) type Formulas = IndexVec<NodeId, Vec<Term>>;

/// Induction over the blocks of a graph, relative to what is known. Solver sessions and the steps that they found are
/// kept from one use to the next.
pub(crate) struct Induction<'g> {
    graph: &'g BlockGraph,
    known: Formulas,
    questions: FxHashMap<BlockEdgeId, Asked>,
    /// How often one was needed.
    clock: u64,
    /// The blocks, those that begin nearer to the entry first.
    order: Vec<BlockEdgeId>,
    /// What is assumed at every node, beside what is known there.
    assumed: Vec<Term>,
}

/// A question, and when it was last asked.
struct Asked {
    question: Box<Question>,
    used: u64,
}

impl<'g> Induction<'g> {
    /// Induction relative to invariants of every node.
    pub(crate) fn new(graph: &'g BlockGraph, known: Formulas) -> Induction<'g> {
        let nodes = graph.graph().reverse_postorder(graph.entry);
        let mut places: IndexVec<NodeId, Option<usize>> =
            graph.nodes.iter().map(|_| None).collect();
        for (place, &node) in nodes.iter().enumerate() {
            places[node] = Some(place);
        }
        let outgoing = nodes.iter().flat_map(|&node| {
            let mut edges = graph.nodes[node].outgoing.clone();
            edges.sort_by_key(|&edge| places[graph.edges[edge].target]);
            edges
        });
        Induction {
            order: outgoing.collect(),
            assumed: Vec::new(),
            questions: FxHashMap::default(),
            clock: 0,
            graph,
            known,
        }
    }

    /// The graph.
    pub(crate) fn graph(&self) -> &'g BlockGraph {
        self.graph
    }

    /// Assumes these at every node, and nothing else: what is found from now on holds where they do, if no block
    /// changes them.
    pub(super) fn assume(&mut self, assumed: Vec<Term>) {
        self.assumed = assumed;
    }

    /// What is known at a node.
    pub(crate) fn known(&self, node: NodeId) -> &[Term] {
        &self.known[node]
    }

    /// From now on a formula is known at a node: it holds there on every run.
    pub(crate) fn learn(&mut self, node: NodeId, fact: Term) {
        if self.known[node].contains(&fact) {
            return;
        }
        self.known[node].push(fact);
        for &edge in &self.graph.nodes[node].outgoing {
            if let Some(asked) = self.questions.get_mut(&edge) {
                asked.question.learn(fact);
            }
        }
    }

    /// What is left of the candidates, but for formulas that follow from others: all of it holds whenever its node is
    /// reached. None if the budget was not enough;
    /// one can go on later with what the candidates are then. The states that tests have reached are taken into account
    /// before the solver is asked.
    ///
    /// Every step that contradicts a candidate weakens it. What a node's candidates allow only grows, so when no block
    /// contradicts any, they are the strongest that hold at the start and are kept by every block, given their shapes.
    pub(crate) fn subset(
        &mut self,
        candidates: &mut Candidates,
        facts: &Facts,
        budget: &Budget,
    ) -> Option<Formulas> {
        let graph = self.graph;
        for (node, candidates) in candidates.iter_mut_enumerated() {
            for state in facts.reached(node).states() {
                drop_formulas(graph, candidates, state);
                for candidate in candidates.iter_mut() {
                    if candidate.as_formula().is_none() {
                        candidate.witness(&graph.terms, state);
                    }
                }
            }
            candidates.retain(|candidate| !candidate.clauses().is_empty());
        }
        // Nothing but what the graph assumes holds where runs begin.
        if let Some(at_entry) = candidates.get_mut(graph.entry) {
            at_entry.clear();
        }
        let mut implied: IndexVec<NodeId, Implied> = IndexVec::new();
        for (node, candidates) in candidates.iter_mut_enumerated() {
            implied.push(Implied::of(&graph.terms, &self.known[node], candidates));
        }
        let mut places: FxHashMap<BlockEdgeId, usize> = FxHashMap::default();
        places.extend(self.order.iter().copied().zip(0..));
        let mut open: BTreeSet<usize> = (0..self.order.len()).collect();
        while let Some(place) = open.pop_first() {
            let edge = self.order[place];
            if self.settle(edge, candidates, &implied, budget)? {
                let target = &graph.nodes[graph.edges[edge].target];
                // Weaker candidates allow more steps onwards, and other blocks have not been asked about them.
                let others = target.outgoing.iter().chain(&target.incoming);
                let others = others.filter(|&&other| other != edge);
                open.extend(others.filter_map(|other| places.get(other)));
            }
        }
        let left = candidates.iter_enumerated().map(|(node, left)| {
            let known = &self.known[node];
            let mut clauses = implied[node].strongest(left);
            clauses.retain(|clause| !known.contains(clause));
            clauses
        });
        Some(left.collect())
    }

    /// Weakens the candidates at the end of a block until it keeps them. Says whether anything changed; none if the budget is spent.
    fn settle(
        &mut self,
        edge: BlockEdgeId,
        candidates: &mut Candidates,
        implied: &IndexVec<NodeId, Implied>,
        budget: &Budget,
    ) -> Option<bool> {
        let graph = self.graph;
        let terms = &graph.terms;
        let (source, target) = (graph.edges[edge].source, graph.edges[edge].target);
        let mut changed = false;
        loop {
            if budget.is_spent() {
                return None;
            }
            let facts = implied[target].strongest(&candidates[target]);
            if facts.is_empty() {
                return Some(changed);
            }
            let mut given = implied[source].strongest(&candidates[source]);
            given.extend(&self.assumed);
            let question = self.question(edge);
            if let Some(pair) = question.remembered(terms, &given, &facts) {
                changed |= admit(graph, &mut candidates[target], &pair.after);
                continue;
            }
            match question.ask(&given, &facts, budget) {
                Reply::Kept => return Some(changed),
                Reply::Step(pair) if violates(terms, &facts, &pair.after) => {
                    changed |= admit(graph, &mut candidates[target], &pair.after);
                }
                // The state is not one that can be computed with: fewer at once, and what is not kept by itself is given up.
                Reply::Step(_) | Reply::Unknown => {
                    let lost = self.lost(edge, &given, facts, budget)?;
                    let mut any = false;
                    for clause in lost {
                        for candidate in &mut candidates[target] {
                            any |= candidate.give_up(clause);
                        }
                    }
                    if !any {
                        return Some(changed);
                    }
                    changed = true;
                }
            }
        }
    }

    /// Those of some facts that are not known to be kept; none if the budget is spent.
    fn lost(
        &mut self,
        edge: BlockEdgeId,
        given: &[Term],
        facts: Vec<Term>,
        budget: &Budget,
    ) -> Option<Vec<Term>> {
        let mut groups = vec![facts];
        let mut lost = Vec::new();
        while let Some(group) = groups.pop() {
            if budget.is_spent() {
                return None;
            }
            if matches!(self.question(edge).ask(given, &group, budget), Reply::Kept) {
                continue;
            }
            let (first, second) = group.split_at(group.len() / 2);
            if first.is_empty() {
                lost.extend(second);
            } else {
                groups.extend([second.to_vec(), first.to_vec()]);
            }
        }
        Some(lost)
    }

    /// The question of a block, made when it is first needed.
    pub(super) fn question(&mut self, edge: BlockEdgeId) -> &mut Question {
        self.clock += 1;
        if !self.questions.contains_key(&edge) && self.questions.len() >= QUESTIONS {
            let oldest = self.questions.iter().min_by_key(|(_, asked)| asked.used);
            if let Some(oldest) = oldest.map(|(&oldest, _)| oldest) {
                self.questions.remove(&oldest);
            }
        }
        let (graph, known) = (self.graph, &self.known[self.graph.edges[edge].source]);
        let asked = self.questions.entry(edge).or_insert_with(|| {
            let mut question = Box::new(Question::new(graph, edge));
            known.iter().for_each(|&fact| question.learn(fact));
            Asked { question, used: 0 }
        });
        asked.used = self.clock;
        &mut asked.question
    }
}

/// Takes a state into account in all candidates of a node. Says whether anything changed.
pub(super) fn admit(
    graph: &BlockGraph,
    candidates: &mut Vec<Candidate>,
    state: &Assignment,
) -> bool {
    let mut changed = drop_formulas(graph, candidates, state);
    for candidate in candidates.iter_mut() {
        if candidate.as_formula().is_none() {
            changed |= candidate.admit(&graph.terms, state);
        }
    }
    candidates.retain(|candidate| !candidate.clauses().is_empty());
    changed
}

/// Drops the formulas among candidates that don't hold in a state. They have most of their parts in common, so all are
/// evaluated at once. Says whether there were any.
fn drop_formulas(graph: &BlockGraph, candidates: &mut Vec<Candidate>, state: &Assignment) -> bool {
    let formulas = candidates.iter().filter_map(Candidate::as_formula);
    let formulas: Vec<Term> = formulas.collect();
    let values = eval::evaluate_all(&graph.terms, &formulas, state);
    let known = formulas.into_iter().zip(values);
    let fails = known.filter(|(_, value)| matches!(value, Some(Value::Bool(false))));
    let fails: FxHashSet<Term> = fails.map(|(formula, _)| formula).collect();
    if fails.is_empty() {
        return false;
    }
    candidates.retain(|candidate| {
        let formula = candidate.as_formula();
        formula.is_none_or(|formula| !fails.contains(&formula))
    });
    true
}
