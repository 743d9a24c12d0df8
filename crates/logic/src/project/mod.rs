//! Projection: formulas without some of their symbols.
//!
//! `∃ k. F` says which values of the other symbols some `k` goes with. It comes in four strengths:
//! - [`Projector::exact`]: equivalent, by eliminating what the graph of the formula gives away and covering the rest with cubes;
//! - [`Projector::rational`]: implied by it, from the real relaxation of the cubes;
//! - [`model_based`]: implies it and holds in a given model, without a solver;
//! - [`Projector::lazy`]: implied by it, and as cheap as a purpose allows.
//!
//! Symbols below operations that are not linear (products, other theories) are replaced by their values in the models;
//! then the exact projection ends only if finitely many values cover it, or with its budget.

mod cover;
mod eliminate;
mod lazy;
mod lift;
mod linearise;
mod literal;
mod mentions;
mod model_based;
mod polarity;
mod prepare;
mod row;
mod system;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::cube::reduce;
use crate::session::{Purpose, Session, SessionOptions, Unknown};
use crate::term::{Node, Symbol, Term, Terms};

use eliminate::Shadow;

pub use lazy::{Lazy, Step, Verdict};
pub use model_based::model_based;

/// Queries of projections are counted under this purpose.
pub const PURPOSE: Purpose = Purpose("projection");

/// Disjunctions inside disjunctions are projected member by member up to this depth.
const DEPTH: usize = 16;

/// How much one projection may do, beside its budget: these limits don't depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProjectionLimits {
    /// Models for one component of the formula, and so disjuncts of its projection.
    pub rounds: usize,
    /// Literals of all these disjuncts.
    pub literals: usize,
}

impl Default for ProjectionLimits {
    fn default() -> ProjectionLimits {
        ProjectionLimits {
            rounds: 400,
            literals: 8_000,
        }
    }
}

/// Why there is no projection.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Spent {
    /// Too many models would be needed.
    #[error("too many disjuncts")]
    Rounds,
    /// The result would be too large.
    #[error("too many literals")]
    Literals,
    /// The time was up, or nobody wants the answer any more.
    #[error("out of time")]
    Time,
    /// The solver did not decide a query.
    #[error("the solver gave no answer: {0}")]
    Solver(Unknown),
    /// A symbol occurs where only a value could replace it, and models have none (arrays, uninterpreted functions).
    #[error("a symbol can't be eliminated")]
    Uninterpreted,
}

/// Computes projections. It owns a solver session, which lives as long as it: make one and use it often.
pub struct Projector {
    session: Session,
    limits: ProjectionLimits,
}

impl Projector {
    /// A projector with the usual limits.
    pub fn new(terms: Arc<Terms>) -> Projector {
        Projector::with_limits(terms, ProjectionLimits::default())
    }

    /// A projector with limits of its own.
    pub fn with_limits(terms: Arc<Terms>, limits: ProjectionLimits) -> Projector {
        let session = Session::new(terms, SessionOptions::default());
        Projector::of_session(session, limits)
    }

    /// A projector with a session in which nothing is asserted yet, such as one of a pool.
    pub fn of_session(mut session: Session, limits: ProjectionLimits) -> Projector {
        session.set_purpose(PURPOSE);
        Projector { session, limits }
    }

    /// The store of the terms.
    pub fn terms(&self) -> &Arc<Terms> {
        self.session.terms()
    }

    /// The solver session: nothing is asserted in it between projections.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// A formula without the symbols that is equivalent to `∃ eliminate. formula`.
    pub fn exact(
        &mut self,
        formula: Term,
        eliminate: &[Symbol],
        budget: &Budget,
    ) -> Result<Term, Spent> {
        self.project(formula, eliminate, Shadow::Under, budget)
    }

    /// A formula without the symbols that `∃ eliminate. formula` implies. Its cubes are projected over the reals and
    /// rounded; an equation that defines a multiple of a symbol keeps its congruence.
    pub fn rational(
        &mut self,
        formula: Term,
        eliminate: &[Symbol],
        budget: &Budget,
    ) -> Result<Term, Spent> {
        self.project(formula, eliminate, Shadow::Over, budget)
    }

    fn project(
        &mut self,
        formula: Term,
        eliminate: &[Symbol],
        shadow: Shadow,
        budget: &Budget,
    ) -> Result<Term, Spent> {
        let targets: FxHashSet<Symbol> = eliminate.iter().copied().collect();
        let terms = self.terms().clone();
        if prepare::targets_of(&terms, formula, &targets).is_empty() {
            return Ok(formula);
        }
        let formula = terms.expand(formula);
        self.descend(formula, &targets, shadow, budget, 0)
    }

    /// Projects each component of a formula for itself, and each member of a component that is a disjunction.
    fn descend(
        &mut self,
        formula: Term,
        targets: &FxHashSet<Symbol>,
        shadow: Shadow,
        budget: &Budget,
        depth: usize,
    ) -> Result<Term, Spent> {
        if budget.is_spent() {
            return Err(Spent::Time);
        }
        let terms = self.terms().clone();
        let members = prepare::simplified(&terms, formula, targets);
        let (groups, mut result) = prepare::components(&terms, &members, targets);
        for group in groups {
            let projected = match group[..] {
                [single] if depth < DEPTH => match terms.node(single) {
                    Node::Or(args) => {
                        let (open, mut closed): (Vec<Term>, Vec<Term>) =
                            args.iter().copied().partition(|&arg| {
                                !prepare::targets_of(&terms, arg, targets).is_empty()
                            });
                        for member in open {
                            closed.push(self.descend(
                                member,
                                targets,
                                shadow,
                                budget,
                                depth + 1,
                            )?);
                        }
                        terms.or(closed)
                    }
                    _ => self.cover(single, targets, shadow, budget)?,
                },
                _ => {
                    let formula = terms.and(group);
                    self.cover(formula, targets, shadow, budget)?
                }
            };
            result.extend(prepare::conjuncts(&terms, projected));
        }
        Ok(terms.and(reduce(&terms, result)))
    }

    fn cover(
        &mut self,
        formula: Term,
        targets: &FxHashSet<Symbol>,
        shadow: Shadow,
        budget: &Budget,
    ) -> Result<Term, Spent> {
        let (session, limits) = (&mut self.session, &self.limits);
        cover::cover(session, formula, targets, shadow, limits, budget)
    }
}

impl std::fmt::Debug for Projector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Projector")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
