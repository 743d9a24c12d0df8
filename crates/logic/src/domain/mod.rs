//! Numerical abstract domains: sets of points of fixed dimension, described by a finite set of facts.
//!
//! | module | facts | used for |
//! |---|---|---|
//! | [`interval`] | `l <= x <= u` for one coordinate | first and cheapest bounds |
//! | [`affine`] | `a.x = c` | what a loop keeps or changes by a constant |
//! | [`lattice`] | `u.x = r (mod m)` and `a.x = c` | strides |
//! | [`polyhedron`] | `a.x + c >= 0` | hulls of transition relations, invariants |
//!
//! Points are dense vectors indexed by dimension; which program variable a dimension stands for is the client's business.
//! All arithmetic is exact. Whatever can grow exponentially takes [`DomainLimits`] and answers [`TooLarge`] instead of growing
//! without end; then the operands are as they were, and any superset (at worst everything) is a sound replacement.
//!
//! Mixing objects of different dimension is a mistake in the program, not in its input: such calls panic, and say so.

pub mod affine;
mod constraint;
mod echelon;
pub mod fourier_motzkin;
pub mod interval;
pub mod lattice;
mod limits;
pub mod polyhedron;
mod scalar;
pub mod simplex;

pub use constraint::{Constraint, Kind, LinearForm};
pub use limits::{DomainLimits, TooLarge};
