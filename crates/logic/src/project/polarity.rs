//! Symbols that a formula bounds from one side only.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::Int;
use crate::term::{Node, Sort, Symbol, Term, Terms};

/// How a formula depends on one of its terms.
#[derive(Clone, Copy, Default)]
struct Polarity {
    /// Making it true helps.
    positive: bool,
    /// Making it false helps.
    negative: bool,
}

/// What would make all atoms with a symbol hold, as far as they have to.
#[derive(Clone, Copy, Default)]
struct Wish {
    small: bool,
    large: bool,
    /// It occurs where no direction helps.
    blocked: bool,
}

/// Gives those symbols the value, however far out, that makes every atom with them true (or false, where that is what the formula wants);
/// none if there is no such symbol.
pub(super) fn unconstrained(
    terms: &Terms,
    members: &[Term],
    targets: &FxHashSet<Symbol>,
) -> Option<Vec<Term>> {
    let order = terms.postorder(members.iter().copied());
    let polarities = polarities(terms, members, &order);
    let wishes = wishes(terms, &order, &polarities, targets);
    let granted = |symbol: &Symbol| {
        wishes
            .get(symbol)
            .is_some_and(|wish| !(wish.blocked || wish.small && wish.large))
    };
    let free: FxHashSet<Symbol> = targets.iter().copied().filter(granted).collect();
    if free.is_empty() {
        return None;
    }
    let is_free = |term: Term| terms.as_symbol(term).is_some_and(|s| free.contains(&s));
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for &term in &order {
        let concerned = match terms.node(term) {
            Node::AtMostZero(sum) | Node::Zero(sum) => {
                sum.parts.iter().any(|(part, _)| is_free(*part))
            }
            Node::Symbol(_) => is_free(term) && terms.sort(term) == Sort::Bool,
            _ => false,
        };
        let new = if concerned {
            let polarity = polarities.get(&term).copied().unwrap_or_default();
            terms.bool(polarity.positive)
        } else {
            terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child))
        };
        done.insert(term, new);
    }
    let result = members.iter();
    Some(
        result
            .map(|member| done.get(member).copied().unwrap_or(*member))
            .collect(),
    )
}

/// The polarity of every formula below the members, parents first.
fn polarities(terms: &Terms, members: &[Term], order: &[Term]) -> FxHashMap<Term, Polarity> {
    let mut found: FxHashMap<Term, Polarity> = FxHashMap::default();
    let add = |found: &mut FxHashMap<Term, Polarity>, term: Term, more: Polarity| {
        let known = found.entry(term).or_default();
        known.positive |= more.positive;
        known.negative |= more.negative;
    };
    let yes = Polarity {
        positive: true,
        negative: false,
    };
    let both = Polarity {
        positive: true,
        negative: true,
    };
    for &member in members {
        add(&mut found, member, yes);
    }
    for &term in order.iter().rev() {
        let own = found.get(&term).copied().unwrap_or(both);
        match terms.node(term) {
            Node::And(args) | Node::Or(args) => {
                args.iter().for_each(|&arg| add(&mut found, arg, own));
            }
            Node::Not(inner) => {
                let turned = Polarity {
                    positive: own.negative,
                    negative: own.positive,
                };
                add(&mut found, *inner, turned);
            }
            _ => terms.for_each_child(term, |child| add(&mut found, child, both)),
        }
    }
    found
}

fn wishes(
    terms: &Terms,
    order: &[Term],
    polarities: &FxHashMap<Term, Polarity>,
    targets: &FxHashSet<Symbol>,
) -> FxHashMap<Symbol, Wish> {
    let mut wishes: FxHashMap<Symbol, Wish> = FxHashMap::default();
    for &term in order {
        let polarity = polarities.get(&term).copied().unwrap_or_default();
        let node = terms.node(term);
        match node {
            Node::AtMostZero(sum) => {
                for (part, coefficient) in &sum.parts {
                    let Some(symbol) = terms.as_symbol(*part) else {
                        continue;
                    };
                    let wish = wishes.entry(symbol).or_default();
                    let positive = *coefficient > Int::ZERO;
                    wish.small |= polarity.positive && positive || polarity.negative && !positive;
                    wish.large |= polarity.positive && !positive || polarity.negative && positive;
                }
            }
            // Far out no equation holds.
            Node::Zero(sum) if !polarity.positive => {
                for (part, _) in &sum.parts {
                    if let Some(symbol) = terms.as_symbol(*part) {
                        wishes.entry(symbol).or_default();
                    }
                }
            }
            // A truth value is free if it is wanted in one way only.
            Node::Symbol(symbol) if terms.sort(term) == Sort::Bool => {
                let wish = wishes.entry(*symbol).or_default();
                wish.large |= polarity.positive;
                wish.small |= polarity.negative;
            }
            Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Iff(..) => {}
            _ => terms.for_each_child(term, |child| {
                if let Some(symbol) = terms.as_symbol(child) {
                    wishes.entry(symbol).or_default().blocked = true;
                }
            }),
        }
    }
    wishes.retain(|symbol, _| targets.contains(symbol));
    wishes
}
