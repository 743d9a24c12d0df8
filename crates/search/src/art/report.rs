//! What a tree says about itself.

use rhumb_encode::{NodeId, NodeKind};
use rhumb_program::Span;

use super::{Art, TreeId};
use crate::claim::Reason;
use crate::engine::Figures;

impl Art<'_> {
    /// What was done, in a few words.
    pub(crate) fn so_far(&self) -> String {
        let (dead_ends, nodes) = (self.account.dead_ends, self.tree.len());
        let open = self.frontier.len();
        format!("{dead_ends} dead ends, {nodes} nodes, {open} open")
    }

    /// What was done, in figures.
    pub(crate) fn figures(&self) -> Figures {
        let account = &self.account;
        vec![
            ("queries", self.refiner.asked as f64),
            ("dead-ends", account.dead_ends as f64),
            ("tree", self.tree.len() as f64),
            ("frontier", self.frontier.len() as f64),
            ("covers", account.covers as f64),
            ("uncovered", account.uncovered as f64),
            ("time.queries", self.refiner.querying.as_secs_f64()),
            (
                "time.interpolation",
                self.refiner.interpolating.as_secs_f64(),
            ),
            ("time.entailments", account.entailments.as_secs_f64()),
            ("time.proof", account.proof.as_secs_f64()),
        ]
    }

    /// Where the search was busy.
    pub(crate) fn mostly(&self) -> String {
        let busiest = |wanted: fn(NodeKind) -> bool| {
            let turns = self
                .turns
                .iter_enumerated()
                .filter(|&(node, &turns)| turns > 0 && wanted(self.space.graph.nodes[node].kind));
            let busiest = turns.max_by_key(|(_, turns)| **turns);
            busiest.map(|(node, _)| self.place(node))
        };
        let places: Vec<String> = [
            busiest(|kind| kind == NodeKind::LoopHead),
            busiest(NodeKind::is_goal),
        ]
        .into_iter()
        .flatten()
        .collect();
        match places.is_empty() {
            true => String::new(),
            false => format!(", mostly {}", places.join(" and ")),
        }
    }

    /// Where a node of the graph lies in the text.
    pub(super) fn span(&self, node: NodeId) -> Option<Span> {
        let graph = self.space.graph;
        let cfa = graph.cfa();
        let location = graph.nodes[node].location;
        let statement = cfa.locations[location].loop_statement;
        let outgoing = cfa.outgoing(location).first();
        let incoming = cfa.edges.iter().find(|edge| edge.target == location);
        let span = statement
            .or_else(|| outgoing.map(|&edge| cfa.edges[edge].span))
            .or_else(|| incoming.map(|edge| edge.span));
        match graph.nodes[node].kind {
            NodeKind::Target(target) => Some(self.task.lowered.targets[target].span),
            _ => span,
        }
    }

    /// A node of the graph in the words of the source.
    fn place(&self, node: NodeId) -> String {
        let graph = self.space.graph;
        let span = self.span(node);
        let place = span.map_or_else(String::new, |span| format!(" at {}", self.task.place(span)));
        match graph.nodes[node].kind {
            NodeKind::LoopHead => format!("in the loop{place}"),
            NodeKind::Target(_) => format!("on ways to the target{place}"),
            _ => format!("on ways to the code{place}"),
        }
    }

    /// Why a run to the end of a path was not confirmed.
    pub(super) fn approximated(&self, end: TreeId) -> Reason {
        let graph = self.space.graph;
        let edges = self.tree.path(None, end).into_iter().skip(1);
        let mut causes =
            edges.filter_map(|id| graph.edges[self.tree.edge(id)].approximations.first());
        let what = causes
            .next()
            .map(|&(cause, span)| self.task.approximation(cause, span));
        Reason::Approximated(what.unwrap_or_else(|| "step".to_owned()))
    }
}
