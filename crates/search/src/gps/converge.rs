//! What makes proofs converge: facts that the whole tree shares, and induction.
//!
//! A tree alone proves by unrolling loops until labels cover each other. Two helps: states from which no goal is reached are blocked for every path that comes to the
//! same node, not only for the one that found it; and now and then the inductive part of all that labels, guards and tests suggest is
//! looked for, which is known everywhere from then on and may be a proof by itself.

use std::time::{Duration, Instant};

use rhumb_encode::{BlockGraph, NodeKind};
use rhumb_logic::interpolate::Run;
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget};

use super::facts::{Blocker, Facts, Origin};
use super::induction::{Formulas, Means, Prover, explore};
use super::search::Search;
use super::space::Space;
use super::trace::Taken;
use super::tree::{Grounds, Status, TreeId};
use crate::claim::Claim;
use crate::proof::Draft;

/// Turns before induction is tried for the first time: most errors are found by then.
const FIRST_TURN: u64 = 4;

/// Induction gets at least this long in one go, and beyond it a part of the time that the search has taken.
const LEAST: Duration = Duration::from_millis(1_500);
const PART: u32 = 2;

/// Time for blocking one set of states.
const BLOCKING: Duration = Duration::from_millis(300);

/// Sets of states that are blocked at one node, and the size that the formula of one may have.
const MOST_BLOCKED: usize = 24;
const LARGEST_BLOCKED: usize = 120;

/// Blocks of a test whose states are noted.
const NOTED: usize = 64;

/// What the search knows beside its tree.
pub(super) struct Converging<'t> {
    facts: Facts,
    blocker: Blocker,
    prover: Option<Prover<'t>>,
    begun: Instant,
    /// The turn from which on induction is tried again.
    next: u64,
    /// Whether the last claim was that induction has a proof.
    claimed: bool,
    /// Time that induction and blocking took.
    pub(super) spent: Duration,
    /// Facts that induction proved.
    pub(super) proved: u64,
    /// Sets of states that were blocked.
    pub(super) blocked: u64,
}

impl<'t> Converging<'t> {
    /// Nothing is known but the invariants.
    pub(super) fn new(graph: &'t BlockGraph, space: &Space<'t>) -> Converging<'t> {
        Converging {
            facts: Facts::new(graph, |node| space.invariants(node).to_vec()),
            blocker: Blocker::new(graph),
            prover: None,
            begun: Instant::now(),
            next: FIRST_TURN,
            claimed: false,
            spent: Duration::ZERO,
            proved: 0,
            blocked: 0,
        }
    }
}

impl Search<'_> {
    /// Tries induction, if it is its turn again. The claim that there is a proof, if it finds one.
    pub(super) fn induct(&mut self, budget: &Budget) -> Option<Claim> {
        if !self.config.induction || self.counts.turns < self.converging.next {
            return None;
        }
        self.converging.next = self.counts.turns + self.counts.turns / 2 + 1;
        let share = LEAST.max(self.converging.begun.elapsed() / PART);
        let needed = self.advance(&budget.within(share))?;
        Some(self.claim_by_induction(&needed, budget))
    }

    /// Tries everything that induction has left: the tree has come to its end without a verdict.
    pub(super) fn induct_at_last(&mut self, budget: &Budget) -> Option<Claim> {
        while self.config.induction && !budget.is_spent() {
            if let Some(needed) = self.advance(budget) {
                return Some(self.claim_by_induction(&needed, budget));
            }
            let Converging { facts, prover, .. } = &self.converging;
            if !prover.as_ref().is_some_and(|prover| prover.has_more(facts)) {
                break;
            }
        }
        None
    }

    /// The claim that facts are a proof.
    fn claim_by_induction(&mut self, needed: &Formulas, budget: &Budget) -> Claim {
        self.converging.claimed = true;
        let facts = &self.converging.facts;
        Claim::Safe(Draft::at_heads(self.task, budget, |node| {
            let others = facts.proved_facts(node).iter();
            let others = others.filter(|fact| fact.origin != Origin::Induction);
            let mut formulas: Vec<_> = others.map(|fact| fact.formula).collect();
            formulas.extend(&needed[node]);
            formulas
        }))
    }

    /// Another stage of induction. What it proves is known from now on.
    fn advance(&mut self, budget: &Budget) -> Option<Formulas> {
        let begun = Instant::now();
        self.suggest_labels();
        let graph = self.space.graph;
        let Converging {
            facts,
            prover,
            proved,
            ..
        } = &mut self.converging;
        let prover = prover.get_or_insert_with(|| {
            explore(graph, facts, budget);
            let ahead = graph.nodes.indices().map(|node| self.space.reaches(node));
            let means = Means {
                deeper: self.config.k_induction,
            };
            let mut prover = Prover::new(graph, means, facts);
            prover.require(ahead.collect());
            prover
        });
        if !prover.has_more(facts) {
            return None;
        }
        let found = prover.advance(facts, budget);
        for node in graph.nodes.indices() {
            for fact in facts.proved(node) {
                if !self.space.invariants(node).contains(&fact) {
                    self.space.learn(node, fact);
                    self.labels.add_fact(node, fact);
                    *proved += 1;
                }
            }
        }
        self.converging.spent += begun.elapsed();
        found
    }

    /// The clauses of all labels at loop heads are candidates.
    fn suggest_labels(&mut self) {
        let graph = self.space.graph;
        for (node, block) in graph.nodes.iter_enumerated() {
            if block.kind != NodeKind::LoopHead {
                continue;
            }
            for &id in self.tree.all_at(node) {
                for &clause in self.tree.label(id).clauses() {
                    self.converging.facts.suggest(node, clause, Origin::Label);
                }
            }
        }
    }

    /// Goes on after a proof by induction was not accepted. Says whether there was one.
    pub(super) fn induction_rejected(&mut self) -> bool {
        std::mem::take(&mut self.converging.claimed)
    }

    /// Notes the states of a run along the path to a leaf, and of a test from there.
    pub(super) fn note(&mut self, leaf: TreeId, run: &Run, steps: &[Taken]) {
        if !self.config.induction {
            return;
        }
        let (graph, facts) = (self.space.graph, &mut self.converging.facts);
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
        if !self.config.facts {
            return;
        }
        let begun = Instant::now();
        let above: Vec<TreeId> = self.tree.upwards(leaf).skip(1).collect();
        for id in above {
            let is_pruned = |child| self.tree.status(child) == Status::Pruned(Grounds::Label);
            let is_root = id == self.tree.root();
            if is_root || !self.tree.children(id).all(is_pruned) || !self.block(id, budget) {
                break;
            }
            self.tree.set_status(id, Status::Pruned(Grounds::Label));
        }
        self.converging.spent += begun.elapsed();
    }

    /// Blocks the states of the label of a node, and all others that every block leads to nowhere for the same reason.
    fn block(&mut self, id: TreeId, budget: &Budget) -> bool {
        let (graph, at) = (self.space.graph, self.tree.at(id));
        let Converging { facts, blocker, .. } = &mut self.converging;
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
        self.converging.blocked += 1;
        true
    }
}
