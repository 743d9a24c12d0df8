//! Objects that may have ended, so that another one may lie where they lay.

use index_vec::IndexVec;
use rustc_hash::FxHashSet;

use super::homes::Home;
use super::pointees::{HomeId, Pointees};
use crate::cfa::{Action, Cfa};
use crate::ids::{EdgeId, ExprId, LocId};
use crate::model::Program;

/// The ends of lifetimes in the program's first function.
pub struct Ended<'p> {
    cfa: &'p Cfa,
    incoming: IndexVec<LocId, Vec<EdgeId>>,
}

impl<'p> Ended<'p> {
    /// For the program's first function.
    pub fn new(program: &'p Program) -> Ended<'p> {
        let cfa = &program.functions[program.start].cfa;
        Ended {
            cfa,
            incoming: cfa.incoming(),
        }
    }

    /// Whether a run may get to a location after the object has ended: along a way on which it ends, and, if it is declared, doesn't begin
    /// again. (A declared object that
    /// begins again lies where it lay.) `pointees` says what a pointer may point to. Trusted.
    pub fn before(
        &self,
        at: LocId,
        (id, home): (HomeId, Home),
        pointees: impl Fn(ExprId) -> Pointees,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![at];
        while let Some(location) = todo.pop() {
            for &edge in &self.incoming[location] {
                let edge = &self.cfa.edges[edge];
                let ends = match (&edge.action, home) {
                    (&Action::Leave(object), Home::Declared(own)) => object == own,
                    (&Action::Free { ptr, .. }, Home::Allocated(_)) => {
                        let to = pointees(ptr);
                        to.objects.iter().any(|entry| entry.0 == id)
                    }
                    _ => false,
                };
                if ends {
                    return true;
                }
                let begins = matches!((&edge.action, home), (&Action::Enter(object), Home::Declared(own)) if object == own);
                if !begins && seen.insert(edge.source) {
                    todo.push(edge.source);
                }
            }
        }
        false
    }
}
