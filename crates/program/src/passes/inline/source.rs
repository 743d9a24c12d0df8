//! What is known about a function before it is copied.

use rustc_hash::FxHashMap;

use super::Obstacle;
use crate::cfa::{Action, AllocKind, Cfa, Edge};
use crate::graph::Graph;
use crate::ids::{ObjectId, VarId};

/// What the inliner knows about a function of the given program.
pub(super) struct Source {
    /// Its local variables and objects.
    pub(super) vars: Vec<VarId>,
    pub(super) objects: Vec<ObjectId>,
    /// The objects whose lifetime begins somewhere in it.
    pub(super) entered: Vec<ObjectId>,
    /// The variables that hold what is allocated on its stack, each set in one place that is passed at most once, and freed nowhere.
    pub(super) stack: Vec<VarId>,
    /// Whether the model lets it be inlined.
    pub(super) obstacle: Option<Obstacle>,
    pub(super) returns: bool,
}

impl Source {
    /// Looks through a function's automaton. The lists of its locals are filled in by the caller.
    pub(super) fn of(cfa: &Cfa, recursive: bool) -> Source {
        let mut entered = Vec::new();
        let mut returns = false;
        for edge in &cfa.edges {
            match edge.action {
                Action::Enter(object) => entered.push(object),
                Action::Return { .. } => returns = true,
                _ => {}
            }
        }
        entered.sort_unstable();
        entered.dedup();
        let stack = stack_of(cfa);
        Source {
            vars: Vec::new(),
            objects: Vec::new(),
            entered,
            obstacle: if recursive {
                Some(Obstacle::Recursion)
            } else if stack.is_none() {
                Some(Obstacle::StackAllocation)
            } else {
                None
            },
            stack: stack.unwrap_or_default(),
            returns,
        }
    }
}

/// The variables that hold what a function allocates on its stack; none if that is not known when it returns.
fn stack_of(cfa: &Cfa) -> Option<Vec<VarId>> {
    let on_stack = |action: &Action| match *action {
        Action::Alloc {
            dst,
            kind: AllocKind::Stack,
            ..
        } => Some(dst),
        _ => None,
    };
    let held: Vec<VarId> = (cfa.edges.iter())
        .filter_map(|edge| on_stack(&edge.action))
        .collect();
    if held.is_empty() {
        return Some(held);
    }
    let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
    let components = Graph::new(cfa.locations.len(), edges).components();
    let is_fine = |edge: &Edge| match edge.action {
        Action::Free {
            kind: AllocKind::Stack,
            ..
        } => false,
        ref action => match on_stack(action) {
            Some(_) => !components.is_cyclic(edge.source),
            None => true,
        },
    };
    let mut sets: FxHashMap<VarId, usize> = FxHashMap::default();
    for var in cfa
        .edges
        .iter()
        .filter_map(|edge| edge.action.defined_var())
    {
        *sets.entry(var).or_default() += 1;
    }
    let is_known = cfa.edges.iter().all(is_fine) && held.iter().all(|var| sets[var] == 1);
    is_known.then_some(held)
}
