//! Which allocations to follow one instance of: all that are made any number of times, with the loads that targets
//! depend on.

use super::super::ghosts::Plan;
use super::super::homes::{Home, Homes, Refusal};
use super::super::points_to;
use super::slice;
use crate::cfa::{Action, AllocKind, LocKind, UbKind};
use crate::ids::EdgeId;
use crate::model::{Program, TargetKind};
use crate::types::Type;

/// Allocations.
const MOST: usize = 6;

/// Whether there is something to show but that accesses are right: whether those to one of many are stays open.
fn is_asked(program: &Program) -> bool {
    let cfa = &program.functions[program.start].cfa;
    cfa.locations.iter().any(|location| match location.kind {
        LocKind::Target(target) => !matches!(
            program.targets[target].kind,
            TargetKind::Leak(_)
                | TargetKind::Undefined(UbKind::BadRead | UbKind::BadWrite | UbKind::BadFree)
        ),
        _ => false,
    })
}

/// Adds them to a plan.
pub(super) fn add(program: &Program, refused: &[(Home, Refusal)], plan: &mut Plan) {
    if !is_asked(program) {
        return;
    }
    let cfa = &program.functions[program.start].cfa;
    let is_heap = |edge: EdgeId| matches!(cfa.edges[edge].action, Action::Alloc { kind, .. } if kind == AllocKind::Heap);
    let many = refused.iter().filter_map(|&entry| match entry {
        (Home::Allocated(edge), Refusal::Loop) if is_heap(edge) => Some(edge),
        _ => None,
    });
    plan.instances = many.take(MOST).collect();
    if plan.instances.is_empty() {
        return;
    }
    let mut homes = Homes::of(program, plan);
    let facts = points_to::solve(program, &mut homes);
    let followed = homes.chosen().filter(|(_, candidate)| candidate.many);
    plan.instances = followed
        .filter_map(|(_, candidate)| match candidate.home {
            Home::Allocated(edge) => Some(edge),
            Home::Declared(_) => None,
        })
        .collect();
    // A pointer that is read is the way to what is read next, more often than not.
    for is_pointer in [false, true] {
        let is_load = |edge: EdgeId| match cfa.edges[edge].action {
            Action::Load { ptr, access, .. } => {
                let to = facts.eval(&homes, ptr);
                (access.ty == Type::Ptr) == is_pointer && homes.has_many(&to) && !to.other
            }
            _ => false,
        };
        for region in slice::regions(program, is_load) {
            plan.reads.extend(region.sites);
        }
        if !plan.reads.is_empty() {
            break;
        }
    }
    plan.reads.sort_unstable();
    plan.reads.dedup();
}
