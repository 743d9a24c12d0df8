//! Loops that end after a few iterations.
//!
//! The class: a variable grows or shrinks in every iteration by at least a constant, and the guard keeps it in a small
//! range. There are no more iterations than steps in the range, so the closure is the choice between the powers of the
//! body up to there, whatever else it does. It is exact: the relation for `k` is the `k`-th power. It is asked after
//! the operators that need no unrolling.

use rhumb_logic::num::Int;
use rhumb_logic::{Budget, Node, Sort, Symbol, Term, Terms, Transition};

use super::{Closure, How, Loop, LoopOperator, Said, growth};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "few iterations",
    about: "loops that end after a few iterations because a variable leaves a small range",
    how: How::Cases(unrolled),
};

/// Loops with more iterations are not unrolled.
const MOST: u32 = 8;

/// Nor are loops whose powers together would have more terms.
const LARGEST: usize = 1_000;

fn unrolled(of: Loop<'_>, _: &[Transition], _: usize, _: &Budget) -> Option<Said> {
    let Loop {
        terms, iteration, ..
    } = of;
    let most = iterations(of)?;
    if of.size().saturating_mul(usize::try_from(most).ok()?) > LARGEST {
        return None;
    }
    let symbol = terms.symbol("k", Sort::Int);
    let count = terms.var(symbol);
    // The powers from the last one on, so that each stands before those with more iterations.
    let mut powers = vec![Transition::identity(terms)];
    for _ in 0..most {
        let power = powers.last()?.compose(terms, iteration);
        powers.push(power);
    }
    let mut all = Transition::zero(terms);
    for (number, power) in powers.iter().enumerate().rev() {
        let is_it = terms.eq(count, terms.int(Int::from(number)));
        let updates = power.updates.iter().chain(&all.updates).map(|update| {
            let [one, other] = [power, &all].map(|step| step.value_of(terms, update.0));
            (update.0, terms.ite(is_it, one, other))
        });
        all = Transition::new(
            terms,
            updates.collect::<Vec<_>>(),
            terms.ite(is_it, power.guard, all.guard),
            power.inputs.iter().chain(&all.inputs).copied(),
        );
    }
    all.inputs.push(symbol);
    all.inputs.sort_unstable();
    Some(Said::Everything(Closure {
        transition: all,
        count,
    }))
}

/// How many iterations there can be at most, if that is seen to be few.
fn iterations(of: Loop<'_>) -> Option<u32> {
    let Loop {
        terms, iteration, ..
    } = of;
    let conjuncts = terms.conjuncts(iteration.guard);
    let bounded = iteration.updates.iter().filter_map(|&(symbol, value)| {
        let least = least_step(terms, symbol, value)?;
        let (low, high) = range(terms, &conjuncts, symbol)?;
        // The states before an iteration are in the range, a step apart at least.
        Some((high - low) / least + Int::ONE)
    });
    let most = u32::try_from(&bounded.min()?).ok()?;
    (most <= MOST).then_some(most)
}

/// By how much a variable changes at least, in one and the same direction in every case that its value distinguishes.
fn least_step(terms: &Terms, symbol: Symbol, value: Term) -> Option<Int> {
    let (least, greatest) = growth::bounds(terms, symbol, value)?;
    if least > Int::ZERO {
        Some(least)
    } else {
        (greatest < Int::ZERO).then(|| -greatest)
    }
}

/// Between which numbers some conditions say that a variable is.
fn range(terms: &Terms, conditions: &[Term], symbol: Symbol) -> Option<(Int, Int)> {
    let var = terms.var(symbol);
    let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
    for &condition in conditions {
        let Node::AtMostZero(sum) = terms.node(condition) else {
            continue;
        };
        let [(part, factor)] = &sum.parts[..] else {
            continue;
        };
        if *part != var {
            continue;
        }
        if *factor == Int::ONE {
            let bound = -&sum.constant;
            high = Some(high.map_or(bound.clone(), |known| known.min(bound)));
        } else if *factor == Int::NEG_ONE {
            let bound = sum.constant.clone();
            low = Some(low.map_or(bound.clone(), |known| known.max(bound)));
        }
    }
    let (low, high) = (low?, high?);
    (low <= high).then_some((low, high))
}
