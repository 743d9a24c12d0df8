//! The oracle in the service of a tree: what it has to say when it is needed, and more of it where that is not enough.
//!
//! Where a search keeps coming back to a loop, its summary says too little: look closer at it. Right for programs with
//! a loop that the operators could take further apart than they do at first, which is not worth the time as long as
//! nobody knows that the question hangs on this loop.

use std::time::{Duration, Instant};

use index_vec::IndexVec;
use rhumb_encode::{NodeId, NodeKind};
use rhumb_logic::{Budget, Term, Transition};
use rhumb_summary::{Oracle, OracleOptions};

use crate::aids::Aids;
use crate::art::{Art, Explained, Found, Space, Status, TreeId};
use crate::engine::Figures;
use crate::task::Task;

/// Turns at the head of a loop after which its summary is made again; the next time it takes so many times as many.
const TURNS: u32 = 12;
const FACTOR: u32 = 4;

/// So often a loop is looked at again.
const LEVELS: u32 = 2;

/// The part of the work that is left which one look may take.
const LOOK: u32 = 8;

/// The part of the work that is left which goes into stronger invariants.
const STRONGER: u32 = 4;

/// What an oracle says of the way to a goal.
pub(crate) struct Guide {
    pub(crate) oracle: Oracle,
    /// Whether it may be asked for more than it says at first.
    raises: bool,
    /// Whether the space knows what a goal takes.
    has_requirements: bool,
    /// How often a closer look was taken at each loop, and at how many of these times there was more to see.
    levels: IndexVec<NodeId, u32>,
    raised: u64,
    /// How long it took.
    invariants: Duration,
    summaries: Duration,
}

impl Guide {
    /// Invariants are computed now, everything else when it is needed.
    pub(crate) fn new(task: &Task<'_>, options: OracleOptions, budget: &Budget) -> Guide {
        let begun = Instant::now();
        Guide {
            oracle: Oracle::new(&task.graph, options, budget),
            raises: Aids::of(task.preset).raise,
            has_requirements: false,
            levels: task.graph.nodes.iter().map(|_| 0).collect(),
            raised: 0,
            invariants: begun.elapsed(),
            summaries: Duration::ZERO,
        }
    }

    /// What is known at each node.
    pub(crate) fn known(&self) -> IndexVec<NodeId, Vec<Term>> {
        let nodes = self.levels.indices();
        nodes.map(|node| self.oracle.known(node).to_vec()).collect()
    }

    /// Makes sure that a space knows what proofs need of the summaries. Says whether it is news.
    pub(crate) fn require(&mut self, space: &mut Space<'_>, budget: &Budget) -> bool {
        if self.has_requirements {
            return false;
        }
        let begun = Instant::now();
        space.set_reaches(self.oracle.proof(budget).clone());
        self.has_requirements = true;
        self.summaries += begun.elapsed();
        true
    }

    /// What was derived from the summaries has to be derived again when it is needed.
    pub(crate) fn forget_requirements(&mut self) {
        self.has_requirements = false;
    }

    /// Runs the next dearer analysis, if the turn of the root left the question open. Says whether something came out:
    /// then the tree has to begin anew.
    pub(crate) fn strengthen(&mut self, art: &Art<'_>, budget: &Budget) -> bool {
        let begun = Instant::now();
        let is_open = art.tree.status(art.tree.root()) == Status::Expanded;
        let budget = &budget.part(STRONGER);
        let is_news = self.raises && is_open && self.oracle.strengthen(art.space.graph, budget);
        self.invariants += begun.elapsed();
        is_news
    }

    /// Looks closer at a loop after a turn at its head, if there were many.
    pub(crate) fn look_closer(&mut self, art: &Art<'_>, at: NodeId, budget: &Budget) {
        let is_head = art.space.graph.nodes[at].kind == NodeKind::LoopHead;
        let level = self.levels[at];
        let is_due = level < LEVELS && art.turns(at) >= TURNS * FACTOR.pow(level);
        if !(self.raises && is_head && is_due) {
            return;
        }
        self.levels[at] += 1;
        let begun = Instant::now();
        if self.oracle.raise(at, &budget.part(LOOK)) {
            self.has_requirements = false;
            self.raised += 1;
        }
        self.summaries += begun.elapsed();
    }

    /// The summary of all ways from a node to a goal.
    pub(crate) fn summary(&mut self, node: NodeId, budget: &Budget) -> Transition {
        let begun = Instant::now();
        let summary = self.oracle.summary(node, budget);
        self.summaries += begun.elapsed();
        summary
    }

    /// Labels that exclude, at a leaf, what the summary requires; free of gas, which is a ghost.
    pub(crate) fn explain(
        &mut self,
        art: &mut Art<'_>,
        leaf: TreeId,
        budget: &Budget,
    ) -> Option<Explained> {
        if leaf == art.tree.root() {
            return None;
        }
        let mut summary = self.oracle.summary(art.tree.at(leaf), budget);
        if let Some(gas) = self.oracle.gas() {
            summary = summary.forget(&art.space.graph.terms, &[gas.symbol]);
        }
        match art.beyond(leaf, &summary, true, budget) {
            Found::DeadEnd(explained) => explained,
            Found::Run(_) | Found::Unknown(_) => None,
        }
    }

    /// What was done, in figures.
    pub(crate) fn figures(&self) -> Figures {
        vec![
            ("raised", self.raised as f64),
            ("time.invariants", self.invariants.as_secs_f64()),
            ("time.summaries", self.summaries.as_secs_f64()),
        ]
    }
}
