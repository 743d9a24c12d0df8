//! Facts about nodes, shared by the whole search.
//!
//! The store only grows. Every fact says where it comes from, and its kind is the obligation that makes it checkable:
//! - a *proved* fact holds on every run: it is inductive together with the proved facts before it;
//! - a *blocked* fact holds of states from which no goal is reached: every block leads from it to blocked states only
//!   (Lazy Annotation's labels of locations; what the summaries exclude is blocked from the start);
//! - a *reached* state is one that a test has been in;
//! - a *candidate* is anything else that somebody thinks may hold. It never prunes.

mod blocked;
mod reached;

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::{Assignment, Term};

pub(crate) use blocked::Blocker;
pub(crate) use reached::Reached;

/// Where a fact comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Origin {
    /// The forward analysis.
    Forward,
    /// The inductive part of candidates.
    Induction,
    /// A label of the tree.
    Label,
    /// All blocks that leave the node lead to blocked states.
    DeadEnd,
}

/// A formula about the states at a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Fact {
    /// What it says.
    pub(crate) formula: Term,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// What is known of a node.
#[derive(Clone, Debug, Default)]
struct AtNode {
    proved: Vec<Fact>,
    blocked: Vec<Fact>,
    candidates: Vec<Fact>,
    reached: Reached,
}

/// The facts of every node.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    nodes: IndexVec<NodeId, AtNode>,
    /// How many facts were added, reached states not counted: who has seen this many has nothing new to see.
    version: u64,
}

impl Facts {
    /// The facts of a graph: what the forward analysis knows, but for goals. That these are not reached has to follow
    /// from what is known before.
    pub(crate) fn new(graph: &BlockGraph, known: impl Fn(NodeId) -> Vec<Term>) -> Facts {
        let mut facts = Facts {
            nodes: graph.nodes.iter().map(|_| AtNode::default()).collect(),
            version: 0,
        };
        for (node, block) in graph.nodes.iter_enumerated() {
            if block.kind.is_goal() {
                continue;
            }
            for formula in known(node) {
                facts.prove(node, formula, Origin::Forward);
            }
        }
        facts
    }

    /// How many facts were added so far.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Adds a formula that holds whenever the node is reached. Says whether it is new.
    pub(crate) fn prove(&mut self, node: NodeId, formula: Term, origin: Origin) -> bool {
        let is_new = add(&mut self.nodes[node].proved, Fact { formula, origin });
        self.version += u64::from(is_new);
        is_new
    }

    /// Adds states from which no goal is reached. Says whether they are new. [`Blocker`] finds such states.
    pub(crate) fn block(&mut self, node: NodeId, states: Term, origin: Origin) -> bool {
        let fact = Fact {
            formula: states,
            origin,
        };
        let is_new = add(&mut self.nodes[node].blocked, fact);
        self.version += u64::from(is_new);
        is_new
    }

    /// Adds a formula that may hold. Says whether it is new.
    pub(crate) fn suggest(&mut self, node: NodeId, formula: Term, origin: Origin) -> bool {
        let at = &mut self.nodes[node];
        let is_new = !at.proved.iter().any(|fact| fact.formula == formula)
            && add(&mut at.candidates, Fact { formula, origin });
        self.version += u64::from(is_new);
        is_new
    }

    /// Adds a state that a test was in.
    pub(crate) fn reach(&mut self, node: NodeId, state: &Assignment) -> bool {
        self.nodes[node].reached.add(state)
    }

    /// What holds whenever the node is reached.
    pub(crate) fn proved(&self, node: NodeId) -> impl Iterator<Item = Term> + '_ {
        self.nodes[node].proved.iter().map(|fact| fact.formula)
    }

    /// The states from which no goal is reached, beside those that the summaries exclude; each member for itself.
    pub(crate) fn blocked(&self, node: NodeId) -> impl Iterator<Item = Term> + '_ {
        self.nodes[node].blocked.iter().map(|fact| fact.formula)
    }

    /// What may hold.
    pub(crate) fn candidates(&self, node: NodeId) -> impl Iterator<Item = Term> + '_ {
        self.nodes[node].candidates.iter().map(|fact| fact.formula)
    }

    /// The states that tests were in.
    pub(crate) fn reached(&self, node: NodeId) -> &Reached {
        &self.nodes[node].reached
    }
}

fn add(facts: &mut Vec<Fact>, fact: Fact) -> bool {
    let is_new = !facts.iter().any(|known| known.formula == fact.formula);
    if is_new {
        facts.push(fact);
    }
    is_new
}
