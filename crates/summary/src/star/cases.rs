//! The cases of an iteration: single paths that it consists of.
//!
//! A case has a conjunction for a guard and values without branches, so that closures of it can be written down. They
//! are found by models: the implicant of one says which way each branch goes, and the next model is one that goes
//! another way. Inputs that a case settles go away: what equations say of them is put in their place, and those that
//! only the guard mentions are projected. Together the cases are the iteration, nothing more and nothing less.

use std::sync::Arc;

use rhumb_logic::cube::{implicant, reduce};
use rhumb_logic::num::Int;
use rhumb_logic::project::Projector;
use rhumb_logic::session::Session;
use rhumb_logic::{
    Answer, Assignment, Budget, Linear, Node, Sort, Symbol, Term, Terms, Transition,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Loop;

/// Iterations with more cases are not taken apart.
pub(super) const MOST: usize = 12;

/// Nor are iterations with more ways to go: several may be one case, once the inputs are settled. That takes work,
/// which isn't begun before all are found.
const WAYS: usize = 2 * MOST;

/// Nor are iterations with more terms.
const LARGEST: usize = 2_000;

/// Work that the solver may do for all cases of an iteration: what is left of a loop's share must be enough for the other operators.
const UNITS: u64 = 2_000_000;

/// The cases of an iteration, if they are few and all can be found.
pub(super) fn of(of: Loop<'_>, budget: &Budget) -> Option<Vec<Transition>> {
    let budget = &budget.with_allowance(UNITS);
    if of.size() > LARGEST {
        return None;
    }
    let mut finder = Finder::new(of);
    let mut ways: Vec<Way> = Vec::new();
    loop {
        let model = match finder.session.check(budget) {
            Answer::Sat(model) => model.into_assignment(),
            Answer::Unsat(_) => break,
            Answer::Unknown(_) => return None,
        };
        of.tools.keep([&model]);
        if ways.len() == WAYS {
            return None;
        }
        ways.push(finder.way(&model)?);
    }
    let mut cases: Vec<Transition> = Vec::new();
    for way in ways {
        let case = finder.case(way, budget)?;
        if !cases.contains(&case) {
            cases.push(case);
        }
        if cases.len() > MOST {
            return None;
        }
    }
    Some(cases)
}

/// The implicant of a model, by what its literals are about.
struct Way {
    guard: Vec<Term>,
    /// They say what the values afterwards are.
    values: Vec<Term>,
}

struct Finder<'a> {
    terms: &'a Arc<Terms>,
    iteration: &'a Transition,
    /// Stands for the values of the changed variables afterwards.
    after: Vec<Symbol>,
    formula: Term,
    session: Session,
    projector: Projector,
}

impl<'a> Finder<'a> {
    fn new(of: Loop<'a>) -> Finder<'a> {
        let Loop {
            terms, iteration, ..
        } = of;
        let updates = &iteration.updates;
        let after: Vec<Symbol> = (updates.iter())
            .map(|update| terms.fresh_copy(update.0))
            .collect();
        let pairs = updates.iter().map(|update| update.0);
        let formula = iteration.to_formula(terms, pairs.zip(after.iter().copied()));
        let mut session = of.tools.session();
        session.assert(formula);
        Finder {
            terms,
            iteration,
            after,
            formula,
            session,
            projector: of.tools.projector(),
        }
    }

    /// The way that a model goes. No further model will go it.
    fn way(&mut self, model: &Assignment) -> Option<Way> {
        let terms = self.terms;
        let literals = implicant(terms, self.formula, model)?;
        let is_after = |symbol: &Symbol| self.after.contains(symbol);
        let (values, guard): (Vec<Term>, Vec<Term>) = literals
            .into_iter()
            .partition(|&literal| terms.symbols([literal]).iter().any(is_after));
        self.session.assert(terms.not(terms.and(guard.clone())));
        Some(Way { guard, values })
    }

    /// The case of a way.
    fn case(&mut self, way: Way, budget: &Budget) -> Option<Transition> {
        let terms = self.terms;
        let Way { guard, values } = way;
        let updates: Option<Vec<(Symbol, Term)>> = (self.iteration.updates.iter())
            .zip(&self.after)
            .map(|(&(symbol, _), &after)| Some((symbol, value(terms, after, &values)?)))
            .collect();
        let mut case = Case {
            terms,
            updates: updates?,
            guard,
        };
        for &input in &self.iteration.inputs {
            case.settle(input);
        }
        let idle = case.idle(&self.iteration.inputs);
        case.project(&mut self.projector, &idle, budget);
        let guard = terms.and(case.guard);
        let inputs = self.iteration.inputs.iter().copied();
        let case = Transition::new(terms, case.updates, guard, inputs);
        Some(case.without_idle_inputs(terms))
    }
}

/// What the literals say that a symbol equals.
fn value(terms: &Terms, symbol: Symbol, literals: &[Term]) -> Option<Term> {
    let var = terms.var(symbol);
    if terms.symbol_info(symbol).sort == Sort::Bool {
        let is = |wanted: Term| literals.contains(&wanted);
        return match (is(var), is(terms.not(var))) {
            (true, _) => Some(terms.bool(true)),
            (_, true) => Some(terms.bool(false)),
            _ => None,
        };
    }
    literals
        .iter()
        .find_map(|&literal| match terms.node(literal) {
            Node::Zero(sum) => solved(terms, sum, var),
            _ => None,
        })
}

/// The value of a term that makes a sum zero, if that is an integer for sure.
fn solved(terms: &Terms, sum: &Linear, of: Term) -> Option<Term> {
    let factor = sum.coefficient(of);
    if factor != Int::ONE && factor != Int::NEG_ONE {
        return None;
    }
    let rest = terms.sub(terms.linear(sum), terms.scale(factor.clone(), of));
    let value = terms.scale(-factor, rest);
    let symbol = terms.as_symbol(of)?;
    let is_inside = terms.symbols([value]).binary_search(&symbol).is_ok();
    (!is_inside).then_some(value)
}

/// A case that is being made simpler.
struct Case<'a> {
    terms: &'a Terms,
    updates: Vec<(Symbol, Term)>,
    guard: Vec<Term>,
}

impl Case<'_> {
    /// Puts what the guard says that an input equals in its place.
    fn settle(&mut self, input: Symbol) {
        let terms = self.terms;
        if terms.symbol_info(input).sort != Sort::Int {
            return;
        }
        let of = terms.var(input);
        let known: FxHashSet<Term> = self.guard.iter().copied().collect();
        let value = self.guard.iter().find_map(|&literal| {
            match terms.node(literal) {
                Node::Zero(sum) => solved(terms, sum, of),
                // Two inequalities make an equation.
                Node::AtMostZero(sum) => {
                    let opposite = terms.at_most_zero(&sum.times(&Int::NEG_ONE));
                    known.contains(&opposite).then(|| solved(terms, sum, of))?
                }
                _ => None,
            }
        });
        let Some(value) = value else { return };
        let map: FxHashMap<Symbol, Term> = FxHashMap::from_iter([(input, value)]);
        for update in &mut self.updates {
            update.1 = terms.substitute(update.1, &map);
        }
        let guard = terms.and(self.guard.iter().copied());
        let guard = terms.conjuncts(terms.substitute(guard, &map));
        self.guard = reduce(terms, guard);
    }

    /// The inputs that no value depends on.
    fn idle(&self, inputs: &[Symbol]) -> Vec<Symbol> {
        let used = (self.terms).symbols(self.updates.iter().map(|update| update.1));
        let is_idle = |input: &&Symbol| used.binary_search(input).is_err();
        inputs.iter().filter(is_idle).copied().collect()
    }

    /// Replaces what the guard says of some inputs by what that means for the state. Without an answer it stays as it is.
    fn project(&mut self, projector: &mut Projector, inputs: &[Symbol], budget: &Budget) {
        let terms = self.terms;
        let mentions = |&literal: &Term| {
            let symbols = terms.symbols([literal]);
            inputs
                .iter()
                .any(|input| symbols.binary_search(input).is_ok())
        };
        let (about, others): (Vec<Term>, Vec<Term>) =
            self.guard.iter().copied().partition(mentions);
        if about.is_empty() {
            return;
        }
        if let Ok(projected) = projector.exact(terms.and(about), inputs, budget) {
            let mut guard = others;
            guard.extend(terms.conjuncts(projected));
            self.guard = reduce(terms, guard);
        }
    }
}
