//! Lazy projection: no more of `∃ k. F` than a purpose needs.
//!
//! Any `E` without the symbols that `∃ k. F` implies will do if the purpose accepts it, and the weaker it is, the
//! simpler and the more general are the facts that come of it. The purpose is a function that accepts a candidate or
//! says where it is too weak, by a model. The next candidate excludes that model, as cheaply as possible: only the
//! conjuncts of `F` that contradict the model are projected, over the reals if that is enough.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Budget;
use crate::eval;
use crate::session::Answer;
use crate::term::{Symbol, Term, Terms};
use crate::value::Assignment;

use super::eliminate::Shadow;
use super::linearise::constant;
use super::{Projector, Spent, prepare};

/// What a purpose says of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is strong enough.
    Accepted,
    /// It is too weak: it holds at this assignment, at which it shouldn't; if none is given, nobody knows where.
    Rejected(Option<Assignment>),
}

/// How far a lazy projection had to go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// The conjuncts without the symbols were enough.
    Untouched,
    /// So was what elimination on the graph of the formula leaves without them.
    Prepared,
    /// Some conjuncts were projected over the reals.
    Rational,
    /// Some were projected exactly.
    Exact,
}

/// The outcome of a lazy projection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lazy {
    /// This formula is implied by the projection, and was accepted.
    Accepted(Term, Step),
    /// Nothing that the projection implies can be accepted: a candidate was rejected for this assignment (if there is
    /// one), and it satisfies the projection. It has values for the symbols that elimination on the graph of the
    /// formula left.
    Hopeless(Option<Assignment>),
}

/// What is known of a projection so far.
struct Candidate {
    /// The conjuncts, each implied by the projection.
    parts: Vec<Term>,
    step: Step,
    /// The strongest projection that was made of some conjuncts.
    tried: FxHashMap<Term, Step>,
}

impl Candidate {
    fn formula(&self, terms: &Terms) -> Term {
        terms.and(self.parts.iter().copied())
    }

    fn add(&mut self, part: Term, step: Step) {
        self.parts.push(part);
        self.step = self.step.max(step);
    }
}

impl Projector {
    /// The cheapest formula without the symbols that `∃ eliminate. formula` implies and that `accept` accepts.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use rhumb_logic::project::{Lazy, Projector, Step, Verdict};
    /// use rhumb_logic::{Budget, Sort, Terms};
    /// let terms = Arc::new(Terms::new());
    /// let (x, k) = (terms.symbol("x", Sort::Int), terms.symbol("k", Sort::Int));
    /// let (vx, vk) = (terms.var(x), terms.var(k));
    /// let even = terms.eq(vx, terms.scale(2, vk));
    /// let positive = terms.gt(vx, terms.int(0));
    /// let formula = terms.and([even, positive]);
    /// // Who only wants to know that x is positive does not hear that it is even.
    /// let mut accept = |candidate| {
    ///     if candidate == positive { Verdict::Accepted } else { Verdict::Rejected(None) }
    /// };
    /// let answer = Projector::new(terms.clone()).lazy(formula, &[k], &Budget::unlimited(), &mut accept);
    /// assert_eq!(answer, Ok(Lazy::Accepted(positive, Step::Untouched)));
    /// ```
    pub fn lazy(
        &mut self,
        formula: Term,
        eliminate: &[Symbol],
        budget: &Budget,
        accept: &mut dyn FnMut(Term) -> Verdict,
    ) -> Result<Lazy, Spent> {
        let targets: FxHashSet<Symbol> = eliminate.iter().copied().collect();
        let terms = self.terms().clone();
        let formula = terms.expand(formula);
        let members = prepare::conjuncts(&terms, formula);
        let (_, untouched) = prepare::components(&terms, &members, &targets);
        let mut candidate = Candidate {
            parts: untouched,
            step: Step::Untouched,
            tried: FxHashMap::default(),
        };
        let first = candidate.formula(&terms);
        let mut verdict = accept(first);
        if verdict == Verdict::Accepted {
            return Ok(Lazy::Accepted(first, Step::Untouched));
        }
        let members = prepare::simplified(&terms, formula, &targets);
        let (groups, free) = prepare::components(&terms, &members, &targets);
        candidate.parts = free;
        candidate.step = Step::Prepared;
        if candidate.formula(&terms) != first {
            verdict = accept(candidate.formula(&terms));
        }
        let open: Vec<Term> = groups.into_iter().flatten().collect();
        for _ in 0..=self.limits.rounds {
            let model = match verdict {
                Verdict::Accepted => {
                    return Ok(Lazy::Accepted(candidate.formula(&terms), candidate.step));
                }
                Verdict::Rejected(model) => model,
            };
            let stronger = match model {
                None => self.strengthen(&mut candidate, &open, &targets, None, budget)?,
                Some(model) => match self.conflict(&open, &targets, &model, budget)? {
                    Conflict::Model(model) => return Ok(Lazy::Hopeless(Some(model))),
                    Conflict::Core(core) => {
                        let model = Some(&model);
                        self.strengthen(&mut candidate, &core, &targets, model, budget)?
                    }
                },
            };
            if !stronger {
                // The whole projection was not enough, or the purpose insists on a model that the candidate excludes.
                return Ok(Lazy::Hopeless(None));
            }
            verdict = accept(candidate.formula(&terms));
        }
        Err(Spent::Rounds)
    }

    /// Adds a projection of some members: over the reals, or exactly if that was done already or doesn't exclude the
    /// model. False if there is nothing to add.
    fn strengthen(
        &mut self,
        candidate: &mut Candidate,
        members: &[Term],
        targets: &FxHashSet<Symbol>,
        model: Option<&Assignment>,
        budget: &Budget,
    ) -> Result<bool, Spent> {
        let terms = self.terms().clone();
        let part = terms.and(members.iter().copied());
        let before = candidate.tried.get(&part).copied();
        if before == Some(Step::Exact) {
            return Ok(false);
        }
        if before.is_none() {
            let real = self.descend(part, targets, Shadow::Over, budget, 0);
            candidate.tried.insert(part, Step::Rational);
            // A real projection that takes too long is no reason to give up: the exact one may not.
            if let Ok(real) = real
                && model.is_none_or(|model| !eval::holds(&terms, real, model))
            {
                candidate.add(real, Step::Rational);
                return Ok(true);
            }
        }
        let exact = self.descend(part, targets, Shadow::Under, budget, 0)?;
        candidate.tried.insert(part, Step::Exact);
        candidate.add(exact, Step::Exact);
        Ok(true)
    }

    /// The members that contradict an assignment of what stays, or a model of all of them that agrees with it.
    fn conflict(
        &mut self,
        members: &[Term],
        targets: &FxHashSet<Symbol>,
        model: &Assignment,
        budget: &Budget,
    ) -> Result<Conflict, Spent> {
        let terms = self.terms().clone();
        self.session.push();
        for symbol in terms.symbols(members.iter().copied()) {
            // What the assignment doesn't mention may have any value.
            if !targets.contains(&symbol)
                && model.contains_key(&symbol)
                && let Some(value) = constant(&terms, symbol, model)
            {
                let equation = terms.eq(terms.var(symbol), value);
                self.session.assert(equation);
            }
        }
        let answer = match self.session.check_assuming(members, budget) {
            Answer::Sat(found) => {
                let mut both = model.clone();
                both.extend(found.into_assignment());
                Ok(Conflict::Model(both))
            }
            Answer::Unsat(core) => Ok(Conflict::Core(self.session.minimise_core(&core, budget))),
            Answer::Unknown(reason) => Err(Spent::Solver(reason)),
        };
        self.session.pop();
        answer
    }
}

enum Conflict {
    Model(Assignment),
    Core(Vec<Term>),
}
