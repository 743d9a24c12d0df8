//! Covers: looking for a node that stands for another one.

use std::time::Instant;

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::interpolate::{Label, LabelStore};
use rhumb_logic::session::SessionOptions;
use rhumb_logic::{Budget, Term};
use rustc_hash::FxHashSet;

use super::{Art, ENTAILMENT, Explained, Space, TreeId};

/// Nodes whose labels are tried for one node.
const CANDIDATES: usize = 12;

/// Nodes at the same place, the oldest first, that are looked at for that.
const SCANNED: usize = 256;

/// Ancestors whose labels are tried to be made to hold again.
const ANCESTORS: usize = 3;

/// Inner nodes that are looked at after one dead end, from both ends of the path.
const INNER: usize = 3;

/// An attempt to make a label hold again at the end of a way round a loop.
#[derive(PartialEq, Eq, Hash)]
struct Attempt {
    label: Label,
    way: Box<[BlockEdgeId]>,
}

/// What is known of entailments between labels.
pub(super) struct Covers {
    labels: LabelStore<NodeId>,
    /// Attempts that came to nothing.
    failed: FxHashSet<Attempt>,
}

impl Covers {
    /// Nothing but what holds anyway.
    pub(super) fn new(space: &Space<'_>) -> Covers {
        let terms = space.graph.terms.clone();
        let mut labels = LabelStore::new(terms, SessionOptions::default());
        for node in space.graph.nodes.indices() {
            labels.add_fact(node, space.known(node));
        }
        Covers {
            labels,
            failed: FxHashSet::default(),
        }
    }

    /// From now on a formula is known at a node.
    pub(super) fn learn(&mut self, node: NodeId, fact: Term) {
        self.labels.add_fact(node, fact);
        self.failed.clear();
    }
}

impl Art<'_> {
    /// Whether the label of a node is known to imply that of another one at the same place.
    fn implies(&mut self, premise: TreeId, conclusion: TreeId, budget: &Budget) -> bool {
        let begun = Instant::now();
        let at = self.tree.at(premise);
        let (premise, conclusion) = (self.tree.label(premise), self.tree.label(conclusion));
        let budget = budget.within(ENTAILMENT);
        let labels = &mut self.covers.labels;
        let answer = labels.entails(at, premise, conclusion, &budget);
        self.account.entailments += begun.elapsed();
        answer == Some(true)
    }

    /// Tries to cover a node: by any older one whose label it implies, or by an ancestor whose label holds again, once
    /// more is said on the way.
    pub(crate) fn try_cover(&mut self, id: TreeId, budget: &Budget) -> bool {
        // At a goal there is nothing to be spared.
        let sharing = self.aids.sharing;
        !self.is_at_goal(id)
            && (self.cover_by_label(id, sharing, budget) || self.cover_by_force(id, budget))
    }

    /// Tries to cover a node by any older one whose label it implies, and leaves all labels as they are. Those that say
    /// a part of the same come first, however many there are: abstract states are made of few clauses, and most come
    /// again as they were.
    pub(crate) fn try_cover_by_state(&mut self, id: TreeId, budget: &Budget) -> bool {
        let (at, label) = (self.tree.at(id), self.tree.label(id));
        let says_more = |other: &Label| {
            let mut clauses = other.clauses().iter();
            clauses.all(|clause| label.clauses().binary_search(clause).is_ok())
        };
        let older = self.tree.all_at(at).iter().take_while(|&&other| other < id);
        let mut found = older.filter(|&&other| says_more(self.tree.label(other)));
        match found.find(|&&other| self.tree.may_cover(other, id)) {
            Some(&other) => {
                self.cover(id, other);
                true
            }
            None => self.cover_by_label(id, true, budget),
        }
    }

    /// Says anew what holds at a leaf, and looks again at the covers that rely on it.
    pub(crate) fn relabel(&mut self, leaf: TreeId, label: Label, budget: &Budget) {
        if self.tree.relabel(leaf, label) {
            self.look_again(leaf, budget);
        }
    }

    /// Makes a leaf of a node again, which waits for its turn.
    pub(crate) fn cut(&mut self, id: TreeId) {
        let open = self.tree.cut(id);
        self.open(open);
    }

    fn cover_by_label(&mut self, id: TreeId, sharing: bool, budget: &Budget) -> bool {
        let at = self.tree.at(id);
        let mut tried: Vec<Label> = Vec::new();
        let older = self.tree.all_at(at).partition_point(|&other| other < id);
        for place in 0..older.min(SCANNED) {
            let other = self.tree.all_at(at)[place];
            let label = self.tree.label(other);
            let is_eligible = sharing || self.tree.is_above(other, id);
            if !is_eligible || tried.contains(label) || !self.tree.may_cover(other, id) {
                continue;
            }
            tried.push(label.clone());
            if self.implies(id, other, budget) {
                self.cover(id, other);
                return true;
            }
            if tried.len() >= CANDIDATES {
                break;
            }
        }
        false
    }

    fn cover_by_force(&mut self, id: TreeId, budget: &Budget) -> bool {
        let at = self.tree.at(id);
        let above = self.tree.upwards(id).skip(1);
        let above = above.filter(|&above| self.tree.at(above) == at);
        let above: Vec<TreeId> = above.take(ANCESTORS).collect();
        for ancestor in above {
            if !self.tree.may_cover(ancestor, id) {
                continue;
            }
            let way = self.tree.path(Some(ancestor), id).into_iter().skip(1);
            let attempt = Attempt {
                label: self.tree.label(ancestor).clone(),
                way: way.map(|id| self.tree.edge(id)).collect(),
            };
            if self.covers.failed.contains(&attempt) {
                continue;
            }
            let returns = self
                .refiner
                .returns(&self.space, &self.tree, ancestor, id, budget);
            let Some(mut explained) = returns else {
                self.covers.failed.insert(attempt);
                continue;
            };
            // The ancestor's own label stays what it is.
            explained.remove(0);
            self.add_labels(explained, budget);
            if self.implies(id, ancestor, budget) && self.tree.may_cover(ancestor, id) {
                self.cover(id, ancestor);
                return true;
            }
        }
        false
    }

    fn cover(&mut self, id: TreeId, by: TreeId) {
        self.account.covers += 1;
        let open = self.tree.cover(id, by);
        self.open(open);
    }

    /// Adds to what holds at nodes, and looks again at the covers that rely on it. Returns the nodes of which more is known now.
    pub(super) fn add_labels(&mut self, explained: Explained, budget: &Budget) -> Vec<TreeId> {
        let terms = &self.space.graph.terms;
        let mut changed = Vec::new();
        for (id, label) in &explained {
            if self.tree.strengthen(terms, *id, label) {
                changed.push(*id);
            }
        }
        for &id in &changed {
            self.look_again(id, budget);
        }
        changed
    }

    /// Takes the covers back that rely on a label and don't hold any more.
    fn look_again(&mut self, id: TreeId, budget: &Budget) {
        for covered in self.tree.covered_nodes(id) {
            if !self.implies(covered, id, budget) {
                self.account.uncovered += 1;
                let open = self.tree.uncover(covered);
                self.open(open);
            }
        }
    }

    /// Tries to cover inner nodes of which more is known now; what lies below a covered one needs no work any more.
    pub(super) fn close(&mut self, changed: &[TreeId], budget: &Budget) {
        let last = changed.len().saturating_sub(INNER).max(INNER);
        let both_ends = changed.iter().take(INNER).chain(changed.iter().skip(last));
        for &id in both_ends {
            if budget.is_spent() || self.tree.is_covered(id) || self.try_cover(id, budget) {
                return;
            }
        }
    }
}
