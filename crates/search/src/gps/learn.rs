//! Invariants from labels: what the tree guesses about one path is often true of all.
//!
//! Now and then the search asks whether clauses of its labels, together, hold on every run: the greatest part of them that the blocks keep. And it asks for
//! a proof by induction alone, from the atoms of the program. Both get about as much time as the search itself, so neither can starve the other. What is
//! proved holds everywhere in the tree from then on.

use std::time::{Duration, Instant};

use index_vec::IndexVec;
use rhumb_certify::proof::Proof;
use rhumb_encode::{NodeId, NodeKind};
use rhumb_logic::{Budget, Term};

use super::induction::{Candidate, Candidates, Induction, prove};
use super::search::Search;
use super::space::Space;
use crate::proof::Draft;

/// So long the search works by itself at first.
const HEAD_START: Duration = Duration::from_millis(20);

/// The time that induction gets at least, once it is its turn.
const SLICE: Duration = Duration::from_millis(250);

/// Clauses of one node that are candidates, the small ones first.
const CLAUSES: usize = 48;

/// Induction beside a search.
pub(super) struct Learner<'t> {
    induction: Induction<'t>,
    /// When the search began, and how much time had gone into induction by then.
    begun: Instant,
    before: Duration,
    /// Time that went into induction.
    pub(super) time: Duration,
    /// What was proved.
    pub(super) learned: u64,
    /// Dead ends of the search when labels were last looked at.
    seen: u64,
    /// Whether a proof by induction alone was looked for and not found.
    is_exhausted: bool,
}

impl<'t> Learner<'t> {
    /// Induction relative to what is known of a program.
    pub(super) fn new(space: &Space<'t>) -> Learner<'t> {
        let nodes = space.graph.nodes.indices();
        let known = nodes.map(|node| space.invariants(node).to_vec());
        Learner {
            induction: Induction::new(space.graph, known.collect()),
            begun: Instant::now(),
            before: Duration::ZERO,
            time: Duration::ZERO,
            learned: 0,
            seen: 0,
            is_exhausted: false,
        }
    }

    /// Says that there is something new to look at. From now on the search's own time counts.
    pub(super) fn look_again(&mut self) {
        self.is_exhausted = false;
        self.begun = Instant::now();
        self.before = self.time;
    }

    /// The time for induction now, if it is its turn.
    fn slice(&self) -> Option<Duration> {
        let time = self.time.saturating_sub(self.before);
        let searched = self.begun.elapsed().saturating_sub(time);
        let is_due = searched > HEAD_START + time;
        is_due.then(|| SLICE.max(searched))
    }
}

impl Search<'_> {
    /// Looks for invariants, if it is time to. A proof, if they are one.
    pub(super) fn learn(&mut self, budget: &Budget) -> Option<Proof> {
        if !self.config.induction {
            return None;
        }
        let slice = budget.within(self.learner.slice()?);
        let begun = Instant::now();
        if self.config.labels && self.counts.dead_ends > self.learner.seen {
            self.learner.seen = self.counts.dead_ends;
            self.learn_from_labels(&slice);
        }
        let proof = if self.learner.is_exhausted {
            None
        } else {
            self.prove_by_induction(&slice, budget)
        };
        self.learner.time += begun.elapsed();
        proof
    }

    fn learn_from_labels(&mut self, budget: &Budget) {
        let terms = self.task.terms.clone();
        let candidates: Candidates = (self.space.graph.nodes.indices())
            .map(|node| {
                let clauses = self.clauses_at(node).into_iter();
                clauses
                    .map(|clause| Candidate::formula(&terms, clause))
                    .collect()
            })
            .collect();
        if candidates.iter().all(Vec::is_empty) {
            return;
        }
        let proved = self.learner.induction.subset(candidates, budget);
        for (node, facts) in proved.into_iter_enumerated() {
            for fact in facts {
                self.learner.learned += 1;
                self.learner.induction.learn(node, fact);
                self.space.learn(node, fact);
                self.labels.add_fact(node, fact);
                self.failed.clear();
            }
        }
    }

    /// The clauses of labels at a loop head.
    fn clauses_at(&self, node: NodeId) -> Vec<Term> {
        if self.space.graph.nodes[node].kind != NodeKind::LoopHead {
            return Vec::new();
        }
        let terms = &self.task.terms;
        let labels = self.tree.all_at(node).iter();
        let mut clauses: Vec<Term> = labels
            .flat_map(|&id| self.tree.label(id).clauses())
            .copied()
            .collect();
        clauses.sort_unstable();
        clauses.dedup();
        clauses.sort_by_cached_key(|&clause| terms.size(clause));
        clauses.truncate(CLAUSES);
        clauses
    }

    fn prove_by_induction(&mut self, slice: &Budget, budget: &Budget) -> Option<Proof> {
        let graph = self.space.graph;
        let ahead: IndexVec<NodeId, Term> = (graph.nodes.indices())
            .map(|node| self.space.reaches(node))
            .collect();
        let facts = prove(&mut self.learner.induction, &ahead, slice);
        // What was found is not looked for again, should it not be accepted.
        self.learner.is_exhausted = !slice.is_spent() || facts.is_some();
        let facts = facts?;
        Some(Draft::at_heads(self.task, budget, |node| {
            let mut formulas = self.space.invariants(node).to_vec();
            formulas.extend(&facts[node]);
            formulas
        }))
    }
}
