//! Pointers that have no value at first, and get one before anybody looks.
//!
//! Right for declarations like `struct record *s;` before `s = malloc(…)`: what `s` was before says nothing of what it points to.

use rustc_hash::FxHashSet;

use crate::cfa::{Action, Cfa};
use crate::ids::{LocId, VarId};
use crate::model::{Program, Scope};
use crate::types::Type;

/// Locations that are looked at for one input.
const MOST_LOCATIONS: usize = 10_000;

/// The local pointers of the start function none of whose inputs is ever read: on every way from one, the first thing
/// that is done with the variable is to set it. Trusted.
pub fn unread(program: &Program) -> FxHashSet<VarId> {
    let cfa = &program.functions[program.start].cfa;
    let mut unread = FxHashSet::default();
    let mut read = FxHashSet::default();
    for edge in &cfa.edges {
        let Action::Input { dst, .. } = edge.action else {
            continue;
        };
        let info = &program.vars[dst];
        let is_local = info.scope == Scope::Local(program.start);
        if info.ty != Type::Ptr || !is_local || read.contains(&dst) {
            continue;
        }
        match may_be_read(program, cfa, dst, edge.target) {
            true => read.insert(dst),
            false => unread.insert(dst),
        };
    }
    unread.retain(|var| !read.contains(var));
    unread
}

/// Whether there may be a way from a location on which a variable is read before it is set.
fn may_be_read(program: &Program, cfa: &Cfa, var: VarId, from: LocId) -> bool {
    let mut seen = FxHashSet::from_iter([from]);
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        for &edge in cfa.outgoing(at) {
            let edge = &cfa.edges[edge];
            let mut reads = false;
            edge.action.for_each_expr(|expr| {
                (program.exprs).for_each_var(expr, &mut |read| reads |= read == var);
            });
            if reads {
                return true;
            }
            if edge.action.defined_var() != Some(var) && seen.insert(edge.target) {
                todo.push(edge.target);
            }
        }
        if seen.len() > MOST_LOCATIONS {
            return true;
        }
    }
    false
}
