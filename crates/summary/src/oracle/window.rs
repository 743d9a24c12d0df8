//! Summaries of long ways.
//!
//! The summary of a way through hundreds of loops is one formula about all of their states, and to a solver that is
//! much harder than as many small ones. So of a long way only the next loops are summarised; behind them stands what is
//! required there of the state, as far as that is known without loss. It follows from what is required still further
//! on, and so on to the goals, each step a small question of its own. Right for programs with many loops in a row; with
//! few of them nothing changes.

use index_vec::IndexVec;
use rhumb_encode::NodeId;
use rhumb_logic::{Budget, Term, Transition};
use rustc_hash::FxHashMap;

use super::required::Required;
use super::{Oracle, Precision};
use crate::steps::Steps;

/// A summary goes through at least this many loops, and through less than twice as many if they are in a row and it is
/// known what is required behind them.
const LOOPS: u32 = 8;

/// A way of so many stages is long.
pub(super) const LONG: u32 = 2;

/// So many times as far it goes at most.
const FARTHEST: u32 = 3;

/// How far each node is from the goals, counted in stages of so many loops each; a loop counts with all that are in it.
pub(super) fn stages(steps: &Steps) -> IndexVec<NodeId, u32> {
    let loops = steps.graph().loops_in_a_row();
    loops.into_iter().map(|count| count / LOOPS).collect()
}

impl Oracle {
    /// Whether the way from a node goes through many loops, so that much has to be done before anything is known of it.
    pub fn is_long_way(&self, node: NodeId) -> bool {
        self.stages[node] >= LONG
    }

    /// The summary of the way from a node, as far as it is to be told loop by loop. None if that is the whole way.
    pub(super) fn window(&mut self, node: NodeId, budget: &Budget) -> Option<Transition> {
        let first = self.stages[node].checked_sub(LONG)?;
        if let Some(known) = self.windows.get(&node) {
            return Some(known.clone());
        }
        // What is required of a node follows from what is required of the next ones.
        self.required(node, budget);
        let (stages, required, terms) = (&self.stages, &self.required, &self.plain.terms);
        let nodes = self.summaries.steps().nodes.iter();
        let known: IndexVec<NodeId, Term> = nodes.map(|node| node.known).collect();
        let formula = |next: NodeId| {
            let is_far = stages[next] <= first;
            let is_farthest = stages[next] + FARTHEST <= first;
            let is_wanted = |found: &&Required| is_far && is_sharp(found) || is_farthest;
            let required = required.get(&next).filter(is_wanted)?;
            Some(terms.and([known[next], required.formula]))
        };
        let is_whole = required.contains_key(&node);
        let window = self.summaries.to_goals_by(node, &formula, budget);
        if is_whole {
            self.windows.insert(node, window.clone());
        }
        Some(window)
    }
}

/// Whether nothing that matters is lost.
fn is_sharp(required: &Required) -> bool {
    required.precision >= Precision::Rational
}

/// The windows that were made.
pub(super) type Windows = FxHashMap<NodeId, Transition>;
