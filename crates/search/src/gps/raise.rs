//! Where the search keeps coming back to a loop, its summary says too little: look closer at it.
//!
//! Right for programs with a loop that the operators could take further apart than they do at first, which is not worth the time as long as nobody knows that
//! the question hangs on this loop.

use std::time::Instant;

use rhumb_encode::{NodeId, NodeKind};
use rhumb_logic::Budget;

use super::search::Search;

/// Turns at the head of a loop after which its summary is made again; the next time it takes so many times as many.
const TURNS: u32 = 12;
const FACTOR: u32 = 4;

/// So often a loop is looked at again.
const LEVELS: u32 = 2;

/// The part of the work that is left which one look may take.
const SHARE: u32 = 8;

impl Search<'_> {
    /// Looks closer at a loop after a turn at its head, if there were many.
    pub(super) fn look_closer(&mut self, at: NodeId, budget: &Budget) {
        let is_head = self.space.graph.nodes[at].kind == NodeKind::LoopHead;
        let level = self.levels[at];
        let is_due = level < LEVELS && self.turns[at] >= TURNS * FACTOR.pow(level);
        if !(self.config.raise && is_head && is_due) {
            return;
        }
        self.levels[at] += 1;
        let begun = Instant::now();
        if self.oracle.raise(at, &budget.part(SHARE)) {
            // What was derived from the summaries is derived again when it is needed.
            self.has_requirements = false;
            self.raised += 1;
        }
        self.times.summaries += begun.elapsed();
    }
}
