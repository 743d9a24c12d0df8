//! What the search says about itself.

use rhumb_encode::{NodeId, NodeKind};

use super::search::Search;
use super::tree::TreeId;
use crate::claim::Reason;
use crate::engine::Progress;

impl Search<'_> {
    /// Where it stands.
    pub(super) fn progress(&self) -> Progress {
        let (counts, times) = (&self.counts, &self.times);
        let tests = self.statistics();
        let seconds = |time: std::time::Duration| time.as_secs_f64();
        Progress {
            summary: self.so_far(),
            figures: vec![
                ("tests", tests.tests as f64),
                ("steps", tests.steps as f64),
                ("jumps", tests.jumps as f64),
                ("queries", (tests.queries + self.refiner.asked) as f64),
                ("dead-ends", counts.dead_ends as f64),
                ("tree", self.tree.len() as f64),
                ("frontier", self.frontier.len() as f64),
                ("covers", counts.covers as f64),
                ("uncovered", counts.uncovered as f64),
                ("learned", self.learner.learned as f64),
                ("blocked", self.learner.blocked as f64),
                ("raised", self.raised as f64),
                ("time.invariants", seconds(times.invariants)),
                ("time.summaries", seconds(times.summaries)),
                ("time.tests", seconds(times.tests)),
                ("time.induction", seconds(self.learner.time)),
                ("time.queries", seconds(self.refiner.querying)),
                ("time.interpolation", seconds(self.refiner.interpolating)),
                ("time.entailments", seconds(times.entailments)),
                ("time.proof", seconds(times.proof)),
            ],
        }
    }

    /// What was done, in a few words.
    fn so_far(&self) -> String {
        format!(
            "{} tests, {} dead ends, {} nodes, {} open",
            self.statistics().tests,
            self.counts.dead_ends,
            self.tree.len(),
            self.frontier.len()
        )
    }

    /// How far it got before it was stopped, and where it was busy.
    pub(super) fn stopped(&self) -> Reason {
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
        let mut text = format!("in the search: {}", self.so_far());
        if !places.is_empty() {
            text.push_str(&format!(", mostly {}", places.join(" and ")));
        }
        Reason::Stopped(text)
    }

    /// A node of the graph in the words of the source.
    fn place(&self, node: NodeId) -> String {
        let graph = self.space.graph;
        let cfa = graph.cfa();
        let location = graph.nodes[node].location;
        let statement = cfa.locations[location].loop_statement;
        let outgoing = cfa.outgoing(location).first();
        let incoming = cfa.edges.iter().find(|edge| edge.target == location);
        let span = statement
            .or_else(|| outgoing.map(|&edge| cfa.edges[edge].span))
            .or_else(|| incoming.map(|edge| edge.span));
        let span = match graph.nodes[node].kind {
            NodeKind::Target(target) => Some(self.task.lowered.targets[target].span),
            _ => span,
        };
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
