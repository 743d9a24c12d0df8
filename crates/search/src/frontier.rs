//! The order of work: which open leaf of a tree comes next.
//!
//! An engine chooses an [`Order`] when it begins its tree. An order that knows more, distances to a goal or weights of
//! past turns, is another one of these.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::art::{Tree, TreeId};

/// A policy of what comes next.
pub(crate) trait Order {
    /// When a leaf that is opened now gets its turn: those with smaller numbers first, and of equals the one that came first.
    fn rank(&self, tree: &Tree, leaf: TreeId) -> u64;
}

impl Order for Box<dyn Order> {
    fn rank(&self, tree: &Tree, leaf: TreeId) -> u64 {
        (**self).rank(tree, leaf)
    }
}

/// First come, first served: every leaf gets its turn after finitely many others.
pub(crate) struct FirstCome;

impl Order for FirstCome {
    fn rank(&self, _: &Tree, _: TreeId) -> u64 {
        0
    }
}

/// The end of the longest path first, so that a path is followed to its end before the next one is looked at.
pub(crate) struct DepthFirst;

impl Order for DepthFirst {
    fn rank(&self, tree: &Tree, leaf: TreeId) -> u64 {
        u64::MAX - tree.upwards(leaf).count() as u64
    }
}

/// The leaves that wait for their turn. A leaf may be settled while it waits; whoever takes it out has to look.
pub(crate) struct Frontier {
    order: Box<dyn Order>,
    waiting: BinaryHeap<Reverse<(u64, u64, TreeId)>>,
    /// Leaves that ever came.
    came: u64,
}

impl Frontier {
    /// Nothing waits.
    pub(crate) fn new(order: impl Order + 'static) -> Frontier {
        Frontier {
            order: Box::new(order),
            waiting: BinaryHeap::new(),
            came: 0,
        }
    }

    /// A leaf waits from now on.
    pub(crate) fn push(&mut self, tree: &Tree, leaf: TreeId) {
        let rank = self.order.rank(tree, leaf);
        self.waiting.push(Reverse((rank, self.came, leaf)));
        self.came += 1;
    }

    /// The leaf whose turn it is.
    pub(crate) fn pop(&mut self) -> Option<TreeId> {
        let Reverse((_, _, leaf)) = self.waiting.pop()?;
        Some(leaf)
    }

    /// Number of leaves that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Forgets all leaves: there is another tree.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use rhumb_cfront::{Options, compile_text};

    use super::*;
    use crate::task::Task;

    /// The depths of the leaves in the order of their turns, if every leaf is expanded that is not deeper than a limit.
    fn depths(order: impl Order + 'static, limit: usize) -> Vec<usize> {
        let text = "extern void reach_error(void);
            extern int __VERIFIER_nondet_int(void);
            int main(void) { while (__VERIFIER_nondet_int()) if (__VERIFIER_nondet_int() == 3) reach_error(); }";
        let program = compile_text("test.c", text, &Options::default()).expect("valid C");
        let task = Task::new(&program);
        let mut tree = Tree::new(&task.graph);
        let mut frontier = Frontier::new(order);
        frontier.push(&tree, tree.root());
        let mut depths = Vec::new();
        while let Some(leaf) = frontier.pop() {
            let depth = tree.upwards(leaf).count();
            depths.push(depth);
            if depth < limit {
                tree.expand(&task.graph, leaf);
                for child in tree.children(leaf) {
                    frontier.push(&tree, child);
                }
            }
        }
        assert_eq!(depths.len(), tree.len());
        depths
    }

    #[test]
    fn orders_are_what_they_are_called() {
        let broad = depths(FirstCome, 5);
        assert!(broad.is_sorted());
        let deep = depths(DepthFirst, 5);
        assert_eq!(deep[..5], [1, 2, 3, 4, 5]);
        assert!(!deep.is_sorted());
        // Every leaf gets its turn either way.
        assert_eq!(broad.len(), deep.len());
    }
}
