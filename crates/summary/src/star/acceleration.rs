//! Exact closures of single paths that add constants and reset.
//!
//! The class: every changed variable grows by a constant, or gets a value made of variables that the loop doesn't
//! change and of growing ones; and the guard is a conjunction whose members are linear in the growing variables. Then
//! the state before iteration `j`, counted from 1 on, is known: `x + j·v`, and the reset values, made of the `x +
//! (j-1)·v` of the iteration before. A member of the guard holds for all of `j = 1 .. k-1` iff it does at one end or
//! both, depending on which way it drifts; before the first iteration (`j = 0`) the resets haven't happened, so the
//! guard is required there as it is. Nothing is lost in any step, so the relation for `k` is the `k`-th power of the
//! body: the contract of the operators holds with equality.

use rhumb_logic::num::Int;
use rhumb_logic::{Linear, Node, Renaming, Sort, Symbol, Term, Terms, Transition};
use rustc_hash::FxHashMap;

use super::{Closure, How, Loop, LoopOperator};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "acceleration",
    about: "single paths that add constants and reset, under a conjunctive guard",
    how: How::Exact(accelerated),
};

pub(super) fn accelerated(of: Loop<'_>) -> Option<Closure> {
    let Loop {
        terms, iteration, ..
    } = of;
    let count = terms.symbol("k", Sort::Int);
    let k = terms.var(count);
    let effect = Effect::of(terms, iteration)?;
    let members = terms.conjuncts(iteration.guard);
    let later: Option<Vec<Term>> = (members.iter())
        .map(|&member| effect.throughout(terms, member, k))
        .collect();
    let several = terms.and([
        terms.ge(k, terms.int(1)),
        iteration.guard,
        terms.or([terms.eq(k, terms.int(1)), terms.and(later?)]),
    ]);
    let none = terms.eq(k, terms.int(0));
    let updates = iteration.updates.iter().map(|&(symbol, value)| {
        let before = terms.var(symbol);
        let after = match effect.growth.get(&symbol) {
            Some(by) => terms.add(before, terms.scale(by.clone(), k)),
            None => terms.ite(none, before, effect.reset(terms, value, k)),
        };
        (symbol, after)
    });
    Some(Closure {
        transition: Transition::new(
            terms,
            updates.collect::<Vec<_>>(),
            terms.or([none, several]),
            [count],
        ),
        count: k,
    })
}

/// What an iteration does to the variables that it changes.
struct Effect {
    /// By how much variables grow.
    growth: FxHashMap<Symbol, Int>,
    /// What the others become.
    resets: FxHashMap<Symbol, Term>,
}

impl Effect {
    /// The effect, if the iteration is of the class and depends on no input.
    fn of(terms: &Terms, iteration: &Transition) -> Option<Effect> {
        let values = iteration.updates.iter().map(|update| update.1);
        let used = terms.symbols(values.chain([iteration.guard]));
        if used.iter().any(|used| iteration.inputs.contains(used)) {
            return None;
        }
        let mut effect = Effect {
            growth: FxHashMap::default(),
            resets: FxHashMap::default(),
        };
        for &(symbol, value) in &iteration.updates {
            let is_number = terms.symbol_info(symbol).sort == Sort::Int;
            let grown = is_number.then(|| terms.sub(value, terms.var(symbol)));
            if let Some(by) = grown.and_then(|grown| terms.as_int(grown)) {
                effect.growth.insert(symbol, by.clone());
            } else {
                effect.resets.insert(symbol, value);
            }
        }
        let is_lasting = |symbol: &Symbol| !effect.resets.contains_key(symbol);
        let values = effect.resets.values().copied();
        (terms.symbols(values).iter().all(is_lasting)).then_some(effect)
    }

    /// A term about growing variables after `j` iterations, as one about the state before.
    fn grown(&self, terms: &Terms, term: Term, j: Term) -> Term {
        let grown = self.growth.iter().map(|(&symbol, by)| {
            let sum = terms.add(terms.var(symbol), terms.scale(by.clone(), j));
            (symbol, sum)
        });
        Renaming::new(grown.collect()).apply(terms, term)
    }

    /// The value that the last of `j` iterations, at least one, gives to a variable.
    fn reset(&self, terms: &Terms, value: Term, j: Term) -> Term {
        self.grown(terms, value, terms.sub(j, terms.int(1)))
    }

    /// A term about the state after `j` iterations, at least one, as one about the state before.
    fn after(&self, terms: &Terms, term: Term, j: Term) -> Term {
        let grown =
            (self.growth.keys()).map(|&symbol| (symbol, self.grown(terms, terms.var(symbol), j)));
        let reset =
            (self.resets.iter()).map(|(&symbol, &value)| (symbol, self.reset(terms, value, j)));
        Renaming::new(grown.chain(reset).collect()).apply(terms, term)
    }

    /// That a member of the guard holds after each of `1 .. k-1` iterations, for `k` from 2 on.
    fn throughout(&self, terms: &Terms, member: Term, k: Term) -> Option<Term> {
        let one = terms.int(1);
        let first = self.after(terms, member, one);
        let later = terms.add(k, one);
        if self.after(terms, member, later) == self.after(terms, member, k) {
            return Some(first);
        }
        let drift = |sum: &Linear| -> Option<Int> {
            let sum = terms.linear(sum);
            let [now, next] = [k, later].map(|j| self.after(terms, sum, j));
            terms.as_int(terms.sub(next, now)).cloned()
        };
        let last = self.after(terms, member, terms.sub(k, one));
        let only = terms.eq(k, terms.int(2));
        let (is_positive, atom) = match terms.node(member) {
            Node::Not(inner) => (false, terms.node(*inner)),
            atom => (true, atom),
        };
        match (atom, is_positive) {
            (Node::AtMostZero(sum), true) => Some(if drift(sum)? <= Int::ZERO {
                first
            } else {
                last
            }),
            (Node::Zero(sum), true) => Some(if drift(sum)?.is_zero() {
                first
            } else {
                terms.and([first, only])
            }),
            (Node::Zero(sum), false) => {
                let drift = drift(sum)?;
                if drift.is_zero() {
                    return Some(first);
                }
                // Zero is not met if it lies outside of what is passed through, or between two steps.
                let sum = terms.linear(sum);
                let at = |j: Term| self.after(terms, sum, j);
                let (start, end) = (at(one), at(terms.sub(k, one)));
                let zero = terms.int(0);
                let step = if drift < Int::ZERO { -drift } else { drift };
                let meets = step == Int::ONE;
                let over = if meets {
                    terms.bool(false)
                } else {
                    terms.not(terms.divides(step, start))
                };
                Some(terms.or([
                    terms.and([terms.lt(start, zero), terms.lt(end, zero)]),
                    terms.and([terms.gt(start, zero), terms.gt(end, zero)]),
                    over,
                ]))
            }
            (Node::Divides(by, sum), is_positive) => {
                let drift = drift(sum)?;
                let stays = (&drift % by).is_zero();
                match (stays, is_positive) {
                    (true, _) => Some(first),
                    // Two multiples in a row would make the drift one.
                    (false, true) => Some(terms.and([first, only])),
                    (false, false) => None,
                }
            }
            _ => None,
        }
    }
}
