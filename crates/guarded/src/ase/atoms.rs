//! Comparisons in one form each, so that equal ones are recognised.

use std::collections::BTreeMap;

use rhumb_logic::num::gcd;
use rhumb_logic::{Int, Node, Sort, Symbol, Term, Terms, num};

use crate::syntax::{Formula, Sum};

/// A comparison, normalised: the first factor is positive, the factors are coprime.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Atom {
    AtMostZero(Sum),
    Zero(Sum),
}

/// What a comparison comes to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Literal {
    Constant(bool),
    /// The atom holds, or doesn't.
    Is(Atom, bool),
}

impl Atom {
    pub(crate) fn sum(&self) -> &Sum {
        match self {
            Atom::AtMostZero(sum) | Atom::Zero(sum) => sum,
        }
    }

    /// The condition that it has this truth value.
    pub(crate) fn formula(&self, holds: bool) -> Formula {
        let formula = match self {
            Atom::AtMostZero(sum) => Formula::AtMostZero(sum.clone()),
            Atom::Zero(sum) => Formula::Zero(sum.clone()),
        };
        match holds {
            true => formula,
            false => formula.negated(),
        }
    }

    /// With expressions in place of variables.
    pub(crate) fn substitute(&self, by: &[Sum]) -> Literal {
        match self {
            Atom::AtMostZero(sum) => at_most_zero(&sum.substitute(by)),
            Atom::Zero(sum) => zero(&sum.substitute(by)),
        }
    }
}

/// A comparison of a program, normalised.
pub(crate) fn literal(formula: &Formula) -> Option<Literal> {
    match formula {
        Formula::AtMostZero(sum) => Some(at_most_zero(sum)),
        Formula::Zero(sum) => Some(zero(sum)),
        _ => None,
    }
}

fn at_most_zero(sum: &Sum) -> Literal {
    let Some(first) = sum.parts.values().next() else {
        return Literal::Constant(sum.constant <= Int::ZERO);
    };
    let is_positive = *first > Int::ZERO;
    // Not: sum <= 0 is 1 - sum <= 0.
    let oriented = match is_positive {
        true => sum.clone(),
        false => Sum::constant(Int::ONE).plus(&Int::NEG_ONE, sum),
    };
    let by = content(&oriented);
    let constant = num::ceil_div(&oriented.constant, &by);
    let parts = divided(&oriented.parts, &by);
    Literal::Is(Atom::AtMostZero(Sum { constant, parts }), is_positive)
}

fn zero(sum: &Sum) -> Literal {
    let Some(first) = sum.parts.values().next() else {
        return Literal::Constant(sum.constant.is_zero());
    };
    let by = match *first > Int::ZERO {
        true => content(sum),
        false => -content(sum),
    };
    if !num::floor_mod(&sum.constant, &by).is_zero() {
        return Literal::Constant(false);
    }
    let constant = num::floor_div(&sum.constant, &by);
    let parts = divided(&sum.parts, &by);
    Literal::Is(Atom::Zero(Sum { constant, parts }), true)
}

fn content(sum: &Sum) -> Int {
    let factors = sum.parts.values();
    factors.fold(Int::ZERO, |all, factor| gcd(&all, factor))
}

fn divided(parts: &BTreeMap<usize, Int>, by: &Int) -> BTreeMap<usize, Int> {
    let parts = parts.iter();
    parts
        .map(|(&variable, factor)| (variable, num::floor_div(factor, by)))
        .collect()
}

/// The formula as a term, with these terms in place of variables.
pub(crate) fn term(terms: &Terms, formula: &Formula, values: &[Term]) -> Term {
    let all = |parts: &[Formula]| -> Vec<Term> {
        let parts = parts.iter();
        parts.map(|part| term(terms, part, values)).collect()
    };
    match formula {
        Formula::Constant(value) => terms.bool(*value),
        Formula::AtMostZero(sum) => terms.le(sum_term(terms, sum, values), terms.int(0)),
        Formula::Zero(sum) => terms.eq(sum_term(terms, sum, values), terms.int(0)),
        Formula::Not(inner) => terms.not(term(terms, inner, values)),
        Formula::All(parts) => terms.and(all(parts)),
        Formula::Any(parts) => terms.or(all(parts)),
    }
}

/// The expression as a term.
pub(crate) fn sum_term(terms: &Terms, sum: &Sum, values: &[Term]) -> Term {
    let constant = terms.int(sum.constant.clone());
    sum.parts.iter().fold(constant, |total, (&variable, by)| {
        terms.add(total, terms.scale(by.clone(), values[variable]))
    })
}

/// The comparisons in a term over these symbols; what is no comparison of integers is left out.
pub(crate) fn atoms_of(terms: &Terms, of: Term, symbols: &[Symbol]) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for at in terms.postorder([of]) {
        let (linear, is_zero) = match terms.node(at) {
            Node::AtMostZero(linear) => (linear, false),
            Node::Zero(linear) => (linear, true),
            _ => continue,
        };
        let mut sum = Sum::constant(linear.constant.clone());
        let mut is_known = true;
        for (part, factor) in &linear.parts {
            let symbol = terms.as_symbol(*part);
            match symbol.and_then(|symbol| symbols.iter().position(|&other| other == symbol)) {
                Some(variable) => sum = sum.plus(factor, &Sum::variable(variable)),
                None => is_known = false,
            }
        }
        let literal = if is_zero {
            zero(&sum)
        } else {
            at_most_zero(&sum)
        };
        if let (true, Literal::Is(atom, _)) = (is_known, literal) {
            atoms.push(atom);
        }
    }
    atoms
}

/// New symbols, and the terms that they are.
pub(crate) fn symbols(terms: &Terms, count: usize) -> (Vec<Symbol>, Vec<Term>) {
    let symbols = (0..count).map(|_| terms.symbol("v", Sort::Int));
    let symbols: Vec<Symbol> = symbols.collect();
    let values = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
    (symbols, values)
}
