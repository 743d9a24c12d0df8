//! The reachability tree: paths from the entry, what holds at their ends, and which of them others stand for.
//!
//! A tree is *well-labelled*: what holds at a node and a block lead only to what holds at its child. A node may be
//! *covered* by another one at the same node of the block graph whose label it implies; then nothing below it has to be
//! looked at. So that this is no circle, the covering node is older, and neither it nor any of its ancestors is
//! covered. What was below a node that is uncovered again is open again.

use index_vec::{IndexVec, define_index_type};
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::Terms;
use rhumb_logic::interpolate::Label;
use rustc_hash::FxHashMap;

define_index_type! {
    /// A node of a tree. Ids grow with age: a parent has a smaller one than its children.
    pub(crate) struct TreeId = u32;
    DEBUG_FORMAT = "t{}";
}

/// How far a node has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// A leaf that nothing is known about yet.
    Open,
    /// It has a child for every block that leaves it.
    Expanded,
    /// A leaf that no goal can be reached from.
    Pruned(Grounds),
    /// A leaf that can't be decided: no proof comes out of this tree.
    Stuck,
    /// It was taken out of the tree, with all that was below it.
    Removed,
}

/// Why a leaf is pruned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grounds {
    /// Its label excludes all states from which a goal can be reached, in the form that proofs are made of.
    Label,
    /// Its label excludes what the summary requires; for a proof it takes more.
    Summary,
    /// There is no run to it from which a goal can be reached, but no label says so.
    Unexplained,
}

struct TreeNode {
    parent: Option<TreeId>,
    /// The block that leads here; that of the root means nothing.
    edge: BlockEdgeId,
    at: NodeId,
    status: Status,
    /// The children: so many from this one on.
    children: (TreeId, u32),
    /// None for `true`, which most nodes on the way of a long test keep.
    label: Option<Box<Label>>,
    covered_by: Option<TreeId>,
}

/// A reachability tree.
pub(crate) struct Tree {
    nodes: IndexVec<TreeId, TreeNode>,
    /// The nodes that a node covers.
    covers: FxHashMap<TreeId, Vec<TreeId>>,
    /// The tree's nodes at each node of the block graph, by age.
    at: IndexVec<NodeId, Vec<TreeId>>,
    top: Label,
}

impl Tree {
    /// The empty path.
    pub(crate) fn new(graph: &BlockGraph) -> Tree {
        let mut tree = Tree {
            nodes: IndexVec::new(),
            covers: FxHashMap::default(),
            at: graph.nodes.iter().map(|_| Vec::new()).collect(),
            top: Label::top(),
        };
        tree.push(None, BlockEdgeId::from_raw(0), graph.entry);
        tree
    }

    fn push(&mut self, parent: Option<TreeId>, edge: BlockEdgeId, at: NodeId) -> TreeId {
        let id = self.nodes.push(TreeNode {
            parent,
            edge,
            at,
            status: Status::Open,
            children: (TreeId::from_raw(0), 0),
            label: None,
            covered_by: None,
        });
        self.at[at].push(id);
        id
    }

    /// The root.
    pub(crate) fn root(&self) -> TreeId {
        TreeId::from_raw(0)
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes, parents before children.
    pub(crate) fn ids(&self) -> impl Iterator<Item = TreeId> + '_ {
        let ids = self.nodes.indices();
        ids.filter(|&id| self.nodes[id].status != Status::Removed)
    }

    /// The node of the block graph.
    pub(crate) fn at(&self, id: TreeId) -> NodeId {
        self.nodes[id].at
    }

    /// The tree's nodes at a node of the block graph, by age.
    pub(crate) fn all_at(&self, node: NodeId) -> &[TreeId] {
        &self.at[node]
    }

    /// How far a node has got.
    pub(crate) fn status(&self, id: TreeId) -> Status {
        self.nodes[id].status
    }

    /// What holds at the end of the path.
    pub(crate) fn label(&self, id: TreeId) -> &Label {
        self.nodes[id].label.as_deref().unwrap_or(&self.top)
    }

    /// The node itself, its parent, and so on to the root.
    pub(crate) fn upwards(&self, id: TreeId) -> impl Iterator<Item = TreeId> + '_ {
        std::iter::successors(Some(id), |&id| self.nodes[id].parent)
    }

    /// The nodes from an ancestor (the root for none) down to a node, both included.
    pub(crate) fn path(&self, from: Option<TreeId>, to: TreeId) -> Vec<TreeId> {
        let mut path = Vec::new();
        for id in self.upwards(to) {
            path.push(id);
            if Some(id) == from {
                break;
            }
        }
        path.reverse();
        path
    }

    /// The block that leads to a node.
    pub(crate) fn edge(&self, id: TreeId) -> BlockEdgeId {
        self.nodes[id].edge
    }

    /// The children.
    pub(crate) fn children(&self, id: TreeId) -> impl Iterator<Item = TreeId> + use<> {
        let (first, count) = self.nodes[id].children;
        (first.raw()..first.raw() + count).map(TreeId::from_raw)
    }

    /// Gives a leaf a child for every block that leaves its node.
    pub(crate) fn expand(&mut self, graph: &BlockGraph, id: TreeId) {
        if self.nodes[id].status == Status::Expanded {
            return;
        }
        let first = self.nodes.next_idx();
        let outgoing = &graph.nodes[self.nodes[id].at].outgoing;
        for &edge in outgoing {
            self.push(Some(id), edge, graph.edges[edge].target);
        }
        let node = &mut self.nodes[id];
        node.status = Status::Expanded;
        node.children = (first, outgoing.len() as u32);
    }

    /// Says how far a leaf has got.
    pub(crate) fn set_status(&mut self, id: TreeId, status: Status) {
        self.nodes[id].status = status;
    }

    /// Adds to what holds at a node; the root's label is `true` for good. Says whether anything changed: then the
    /// covers of the node have to be checked again.
    pub(crate) fn strengthen(&mut self, terms: &Terms, id: TreeId, by: &Label) -> bool {
        if by.is_top() || self.nodes[id].parent.is_none() {
            return false;
        }
        let label = self.nodes[id].label.get_or_insert_default();
        label.meet(terms, by)
    }

    /// Says anew what holds at a leaf; the root's label is `true` for good. Says whether anything changed, as [`Tree::strengthen`] does.
    pub(crate) fn relabel(&mut self, id: TreeId, label: Label) -> bool {
        debug_assert!(self.nodes[id].status != Status::Expanded);
        if self.nodes[id].parent.is_none() || *self.label(id) == label {
            return false;
        }
        self.nodes[id].label = (!label.is_top()).then(|| Box::new(label));
        true
    }

    /// Makes a leaf of a node again: what was below it is taken out of the tree. Returns the leaves that are open now:
    /// the node itself, unless it is covered, and those below nodes that relied on what is gone.
    pub(crate) fn cut(&mut self, id: TreeId) -> Vec<TreeId> {
        let mut below: Vec<TreeId> = Vec::new();
        let mut pending: Vec<TreeId> = self.children(id).collect();
        while let Some(next) = pending.pop() {
            below.push(next);
            pending.extend(self.children(next));
        }
        let node = &mut self.nodes[id];
        node.status = Status::Open;
        node.children = (TreeId::from_raw(0), 0);
        let mut uncovered = Vec::new();
        for &gone in &below {
            if let Some(by) = self.nodes[gone].covered_by.take()
                && let Some(covered) = self.covers.get_mut(&by)
            {
                covered.retain(|&other| other != gone);
            }
            uncovered.extend(self.covers.remove(&gone).into_iter().flatten());
            let node = &mut self.nodes[gone];
            node.status = Status::Removed;
            node.children = (TreeId::from_raw(0), 0);
            node.label = None;
            let at = node.at;
            if let Ok(place) = self.at[at].binary_search(&gone) {
                self.at[at].remove(place);
            }
        }
        self.covers.retain(|_, covered| !covered.is_empty());
        let mut open = Vec::new();
        self.collect_open(id, &mut open);
        for id in uncovered {
            if self.nodes[id].status != Status::Removed {
                self.nodes[id].covered_by = None;
                self.collect_open(id, &mut open);
            }
        }
        open.sort_unstable();
        open.dedup();
        open
    }

    /// The node that stands for this one, if one does.
    pub(crate) fn covered_by(&self, id: TreeId) -> Option<TreeId> {
        self.nodes[id].covered_by
    }

    /// Whether a node or an ancestor of it is covered, so that nothing here has to be looked at.
    pub(crate) fn is_covered(&self, id: TreeId) -> bool {
        self.upwards(id).any(|id| self.covered_by(id).is_some())
    }

    /// Whether the first is the second or an ancestor of it.
    pub(crate) fn is_above(&self, ancestor: TreeId, id: TreeId) -> bool {
        self.upwards(id)
            .take_while(|&id| id >= ancestor)
            .any(|id| id == ancestor)
    }

    /// Whether a node may be covered by another, as far as the shape of the tree goes. Whether its label implies the
    /// other's is not looked at.
    pub(crate) fn may_cover(&self, by: TreeId, id: TreeId) -> bool {
        by < id && self.at(by) == self.at(id) && !self.is_covered(by) && !self.is_covered(id)
    }

    /// The nodes that a node covers.
    pub(crate) fn covered_nodes(&self, by: TreeId) -> Vec<TreeId> {
        self.covers.get(&by).cloned().unwrap_or_default()
    }

    /// Covers a node by another, which it may be and whose label it implies. Returns leaves that are open again:
    /// whoever relied on the node, or on something below it, does so no more.
    pub(crate) fn cover(&mut self, id: TreeId, by: TreeId) -> Vec<TreeId> {
        debug_assert!(self.may_cover(by, id));
        let below = |covering: &&TreeId| self.is_above(id, **covering);
        let lost: Vec<TreeId> = self.covers.keys().filter(below).copied().collect();
        self.nodes[id].covered_by = Some(by);
        self.covers.entry(by).or_default().push(id);
        let mut open = Vec::new();
        for covering in lost {
            for covered in self.covers.remove(&covering).unwrap_or_default() {
                self.nodes[covered].covered_by = None;
                self.collect_open(covered, &mut open);
            }
        }
        open.sort_unstable();
        open
    }

    /// Takes a cover back. Returns the leaves that are open again: those below the node.
    pub(crate) fn uncover(&mut self, id: TreeId) -> Vec<TreeId> {
        let mut open = Vec::new();
        if let Some(by) = self.nodes[id].covered_by.take() {
            if let Some(covered) = self.covers.get_mut(&by) {
                covered.retain(|&other| other != id);
                if covered.is_empty() {
                    self.covers.remove(&by);
                }
            }
            self.collect_open(id, &mut open);
            open.sort_unstable();
        }
        open
    }

    /// The open leaves at and below a node that nothing covers.
    fn collect_open(&self, id: TreeId, open: &mut Vec<TreeId>) {
        if self.is_covered(id) {
            return;
        }
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let node = &self.nodes[id];
            if node.covered_by.is_some() {
                continue;
            }
            match node.status {
                Status::Open => open.push(id),
                Status::Expanded => pending.extend(self.children(id)),
                Status::Pruned(_) | Status::Stuck | Status::Removed => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rhumb_cfront::{Options, compile_text};
    use rhumb_program::Program;

    use super::*;
    use crate::task::Task;

    /// A loop with two ways round it, and a way out to a target.
    const LOOP: &str = "
        extern void reach_error(void);
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int x = 0;
            while (__VERIFIER_nondet_int()) {
                x = x + 1;
                while (__VERIFIER_nondet_int()) x = x + 2;
            }
            if (x == 7) reach_error();
        }";

    fn program() -> Program {
        compile_text("test.c", LOOP, &Options::default()).expect("valid C")
    }

    /// A tree that is expanded along the first child that is no leaf of the program, so many times.
    fn grown(task: &Task<'_>, depth: usize) -> (Tree, Vec<TreeId>) {
        let mut tree = Tree::new(&task.graph);
        let mut spine = vec![tree.root()];
        for _ in 0..depth {
            let last = *spine.last().expect("the root");
            tree.expand(&task.graph, last);
            let next = tree
                .children(last)
                .find(|&child| !task.graph.nodes[tree.at(child)].outgoing.is_empty());
            spine.push(next.expect("a way on"));
        }
        (tree, spine)
    }

    /// Pairs of nodes of the spine at the same node of the graph, the older first.
    fn pairs(tree: &Tree, spine: &[TreeId]) -> Vec<(TreeId, TreeId)> {
        let mut pairs = Vec::new();
        for (place, &younger) in spine.iter().enumerate() {
            for &older in &spine[..place] {
                if tree.at(older) == tree.at(younger) {
                    pairs.push((older, younger));
                }
            }
        }
        pairs
    }

    #[test]
    fn a_child_for_every_block() {
        let program = program();
        let task = Task::new(&program);
        let (tree, spine) = grown(&task, 6);
        for &id in &spine[..6] {
            let edges: Vec<BlockEdgeId> = tree.children(id).map(|child| tree.edge(child)).collect();
            assert_eq!(edges, task.graph.nodes[tree.at(id)].outgoing);
            for child in tree.children(id) {
                assert_eq!(tree.at(child), task.graph.edges[tree.edge(child)].target);
                assert_eq!(tree.path(None, child).len(), tree.path(None, id).len() + 1);
                assert!(tree.is_above(id, child) && !tree.is_above(child, id));
            }
        }
    }

    #[test]
    fn only_an_older_node_at_the_same_place_covers() {
        let program = program();
        let task = Task::new(&program);
        let (tree, spine) = grown(&task, 6);
        for &a in &spine {
            for &b in &spine {
                assert_eq!(tree.may_cover(a, b), a < b && tree.at(a) == tree.at(b));
            }
        }
    }

    #[test]
    fn nothing_below_a_covered_node_covers() {
        let program = program();
        let task = Task::new(&program);
        let (mut tree, spine) = grown(&task, 8);
        let all = pairs(&tree, &spine);
        let (older, younger) = all[0];
        tree.cover(younger, older);
        for &id in &spine {
            assert_eq!(tree.is_covered(id), tree.is_above(younger, id));
        }
        for (a, b) in all {
            let counts = !tree.is_above(younger, a) && !tree.is_above(younger, b);
            assert_eq!(tree.may_cover(a, b), counts, "{a:?} {b:?}");
        }
    }

    #[test]
    fn who_relied_on_what_is_covered_now_is_open_again() {
        let program = program();
        let task = Task::new(&program);
        let (mut tree, spine) = grown(&task, 8);
        let all = pairs(&tree, &spine);
        // A leaf at the end relies on a node in the middle, and that, or one above it, gets covered.
        let last = *spine.last().expect("the end");
        let relied = all.iter().filter(|pair| pair.1 == last).map(|pair| pair.0);
        let relied = relied.max().expect("a node at the same place");
        assert!(tree.cover(last, relied).is_empty());
        let (older, younger) = *all
            .iter()
            .find(|(_, younger)| tree.is_above(*younger, relied))
            .expect("something above it that can be covered");
        // The leaf lies below the covered node itself, so it is not open.
        assert!(tree.cover(younger, older).is_empty());
        assert_eq!(tree.covered_by(last), None);
        // Uncovered again, everything below is, and only that.
        let open = tree.uncover(younger);
        assert!(open.contains(&last));
        for id in tree.ids() {
            let is_open = tree.status(id) == Status::Open && tree.is_above(younger, id);
            assert_eq!(open.contains(&id), is_open, "{id:?}");
        }
        assert!(tree.covered_nodes(older).is_empty());
    }

    #[test]
    fn settled_leaves_stay_settled() {
        let program = program();
        let task = Task::new(&program);
        let (mut tree, spine) = grown(&task, 8);
        let (older, younger) = pairs(&tree, &spine)[0];
        let below: Vec<TreeId> = tree
            .ids()
            .filter(|&id| tree.status(id) == Status::Open && tree.is_above(younger, id))
            .collect();
        let pruned = below[0];
        tree.set_status(pruned, Status::Pruned(Grounds::Label));
        tree.cover(younger, older);
        assert_eq!(tree.uncover(younger), below[1..]);
    }

    #[test]
    fn what_is_cut_off_is_gone() {
        let program = program();
        let task = Task::new(&program);
        let (mut tree, spine) = grown(&task, 8);
        let all = pairs(&tree, &spine);
        // The last node relies on one in the middle, below which the tree is cut, or above.
        let (older, younger) = all[all.len() - 1];
        tree.cover(younger, older);
        let place = spine
            .iter()
            .position(|&id| id == older)
            .expect("it is there");
        for cut in [spine[place], spine[place - 1]] {
            let kept: Vec<TreeId> = tree.ids().filter(|&id| !tree.is_above(cut, id)).collect();
            let open = tree.cut(cut);
            assert_eq!(open, [cut]);
            assert_eq!(tree.status(cut), Status::Open);
            assert_eq!(tree.children(cut).count(), 0);
            let left: Vec<TreeId> = tree.ids().filter(|&id| id != cut).collect();
            assert_eq!(left, kept);
            for node in task.graph.nodes.indices() {
                let known = tree.all_at(node);
                assert!(known.iter().all(|&id| tree.status(id) != Status::Removed));
            }
            assert!(tree.covered_nodes(older).is_empty());
        }
        // Grown again, its children are new ones.
        let last = tree.ids().last().expect("the root");
        tree.expand(&task.graph, spine[place - 1]);
        assert!(tree.children(spine[place - 1]).all(|child| child > last));
    }

    #[test]
    fn who_relied_on_what_is_cut_off_is_open_again() {
        let program = program();
        let task = Task::new(&program);
        let mut tree = Tree::new(&task.graph);
        // All paths of five blocks; a node on one branch covers one on another.
        let mut level = vec![tree.root()];
        for _ in 0..5 {
            let mut next = Vec::new();
            for id in level {
                tree.expand(&task.graph, id);
                next.extend(tree.children(id));
            }
            level = next;
        }
        let all: Vec<TreeId> = tree.ids().collect();
        let apart = |a: TreeId, b: TreeId| !tree.is_above(a, b) && !tree.is_above(b, a);
        let pair = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
        let (older, younger) = pair
            .filter(|&(a, b)| tree.may_cover(a, b) && apart(a, b))
            .find(|&(a, b)| {
                let parent = tree.upwards(a).nth(1);
                tree.status(b) == Status::Open && parent.is_some_and(|up| apart(up, b))
            })
            .expect("two branches that come to one place");
        let parent = tree.upwards(older).nth(1).expect("no root");
        tree.cover(younger, older);
        let open = tree.cut(parent);
        assert!(
            open.contains(&parent) && open.contains(&younger),
            "{open:?}"
        );
        assert_eq!(tree.covered_by(younger), None);
    }

    #[test]
    fn the_root_says_nothing() {
        let program = program();
        let task = Task::new(&program);
        let (mut tree, spine) = grown(&task, 2);
        let never = Label::of(&task.terms, task.terms.bool(false));
        assert!(!tree.strengthen(&task.terms, spine[0], &never));
        assert!(tree.label(spine[0]).is_top());
        assert!(tree.strengthen(&task.terms, spine[1], &never));
        assert!(!tree.strengthen(&task.terms, spine[1], &never));
        assert!(tree.label(spine[1]).is_bottom(&task.terms));
    }
}
