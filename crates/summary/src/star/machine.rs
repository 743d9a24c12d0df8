//! Loops that are machines: which case of the body can follow which.
//!
//! The class: bodies of a few cases of which not every one can follow every other, such as state machines, phases that
//! come one after the other, and branches that are taken in turn. The cases are the nodes of a graph, with an edge
//! where two can be taken in a row. Its strongly connected components are passed in their order, so the loop is a chain
//! of their closures: a case that can't be repeated is taken once or not at all, one that can is a loop of its own, and
//! in a component where every cycle goes through one case `a` the words from `a` back to `a` are the iterations of a
//! loop: with `X` for the chain of the other cases, the component is `X ; (a ; X ; [a can be taken])* ; (1 + a ; X)`.
//! Other components are loops as they are.
//!
//! The contract: every part says that it is empty or begins in a state that allows one of its cases, exactly. So if a
//! case comes before a run, the parts of the run that come before the case's own are empty, and the case is one more
//! iteration of its own part. In a component with `a` in all cycles, another case before a run is one more of the first
//! `X`. If it is `a`, the first `X` of the run becomes part of an iteration `a ; X`, the last one if the run had none,
//! and the new first `X` is empty.

use rhumb_logic::{Budget, Sort, Symbol, Term, Transition};
use rustc_hash::FxHashMap;

use super::{Closure, How, Loop, LoopOperator, Said, acceleration, cases, closure};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "machine",
    about: "state machines, phases in an order, branches in turn: loops whose cases can't all follow each other",
    how: How::Cases(machine),
};

/// Work that the solver may do to see whether a case can follow another.
const UNITS: u64 = 100_000;

fn machine(of: Loop<'_>, cases: &[Transition], depth: usize, budget: &Budget) -> Option<Said> {
    let machine = Machine::new(of, cases, depth, budget);
    if let Some(exact) = machine.chain(machine.all(), Precision::Exact) {
        return Some(Said::Everything(exact));
    }
    // A loop that is one component is what it was before.
    let is_apart = machine.components(machine.all()).len() > 1;
    let chain = is_apart.then(|| machine.chain(machine.all(), Precision::Any))?;
    chain.map(Said::Something)
}

/// Any number of iterations of a loop, exactly, if it is a machine all of whose parts have an exact closure.
pub(super) fn exactly(of: Loop<'_>, depth: usize, budget: &Budget) -> Option<Closure> {
    if let Some(exact) = acceleration::accelerated(of) {
        return Some(exact);
    }
    let deeper = depth.checked_sub(1)?;
    let cases = cases::of(of, budget)?;
    let machine = Machine::new(of, &cases, deeper, budget);
    machine.chain(machine.all(), Precision::Exact)
}

/// Nodes, by the bits of their numbers.
type Nodes = u16;

fn members(nodes: Nodes) -> impl Iterator<Item = usize> {
    (0..cases::MOST).filter(move |&node| has(nodes, node))
}

fn has(nodes: Nodes, node: usize) -> bool {
    nodes & (1 << node) != 0
}

/// Whether a closure has to be exact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Precision {
    Exact,
    Any,
}

struct Machine<'a> {
    of: Loop<'a>,
    cases: &'a [Transition],
    /// For each case those that can follow it.
    follow: Vec<Nodes>,
    depth: usize,
    budget: &'a Budget,
}

impl<'a> Machine<'a> {
    fn new(of: Loop<'a>, cases: &'a [Transition], depth: usize, budget: &'a Budget) -> Machine<'a> {
        let terms = of.terms;
        let mut session = of.tools.session();
        let query = &budget.with_units(UNITS);
        let mut can_follow = |one: &Transition, two: &Transition| {
            let both = one.compose(terms, two).guard;
            // Without an answer it may.
            !session.check_assuming(&[both], query).is_unsat()
        };
        let mut followers = |one: &Transition| {
            let bits = cases.iter().enumerate();
            bits.filter(|(_, two)| can_follow(one, two))
                .fold(0, |nodes: Nodes, (number, _)| nodes | 1 << number)
        };
        Machine {
            of,
            follow: cases.iter().map(&mut followers).collect(),
            cases,
            depth,
            budget,
        }
    }

    fn all(&self) -> Nodes {
        (0..self.cases.len()).fold(0, |nodes, node| nodes | 1 << node)
    }

    /// For each case the cases that a run inside of some nodes can take later on.
    fn later(&self, nodes: Nodes) -> Vec<Nodes> {
        let inside = |node: usize| if has(nodes, node) { nodes } else { 0 };
        let mut later: Vec<Nodes> = (self.follow.iter().enumerate())
            .map(|(node, &followers)| followers & inside(node))
            .collect();
        for middle in members(nodes) {
            let from_middle = later[middle];
            for node in members(nodes) {
                if has(later[node], middle) {
                    later[node] |= from_middle;
                }
            }
        }
        later
    }

    /// The strongly connected components inside of some nodes, in the order in which a run passes them.
    fn components(&self, nodes: Nodes) -> Vec<Nodes> {
        let later = self.later(nodes);
        let mut components: Vec<(u32, Nodes)> = Vec::new();
        for node in members(nodes) {
            let mutual = members(later[node]).filter(|&other| has(later[other], node));
            let component = mutual.fold(1 << node, |all: Nodes, other| all | 1 << other);
            // Who comes earlier reaches all that a later one reaches, and more.
            let reached = (later[node] | component).count_ones();
            if !components.iter().any(|&(_, known)| known == component) {
                components.push((reached, component));
            }
        }
        components.sort_by_key(|&(reached, _)| std::cmp::Reverse(reached));
        components.into_iter().map(|part| part.1).collect()
    }

    /// Runs inside of some nodes: their components one after the other.
    fn chain(&self, nodes: Nodes, precision: Precision) -> Option<Closure> {
        let terms = self.of.terms;
        let mut chain = Closure {
            transition: Transition::identity(terms),
            count: terms.int(0),
        };
        for component in self.components(nodes) {
            if self.budget.is_spent() {
                return None;
            }
            let part = self.component(component, precision)?;
            chain = then(self.of, &chain, &part);
        }
        Some(chain)
    }

    fn component(&self, nodes: Nodes, precision: Precision) -> Option<Closure> {
        let exact = match members(nodes).next() {
            Some(node) if nodes == 1 << node => self.single(node),
            _ => self.words(nodes),
        };
        match precision {
            Precision::Any => exact.or_else(|| Some(self.as_it_is(nodes))),
            Precision::Exact => exact,
        }
    }

    /// One case by itself.
    fn single(&self, node: usize) -> Option<Closure> {
        let (terms, case) = (self.of.terms, &self.cases[node]);
        if has(self.follow[node], node) {
            let iteration = Loop {
                iteration: case,
                ..self.of
            };
            return acceleration::accelerated(iteration);
        }
        Some(optional(self.of, case, terms.int(1)))
    }

    /// A component in which every cycle goes through one case, if the words between can be accelerated.
    fn words(&self, nodes: Nodes) -> Option<Closure> {
        let terms = self.of.terms;
        let is_acyclic = |nodes: Nodes| {
            let later = self.later(nodes);
            !members(nodes).any(|node| has(later[node], node))
        };
        let first = members(nodes).find(|&node| is_acyclic(nodes & !(1 << node)))?;
        let start = &self.cases[first];
        let between = self.chain(nodes & !(1 << first), Precision::Exact)?;
        let from_start = |between: &Closure| Closure {
            transition: start.compose(terms, &between.transition),
            count: terms.add(between.count, terms.int(1)),
        };
        let round = from_start(&fresh(self.of, &between));
        let again = Transition {
            updates: Vec::new(),
            ..start.clone()
        };
        let round = Closure {
            transition: round.transition.compose(terms, &again),
            ..round
        };
        let rounds = self.rounds(&round)?;
        let last = from_start(&fresh(self.of, &between));
        let last = optional(self.of, &last.transition, last.count);
        Some(then(self.of, &then(self.of, &between, &rounds), &last))
    }

    /// Any number of rounds, each of which is a number of iterations: a variable of its own counts these.
    fn rounds(&self, round: &Closure) -> Option<Closure> {
        let terms = self.of.terms;
        let counter = terms.symbol("iterations", Sort::Int);
        let counted = terms.add(terms.var(counter), round.count);
        let mut state = self.of.state.to_vec();
        state.push(counter);
        state.sort_unstable();
        let mut iteration = round.transition.clone();
        iteration.updates.push((counter, counted));
        iteration.updates.sort_unstable();
        let of = Loop {
            iteration: &iteration,
            state: &state,
            ..self.of
        };
        let rounds = exactly(of, self.depth, self.budget)?.transition;
        let from_zero: FxHashMap<Symbol, Term> = FxHashMap::from_iter([(counter, terms.int(0))]);
        let counted = |term: Term| terms.substitute(term, &from_zero);
        let count = counted(rounds.value_of(terms, counter));
        let updates = rounds.updates.iter().filter(|update| update.0 != counter);
        let updates = updates.map(|&(symbol, value)| (symbol, counted(value)));
        Some(Closure {
            transition: Transition::new(
                terms,
                updates.collect::<Vec<_>>(),
                counted(rounds.guard),
                rounds.inputs.iter().copied(),
            ),
            count,
        })
    }

    /// A component as a loop of its own, about which the other operators are asked.
    fn as_it_is(&self, nodes: Nodes) -> Closure {
        let terms = self.of.terms;
        let zero = Transition::zero(terms);
        let iteration = members(nodes).fold(zero, |all, node| all.choice(terms, &self.cases[node]));
        let of = Loop {
            iteration: &iteration,
            ..self.of
        };
        let Closure { transition, count } =
            closure(of, of.tools.operators(), self.depth, self.budget);
        // Where it begins an iteration must be possible, with inputs of its own.
        let (first, inputs) = iteration.rename_apart(terms);
        let begins = terms.or([terms.eq(count, terms.int(0)), first.guard]);
        let mut transition = transition.restrict(terms, begins);
        transition.inputs.extend(inputs);
        transition.inputs.sort_unstable();
        Closure { transition, count }
    }
}

/// One closure after the other. Their counts must be made of inputs that only one of them has.
fn then(of: Loop<'_>, one: &Closure, two: &Closure) -> Closure {
    Closure {
        transition: one.transition.compose(of.terms, &two.transition),
        count: of.terms.add(one.count, two.count),
    }
}

/// A step that is so many iterations, or none.
fn optional(of: Loop<'_>, step: &Transition, iterations: Term) -> Closure {
    let terms = of.terms;
    let symbol = terms.symbol("taken", Sort::Bool);
    let taken = terms.var(symbol);
    let updates = (step.updates.iter())
        .map(|&(symbol, value)| (symbol, terms.ite(taken, value, terms.var(symbol))));
    Closure {
        transition: Transition::new(
            terms,
            updates.collect::<Vec<_>>(),
            terms.implies(taken, step.guard),
            step.inputs.iter().copied().chain([symbol]),
        ),
        count: terms.ite(taken, iterations, terms.int(0)),
    }
}

/// The same closure with inputs of its own.
fn fresh(of: Loop<'_>, closure: &Closure) -> Closure {
    let terms = of.terms;
    let (transition, inputs) = closure.transition.rename_apart(terms);
    let pairs = closure.transition.inputs.iter().zip(&inputs);
    let map = pairs.map(|(&old, &new)| (old, terms.var(new)));
    let count = terms.substitute(closure.count, &map.collect());
    Closure { transition, count }
}
