//! What matters of a number where only its remainder does.
//!
//! Sums and products may be reduced before or after they are computed: for a remainder modulo `m` every operand may be
//! replaced by one that is congruent to it. So remainders inside a remainder go, and so do choices between a number and
//! the same one moved by a period, as unsigned arithmetic makes them; what is left of polynomials that wrap is the
//! polynomial, reduced once. With a divisor that is not constant, a remainder is the dividend less a multiple.

use rhumb_logic::num::{floor_mod, gcd, gcd_of};
use rhumb_logic::{Int, Linear, Node, Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::distribute::{Distribution, MAX_CHOICES};

/// Terms nested deeper than this stay as they are.
const DEPTH: usize = 100;

/// Choices by which a congruence is taken apart.
pub(super) const CASES: usize = 16;

/// Smaller moduli than this are none of a type of numbers.
const LEAST: i32 = 256;

impl Distribution {
    /// A term that is congruent to the given one, whose products are distributed. The modulus is at least 2.
    pub(super) fn residue(&mut self, term: Term, modulus: &Int) -> Term {
        self.congruent(term, modulus, DEPTH)
    }

    /// That a number divides a term whose products are distributed, said case by case for so many choices in it: in each
    /// case there is a polynomial, which others may say the same of.
    pub(super) fn divides(&mut self, by: &Int, term: Term, choices: &mut usize) -> Term {
        let terms = self.terms.clone();
        let term = self.residue(term, by);
        let choice = terms.as_linear(term).parts.iter().find_map(|(part, _)| {
            let Node::Ite(condition, ..) = terms.node(*part) else {
                return None;
            };
            Some(*condition)
        });
        let Some(condition) = choice.filter(|_| *choices > 0) else {
            return terms.divides(by.clone(), term);
        };
        *choices -= 1;
        let cases = [true, false].map(|holds| {
            let case = self.given(term, condition, holds);
            let divides = self.divides(by, case, choices);
            let holds = if holds {
                condition
            } else {
                terms.not(condition)
            };
            terms.and([holds, divides])
        });
        terms.or(cases)
    }

    /// The same as a distributed term wherever a condition holds, or doesn't.
    fn given(&self, term: Term, condition: Term, holds: bool) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for part in self.terms.postorder([term]) {
            let image = match self.terms.node(part) {
                Node::Ite(chosen, then, otherwise) if *chosen == condition => {
                    done[if holds { then } else { otherwise }]
                }
                Node::Product(a, b) => self.product(done[a], done[b], &mut MAX_CHOICES.clone()),
                _ => self.terms.rebuild(part, |child| done[&child]),
            };
            done.insert(part, image);
        }
        done[&term]
    }

    /// What an equation between sums and products that are reduced modulo a number says of them modulo that number,
    /// if it has such: less, but without any remainder in it.
    pub(super) fn congruence(&mut self, equation: Term) -> Option<Congruence> {
        let terms = self.terms.clone();
        let is_zero = self.apply(equation);
        let Node::Zero(sum) = terms.node(is_zero) else {
            return None;
        };
        let sum = terms.linear(sum);
        let modulus = self.modulus(&sum, DEPTH);
        if modulus < Int::from(LEAST) {
            return None;
        }
        Some(Congruence {
            divides: self.divides(&modulus, sum, &mut CASES.clone()),
            is_zero,
            sum,
            modulus,
        })
    }

    /// The greatest number of which everything that is reduced in a sum is reduced modulo a multiple; 0 if nothing is.
    fn modulus(&self, term: &Term, depth: usize) -> Int {
        match self.terms.node(*term) {
            _ if depth == 0 => Int::ONE,
            Node::Mod(_, by) => by.clone(),
            Node::Ite(_, then, otherwise) => {
                let [a, b] = [then, otherwise].map(|case| self.modulus(case, depth - 1));
                let moved = self.terms.sub(*then, *otherwise);
                let moved = self.terms.as_int(moved).cloned().unwrap_or(Int::ZERO);
                gcd_of(&[a, b, moved])
            }
            Node::Sum(sum) => {
                let parts = sum.parts.iter();
                let all = parts.map(|(part, factor)| factor * self.modulus(part, depth - 1));
                gcd_of(&all.collect::<Vec<Int>>())
            }
            _ => Int::ZERO,
        }
    }

    fn congruent(&mut self, term: Term, modulus: &Int, depth: usize) -> Term {
        if depth == 0 || *modulus < Int::from(2) {
            return term;
        }
        let key = (term, modulus.clone());
        if let Some(&known) = self.residues.get(&key) {
            return known;
        }
        let terms = self.terms.clone();
        let depth = depth - 1;
        let image = match terms.node(term) {
            Node::Sum(sum) => {
                let mut all = Linear::constant(sum.constant.clone());
                for (part, factor) in &sum.parts {
                    // The factor reduces the modulus: 2 * (x mod 2^31) is 2 * x modulo 2^32.
                    let inner = modulus / gcd(factor, modulus);
                    let part = self.congruent(*part, &inner, depth);
                    all = all.plus(factor, &terms.as_linear(part));
                }
                terms.linear(&reduced(&all, modulus))
            }
            Node::Product(a, b) => {
                let [a, b] = [*a, *b].map(|factor| self.congruent(factor, modulus, depth));
                let product = self.product(a, b, &mut MAX_CHOICES.clone());
                terms.linear(&reduced(&terms.as_linear(product), modulus))
            }
            Node::Mod(a, by) if floor_mod(by, modulus) == Int::ZERO => {
                self.congruent(*a, modulus, depth)
            }
            Node::Ite(condition, then, otherwise) => {
                let [then, otherwise] =
                    [*then, *otherwise].map(|case| self.congruent(case, modulus, depth));
                let difference = terms.as_linear(terms.sub(then, otherwise));
                let difference = reduced(&difference, modulus);
                match difference.parts.is_empty() && difference.constant == Int::ZERO {
                    true => then,
                    false => terms.ite(*condition, then, otherwise),
                }
            }
            Node::Op(Op::IntMod, operands) if operands.len() == 2 => {
                let (a, b) = (operands[0], operands[1]);
                let quotient = terms.op(Op::IntDiv, [a, b]);
                let [first, divisor] = [a, b].map(|it| self.congruent(it, modulus, depth));
                let multiple = self.product(divisor, quotient, &mut MAX_CHOICES.clone());
                let is_zero = terms.eq(b, terms.int(Int::ZERO));
                terms.ite(is_zero, term, terms.sub(first, multiple))
            }
            _ => term,
        };
        self.residues.insert(key, image);
        image
    }
}

/// An equation, and what it says modulo a number.
pub(super) struct Congruence {
    is_zero: Term,
    sum: Term,
    modulus: Int,
    /// That the number divides what is zero.
    pub(super) divides: Term,
}

impl Congruence {
    /// What is divided and smaller than the divisor is zero; and zero is divided.
    pub(super) fn lemma(&self, terms: &Terms) -> Term {
        let [least, most] = [Int::ONE - &self.modulus, &self.modulus - Int::ONE];
        let is_small = terms.within(least, self.sum, most);
        terms.and([
            terms.implies(self.is_zero, self.divides),
            terms.implies(terms.and([self.divides, is_small]), self.is_zero),
        ])
    }
}

/// The combination with numbers from 0 on and below the modulus.
fn reduced(sum: &Linear, modulus: &Int) -> Linear {
    let parts = sum.parts.iter();
    let parts = parts.map(|(part, factor)| (*part, floor_mod(factor, modulus)));
    let parts = parts.filter(|(_, factor)| *factor != Int::ZERO);
    Linear {
        parts: parts.collect(),
        constant: floor_mod(&sum.constant, modulus),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use rhumb_logic::eval::evaluate;
    use rhumb_logic::{Assignment, Sort, Symbol, Value};

    use super::super::tests::is_refuted;
    use super::*;

    /// A period like that of a type.
    const PERIOD: i32 = 1 << 9;

    /// The sum as unsigned arithmetic has it.
    fn wrapped(terms: &Terms, a: Term, b: Term) -> Term {
        let sum = terms.add(a, b);
        let moved = terms.sub(sum, terms.int(PERIOD));
        terms.ite(terms.lt(sum, terms.int(PERIOD)), sum, moved)
    }

    /// Terms of all kinds that are looked into, the last one of the greatest.
    fn terms_of(terms: &Terms, choices: &[(u8, u8, u8, i8)]) -> (Vec<Symbol>, Vec<Term>) {
        let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
        let mut pool: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
        for &(kind, first, second, number) in choices {
            let [a, b] = [first, second].map(|place| pool[place as usize % pool.len()]);
            let number = i32::from(number);
            pool.push(match kind % 8 {
                0 => terms.add(a, terms.int(number)),
                1 => terms.sub(terms.scale(number, a), b),
                2 | 3 => terms.mul(a, b),
                4 => terms.modulo(a, PERIOD << (number & 3)),
                5 => wrapped(terms, a, b),
                6 => terms.op(Op::IntMod, [a, terms.add(b, terms.int(number))]),
                _ => terms.ite(terms.le(a, terms.int(number)), a, b),
            });
        }
        (symbols.to_vec(), pool)
    }

    fn values_of(symbols: Vec<Symbol>, numbers: &[i32]) -> Assignment {
        let numbers = numbers.iter().map(|&it| Value::Int(it.into()));
        symbols.into_iter().zip(numbers).collect()
    }

    proptest! {
        #[test]
        fn residues_are_congruent(
            choices in prop::collection::vec(any::<(u8, u8, u8, i8)>(), 1..12),
            numbers in prop::collection::vec(-600i32..600, 3),
            factor in 0i32..4,
        ) {
            let terms = Arc::new(Terms::new());
            let (symbols, pool) = terms_of(&terms, &choices);
            let values = values_of(symbols, &numbers);
            let modulus = Int::from(PERIOD << factor);
            let mut distribution = Distribution::new(&terms);
            let last = pool[pool.len() - 1];
            let term = distribution.apply(last);
            let residue = distribution.residue(term, &modulus);
            let value = |term: Term| match evaluate(&terms, term, &values) {
                Some(Value::Int(value)) => Some(floor_mod(&value, &modulus)),
                _ => None,
            };
            // A remainder by zero is no number, and may be what isn't looked at any more.
            if let Some(before) = value(last) {
                prop_assert_eq!(value(residue), Some(before));
            }
        }

        /// Remainders, divisibility and equations keep their truth, and lemmas are true.
        #[test]
        fn what_is_said_of_residues_is_true(
            choices in prop::collection::vec(any::<(u8, u8, u8, i8)>(), 1..12),
            numbers in prop::collection::vec(-600i32..600, 3),
        ) {
            let terms = Arc::new(Terms::new());
            let (symbols, pool) = terms_of(&terms, &choices);
            let values = values_of(symbols, &numbers);
            let [a, b] = [pool[pool.len() - 1], pool[pool.len() - 2]];
            let reduced = [a, b].map(|term| terms.modulo(term, PERIOD));
            let mut distribution = Distribution::new(&terms);
            let formulas = [
                terms.eq(reduced[0], reduced[1]),
                terms.divides(PERIOD, terms.sub(a, b)),
                terms.le(reduced[0], reduced[1]),
            ];
            for formula in formulas {
                let before = evaluate(&terms, formula, &values);
                let image = distribution.apply(formula);
                if before.is_some() {
                    prop_assert_eq!(evaluate(&terms, image, &values), before);
                }
                if let Some(congruence) = distribution.congruence(formula) {
                    let lemma = evaluate(&terms, congruence.lemma(&terms), &values);
                    prop_assert!(lemma.is_none_or(|it| it == Value::Bool(true)));
                }
            }
        }
    }

    #[test]
    fn polynomials_that_wrap_are_compared_modulo_the_period() {
        let terms = Arc::new(Terms::new());
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::Int));
        let reduced = |term: Term| terms.modulo(term, PERIOD);
        let square = |term: Term| reduced(terms.mul(term, term));
        // (x + y)^2 = x^2 + 2xy + y^2, each reduced as it is computed, and the sum of x and y, too.
        let left = square(wrapped(&terms, x, y));
        let twice = reduced(terms.scale(2, terms.mul(x, y)));
        let right = |last: Term| reduced(terms.add(terms.add(square(x), twice), last));
        assert!(is_refuted(&terms, &[terms.ne(left, right(square(y)))]));
        assert!(!is_refuted(&terms, &[terms.ne(left, right(square(z)))]));
        // Not without the reduction of one side.
        let whole = terms.mul(y, y);
        let sum = terms.add(terms.add(square(x), twice), whole);
        assert!(!is_refuted(&terms, &[terms.ne(left, sum)]));
        // Twice a number modulo half of the period.
        let half = terms.scale(2, terms.modulo(terms.mul(x, y), PERIOD / 2));
        assert!(is_refuted(&terms, &[terms.ne(half, twice)]));
        let other = terms.scale(2, terms.modulo(terms.mul(x, y), PERIOD / 4));
        assert!(!is_refuted(&terms, &[terms.ne(other, twice)]));
    }

    #[test]
    fn a_remainder_is_what_a_multiple_leaves() {
        let terms = Arc::new(Terms::new());
        let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::Int));
        let rest = terms.op(Op::IntMod, [x, y]);
        let multiple = terms.mul(y, terms.op(Op::IntDiv, [x, y]));
        let product = |term: Term| terms.mul(term, y);
        let differs = terms.not(terms.divides(
            PERIOD,
            terms.sub(product(rest), product(terms.sub(x, multiple))),
        ));
        let is_zero = terms.eq(y, terms.int(0));
        assert!(is_refuted(&terms, &[differs, terms.not(is_zero)]));
        // By zero it is any number.
        let differs = terms.not(terms.divides(
            PERIOD,
            terms.sub(terms.mul(rest, x), terms.mul(terms.sub(x, multiple), x)),
        ));
        assert!(!is_refuted(&terms, &[differs]));
    }

    #[test]
    fn each_case_has_its_polynomial() {
        let terms = Arc::new(Terms::new());
        let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| terms.fresh(name, Sort::Int));
        let is_less = terms.lt(x, y);
        let choose = |a: Term, b: Term| terms.ite(is_less, a, b);
        let sum = terms.add(u, v);
        // A step of a greatest common divisor with its multiple: what is known before, and what is not afterwards.
        let known = |x: Term, y: Term, u: Term, v: Term, all: Term| {
            let products = terms.add(terms.mul(x, u), terms.mul(y, v));
            terms.divides(PERIOD, terms.sub(products, all))
        };
        let all = terms.fresh("all", Sort::Int);
        let after = |u: Term| {
            known(
                choose(x, terms.sub(x, y)),
                choose(terms.sub(y, x), y),
                choose(u, terms.fresh("u", Sort::Int)),
                choose(v, sum),
                all,
            )
        };
        let before = [known(x, y, u, v, all), is_less];
        assert!(is_refuted(
            &terms,
            &[before[0], before[1], terms.not(after(sum))]
        ));
        assert!(!is_refuted(
            &terms,
            &[before[0], before[1], terms.not(after(u))]
        ));
        assert!(!is_refuted(&terms, &[before[0], terms.not(after(sum))]));
    }
}
