//! What makes proofs converge: facts that the whole tree shares, and induction.
//!
//! A tree alone proves by unrolling loops until labels cover each other. Two helps: states from which no goal is
//! reached are blocked for every path that comes to the same node, not only for the one that found it; and now and then
//! the inductive part of all that labels, guards and tests suggest is looked for, which holds everywhere in the tree
//! from then on and may be a proof by itself. Induction gets about as much work as the search, so neither can starve
//! the other.

use std::time::{Duration, Instant};

use rhumb_certify::proof::Proof;
use rhumb_encode::NodeKind;
use rhumb_logic::interpolate::Run;
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget, Term, Work};

use crate::aids::Aids;
use crate::art::{Art, Grounds, Space, Status, TreeId};
use crate::engine::Figures;
use crate::facts::{Blocker, Facts, Origin};
use crate::induction::{Formulas, Means, Prover, explore};
use crate::proof::Draft;
use crate::runs::Taken;

/// The work that induction gets before there are summaries, and the work that it gets at least, once it is its turn
/// again. Most of what it can prove it proves by then, and most errors don't have to wait any longer.
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
pub(crate) struct Learner<'t> {
    aids: Aids,
    /// Whether labels are candidates.
    labels: bool,
    facts: Facts,
    blocker: Blocker,
    prover: Option<Prover<'t>>,
    /// What was done when the search began, and how much of it was learning.
    begun: Work,
    before: Work,
    /// What went into induction and blocking: work, and time.
    work: Work,
    time: Duration,
    /// Facts that induction proved.
    learned: u64,
    /// Sets of states that were blocked.
    blocked: u64,
    /// Dead ends of the search when labels were last looked at.
    seen: u64,
    /// Whether the prover knows what summaries say of the way to a goal.
    has_required: bool,
}

impl<'t> Learner<'t> {
    /// Nothing is known but the invariants.
    pub(crate) fn new(space: &Space<'t>, aids: Aids, labels: bool) -> Learner<'t> {
        Learner {
            aids,
            labels,
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
    pub(crate) fn look_again(&mut self) {
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
    pub(crate) fn renew(&mut self, space: &Space<'t>) {
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

    /// Looks for invariants, if it is time to. A proof, if they are one.
    pub(crate) fn learn(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        let slice = self.slice()?;
        self.stages(art, &budget.within(slice), budget)
    }

    /// Tries everything that induction has left: the tree has come to its end without a verdict.
    pub(crate) fn learn_at_last(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        self.stages(art, budget, budget)
    }

    /// Stage after stage, for as long as a slice of the budget goes.
    fn stages(&mut self, art: &mut Art<'t>, slice: &Budget, budget: &Budget) -> Option<Proof> {
        while self.aids.induction && self.has_more() && !slice.is_spent() {
            let proof = self.advance(art, slice, budget);
            if proof.is_some() {
                return proof;
            }
        }
        None
    }

    /// Another stage of induction. What it proves is known from now on.
    fn advance(&mut self, art: &mut Art<'t>, slice: &Budget, budget: &Budget) -> Option<Proof> {
        let (begun, before) = (Instant::now(), Work::so_far());
        if self.labels && art.account.dead_ends > self.seen {
            self.seen = art.account.dead_ends;
            self.suggest_labels(art);
        }
        let found = self.induct(art, slice);
        self.charge(begun, before);
        let needed = found?;
        let begun = Instant::now();
        let proof = Draft::at_heads(art.task, budget, |node| needed[node].clone());
        art.account.proof += begun.elapsed();
        Some(proof)
    }

    fn induct(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Formulas> {
        if !self.has_more() {
            return None;
        }
        let graph = art.space.graph;
        let Learner { facts, prover, .. } = self;
        let prover = prover.get_or_insert_with(|| {
            explore(graph, facts, budget);
            let means = Means {
                deeper: self.aids.k_induction,
            };
            Prover::new(graph, means, facts)
        });
        let requires = graph
            .nodes
            .indices()
            .any(|node| !art.space.always_reaches(node));
        if requires && !self.has_required {
            let ahead = graph.nodes.indices().map(|node| art.space.reaches(node));
            prover.require(ahead.collect());
            self.has_required = true;
        }
        let found = prover.advance(facts, budget);
        for node in graph.nodes.indices() {
            for fact in facts.proved(node) {
                if !art.space.invariants(node).contains(&fact) {
                    art.learn(node, fact);
                    self.learned += 1;
                }
            }
        }
        found
    }

    /// The clauses of labels at loop heads are candidates.
    fn suggest_labels(&mut self, art: &Art<'t>) {
        let terms = &art.task.terms;
        for (node, block) in art.space.graph.nodes.iter_enumerated() {
            if block.kind != NodeKind::LoopHead {
                continue;
            }
            let labels = art.tree.all_at(node).iter();
            let mut clauses: Vec<Term> = labels
                .flat_map(|&id| art.tree.label(id).clauses())
                .copied()
                .collect();
            clauses.sort_unstable();
            clauses.dedup();
            clauses.sort_by_cached_key(|&clause| terms.size(clause));
            for clause in clauses.into_iter().take(CLAUSES) {
                self.facts.suggest(node, clause, Origin::Label);
            }
        }
    }

    /// Notes the states of a run along the path to a leaf, and of a test from there.
    pub(crate) fn note(&mut self, art: &Art<'t>, leaf: TreeId, run: &Run, steps: &[Taken]) {
        if !self.aids.induction {
            return;
        }
        let (graph, facts) = (art.space.graph, &mut self.facts);
        let path = art.tree.path(None, leaf);
        for (&id, state) in path.iter().zip(&run.states) {
            facts.reach(art.tree.at(id), state);
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
    pub(crate) fn block_upwards(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) {
        if !self.aids.blocking {
            return;
        }
        let (begun, before) = (Instant::now(), Work::so_far());
        let above: Vec<TreeId> = art.tree.upwards(leaf).skip(1).collect();
        for id in above {
            let is_pruned = |child| art.tree.status(child) == Status::Pruned(Grounds::Label);
            let is_root = id == art.tree.root();
            if is_root || !art.tree.children(id).all(is_pruned) || !self.block(art, id, budget) {
                break;
            }
            art.tree.set_status(id, Status::Pruned(Grounds::Label));
        }
        self.charge(begun, before);
    }

    /// Blocks the states of the label of a node, and all others from which the blocks lead nowhere for the same reason.
    fn block(&mut self, art: &mut Art<'t>, id: TreeId, budget: &Budget) -> bool {
        let (graph, at) = (art.space.graph, art.tree.at(id));
        let (facts, blocker) = (&mut self.facts, &mut self.blocker);
        if facts.blocked(at).count() >= MOST_BLOCKED {
            return false;
        }
        let states = (at, art.tree.label(id).formula(&graph.terms));
        let reaches = |node| art.space.reaches(node);
        let found = blocker.conjoin(graph, facts, reaches, states, &budget.within(BLOCKING));
        let Some(states) = found else {
            return false;
        };
        if graph.terms.size(states) > LARGEST_BLOCKED {
            return false;
        }
        facts.block(at, states, Origin::DeadEnd);
        art.space.block_states(at, states);
        self.blocked += 1;
        true
    }

    /// What was done, in figures.
    pub(crate) fn figures(&self) -> Figures {
        vec![
            ("learned", self.learned as f64),
            ("blocked", self.blocked as f64),
            ("time.induction", self.time.as_secs_f64()),
        ]
    }
}
