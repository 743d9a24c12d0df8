//! Products of sums as sums of products.
//!
//! `(i + 1) * b` and `i * b + b` are the same to everybody but a solver that takes a product for something unknown. With products distributed over sums
//! and factors in one order, equal polynomials are equal terms, and most proofs about products need no more than linear arithmetic over them.

use rhumb_logic::{Int, Linear, Node, Term, Terms};
use rustc_hash::FxHashMap;

/// Products with more parts than this stay as they are.
const MAX_PARTS: usize = 64;

/// Distributes products, and remembers what it has done.
pub(super) struct Distribution<'t> {
    terms: &'t Terms,
    done: FxHashMap<Term, Term>,
}

impl<'t> Distribution<'t> {
    pub(super) fn new(terms: &'t Terms) -> Distribution<'t> {
        Distribution {
            terms,
            done: FxHashMap::default(),
        }
    }

    /// The term with all products distributed.
    pub(super) fn apply(&mut self, term: Term) -> Term {
        if let Some(&known) = self.done.get(&term) {
            return known;
        }
        for part in self.terms.postorder([term]) {
            if !self.done.contains_key(&part) {
                let image = match self.terms.node(part) {
                    Node::Product(a, b) => self.product(self.done[a], self.done[b]),
                    _ => self.terms.rebuild(part, |child| self.done[&child]),
                };
                self.done.insert(part, image);
            }
        }
        self.done[&term]
    }

    fn product(&self, a: Term, b: Term) -> Term {
        let (left, right) = (self.terms.as_linear(a), self.terms.as_linear(b));
        if left.parts.len().saturating_mul(right.parts.len()) > MAX_PARTS {
            return self.terms.mul(a, b);
        }
        let mut sum = left.times(&right.constant).plus(&left.constant, &right);
        // Counted twice so far.
        sum.constant -= &left.constant * &right.constant;
        for (x, c) in &left.parts {
            for (y, d) in &right.parts {
                let monomial = Linear::default().plus(&Int::ONE, &self.monomial(*x, *y));
                sum = sum.plus(&(c * d), &monomial);
            }
        }
        self.terms.linear(&sum)
    }

    /// The product of two terms that are no sums, with all factors in one order.
    fn monomial(&self, x: Term, y: Term) -> Linear {
        let mut factors = Vec::new();
        let mut todo = vec![x, y];
        while let Some(term) = todo.pop() {
            match self.terms.node(term) {
                Node::Product(a, b) => todo.extend([*a, *b]),
                _ => factors.push(term),
            }
        }
        factors.sort_unstable();
        let product = factors.into_iter().reduce(|a, b| self.terms.mul(a, b));
        self.terms.as_linear(product.unwrap_or(x))
    }
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
            let terms = Terms::new();
            let symbols = [terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int)];
            let mut pool: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
            for (kind, first, second, number) in choices {
                let (a, b) = (pool[first as usize % pool.len()], pool[second as usize % pool.len()]);
                pool.push(match kind % 4 {
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
        let terms = Terms::new();
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
    }
}
