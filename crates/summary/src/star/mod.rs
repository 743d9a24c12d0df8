//! Loop operators: from one iteration of a loop to any number of them.
//!
//! A [`LoopOperator`] gives, for the [`Body`] of a loop, facts `S_k` about the states before and after `k` iterations.
//! The contract that makes summaries closed, and proofs out of them possible: `S_0` is the identity, and an iteration
//! followed by `S_k` is contained in `S_(k+1)`. [`star`] takes what all operators say, for one and the same `k`: a
//! conjunction of relations that keep the contract keeps it. Adding an operator is adding a file and a line in
//! [`OPERATORS`].

mod acceleration;
mod cases;
mod counters;
mod decide;
mod few_iterations;
mod few_values;
mod growth;
mod guards;
mod last_iteration;
mod machine;
mod period;
mod products;
mod recurrences;
mod sorts;
mod split;
mod strides;
mod tools;
mod value_graph;

use std::sync::Arc;

use rhumb_logic::domain::interval::IntervalBox;
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::hull::{Abstraction, Hull};
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Transition};

use crate::preset::Preset;

pub use tools::{Cost, Effort, Tools};

/// An operator: what it says of a number of iterations.
pub struct LoopOperator {
    /// Its name.
    pub name: &'static str,
    /// What it is right for, in a sentence.
    pub about: &'static str,
    how: How,
}

/// How an operator speaks.
enum How {
    /// The closure itself, of loops that are in its class. Nothing else need be said of these.
    Exact(fn(Loop<'_>) -> Option<Closure>),
    /// The closure itself, or a closure, of loops that consist of a few cases, by these.
    Cases(fn(Loop<'_>, &[Transition], usize, &Budget) -> Option<Said>),
    /// A formula over the states before and after and the number of iterations that holds for every number from one on.
    Facts(fn(&mut Body, &Ends, &Budget) -> Term),
    /// Closures of the loop out of closures of parts of it, which may be taken apart themselves so many times.
    Parts(fn(Loop<'_>, usize, &Budget) -> Vec<Closure>),
    /// A closure of the loop, perhaps out of a weaker one. Used on whole loops, not on parts of them.
    Whole(fn(Loop<'_>, &Closure, &Budget) -> Option<Closure>),
}

/// What an operator says of the cases of a loop.
enum Said {
    /// The closure itself. Nothing else need be said.
    Everything(Closure),
    /// A closure.
    Something(Closure),
}

/// All operators. Those that are exact come first: where they apply, the others are not asked.
pub const OPERATORS: &[LoopOperator] = &[
    acceleration::OPERATOR,
    machine::OPERATOR,
    few_values::OPERATOR,
    few_iterations::OPERATOR,
    counters::OPERATOR,
    recurrences::OPERATOR,
    strides::OPERATOR,
    products::OPERATOR,
    guards::OPERATOR,
    value_graph::OPERATOR,
    last_iteration::OPERATOR,
    split::OPERATOR,
    period::OPERATOR,
];

/// What the paper's prototype has: closures of single paths, lossy translations and hulls of the guards, and phases
/// that are not taken apart again.
const OF_PAPER: &[LoopOperator] = &[
    acceleration::OPERATOR,
    recurrences::OPERATOR,
    guards::OPERATOR,
    split::OPERATOR,
];

/// The operators of a preset.
pub fn operators(preset: Preset) -> &'static [LoopOperator] {
    match preset {
        Preset::Paper => OF_PAPER,
        Preset::Full => OPERATORS,
    }
}

/// One iteration of a loop, prepared for abstraction.
pub struct Body {
    terms: Arc<Terms>,
    /// The variables that an iteration changes, with their new values.
    updates: Vec<(Symbol, Term)>,
    /// Numbers that it reads and doesn't change.
    constants: Vec<Symbol>,
    abstraction: Abstraction,
    effort: Effort,
}

/// The states at both ends of a number of iterations, as terms.
struct Ends {
    /// For each changed variable: its symbol, and the term for its value afterwards.
    changed: Vec<(Term, Term)>,
    /// The number of iterations.
    count: Term,
}

impl Body {
    /// An iteration, and an abstraction of its guard.
    fn new(of: Loop<'_>, abstraction: Abstraction) -> Body {
        let Loop {
            terms,
            iteration,
            state,
            tools,
            ..
        } = of;
        let used = terms.symbols(of.parts());
        let is_changed = |symbol: &Symbol| {
            let updates = &iteration.updates;
            updates
                .binary_search_by_key(symbol, |update| update.0)
                .is_ok()
        };
        Body {
            terms: terms.clone(),
            constants: used
                .into_iter()
                .filter(|symbol| state.binary_search(symbol).is_ok() && !is_changed(symbol))
                .filter(|&symbol| terms.symbol_info(symbol).sort == Sort::Int)
                .collect(),
            updates: iteration.updates.clone(),
            abstraction,
            effort: tools.effort(),
        }
    }

    /// The closed convex hull of some terms, within the share of a budget that a hull has.
    fn convex(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<Polyhedron> {
        let budget = self.effort.for_hull(budget);
        self.abstraction.convex(dimensions, &budget)
    }

    /// The lattice of some terms, within the share of a budget that a hull has.
    fn lattice(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<Lattice> {
        let budget = self.effort.for_hull(budget);
        self.abstraction.lattice(dimensions, &budget)
    }

    /// The least box around some terms, within the share of a budget that a hull has.
    fn intervals(&mut self, dimensions: &[Term], budget: &Budget) -> Hull<IntervalBox> {
        let budget = self.effort.for_hull(budget);
        self.abstraction.intervals(dimensions, &budget)
    }

    /// How much each changed variable grows in an iteration.
    fn growth(&self) -> Vec<Term> {
        let grown =
            |&(symbol, value): &(Symbol, Term)| self.terms.sub(value, self.terms.var(symbol));
        self.updates.iter().map(grown).collect()
    }
}

/// A loop whose iterations are to be summarised.
#[derive(Clone, Copy)]
pub struct Loop<'a> {
    /// The store.
    pub terms: &'a Arc<Terms>,
    /// One iteration.
    pub iteration: &'a Transition,
    /// What holds at the head, before and after every iteration.
    pub invariant: Term,
    /// All symbols of the state, sorted.
    pub state: &'a [Symbol],
    /// The operators, and what they share.
    pub tools: &'a Tools,
}

impl Loop<'_> {
    /// The terms that an iteration is made of: what variables become, and when it is taken.
    fn parts(&self) -> impl Iterator<Item = Term> {
        let values = self.iteration.updates.iter().map(|update| update.1);
        values.chain([self.iteration.guard])
    }

    /// How many terms that are in all.
    fn size(&self) -> usize {
        self.terms.postorder(self.parts()).len()
    }
}

/// Any number of iterations: a transition whose inputs are their number and what lies between.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The states before and after.
    pub transition: Transition,
    /// The number of iterations, over the inputs.
    pub count: Term,
}

impl Closure {
    /// What both say, for the same number of iterations.
    pub(crate) fn meet(&self, terms: &Terms, other: &Closure) -> Closure {
        let other = other.rename_apart(terms);
        Closure {
            transition: (self.transition.meet(terms, &other.transition))
                .restrict(terms, terms.eq(self.count, other.count)),
            count: self.count,
        }
    }

    /// The same with fresh inputs.
    fn rename_apart(&self, terms: &Terms) -> Closure {
        let (transition, fresh) = self.transition.rename_apart(terms);
        let pairs = self.transition.inputs.iter().zip(&fresh);
        let map = pairs.map(|(&old, &new)| (old, terms.var(new)));
        Closure {
            transition,
            count: terms.substitute(self.count, &map.collect()),
        }
    }
}

/// Any number of iterations of a loop: what all operators say together.
pub fn star(of: Loop<'_>, budget: &Budget) -> Transition {
    star_by(of, of.tools.operators(), budget).transition
}

/// What some operators say of a loop together. Those that take it apart use all operators of the tools on the parts.
pub fn star_by(of: Loop<'_>, operators: &[LoopOperator], budget: &Budget) -> Closure {
    let terms = of.terms;
    let iteration = of
        .iteration
        .restrict(terms, of.invariant)
        .restrict_after(terms, of.invariant);
    let of = Loop {
        iteration: &iteration,
        ..of
    };
    let budget = of.tools.for_loop(budget);
    sorts::over_numbers(of, |of| {
        closure(of, operators, of.tools.effort().depth, &budget)
    })
}

/// What all operators say of a part of a loop, whose iteration has the invariant in its guard. It may be taken apart so many times.
fn part(of: Loop<'_>, depth: usize, budget: &Budget) -> Closure {
    if let Some(known) = of.tools.known(of, depth) {
        return known;
    }
    let closure = closure(of, of.tools.operators(), depth, budget);
    // What was cut short for lack of means may be better another time.
    if !budget.is_spent() {
        of.tools.learn(of, depth, &closure);
    }
    closure
}

/// What some operators say of an iteration that has the invariant in its guard.
fn closure(of: Loop<'_>, operators: &[LoopOperator], depth: usize, budget: &Budget) -> Closure {
    let Loop { terms, tools, .. } = of;
    let is_whole = depth == tools.effort().depth;
    let mut abstraction = tools.abstraction(of.iteration.guard);
    let iteration = tools.charged("conditions", || {
        decide::decided(of, &mut abstraction, budget)
    });
    let of = Loop {
        iteration: &iteration,
        ..of
    };
    for operator in operators {
        if let How::Exact(exact) = operator.how
            && let Some(closure) = tools.charged(operator.name, || exact(of))
        {
            return closure;
        }
    }
    let mut found = match by_cases(of, operators, depth, budget) {
        Ok(exact) => return exact,
        Err(found) => found,
    };
    abstraction.simplify(iteration.guard);
    let mut body = Body::new(of, abstraction);
    let known = facts(of, &mut body, operators, budget);
    tools.keep(body.abstraction.models());
    // Its solver is free for the parts.
    drop(body);
    for operator in operators {
        match operator.how {
            How::Whole(whole) if is_whole => {
                found.extend(tools.charged(operator.name, || whole(of, &known, budget)));
            }
            How::Parts(parts) if depth > 0 && !budget.is_spent() => {
                found.extend(tools.charged(operator.name, || parts(of, depth - 1, budget)));
            }
            _ => {}
        }
    }
    let meet = |all: Closure, part: &Closure| all.meet(terms, part);
    found.iter().fold(known, meet)
}

/// The closure itself, or closures, by the operators that look at the cases of a loop.
fn by_cases(
    of: Loop<'_>,
    operators: &[LoopOperator],
    depth: usize,
    budget: &Budget,
) -> Result<Closure, Vec<Closure>> {
    let asked = operators.iter().filter_map(|operator| match operator.how {
        How::Cases(by) => Some((operator.name, by)),
        _ => None,
    });
    let mut asked = asked.peekable();
    let mut found = Vec::new();
    if depth == 0 || asked.peek().is_none() {
        return Err(found);
    }
    let cases = of.tools.charged("cases", || cases::of(of, budget));
    let Some(cases) = cases else {
        return Err(found);
    };
    for (name, by) in asked {
        match of.tools.charged(name, || by(of, &cases, depth - 1, budget)) {
            Some(Said::Everything(exact)) => return Ok(exact),
            Some(Said::Something(closure)) => found.push(closure),
            None => {}
        }
    }
    Err(found)
}

/// What the operators say that give facts.
fn facts(of: Loop<'_>, body: &mut Body, operators: &[LoopOperator], budget: &Budget) -> Closure {
    closure_of(of, |ends| {
        let facts = operators.iter().filter_map(|operator| match operator.how {
            How::Facts(facts) => {
                let facts = || facts(&mut *body, ends, budget);
                Some(of.tools.charged(operator.name, facts))
            }
            How::Exact(_) | How::Cases(_) | How::Parts(_) | How::Whole(_) => None,
        });
        of.terms.and(facts.collect::<Vec<_>>())
    })
}

/// The closure that says nothing but a formula, for every number of iterations from one on.
fn closure_of(of: Loop<'_>, several: impl FnOnce(&Ends) -> Term) -> Closure {
    let Loop {
        terms, iteration, ..
    } = of;
    let count = terms.symbol("k", Sort::Int);
    let after: Vec<(Symbol, Symbol)> = iteration
        .updates
        .iter()
        .map(|&(symbol, _)| (symbol, terms.fresh_copy(symbol)))
        .collect();
    let ends = Ends {
        changed: after
            .iter()
            .map(|&(before, after)| (terms.var(before), terms.var(after)))
            .collect(),
        count: terms.var(count),
    };
    let several = several(&ends);
    let same = ends
        .changed
        .iter()
        .map(|&(before, after)| terms.eq(before, after));
    let zero = terms.eq(ends.count, terms.int(0));
    let none = terms.and(same.chain([zero]).collect::<Vec<_>>());
    let some = terms.and([terms.ge(ends.count, terms.int(1)), several]);
    let inputs = after.iter().map(|pair| pair.1).chain([count]);
    let updates = after
        .iter()
        .map(|&(before, after)| (before, terms.var(after)));
    Closure {
        transition: Transition::new(
            terms,
            updates.collect::<Vec<_>>(),
            terms.or([none, some]),
            inputs.collect::<Vec<_>>(),
        ),
        count: ends.count,
    }
}
