//! Proofs that no target is reached, and their checker.
//!
//! A [`Proof`] gives a formula for each cut point of the program as lowered, plus inlining and nothing else (no other
//! pass has to be trusted). The checker builds its own verification conditions, instruction by instruction, with
//! exactly C's meaning, and asks a solver of its own. It names the first obligation that fails, with a counter-model.
//! Nothing in a proof is trusted, hints least of all.

mod argument;
mod bits;
mod body;
mod bounds;
mod check;
mod condition;
mod contracts;
mod encode;
mod execution;
mod explicit;
mod formula;
mod generate;
mod instance;
pub mod memory;
mod name;
mod parts;
mod points;
mod products;
mod reject;
mod shapes;
mod smtlib;
mod solve;
mod subject;
mod tabulate;
mod unroll;
mod weaken;

pub(crate) use argument::VALUE_SORT;
pub use argument::{Argument, Formula, Hint, Instance, Invariants, Part, Proof};
pub use bounds::{asks_for_bounds, has_bounds, with_bounds};
pub use check::{Accepted, Checker, check, obligations_smtlib};
pub use contracts::{Contract, Contracts};
pub use execution::{AllRuns, AllSchedules, Extent, Followed, Led, Runs, Together};
pub use explicit::{Ending, Exploration, Ground, View, Walk, Way};
pub use name::{Point, Variable};
pub(crate) use parts::are_all;
pub use points::{Meanings, points};
pub use products::{Products, have_products};
pub use reject::{
    Failure, Invalid, Lost, Obligation, PlaceKind, ProofPlace, Rejected, VariableValue,
};
pub use shapes::{AllShapes, Folding, Shaped, has_shapes};
pub use subject::MAX_EDGES;
pub use tabulate::{Avoided, CallingWay, Following, Judged, Procedures, Tabulated, Tabulation};
pub use weaken::{holds_at, inductive_part};
