//! States from which no goal is reached, because every block leads from them to such states.

use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::project::{Lazy, Projector, Verdict};
use rhumb_logic::session::{Answer, Purpose, Session, SessionOptions};
use rhumb_logic::{Budget, Term};

use super::Facts;

/// Queries of blocking are counted under this purpose.
const PURPOSE: Purpose = Purpose("blocking");

/// Finds blocked states: a set of states at a node, none of which can get past the blocked states of its successors, is
/// widened to all states for which the same reason holds.
///
/// Right for programs in which many paths come to one place and fail there for the same reason: the reason is found once, for all of them.
pub(crate) struct Blocker {
    session: Session,
    projector: Projector,
}

impl Blocker {
    /// A blocker for the formulas of a graph.
    pub(crate) fn new(graph: &BlockGraph) -> Blocker {
        let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
        session.set_purpose(PURPOSE);
        Blocker {
            session,
            projector: Projector::new(graph.terms.clone()),
        }
    }

    /// Blocked states of a node that contain all of some states; none if some of these states are not known to be
    /// blocked. `reaches` is what is required of a state for a goal to be reached from there, without blocked states.
    pub(crate) fn conjoin(
        &mut self,
        graph: &BlockGraph,
        facts: &Facts,
        reaches: impl Fn(NodeId) -> Term,
        (node, states): (NodeId, Term),
        budget: &Budget,
    ) -> Option<Term> {
        let terms = &graph.terms;
        if graph.nodes[node].kind.is_goal() {
            return None;
        }
        let known = facts.proved(node).chain([graph.ranges(node)]);
        let given = terms.and(known.chain([states]).collect::<Vec<_>>());
        let mut parts = Vec::new();
        for &edge in &graph.nodes[node].outgoing {
            let target = graph.edges[edge].target;
            let free = facts.proved(target).chain([reaches(target)]);
            let free = terms.and(free.collect::<Vec<_>>());
            parts.push(self.past(graph, edge, given, free, budget)?);
        }
        Some(terms.and(parts))
    }

    /// A formula that contains the given states and none from which the block leads to a free one.
    pub(crate) fn past(
        &mut self,
        graph: &BlockGraph,
        edge: BlockEdgeId,
        given: Term,
        free: Term,
        budget: &Budget,
    ) -> Option<Term> {
        let terms = graph.terms.clone();
        let block = &graph.edges[edge].transition;
        let session = &mut self.session;
        let mut excludes =
            |candidate: Term| match session.check_assuming(&[given, candidate], budget) {
                Answer::Unsat(_) => Verdict::Accepted,
                Answer::Sat(model) => Verdict::Rejected(Some(model.into_assignment())),
                Answer::Unknown(_) => Verdict::Rejected(None),
            };
        let leads = block.before(&terms, free);
        let found = self
            .projector
            .lazy(leads, &block.inputs, budget, &mut excludes);
        match found {
            Ok(Lazy::Accepted(leads, _)) => Some(terms.not(leads)),
            Ok(Lazy::Hopeless(_)) | Err(_) => None,
        }
    }
}
