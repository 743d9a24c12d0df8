//! Which sums of elements to follow: those of loads in loops whose value is added to something, where an object has
//! several such loads.

use rustc_hash::FxHashSet;

use super::super::folds::FoldPlan;
use super::Planner;
use crate::cfa::Action;
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, LocId, VarId};
use crate::model::Program;
use crate::types::Type;

/// Folds.
const MOST_FOLDS: usize = 16;

impl Planner<'_> {
    /// The folds of all loads that add up elements of objects of which another load does it, too.
    pub(super) fn folds(&self, program: &Program) -> Vec<FoldPlan> {
        let cfa = &program.functions[program.start].cfa;
        let incoming = cfa.incoming();
        let mut found: Vec<FoldPlan> = Vec::new();
        for access in self.accesses.iter().filter(|access| access.is_load) {
            let edge = &cfa.edges[access.edge];
            let (Some(form), Some(read)) = (&access.form, edge.action.defined_var()) else {
                continue;
            };
            let behind = reached(edge.target, |at| {
                let next = cfa.outgoing(at).iter();
                next.map(|&edge| cfa.edges[edge].target).collect()
            });
            if !behind.contains(&edge.source) {
                continue;
            }
            let before = reached(edge.source, |at| {
                let next = incoming[at].iter();
                next.map(|&edge| cfa.edges[edge].source).collect()
            });
            let is_near = |edge: EdgeId| {
                let edge = &cfa.edges[edge];
                behind.contains(&edge.source) && before.contains(&edge.target)
            };
            let near: Vec<&Action> = (cfa.edges.indices().filter(|&edge| is_near(edge)))
                .map(|edge| &cfa.edges[edge].action)
                .collect();
            let step = form.step(|var| increment(program, &near, var));
            let is_number = matches!(program.vars[read].ty, Type::Int(int) if int.width <= 64);
            if let Some(stride) = step.filter(|&step| step != 0)
                && is_number
                && is_added(program, &near, read)
            {
                found.push(FoldPlan {
                    home: self.homes[access.home].home,
                    site: access.edge,
                    stride,
                    ty: access.ty,
                });
            }
        }
        let all = found.clone();
        found.retain(|fold| {
            let is_alike = |other: &&FoldPlan| {
                (other.home, other.ty, other.stride.abs())
                    == (fold.home, fold.ty, fold.stride.abs())
            };
            all.iter().filter(is_alike).count() > 1
        });
        found.truncate(MOST_FOLDS);
        found
    }
}

/// All that can be reached.
fn reached(from: LocId, next: impl Fn(LocId) -> Vec<LocId>) -> FxHashSet<LocId> {
    let mut seen: FxHashSet<LocId> = FxHashSet::from_iter([from]);
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        let more = next(at).into_iter().filter(|&to| seen.insert(to));
        todo.extend(more.collect::<Vec<LocId>>());
    }
    seen
}

/// By how much a variable grows where it is set, if that is the same everywhere; 0 if it is not set.
fn increment(program: &Program, near: &[&Action], var: VarId) -> Option<i64> {
    let mut found = None;
    for action in near {
        if action.defined_var() != Some(var) {
            continue;
        }
        let Action::Assign { value, .. } = **action else {
            return None;
        };
        let by = match program.exprs[value].kind {
            ExprKind::Binary(BinOp::Add, a, b) | ExprKind::PtrAdd(a, b) => {
                is_var(program, a, var).then(|| constant(program, b))?
            }
            ExprKind::Binary(BinOp::Sub, a, b) => {
                let by = is_var(program, a, var).then(|| constant(program, b))?;
                by.and_then(i64::checked_neg)
            }
            _ => None,
        }?;
        if found.is_some_and(|known| known != by) {
            return None;
        }
        found = Some(by);
    }
    Some(found.unwrap_or(0))
}

fn is_var(program: &Program, id: ExprId, var: VarId) -> bool {
    program.exprs[id].kind == ExprKind::Var(var)
}

fn constant(program: &Program, id: ExprId) -> Option<i64> {
    let (mut int, bits) = program.exprs.as_int_const(id)?;
    int.signed = true;
    i64::try_from(int.extend(bits)).ok()
}

/// Whether some variable is set to itself and a value that was read.
fn is_added(program: &Program, near: &[&Action], read: VarId) -> bool {
    let mut values: FxHashSet<VarId> = FxHashSet::from_iter([read]);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for action in near {
            let Action::Assign { dst, value } = **action else {
                continue;
            };
            let (mut is_own, mut has_value) = (false, false);
            program.exprs.for_each_var(value, &mut |var| {
                is_own |= var == dst;
                has_value |= values.contains(&var);
            });
            if is_own && has_value && is_sum(program, value) {
                return true;
            }
            changed |= has_value && values.insert(dst);
        }
    }
    false
}

fn is_sum(program: &Program, id: ExprId) -> bool {
    match program.exprs[id].kind {
        ExprKind::Cast(inner) => is_sum(program, inner),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, ..) => true,
        _ => false,
    }
}
