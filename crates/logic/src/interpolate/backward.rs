//! Interpolants from the end of a path to its beginning.
//!
//! What is blocked at a cut is a set of cubes (the negations of the label's clauses). Of a step only what the
//! refutation of a cube needs is taken: the states from which the step, so relaxed, leads into the cube are `∃ inputs.
//! guards ∧ cube[updates]`. Each conjunct without which the beginning of the path still refutes the rest is dropped.
//! Where inputs are left, they are projected lazily ([`Projection`]): any formula between the exact projection and what
//! the beginning of the path excludes will do. That a lazy result covers the projection is the solver's word: a wrong
//! projection could cost labels, but never make wrong ones. An exact projection is taken as it comes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Budget;
use crate::project::{Lazy, Verdict, model_based};
use crate::session::Answer;
use crate::term::{Renaming, Symbol, Term, Terms};
use crate::value::{Assignment, Value};

use super::core::{Shrunk, merge, shrink, split};
use super::label::Label;
use super::path::{PathSession, Step};
use super::{Interpolator, PathQuery, Refuted};

/// Disjunctions of up to so many members are blocked member by member.
const CASES: usize = 32;

/// How inputs are removed from what is blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Projection {
    /// Projected in steps of growing cost ([`Projector::lazy`](crate::project::Projector::lazy)), as far as runs of the
    /// beginning of the path ask for it. Where that finds nothing, as `Cover`.
    #[default]
    Guided,
    /// Model by model: each cube of the projection is made as weak as the beginning of the path allows, and blocked,
    /// until nothing is left to cover. Needs no more than model-based projection.
    Cover,
    /// By exact quantifier elimination, with nothing dropped but what the core doesn't need: weakest preconditions of
    /// the relaxed steps, as in the GPS paper.
    Exact,
}

/// Interpolation by weakest preconditions of relaxed steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backward {
    /// How inputs are removed.
    pub projection: Projection,
    /// Queries by which one cube is made weaker.
    pub queries: usize,
    /// Cubes of one projection.
    pub cubes: usize,
    /// Cubes at one cut.
    pub width: usize,
    /// So many cuts get labels, counted from the end of the path; those before get none.
    pub cuts: usize,
}

impl Default for Backward {
    fn default() -> Backward {
        Backward {
            projection: Projection::Guided,
            queries: 24,
            cubes: 64,
            width: 256,
            cuts: usize::MAX,
        }
    }
}

/// States that must not be entered, and why the beginning of the path doesn't.
struct Blocked {
    /// Conjuncts over the variables.
    cube: Vec<Term>,
    /// Assumptions that refute it: switches of steps before, and conjuncts of the precondition.
    support: Vec<Term>,
}

impl Interpolator for Backward {
    fn interpolate(&self, refuted: &mut Refuted<'_>, budget: &Budget) -> Option<Vec<Label>> {
        let terms = refuted.paths.terms().clone();
        let length = refuted.paths.len();
        let mut names = refuted.paths.symbols_at(length);
        let bad = refuted.paths.bad(refuted.query).into_iter();
        let (cube, ends): (Vec<Term>, Vec<Term>) = bad
            .filter(|(_, formula)| refuted.assumptions.contains(formula))
            .unzip();
        let before = (refuted.assumptions.iter()).filter(|assumption| !ends.contains(assumption));
        let support = before.copied().collect();
        let mut blocked = Vec::new();
        insert(&terms, &mut blocked, Blocked { cube, support });
        let mut labels = vec![label(&terms, &mut blocked, refuted.query, length)];
        // Steps behind the cut are of no use any more, and would only slow down the solver.
        while !blocked.is_empty()
            && labels.len() < self.cuts
            && let Some(step) = refuted.paths.retract()
        {
            for update in &step.updates {
                names.insert(update.variable, update.before);
            }
            blocked = refuted.paths.on_own_level(|paths| {
                let mut walk = Walk {
                    limits: self,
                    terms: &terms,
                    names: &names,
                    paths,
                    budget,
                };
                let mut next = Vec::new();
                for blocked in blocked {
                    walk.step_back(&step, blocked, &mut next)?;
                }
                Some(next)
            })?;
            if blocked.len() > self.width || budget.is_spent() {
                return None;
            }
            let cut = refuted.paths.len();
            labels.push(label(&terms, &mut blocked, refuted.query, cut));
        }
        labels.resize(length + 1, Label::top());
        labels.reverse();
        Some(labels)
    }
}

/// The label that excludes what is blocked at a cut. What is known there needs no further explanation, so it is not blocked any more.
fn label(terms: &Terms, blocked: &mut Vec<Blocked>, query: &PathQuery<'_>, cut: usize) -> Label {
    let mut label = Label::top();
    blocked.retain(|Blocked { cube, .. }| {
        let cube = merge(terms, cube.clone());
        let clause = terms.or(cube.into_iter().map(|conjunct| terms.not(conjunct)));
        let is_new = !query.knows(terms, cut, clause);
        if is_new {
            label.insert(terms, clause);
        }
        is_new
    });
    label
}

/// One step back.
struct Walk<'w> {
    limits: &'w Backward,
    terms: &'w Terms,
    /// The symbols for the values of variables at the cut before the step.
    names: &'w FxHashMap<Symbol, Symbol>,
    paths: &'w mut PathSession,
    budget: &'w Budget,
}

impl Walk<'_> {
    /// Blocks, at the cut before a step, all states from which the step leads into the cube. None if that was not found within the limits.
    fn step_back(&mut self, step: &Step, blocked: Blocked, next: &mut Vec<Blocked>) -> Option<()> {
        let terms = self.terms;
        let mentioned = terms.symbols(blocked.cube.iter().copied());
        let is_mentioned = |symbol: &Symbol| mentioned.binary_search(symbol).is_ok();
        let is_needed = |switch: &Term| blocked.support.contains(switch);
        let touched: Vec<_> = (step.updates.iter())
            .filter(|update| is_mentioned(&update.variable))
            .collect();
        let guards: Vec<Term> = (step.guards.iter())
            .filter(|guard| is_needed(&guard.switch))
            .map(|guard| guard.conjunct)
            .collect();
        if touched.is_empty() && guards.is_empty() {
            insert(terms, next, blocked);
            return Some(());
        }
        // The new values that matter are substituted; the others may be anything.
        let mut any: FxHashSet<Symbol> = step.inputs.iter().map(|&(input, _)| input).collect();
        let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
        for update in touched {
            if is_needed(&update.switch) {
                values.insert(update.variable, update.value);
            } else {
                values.insert(update.variable, terms.var(update.after));
                any.insert(update.after);
            }
        }
        let of_step: FxHashSet<Term> = (step.guards.iter().map(|guard| guard.switch))
            .chain(step.updates.iter().map(|update| update.switch))
            .collect();
        let mut support = blocked.support;
        support.retain(|assumption| !of_step.contains(assumption));
        if support.is_empty() {
            // Nothing before the step is needed: there are no such states.
            return Some(());
        }
        let mut renaming = Renaming::new(values);
        let cube = (blocked.cube.iter()).map(|&conjunct| renaming.apply(terms, conjunct));
        let cube = terms.conjuncts(terms.and(cube));
        let all = || cube.iter().chain(&guards).copied();
        if all().any(|conjunct| terms.as_bool(conjunct) == Some(false)) {
            return Some(());
        }
        if self.limits.projection == Projection::Exact {
            return self.eliminate(terms.and(all()), &any, support, next);
        }
        let names = (self.names.iter().map(|(&name, &symbol)| (name, symbol)))
            .chain(step.inputs.iter().copied())
            .map(|(name, symbol)| (name, terms.var(symbol)));
        let mut renaming = Renaming::new(names.collect());
        let (open, mut closed): (Vec<Term>, Vec<Term>) =
            all().partition(|&conjunct| mentions(terms, conjunct, &any));
        if open.is_empty() {
            // The old conjuncts are as necessary as they were after the step; of the guards, the solver's core may have
            // more than necessary.
            closed.sort_by_key(|conjunct| !guards.contains(conjunct));
            let unchanged = Blocked {
                cube: closed.clone(),
                support: support.clone(),
            };
            let weakened = match guards.len() {
                0 => None,
                count => self.weaken(&closed, count, &mut renaming, &support),
            };
            insert(terms, next, weakened.unwrap_or(unchanged));
            return Some(());
        }
        // Perhaps nothing has to be projected.
        closed.sort_by_cached_key(|&conjunct| std::cmp::Reverse(terms.size(conjunct)));
        let count = closed.len();
        if count > 0
            && let Some(blocked) = self.weaken(&closed, count, &mut renaming, &support)
        {
            insert(terms, next, blocked);
            return Some(());
        }
        let cube = merge(terms, all().collect());
        if self.limits.projection == Projection::Guided
            && let Some(blocked) = self.guided(&cube, &any, &mut renaming, &support)
        {
            insert(terms, next, blocked);
            return Some(());
        }
        self.cover(cube, &any, &mut renaming, &support, next)
    }

    /// Blocks the exact projection.
    fn eliminate(
        &mut self,
        formula: Term,
        any: &FxHashSet<Symbol>,
        support: Vec<Term>,
        next: &mut Vec<Blocked>,
    ) -> Option<()> {
        let terms = self.terms;
        let eliminate: Vec<Symbol> = any.iter().copied().collect();
        let mut projector = self.paths.take_projector();
        let projected = projector.exact(formula, &eliminate, self.budget);
        self.paths.put_projector(projector);
        let projected = projected.ok()?;
        if terms.as_bool(projected) != Some(false) {
            let cube = terms.conjuncts(projected);
            insert(terms, next, Blocked { cube, support });
        }
        Some(())
    }

    /// Drops conjuncts that the support doesn't need to refute the others, the first `removable` ones first. None if
    /// all together are not refuted, or that was not decided.
    fn weaken(
        &mut self,
        conjuncts: &[Term],
        removable: usize,
        renaming: &mut Renaming,
        support: &[Term],
    ) -> Option<Blocked> {
        let named: Vec<Term> = (conjuncts.iter())
            .map(|&conjunct| renaming.apply(self.terms, conjunct))
            .collect();
        let (session, queries) = (self.paths.session(), self.limits.queries);
        let shrunk = shrink(session, support, &named, removable, queries, self.budget);
        let Shrunk::Core { fixed, kept } = shrunk else {
            return None;
        };
        let kept = (conjuncts.iter().zip(named))
            .filter(|(_, named)| kept.contains(named))
            .map(|(&conjunct, _)| conjunct);
        Some(Blocked {
            cube: kept.collect(),
            support: fixed,
        })
    }

    /// What the projection of a cube implies and the support refutes; none if that was not found.
    fn guided(
        &mut self,
        cube: &[Term],
        any: &FxHashSet<Symbol>,
        renaming: &mut Renaming,
        support: &[Term],
    ) -> Option<Blocked> {
        let (terms, budget) = (self.terms, self.budget);
        let formula = terms.and(cube.iter().copied());
        let symbols = terms.symbols([formula]);
        let (eliminate, kept): (Vec<Symbol>, Vec<Symbol>) =
            symbols.iter().partition(|symbol| any.contains(symbol));
        let mut projector = self.paths.take_projector();
        let mut accept = |candidate: Term| {
            let conjuncts = terms.conjuncts(candidate).into_iter();
            let mut question: Vec<Term> = conjuncts
                .map(|conjunct| renaming.apply(terms, conjunct))
                .collect();
            question.extend(support);
            match self.paths.session().check_assuming(&question, budget) {
                Answer::Unsat(_) => Verdict::Accepted,
                Answer::Unknown(_) => Verdict::Rejected(None),
                Answer::Sat(model) => {
                    let value = |&name: &Symbol| {
                        let symbol = self.names.get(&name).copied().unwrap_or(name);
                        Some((name, model.value_or_default(terms, symbol)?))
                    };
                    Verdict::Rejected(Some(kept.iter().filter_map(value).collect()))
                }
            }
        };
        let found = projector.lazy(formula, &eliminate, budget, &mut accept);
        self.paths.put_projector(projector);
        let Ok(Lazy::Accepted(projected, _)) = found else {
            return None;
        };
        let mut question = cube.to_vec();
        question.push(terms.not(projected));
        if self.paths.session().is_sat(&question, budget) != Some(false) {
            return None;
        }
        let mut part = split(terms, terms.conjuncts(projected));
        part.sort_by_cached_key(|&conjunct| std::cmp::Reverse(terms.size(conjunct)));
        self.weaken(&part, part.len(), renaming, support)
    }

    /// Blocks cubes that together cover the projection of a cube, each refuted by the support.
    fn cover(
        &mut self,
        cube: Vec<Term>,
        any: &FxHashSet<Symbol>,
        renaming: &mut Renaming,
        support: &[Term],
        next: &mut Vec<Blocked>,
    ) -> Option<()> {
        let terms = self.terms;
        let symbols = terms.symbols(cube.iter().copied());
        let eliminate: Vec<Symbol> = (symbols.iter().copied())
            .filter(|symbol| any.contains(symbol))
            .collect();
        // The question is what is left of the cube: it is asked about the variables themselves, which no assumption here concerns.
        let mut question = cube.clone();
        for _ in 0..self.limits.cubes {
            let session = self.paths.session();
            let mut model = match session.check_assuming(&question, self.budget) {
                Answer::Unsat(_) => return Some(()),
                Answer::Unknown(_) => return None,
                Answer::Sat(model) => model.into_assignment(),
            };
            complete(terms, &symbols, &mut model);
            let part = model_based(terms, &cube, &eliminate, &model)?;
            if part.iter().any(|&it| mentions(terms, it, any)) {
                return None;
            }
            let mut part = split(terms, part);
            part.sort_by_cached_key(|&conjunct| std::cmp::Reverse(terms.size(conjunct)));
            let part = self.weaken(&part, part.len(), renaming, support)?;
            let excluded = part.cube.iter().map(|&conjunct| terms.not(conjunct));
            question.push(terms.or(excluded));
            insert(terms, next, part);
        }
        None
    }
}

/// Adds a cube unless another one contains it already; removes those that it contains. A cube that is nothing but a
/// disjunction is several cubes, which the same support refutes.
fn insert(terms: &Terms, next: &mut Vec<Blocked>, blocked: Blocked) {
    if let [single] = blocked.cube[..] {
        let cases = terms.disjuncts(single);
        if (2..=CASES).contains(&cases.len()) {
            for case in cases {
                let cube = terms.conjuncts(case);
                let support = blocked.support.clone();
                insert(terms, next, Blocked { cube, support });
            }
            return;
        }
    }
    let within = |small: &[Term], large: &[Term]| small.iter().all(|it| large.contains(it));
    if next.iter().any(|known| within(&known.cube, &blocked.cube)) {
        return;
    }
    next.retain(|known| !within(&blocked.cube, &known.cube));
    next.push(blocked);
}

fn mentions(terms: &Terms, term: Term, symbols: &FxHashSet<Symbol>) -> bool {
    !symbols.is_empty() && (terms.symbols([term]).iter()).any(|symbol| symbols.contains(symbol))
}

/// Gives symbols without a value the default of their sort.
fn complete(terms: &Terms, symbols: &[Symbol], model: &mut Assignment) {
    for &symbol in symbols {
        if let Some(value) = Value::default_of(terms.symbol_info(symbol).sort) {
            model.entry(symbol).or_insert(value);
        }
    }
}
