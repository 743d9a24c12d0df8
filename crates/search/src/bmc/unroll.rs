//! The unrolled block graph.

use std::collections::BTreeMap;

use rhumb_encode::{BlockEdgeId, NodeId, NodeKind};
use rhumb_logic::session::{Model, Session};
use rhumb_logic::{Assignment, Renaming, Sort, Symbol, Term, Value};
use rhumb_program::TargetId;
use rhumb_program::interp::KeyedInputs;
use rustc_hash::FxHashMap;

use crate::claim::Reason;
use crate::runs::{Replayed, replay};
use crate::task::Task;

/// Inputs with which the interpreter reaches a target.
pub(super) struct Found {
    pub(super) target: TargetId,
    pub(super) inputs: KeyedInputs,
}

/// The nodes that some number of edges lead to.
type Frame = BTreeMap<NodeId, UnrolledNode>;

/// A node at one depth.
struct UnrolledNode {
    /// Whether the run is here.
    bit: Term,
    /// The values of the variables here.
    state: FxHashMap<Symbol, Term>,
    /// The ways here.
    incoming: Vec<Taken>,
}

/// An edge taken at one depth.
pub(super) struct Taken {
    edge: BlockEdgeId,
    /// Whether it is taken.
    pub(super) bit: Term,
    /// For each input of the edge the symbol that stands for it at this depth.
    inputs: Vec<(Symbol, Symbol)>,
}

/// The paths of a block graph up to some number of edges.
pub(super) struct Unrolling<'t> {
    task: &'t Task<'t>,
    frames: Vec<Frame>,
}

impl<'t> Unrolling<'t> {
    /// The empty path.
    pub(super) fn new(task: &'t Task<'t>) -> Unrolling<'t> {
        let entry = UnrolledNode {
            bit: task.terms.bool(true),
            state: FxHashMap::default(),
            incoming: Vec::new(),
        };
        let first = if task.graph.nodes.is_empty() {
            Frame::new()
        } else {
            Frame::from([(task.graph.entry, entry)])
        };
        Unrolling {
            task,
            frames: vec![first],
        }
    }

    /// Number of edges.
    pub(super) fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn bits(&self, wanted: impl Fn(NodeKind) -> bool) -> Term {
        let last = self.frames.last().into_iter().flatten();
        self.task.terms.or(last
            .filter(|(node, _)| wanted(self.task.graph.nodes[**node].kind))
            .map(|(_, place)| place.bit))
    }

    /// The run is at a goal after the last edge.
    pub(super) fn goal(&self) -> Term {
        self.bits(NodeKind::is_goal)
    }

    /// The run can go on after the last edge.
    pub(super) fn alive(&self) -> Term {
        self.bits(|kind| !matches!(kind, NodeKind::Target(_) | NodeKind::Unsupported(_)))
    }

    /// One more edge.
    pub(super) fn extend(&mut self, session: &mut Session) {
        let (terms, graph) = (&self.task.terms, &self.task.graph);
        let depth = self.frames.len();
        let mut next = Frame::new();
        for (node, place) in &self.frames[depth - 1] {
            for &id in &graph.nodes[*node].outgoing {
                let edge = &graph.edges[id];
                let bit = terms.fresh(format!("edge{}@{depth}", id.index()), Sort::Bool);
                let inputs: Vec<(Symbol, Symbol)> = edge
                    .transition
                    .inputs
                    .iter()
                    .map(|&input| (input, terms.fresh_copy(input)))
                    .collect();
                let mut map = place.state.clone();
                map.extend(inputs.iter().map(|&(from, to)| (from, terms.var(to))));
                let mut renaming = Renaming::new(map);
                let guard = renaming.apply(terms, edge.transition.guard);
                session.assert(terms.implies(bit, terms.and([place.bit, guard])));
                let target = next.entry(edge.target).or_insert_with(|| {
                    let symbols = graph.live(edge.target).map(|cell| cell.symbol);
                    UnrolledNode {
                        bit: terms.fresh(format!("at{}@{depth}", edge.target.index()), Sort::Bool),
                        state: symbols
                            .map(|symbol| (symbol, terms.var(terms.fresh_copy(symbol))))
                            .collect(),
                        incoming: Vec::new(),
                    }
                });
                let updates: FxHashMap<Symbol, Term> =
                    edge.transition.updates.iter().copied().collect();
                for (&variable, &value) in &target.state {
                    let after = updates.get(&variable).copied();
                    let after = after.unwrap_or_else(|| terms.var(variable));
                    let after = renaming.apply(terms, after);
                    session.assert(terms.implies(bit, terms.eq(value, after)));
                }
                target.incoming.push(Taken {
                    edge: id,
                    bit,
                    inputs,
                });
            }
        }
        for place in next.values() {
            let ways = terms.or(place.incoming.iter().map(|taken| taken.bit));
            session.assert(terms.implies(place.bit, ways));
        }
        self.frames.push(next);
    }

    /// The path to a goal that a model describes.
    pub(super) fn path(&self, model: &Model) -> Vec<&Taken> {
        let graph = &self.task.graph;
        let holds = |term: Term| match self.task.terms.as_symbol(term) {
            Some(symbol) => model.value(symbol).and_then(Value::as_bool) == Some(true),
            None => self.task.terms.as_bool(term) == Some(true),
        };
        let last = self.frames.last().into_iter().flatten();
        let mut node = last
            .filter(|(node, place)| graph.nodes[**node].kind.is_goal() && holds(place.bit))
            .map(|(node, _)| *node)
            .next();
        let mut path = Vec::new();
        for frame in self.frames.iter().skip(1).rev() {
            let place = node.and_then(|node| frame.get(&node));
            let taken = place.and_then(|place| place.incoming.iter().find(|way| holds(way.bit)));
            node = taken.map(|taken| graph.edges[taken.edge].source);
            path.extend(taken);
        }
        path.reverse();
        path
    }

    /// Follows a path with the inputs of a model, and then has the interpreter run the program as lowered with them.
    pub(super) fn confirm(&self, path: &[&Taken], model: &Model) -> Result<Found, Reason> {
        let graph = &self.task.graph;
        let mut inputs = KeyedInputs::new();
        let mut state = Assignment::default();
        let mut approximated = None;
        for taken in path {
            let values: Assignment = taken
                .inputs
                .iter()
                .filter_map(|(input, here)| Some((*input, model.value(*here)?.clone())))
                .collect();
            let edge = &graph.edges[taken.edge];
            if let Some(&(cause, span)) = edge.approximations.first() {
                approximated.get_or_insert_with(|| self.task.approximation(cause, span));
            }
            let Ok(decoded) = graph.decode(taken.edge, &state, &values) else {
                break;
            };
            for event in decoded.events {
                inputs.push_value(event.site, event.bits, 1);
            }
            state = decoded.post;
        }
        let inputs = self.task.prepared.inputs_as_lowered(inputs);
        match replay(self.task, &inputs) {
            Replayed::Target(target) => Ok(Found { target, inputs }),
            Replayed::Unsupported(reason) => Err(reason),
            Replayed::Other => Err(self.obstacle(path, approximated)),
        }
    }

    /// Why a path was not confirmed.
    fn obstacle(&self, path: &[&Taken], approximated: Option<String>) -> Reason {
        let graph = &self.task.graph;
        let end = path.last().map(|taken| graph.edges[taken.edge].target);
        let unsupported = end.and_then(|node| self.task.unsupported(node));
        unsupported.unwrap_or_else(|| {
            Reason::Approximated(approximated.unwrap_or_else(|| "step".to_owned()))
        })
    }
}
