//! Scalars out of memory: objects all of whose uses are understood become variables, one for each piece that is read or written.
//!
//! Right for programs that use memory as a set of variables: structures, arrays of a few elements, out-parameters and `&x` passed down to
//! functions that are inlined, tables, and heap objects that are allocated once. What can't be followed stays in memory, with a reason.
//!
//! The analysis has one set of possible places for each pointer, for the whole run ([`points_to`]; but for what it is
//! before it has a value, [`unread`]), and all else is left to values: an object gets a fixed address, so a pointer is
//! a number like any other, and who knows the number knows the place. An access that can be at several places is a
//! choice by the pointer's value; constants decide most of them later.
//!
//! | in the given program | in the result |
//! |---|---|
//! | `&x` | a constant |
//! | a load or store | an assignment, or a choice of some |
//! | begin and end of a lifetime | an assignment to a truth value |
//! | "is the access inside a live object" | a comparison of the pointer with the object's bounds, and that truth value; if somebody wants to know where it is not, only for pointers that are [`Certain`] |
//! | contents from outside | an input for each variable ([`Piece`]) |
//! | a copy or fill | assignments |
//!
//! The result goes wherever the given program goes, but for runs that depend on where objects lie (a pointer made of a
//! number that happens to be an address), and it may go on where the given program ends because a pointer is to an
//! earlier instance of an object. Nobody has to believe that: [`Scalars`] has everything that a checker needs to see it
//! for itself.

mod again;
mod cells;
mod certain;
mod ended;
mod explain;
mod folds;
mod ghosts;
mod homes;
mod inputs;
mod instances;
mod plan;
mod pointees;
mod points_to;
mod regions;
mod shape;
mod translate;
mod unread;

use std::collections::BTreeMap;

use index_vec::IndexVec;

use super::Passed;
use super::restore::Restore;
use crate::ids::VarId;
use crate::model::Program;
use crate::span::Span;
use crate::types::Type;

pub use again::Again;
pub use certain::{Certain, Root};
pub use ended::Ended;
pub use explain::Explanations;
pub use folds::{FoldPlan, GhostFold};
pub use ghosts::{Apart, CellPlan, GhostCell, GhostIndex, Ghosts, Plan, UNKNOWN_SIZE};
pub use homes::{Home, Refusal};
pub use inputs::{Piece, assemble};
pub use instances::{Instance, Instances};
pub use plan::plan;
pub use pointees::{Distance, HomeId, Pointees, distance};
pub use regions::Regions;
pub use unread::unread;

/// Addresses of objects that have become variables are here: below everything that a run has in memory.
pub const FIRST_ADDRESS: u64 = 0x0100_0000;
/// And not beyond this.
pub const LAST_ADDRESS: u64 = 0x0700_0000;

/// An object that has become variables.
#[derive(Clone, Debug)]
pub struct Promoted {
    /// What it is in the given program.
    pub home: Home,
    /// Number of bytes, or [`UNKNOWN_SIZE`].
    pub size: u64,
    /// Its address in the result.
    pub base: u64,
    /// Whether it is alive; none for an object that always is.
    pub alive: Option<VarId>,
    /// Whether only some of its elements are followed: then it has no pieces, but cells of [`Ghosts`].
    pub ghost: bool,
    /// Its pieces, by their distance from its start.
    pub cells: BTreeMap<u64, CellVar>,
}

/// A piece of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellVar {
    /// The variable that it is now.
    pub var: VarId,
    /// Its type.
    pub ty: Type,
}

/// What the pass gives.
#[derive(Clone, Debug)]
pub struct Scalars {
    /// The new program and the map back. Locations of the start function keep their ids; further ones come behind them.
    pub passed: Passed,
    /// The objects that have become variables.
    pub objects: BTreeMap<HomeId, Promoted>,
    /// What each variable of the new program may point to.
    pub pointees: IndexVec<VarId, Pointees>,
    /// Inputs of the new program that are parts of inputs of the given one: they come behind those that both have, in this order.
    pub pieces: Vec<Piece>,
    /// The elements of large objects that are followed.
    pub ghosts: Ghosts,
    /// The allocations of which one instance is followed.
    pub instances: Instances,
    /// The objects that stay in memory, and why.
    pub refused: Vec<(Home, Refusal, Span)>,
}

/// Makes variables of what can be variables.
pub fn run(program: &Program) -> Scalars {
    with_ghosts(program, &Plan::default())
}

/// Makes variables of what can be variables, and of the elements of other objects that a plan names. What of the plan
/// can't be done is left out.
pub fn with_ghosts(program: &Program, plan: &Plan) -> Scalars {
    let mut homes = homes::Homes::of(program, plan);
    loop {
        if homes.chosen().next().is_none() {
            return unchanged(program, &homes);
        }
        let before = homes.refused();
        let facts = points_to::solve(program, &mut homes);
        let cells = cells::Cells::of(&facts, &mut homes);
        if homes.refused() > before {
            // What one object's fate means for others.
            continue;
        }
        return translate::run(&facts, &homes, &cells, plan);
    }
}

fn unchanged(program: &Program, homes: &homes::Homes) -> Scalars {
    Scalars {
        passed: Passed {
            program: program.clone(),
            restore: Restore::identity(program),
        },
        objects: BTreeMap::new(),
        pointees: IndexVec::new(),
        pieces: Vec::new(),
        ghosts: Ghosts::default(),
        instances: Instances::default(),
        refused: refused(homes),
    }
}

fn refused(homes: &homes::Homes) -> Vec<(Home, Refusal, Span)> {
    let refused = homes.all().filter_map(|candidate| {
        let (refusal, span) = candidate.refused?;
        Some((candidate.home, refusal, span))
    });
    refused.collect()
}
