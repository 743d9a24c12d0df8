//! The reachability tree, as all engines that grow one share it: with what is known of the program, and the leaves that are open.
//!
//! | module | |
//! |---|---|
//! | [`space`] | what is known of the program |
//! | [`tree`] | paths, labels and covers |
//! | [`refine`] | dead ends, and their reasons |
//! | [`cover`] | which path stands for which |
//! | [`concrete`] | runs of tests in the tree, and claims made of those that end in a goal |
//! | [`conclude`] | from a finished tree to a proof |
//! | [`report`] | what to say of it |
//!
//! A leaf is *settled* when it is covered, pruned or expanded. In which order that happens is up to the frontier, by
//! what means is up to an engine's [`Policy`](crate::explorer::Policy).

mod conclude;
mod concrete;
mod cover;
mod refine;
mod report;
mod space;
mod tree;
mod view;

use std::time::Duration;

use index_vec::IndexVec;
use rhumb_encode::NodeId;
use rhumb_logic::session::Unknown;
use rhumb_logic::{Budget, Term, Transition, Work};

use crate::aids::Aids;
use crate::claim::Reason;
use crate::frontier::{Frontier, Order};
use crate::runs::Taken;
use crate::task::Task;

pub(crate) use concrete::entered;
use cover::Covers;
use refine::Refiner;
pub(crate) use refine::{Explained, Found};
pub(crate) use space::Space;
pub(crate) use tree::{Grounds, Status, Tree, TreeId};

/// The work for one entailment.
const ENTAILMENT: Work = Work::secs(1);

/// So often a leaf before a goal gets a turn if the solver doesn't know; each time with more work.
const TRIES: u32 = 3;

/// What was done to a tree, and how long it took.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Account {
    /// Leaves that were pruned.
    pub(crate) dead_ends: u64,
    /// Nodes that were covered, and those that were uncovered again.
    pub(crate) covers: u64,
    pub(crate) uncovered: u64,
    /// Time for entailments between labels.
    pub(crate) entailments: Duration,
    /// Time for writing down what a proof rests on: mostly the invariants of the program before it was simplified.
    pub(crate) proof: Duration,
}

/// A reachability tree that grows.
pub(crate) struct Art<'t> {
    pub(crate) task: &'t Task<'t>,
    pub(crate) space: Space<'t>,
    pub(crate) tree: Tree,
    pub(crate) frontier: Frontier,
    pub(crate) refiner: Refiner,
    covers: Covers,
    aids: Aids,
    /// The first reason why no proof can come out of this.
    pub(crate) obstacle: Option<Reason>,
    /// The leaf and the test of the last claim that a goal is reached.
    claimed: Option<(TreeId, Vec<Taken>)>,
    /// Whether the tree was claimed to be all paths of the program.
    has_unrolled: bool,
    /// Turns at each node of the graph.
    turns: IndexVec<NodeId, u32>,
    pub(crate) account: Account,
}

impl<'t> Art<'t> {
    /// A tree that is only a root, which is open. With what is known to hold at each node.
    pub(crate) fn new(
        task: &'t Task<'t>,
        known: IndexVec<NodeId, Vec<Term>>,
        order: impl Order + 'static,
    ) -> Art<'t> {
        let space = Space::new(&task.graph, known);
        let mut art = Art {
            task,
            tree: Tree::new(&task.graph),
            frontier: Frontier::new(order),
            refiner: Refiner::new(&task.terms, task.preset),
            covers: Covers::new(&space),
            space,
            aids: Aids::of(task.preset),
            obstacle: None,
            claimed: None,
            has_unrolled: false,
            turns: task.graph.nodes.iter().map(|_| 0).collect(),
            account: Account::default(),
        };
        art.open([art.tree.root()]);
        art
    }

    /// Begins anew, with other knowledge.
    pub(crate) fn restart(&mut self, known: IndexVec<NodeId, Vec<Term>>) {
        self.space = Space::new(self.space.graph, known);
        self.tree = Tree::new(self.space.graph);
        self.covers = Covers::new(&self.space);
        self.refiner.forget_leaves();
        self.frontier.clear();
        self.open([self.tree.root()]);
    }

    /// From now on a formula is known at a node.
    pub(crate) fn learn(&mut self, node: NodeId, fact: Term) {
        self.space.learn(node, fact);
        self.covers.learn(node, fact);
    }

    /// Leaves wait for their turn.
    pub(crate) fn open(&mut self, leaves: impl IntoIterator<Item = TreeId>) {
        for leaf in leaves {
            self.frontier.push(&self.tree, leaf);
        }
    }

    /// Takes notice of the turn of a leaf. Says whether it still has to be settled.
    pub(crate) fn begin_turn(&mut self, leaf: TreeId) -> bool {
        let is_open = self.tree.status(leaf) == Status::Open && !self.tree.is_covered(leaf);
        self.turns[self.tree.at(leaf)] += u32::from(is_open);
        is_open
    }

    /// How many turns there were at a node of the graph.
    pub(crate) fn turns(&self, at: NodeId) -> u32 {
        self.turns[at]
    }

    /// Whether a node of the tree is at a goal.
    pub(crate) fn is_at_goal(&self, id: TreeId) -> bool {
        self.space.graph.nodes[self.tree.at(id)].kind.is_goal()
    }

    /// Asks whether some run along the path to a leaf ends where a goal can be reached.
    pub(crate) fn refute(&mut self, leaf: TreeId, explain: bool, budget: &Budget) -> Found {
        self.refiner.be_patient(leaf);
        let (space, tree) = (&self.space, &self.tree);
        self.refiner.dead_end(space, tree, leaf, explain, budget)
    }

    /// Asks whether some run along the path to a leaf, and then by a summary, reaches a goal.
    pub(crate) fn beyond(
        &mut self,
        leaf: TreeId,
        summary: &Transition,
        explain: bool,
        budget: &Budget,
    ) -> Found {
        let (space, tree) = (&self.space, &self.tree);
        self.refiner
            .beyond(space, tree, leaf, summary, explain, budget)
    }

    /// Opens the children of a leaf.
    pub(crate) fn grow(&mut self, leaf: TreeId) {
        self.tree.expand(self.space.graph, leaf);
        self.open(self.tree.children(leaf));
    }

    /// A leaf that no goal can be reached from. Says on which grounds it is pruned: without reasons, on weaker ones.
    pub(crate) fn prune(
        &mut self,
        leaf: TreeId,
        explained: Option<Explained>,
        grounds: Grounds,
        budget: &Budget,
    ) -> Grounds {
        self.account.dead_ends += 1;
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
        grounds
    }

    /// A leaf about which the solver doesn't know: what lies behind it may be easier. Behind a goal lies nothing, so it
    /// gets another turn and more time.
    pub(crate) fn undecided(&mut self, leaf: TreeId, why: Unknown) {
        if !self.is_at_goal(leaf) {
            self.grow(leaf);
        } else if self.refiner.note_failure(leaf) < TRIES {
            self.open([leaf]);
        } else {
            self.give_up(leaf, Reason::Solver(why));
        }
    }

    /// A leaf that can't be settled. The search goes on, for errors elsewhere.
    fn give_up(&mut self, leaf: TreeId, reason: Reason) {
        self.tree.set_status(leaf, Status::Stuck);
        self.obstacle.get_or_insert(reason);
    }
}
