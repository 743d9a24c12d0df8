//! Path expressions against the paths of random graphs.

use std::collections::BTreeSet;

use index_vec::define_index_type;
use proptest::prelude::*;
use rhumb_summary::path::{Arc, Path, PathId, Paths, to_targets};

define_index_type! { struct Node = u32; }
define_index_type! { struct Edge = u32; }

type Word = Vec<u32>;

/// Longest word that is compared.
const LENGTH: usize = 5;

/// The words of an expression up to the length.
fn words(paths: &Paths<Node, Edge>, id: PathId) -> BTreeSet<Word> {
    match paths.get(id) {
        Path::None => BTreeSet::new(),
        Path::Empty => BTreeSet::from([vec![]]),
        Path::Edge(edge) => BTreeSet::from([vec![edge.raw()]]),
        Path::Then(first, second) => product(&words(paths, *first), &words(paths, *second)),
        Path::Or(members) => members
            .iter()
            .flat_map(|&member| words(paths, member))
            .collect(),
        Path::Star { body, .. } => {
            let body = words(paths, *body);
            let mut all = BTreeSet::from([vec![]]);
            loop {
                let longer = product(&all, &body);
                let before = all.len();
                all.extend(longer);
                if all.len() == before {
                    return all;
                }
            }
        }
    }
}

fn product(first: &BTreeSet<Word>, second: &BTreeSet<Word>) -> BTreeSet<Word> {
    let mut all = BTreeSet::new();
    for a in first {
        for b in second {
            if a.len() + b.len() <= LENGTH {
                all.insert([&a[..], b].concat());
            }
        }
    }
    all
}

/// The words of the graph itself.
fn walk(
    arcs: &[Arc<Node, Edge>],
    at: Node,
    targets: &[bool],
    word: &mut Word,
    all: &mut BTreeSet<Word>,
) {
    if targets[at.index()] {
        all.insert(word.clone());
    }
    if word.len() == LENGTH {
        return;
    }
    for arc in arcs.iter().filter(|arc| arc.source == at) {
        word.push(arc.edge.raw());
        walk(arcs, arc.target, targets, word, all);
        word.pop();
    }
}

fn graphs() -> impl Strategy<Value = (usize, Vec<(usize, usize)>, Vec<bool>)> {
    (1usize..6).prop_flat_map(|len| {
        (
            Just(len),
            proptest::collection::vec((0..len, 0..len), 0..9),
            proptest::collection::vec(proptest::bool::weighted(0.4), len),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Reducible or not, with parallel edges, self-loops and unreachable nodes: the words are the paths, for every node
    /// that the root reaches.
    #[test]
    fn expressions_have_exactly_the_paths((len, edges, targets) in graphs()) {
        let arcs: Vec<Arc<Node, Edge>> = edges
            .iter()
            .enumerate()
            .map(|(index, &(source, target))| Arc {
                source: Node::from_usize(source),
                target: Node::from_usize(target),
                edge: Edge::from_usize(index),
            })
            .collect();
        let mut paths = Paths::default();
        let root = Node::from_usize(0);
        let solution = to_targets(&mut paths, len, &arcs, root, |node| targets[node.index()]);
        let mut reached = vec![false; len];
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut reached[node.index()], true) {
                todo.extend(arcs.iter().filter(|arc| arc.source == node).map(|arc| arc.target));
            }
        }
        for node in 0..len {
            let mut expected = BTreeSet::new();
            if reached[node] {
                walk(&arcs, Node::from_usize(node), &targets, &mut Vec::new(), &mut expected);
            }
            prop_assert_eq!(words(&paths, solution[Node::from_usize(node)]), expected);
        }
    }
}

/// The size of the expressions of a chain of loops, each nested in nothing, is linear in the number of loops.
#[test]
fn a_chain_of_loops_is_shared() {
    let size = |count: usize| {
        let arcs: Vec<Arc<Node, Edge>> = (0..count)
            .flat_map(|at| [(at, at), (at, at + 1)])
            .enumerate()
            .map(|(index, (source, target))| Arc {
                source: Node::from_usize(source),
                target: Node::from_usize(target),
                edge: Edge::from_usize(index),
            })
            .collect();
        let mut paths = Paths::default();
        to_targets(&mut paths, count + 1, &arcs, Node::from_usize(0), |node| {
            node.index() == count
        });
        paths.len()
    };
    assert!(
        size(400) <= 11 * size(40),
        "{} against {}",
        size(400),
        size(40)
    );
}
