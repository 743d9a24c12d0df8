//! Products of variables, for a solver of linear arithmetic.
//!
//! Right for facts that are polynomial equations: of sums and products that loops build step by step, quotients that
//! are computed by subtraction, greatest common divisors with their factors. Products are distributed over sums and
//! choices, so that equal polynomials are equal terms ([`distribute`]); then a product is a number that nothing is
//! known of ([`opaque`]), but that an equation stays one if both sides are multiplied ([`multiply`]). What is
//! impossible then is impossible, and nothing else is known: "possible" is no answer.

mod distribute;
mod multiply;
mod opaque;
mod residues;

use std::sync::Arc;

use rhumb_logic::{Node, Term, Terms};

pub(super) use distribute::Distribution;
use multiply::multiplied;
use opaque::Opaque;

/// Formulas with products as formulas without.
pub struct Products {
    terms: Arc<Terms>,
    distribution: Distribution,
    opaque: Opaque,
}

impl Products {
    /// Of terms of this store.
    pub fn new(terms: &Arc<Terms>) -> Products {
        Products {
            distribution: Distribution::new(terms),
            opaque: Opaque::new(terms),
            terms: terms.clone(),
        }
    }

    /// A formula that follows from this one, without products.
    pub fn left_open(&mut self, formula: Term) -> Term {
        let formula = self.distribution.apply(formula);
        self.opaque.apply(formula)
    }

    /// What an equation between sums and products that wrap says of them modulo the period, if it has such.
    pub fn congruence(&mut self, equation: Term) -> Option<Term> {
        let congruence = self.distribution.congruence(equation)?;
        Some(congruence.divides)
    }

    /// What is true of products that occur in formulas, whatever their factors are, without products: equations that
    /// stay ones when they are multiplied, and what equations between products that wrap say modulo the period.
    pub fn lemmas(&mut self, formulas: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let formulas = formulas.into_iter();
        let formulas: Vec<Term> = formulas.map(|it| self.distribution.apply(it)).collect();
        let mut lemmas = multiplied(&self.terms, &mut self.distribution, &formulas);
        for part in self.terms.postorder(formulas) {
            if self.distribution.has_products(part)
                && let Some(congruence) = self.distribution.congruence(part)
            {
                lemmas.push(congruence.lemma(&self.terms));
            }
        }
        lemmas.into_iter().map(|it| self.opaque.apply(it)).collect()
    }
}

/// Whether there is a product of variables in some formulas.
pub fn have_products(terms: &Terms, formulas: impl IntoIterator<Item = Term>) -> bool {
    let parts = terms.postorder(formulas);
    (parts.into_iter()).any(|part| matches!(terms.node(part), Node::Product(..)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rhumb_logic::session::{Answer, Session, SessionOptions};
    use rhumb_logic::{Assignment, Budget, Int, Sort, Symbol, Value, eval};

    use super::*;

    /// A sum of products of variables, by numbers.
    fn polynomial(terms: &Terms, symbols: &[Symbol], parts: &[(i8, u8, u8)]) -> Term {
        let var = |place: u8| terms.var(symbols[place as usize % symbols.len()]);
        let part = |&(factor, x, y): &(i8, u8, u8)| match y % 4 {
            3 => terms.scale(i32::from(factor), var(x)),
            _ => terms.scale(i32::from(factor), terms.mul(var(x), var(y))),
        };
        let sum = parts.iter().map(part);
        sum.fold(terms.int(Int::ZERO), |sum, part| terms.add(sum, part))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// What is said of products is true of all numbers, so nothing that holds somewhere becomes impossible.
        #[test]
        fn what_holds_somewhere_stays_possible(
            sums in prop::collection::vec(prop::collection::vec(any::<(i8, u8, u8)>(), 1..4), 1..5),
            numbers in prop::collection::vec(-6i32..6, 3),
        ) {
            let terms = Arc::new(Terms::new());
            let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
            let values: Assignment = (symbols.iter().copied())
                .zip(numbers.iter().map(|&number| Value::Int(number.into())))
                .collect();
            // Each formula holds of the numbers: equations, and bounds from both sides.
            let formulas = sums.iter().enumerate().map(|(place, parts)| {
                let sum = polynomial(&terms, &symbols, parts);
                let Some(Value::Int(value)) = eval::evaluate(&terms, sum, &values) else {
                    return terms.bool(true);
                };
                match place % 3 {
                    0 => terms.eq(sum, terms.int(value)),
                    1 => terms.le(sum, terms.int(value)),
                    _ => terms.ge(sum, terms.int(value)),
                }
            });
            let formulas: Vec<Term> = formulas.collect();
            let mut products = Products::new(&terms);
            let mut session = Session::new(terms.clone(), SessionOptions::default());
            for lemma in products.lemmas(formulas.iter().copied()) {
                session.assert(lemma);
            }
            for &formula in &formulas {
                session.assert(products.left_open(formula));
            }
            let answer = session.check(&Budget::default().with_units(200_000));
            prop_assert!(!matches!(answer, Answer::Unsat(_)));
        }
    }

    /// Whether linear arithmetic refutes formulas about products.
    pub(super) fn is_refuted(terms: &Arc<Terms>, formulas: &[Term]) -> bool {
        let mut products = Products::new(terms);
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        for lemma in products.lemmas(formulas.iter().copied()) {
            session.assert(lemma);
        }
        for &formula in formulas {
            session.assert(products.left_open(formula));
        }
        matches!(session.check(&Budget::default()), Answer::Unsat(_))
    }

    #[test]
    fn what_follows_from_multiplied_equations_is_found() {
        let terms = Arc::new(Terms::new());
        let [x, y, z, u] = ["x", "y", "z", "u"].map(|name| terms.fresh(name, Sort::Int));
        let is_refuted = |formulas: &[Term]| is_refuted(&terms, formulas);
        let same = terms.eq(x, y);
        let times = |a: Term, b: Term| terms.mul(a, b);
        assert!(is_refuted(&[same, terms.ne(times(x, z), times(y, z))]));
        let product = terms.eq(x, times(y, z));
        let squares = terms.ne(times(x, x), times(times(y, y), times(z, z)));
        assert!(is_refuted(&[product, squares]));
        assert!(is_refuted(&[
            same,
            product,
            terms.ne(times(x, u), times(times(x, z), u))
        ]));
        assert!(!is_refuted(&[product, terms.ne(times(x, u), times(y, u))]));
    }
}
