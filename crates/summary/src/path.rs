//! Path expressions: regular expressions over the edges of a graph, one for the paths from every node to the targets.
//!
//! The paths from `v` solve the equations `X_v = ⋃ edge · X_u` over the edges from `v` to `u` (and the empty path where
//! `v` is a target). [`to_targets`] eliminates the nodes one after the other, by Arden's rule: `X_v = a · X_v ∪ b` has
//! the least solution `a* · b`. Nodes go in the order opposite to that in which a depth-first search finds them: inner
//! loops before outer ones, so that the star of an inner loop is a factor of the outer loop's body, and in a reducible
//! graph every star is that of a natural loop. What is left over is solved backwards. All solutions come from one
//! elimination, which is what makes the summaries that are built along them closed: a summary of `v` covers an edge of
//! `v` followed by the summary of its end.
//!
//! Expressions are hash-consed: a loop that many nodes lead to has one star.

use index_vec::{Idx, IndexVec, define_index_type};
use rhumb_program::graph::Graph;
use rustc_hash::FxHashMap;

define_index_type! {
    /// A path expression, by its place in [`Paths`].
    pub struct PathId = u32;
    DEBUG_FORMAT = "p{}";
}

/// What a path expression is, over edges named by `E` and nodes named by `N`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Path<N, E> {
    /// No path.
    None,
    /// The empty path.
    Empty,
    /// One edge.
    Edge(E),
    /// A path of the first, then one of the second.
    Then(PathId, PathId),
    /// A path of one of these: at least two, sorted.
    Or(Box<[PathId]>),
    /// Any number of paths of the body, each from the head back to it.
    Star {
        /// Where the loop is entered and left.
        head: N,
        /// One iteration.
        body: PathId,
    },
}

/// A store of path expressions.
#[derive(Clone, Debug)]
pub struct Paths<N, E> {
    nodes: IndexVec<PathId, Path<N, E>>,
    ids: FxHashMap<Path<N, E>, PathId>,
}

impl<N: Idx, E: Idx> Default for Paths<N, E> {
    fn default() -> Paths<N, E> {
        Paths {
            nodes: IndexVec::new(),
            ids: FxHashMap::default(),
        }
    }
}

impl<N: Idx, E: Idx> Paths<N, E> {
    /// What an expression is.
    pub fn get(&self, id: PathId) -> &Path<N, E> {
        &self.nodes[id]
    }

    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn intern(&mut self, path: Path<N, E>) -> PathId {
        if let Some(&known) = self.ids.get(&path) {
            return known;
        }
        let id = self.nodes.push(path.clone());
        self.ids.insert(path, id);
        id
    }

    /// No path.
    pub fn none(&mut self) -> PathId {
        self.intern(Path::None)
    }

    /// The empty path.
    pub fn empty(&mut self) -> PathId {
        self.intern(Path::Empty)
    }

    /// One edge.
    pub fn edge(&mut self, edge: E) -> PathId {
        self.intern(Path::Edge(edge))
    }

    /// A path of the first, then one of the second.
    pub fn then(&mut self, first: PathId, second: PathId) -> PathId {
        match (&self.nodes[first], &self.nodes[second]) {
            (Path::None, _) | (_, Path::Empty) => first,
            (_, Path::None) | (Path::Empty, _) => second,
            _ => self.intern(Path::Then(first, second)),
        }
    }

    /// A path of one of these.
    pub fn or(&mut self, paths: impl IntoIterator<Item = PathId>) -> PathId {
        let mut members: Vec<PathId> = Vec::new();
        for path in paths {
            match &self.nodes[path] {
                Path::None => {}
                Path::Or(inner) => members.extend(inner),
                _ => members.push(path),
            }
        }
        members.sort_unstable();
        members.dedup();
        match members[..] {
            [] => self.none(),
            [single] => single,
            _ => self.intern(Path::Or(members.into())),
        }
    }

    /// Any number of iterations of a loop.
    pub fn star(&mut self, head: N, body: PathId) -> PathId {
        match self.nodes[body] {
            Path::None | Path::Empty => self.empty(),
            _ => self.intern(Path::Star { head, body }),
        }
    }
}

/// An edge of the graph whose paths are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Arc<N, E> {
    /// Where it starts.
    pub source: N,
    /// Where it leads.
    pub target: N,
    /// Its name in the expressions.
    pub edge: E,
}

/// The equation of a node: which expression leads to which other node, and the paths that end without reaching one that
/// is still to be solved.
struct Equation<N> {
    /// Sorted by node in elimination order would cost more than it saves: rows are short.
    factors: Vec<(N, PathId)>,
    rest: PathId,
}

/// For every node of a graph with `len` nodes the paths from it to a target. A node that the root doesn't reach has none.
pub fn to_targets<N: Idx, E: Idx>(
    paths: &mut Paths<N, E>,
    len: usize,
    arcs: &[Arc<N, E>],
    root: N,
    is_target: impl Fn(N) -> bool,
) -> IndexVec<N, PathId> {
    let graph = Graph::new(len, arcs.iter().map(|arc| (arc.source, arc.target)));
    let order = elimination_order(&graph, root);
    let (none, empty) = (paths.none(), paths.empty());
    let mut equations: IndexVec<N, Equation<N>> = graph
        .nodes()
        .map(|node| Equation {
            factors: Vec::new(),
            rest: if is_target(node) { empty } else { none },
        })
        .collect();
    for arc in arcs {
        let edge = paths.edge(arc.edge);
        add(paths, &mut equations[arc.source].factors, arc.target, edge);
    }
    let mut predecessors: IndexVec<N, Vec<N>> = graph.nodes().map(|_| Vec::new()).collect();
    for (source, target) in graph.edges() {
        predecessors[target].push(source);
    }

    let mut eliminated: IndexVec<N, bool> = IndexVec::from_vec(vec![false; len]);
    for &node in &order {
        eliminated[node] = true;
        let Equation { factors, rest } = &mut equations[node];
        let (looping, mut leaving): (Vec<_>, Vec<_>) =
            factors.drain(..).partition(|(to, _)| *to == node);
        if let Some(&(_, body)) = looping.first() {
            let star = paths.star(node, body);
            for (_, factor) in &mut leaving {
                *factor = paths.then(star, *factor);
            }
            *rest = paths.then(star, *rest);
        }
        let rest = *rest;
        let mut sources = std::mem::take(&mut predecessors[node]);
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            if source == node || eliminated[source] {
                continue;
            }
            let row = &mut equations[source];
            let Some(place) = row.factors.iter().position(|(to, _)| *to == node) else {
                continue;
            };
            let (_, through) = row.factors.swap_remove(place);
            let tail = paths.then(through, rest);
            row.rest = paths.or([row.rest, tail]);
            for &(to, factor) in &leaving {
                let product = paths.then(through, factor);
                add(paths, &mut row.factors, to, product);
                predecessors[to].push(source);
            }
        }
        equations[node].factors = leaving;
    }

    let mut solution: IndexVec<N, PathId> = IndexVec::from_vec(vec![none; len]);
    for &node in order.iter().rev() {
        let Equation { factors, rest } = &equations[node];
        let mut ways = vec![*rest];
        for &(to, factor) in factors {
            ways.push(paths.then(factor, solution[to]));
        }
        solution[node] = paths.or(ways);
    }
    solution
}

/// Adds a way to a node to a row.
fn add<N: Idx, E: Idx>(paths: &mut Paths<N, E>, row: &mut Vec<(N, PathId)>, to: N, path: PathId) {
    match row.iter_mut().find(|(known, _)| *known == to) {
        Some((_, factor)) => *factor = paths.or([*factor, path]),
        None => row.push((to, path)),
    }
}

/// The nodes that the root reaches, the last that a depth-first search finds first.
fn elimination_order<N: Idx>(graph: &Graph<N>, root: N) -> Vec<N> {
    let mut order = Vec::new();
    let mut seen: IndexVec<N, bool> = IndexVec::from_vec(vec![false; graph.len()]);
    let mut stack: Vec<(N, usize)> = Vec::new();
    if !graph.is_empty() {
        seen[root] = true;
        order.push(root);
        stack.push((root, 0));
    }
    while let Some((node, position)) = stack.last_mut() {
        let Some(&next) = graph.successors(*node).get(*position) else {
            stack.pop();
            continue;
        };
        *position += 1;
        if !std::mem::replace(&mut seen[next], true) {
            order.push(next);
            stack.push((next, 0));
        }
    }
    order.reverse();
    order
}
