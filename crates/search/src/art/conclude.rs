//! The proof that a finished tree is.
//!
//! At a node of the block graph it says: the invariants hold, and either no goal can be reached by the summaries, or
//! the label of an expanded node holds that is neither covered nor below a covered one. From such a label every block
//! leads to the label of a child; that is again of this kind, or implies the label of the node that covers it, or
//! excludes every goal.

use std::time::Instant;

use rhumb_certify::proof::Proof;
use rhumb_encode::NodeId;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Term};

use super::{Art, ENTAILMENT, Found, Grounds, Status, TreeId};
use crate::explorer::Policy;
use crate::proof::{Draft, unrolling};

/// The deepest unrolling that is tried.
const UNROLLED: u32 = 300;

impl<'t> Art<'t> {
    /// The proof, once the frontier is empty. None if leaves were opened again that it can't be made with.
    pub(crate) fn conclude(
        &mut self,
        policy: &mut dyn Policy<'t>,
        budget: &Budget,
    ) -> Option<Proof> {
        // If nothing but the root is left, the proof is all that is missing.
        policy.prepare_proof(self, &budget.part(2));
        self.explain_rest(policy, &budget.part(2));
        let is_shortcut = self.aids.shortcut && self.is_excluded(budget);
        if !is_shortcut {
            if let Some(depth) = self.is_unrolling() {
                self.has_unrolled = true;
                if let Some(proof) = unrolling(self.task, depth, &budget.part(2)) {
                    return Some(proof);
                }
            }
            if self.reopen(true, budget) {
                return None;
            }
        }
        Some(self.proof(budget))
    }

    /// The depth of a tree that is no more than all paths of the program, some of them without a reason why they end:
    /// perhaps they end by themselves. Tried once.
    fn is_unrolling(&self) -> Option<u32> {
        let lacks_reason =
            |id: TreeId| self.tree.status(id) == Status::Pruned(Grounds::Unexplained);
        let lacks_reasons = self.in_use().any(lacks_reason);
        let is_whole = self.tree.ids().all(|id| self.tree.covered_by(id).is_none());
        if self.has_unrolled || !lacks_reasons || !is_whole {
            return None;
        }
        let depth = |id: TreeId| self.tree.upwards(id).count();
        let deepest = self.tree.ids().map(depth).max()?;
        // Paths are cut off where no goal is in reach any more; the runs may go on for a while.
        u32::try_from(2 * deepest)
            .ok()
            .filter(|&depth| depth <= UNROLLED)
    }

    /// Whether what proofs are made of excludes every error from the entry on: then no tree is needed.
    fn is_excluded(&mut self, budget: &Budget) -> bool {
        let root = self.tree.root();
        let (space, tree) = (&self.space, &self.tree);
        let found = self.refiner.dead_end(space, tree, root, false, budget);
        matches!(found, Found::DeadEnd(_))
    }

    /// Whether there is more to do, although a proof was found that was not accepted: in the frontier, or where leaves
    /// were pruned on weak grounds.
    pub(crate) fn is_open(&mut self, budget: &Budget) -> bool {
        !self.frontier.is_empty() || self.reopen(false, budget)
    }

    /// Opens leaves again that were pruned without what a proof needs: those that fail by the proof as it stands, or
    /// all. Says whether there were any.
    fn reopen(&mut self, only_failing: bool, budget: &Budget) -> bool {
        let leaves = self.in_use().filter(|&id| {
            matches!(
                self.tree.status(id),
                Status::Pruned(Grounds::Summary | Grounds::Unexplained)
            )
        });
        let mut leaves: Vec<TreeId> = leaves.collect();
        if only_failing {
            let mut session = Session::new(self.task.terms.clone(), SessionOptions::default());
            leaves.retain(|&leaf| !self.leads_on(&mut session, leaf, budget));
        }
        // Behind a goal there is nothing to look at.
        leaves.retain(|&leaf| !self.is_at_goal(leaf));
        for &leaf in &leaves {
            self.grow(leaf);
        }
        !leaves.is_empty()
    }

    /// Gives dead ends a label that were found without one.
    fn explain_rest(&mut self, policy: &mut dyn Policy<'t>, budget: &Budget) {
        let unexplained = Status::Pruned(Grounds::Unexplained);
        let leaves: Vec<TreeId> = self
            .in_use()
            .filter(|&id| self.tree.status(id) == unexplained)
            .collect();
        self.refiner.set_patience(1);
        for leaf in leaves {
            let (space, tree) = (&self.space, &self.tree);
            let found = self.refiner.dead_end(space, tree, leaf, true, budget);
            let (explained, grounds) = match found {
                Found::DeadEnd(explained) => (explained, Grounds::Label),
                _ => (policy.explain(self, leaf, budget), Grounds::Summary),
            };
            if let Some(explained) = explained {
                self.tree.set_status(leaf, Status::Pruned(grounds));
                self.add_labels(explained, budget);
            }
        }
    }

    /// The nodes that count: neither covered nor below a covered one.
    fn in_use(&self) -> impl Iterator<Item = TreeId> + '_ {
        self.tree.ids().filter(|&id| !self.tree.is_covered(id))
    }

    /// What the proof says at a node of the graph beside invariants.
    fn formula(&self, node: NodeId) -> Term {
        let terms = &self.task.terms;
        let open = self.tree.all_at(node).iter().filter(|&&id| {
            let counts = match self.tree.status(id) {
                Status::Expanded => true,
                Status::Pruned(grounds) => grounds != Grounds::Label,
                Status::Open | Status::Stuck => true,
                Status::Removed => false,
            };
            counts && !self.tree.is_covered(id)
        });
        let labels = open.map(|&id| self.tree.label(id).formula(terms));
        let safe = terms.not(self.space.reaches(node));
        terms.or(labels.chain([safe]).collect::<Vec<_>>())
    }

    /// Whether the proof holds after every block from the label of a leaf.
    fn leads_on(&self, session: &mut Session, leaf: TreeId, budget: &Budget) -> bool {
        let (terms, graph) = (&self.task.terms, self.space.graph);
        let label = self.tree.label(leaf).formula(terms);
        let outgoing = &graph.nodes[self.tree.at(leaf)].outgoing;
        outgoing.iter().all(|&edge| {
            let block = self.space.block(edge);
            let bad = terms.not(self.formula(graph.edges[edge].target));
            let step = block.before(terms, bad);
            session.is_sat(&[label, step], &budget.within(ENTAILMENT)) == Some(false)
        })
    }

    fn proof(&mut self, budget: &Budget) -> Proof {
        let begun = Instant::now();
        let proof = Draft::at_heads(self.task, budget, |node| {
            let mut formulas = self.space.invariants(node).to_vec();
            formulas.push(self.formula(node));
            formulas
        });
        self.account.proof += begun.elapsed();
        proof
    }
}
