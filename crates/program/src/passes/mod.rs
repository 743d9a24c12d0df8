//! Passes: from a program to a smaller or simpler one, with a map back.
//!
//! | pass | what it does |
//! |---|---|
//! | [`inline`] | puts copies of functions where they are called |
//! | [`scalars`] | makes variables of objects all of whose uses are understood |
//! | [`prune`] | removes what can't be reached from the start or can't reach a goal |
//! | [`constants`] | evaluates what is constant, decides branches |
//! | [`dead`] | removes assignments whose value nobody uses |
//! | [`contract`] | removes steps that do nothing, and branches that make no difference |
//! | [`slice`] | leaves out branches that decide nothing about the goals: keeps less than the others do |
//! | [`reuse`] | reads no place twice if nothing was written since: in place, for those who don't follow memory |
//!
//! What they keep, all but [`slice`]:
//! - A run of the result is a run of the original, step by step, as [`Restore`] says; it gets the same values from the
//!   same inputs and ends the same way, unless a pass cut it off ([`LocKind::Pruned`]), which only [`prune`] does, and
//!   never on the way to a goal.
//! - A loop head that can reach a goal stays; after inlining, in each of its copies.
//! - No input is shifted: an input event is named by its site and the number of earlier events of that site in the run.
//!   Passes keep the order of events, and [`dead`] removes the reading of an input only where it removes all of that site.
//! - Functions, input sites, targets and the tables of unsupported and approximated things keep their ids. Variables
//!   and objects keep theirs, too: copies come after them.

pub mod constants;
pub mod contract;
pub mod dead;
pub mod fold;
pub mod inline;
pub mod prune;
mod rebuild;
mod restore;
pub mod reuse;
pub mod scalars;
pub mod slice;
mod ssa;
mod walk;

use crate::cfa::LocKind;
use crate::ids::TargetId;
use crate::model::Program;

pub use prune::Goals;
pub use restore::{
    Cell, CellPart, CellPlace, ContextId, Contexts, EdgeOrigin, EdgeRef, GhostPart, LocRef, Placed,
    Restore, Role, VarOrigin,
};

/// What a pass gives.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The new program.
    pub program: Program,
    /// The map from it to the program that the pass was given.
    pub restore: Restore,
}

impl Passed {
    /// A program that no pass has touched.
    pub fn unchanged(program: &Program) -> Passed {
        Passed {
            program: program.clone(),
            restore: Restore::identity(program),
        }
    }

    /// Applies another pass to the result.
    pub fn then(self, pass: impl FnOnce(&Program) -> Passed) -> Passed {
        let next = pass(&self.program);
        Passed {
            restore: self.restore.then(&next.restore),
            program: next.program,
        }
    }
}

/// Makes the result of a pass: the table of targets gets to name the first location that is left of each.
fn finish(mut program: Program, restore: Restore) -> Passed {
    let mut seen = vec![false; program.targets.len()];
    let places = program
        .functions
        .iter_enumerated()
        .flat_map(|(id, function)| {
            function.cfa.locations.iter_enumerated().filter_map(
                move |(at, location)| match location.kind {
                    LocKind::Target(target) => Some((target, id, at)),
                    _ => None,
                },
            )
        });
    let first: Vec<(TargetId, _, _)> = places
        .filter(|(target, _, _)| !std::mem::replace(&mut seen[target.index()], true))
        .collect();
    for (target, function, location) in first {
        program.targets[target].function = function;
        program.targets[target].location = location;
    }
    Passed { program, restore }
}
