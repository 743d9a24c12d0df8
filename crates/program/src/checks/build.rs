//! Small steps in making other programs: locations, edges, branches.

use super::Application;
use crate::cfa::{Action, LocKind};
use crate::ids::{EdgeId, ExprId, FuncId, LocId, VarId};
use crate::span::Span;

impl Application<'_> {
    /// Does something at a location without edges; gives the one behind it.
    pub(super) fn then(
        &mut self,
        function: FuncId,
        at: LocId,
        action: Action,
        span: Span,
    ) -> LocId {
        let cfa = &mut self.program.functions[function].cfa;
        let next = cfa.add_location(LocKind::Plain);
        cfa.add_edge(at, action, next, span);
        next
    }

    /// Takes away the edges of a location, for what comes before them.
    pub(super) fn cut(&mut self, function: FuncId, at: LocId) -> Vec<EdgeId> {
        let cfa = &mut self.program.functions[function].cfa;
        std::mem::take(&mut cfa.locations[at].outgoing)
    }

    /// Gives edges that were taken away to another location.
    pub(super) fn join(&mut self, function: FuncId, edges: Vec<EdgeId>, at: LocId) {
        let cfa = &mut self.program.functions[function].cfa;
        for &edge in &edges {
            cfa.edges[edge].source = at;
        }
        cfa.locations[at].outgoing = edges;
    }

    /// Goes from a location without edges to a new one if a condition holds, and else to the given one.
    pub(super) fn branch(
        &mut self,
        function: FuncId,
        at: LocId,
        cond: ExprId,
        otherwise: LocId,
        span: Span,
    ) -> LocId {
        let cfa = &mut self.program.functions[function].cfa;
        let next = cfa.add_location(LocKind::Plain);
        for (holds, to) in [(true, next), (false, otherwise)] {
            cfa.add_edge(at, Action::Assume { cond, holds }, to, span);
        }
        next
    }

    /// The value of a variable.
    pub(super) fn variable(&mut self, var: VarId) -> ExprId {
        let ty = self.program.vars[var].ty;
        self.program.exprs.var(var, ty)
    }
}
