//! More invariants, when those that come for free leave the question open.

use rhumb_encode::BlockGraph;
use rhumb_logic::{Budget, Work};

use super::Oracle;
use crate::forward;
use crate::preset::Preset;

/// The work that one analysis may take at most: as much as a loop operator may.
const ANALYSIS: Work = Work::secs(3);

/// Analyses that are dearer than the first one, the cheap ones first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Further {
    Equalities,
    Polyhedra,
}

impl Further {
    /// What a preset has in store.
    pub(super) fn first(preset: Preset) -> Option<Further> {
        (preset == Preset::Full).then_some(Further::Equalities)
    }

    fn next(self) -> Option<Further> {
        match self {
            Further::Equalities => Some(Further::Polyhedra),
            Further::Polyhedra => None,
        }
    }
}

impl Oracle {
    /// Runs the next dearer analysis. Says whether something came out that was not known before; then what was derived
    /// so far is forgotten, and will be derived again from more. Whoever relied on it has to begin anew.
    pub fn strengthen(&mut self, graph: &BlockGraph, budget: &Budget) -> bool {
        while let Some(further) = self.further {
            self.further = further.next();
            let analysis = match further {
                Further::Equalities => forward::equalities,
                Further::Polyhedra => forward::polyhedra,
            };
            let found = analysis(graph, &self.known, &budget.within(ANALYSIS));
            let mut is_news = false;
            for (known, found) in self.known.iter_mut().zip(found) {
                for conjunct in found {
                    if !known.contains(&conjunct) {
                        known.push(conjunct);
                        is_news = true;
                    }
                }
            }
            if is_news {
                self.rebuild(graph);
                return true;
            }
        }
        false
    }
}
