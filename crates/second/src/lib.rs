//! A second opinion on proofs that a program reaches no error.
//!
//! The checker of `rhumb-certify` is the door that every SAFE goes through. This one looks at the same certificates and shares nothing
//! with it but the model of programs (`rhumb-program`) and the format of the file:
//!
//! | | the first checker | this one |
//! |---|---|---|
//! | certificate | read into the shared store of terms, which normalises | read here, into plain trees ([`certificate`]) |
//! | calls | the inlining pass | taken apart here ([`unfold`]) |
//! | road | forwards, states joined by conditional values | backwards, flags instead of joins ([`walk`]) |
//! | words | integers with intervals | bit-vectors, or integers, both written here ([`theory`]) |
//! | solver | Z3, as a library | Yices, as a process that reads text ([`solver`]) |
//! | memory, threads | executions that join, objects of bytes | path by path, objects of values ([`runs`]); then states that are furthest behind first, so that runs and schedules meet (`runs::joins`); cells as variables ([`memory`]) |
//! | explorations, tabulations | zones that are closed, questions | cases, ranges, bounds where they are needed ([`states`], [`tables`]) |
//!
//! An answer of this crate makes no verdict. It is there to disagree.

mod calls;
mod certificate;
mod check;
mod contracts;
mod decide;
mod explore;
mod graph;
mod invariants;
mod memory;
mod pool;
mod runs;
mod single;
mod solver;
mod states;
mod steps;
mod tables;
mod theory;
mod unfold;
mod unroll;
mod walk;

pub use certificate::BadCertificate;
pub use check::{Opinion, check};
pub use decide::OpinionLimits;
pub use solver::Solver;
