//! Removal of assignments whose value nobody uses.
//!
//! What must stay is what can be seen: branches, memory, calls, the end of a run, and variables that outlive a
//! function. From there needs go back over the definitions that these uses see; a definition that is never asked for
//! becomes a step that does nothing, so that a counter that only counts itself goes, too.
//!
//! An input is different: its events are named by how often the site was passed, so taking away some of a site's events
//! would shift the others. The reading of an input goes only if nobody needs the value from any edge of that site. A
//! load goes without harm: whether the access is defined is another edge's question. An approximated step stays,
//! without its result, as it marks the run.

use index_vec::{IndexVec, index_vec};

use super::rebuild::Rebuild;
use super::restore::{Restore, Role};
use super::ssa::{Definition, Ssa, Tracking};
use super::walk::Readers;
use super::{Passed, finish};
use crate::cfa::{Action, Cfa};
use crate::ids::{EdgeId, InputSiteId};
use crate::model::Program;

/// Removes dead assignments from every function.
pub fn run(program: &Program) -> Passed {
    let mut readers = Readers::new(program);
    let tracking = Tracking::of(program, &mut readers);
    let mut needed_sites: IndexVec<InputSiteId, bool> = index_vec![false; program.inputs.len()];
    let mut functions = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        let ssa = Ssa::of(program, id, &tracking, &mut readers);
        let needed = needed_edges(&function.cfa, &ssa);
        for (edge, action) in function.cfa.edges.iter_enumerated() {
            if let Action::Input { site, .. } = action.action {
                needed_sites[site] |= needed[edge];
            }
        }
        functions.push((needed, ssa.reachable));
    }
    let mut result = program.clone();
    let mut restore = Restore::without_functions(program);
    for ((id, function), (needed, reachable)) in program.functions.iter_enumerated().zip(&functions)
    {
        let mut rebuild = Rebuild::new(id, &function.cfa, |at| reachable[at]);
        for (at, location) in function.cfa.locations.iter_enumerated() {
            for &edge in location.outgoing.iter().filter(|_| reachable[at]) {
                let old = &function.cfa.edges[edge];
                let mut action = old.action.clone();
                if !needed[edge] {
                    strip(&mut action, &needed_sites);
                }
                rebuild.edge(edge, action, old.target, Role::Step);
            }
        }
        let (cfa, origins) = rebuild.finish();
        result.functions[id].cfa = cfa;
        restore.functions.push(origins);
    }
    finish(result, restore)
}

/// Takes away the setting of a variable that nobody reads.
fn strip(action: &mut Action, needed_sites: &IndexVec<InputSiteId, bool>) {
    match action {
        Action::Assign { .. } | Action::Load { .. } => *action = Action::Skip,
        Action::Input { site, .. } if !needed_sites[*site] => *action = Action::Skip,
        Action::Approximate { dst, .. } | Action::Call { dst, .. } => *dst = None,
        _ => {}
    }
}

/// The edges whose definitions are asked for, and those that stay whatever they set.
fn needed_edges(cfa: &Cfa, ssa: &Ssa) -> IndexVec<EdgeId, bool> {
    let mut needed_values: IndexVec<_, bool> = index_vec![false; ssa.values.len()];
    // An edge that sets something untracked is needed for that.
    let mut needed: IndexVec<EdgeId, bool> = cfa
        .edges
        .iter_enumerated()
        .map(|(id, edge)| {
            ssa.reachable[edge.source]
                && ssa.defined[id].is_none()
                && edge.action.defined_var().is_some()
        })
        .collect();
    let mut todo = ssa.at_exit.clone();
    for (id, edge) in cfa.edges.iter_enumerated() {
        let removable = matches!(edge.action, Action::Assign { .. } | Action::Load { .. });
        if needed[id] || !removable {
            todo.extend(ssa.uses(id).iter().map(|&(_, value)| value));
        }
    }
    while let Some(value) = todo.pop() {
        if std::mem::replace(&mut needed_values[value], true) {
            continue;
        }
        match &ssa.values[value] {
            Definition::Entry(_) => {}
            Definition::Edge(edge) => {
                needed[*edge] = true;
                todo.extend(ssa.uses(*edge).iter().map(|&(_, value)| value));
            }
            Definition::Join { operands, .. } => {
                todo.extend(operands.iter().map(|&(_, value)| value));
            }
        }
    }
    needed
}
