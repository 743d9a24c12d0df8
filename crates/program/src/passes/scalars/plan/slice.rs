//! What is read on the way to a target.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::cfa::{Action, Cfa, LocKind};
use crate::ids::{EdgeId, LocId, VarId};
use crate::model::Program;

/// A part of the automaton that is passed at a stretch.
pub(super) struct Region {
    edges: FxHashSet<EdgeId>,
    /// The same, those nearest to the end first.
    order: Vec<EdgeId>,
    /// The loads that a target depends on, those nearest to it first.
    pub(super) sites: Vec<EdgeId>,
}

impl Region {
    pub(super) fn has(&self, edge: EdgeId) -> bool {
        self.edges.contains(&edge)
    }

    /// The edges of the region that set what its conditions, or the value that an access stores, are computed from.
    pub(super) fn feeding(&self, program: &Program, access: EdgeId) -> FxHashSet<EdgeId> {
        let cfa = &program.functions[program.start].cfa;
        let mut vars = conditions(program, cfa, &self.order);
        if let Action::Store { value, .. } = cfa.edges[access].action {
            program.exprs.for_each_var(value, &mut |var| {
                vars.insert(var);
            });
        }
        close(program, cfa, &self.order, &mut vars);
        let sets = |edge: &&EdgeId| {
            let var = cfa.edges[**edge].action.defined_var();
            var.is_some_and(|var| vars.contains(&var))
        };
        self.order.iter().filter(sets).copied().collect()
    }
}

/// For each target the stretch before it, back to loop heads, with the loads among the given ones that its conditions
/// depend on; and the stretches before loop heads, without loads.
pub(super) fn regions(program: &Program, is_load: impl Fn(EdgeId) -> bool) -> Vec<Region> {
    let cfa = &program.functions[program.start].cfa;
    let heads: FxHashSet<LocId> = cfa.loops().heads().iter().copied().collect();
    let incoming = cfa.incoming();
    let mut regions = Vec::new();
    for (at, location) in cfa.locations.iter_enumerated() {
        let is_target = matches!(location.kind, LocKind::Target(_));
        if !is_target && !heads.contains(&at) {
            continue;
        }
        let mut order = back(cfa, &incoming, at, |at| heads.contains(&at));
        let mut sites = match is_target {
            true => needed(program, cfa, &order, &is_load),
            false => Vec::new(),
        };
        if is_target && sites.is_empty() {
            // Nothing is read so near: what was read before.
            order = back(cfa, &incoming, at, |_| false);
            sites = needed(program, cfa, &order, &is_load);
            sites.truncate(1);
        }
        regions.push(Region {
            edges: order.iter().copied().collect(),
            order,
            sites,
        });
    }
    regions
}

/// The edges on ways to a location, the nearest first.
fn back(
    cfa: &Cfa,
    incoming: &index_vec::IndexVec<LocId, Vec<EdgeId>>,
    from: LocId,
    stops: impl Fn(LocId) -> bool,
) -> Vec<EdgeId> {
    let mut seen: FxHashSet<LocId> = FxHashSet::from_iter([from]);
    let mut todo = VecDeque::from([from]);
    let mut order = Vec::new();
    while let Some(at) = todo.pop_front() {
        for &edge in &incoming[at] {
            order.push(edge);
            let source = cfa.edges[edge].source;
            if !stops(source) && seen.insert(source) {
                todo.push_back(source);
            }
        }
    }
    order
}

/// The loads that conditions depend on, but for those that only guard against undefined behaviour.
fn needed(
    program: &Program,
    cfa: &Cfa,
    order: &[EdgeId],
    is_load: &impl Fn(EdgeId) -> bool,
) -> Vec<EdgeId> {
    let mut vars = conditions(program, cfa, order);
    close(program, cfa, order, &mut vars);
    let is_needed = |edge: &&EdgeId| {
        let var = cfa.edges[**edge].action.defined_var();
        is_load(**edge) && var.is_some_and(|var| vars.contains(&var))
    };
    order.iter().filter(is_needed).copied().collect()
}

/// The variables of conditions, but for those that only guard against undefined behaviour.
fn conditions(program: &Program, cfa: &Cfa, order: &[EdgeId]) -> FxHashSet<VarId> {
    let mut vars: FxHashSet<VarId> = FxHashSet::default();
    for &edge in order {
        let Action::Assume { cond, .. } = cfa.edges[edge].action else {
            continue;
        };
        let mut ways = cfa.outgoing(cfa.edges[edge].source).iter();
        let is_guard =
            ways.any(|&way| matches!(cfa.locations[cfa.edges[way].target].kind, LocKind::Ub(_)));
        if !is_guard {
            program.exprs.for_each_var(cond, &mut |var| {
                vars.insert(var);
            });
        }
    }
    vars
}

/// Adds the variables from which these are computed.
fn close(program: &Program, cfa: &Cfa, order: &[EdgeId], vars: &mut FxHashSet<VarId>) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &edge in order {
            if let Action::Assign { dst, value } = cfa.edges[edge].action
                && vars.contains(&dst)
            {
                program
                    .exprs
                    .for_each_var(value, &mut |var| changed |= vars.insert(var));
            }
        }
    }
}
