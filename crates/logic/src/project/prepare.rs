//! What can be eliminated on the graph of a formula, without any model: every step is an equivalence under the quantifier.
//!
//! - *choices*: a symbol comes out of an `ite` whose branches differ by something that stays;
//! - *definitions*: a conjunct `x = t` with coefficient one, or a truth value that a conjunct fixes, is used up; with another
//!   coefficient it leaves a congruence;
//! - *unconstrained* symbols: bounded from one side only, wherever they occur: all those bounds can be met at once;
//! - *bounds*: a symbol that only conjuncts bound is between its bounds iff every lower one is at most every upper one,
//!   if one of each pair has coefficient one.
//!
//! What is left falls into components that share no symbol.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::{Int, gcd};
use crate::term::{Linear, Node, Renaming, Symbol, Term, Terms};

use super::lift::lifted;
use super::mentions::{Mentions, SymbolSet};
use super::polarity::unconstrained;

/// Pairs of bounds are combined when that gives at most this many more conjuncts than there were.
const GROWTH: usize = 4;

/// The members of a conjunction, also of those inside it.
pub(super) fn conjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut members = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        match terms.node(term) {
            Node::And(args) => stack.extend(args.iter().rev()),
            Node::Bool(true) => {}
            Node::Bool(false) => return vec![term],
            _ if seen.insert(term) => members.push(term),
            _ => {}
        }
    }
    members
}

/// A conjunction with the same projection that is simpler, by its members.
pub(super) fn simplified(terms: &Terms, formula: Term, targets: &FxHashSet<Symbol>) -> Vec<Term> {
    let mut members = conjuncts(terms, lifted(terms, formula, targets));
    loop {
        let next = by_definitions(terms, &members, targets)
            .or_else(|| unconstrained(terms, &members, targets))
            .or_else(|| by_multiple(terms, &members, targets))
            .or_else(|| by_bounds(terms, &members, targets));
        match next {
            Some(next) => members = conjuncts(terms, lifted(terms, terms.and(next), targets)),
            None => return members,
        }
    }
}

/// Groups of members that share no symbol with another group, and the members without any of the symbols.
pub(super) fn components(
    terms: &Terms,
    members: &[Term],
    targets: &FxHashSet<Symbol>,
) -> (Vec<Vec<Term>>, Vec<Term>) {
    let mentions = Mentions::new(terms, members, targets);
    let mut groups: Vec<(SymbolSet, Vec<Term>)> = Vec::new();
    let mut free = Vec::new();
    for &member in members {
        let symbols = mentions.of(member);
        if symbols.is_empty() {
            free.push(member);
            continue;
        }
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(set, _)| set.meets(symbols));
        let mut merged = (symbols.clone(), Vec::new());
        for (set, group) in joined {
            merged.0.add(&set);
            merged.1.extend(group);
        }
        merged.1.push(member);
        groups = apart;
        groups.push(merged);
    }
    (groups.into_iter().map(|(_, group)| group).collect(), free)
}

/// The symbols of a term that are among the targets.
pub(super) fn targets_of(terms: &Terms, term: Term, targets: &FxHashSet<Symbol>) -> Vec<Symbol> {
    let mut symbols = terms.symbols([term]);
    symbols.retain(|symbol| targets.contains(symbol));
    symbols
}

/// A symbol, the term that it equals, and the targets in that term.
struct Definition {
    symbol: Symbol,
    value: Term,
    uses: SymbolSet,
}

/// The definition of a target that a conjunct is, one that `usable` accepts.
fn definition(
    terms: &Terms,
    member: Term,
    mentions: &Mentions,
    usable: impl Fn(&SymbolSet, &SymbolSet) -> bool,
) -> Option<Definition> {
    let defines = |side: Term, uses: SymbolSet| {
        let symbol = terms.as_symbol(side)?;
        let own = mentions.only(symbol);
        let sound = !own.is_empty() && !uses.meets(own) && usable(own, &uses);
        sound.then_some((symbol, uses))
    };
    let equals = |side: Term, value: Term| {
        let (symbol, uses) = defines(side, mentions.of(value).clone())?;
        Some(Definition {
            symbol,
            value,
            uses,
        })
    };
    match terms.node(member) {
        Node::Symbol(_) => equals(member, terms.bool(true)),
        Node::Not(inner) => equals(*inner, terms.bool(false)),
        Node::Iff(a, b) | Node::Equal(a, b) => equals(*a, *b).or_else(|| equals(*b, *a)),
        Node::Zero(sum) => sum.parts.iter().find_map(|(part, coefficient)| {
            let factor = -coefficient;
            if !factor.is_one() && !coefficient.is_one() {
                return None;
            }
            let others = sum.parts.iter().map(|other| other.0);
            let others = others.filter(|other| other != part);
            let (symbol, uses) = defines(*part, mentions.of_all(others))?;
            // c x + r = 0 with c = 1 or -1: x = -c r.
            let rest = sum.plus(&factor, &terms.as_linear(*part));
            let value = terms.linear(&rest.times(&factor));
            Some(Definition {
                symbol,
                value,
                uses,
            })
        }),
        _ => None,
    }
}

/// Uses up definitions that don't depend on each other, as many as there are.
fn by_definitions(
    terms: &Terms,
    members: &[Term],
    targets: &FxHashSet<Symbol>,
) -> Option<Vec<Term>> {
    let mentions = Mentions::new(terms, members, targets);
    let mut map: FxHashMap<Symbol, Term> = FxHashMap::default();
    let (mut defined, mut used) = (SymbolSet::default(), SymbolSet::default());
    let mut rest = Vec::new();
    for &member in members {
        let usable = |own: &SymbolSet, uses: &SymbolSet| {
            !defined.meets(own) && !used.meets(own) && !defined.meets(uses)
        };
        match definition(terms, member, &mentions, usable) {
            Some(Definition {
                symbol,
                value,
                uses,
            }) => {
                defined.add(mentions.only(symbol));
                used.add(&uses);
                map.insert(symbol, value);
            }
            None => rest.push(member),
        }
    }
    if map.is_empty() {
        return None;
    }
    let mut renaming = Renaming::new(map);
    for member in &mut rest {
        *member = renaming.apply(terms, *member);
    }
    Some(rest)
}

/// Symbols that occur elsewhere than as a part of a linear atom.
fn nested(terms: &Terms, members: &[Term]) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    for term in terms.postorder(members.iter().copied()) {
        let linear = matches!(
            terms.node(term),
            Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..)
        );
        if !linear {
            terms.for_each_child(term, |child| found.extend(terms.as_symbol(child)));
        }
    }
    found
}

/// Uses up an equation with the smallest coefficient: `a x = t` makes `a` divide `t`, and every atom with `x` is scaled by `a`.
fn by_multiple(terms: &Terms, members: &[Term], targets: &FxHashSet<Symbol>) -> Option<Vec<Term>> {
    let mut best: Option<(Int, usize, Term)> = None;
    let mut nested_symbols = None;
    for (place, &member) in members.iter().enumerate() {
        let Node::Zero(sum) = terms.node(member) else {
            continue;
        };
        for (part, coefficient) in &sum.parts {
            let size = gcd(coefficient, &Int::ZERO);
            let better = best.as_ref().is_none_or(|(least, _, _)| size < *least);
            let Some(symbol) = terms.as_symbol(*part).filter(|_| better) else {
                continue;
            };
            let nested = nested_symbols.get_or_insert_with(|| nested(terms, members));
            if targets.contains(&symbol) && !nested.contains(&symbol) {
                best = Some((size, place, *part));
            }
        }
    }
    let (a, place, variable) = best?;
    let Node::Zero(equation) = terms.node(*members.get(place)?) else {
        return None;
    };
    let equation = if equation.coefficient(variable) < Int::ZERO {
        equation.times(&Int::NEG_ONE)
    } else {
        equation.clone()
    };
    let rest = equation.plus(&-&a, &terms.as_linear(variable));
    let mut result = vec![terms.divides_linear(&a, &rest)];
    let others = members.iter().enumerate().filter(|(at, _)| *at != place);
    let others: Vec<Term> = others.map(|(_, &member)| member).collect();
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for term in terms.postorder(others.iter().copied()) {
        let scaled = |sum: &Linear| {
            let c = sum.coefficient(variable);
            let common = gcd(&a, &c);
            let cancelled = sum.times(&(&a / &common)).plus(&-(c / &common), &equation);
            (&a / common, cancelled)
        };
        let mentions = |sum: &Linear| !sum.coefficient(variable).is_zero();
        let new = match terms.node(term) {
            Node::AtMostZero(sum) if mentions(sum) => terms.at_most_zero(&scaled(sum).1),
            Node::Zero(sum) if mentions(sum) => terms.zero(&scaled(sum).1),
            Node::Divides(by, sum) if mentions(sum) => {
                let (scale, sum) = scaled(sum);
                terms.divides_linear(&(by * scale), &sum)
            }
            // The variable is nowhere else, so no other linear atom changes.
            _ => terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child)),
        };
        done.insert(term, new);
    }
    result.extend(
        others
            .iter()
            .map(|member| done.get(member).copied().unwrap_or(*member)),
    );
    Some(result)
}

/// Bounds on one symbol: as `coefficient * x >= rest` or `<= rest`.
#[derive(Default)]
struct Bounds {
    lower: Vec<(Int, Linear)>,
    upper: Vec<(Int, Linear)>,
    blocked: bool,
}

/// Combines the bounds of a symbol that occurs in nothing but bounds among the conjuncts.
fn by_bounds(terms: &Terms, members: &[Term], targets: &FxHashSet<Symbol>) -> Option<Vec<Term>> {
    let mentions = Mentions::new(terms, members, targets);
    let mut bounds: FxHashMap<Symbol, Bounds> = FxHashMap::default();
    for &member in members {
        let mut direct = SymbolSet::default();
        if let Node::AtMostZero(sum) = terms.node(member) {
            for (part, coefficient) in &sum.parts {
                let Some(symbol) = terms.as_symbol(*part).filter(|s| targets.contains(s)) else {
                    continue;
                };
                let own = mentions.only(symbol);
                direct.add(own);
                let rest = sum.plus(&-coefficient, &terms.as_linear(*part));
                let known = bounds.entry(symbol).or_default();
                if *coefficient > Int::ZERO {
                    let bound = (coefficient.clone(), rest.times(&Int::NEG_ONE));
                    known.upper.push(bound);
                } else {
                    known.lower.push((-coefficient, rest));
                }
                let others = sum.parts.iter().map(|other| other.0);
                let others = others.filter(|other| other != part);
                known.blocked |= mentions.of_all(others).meets(own);
            }
        }
        for symbol in mentions.members(mentions.of(member)) {
            if !direct.meets(mentions.only(symbol)) {
                bounds.entry(symbol).or_default().blocked = true;
            }
        }
    }
    let unit = |side: &[(Int, Linear)]| side.iter().all(|(a, _)| a.is_one());
    let (symbol, found) = bounds
        .into_iter()
        .filter(|(_, found)| {
            let (lower, upper) = (found.lower.len(), found.upper.len());
            !found.blocked
                && (unit(&found.lower) || unit(&found.upper))
                && lower.saturating_mul(upper) <= lower + upper + GROWTH
        })
        .min_by_key(|(symbol, found)| (found.lower.len() * found.upper.len(), *symbol))?;
    let variable = terms.var(symbol);
    let mut result: Vec<Term> = members
        .iter()
        .copied()
        .filter(|&member| match terms.node(member) {
            Node::AtMostZero(sum) => sum.coefficient(variable).is_zero(),
            _ => true,
        })
        .collect();
    for (a, low) in &found.lower {
        for (b, high) in &found.upper {
            result.push(terms.at_most_zero(&low.times(b).plus(&-a, high)));
        }
    }
    Some(result)
}
