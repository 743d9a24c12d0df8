//! Graph algorithms that analyses need: over the locations of an automaton, and over the functions of a program.
//!
//! Everything is iterative, and linear or nearly so: an inlined program can have millions of locations, and its graph can be one long
//! chain. (That is why the algorithms are here and not taken from a graph library, whose strongly connected components are recursive
//! and whose dominators take quadratic time on a long chain with one common sink, the usual shape of undefined behaviour.)
//! All results depend on the graph and the order of its edges only, so they are the same in every run.

mod calls;
mod dominators;
mod loops;

use index_vec::{Idx, IndexVec};

use crate::cfa::Cfa;
use crate::ids::LocId;

pub(crate) use calls::Called;
pub use calls::{CallEffects, CallGraph};
pub use dominators::Dominators;
pub use loops::LoopNest;

/// A directed graph over the ids `0..len`, with the successors of each node in a fixed order. Parallel edges are allowed.
#[derive(Clone, Debug)]
pub struct Graph<N: Idx> {
    /// The successors of node `n` are `targets[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    targets: Vec<N>,
}

impl<N: Idx> Graph<N> {
    /// The graph with these edges. Successors keep the order in which the edges come.
    pub fn new(len: usize, edges: impl Iterator<Item = (N, N)> + Clone) -> Graph<N> {
        let mut starts = vec![0u32; len + 1];
        for (source, _) in edges.clone() {
            starts[source.index() + 1] += 1;
        }
        for node in 0..len {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![N::from_usize(0); starts[len] as usize];
        for (source, target) in edges {
            let slot = &mut next[source.index()];
            targets[*slot as usize] = target;
            *slot += 1;
        }
        Graph { starts, targets }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = N> + use<N> {
        (0..self.len()).map(N::from_usize)
    }

    /// The successors of a node.
    pub fn successors(&self, node: N) -> &[N] {
        let node = node.index();
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// All edges, by source.
    pub fn edges(&self) -> impl Iterator<Item = (N, N)> + Clone {
        (0..self.len()).flat_map(move |source| {
            let source = N::from_usize(source);
            self.successors(source)
                .iter()
                .map(move |&target| (source, target))
        })
    }

    /// The graph with every edge turned round.
    pub fn reversed(&self) -> Graph<N> {
        Graph::new(
            self.len(),
            self.edges().map(|(source, target)| (target, source)),
        )
    }

    /// What can be reached from the given nodes, themselves included.
    pub fn reachable(&self, from: impl IntoIterator<Item = N>) -> IndexVec<N, bool> {
        let mut seen: IndexVec<N, bool> = IndexVec::from_vec(vec![false; self.len()]);
        let mut todo = Vec::new();
        for node in from {
            if !std::mem::replace(&mut seen[node], true) {
                todo.push(node);
            }
        }
        while let Some(node) = todo.pop() {
            for &next in self.successors(node) {
                if !std::mem::replace(&mut seen[next], true) {
                    todo.push(next);
                }
            }
        }
        seen
    }

    /// What can reach one of the given nodes, themselves included.
    pub fn reaching(&self, goals: impl IntoIterator<Item = N>) -> IndexVec<N, bool> {
        self.reversed().reachable(goals)
    }

    /// The nodes that can be reached from the root in the order in which a depth-first search leaves them: every node comes after its
    /// successors, back edges excepted.
    pub fn postorder(&self, root: N) -> Vec<N> {
        DepthFirst::of(self, root).postorder
    }

    /// The nodes that can be reached from the root; every node comes before its successors, back edges excepted.
    pub fn reverse_postorder(&self, root: N) -> Vec<N> {
        let mut order = self.postorder(root);
        order.reverse();
        order
    }

    /// The strongly connected components (Tarjan's algorithm with an explicit stack).
    pub fn components(&self) -> Components<N> {
        const UNSEEN: u32 = u32::MAX;
        let mut index = vec![UNSEEN; self.len()];
        let mut low = vec![0u32; self.len()];
        let mut component: IndexVec<N, u32> = IndexVec::from_vec(vec![UNSEEN; self.len()]);
        let mut members: Vec<Vec<N>> = Vec::new();
        let mut open: Vec<N> = Vec::new();
        let mut path: Vec<(N, usize)> = Vec::new();
        let mut count = 0;
        for root in self.nodes() {
            if index[root.index()] != UNSEEN {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (node, ref mut position)) = path.last_mut() {
                let at = node.index();
                if *position == 0 {
                    index[at] = count;
                    low[at] = count;
                    count += 1;
                    open.push(node);
                }
                if let Some(&next) = self.successors(node).get(*position) {
                    *position += 1;
                    if index[next.index()] == UNSEEN {
                        path.push((next, 0));
                    } else if component[next] == UNSEEN {
                        low[at] = low[at].min(index[next.index()]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent.index()] = low[parent.index()].min(low[at]);
                }
                if low[at] == index[at] {
                    let first = open.iter().rposition(|&other| other == node).unwrap_or(0);
                    let mut nodes = open.split_off(first);
                    nodes.sort_unstable();
                    for &member in &nodes {
                        component[member] = members.len() as u32;
                    }
                    members.push(nodes);
                }
            }
        }
        let cyclic = members
            .iter()
            .map(|nodes| nodes.len() > 1 || self.successors(nodes[0]).contains(&nodes[0]))
            .collect();
        Components {
            component,
            members,
            cyclic,
        }
    }
}

impl<N: Idx> Graph<N> {
    /// For each node the greatest number of loops that a way from it goes through; a loop counts with all that are in it.
    pub fn loops_in_a_row(&self) -> IndexVec<N, u32> {
        let components = self.components();
        // Components come after those that they lead to.
        let mut loops: Vec<u32> = Vec::new();
        for members in components.iter() {
            let next = members.iter().flat_map(|&node| self.successors(node));
            let next = next.filter_map(|&node| loops.get(components.of(node)));
            let behind = next.max().copied().unwrap_or(0);
            let own = members.first().is_some_and(|&at| components.is_cyclic(at));
            loops.push(behind + u32::from(own));
        }
        self.nodes()
            .map(|node| loops[components.of(node)])
            .collect()
    }
}

/// The strongly connected components of a graph, each before those that lead to it.
#[derive(Clone, Debug)]
pub struct Components<N: Idx> {
    component: IndexVec<N, u32>,
    members: Vec<Vec<N>>,
    cyclic: Vec<bool>,
}

impl<N: Idx> Components<N> {
    /// The components: those that others lead to come first. Nodes of one component in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = &[N]> {
        self.members.iter().map(Vec::as_slice)
    }

    /// Number of the component of a node, an index into the order of [`Components::iter`].
    pub fn of(&self, node: N) -> usize {
        self.component[node] as usize
    }

    /// Whether the node lies on a cycle.
    pub fn is_cyclic(&self, node: N) -> bool {
        self.cyclic[self.of(node)]
    }
}

/// A depth-first search from one root that takes successors in order.
struct DepthFirst<N: Idx> {
    /// Nodes in the order of discovery.
    preorder: Vec<N>,
    /// Nodes in the order in which they are left.
    postorder: Vec<N>,
    /// Place in `preorder`; `UNREACHED` for a node that the root doesn't reach.
    number: IndexVec<N, u32>,
    /// For a node's number: the number of the node from which it was discovered (the root: its own).
    parent: Vec<u32>,
    /// For a node's number: the greatest number among its descendants, itself included.
    last: Vec<u32>,
}

/// The number of a node that a depth-first search didn't reach.
const UNREACHED: u32 = u32::MAX;

impl<N: Idx> DepthFirst<N> {
    /// For a node's number: the numbers of the nodes that lead to it.
    fn predecessors(&self, graph: &Graph<N>) -> Vec<Vec<u32>> {
        let mut predecessors = vec![Vec::new(); self.preorder.len()];
        for (number, &node) in self.preorder.iter().enumerate() {
            for &next in graph.successors(node) {
                predecessors[self.number[next] as usize].push(number as u32);
            }
        }
        predecessors
    }

    fn of(graph: &Graph<N>, root: N) -> DepthFirst<N> {
        let mut search = DepthFirst {
            preorder: vec![root],
            postorder: Vec::new(),
            number: IndexVec::from_vec(vec![UNREACHED; graph.len()]),
            parent: vec![0],
            last: vec![0],
        };
        search.number[root] = 0;
        let mut path: Vec<(N, usize)> = vec![(root, 0)];
        while let Some(&mut (node, ref mut position)) = path.last_mut() {
            let Some(&next) = graph.successors(node).get(*position) else {
                path.pop();
                search.last[search.number[node] as usize] = search.preorder.len() as u32 - 1;
                search.postorder.push(node);
                continue;
            };
            *position += 1;
            if search.number[next] == UNREACHED {
                search.number[next] = search.preorder.len() as u32;
                search.preorder.push(next);
                search.parent.push(search.number[node]);
                search.last.push(0);
                path.push((next, 0));
            }
        }
        search
    }

    /// Whether `ancestor` is on the tree path from the root to `node` (both by number).
    fn is_ancestor(&self, ancestor: u32, node: u32) -> bool {
        ancestor <= node && node <= self.last[ancestor as usize]
    }
}

impl Cfa {
    /// The graph of the automaton's locations. The successor over the edge that assumes a condition to hold comes first.
    pub fn graph(&self) -> Graph<LocId> {
        Graph::new(
            self.locations.len(),
            self.locations
                .iter_enumerated()
                .flat_map(|(source, location)| {
                    location
                        .outgoing
                        .iter()
                        .map(move |&edge| (source, self.edges[edge].target))
                }),
        )
    }

    /// The locations that can be reached from the entry.
    pub fn reachable(&self) -> IndexVec<LocId, bool> {
        self.graph().reachable([self.entry])
    }

    /// The loops. Their heads cut every cycle that can be reached from the entry.
    pub fn loops(&self) -> LoopNest<LocId> {
        LoopNest::of(&self.graph(), self.entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_what_reaches_each_other() {
        let mut state = 3u64;
        let mut random = move |below: u32| ((rhumb_random::next(&mut state) >> 33) as u32) % below;
        for _ in 0..1000 {
            let len = 1 + random(9);
            let edges: Vec<(LocId, LocId)> = (0..random(2 * len))
                .map(|_| (LocId::from_raw(random(len)), LocId::from_raw(random(len))))
                .collect();
            let graph = Graph::new(len as usize, edges.iter().copied());
            let components = graph.components();
            for a in graph.nodes() {
                let from_a = graph.reachable([a]);
                let steps: Vec<LocId> = graph.successors(a).to_vec();
                let cyclic = graph.reachable(steps)[a];
                assert_eq!(components.is_cyclic(a), cyclic, "{a:?} in {edges:?}");
                for b in graph.nodes() {
                    let both = from_a[b] && graph.reachable([b])[a];
                    assert_eq!(components.of(a) == components.of(b), both, "{edges:?}");
                    // What is led to comes first.
                    assert!(!from_a[b] || components.of(b) <= components.of(a));
                    assert_eq!(graph.reaching([b])[a], from_a[b]);
                }
            }
            assert_eq!(components.iter().flatten().count(), len as usize);
        }
    }

    #[test]
    fn a_million_nodes_in_a_ring() {
        let len = 1_000_000u32;
        let node = LocId::from_raw;
        let graph = Graph::new(
            len as usize,
            (0..len).map(|n| (node(n), node((n + 1) % len))),
        );
        assert_eq!(graph.components().iter().count(), 1);
        let order = graph.reverse_postorder(node(0));
        assert_eq!((order.len() as u32, order[1]), (len, node(1)));
        assert_eq!(LoopNest::of(&graph, node(0)).heads(), [node(0)]);
        assert_eq!(
            Dominators::of(&graph, node(0)).immediate(node(len - 1)),
            Some(node(len - 2))
        );
    }
}
