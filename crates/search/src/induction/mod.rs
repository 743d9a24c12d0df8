//! Induction: what holds at the loop heads because it holds at the start and every block keeps it.
//!
//! Right for programs whose proof is a conjunction of simple facts, or of simple facts under a condition that the
//! program itself tests, that no single path and no summary of a loop shows: a relation that several branches keep, a
//! flag that remembers what a counter did. Candidates come from the program's own atoms, from states that were reached,
//! and from labels; one loop finds their inductive part ([`Induction`]).

mod assumptions;
mod atoms;
mod candidate;
mod conditions;
mod deeper;
mod elements;
mod engine;
mod implied;
mod products;
mod prove;
mod question;
mod subset;
mod support;
mod walk;

pub(crate) use assumptions::{Assumptions, Choosing};
pub(crate) use elements::Elements;
pub(crate) use engine::Inductive;
pub(crate) use prove::{Means, Prover};
pub(crate) use subset::Formulas;
pub(crate) use walk::explore;

#[cfg(test)]
mod tests;
