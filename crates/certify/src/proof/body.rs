//! One automaton of what a proof is about.

use rhumb_program::graph::{Graph, LoopNest};
use rhumb_program::{Action, Cfa, EdgeId, FuncId, IndexVec, LocId, LocKind, Position, Span};
use rustc_hash::FxHashSet;

use super::encode::GoalKind;
use super::name::Point;
use super::reject::{PlaceKind, ProofPlace};
use super::subject::Subject;

/// A function of the program of a proof, with all that was inlined into it.
#[derive(Clone, Copy)]
pub(crate) struct Body<'s> {
    pub(crate) subject: &'s Subject<'s>,
    pub(crate) function: FuncId,
}

impl<'s> Body<'s> {
    /// Its automaton.
    pub(crate) fn cfa(&self) -> &'s Cfa {
        &self.subject.program.functions[self.function].cfa
    }

    /// Whether runs begin there.
    pub(crate) fn is_start(&self) -> bool {
        self.function == self.subject.program.start
    }

    /// The location of a point of this function.
    pub(crate) fn location(&self, point: &Point) -> Option<LocId> {
        let at = self.subject.located(point)?;
        (at.function == self.function).then_some(at.location)
    }

    /// Locations where executions are cut: the given ones, and heads of the loops that these leave.
    pub(crate) fn cuts(&self, given: &FxHashSet<LocId>) -> FxHashSet<LocId> {
        let cfa = self.cfa();
        // A root from which every given point can be reached takes the place of the edges to it.
        let root = cfa.locations.next_idx();
        let mut edges: Vec<(LocId, LocId)> = vec![(root, cfa.entry)];
        let mut sorted: Vec<LocId> = given.iter().copied().collect();
        sorted.sort_unstable();
        edges.extend(sorted.into_iter().map(|point| (root, point)));
        let inner = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        edges.extend(inner.filter(|edge| !given.contains(&edge.1)));
        let graph = Graph::new(cfa.locations.len() + 1, edges.iter().copied());
        let nest = LoopNest::of(&graph, root);
        let mut cuts = given.clone();
        cuts.extend(nest.heads());
        cuts
    }

    /// The part of the source text that a location belongs to: its loop, or what is done next or was done last.
    pub(crate) fn span(&self, location: LocId) -> Option<Span> {
        let cfa = self.cfa();
        let here = &cfa.locations[location];
        here.loop_statement
            .or_else(|| here.outgoing.first().map(|&edge| cfa.edges[edge].span))
            .or_else(|| {
                let last = cfa.edges.iter().find(|edge| edge.target == location);
                last.map(|edge| edge.span)
            })
    }

    /// Where that is for people.
    pub(crate) fn position(&self, location: LocId) -> Option<Position> {
        let span = match self.cfa().locations[location].kind {
            LocKind::Target(target) => Some(self.subject.program.targets[target].span),
            LocKind::Unsupported(what) => Some(self.subject.program.unsupported[what].span),
            _ => self.span(location),
        };
        span.map(|span| self.subject.program.sources.position(span))
    }

    /// A place for people.
    pub(crate) fn place(&self, location: LocId) -> ProofPlace {
        let kind = match self.cfa().locations[location].kind {
            _ if location == self.cfa().entry => match self.is_start() {
                true => PlaceKind::Start,
                false => PlaceKind::Entry,
            },
            LocKind::Target(_) => PlaceKind::Target,
            LocKind::Unsupported(what) => {
                PlaceKind::Unsupported(self.subject.program.unsupported[what].what.clone())
            }
            _ => PlaceKind::Cut,
        };
        ProofPlace {
            kind,
            position: self.position(location),
        }
    }

    /// The end of a region for people.
    pub(crate) fn goal_place(&self, goal: GoalKind) -> ProofPlace {
        match goal {
            GoalKind::Cut(at) | GoalKind::Target(at, _) | GoalKind::Unsupported(at, _) => {
                self.place(at)
            }
            GoalKind::Call(edge) => self.at_edge(edge, PlaceKind::Call),
            GoalKind::Return(edge) => self.at_edge(edge, PlaceKind::Return),
        }
    }

    fn at_edge(&self, edge: EdgeId, kind: PlaceKind) -> ProofPlace {
        let span = self.cfa().edges[edge].span;
        ProofPlace {
            kind,
            position: Some(self.subject.program.sources.position(span)),
        }
    }

    /// Which locations can be reached, as far as the graph says.
    pub(crate) fn reachable(&self) -> IndexVec<LocId, bool> {
        let cfa = self.cfa();
        let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        Graph::new(cfa.locations.len(), edges).reachable([cfa.entry])
    }

    /// From which locations something can be reached, as far as the graph says, that must not be reached, or one of the given points.
    pub(crate) fn matters(&self, points: &FxHashSet<LocId>) -> IndexVec<LocId, bool> {
        let cfa = self.cfa();
        let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let graph = Graph::new(cfa.locations.len(), edges);
        let sinks = cfa
            .locations
            .iter_enumerated()
            .filter_map(|(at, location)| location.kind.is_bad().then_some(at));
        let calls = cfa.edges.iter().filter_map(|edge| match edge.action {
            Action::Call { callee, .. }
                if !self
                    .subject
                    .calls
                    .is_harmless(&self.subject.program, callee) =>
            {
                Some(edge.source)
            }
            _ => None,
        });
        graph.reaching(sinks.chain(calls).chain(points.iter().copied()))
    }
}
