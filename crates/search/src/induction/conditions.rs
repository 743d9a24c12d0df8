//! Conditions under which a fact may hold that doesn't hold everywhere.

use rhumb_encode::BlockGraph;
use rhumb_logic::num::Int;
use rhumb_logic::term::Node;
use rhumb_logic::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::atoms::Atoms;

/// A variable with at most so many values: each of them is a condition.
const FEW: i64 = 12;

/// Conditions of one node.
const MOST: usize = 48;

/// Conditions that are paired with each other.
const PAIRED: usize = 16;

/// The conditions of a node, by what they are likely to be worth: the values of variables that have few, what the
/// program tests for equality or divisibility, what it compares. Comparisons with numbers at the end of a type's range
/// are none: they tell whether an operation wraps round.
pub(super) fn conditions(graph: &BlockGraph, known: &[Term], atoms: &Atoms) -> Vec<Term> {
    let terms = &graph.terms;
    let mut all = values(terms, known);
    let (sharp, others): (Vec<Term>, Vec<Term>) = atoms
        .all
        .iter()
        .partition(|&&atom| !matches!(terms.node(atom), Node::AtMostZero(_)));
    let others = others.into_iter().filter(|&atom| match terms.node(atom) {
        Node::AtMostZero(sum) => !is_huge(&sum.constant),
        _ => true,
    });
    for atom in sharp.into_iter().chain(others) {
        for condition in [atom, terms.not(atom)] {
            if !all.contains(&condition) {
                all.push(condition);
            }
        }
    }
    all.truncate(MOST);
    all
}

/// Two conditions at once.
pub(super) fn pairs(graph: &BlockGraph, conditions: &[Term]) -> Vec<Term> {
    let terms = &graph.terms;
    let conditions = &conditions[..conditions.len().min(PAIRED)];
    let mut pairs = Vec::new();
    for (place, &second) in conditions.iter().enumerate() {
        for &first in &conditions[..place] {
            let both = terms.and([first, second]);
            if terms.as_bool(both) != Some(false) {
                pairs.push(both);
            }
        }
    }
    pairs
}

/// The values of each variable that has few by what is known.
fn values(terms: &Terms, known: &[Term]) -> Vec<Term> {
    let mut bounds: FxHashMap<Symbol, (Option<Int>, Option<Int>)> = FxHashMap::default();
    let mut order = Vec::new();
    for &fact in known {
        let Node::AtMostZero(sum) = terms.node(fact) else {
            continue;
        };
        let [(term, factor)] = &sum.parts[..] else {
            continue;
        };
        let Some(symbol) = terms.as_symbol(*term) else {
            continue;
        };
        let entry = bounds.entry(symbol).or_insert_with(|| {
            order.push(symbol);
            (None, None)
        });
        if factor.is_one() {
            let high = -&sum.constant;
            entry.1 = Some(entry.1.take().map_or(high.clone(), |old| old.min(high)));
        } else if *factor == Int::NEG_ONE {
            let low = sum.constant.clone();
            entry.0 = Some(entry.0.take().map_or(low.clone(), |old| old.max(low)));
        }
    }
    let mut all = Vec::new();
    for symbol in order {
        let (Some(low), Some(high)) = &bounds[&symbol] else {
            continue;
        };
        if low < high && high - low < Int::from(FEW) {
            let mut value = low.clone();
            while value <= *high {
                all.push(terms.eq(terms.var(symbol), terms.int(value.clone())));
                value += Int::ONE;
            }
        }
    }
    all
}

/// Whether a number is as large as those at the end of a type's range.
pub(super) fn is_huge(number: &Int) -> bool {
    let end = Int::from((1_i64 << 31) - (1 << 8));
    *number >= end || *number <= -end
}
