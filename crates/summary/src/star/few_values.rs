//! Case by case over the values of what is added.
//!
//! The class: loops that add a variable which they don't change and which has few values, such as a step width between
//! 0 and 10. `k` iterations add `k` times the variable, which is not linear; for each of its values it is. The contract
//! holds since the variable has the same value all along: which closure counts for a run is the same before and after
//! an iteration more.

use rhumb_logic::num::Int;
use rhumb_logic::{Budget, Sort, Symbol, Term, Transition};
use rustc_hash::FxHashMap;

use super::{Closure, How, Loop, LoopOperator, Said, closure, machine};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "few values",
    about: "loops that add a variable which they don't change and which has few values",
    how: How::Cases(by_value),
};

/// Variables with more values are not looked at one by one.
const MOST: u32 = 16;

/// So many variables are looked at.
const VARIABLES: usize = 3;

fn by_value(of: Loop<'_>, cases: &[Transition], depth: usize, budget: &Budget) -> Option<Said> {
    let terms = of.terms;
    let (added, values) = few_valued(of, cases, budget)?;
    let added_term = terms.var(added);
    let mut is_exact = true;
    // A value that allows no iteration leaves the state as it is.
    let mut all = Closure {
        transition: Transition::identity(terms),
        count: terms.int(0),
    };
    for value in values {
        let value = terms.int(value);
        let map = FxHashMap::from_iter([(added, value)]);
        let settled = |term: Term| terms.substitute(term, &map);
        let Transition {
            updates,
            guard,
            inputs,
        } = of.iteration;
        let updates = updates.iter().map(|&(symbol, to)| (symbol, settled(to)));
        let updates: Vec<(Symbol, Term)> = updates.collect();
        let iteration = Transition::new(terms, updates, settled(*guard), inputs.iter().copied());
        let of = Loop {
            iteration: &iteration,
            ..of
        };
        let exact = machine::exactly(of, depth, budget);
        is_exact &= exact.is_some();
        let with_value = exact.unwrap_or_else(|| closure(of, of.tools.operators(), depth, budget));
        all = either(of, terms.eq(added_term, value), &with_value, &all);
    }
    Some(if is_exact {
        Said::Everything(all)
    } else {
        Said::Something(all)
    })
}

/// One closure where a condition holds, and another where it doesn't.
fn either(of: Loop<'_>, condition: Term, one: &Closure, other: &Closure) -> Closure {
    let terms = of.terms;
    let choose = |one: Term, other: Term| terms.ite(condition, one, other);
    let (then, otherwise) = (&one.transition, &other.transition);
    let changed = then.updates.iter().chain(&otherwise.updates);
    let updates = changed.map(|&(symbol, _)| {
        let values = [then, otherwise].map(|step| step.value_of(terms, symbol));
        (symbol, choose(values[0], values[1]))
    });
    Closure {
        transition: Transition::new(
            terms,
            updates.collect::<Vec<_>>(),
            choose(then.guard, otherwise.guard),
            then.inputs.iter().chain(&otherwise.inputs).copied(),
        ),
        count: choose(one.count, other.count),
    }
}

/// A variable that is added, with its values: the one that has the fewest.
fn few_valued(of: Loop<'_>, cases: &[Transition], budget: &Budget) -> Option<(Symbol, Vec<Int>)> {
    let added = added(of, cases);
    if added.is_empty() {
        return None;
    }
    let terms = of.terms;
    let guard = of.iteration.guard;
    let mut abstraction = of.tools.abstraction(guard);
    let dimensions: Vec<Term> = added.iter().map(|&symbol| terms.var(symbol)).collect();
    let hull = abstraction.intervals(&dimensions, &of.tools.effort().for_hull(budget));
    let ranges = added.iter().zip(hull.shape.sides());
    let few = ranges.filter_map(|(&symbol, range)| {
        let (low, high) = (range.lower()?, range.upper()?);
        let number = u32::try_from(&(high - low + Int::ONE)).ok()?;
        (number <= MOST).then(|| (number, symbol, low.clone()))
    });
    let (number, symbol, low) = few.min()?;
    let values = (0..number).map(|value| &low + Int::from(value));
    Some((symbol, values.collect()))
}

/// The variables that cases add to others and that no iteration changes.
fn added(of: Loop<'_>, cases: &[Transition]) -> Vec<Symbol> {
    let terms = of.terms;
    let is_changed = |symbol: &Symbol| {
        let updates = &of.iteration.updates;
        updates.iter().any(|update| update.0 == *symbol)
    };
    let is_fixed = |symbol: &Symbol| {
        of.state.binary_search(symbol).is_ok()
            && !is_changed(symbol)
            && terms.symbol_info(*symbol).sort == Sort::Int
    };
    let mut found: Vec<Symbol> = Vec::new();
    for &(symbol, value) in cases.iter().flat_map(|case| &case.updates) {
        if terms.symbol_info(symbol).sort != Sort::Int {
            continue;
        }
        let grown = terms.symbols([terms.sub(value, terms.var(symbol))]);
        if grown.iter().all(is_fixed) {
            found.extend(grown);
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(VARIABLES);
    found
}
