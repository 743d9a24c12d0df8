//! Summaries: for every cut point what all paths from it to a goal require of the state.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::{Budget, Symbol, Term, Terms, Transition};
use rustc_hash::FxHashMap;

use crate::path::{self, Path, PathId, Paths};
use crate::star::{Loop, star};

/// The paths from every cut point to the goals, summarised on demand.
pub struct Summaries<'g> {
    graph: &'g BlockGraph,
    terms: Arc<Terms>,
    /// What is known at each node beforehand.
    invariants: IndexVec<NodeId, Term>,
    state: Vec<Symbol>,
    paths: Paths<NodeId, BlockEdgeId>,
    to_goals: IndexVec<NodeId, PathId>,
    done: FxHashMap<PathId, Transition>,
}

impl<'g> Summaries<'g> {
    /// Prepares the summaries of a graph, with invariants of its nodes that every path may take for granted.
    pub fn new(graph: &'g BlockGraph, invariants: IndexVec<NodeId, Term>) -> Summaries<'g> {
        let mut paths = Paths::default();
        let arcs: Vec<_> = graph
            .edges
            .iter_enumerated()
            .map(|(edge, block)| path::Arc {
                source: block.source,
                target: block.target,
                edge,
            })
            .collect();
        let is_goal = |node: NodeId| graph.nodes[node].kind.is_goal();
        let to_goals = path::to_targets(&mut paths, graph.nodes.len(), &arcs, graph.entry, is_goal);
        let vars = graph.state.vars().iter();
        let mut state: Vec<Symbol> = vars.filter_map(|&var| graph.state.symbol(var)).collect();
        state.sort_unstable();
        Summaries {
            graph,
            terms: graph.terms.clone(),
            invariants,
            state,
            paths,
            to_goals,
            done: FxHashMap::default(),
        }
    }

    /// What the paths from a node to a goal require: the guard of the result, over the state at the node and the inputs of the result.
    pub fn to_goals(&mut self, node: NodeId, budget: &Budget) -> Transition {
        let path = self.to_goals[node];
        self.evaluate(path, budget)
    }

    /// The relation of a path expression. Expressions are shared, so each is evaluated once.
    fn evaluate(&mut self, path: PathId, budget: &Budget) -> Transition {
        if let Some(known) = self.done.get(&path) {
            return known.clone();
        }
        let terms = self.terms.clone();
        let result = match self.paths.get(path).clone() {
            Path::None => Transition::zero(&terms),
            Path::Empty => Transition::identity(&terms),
            Path::Edge(edge) => {
                let block = &self.graph.edges[edge];
                let known = self.invariants[block.source];
                block.transition.restrict(&terms, known)
            }
            Path::Then(first, second) => {
                let first = self.evaluate(first, budget);
                let second = self.evaluate(second, budget);
                first.compose(&terms, &second)
            }
            Path::Or(members) => {
                let mut all = Transition::zero(&terms);
                for &member in &members {
                    // Members may share inputs; in a choice only one of them is taken.
                    all = all.choice(&terms, &self.evaluate(member, budget));
                }
                all
            }
            Path::Star { head, body } => {
                let iteration = self.evaluate(body, budget);
                let known = self.invariants[head];
                let of = Loop {
                    terms: &terms,
                    iteration: &iteration,
                    invariant: known,
                    state: &self.state,
                };
                star(of, budget)
            }
        };
        self.done.insert(path, result.clone());
        result
    }
}
