//! The ends of ways: what all paths of an expression that lead to goals require of the state where they begin.
//!
//! A way is put together from its end. What is required behind a step becomes what is required before it by
//! substitution, and that takes as long as the formula is: with one step after the other it would be quadratic, and a
//! sum that every step adds to (gas) makes it so in size, too. So after some steps the state gets names of its own:
//! what lies behind is a formula over these names, which nobody touches any more, and the next step says what they
//! stand for. The whole is linear in the expression.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Transition};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Summaries;
use crate::path::{Path, PathId, Paths};
use crate::steps::Steps;

/// So often something is substituted into a formula before its symbols get names of their own. Fewer names make for easier questions.
const SUBSTITUTIONS: u32 = 12;

/// What an end of ways requires: `open` and `closed`.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    /// Over the state where it begins, and inputs.
    open: Term,
    /// Over inputs alone.
    closed: Term,
    /// The symbols of the state that the former is about, sorted.
    about: Arc<[Symbol]>,
    /// The inputs of steps that begin in the first component of the graph that it has steps in.
    near: Arc<[Symbol]>,
    /// How often something was substituted.
    substitutions: u32,
}

impl Tail {
    fn new(steps: &Steps, formula: Term, inputs: &[Symbol]) -> Tail {
        Tail {
            open: formula,
            closed: steps.terms.bool(true),
            about: of_state(steps, [formula]),
            near: inputs.into(),
            substitutions: 0,
        }
    }

    /// All of it, as the guard of a transition that changes nothing.
    pub(super) fn into_transition(self, steps: &Steps) -> Transition {
        let terms = &steps.terms;
        let guard = terms.and([self.open, self.closed]);
        let symbols = terms.symbols([guard]).into_iter();
        let inputs = symbols.filter(|symbol| steps.state.binary_search(symbol).is_err());
        Transition::new(terms, [], guard, inputs)
    }

    /// The same with other inputs in place of some.
    fn with_fresh(self, terms: &Terms, inputs: &[Symbol]) -> Tail {
        let fresh: FxHashMap<Symbol, Term> = (inputs.iter())
            .map(|&input| (input, terms.var(terms.fresh_copy(input))))
            .collect();
        Tail {
            open: terms.substitute(self.open, &fresh),
            closed: terms.substitute(self.closed, &fresh),
            ..self
        }
    }
}

/// A tail with names for the state where it begins.
#[derive(Clone, Debug)]
struct Named {
    /// Symbols of the state and their names.
    names: Vec<(Symbol, Symbol)>,
    /// What is required, over the names.
    closed: Term,
}

/// Tails that were put together, by their expressions.
#[derive(Clone, Default, Debug)]
pub(super) struct Tails {
    done: FxHashMap<PathId, Tail>,
    named: FxHashMap<PathId, Named>,
}

impl Tails {
    /// Forgets what is known of an expression.
    pub(super) fn forget(&mut self, path: PathId) {
        self.done.remove(&path);
        self.named.remove(&path);
    }

    fn named(&mut self, terms: &Terms, path: PathId, tail: &Tail) -> &Named {
        self.named.entry(path).or_insert_with(|| {
            let about = tail.about.iter();
            let names: Vec<(Symbol, Symbol)> = about
                .map(|&symbol| (symbol, terms.fresh_copy(symbol)))
                .collect();
            let map = (names.iter()).map(|&(symbol, name)| (symbol, terms.var(name)));
            let renamed = terms.substitute(tail.open, &map.collect());
            Named {
                names,
                closed: terms.and([renamed, tail.closed]),
            }
        })
    }
}

/// Between which components of the graph the edges of an expression begin: the first and the last, in topological order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    first: usize,
    last: usize,
}

/// Where the edges of all expressions begin.
pub(super) fn reach(steps: &Steps, paths: &Paths<NodeId, BlockEdgeId>) -> IndexVec<PathId, Reach> {
    let components = steps.graph().components();
    let count = components.iter().count();
    let mut reach: IndexVec<PathId, Reach> = IndexVec::with_capacity(paths.len());
    let nowhere = Reach {
        first: usize::MAX,
        last: 0,
    };
    // An expression comes after its parts.
    for index in 0..paths.len() {
        let both = |a: Reach, b: Reach| Reach {
            first: a.first.min(b.first),
            last: a.last.max(b.last),
        };
        let of = match paths.get(PathId::from_usize(index)) {
            Path::None | Path::Empty => nowhere,
            Path::Edge(edge) => {
                // Components come after those that they lead to.
                let at = count - components.of(steps.edges[*edge].source);
                Reach {
                    first: at,
                    last: at,
                }
            }
            Path::Then(first, second) => both(reach[*first], reach[*second]),
            Path::Or(members) => {
                let members = members.iter().map(|&member| reach[member]);
                members.fold(nowhere, both)
            }
            Path::Star { body, .. } => reach[*body],
        };
        reach.push(of);
    }
    reach
}

impl Summaries {
    /// What an expression that ends at goals requires, with formulas where it is the solution of another node.
    pub(super) fn tail(
        &mut self,
        whole: PathId,
        formula: &dyn Fn(NodeId) -> Option<Term>,
        tails: &mut Tails,
        budget: &Budget,
    ) -> Tail {
        // An expression comes after its parts, so in this order all that is needed is there.
        for path in self.needed(whole, formula, tails) {
            let other = self.solved_by(path).filter(|_| path != whole);
            let tail = match other.and_then(formula) {
                Some(formula) => Tail::new(&self.steps, formula, &[]),
                None => self.put_together(path, tails, budget),
            };
            tails.done.insert(path, tail);
        }
        tails.done[&whole].clone()
    }

    /// The ends of an expression that are not done, itself included, in order.
    fn needed(
        &self,
        whole: PathId,
        formula: &dyn Fn(NodeId) -> Option<Term>,
        tails: &Tails,
    ) -> Vec<PathId> {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![whole]);
        while let Some(path) = stack.pop() {
            if tails.done.contains_key(&path) || !seen.insert(path) {
                continue;
            }
            let other = self.solved_by(path).filter(|_| path != whole);
            match self.paths.get(path) {
                _ if other.and_then(formula).is_some() => {}
                Path::Then(_, rest) => stack.push(*rest),
                Path::Or(members) => stack.extend(members),
                _ => {}
            }
        }
        let mut needed: Vec<PathId> = seen.into_iter().collect();
        needed.sort_unstable();
        needed
    }

    /// A tail, from its own ends.
    fn put_together(&mut self, path: PathId, tails: &mut Tails, budget: &Budget) -> Tail {
        match self.paths.get(path).clone() {
            Path::Then(first, second) => {
                let step = self.evaluate(first, budget);
                self.after(first, &step, second, tails)
            }
            Path::Or(members) => {
                let mut members = members.iter().map(|member| tails.done[member].clone());
                let Some(first) = members.next() else {
                    return Tail::new(&self.steps, self.steps.terms.bool(false), &[]);
                };
                members.fold(first, |all, member| self.choice(all, member))
            }
            _ => {
                let step = self.evaluate(path, budget);
                Tail::new(&self.steps, step.guard, &step.inputs)
            }
        }
    }

    /// A step, and then a tail.
    fn after(&self, first: PathId, step: &Transition, second: PathId, tails: &mut Tails) -> Tail {
        let terms = &self.steps.terms;
        let mut tail = tails.done[&second].clone();
        // What both have is part of one component: each has its own run of it.
        let shared: Vec<Symbol> = match self.reach[first].last >= self.reach[second].first {
            true => common(&step.inputs, &tail.near),
            false => Vec::new(),
        };
        let is_named = tail.substitutions >= SUBSTITUTIONS && shared.is_empty();
        if !shared.is_empty() {
            tail = tail.with_fresh(terms, &shared);
        }
        let near = match self.reach[first].first == self.reach[second].first {
            true => union(&step.inputs, &tail.near),
            false => step.inputs[..].into(),
        };
        let values = (tail.about.iter()).map(|&symbol| step.value_of(terms, symbol));
        let about = of_state(&self.steps, values.chain([step.guard]));
        if !is_named {
            return Tail {
                open: step.before(terms, tail.open),
                about,
                near,
                substitutions: tail.substitutions + 1,
                ..tail
            };
        }
        let named = tails.named(terms, second, &tail);
        let names = named.names.iter().map(|&(symbol, name)| {
            let value = step.value_of(terms, symbol);
            terms.eq(terms.var(name), value)
        });
        Tail {
            open: terms.and(names.chain([step.guard])),
            closed: named.closed,
            about,
            near,
            substitutions: 0,
        }
    }

    /// One of two tails. Where conditions on the state exclude each other, which of them is decided by that; else it is an input.
    fn choice(&self, one: Tail, two: Tail) -> Tail {
        let terms = &self.steps.terms;
        match (terms.as_bool(one.open), terms.as_bool(two.open)) {
            (Some(false), _) => return two,
            (_, Some(false)) => return one,
            _ if one.open == two.open && one.closed == two.closed => return one,
            _ => {}
        }
        let first = self.excludes(one.open, two.open);
        let first = first.unwrap_or_else(|| terms.var(terms.symbol("choice", Sort::Bool)));
        let (mut open, mut closed) = ([one.open, two.open], one.closed);
        if one.closed != two.closed {
            // What is required of inputs alone is required where it belongs.
            let parts = [one.closed, two.closed].map(|part| {
                let is_needed = terms.var(terms.symbol("behind", Sort::Bool));
                (is_needed, terms.implies(is_needed, part))
            });
            open = [0, 1].map(|place| terms.and([open[place], parts[place].0]));
            closed = terms.and(parts.map(|part| part.1));
        }
        Tail {
            // The condition is a part of one of them.
            open: terms.ite(first, open[0], open[1]),
            closed,
            about: union(&one.about, &two.about),
            near: union(&one.near, &two.near),
            substitutions: one.substitutions.max(two.substitutions),
        }
    }

    /// A condition on the state that is a conjunct of the one formula, while its negation is one of the other.
    fn excludes(&self, one: Term, two: Term) -> Option<Term> {
        let terms = &self.steps.terms;
        let theirs: FxHashSet<Term> = terms.conjuncts(two).into_iter().collect();
        let mut ours = terms.conjuncts(one).into_iter();
        ours.find(|&conjunct| {
            let is_of_state = |symbol: &Symbol| self.steps.state.binary_search(symbol).is_ok();
            theirs.contains(&terms.not(conjunct))
                && terms.symbols([conjunct]).iter().all(is_of_state)
        })
    }
}

/// The symbols of both, sorted.
fn union(one: &[Symbol], two: &[Symbol]) -> Arc<[Symbol]> {
    let mut all: Vec<Symbol> = one.iter().chain(two).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Symbols that are in both, which are sorted.
fn common(one: &[Symbol], two: &[Symbol]) -> Vec<Symbol> {
    let is_in_both = |symbol: &Symbol| two.binary_search(symbol).is_ok();
    one.iter().copied().filter(is_in_both).collect()
}

/// The symbols of the state in some terms, sorted.
fn of_state(steps: &Steps, terms: impl IntoIterator<Item = Term>) -> Arc<[Symbol]> {
    let symbols = steps.terms.symbols(terms).into_iter();
    let of_state = symbols.filter(|symbol| steps.state.binary_search(symbol).is_ok());
    of_state.collect()
}
