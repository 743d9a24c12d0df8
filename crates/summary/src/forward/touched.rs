//! Which groups of variables a loop has to do with.
//!
//! What a loop neither changes nor looks at is at its head as it was when the loop was entered. So nothing has to be
//! joined, widened or narrowed there for the other groups, of which there may be many: with many loops in a row each is
//! concerned with a few.

use rhumb_program::graph::{CallEffects, LoopNest};
use rhumb_program::{FuncId, LocId, Program, VarId};
use rustc_hash::FxHashMap;

use super::packs::Packs;

/// For each head of a loop that is entered through it alone the groups that some edge of the loop may change, sorted.
#[derive(Debug)]
pub(super) struct Touched {
    by_head: FxHashMap<LocId, Vec<usize>>,
}

impl Touched {
    pub(super) fn of(
        program: &Program,
        function: FuncId,
        packs: &Packs,
        nest: &LoopNest<LocId>,
        calls: &CallEffects,
    ) -> Touched {
        let heads = nest.heads().iter();
        let mut by_head: FxHashMap<LocId, Vec<usize>> =
            heads.map(|&head| (head, Vec::new())).collect();
        for edge in &program.functions[function].cfa.edges {
            let Some(head) = nest.innermost(edge.source) else {
                continue;
            };
            let Some(found) = by_head.get_mut(&head) else {
                continue;
            };
            let mut add = |var: VarId| found.extend(packs.place(var).map(|place| place.pack));
            edge.action.for_each_expr(|expr| {
                program.exprs.for_each_var(expr, &mut add);
            });
            let set = calls.set_by(program, &edge.action).iter().copied();
            set.chain(edge.action.defined_var()).for_each(add);
        }
        // Inner loops come after outer ones.
        for &head in nest.heads().iter().rev() {
            let Some(found) = by_head.get_mut(&head) else {
                continue;
            };
            found.sort_unstable();
            found.dedup();
            let found = found.clone();
            if let Some(outer) = nest.enclosing(head)
                && let Some(outer) = by_head.get_mut(&outer)
            {
                outer.extend(found);
            }
        }
        by_head.retain(|&head, _| !nest.is_irreducible(head));
        Touched { by_head }
    }

    /// The groups that the loop of a head may change, if nothing else comes to the head from inside of it.
    pub(super) fn at(&self, head: LocId) -> Option<&[usize]> {
        self.by_head.get(&head).map(Vec::as_slice)
    }
}

/// Whether a location is in the loop of a head.
pub(super) fn is_inside(nest: &LoopNest<LocId>, location: LocId, head: LocId) -> bool {
    let mut heads = std::iter::successors(nest.innermost(location), |&at| nest.enclosing(at));
    heads.any(|at| at == head)
}
