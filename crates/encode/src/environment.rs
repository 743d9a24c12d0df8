//! The values of variables at the places of a region.
//!
//! As in static single assignment form, a definition at a place is seen from every place that it dominates, unless a
//! nearer one hides it. Only definitions are stored, so a variable that doesn't change costs nothing however long the
//! region is.

use rhumb_logic::Term;
use rhumb_program::VarId;
use rhumb_program::graph::Dominators;
use rustc_hash::FxHashMap;

use crate::region::RegionPlace;

/// Definitions by variable.
#[derive(Default)]
pub(crate) struct Environment {
    definitions: FxHashMap<VarId, Vec<(RegionPlace, Term)>>,
}

impl Environment {
    /// From a place on the variable has this value. Places come in topological order; of two definitions at one place the later counts.
    pub(crate) fn define(&mut self, at: RegionPlace, var: VarId, value: Term) {
        self.definitions.entry(var).or_default().push((at, value));
    }

    /// At the start the variable has this value.
    pub(crate) fn define_first(&mut self, var: VarId, value: Term) {
        let definitions = self.definitions.entry(var).or_default();
        definitions.insert(0, (RegionPlace::from_usize(0), value));
    }

    /// The value of a variable at a place, unless it is the one that it had at the start.
    pub(crate) fn value(
        &self,
        dominators: &Dominators<RegionPlace>,
        at: RegionPlace,
        var: VarId,
    ) -> Option<Term> {
        // The dominators of a place form a chain; of those with a definition the last in topological order is the nearest.
        let definitions = self.definitions.get(&var)?;
        let nearest = definitions.iter().rev();
        let mut visible = nearest.filter(|(by, _)| dominators.dominates(*by, at));
        visible.next().map(|&(_, value)| value)
    }
}
