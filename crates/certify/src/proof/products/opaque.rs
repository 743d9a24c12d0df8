//! Products as numbers that nothing is known of.
//!
//! Right for proofs in which products are only carried along: places in arrays whose rows have a length that is not
//! known, say. What holds whatever the products are holds for the products, so "impossible" is an answer, and nothing
//! else is.

use std::sync::Arc;

use rhumb_logic::{Node, Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// Leaves products open, and remembers what it has done: one product is one number.
pub(super) struct Opaque {
    terms: Arc<Terms>,
    done: FxHashMap<Term, Term>,
}

impl Opaque {
    pub(super) fn new(terms: &Arc<Terms>) -> Opaque {
        Opaque {
            terms: terms.clone(),
            done: FxHashMap::default(),
        }
    }

    /// A formula that follows from this one, whose products are distributed; without products.
    pub(super) fn apply(&mut self, formula: Term) -> Term {
        for part in self.terms.postorder([formula]) {
            if !self.done.contains_key(&part) {
                let image = match self.terms.node(part) {
                    Node::Product(..) => self.terms.fresh("product", Sort::Int),
                    _ => self.terms.rebuild(part, |child| self.done[&child]),
                };
                self.done.insert(part, image);
            }
        }
        self.done[&formula]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Distribution;
    use super::*;

    #[test]
    fn equal_products_are_one_number_and_others_are_not() {
        let terms = Arc::new(Terms::new());
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::Int));
        let (mut opaque, mut distribution) = (Opaque::new(&terms), Distribution::new(&terms));
        let mut image = |formula: Term| opaque.apply(distribution.apply(formula));
        let next = terms.mul(terms.add(x, terms.int(1)), y);
        let same = terms.eq(next, terms.add(terms.mul(y, x), y));
        assert_eq!(terms.as_bool(image(same)), Some(true));
        // True of some numbers and false of others: neither is known.
        let other = terms.eq(terms.mul(x, y), terms.mul(x, z));
        assert_eq!(terms.as_bool(image(other)), None);
        let square = terms.ge(terms.mul(x, x), terms.int(0));
        assert_eq!(terms.as_bool(image(square)), None);
        let has_product = |term: Term| {
            let parts = terms.postorder([term]);
            parts
                .iter()
                .any(|&part| matches!(terms.node(part), Node::Product(..)))
        };
        assert!(has_product(square) && !has_product(image(square)));
    }
}
