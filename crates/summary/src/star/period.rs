//! Several iterations as one: loops that behave alike every `p` iterations.
//!
//! The class: remainders of numbers that grow by a constant modulo the divisor, and variables that an iteration changes
//! and a second one changes back. With `p` a common period, `body* = (1 + body + … + body^(p-1)) ; (body^p)*`, and in
//! `body^p` the conditions on remainders don't matter any more. The contract: for `k = q + p·m` the relation is
//! `body^q` followed by what holds of `m` repetitions of `body^p`. One more iteration before it makes `q + 1` of `q`
//! where that is below `p`; else it completes a `body^p`, and `q` becomes 0 and `m` becomes `m + 1`, which is allowed
//! since `body^p` followed by `m` repetitions is contained in `m + 1`. That is why the prefix stands on the left.

use rhumb_logic::num::{Int, gcd, lcm};
use rhumb_logic::session::Session;
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Budget, Node, Sort, Symbol, Term, Transition, Value};

use super::{Closure, How, Loop, LoopOperator, part};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "period",
    about: "loops whose conditions on remainders, or whose alternating variables, come back after a few iterations",
    how: How::Parts(periodic),
};

/// Longer periods are not unrolled.
const LONGEST: u32 = 8;

/// So many models begin and continue runs.
const RUNS: usize = 8;

/// So many remainders are looked at.
const REMAINDERS: usize = 6;

fn periodic(of: Loop<'_>, depth: usize, budget: &Budget) -> Vec<Closure> {
    let length = period(of, budget);
    if length < 2 {
        return Vec::new();
    }
    vec![unrolled(of, length, depth, budget)]
}

/// A common period of what repeats; 1 if nothing does, or if it is too long.
fn period(of: Loop<'_>, budget: &Budget) -> u32 {
    let Loop {
        terms, iteration, ..
    } = of;
    let mut session = of.tools.session();
    session.assert(iteration.guard);
    let mut after = iteration.substitution();
    let mut common = Int::ONE;
    for (divisor, sum) in remainders(of) {
        let grown = terms.sub(after.apply(terms, sum), sum);
        let mut is_growth = |by: &u32| {
            let exactly = terms.congruent(grown, divisor.clone(), *by);
            session.entails(exactly, budget) == Some(true)
        };
        if let Some(by) = (0..LONGEST)
            .filter(|by| Int::from(*by) < divisor)
            .find(&mut is_growth)
        {
            let length = &divisor / gcd(&divisor, &Int::from(by));
            common = lcm(&common, &length);
        }
    }
    if (common.is_one() || common == Int::from(2)) && alternates(of, &mut session, budget) {
        common = Int::from(2);
    }
    u32::try_from(&common)
        .ok()
        .filter(|&length| length <= LONGEST)
        .unwrap_or(1)
}

/// The divisors and dividends of the body, as far as they are about numbers that the state has.
fn remainders(of: Loop<'_>) -> Vec<(Int, Term)> {
    let Loop { terms, state, .. } = of;
    let mut found: Vec<(Int, Term)> = Vec::new();
    for term in terms.postorder(of.parts()) {
        let (divisor, sum) = match terms.node(term) {
            Node::Divides(divisor, sum) => (divisor.clone(), terms.linear(sum)),
            Node::Mod(sum, divisor) | Node::Div(sum, divisor) => (divisor.clone(), *sum),
            _ => continue,
        };
        let used = terms.symbols([sum]);
        let is_of_state = used.iter().all(|used| state.binary_search(used).is_ok());
        let pair = (divisor, sum);
        if is_of_state && pair.0 <= Int::from(LONGEST) && !found.contains(&pair) {
            found.push(pair);
        }
    }
    found.truncate(REMAINDERS);
    found
}

/// Whether a variable is changed by an iteration and changed back by a second one.
fn alternates(of: Loop<'_>, once: &mut Session, budget: &Budget) -> bool {
    let Loop {
        terms, iteration, ..
    } = of;
    let candidates = seen_to_alternate(of);
    if candidates.is_empty() {
        return false;
    }
    let twice = iteration.compose(terms, iteration);
    let mut session = of.tools.session();
    session.assert(twice.guard);
    if !session.check(budget).is_sat() {
        return false;
    }
    candidates.into_iter().any(|(symbol, value)| {
        let before = terms.var(symbol);
        let back = terms.eq(before, twice.value_of(terms, symbol));
        session.entails(back, budget) == Some(true)
            && once.entails(terms.eq(before, value), budget) == Some(false)
    })
}

/// The variables that come back in the runs of two iterations that are easily found, with their values after one.
fn seen_to_alternate(of: Loop<'_>) -> Vec<(Symbol, Term)> {
    let Loop {
        terms, iteration, ..
    } = of;
    let mut candidates = iteration.updates.clone();
    let mut known = of.tools.models_of(iteration.guard, RUNS);
    for model in &mut known {
        // What a model doesn't mention has the default value in evaluations.
        for &(symbol, _) in &candidates {
            if let Some(value) = Value::default_of(terms.symbol_info(symbol).sort) {
                model.entry(symbol).or_insert(value);
            }
        }
    }
    for first in &known {
        let Outcome::To(once) = iteration.apply(terms, first, first) else {
            continue;
        };
        for second in &known {
            if let Outcome::To(twice) = iteration.apply(terms, &once, second) {
                candidates.retain(|(symbol, _)| twice.get(symbol) == first.get(symbol));
            }
            if candidates.is_empty() {
                return candidates;
            }
        }
    }
    candidates
}

/// Fewer iterations than the period, and then any number of periods.
fn unrolled(of: Loop<'_>, length: u32, depth: usize, budget: &Budget) -> Closure {
    let Loop {
        terms, iteration, ..
    } = of;
    let rest = terms.symbol("q", Sort::Int);
    let q = terms.var(rest);
    let exactly = |power: &Transition, number: u32| {
        let chosen = terms.eq(q, terms.int(number));
        power.restrict(terms, chosen)
    };
    let mut power = Transition::identity(terms);
    let mut prefix = exactly(&power, 0);
    for number in 1..length {
        power = power.compose(terms, iteration);
        prefix = prefix.choice(terms, &exactly(&power, number));
    }
    // The prefix is chosen by its length, which every part of it uses.
    prefix.inputs.push(rest);
    prefix.inputs.sort_unstable();
    let whole = power.compose(terms, iteration);
    let whole = Loop {
        iteration: &whole,
        ..of
    };
    let periods = part(whole, depth, budget);
    Closure {
        transition: prefix.compose(terms, &periods.transition),
        count: terms.add(q, terms.scale(length, periods.count)),
    }
}
