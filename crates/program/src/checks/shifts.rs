//! Left shifts of signed numbers, of which C defines less than gcc does.

use super::Application;
use crate::cfa::{Action, LocKind, UbKind};

impl Application<'_> {
    /// Where nobody asks for left shifts that C doesn't define, they are what gcc makes of them: the branch to undefined behaviour is never
    /// taken.
    pub(super) fn settle_shifts(&mut self) {
        if self.asks(UbKind::BadShifted) {
            return;
        }
        for function in &mut self.program.functions {
            let cfa = &mut function.cfa;
            for edge in cfa.edges.indices() {
                let (from, to) = (cfa.edges[edge].source, cfa.edges[edge].target);
                let Action::Assume { holds: bad, .. } = cfa.edges[edge].action else {
                    continue;
                };
                if cfa.locations[to].kind != LocKind::Ub(UbKind::BadShifted) {
                    continue;
                }
                let never = self.program.exprs.bool(!bad);
                for branch in cfa.locations[from].outgoing.clone() {
                    if let Action::Assume { cond, .. } = &mut cfa.edges[branch].action {
                        *cond = never;
                    }
                }
            }
        }
    }
}
