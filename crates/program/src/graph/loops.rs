//! The nest of loops of any graph, reducible or not.
//!
//! The nest is the recursive decomposition into strongly connected components: each component with a cycle is a loop,
//! one of its nodes is its head, and without the head the rest of it decomposes into the inner loops. The head chosen
//! here is the node that a depth-first search from the root finds first. With this choice (Ramalingam, "On loops,
//! dominators, and dominance frontiers", TOPLAS 2002)
//! - the heads are exactly the nodes to which a back edge of the search leads: a cycle through `h` over later nodes only stays, by the
//!   white-path property, below `h` in the search tree, so its last edge is a back edge, and the converse is plain;
//! - the loop of head `h` is what reaches the source of such an edge below `h`, and handling heads from the last found to the first,
//!   with inner loops collapsed to their heads, finds all loops in nearly linear time (Havlak's algorithm, TOPLAS 1997).
//!
//! In a reducible graph these are the natural loops.

use index_vec::{Idx, IndexVec};

use super::{DepthFirst, Graph, UNREACHED};

/// The loops of a graph, as far as they can be reached from its root, and how they nest.
#[derive(Clone, Debug)]
pub struct LoopNest<N: Idx> {
    heads: Vec<N>,
    innermost: IndexVec<N, Option<N>>,
    enclosing: IndexVec<N, Option<N>>,
    irreducible: IndexVec<N, bool>,
}

impl<N: Idx> LoopNest<N> {
    /// The loops that can be reached from the root.
    pub fn of(graph: &Graph<N>, root: N) -> LoopNest<N> {
        let search = DepthFirst::of(graph, root);
        let count = search.preorder.len();
        // Everything below is by number in the search. `predecessors` grows when an edge into the middle of a loop is moved to its head.
        let mut predecessors = search.predecessors(graph);
        let mut collapsed: Vec<u32> = (0..count as u32).collect();
        let mut header = vec![UNREACHED; count];
        let mut irreducible = vec![false; count];
        let mut is_head = vec![false; count];
        let mut in_body = vec![UNREACHED; count];
        let mut body: Vec<u32> = Vec::new();
        for head in (0..count as u32).rev() {
            body.clear();
            for &source in &predecessors[head as usize] {
                if search.is_ancestor(head, source) {
                    is_head[head as usize] = true;
                    let inner = find(&mut collapsed, source);
                    if inner != head
                        && std::mem::replace(&mut in_body[inner as usize], head) != head
                    {
                        body.push(inner);
                    }
                }
            }
            let mut done = 0;
            while done < body.len() {
                let member = body[done];
                done += 1;
                for position in 0..predecessors[member as usize].len() {
                    let source = predecessors[member as usize][position];
                    // A back edge to `member` comes from inside its own loop, which is collapsed into it.
                    let inner = find(&mut collapsed, source);
                    if inner == member || inner == head {
                        continue;
                    }
                    if !search.is_ancestor(head, inner) {
                        irreducible[head as usize] = true;
                        predecessors[head as usize].push(inner);
                    } else if std::mem::replace(&mut in_body[inner as usize], head) != head {
                        body.push(inner);
                    }
                }
            }
            for &member in &body {
                header[member as usize] = head;
                collapsed[member as usize] = head;
            }
        }

        let mut nest = LoopNest {
            heads: Vec::new(),
            innermost: IndexVec::from_vec(vec![None; graph.len()]),
            enclosing: IndexVec::from_vec(vec![None; graph.len()]),
            irreducible: IndexVec::from_vec(vec![false; graph.len()]),
        };
        for (number, &node) in search.preorder.iter().enumerate() {
            let outer =
                (header[number] != UNREACHED).then(|| search.preorder[header[number] as usize]);
            nest.enclosing[node] = outer;
            nest.innermost[node] = if is_head[number] { Some(node) } else { outer };
            nest.irreducible[node] = irreducible[number];
            if is_head[number] {
                nest.heads.push(node);
            }
        }
        nest
    }

    /// The heads of the loops, outer ones before inner ones. Every cycle goes through one of them.
    pub fn heads(&self) -> &[N] {
        &self.heads
    }

    /// Whether the node is the head of a loop.
    pub fn is_head(&self, node: N) -> bool {
        self.innermost[node] == Some(node)
    }

    /// Head of the innermost loop that the node is in; a head is in its own loop.
    pub fn innermost(&self, node: N) -> Option<N> {
        self.innermost[node]
    }

    /// Head of the innermost loop that the node is in and is not the head of.
    pub fn enclosing(&self, node: N) -> Option<N> {
        self.enclosing[node]
    }

    /// The nodes in an order in which every loop is in one piece, its head first: a weak topological order. `order` is
    /// a reverse postorder, and the result differs from it as little as possible.
    pub fn in_one_piece(&self, order: &[N]) -> Vec<N> {
        let mut members: IndexVec<N, Vec<N>> =
            (0..self.enclosing.len()).map(|_| Vec::new()).collect();
        let mut stack = Vec::new();
        for &node in order.iter().rev() {
            match self.enclosing[node] {
                Some(head) => members[head].push(node),
                None => stack.push(node),
            }
        }
        let mut found = Vec::with_capacity(order.len());
        while let Some(node) = stack.pop() {
            found.push(node);
            stack.append(&mut members[node]);
        }
        found
    }

    /// Whether a node is in the loop of a head.
    pub fn is_in(&self, node: N, head: N) -> bool {
        std::iter::successors(self.innermost[node], |&inner| self.enclosing[inner])
            .any(|inner| inner == head)
    }

    /// Number of loops that the node is in.
    pub fn depth(&self, node: N) -> usize {
        std::iter::successors(self.innermost[node], |&head| self.enclosing[head]).count()
    }

    /// Whether the loop of this head can be entered other than through the head.
    pub fn is_irreducible(&self, head: N) -> bool {
        self.irreducible[head]
    }
}

/// The head into which a node was collapsed last (union-find with path halving).
fn find(collapsed: &mut [u32], mut node: u32) -> u32 {
    while collapsed[node as usize] != node {
        let above = collapsed[node as usize];
        collapsed[node as usize] = collapsed[above as usize];
        node = above;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LocId;

    fn graph(len: usize, edges: &[(u32, u32)]) -> Graph<LocId> {
        Graph::new(
            len,
            edges
                .iter()
                .map(|&(s, t)| (LocId::from_raw(s), LocId::from_raw(t))),
        )
    }

    fn node(raw: u32) -> LocId {
        LocId::from_raw(raw)
    }

    #[test]
    fn nested_natural_loops() {
        // 0 -> 1 (outer head) -> 2 (inner head) -> 3 -> 2, 2 -> 4 -> 1, 1 -> 5
        let g = graph(6, &[(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (3, 2), (4, 1)]);
        let nest = LoopNest::of(&g, node(0));
        assert_eq!(nest.heads(), [node(1), node(2)]);
        assert_eq!(nest.enclosing(node(2)), Some(node(1)));
        assert_eq!(nest.innermost(node(3)), Some(node(2)));
        assert_eq!(nest.innermost(node(4)), Some(node(1)));
        assert_eq!(nest.innermost(node(5)), None);
        assert_eq!(nest.depth(node(3)), 2);
        assert!(!nest.is_irreducible(node(1)) && !nest.is_irreducible(node(2)));
    }

    #[test]
    fn irreducible_loop_has_one_head() {
        let g = graph(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]);
        let nest = LoopNest::of(&g, node(0));
        assert_eq!(nest.heads(), [node(1)]);
        assert_eq!(nest.innermost(node(2)), Some(node(1)));
        assert!(nest.is_irreducible(node(1)));
    }

    /// The definition, word by word: decompose, take the least by order of discovery as head, remove it, decompose again.
    fn by_definition(
        graph: &Graph<LocId>,
        search: &DepthFirst<LocId>,
    ) -> Vec<(LocId, Option<LocId>)> {
        let mut found = vec![None; graph.len()];
        let mut heads = vec![false; graph.len()];
        let mut todo: Vec<(Vec<LocId>, Option<LocId>)> = vec![(search.preorder.clone(), None)];
        while let Some((nodes, outer)) = todo.pop() {
            let inside = |n: LocId| nodes.contains(&n);
            let part = Graph::new(
                graph.len(),
                graph.edges().filter(|&(s, t)| inside(s) && inside(t)),
            );
            let parts = part.components();
            for &n in &nodes {
                found[n.index()] = outer;
            }
            for component in parts.iter() {
                if !inside(component[0]) || !parts.is_cyclic(component[0]) {
                    continue;
                }
                let Some(&head) = component.iter().min_by_key(|&&n| search.number[n]) else {
                    continue;
                };
                heads[head.index()] = true;
                let rest = component.iter().copied().filter(|&n| n != head).collect();
                todo.push((rest, Some(head)));
            }
        }
        graph
            .nodes()
            .filter(|n| heads[n.index()])
            .map(|n| (n, found[n.index()]))
            .chain(
                graph
                    .nodes()
                    .filter(|n| !heads[n.index()])
                    .map(|n| (n, found[n.index()])),
            )
            .collect()
    }

    #[test]
    fn agrees_with_the_recursive_decomposition() {
        let mut state = 1u64;
        let mut random = move |below: u32| ((rhumb_random::next(&mut state) >> 33) as u32) % below;
        let (mut loops, mut irreducible) = (0, 0);
        for _ in 0..3000 {
            let len = 2 + random(10);
            let edges: Vec<(u32, u32)> = (0..random(3 * len))
                .map(|_| (random(len), random(len)))
                .collect();
            let g = graph(len as usize, &edges);
            let nest = LoopNest::of(&g, node(0));
            let search = DepthFirst::of(&g, node(0));
            let expected = by_definition(&g, &search);
            let count = nest.heads().len();
            loops += count;
            irreducible += nest
                .heads()
                .iter()
                .filter(|&&h| nest.is_irreducible(h))
                .count();
            let mut heads = nest.heads().to_vec();
            heads.sort();
            let expected_heads: Vec<LocId> = expected[..count].iter().map(|&(n, _)| n).collect();
            assert_eq!(heads, expected_heads, "{edges:?}");
            for &(n, outer) in &expected {
                assert_eq!(nest.enclosing(n), outer, "{n:?} in {edges:?}");
            }
        }
        assert!(loops > 1000 && irreducible > 100, "{loops} {irreducible}");
    }
}
