//! Dominators.
//!
//! Semi-NCA (Georgiadis, "Linear-time algorithms for dominators and related problems", 2005): semidominators as in Lengauer and Tarjan's
//! algorithm, then the immediate dominator of a node is its nearest ancestor in the tree built so far that is not below its semidominator.

use index_vec::{Idx, IndexVec};

use super::{DepthFirst, Graph};

/// The dominator tree of the nodes that can be reached from a root.
#[derive(Clone, Debug)]
pub struct Dominators<N: Idx> {
    immediate: IndexVec<N, Option<N>>,
    /// The reachable nodes; each comes after its immediate dominator.
    order: Vec<N>,
    /// For each node: its span in a walk over the dominator tree; empty for one that can't be reached.
    intervals: IndexVec<N, (u32, u32)>,
}

impl<N: Idx> Dominators<N> {
    /// Computes the dominators of everything that can be reached from the root.
    pub fn of(graph: &Graph<N>, root: N) -> Dominators<N> {
        let search = DepthFirst::of(graph, root);
        let count = search.preorder.len();
        let predecessors = search.predecessors(graph);
        // By number in the search. `label[v]`: of the nodes on the compressed path above v, one with the least semidominator.
        let mut ancestor = search.parent.clone();
        let mut label: Vec<u32> = (0..count as u32).collect();
        let mut semi: Vec<u32> = (0..count as u32).collect();
        let mut path = Vec::new();
        for node in (1..count as u32).rev() {
            let mut best = search.parent[node as usize];
            for &source in &predecessors[node as usize] {
                // Nodes after `node` are linked: the least semidominator on their path down from `node` counts.
                let candidate = if source <= node {
                    source
                } else {
                    compress(source, node, &mut ancestor, &mut label, &semi, &mut path);
                    semi[label[source as usize] as usize]
                };
                best = best.min(candidate);
            }
            semi[node as usize] = best;
        }
        let mut immediate = search.parent.clone();
        for node in 1..count {
            let mut above = immediate[node];
            while above > semi[node] {
                above = immediate[above as usize];
            }
            immediate[node] = above;
        }

        let mut intervals = IndexVec::from_vec(vec![(1, 0); graph.len()]);
        // Sizes of subtrees from the leaves up, then each child takes its part of the parent's interval.
        let mut size = vec![1u32; count];
        for node in (1..count).rev() {
            size[immediate[node] as usize] += size[node];
        }
        let mut first = vec![0u32; count];
        let mut next_free = vec![1u32; count];
        for node in 1..count {
            let above = immediate[node] as usize;
            first[node] = next_free[above];
            next_free[above] += size[node];
            next_free[node] = first[node] + 1;
        }
        for (number, &node) in search.preorder.iter().enumerate() {
            intervals[node] = (first[number], first[number] + size[number] - 1);
        }
        let mut result = Dominators {
            immediate: IndexVec::from_vec(vec![None; graph.len()]),
            order: search.preorder.clone(),
            intervals,
        };
        for (number, &node) in search.preorder.iter().enumerate().skip(1) {
            result.immediate[node] = Some(search.preorder[immediate[number] as usize]);
        }
        result
    }

    /// The immediate dominator; none for the root and for a node that can't be reached.
    pub fn immediate(&self, node: N) -> Option<N> {
        self.immediate[node]
    }

    /// The reachable nodes; each comes after its immediate dominator.
    pub fn order(&self) -> &[N] {
        &self.order
    }

    /// Whether every path from the root to `node` goes through `by` (a node dominates itself). False if either can't be reached.
    pub fn dominates(&self, by: N, node: N) -> bool {
        let ((low, high), (first, last)) = (self.intervals[by], self.intervals[node]);
        first <= last && low <= first && first <= high
    }

    /// For each node the places where its dominance ends: nodes that it doesn't strictly dominate, though it dominates
    /// a predecessor. Of them only those that are `wanted`. None if there are more than `limit` in all: in a deep nest
    /// of loops that are tested at their ends the number grows with the square of the depth.
    pub fn frontiers(
        &self,
        graph: &Graph<N>,
        wanted: impl Fn(N) -> bool,
        limit: usize,
    ) -> Option<IndexVec<N, Vec<N>>> {
        let mut frontiers: IndexVec<N, Vec<N>> = (0..graph.len()).map(|_| Vec::new()).collect();
        let predecessors = graph.reversed();
        let mut count = 0;
        for &join in self.order.iter().filter(|&&join| wanted(join)) {
            for &source in predecessors.successors(join) {
                let (first, last) = self.intervals[source];
                let mut runner = (first <= last).then_some(source);
                while let Some(at) = runner.filter(|&at| Some(at) != self.immediate[join]) {
                    // From here up an earlier predecessor has been before: this keeps the walk as short as the answer.
                    if frontiers[at].last() == Some(&join) {
                        break;
                    }
                    frontiers[at].push(join);
                    count += 1;
                    runner = self.immediate[at];
                }
            }
            if count > limit {
                return None;
            }
        }
        Some(frontiers)
    }
}

/// Shortens the path from `node` up to the last linked node (all numbers above `root` are linked), keeping the best label.
fn compress(
    node: u32,
    root: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) {
    path.clear();
    let mut at = node;
    while ancestor[at as usize] > root {
        path.push(at);
        at = ancestor[at as usize];
    }
    while let Some(lower) = path.pop() {
        let upper = ancestor[lower as usize];
        if semi[label[upper as usize] as usize] < semi[label[lower as usize] as usize] {
            label[lower as usize] = label[upper as usize];
        }
        ancestor[lower as usize] = ancestor[upper as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LocId;

    #[test]
    fn agrees_with_the_definition() {
        let mut state = 7u64;
        let mut random = move |below: u32| ((rhumb_random::next(&mut state) >> 33) as u32) % below;
        for _ in 0..2000 {
            let len = 1 + random(10);
            let edges: Vec<(LocId, LocId)> = (0..random(3 * len))
                .map(|_| (LocId::from_raw(random(len)), LocId::from_raw(random(len))))
                .collect();
            let graph = Graph::new(len as usize, edges.iter().copied());
            let root = LocId::from_raw(0);
            let tree = Dominators::of(&graph, root);
            let reached = graph.reachable([root]);
            let without = |cut: LocId| {
                let part = Graph::new(
                    len as usize,
                    edges.iter().copied().filter(|&(s, t)| s != cut && t != cut),
                );
                part.reachable([root])
            };
            let mut dominated = vec![Vec::new(); len as usize];
            for by in graph.nodes().filter(|&n| reached[n]) {
                let rest = without(by);
                for node in graph.nodes() {
                    let expected = reached[node] && (by == root || by == node || !rest[node]);
                    assert_eq!(
                        tree.dominates(by, node),
                        expected,
                        "{by:?} {node:?} {edges:?}"
                    );
                    if expected {
                        dominated[by.index()].push(node);
                    }
                }
            }
            let frontiers = tree
                .frontiers(&graph, |_| true, usize::MAX)
                .expect("no limit");
            for by in graph.nodes().filter(|&n| reached[n]) {
                let region = &dominated[by.index()];
                let mut expected: Vec<LocId> = edges
                    .iter()
                    .filter(|(s, t)| region.contains(s) && (*t == by || !region.contains(t)))
                    .map(|&(_, t)| t)
                    .collect();
                expected.sort();
                expected.dedup();
                let mut actual = frontiers[by].clone();
                actual.sort();
                assert_eq!(actual, expected, "{by:?} {edges:?}");
            }
        }
    }

    #[test]
    fn long_chain_with_one_common_sink() {
        let len = 300_000u32;
        let edges = (0..len - 2).flat_map(|n| [(n, n + 1), (n, len - 1)]);
        let graph: Graph<LocId> = Graph::new(
            len as usize,
            edges.map(|(s, t)| (LocId::from_raw(s), LocId::from_raw(t))),
        );
        let tree = Dominators::of(&graph, LocId::from_raw(0));
        assert_eq!(
            tree.immediate(LocId::from_raw(len - 1)),
            Some(LocId::from_raw(0))
        );
        let frontiers = |limit: usize| tree.frontiers(&graph, |_| true, limit);
        let found = frontiers(len as usize).expect("within the limit");
        assert_eq!(found[LocId::from_raw(5)], [LocId::from_raw(len - 1)]);
        assert!(frontiers(10).is_none());
    }
}
