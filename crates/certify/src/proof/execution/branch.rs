//! Both ways of a branch.

use std::sync::Arc;

use rhumb_logic::Term;
use rhumb_program::{Cfa, EdgeId, ExprId, IntType, LocId};

use super::eval::Machine;
use super::state::PathState;

/// A branch whose condition has been evaluated in a state.
pub(super) struct Branch {
    /// Where the condition leads if it holds.
    holds: LocId,
    /// Where it leads if not.
    fails: LocId,
    /// What is known to fit its type where the condition, that it doesn't, fails.
    fits: Option<(Term, IntType)>,
}

impl Machine<'_> {
    /// The ways of two edges, the first of which assumes that the condition holds, or that it doesn't.
    pub(super) fn branch(
        &mut self,
        state: &PathState,
        cfa: &Cfa,
        edges: [EdgeId; 2],
        (cond, holds): (ExprId, bool),
        truth: Term,
    ) -> Branch {
        let [first, second] = edges.map(|edge| cfa.edges[edge].target);
        let (holds, fails) = match holds {
            true => (first, second),
            false => (second, first),
        };
        let fits = match self.terms.as_bool(truth) {
            Some(_) => None,
            None => self.fits(state, cond),
        };
        Branch { holds, fails, fits }
    }
}

impl Branch {
    /// Goes on where the condition holds, or where it doesn't.
    pub(super) fn go(&self, state: &mut PathState, condition: bool) {
        state.frame_mut().location = match condition {
            true => self.holds,
            false => self.fails,
        };
        if let Some(fits) = self.fits.filter(|_| !condition) {
            Arc::make_mut(&mut state.fitting).insert(fits);
        }
    }
}
