//! Which local variables still matter.

use index_vec::IndexVec;
use rhumb_program::{Function, LocId, Program, Scope, VarId};
use rustc_hash::FxHashSet;

/// For each location of a function, the locals that are read before they are set again.
pub(super) fn live_locals(
    program: &Program,
    function: &Function,
) -> IndexVec<LocId, FxHashSet<VarId>> {
    let cfa = &function.cfa;
    let mut live: IndexVec<LocId, FxHashSet<VarId>> =
        cfa.locations.iter().map(|_| FxHashSet::default()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in cfa.edges.iter().rev() {
            let mut before = live[edge.target].clone();
            if let Some(dst) = edge.action.defined_var() {
                before.remove(&dst);
            }
            edge.action.for_each_expr(|expr| {
                program.exprs.for_each_var(expr, &mut |var| {
                    if program.vars[var].scope != Scope::Global {
                        before.insert(var);
                    }
                });
            });
            let so_far = live[edge.source].len();
            live[edge.source].extend(before);
            changed |= live[edge.source].len() > so_far;
        }
    }
    live
}
