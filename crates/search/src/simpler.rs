//! Views of a program in which checks are simple, and who proves those there.
//!
//! Right for programs with many checks most of which hold for a simple reason: counters between bounds, indices that
//! were compared, lists that are walked through to their end.

use std::collections::BTreeSet;

use rhumb_certify::proof::{has_shapes, with_bounds};
use rhumb_logic::Budget;
use rhumb_program::graph::CallGraph;
use rhumb_program::{LocKind, Program, TargetId};
use rhumb_summary::forward::Invariants;

use crate::bounds::{InvariantsAlone, OfBounds};
use crate::engine::Start;
use crate::shapes::{self, Shapes};
use crate::task::{Means, Task};

/// The part of the work that looking at shapes may take, as its inverse.
const SHARE: u32 = 4;

/// Programs that say the same of targets, in which other targets are simple.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SimplerView {
    /// As it is.
    Plain,
    /// With bounds as numbers: for accesses.
    Bounds,
    /// With all that lists look like: for accesses, frees and leaks.
    Shapes,
}

impl SimplerView {
    pub(crate) const ALL: [SimplerView; 3] =
        [SimplerView::Plain, SimplerView::Bounds, SimplerView::Shapes];

    /// Targets that runs may get to, as far as can be seen at once; none if the program has no such view.
    pub(crate) fn left(
        self,
        program: &Program,
        means: Means,
        budget: &Budget,
    ) -> Option<BTreeSet<TargetId>> {
        match self {
            SimplerView::Plain => Some(left(program, means, budget)),
            SimplerView::Bounds => {
                with_bounds(program).map(|program| left(&program, means, budget))
            }
            SimplerView::Shapes if !has_shapes(program) => None,
            SimplerView::Shapes => shapes::reached(program, &budget.part(SHARE)),
        }
    }

    /// Who proves that the others are not reached.
    pub(crate) fn start(self) -> Start {
        match self {
            SimplerView::Plain => |task| Box::new(InvariantsAlone(task)),
            SimplerView::Bounds => |task| Box::new(OfBounds::invariants(task)),
            SimplerView::Shapes => |task| Box::new(Shapes::new(task)),
        }
    }
}

/// Targets that are left when a program is simplified and bounds, differences and remainders of variables are known;
/// and those in functions that are still called: who proves by invariants of one function says nothing of others.
fn left(program: &Program, means: Means, budget: &Budget) -> BTreeSet<TargetId> {
    let task = Task::new(program).with_means(means);
    let (simple, inlined) = (&task.prepared.program, &task.prepared.inlined);
    let known = Invariants::compute(simple, simple.start, budget);
    let start = simple.functions[simple.start]
        .cfa
        .locations
        .iter_enumerated();
    let start = start.filter(|(at, _)| known.is_reachable(*at));
    let called = CallGraph::of(inlined).reachable(inlined.start);
    let others = inlined.functions.iter_enumerated();
    let others = others.filter(|(id, _)| *id != inlined.start && called[*id]);
    let others = others.flat_map(|(_, function)| &function.cfa.locations);
    let locations = start.map(|(_, location)| location).chain(others);
    let targets = locations.filter_map(|location| match location.kind {
        LocKind::Target(id) => Some(id),
        _ => None,
    });
    targets.collect()
}
