//! Which variables have a value that somebody may still read.

use super::super::Application;
use crate::ids::{FuncId, LocId, VarId};
use crate::model::Scope;

impl Application<'_> {
    /// Whether a variable may be read behind a location before it is set: of a function's own ones this means that it
    /// has a value there. Global ones always have.
    pub(super) fn is_live(&self, function: FuncId, at: LocId, var: VarId) -> bool {
        if self.program.vars[var].scope == Scope::Global {
            return true;
        }
        let cfa = &self.program.functions[function].cfa;
        let mut seen = vec![false; cfa.locations.len()];
        let mut todo = vec![at];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at.index()], true) {
                continue;
            }
            for &edge in cfa.outgoing(at) {
                let edge = &cfa.edges[edge];
                let mut is_read = false;
                edge.action.for_each_expr(|expr| {
                    let exprs = &self.program.exprs;
                    exprs.for_each_var(expr, &mut |read| is_read |= read == var);
                });
                if is_read {
                    return true;
                }
                if edge.action.defined_var() != Some(var) {
                    todo.push(edge.target);
                }
            }
        }
        false
    }
}
