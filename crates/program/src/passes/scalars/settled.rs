//! Pointers in new objects that are set before anybody can read them.
//!
//! What `malloc` gives is not initialised, and a pointer in it may be any number. Mostly nobody sees that: the program
//! sets it while it alone knows the object, by the variables that hold its address.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::pointees::distance;
use crate::cfa::{Action, Cfa};
use crate::expr::ExprKind;
use crate::ids::{EdgeId, ExprId, LocId, VarId};
use crate::model::Program;
use crate::types::Type;

/// Steps back from the input to the allocation.
const MOST_STEPS: usize = 8;
/// States that are looked at behind one allocation.
const MOST_STATES: usize = 400;

/// A new object: where it is looked at, which variables have its address, moved how far, and where pointers are set.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Young {
    at: LocId,
    names: BTreeMap<VarId, i64>,
    set: BTreeSet<u64>,
}

/// The distances from the start of an object at which all pointers are set, on every way, between this input of its
/// bytes and the first step that might read them or put the object's address anywhere but in a variable. The input must
/// be behind an allocation, without a branch between them, and of the object that was allocated. Trusted.
pub fn settled(program: &Program, input: EdgeId) -> BTreeSet<u64> {
    let cfa = &program.functions[program.start].cfa;
    let Some((allocation, dst)) = allocation_before(cfa, input) else {
        return BTreeSet::new();
    };
    let mut todo = vec![Young {
        at: cfa.edges[allocation].target,
        names: BTreeMap::from([(dst, 0)]),
        set: BTreeSet::new(),
    }];
    let mut seen: FxHashSet<Young> = FxHashSet::default();
    let mut all: Option<BTreeSet<u64>> = None;
    while let Some(young) = todo.pop() {
        if !seen.insert(young.clone()) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return BTreeSet::new();
        }
        for &id in cfa.outgoing(young.at) {
            match young.after(program, id, input) {
                Some(next) => todo.push(next),
                // Somebody else may see it from here on.
                None => {
                    all = Some(match all {
                        Some(all) => all.intersection(&young.set).copied().collect(),
                        None => young.set.clone(),
                    });
                }
            }
        }
    }
    all.unwrap_or_default()
}

/// The allocation whose object an input is of, on the only way to the input.
fn allocation_before(cfa: &Cfa, input: EdgeId) -> Option<(EdgeId, VarId)> {
    let incoming = cfa.incoming();
    let mut at = cfa.edges[input].source;
    for _ in 0..MOST_STEPS {
        let &[edge] = &*incoming[at] else {
            return None;
        };
        match cfa.edges[edge].action {
            Action::Alloc { dst, .. } => return Some((edge, dst)),
            Action::Skip | Action::Assign { .. } => at = cfa.edges[edge].source,
            _ => return None,
        }
    }
    None
}

impl Young {
    /// How far from the object's start an expression points, if it is made of a name of it.
    fn place(&self, program: &Program, id: ExprId) -> Option<i64> {
        match program.exprs[id].kind {
            ExprKind::Var(var) => self.names.get(&var).copied(),
            ExprKind::PtrAdd(ptr, by) => {
                let by = distance(&program.exprs, program.data_model, by);
                let place = self.place(program, ptr)?.checked_add(by.offset)?;
                (by.stride == 0).then_some(place)
            }
            _ => None,
        }
    }

    /// Whether an expression may have the object's address.
    fn mentions(&self, program: &Program, id: ExprId) -> bool {
        let mut found = false;
        (program.exprs).for_each_var(id, &mut |var| found |= self.names.contains_key(&var));
        found
    }

    /// The same after an edge; none if somebody else may know the object then, or may have read it.
    fn after(&self, program: &Program, id: EdgeId, input: EdgeId) -> Option<Young> {
        let edge = &program.functions[program.start].cfa.edges[id];
        let mut next = Young {
            at: edge.target,
            ..self.clone()
        };
        match edge.action {
            Action::Skip | Action::Assume { .. } => {}
            Action::Assign { dst, value } => {
                let place = self.place(program, value);
                let is_pointer = program.exprs.ty(value) == Type::Ptr;
                next.names.remove(&dst);
                match place {
                    Some(place) => {
                        next.names.insert(dst, place);
                    }
                    None if is_pointer && self.mentions(program, value) => return None,
                    None => {}
                }
            }
            Action::Input { dst, .. } => {
                next.names.remove(&dst);
            }
            Action::InputBytes { ptr, .. } if id == input => {
                if self.place(program, ptr) != Some(0) {
                    return None;
                }
                next.set.clear();
            }
            Action::Store { ptr, value, access } => {
                if self.mentions(program, value) {
                    return None;
                }
                match self.place(program, ptr) {
                    Some(place) if access.ty == Type::Ptr && access.bits.is_none() => {
                        next.set.insert(u64::try_from(place).ok()?);
                    }
                    None if self.mentions(program, ptr) => return None,
                    _ => {}
                }
            }
            Action::Load { dst, ptr, .. } if !self.mentions(program, ptr) => {
                next.names.remove(&dst);
            }
            _ => return None,
        }
        Some(next)
    }
}
