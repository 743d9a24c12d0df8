//! What makes proofs converge: facts that the whole tree shares, and induction.
//!
//! A tree alone proves by unrolling loops until labels cover each other. Two helps: states from which no goal is reached are blocked for every path that comes to
//! the same node, not only for the one that found it; and now and then the inductive part of all that labels, guards and tests suggest is looked for,
//! which holds everywhere in the tree from then on and may be a proof by itself. Induction gets about as much work as the search, so neither
//! can starve the other.

use std::time::{Duration, Instant};

use rhumb_certify::proof::Proof;
use rhumb_encode::NodeKind;
use rhumb_logic::interpolate::Run;
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget, Term, Work};

use super::facts::{Blocker, Facts, Origin};
use super::induction::{Formulas, Means, Prover, explore};
use super::search::Search;
use super::space::Space;
use super::trace::Taken;
use super::tree::{Grounds, Status, TreeId};
use crate::proof::Draft;

/// The work that induction gets before there are summaries, and the work that it gets at least, once it is its turn again. Most of what it can prove it
/// proves by then, and most errors don't have to wait any longer.
const OPENING: Work = Work::millis(150);
const SLICE: Work = Work::millis(300);

/// Clauses of one node's labels that are candidates, the small ones first.
const CLAUSES: usize = 48;

/// Blocks of a test whose states are noted.
const NOTED: usize = 64;

/// Work for blocking one set of states.
const BLOCKING: Work = Work::millis(300);

/// Sets of states that are blocked at one node, and the size that the formula of one may have.
const MOST_BLOCKED: usize = 24;
const LARGEST_BLOCKED: usize = 120;

/// What is learned beside a search.
pub(super) struct Learner<'t> {
    facts: Facts,
    blocker: Blocker,
    prover: Option<Prover<'t>>,
    /// What was done when the search began, and how much of it was learning.
    begun: Work,
    before: Work,
    /// What went into induction and blocking: work, and time.
    work: Work,
    pub(super) time: Duration,
    /// Facts that induction proved.
    pub(super) learned: u64,
    /// Sets of states that were blocked.
    pub(super) blocked: u64,
    /// Dead ends of the search when labels were last looked at.
    seen: u64,
    /// Whether the prover knows what summaries say of the way to a goal.
    has_required: bool,
}

impl<'t> Learner<'t> {
    /// Nothing is known but the invariants.
    pub(super) fn new(space: &Space<'t>) -> Learner<'t> {
        Learner {
            facts: Facts::new(space.graph, |node| space.invariants(node).to_vec()),
            blocker: Blocker::new(space.graph),
            prover: None,
            begun: Work::so_far(),
            before: Work::NONE,
            work: Work::NONE,
            time: Duration::ZERO,
            learned: 0,
            blocked: 0,
            seen: 0,
            has_required: false,
        }
    }

    /// From now on the search's own work counts.
    pub(super) fn look_again(&mut self) {
        self.begun = Work::so_far();
        self.before = self.work;
    }

    /// What was done since then was learning.
    fn charge(&mut self, begun: Instant, before: Work) {
        self.time += begun.elapsed();
        self.work += Work::since(before);
    }

    /// The work for induction now, if it is its turn.
    fn slice(&self) -> Option<Work> {
        if self.prover.is_none() {
            return Some(OPENING);
        }
        let learned = self.work - self.before;
        let searched = Work::since(self.begun) - learned;
        (searched > learned).then(|| SLICE.max(searched))
    }

    /// Goes on with invariants that are perhaps stronger, and another tree.
    pub(super) fn renew(&mut self, space: &Space<'t>) {
        for (node, block) in space.graph.nodes.iter_enumerated() {
            let new = match block.kind.is_goal() {
                true => &[],
                false => space.invariants(node),
            };
            for &fact in new {
                if self.facts.prove(node, fact, Origin::Forward)
                    && let Some(prover) = &mut self.prover
                {
                    prover.learn(node, fact);
                }
            }
        }
        self.seen = 0;
        self.has_required = false;
    }

    /// Whether induction has anything left to try.
    fn has_more(&self) -> bool {
        let prover = self.prover.as_ref();
        prover.is_none_or(|prover| prover.has_more(&self.facts))
    }
}

impl Search<'_> {
    /// Looks for invariants, if it is time to. A proof, if they are one.
    pub(super) fn learn(&mut self, budget: &Budget) -> Option<Proof> {
        if !self.config.induction {
            return None;
        }
        let slice = self.learner.slice()?;
        self.stages(&budget.within(slice), budget)
    }

    /// Tries everything that induction has left: the tree has come to its end without a verdict.
    pub(super) fn learn_at_last(&mut self, budget: &Budget) -> Option<Proof> {
        if !self.config.induction {
            return None;
        }
        self.stages(budget, budget)
    }

    /// Stage after stage, for as long as a slice of the budget goes.
    fn stages(&mut self, slice: &Budget, budget: &Budget) -> Option<Proof> {
        while self.learner.has_more() && !slice.is_spent() {
            let proof = self.advance(slice, budget);
            if proof.is_some() {
                return proof;
            }
        }
        None
    }

    /// Another stage of induction. What it proves is known from now on.
    fn advance(&mut self, slice: &Budget, budget: &Budget) -> Option<Proof> {
        let (begun, before) = (Instant::now(), Work::so_far());
        if self.config.labels && self.counts.dead_ends > self.learner.seen {
            self.learner.seen = self.counts.dead_ends;
            self.suggest_labels();
        }
        let found = self.induct(slice);
        self.learner.charge(begun, before);
        let needed = found?;
        let begun = Instant::now();
        let proof = Draft::at_heads(self.task, budget, |node| needed[node].clone());
        self.times.proof += begun.elapsed();
        Some(proof)
    }

    fn induct(&mut self, budget: &Budget) -> Option<Formulas> {
        if !self.learner.has_more() {
            return None;
        }
        let (graph, space) = (self.space.graph, &mut self.space);
        let Learner {
            facts,
            prover,
            has_required,
            learned,
            ..
        } = &mut self.learner;
        let prover = prover.get_or_insert_with(|| {
            explore(graph, facts, budget);
            let means = Means {
                deeper: self.config.k_induction,
            };
            Prover::new(graph, means, facts)
        });
        let requires = graph
            .nodes
            .indices()
            .any(|node| !space.always_reaches(node));
        if requires && !*has_required {
            let ahead = graph.nodes.indices().map(|node| space.reaches(node));
            prover.require(ahead.collect());
            *has_required = true;
        }
        let found = prover.advance(facts, budget);
        for node in graph.nodes.indices() {
            for fact in facts.proved(node) {
                if !space.invariants(node).contains(&fact) {
                    space.learn(node, fact);
                    self.labels.add_fact(node, fact);
                    self.failed.clear();
                    *learned += 1;
                }
            }
        }
        found
    }

    /// The clauses of labels at loop heads are candidates.
    fn suggest_labels(&mut self) {
        let terms = &self.task.terms;
        for (node, block) in self.space.graph.nodes.iter_enumerated() {
            if block.kind != NodeKind::LoopHead {
                continue;
            }
            let labels = self.tree.all_at(node).iter();
            let mut clauses: Vec<Term> = labels
                .flat_map(|&id| self.tree.label(id).clauses())
                .copied()
                .collect();
            clauses.sort_unstable();
            clauses.dedup();
            clauses.sort_by_cached_key(|&clause| terms.size(clause));
            for clause in clauses.into_iter().take(CLAUSES) {
                self.learner.facts.suggest(node, clause, Origin::Label);
            }
        }
    }

    /// Notes the states of a run along the path to a leaf, and of a test from there.
    pub(super) fn note(&mut self, leaf: TreeId, run: &Run, steps: &[Taken]) {
        if !self.config.induction {
            return;
        }
        let (graph, facts) = (self.space.graph, &mut self.learner.facts);
        let path = self.tree.path(None, leaf);
        for (&id, state) in path.iter().zip(&run.states) {
            facts.reach(self.tree.at(id), state);
        }
        let mut state = run.states.last().cloned().unwrap_or_default();
        for step in steps.iter().take(NOTED) {
            let Taken::Block { edge, inputs } = step else {
                return;
            };
            let block = &graph.edges[*edge];
            let names = block.transition.inputs.iter().copied();
            let inputs: Assignment = names.zip(inputs.iter().cloned()).collect();
            let Outcome::To(next) = block.transition.apply(&graph.terms, &state, &inputs) else {
                return;
            };
            state = next;
            facts.reach(block.target, &state);
        }
    }

    /// Blocks what all children of a node have in common, for every path: if they are pruned by labels, so is the node, and so on upwards.
    pub(super) fn block_upwards(&mut self, leaf: TreeId, budget: &Budget) {
        if !self.config.blocking {
            return;
        }
        let (begun, before) = (Instant::now(), Work::so_far());
        let above: Vec<TreeId> = self.tree.upwards(leaf).skip(1).collect();
        for id in above {
            let is_pruned = |child| self.tree.status(child) == Status::Pruned(Grounds::Label);
            let is_root = id == self.tree.root();
            if is_root || !self.tree.children(id).all(is_pruned) || !self.block(id, budget) {
                break;
            }
            self.tree.set_status(id, Status::Pruned(Grounds::Label));
        }
        self.learner.charge(begun, before);
    }

    /// Blocks the states of the label of a node, and all others from which the blocks lead nowhere for the same reason.
    fn block(&mut self, id: TreeId, budget: &Budget) -> bool {
        let (graph, at) = (self.space.graph, self.tree.at(id));
        let Learner { facts, blocker, .. } = &mut self.learner;
        if facts.blocked(at).count() >= MOST_BLOCKED {
            return false;
        }
        let states = (at, self.tree.label(id).formula(&graph.terms));
        let reaches = |node| self.space.reaches(node);
        let found = blocker.conjoin(graph, facts, reaches, states, &budget.within(BLOCKING));
        let Some(states) = found else {
            return false;
        };
        if graph.terms.size(states) > LARGEST_BLOCKED {
            return false;
        }
        facts.block(at, states, Origin::DeadEnd);
        self.space.block_states(at, states);
        self.learner.blocked += 1;
        true
    }
}
