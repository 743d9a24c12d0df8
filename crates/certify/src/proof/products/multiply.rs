//! Equations, multiplied.
//!
//! `p = 0` implies `m * p = 0` for every `m`, and so it is modulo a number: that is all that is said here, so nothing
//! can be wrong with it. The art is to say it for few `m`: those that make a product of other formulas out of one of the
//! equation's.

use std::collections::BTreeMap;

use rhumb_logic::{Int, Linear, Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::distribute::{Distribution, factors_of, product_of};

/// Factors of a product at most.
const DEGREE: usize = 6;

/// So often equations are multiplied with what the products of the last time ask for.
const ROUNDS: usize = 3;

/// Products in an equation that occur nowhere else: with more, it is not likely to say anything of those that do.
const NEW: usize = 2;

/// Multiplied equations.
const MOST: usize = 240;

/// Pairs of an equation and a product that are looked at. Where there are more, the first equations are: to say less is always right.
const PAIRS: usize = 20_000;

/// Implications from equations to multiples of them, for equations and products that occur in distributed formulas.
pub(super) fn multiplied(
    terms: &Terms,
    distribution: &mut Distribution,
    formulas: &[Term],
) -> Vec<Term> {
    // Equations first; inequalities may be halves of some.
    let (mut equations, mut halves) = (Vec::new(), Vec::new());
    let mut products: FxHashSet<Vec<Term>> = FxHashSet::default();
    for part in terms.postorder(formulas.iter().copied()) {
        match terms.node(part) {
            Node::Zero(sum) => equations.push((sum, None)),
            Node::Divides(by, sum) => equations.push((sum, Some(by))),
            Node::AtMostZero(sum) => halves.push((sum, None)),
            Node::Product(..) => {
                products.insert(factors_of(terms, part));
            }
            _ => {}
        }
    }
    equations.extend(halves);
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let equations: Vec<Equation> = (equations.into_iter())
        .map(|(sum, modulus)| Equation::new(terms, sum, modulus))
        .filter(|equation| seen.insert(equation.holds))
        .take(PAIRS / products.len().max(1))
        .collect();
    let mut done: FxHashSet<(usize, Vec<Term>)> = FxHashSet::default();
    let mut lemmas = Vec::new();
    for _ in 0..ROUNDS {
        // Those with the fewest new products first.
        let mut found: BTreeMap<usize, Vec<(usize, Vec<Term>)>> = BTreeMap::new();
        for (place, equation) in equations.iter().enumerate() {
            for factor in equation.asked_for(&products) {
                let fresh = equation.times(&factor);
                let fresh = fresh.filter(|it| it.len() > 1 && !products.contains(it));
                let fresh = fresh.count();
                if fresh <= NEW && done.insert((place, factor.clone())) {
                    found.entry(fresh).or_default().push((place, factor));
                }
            }
        }
        if found.is_empty() {
            break;
        }
        for (place, factor) in found.into_values().flatten() {
            if lemmas.len() >= MOST {
                return lemmas;
            }
            let equation = &equations[place];
            products.extend(equation.times(&factor).filter(|it| it.len() > 1));
            let product = terms.mul(product_of(terms, &factor), equation.sum);
            let product = distribution.apply(product);
            let also = match &equation.modulus {
                Some(modulus) => distribution.divides(modulus, product, &mut 0),
                None => terms.eq(product, terms.int(Int::ZERO)),
            };
            lemmas.push(terms.implies(equation.holds, also));
        }
    }
    lemmas
}

struct Equation {
    sum: Term,
    /// What the sum is a multiple of; it is zero if that is nothing.
    modulus: Option<Int>,
    holds: Term,
    /// The factors of its parts that are no constants.
    parts: Vec<Vec<Term>>,
}

impl Equation {
    fn new(terms: &Terms, sum: &Linear, modulus: Option<&Int>) -> Equation {
        let parts = sum.parts.iter().map(|(part, _)| factors_of(terms, *part));
        Equation {
            sum: terms.linear(sum),
            modulus: modulus.cloned(),
            holds: match modulus {
                Some(modulus) => terms.divides_linear(modulus, sum),
                None => terms.zero(sum),
            },
            parts: parts.collect(),
        }
    }

    /// What it has to be multiplied with for one of some products to occur in it.
    fn asked_for(&self, products: &FxHashSet<Vec<Term>>) -> Vec<Vec<Term>> {
        let mut factors = Vec::new();
        for part in &self.parts {
            factors.extend(products.iter().filter_map(|product| without(product, part)));
        }
        let degree = self.parts.iter().map(Vec::len).max().unwrap_or(0);
        factors.retain(|factor| !factor.is_empty() && factor.len() + degree <= DEGREE);
        factors.sort_unstable();
        factors.dedup();
        factors
    }

    /// The products in its multiple.
    fn times(&self, factor: &[Term]) -> impl Iterator<Item = Vec<Term>> {
        self.parts.iter().map(move |part| {
            let mut product = [part, factor].concat();
            product.sort_unstable();
            product
        })
    }
}

/// What is left of a product without some factors, if it has them.
fn without(product: &[Term], factors: &[Term]) -> Option<Vec<Term>> {
    let mut count: FxHashMap<Term, usize> = FxHashMap::default();
    for &factor in factors {
        *count.entry(factor).or_default() += 1;
    }
    let mut left = Vec::new();
    for &factor in product {
        match count.get_mut(&factor) {
            Some(open) if *open > 0 => *open -= 1,
            _ => left.push(factor),
        }
    }
    count.values().all(|&open| open == 0).then_some(left)
}
