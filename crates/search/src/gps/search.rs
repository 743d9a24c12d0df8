//! The search: tests towards the goals, and a tree of what they leave open.
//!
//! Every leaf that is neither pruned nor covered waits in the frontier, first come, first served, so that each gets its turn. What becomes of it: it is
//! covered; or no run along its path can reach a goal any more, and it is pruned; or there is such a run, from which a test sets out, and whatever
//! the test passes by is new frontier. Each turn settles its leaf, so every path of the program is looked at after finitely many turns.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId, NodeKind};
use rhumb_logic::interpolate::{LabelStore, Run};
use rhumb_logic::session::{SessionOptions, Unknown};
use rhumb_logic::{Assignment, Budget, Term, Value, Work};
use rhumb_program::TargetId;
use rhumb_program::interp::{KeyedInputs, Machine};
use rhumb_summary::{Oracle, OracleOptions};
use rustc_hash::{FxHashMap, FxHashSet};

use super::config::Config;
use super::cover::Attempt;
use super::decode::Decoder;
use super::learn::Learner;
use super::refine::{Explained, Found, Refiner};
use super::space::Space;
use super::test::{Start, Statistics, Tester};
use super::trace::{End, Taken};
use super::tree::{Grounds, Status, Tree, TreeId};
use crate::claim::{Claim, Reason};
use crate::replay::{Replayed, replay};
use crate::task::Task;

/// The work for one entailment.
pub(super) const ENTAILMENT: Work = Work::secs(1);

/// So often a leaf before a goal gets a turn if the solver doesn't know; each time with more work.
const TRIES: u32 = 3;

/// The part of the work that is left which goes into what proofs need of the summaries.
const SHARE: u32 = 4;

/// The part of the work that is left which one test may take, and what it may take anyway.
const TEST: u32 = 4;
const SHORT: Work = Work::secs(1);

/// Blocks of a test that are entered into the tree. What follows is found again, should it matter.
const ENTERED: usize = 1_000;

/// What the search has done.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub(super) dead_ends: u64,
    pub(super) covers: u64,
    pub(super) uncovered: u64,
    pub(super) turns: u64,
}

/// How long the parts of the search took, beside questions about paths and induction.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Times {
    pub(super) invariants: Duration,
    pub(super) summaries: Duration,
    pub(super) tests: Duration,
    pub(super) entailments: Duration,
    /// Writing down what a proof rests on: mostly the invariants of the program before it was simplified.
    pub(super) proof: Duration,
}

/// A search under way.
pub(super) struct Search<'t> {
    pub(super) task: &'t Task<'t>,
    pub(super) config: Config,
    pub(super) oracle: Oracle,
    pub(super) space: Space<'t>,
    /// Whether the space knows what a goal takes.
    pub(super) has_requirements: bool,
    pub(super) tree: Tree,
    pub(super) frontier: VecDeque<TreeId>,
    pub(super) refiner: Refiner,
    pub(super) labels: LabelStore<NodeId>,
    /// Attempts at a cover that came to nothing.
    pub(super) failed: FxHashSet<Attempt>,
    tester: Tester<'t>,
    /// What testers did that are gone.
    past: Statistics,
    pub(super) learner: Learner<'t>,
    /// Whether the tree was claimed to be all paths of the program.
    pub(super) has_unrolled: bool,
    /// How often the solver didn't know about a leaf.
    hard: FxHashMap<TreeId, u32>,
    /// The first reason why no proof can come out of this.
    pub(super) obstacle: Option<Reason>,
    /// The leaf and the test of the last claim that a goal is reached.
    claimed: Option<(TreeId, Vec<Taken>)>,
    /// Turns at each node of the graph.
    pub(super) turns: IndexVec<NodeId, u32>,
    /// How often a closer look was taken at each loop, and at how many of these times there was more to see.
    pub(super) levels: IndexVec<NodeId, u32>,
    pub(super) raised: u64,
    pub(super) counts: Counts,
    pub(super) times: Times,
}

impl<'t> Search<'t> {
    /// Prepares a search.
    pub(super) fn new(task: &'t Task<'t>, config: Config, budget: &Budget) -> Search<'t> {
        let options = OracleOptions {
            summaries: config.summaries,
            gas: config.gas,
            preset: config.preset,
        };
        let begun = Instant::now();
        let oracle = Oracle::new(&task.graph, options, budget);
        let mut search = Search::with(task, config, oracle);
        search.times.invariants = begun.elapsed();
        search
    }

    /// A search by an oracle, at its beginning.
    fn with(task: &'t Task<'t>, config: Config, oracle: Oracle) -> Search<'t> {
        let graph = &task.graph;
        let space = Space::new(graph, known(graph, &oracle));
        let learner = Learner::new(&space);
        let tree = Tree::new(graph);
        Search {
            task,
            config,
            oracle,
            has_requirements: false,
            frontier: VecDeque::from([tree.root()]),
            tree,
            learner,
            refiner: Refiner::new(&task.terms, &config),
            labels: label_store(&space),
            failed: FxHashSet::default(),
            tester: Tester::new(task, &config),
            past: Statistics::default(),
            space,
            has_unrolled: false,
            hard: FxHashMap::default(),
            obstacle: None,
            claimed: None,
            turns: graph.nodes.iter().map(|_| 0).collect(),
            levels: graph.nodes.iter().map(|_| 0).collect(),
            raised: 0,
            counts: Counts::default(),
            times: Times::default(),
        }
    }

    /// Runs the next dearer analysis, if the turn of the root left the question open, and if something comes out begins anew. Says whether it did.
    pub(super) fn strengthen(&mut self, budget: &Budget) -> bool {
        let begun = Instant::now();
        let is_open = self.tree.status(self.tree.root()) == Status::Expanded;
        let is_news = self.config.raise
            && is_open
            && self
                .oracle
                .strengthen(self.space.graph, &budget.part(SHARE));
        self.times.invariants += begun.elapsed();
        if is_news {
            self.restart();
        }
        is_news
    }

    /// Begins anew, with what the oracle says now.
    fn restart(&mut self) {
        let known = known(self.space.graph, &self.oracle);
        self.space = Space::new(self.space.graph, known);
        self.has_requirements = false;
        self.labels = label_store(&self.space);
        self.failed.clear();
        self.hard.clear();
        self.learner.renew(&self.space);
        self.tree = Tree::new(self.space.graph);
        self.frontier = VecDeque::from([self.tree.root()]);
        self.past.add(self.tester.statistics());
        self.tester = Tester::new(self.task, &self.config);
    }

    /// What the tests did.
    pub(super) fn statistics(&self) -> Statistics {
        let mut all = self.past;
        all.add(self.tester.statistics());
        all
    }

    /// Whether the label of a node is known to imply that of another one at the same place.
    pub(super) fn implies(&mut self, premise: TreeId, conclusion: TreeId, budget: &Budget) -> bool {
        let begun = Instant::now();
        let at = self.tree.at(premise);
        let (premise, conclusion) = (self.tree.label(premise), self.tree.label(conclusion));
        let budget = budget.within(ENTAILMENT);
        let answer = self.labels.entails(at, premise, conclusion, &budget);
        self.times.entailments += begun.elapsed();
        answer == Some(true)
    }

    /// A turn: settles the next leaf of the frontier, if it still has to be. Says what it found.
    pub(super) fn turn(&mut self, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        if self.tree.status(leaf) != Status::Open || self.tree.is_covered(leaf) {
            return None;
        }
        let at = self.tree.at(leaf);
        self.counts.turns += 1;
        self.turns[at] += 1;
        if self.config.labels && self.try_cover(leaf, budget) {
            return None;
        }
        let is_goal = self.space.graph.nodes[at].kind.is_goal();
        if leaf == self.tree.root() && self.config.tests {
            // The first test needs nothing but a model of the summary.
            return self.look_ahead(leaf, None, budget);
        }
        self.require(&budget.part(SHARE));
        // Without tests only the ends of paths matter.
        if !self.config.tests && !is_goal && self.space.always_reaches(at) {
            self.grow(leaf);
            return None;
        }
        let explain = self.config.labels && leaf != self.tree.root();
        let (space, tree) = (&self.space, &self.tree);
        let tries = self.hard.get(&leaf).copied().unwrap_or(0);
        self.refiner.set_patience(tries);
        match self.refiner.dead_end(space, tree, leaf, explain, budget) {
            Found::DeadEnd(explained) => self.prune(leaf, explained, Grounds::Label, budget),
            Found::Run(run) if is_goal => return self.reached(leaf, at, &run, Vec::new()),
            Found::Run(_) if !self.config.tests => self.grow(leaf),
            Found::Run(run) => return self.look_ahead(leaf, Some(run), budget),
            Found::Unknown(why) => self.undecided(leaf, why),
        }
        None
    }

    /// Makes sure that what proofs need of the summaries is there. Tests do without, so an error that is found at once doesn't have to wait for it.
    pub(super) fn require(&mut self, budget: &Budget) {
        if !self.has_requirements {
            let begun = Instant::now();
            let reaches = self.oracle.proof(budget).clone();
            self.space.set_reaches(reaches);
            self.has_requirements = true;
            self.learner.look_again();
            self.times.summaries += begun.elapsed();
        }
    }

    /// Sets a test out from a leaf, if by the summary of what follows it can reach a goal.
    fn look_ahead(&mut self, leaf: TreeId, run: Option<Run>, budget: &Budget) -> Option<Claim> {
        let terms = &self.space.graph.terms;
        let begun = Instant::now();
        let summary = self.oracle.summary(self.tree.at(leaf), &budget.part(SHARE));
        self.times.summaries += begun.elapsed();
        if terms.as_bool(summary.guard) == Some(true)
            && let Some(run) = run
        {
            return self.test(leaf, run, Assignment::default(), budget);
        }
        let (space, tree) = (&self.space, &self.tree);
        let found = self
            .refiner
            .beyond(space, tree, leaf, &summary, false, budget);
        match found {
            Found::Run(mut run) => {
                let plan = run.inputs.pop().unwrap_or_default();
                run.states.pop();
                self.test(leaf, run, plan, budget)
            }
            Found::DeadEnd(_) => {
                // What the summary says is more than what proofs are made of; that is looked at again when everything else is done.
                let explained = match self.config.labels {
                    true => self.explain_by_summary(leaf, budget),
                    false => None,
                };
                self.prune(leaf, explained, Grounds::Summary, budget);
                None
            }
            Found::Unknown(_) => {
                self.grow(leaf);
                None
            }
        }
    }

    /// Labels that exclude, at a leaf, what the summary requires; free of gas, which is a ghost.
    pub(super) fn explain_by_summary(
        &mut self,
        leaf: TreeId,
        budget: &Budget,
    ) -> Option<Explained> {
        if leaf == self.tree.root() {
            return None;
        }
        let mut summary = self.oracle.summary(self.tree.at(leaf), budget);
        if let Some(gas) = self.oracle.gas() {
            summary = summary.forget(&self.space.graph.terms, &[gas.symbol]);
        }
        let (space, tree) = (&self.space, &self.tree);
        let found = self
            .refiner
            .beyond(space, tree, leaf, &summary, true, budget);
        match found {
            Found::DeadEnd(explained) => explained,
            Found::Run(_) | Found::Unknown(_) => None,
        }
    }

    /// Runs a test from the end of a run along the path to a leaf.
    fn test(&mut self, leaf: TreeId, run: Run, plan: Assignment, budget: &Budget) -> Option<Claim> {
        let begun = Instant::now();
        let start = Start {
            node: self.tree.at(leaf),
            state: run.states.last().cloned().unwrap_or_default(),
            plan,
        };
        let budget = match budget.left() {
            Some(left) => budget.within((left / TEST).max(SHORT)),
            None => budget.clone(),
        };
        let trace = self.tester.run(&mut self.oracle, start, &budget);
        self.times.tests += begun.elapsed();
        self.note(leaf, &run, &trace.steps);
        match trace.end {
            End::Goal(node) => self.reached(leaf, node, &run, trace.steps),
            End::TooLarge(_) if self.oracle.gas().is_some() => {
                // Such numbers are nearly always gas: more iterations than 128 bits can count.
                self.oracle.renounce_gas(self.space.graph);
                self.restart();
                None
            }
            End::DeadEnd(_) | End::Effort(_) | End::Unknown(_) | End::TooLarge(_) => {
                let end = self.enter(leaf, &trace.steps);
                if end == leaf || trace.steps.len() > self.entered(&trace.steps) {
                    self.grow(end);
                } else {
                    self.frontier.push_back(end);
                }
                None
            }
        }
    }

    /// Number of steps of a test that go into the tree: none from the first jump on. A jump leaves out what it skips, which a proof can't do.
    fn entered(&self, steps: &[Taken]) -> usize {
        let blocks = steps
            .iter()
            .take_while(|step| matches!(step, Taken::Block { .. }));
        blocks.take(ENTERED).count()
    }

    /// Enters a test into the tree. What it passes by goes to the frontier; the node where it ends is the result.
    fn enter(&mut self, leaf: TreeId, steps: &[Taken]) -> TreeId {
        let mut here = leaf;
        for step in &steps[..self.entered(steps)] {
            let Taken::Block { edge: taken, .. } = step else {
                break;
            };
            self.tree.expand(self.space.graph, here);
            let mut next = here;
            for child in self.tree.children(here) {
                if self.tree.edge(child) == *taken {
                    next = child;
                } else {
                    self.frontier.push_back(child);
                }
            }
            here = next;
        }
        here
    }

    /// Puts the children of a leaf into the frontier.
    pub(super) fn grow(&mut self, leaf: TreeId) {
        self.tree.expand(self.space.graph, leaf);
        self.frontier.extend(self.tree.children(leaf));
    }

    /// A leaf that no goal can be reached from.
    fn prune(
        &mut self,
        leaf: TreeId,
        explained: Option<Explained>,
        grounds: Grounds,
        budget: &Budget,
    ) {
        self.counts.dead_ends += 1;
        let is_explained = explained.is_some() || leaf == self.tree.root();
        let grounds = if is_explained {
            grounds
        } else {
            Grounds::Unexplained
        };
        self.tree.set_status(leaf, Status::Pruned(grounds));
        if let Some(explained) = explained {
            let changed = self.add_labels(explained, budget);
            let inner = changed.into_iter().filter(|&id| id != leaf);
            self.close(&inner.collect::<Vec<_>>(), budget);
        }
        if grounds == Grounds::Label {
            self.block_upwards(leaf, budget);
        }
    }

    /// A leaf about which the solver doesn't know: what lies behind it may be easier. Behind a goal lies nothing, so it gets another turn and more time.
    fn undecided(&mut self, leaf: TreeId, why: Unknown) {
        let is_goal = self.space.graph.nodes[self.tree.at(leaf)].kind.is_goal();
        if !is_goal {
            self.grow(leaf);
            return;
        }
        let tries = self.hard.entry(leaf).or_insert(0);
        *tries += 1;
        if *tries < TRIES {
            self.frontier.push_back(leaf);
        } else {
            self.give_up(leaf, Reason::Solver(why));
        }
    }

    /// A leaf that can't be settled. The search goes on, for errors elsewhere.
    fn give_up(&mut self, leaf: TreeId, reason: Reason) {
        self.tree.set_status(leaf, Status::Stuck);
        self.obstacle.get_or_insert(reason);
    }

    /// A run along the path to a leaf, and from there the steps of a test, end in a goal.
    fn reached(
        &mut self,
        leaf: TreeId,
        goal: NodeId,
        run: &Run,
        steps: Vec<Taken>,
    ) -> Option<Claim> {
        let inputs = self.inputs(leaf, run, &steps);
        let target = match self.space.graph.nodes[goal].kind {
            NodeKind::Target(target) => Ok(target),
            _ => self.beyond(goal, &inputs),
        };
        match target {
            Ok(target) => {
                self.claimed = Some((leaf, steps));
                Some(Claim::Unsafe { target, inputs })
            }
            Err(reason) => {
                let end = self.enter(leaf, &steps);
                self.set_aside(end, reason);
                None
            }
        }
    }

    /// A run goes where formulas can't follow: into a call that is not inlined, say. The interpreter can, and may find an error there.
    fn beyond(&self, goal: NodeId, inputs: &KeyedInputs) -> Result<TargetId, Reason> {
        let machine = Machine::compile(self.task.lowered);
        match replay(self.task, &machine, inputs) {
            Replayed::Target(target) => Ok(target),
            Replayed::Unsupported(reason) => Err(reason),
            Replayed::Other => Err(self.task.unsupported(goal).unwrap_or(Reason::Inconclusive)),
        }
    }

    /// The inputs of a run along the path to a leaf, and from there of the steps of a test.
    fn inputs(&self, leaf: TreeId, run: &Run, steps: &[Taken]) -> KeyedInputs {
        let path = self.tree.path(None, leaf);
        let graph = self.space.graph;
        let mut whole: Vec<Taken> = Vec::with_capacity(path.len() + steps.len());
        for (&id, values) in path.iter().skip(1).zip(&run.inputs) {
            let edge = self.tree.edge(id);
            let inputs = graph.edges[edge].transition.inputs.iter();
            let zero = || Value::Int(0.into());
            whole.push(Taken::Block {
                edge,
                inputs: inputs
                    .map(|input| values.get(input).cloned().unwrap_or_else(zero))
                    .collect(),
            });
        }
        whole.extend(steps.iter().cloned());
        let first = run.states.first();
        let addresses = graph.state.addresses().filter_map(|(_, symbol)| {
            let value = first.and_then(|state| state.get(&symbol));
            Some((symbol, value?.clone()))
        });
        let mut decoder = Decoder::new(self.task, addresses.collect());
        // Where the program leaves the blocks, something was approximated: the inputs up to there may do all the same.
        let _ = decoder.follow(&whole);
        decoder.finish()
    }

    /// Sets the run of the last claim aside, which was not accepted. Says whether there was one.
    pub(super) fn reject(&mut self) -> bool {
        let Some((leaf, steps)) = self.claimed.take() else {
            return false;
        };
        let end = self.enter(leaf, &steps);
        let reason = self.approximated(end);
        self.set_aside(end, reason);
        true
    }

    /// The end of a run that is no error, although the formulas say so.
    fn set_aside(&mut self, end: TreeId, reason: Reason) {
        match self.space.graph.nodes[self.tree.at(end)].kind {
            NodeKind::Target(_) | NodeKind::Unsupported(_) => self.give_up(end, reason),
            // The run is not in the tree as a whole, or goes on behind a call.
            _ => {
                self.obstacle.get_or_insert(reason);
                self.grow(end);
            }
        }
    }
}

/// What an oracle knows at each node.
fn known(graph: &BlockGraph, oracle: &Oracle) -> IndexVec<NodeId, Vec<Term>> {
    let nodes = graph.nodes.indices();
    nodes.map(|node| oracle.known(node).to_vec()).collect()
}

/// A store for entailments between labels, which knows what holds anyway.
fn label_store(space: &Space<'_>) -> LabelStore<NodeId> {
    let terms = space.graph.terms.clone();
    let mut labels = LabelStore::new(terms, SessionOptions::default());
    for node in space.graph.nodes.indices() {
        labels.add_fact(node, space.known(node));
    }
    labels
}
