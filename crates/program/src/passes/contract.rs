//! Removal of steps that do nothing.
//!
//! A location whose only edge is a skip is merged with the location behind it; a branch both of whose sides lead, over
//! nothing, to one place becomes such a skip. Heads of loops and locations that the source marks as loops stay, and so
//! does the entry: after contraction every loop has the head that it had before.

use index_vec::{IndexVec, index_vec};

use super::rebuild::Rebuild;
use super::restore::{FunctionRestore, Restore, Role};
use super::{Passed, finish};
use crate::cfa::{Action, Cfa, LocKind};
use crate::graph::LoopNest;
use crate::ids::{EdgeId, FuncId, LocId};
use crate::model::Program;

/// Removes useless steps from every function.
pub fn run(program: &Program) -> Passed {
    let mut result = program.clone();
    let mut restore = Restore::without_functions(program);
    for (id, function) in program.functions.iter_enumerated() {
        let (cfa, origins) = contract(id, &function.cfa);
        result.functions[id].cfa = cfa;
        restore.functions.push(origins);
    }
    finish(result, restore)
}

/// What becomes of a location's edges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// They stay.
    As,
    /// They make no difference: one skip.
    Skip(EdgeId),
}

fn contract(id: FuncId, cfa: &Cfa) -> (Cfa, FunctionRestore) {
    let graph = cfa.graph();
    let loops = LoopNest::of(&graph, cfa.entry);
    // Where a run that comes to a location really goes on. In postorder the locations behind come first, except over a back edge, which
    // leads to a head, and a head stays.
    let mut goes_to: IndexVec<LocId, LocId> = cfa.locations.indices().collect();
    let mut steps: IndexVec<LocId, Step> = index_vec![Step::As; cfa.locations.len()];
    let mut keep: IndexVec<LocId, bool> = index_vec![false; cfa.locations.len()];
    for at in graph.postorder(cfa.entry) {
        let location = &cfa.locations[at];
        let target = |edge: EdgeId| goes_to[cfa.edges[edge].target];
        match location.outgoing[..] {
            [edge] if cfa.edges[edge].action == Action::Skip => steps[at] = Step::Skip(edge),
            [yes, no] if target(yes) == target(no) => steps[at] = Step::Skip(yes),
            _ => {}
        }
        let stays = at == cfa.entry
            || location.kind != LocKind::Plain
            || location.loop_statement.is_some()
            || loops.is_head(at);
        match steps[at] {
            Step::Skip(edge) if !stays => goes_to[at] = target(edge),
            _ => keep[at] = true,
        }
    }
    let mut rebuild = Rebuild::new(id, cfa, |at| keep[at]);
    for (at, location) in cfa.locations.iter_enumerated() {
        if !keep[at] {
            continue;
        }
        let mut copy = |edge: EdgeId, action: Action, role: Role| {
            rebuild.edge(edge, action, goes_to[cfa.edges[edge].target], role);
        };
        match steps[at] {
            // A run took one of the two edges; which one is not to be seen any more.
            Step::Skip(edge) if location.outgoing.len() > 1 => {
                copy(edge, Action::Skip, Role::Silent);
            }
            _ => {
                for &edge in &location.outgoing {
                    copy(edge, cfa.edges[edge].action.clone(), Role::Step);
                }
            }
        }
    }
    rebuild.finish()
}
