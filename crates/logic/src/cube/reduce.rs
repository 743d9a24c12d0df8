//! Literals of a cube that other literals imply.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::Int;
use crate::term::{Linear, Node, Term, Terms};

/// The coefficients of a combination, and whether they were turned round to make the first one positive.
fn direction(sum: &Linear) -> (Linear, bool) {
    let flipped = sum.parts.first().is_some_and(|part| part.1 < Int::ZERO);
    let factor = if flipped { Int::NEG_ONE } else { Int::ONE };
    let mut turned = sum.times(&factor);
    turned.constant = Int::ZERO;
    (turned, flipped)
}

/// The best bounds on one direction, with the literals that say so.
#[derive(Default)]
struct Bounds {
    low: Option<(Int, Term)>,
    high: Option<(Int, Term)>,
    fixed: Option<Int>,
}

/// The cube without literals that a single other one implies because it bounds the same combination. The order stays.
pub fn reduce(terms: &Terms, literals: Vec<Term>) -> Vec<Term> {
    let mut bounds: FxHashMap<Linear, Bounds> = FxHashMap::default();
    for &literal in &literals {
        match terms.node(literal) {
            Node::AtMostZero(sum) => {
                let (direction, flipped) = direction(sum);
                let known = bounds.entry(direction).or_default();
                if flipped {
                    let low = sum.constant.clone();
                    if known.low.as_ref().is_none_or(|(least, _)| low > *least) {
                        known.low = Some((low, literal));
                    }
                } else {
                    let high = -&sum.constant;
                    if known.high.as_ref().is_none_or(|(most, _)| high < *most) {
                        known.high = Some((high, literal));
                    }
                }
            }
            Node::Zero(sum) => {
                let (direction, _) = direction(sum);
                bounds.entry(direction).or_default().fixed = Some(-&sum.constant);
            }
            _ => {}
        }
    }
    let mut seen = FxHashSet::default();
    let needed = |&literal: &Term| {
        if !seen.insert(literal) {
            return false;
        }
        match terms.node(literal) {
            Node::AtMostZero(sum) => {
                let (direction, flipped) = direction(sum);
                let Some(known) = bounds.get(&direction) else {
                    return true;
                };
                let best = if flipped { &known.low } else { &known.high };
                let implied = known.fixed.as_ref().is_some_and(|value| {
                    if flipped {
                        *value >= sum.constant
                    } else {
                        *value <= -&sum.constant
                    }
                });
                !implied && best.as_ref().is_some_and(|(_, by)| *by == literal)
            }
            Node::Not(inner) => match terms.node(*inner) {
                Node::Zero(sum) => {
                    let (direction, _) = direction(sum);
                    let Some(known) = bounds.get(&direction) else {
                        return true;
                    };
                    let value = -&sum.constant;
                    let excluded = known.low.as_ref().is_some_and(|(low, _)| *low > value)
                        || known.high.as_ref().is_some_and(|(high, _)| *high < value)
                        || known.fixed.as_ref().is_some_and(|fixed| *fixed != value);
                    !excluded
                }
                _ => true,
            },
            _ => true,
        }
    };
    let mut result = literals;
    result.retain(needed);
    result
}
