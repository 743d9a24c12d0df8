//! Edges that a search for errors stays away from.
//!
//! Right for errors that many ways lead to, some of which ask for something that no run can do, or that is not
//! understood: contents of memory that are never written, assembly, library functions that are not modelled. Where a
//! run that is led along a way gets stuck, the edge there is avoided, and another way is looked for.
//!
//! That nothing is found then says nothing about the program, so a tabulation that avoids edges never
//! [closes](super::Tabulated::Closed).

use rhumb_program::{EdgeId, FuncId, LocKind};
use rustc_hash::FxHashSet;

/// Edges that are avoided.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Avoided {
    edges: FxHashSet<(FuncId, EdgeId)>,
}

impl Avoided {
    /// Avoids an edge, too. Says whether it is a new one.
    pub fn add(&mut self, (function, edge): (FuncId, EdgeId)) -> bool {
        self.edges.insert((function, edge))
    }

    /// Number of edges.
    pub fn count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn has(&self, function: FuncId, edge: EdgeId) -> bool {
        self.edges.contains(&(function, edge))
    }
}

/// Whether a location ends a walk: who looks for errors only passes by what is not understood.
pub(super) fn is_reached(kind: LocKind, avoided: Option<&Avoided>) -> bool {
    match avoided {
        Some(_) => matches!(kind, LocKind::Target(_)),
        None => kind.is_bad(),
    }
}
