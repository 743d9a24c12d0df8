//! Products of sums as sums of products.
//!
//! `(i + 1) * b` and `i * b + b` are the same to everybody but a solver that takes a product for something unknown.
//! With products distributed over sums and factors in one order, equal polynomials are equal terms, and most proofs
//! about products need no more than linear arithmetic over them. A choice between numbers, multiplied, is a choice
//! between products.

use std::sync::Arc;

use rhumb_logic::{Int, Linear, Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::residues::CASES;

/// Products with more parts than this stay as they are.
const MAX_PARTS: usize = 64;

/// Choices in a product that are taken out of it: each is one more case.
pub(super) const MAX_CHOICES: usize = 4;

/// Distributes products, and remembers what it has done.
pub(in crate::proof) struct Distribution {
    pub(super) terms: Arc<Terms>,
    done: FxHashMap<Term, Term>,
    /// Terms with a product in them.
    multiplied: FxHashSet<Term>,
    /// What is congruent to a term and simpler, by the modulus.
    pub(super) residues: FxHashMap<(Term, Int), Term>,
}

impl Distribution {
    pub(in crate::proof) fn new(terms: &Arc<Terms>) -> Distribution {
        Distribution {
            terms: terms.clone(),
            done: FxHashMap::default(),
            multiplied: FxHashSet::default(),
            residues: FxHashMap::default(),
        }
    }

    /// The term with all products distributed, and with remainders of what has products in it simplified.
    pub(in crate::proof) fn apply(&mut self, term: Term) -> Term {
        if let Some(&known) = self.done.get(&term) {
            return known;
        }
        let terms = self.terms.clone();
        for part in terms.postorder([term]) {
            if self.done.contains_key(&part) {
                continue;
            }
            let mut has_products = matches!(terms.node(part), Node::Product(..));
            terms.for_each_child(part, |it| has_products |= self.multiplied.contains(&it));
            if has_products {
                self.multiplied.insert(part);
            }
            let image = match terms.node(part) {
                Node::Product(a, b) => {
                    self.product(self.done[a], self.done[b], &mut MAX_CHOICES.clone())
                }
                Node::Mod(a, by) if has_products => {
                    terms.modulo(self.residue(self.done[a], by), by.clone())
                }
                Node::Divides(by, sum) if has_products => {
                    let parts = sum.parts.iter();
                    let parts = parts.map(|(it, factor)| (factor, terms.as_linear(self.done[it])));
                    let sum = terms.linear(&Linear::combine(sum.constant.clone(), parts));
                    self.divides(by, sum, &mut CASES.clone())
                }
                _ => terms.rebuild(part, |child| self.done[&child]),
            };
            self.done.insert(part, image);
        }
        self.done[&term]
    }

    /// Whether there is a product in a term, all of which have been distributed.
    pub(super) fn has_products(&mut self, term: Term) -> bool {
        self.apply(term);
        self.multiplied.contains(&term)
    }

    /// The product of two terms whose own products are distributed. So many choices may be taken out of it.
    pub(super) fn product(&self, a: Term, b: Term, choices: &mut usize) -> Term {
        for (chosen, other) in [(a, b), (b, a)] {
            if let Node::Ite(condition, then, otherwise) = *self.terms.node(chosen)
                && *choices > 0
            {
                *choices -= 1;
                let [then, otherwise] =
                    [then, otherwise].map(|case| self.product(case, other, choices));
                return self.terms.ite(condition, then, otherwise);
            }
        }
        let (left, right) = (self.terms.as_linear(a), self.terms.as_linear(b));
        if left.parts.len().saturating_mul(right.parts.len()) > MAX_PARTS {
            return self.terms.mul(a, b);
        }
        let mut sum = left.times(&right.constant).plus(&left.constant, &right);
        // Counted twice so far.
        sum.constant -= &left.constant * &right.constant;
        for (x, c) in &left.parts {
            for (y, d) in &right.parts {
                let monomial = self.monomial(*x, *y, choices);
                sum = sum.plus(&(c * d), &self.terms.as_linear(monomial));
            }
        }
        self.terms.linear(&sum)
    }

    /// The product of two terms that are no sums: a choice between products, or all factors in one order.
    fn monomial(&self, x: Term, y: Term, choices: &mut usize) -> Term {
        for (chosen, other) in [(x, y), (y, x)] {
            if let Node::Ite(condition, then, otherwise) = *self.terms.node(chosen)
                && *choices > 0
            {
                *choices -= 1;
                let [then, otherwise] =
                    [then, otherwise].map(|case| self.product(case, other, choices));
                return self.terms.ite(condition, then, otherwise);
            }
        }
        let mut factors = factors_of(&self.terms, x);
        factors.extend(factors_of(&self.terms, y));
        factors.sort_unstable();
        product_of(&self.terms, &factors)
    }
}

/// The factors of a term that is no sum, in one order.
pub(super) fn factors_of(terms: &Terms, term: Term) -> Vec<Term> {
    let mut factors = Vec::new();
    let mut todo = vec![term];
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Product(a, b) => todo.extend([*a, *b]),
            _ => factors.push(term),
        }
    }
    factors.sort_unstable();
    factors
}

/// The product of factors, which are in their order.
pub(super) fn product_of(terms: &Terms, factors: &[Term]) -> Term {
    let product = (factors.iter().copied()).reduce(|a, b| terms.mul(a, b));
    product.unwrap_or_else(|| terms.int(Int::ONE))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rhumb_logic::eval::evaluate;
    use rhumb_logic::{Assignment, Sort, Value};

    use super::*;

    proptest! {
        #[test]
        fn distribution_keeps_values(
            choices in prop::collection::vec(any::<(u8, u8, u8, i8)>(), 1..12),
            x in -50i32..50,
            y in -50i32..50,
        ) {
            let terms = Arc::new(Terms::new());
            let symbols = [terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int)];
            let mut pool: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
            for (kind, first, second, number) in choices {
                let (a, b) = (pool[first as usize % pool.len()], pool[second as usize % pool.len()]);
                pool.push(match kind % 5 {
                    4 => terms.ite(terms.le(a, terms.int(i32::from(number))), a, b),
                    0 => terms.add(a, terms.int(i32::from(number))),
                    1 => terms.sub(terms.scale(i32::from(number), a), b),
                    2 => terms.mul(a, b),
                    _ => terms.modulo(a, i32::from(number).abs() + 2),
                });
            }
            let last = pool[pool.len() - 1];
            let distributed = Distribution::new(&terms).apply(last);
            let values: Assignment = symbols
                .into_iter()
                .zip([x, y].map(|value| Value::Int(value.into())))
                .collect();
            prop_assert_eq!(evaluate(&terms, distributed, &values), evaluate(&terms, last, &values));
        }
    }

    #[test]
    fn equal_polynomials_are_equal_terms() {
        let terms = Arc::new(Terms::new());
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::Int));
        let mut distribution = Distribution::new(&terms);
        let mut same = |a: Term, b: Term| distribution.apply(a) == distribution.apply(b);
        let one = terms.int(1);
        assert!(same(
            terms.mul(terms.add(x, one), y),
            terms.add(terms.mul(x, y), y),
        ));
        assert!(same(
            terms.mul(terms.add(x, y), terms.sub(x, y)),
            terms.sub(terms.mul(x, x), terms.mul(y, y)),
        ));
        assert!(same(
            terms.mul(terms.mul(x, y), z),
            terms.mul(x, terms.mul(z, y)),
        ));
        let is_less = terms.lt(x, y);
        assert!(same(
            terms.mul(terms.ite(is_less, x, z), y),
            terms.ite(is_less, terms.mul(x, y), terms.mul(y, z)),
        ));
    }
}
