//! Formulas in the shape that programs give them.

use std::sync::Arc;

use rhumb_logic::project::Projector;
use rhumb_logic::{Sort, Symbol, Term, Terms};

use super::{budget, is_sat};

/// The unsigned sum of two terms of 32 bits, as the encoding writes it.
pub(crate) fn wrapped_sum(terms: &Terms, a: Term, b: Term) -> Term {
    let (sum, modulus) = (terms.add(a, b), 1u64 << 32);
    let wraps = terms.ge(sum, terms.int(modulus));
    terms.ite(wraps, terms.sub(sum, terms.int(modulus)), sum)
}

/// `s = a + b + c + d` in unsigned arithmetic with named intermediate sums, and a condition on the last one.
fn chained_additions(terms: &Terms) -> (Term, Vec<Symbol>, Vec<Symbol>) {
    let word = |name: &str| terms.symbol(name, Sort::Int);
    let inputs: Vec<Symbol> = ["a", "b", "c", "d"].map(word).to_vec();
    let sums: Vec<Symbol> = ["s", "t", "u"].map(word).to_vec();
    let var = |symbol: &Symbol| terms.var(*symbol);
    let mut members = Vec::new();
    for symbol in inputs.iter().chain(&sums) {
        members.push(terms.within(0, var(symbol), u32::MAX));
    }
    let mut left = var(&inputs[0]);
    for (input, sum) in inputs[1..].iter().zip(&sums) {
        members.push(terms.eq(var(sum), wrapped_sum(terms, left, var(input))));
        left = var(sum);
    }
    (terms.and(members), inputs, sums)
}

#[test]
fn three_chained_additions() {
    let terms = Arc::new(Terms::new());
    let (formula, inputs, sums) = chained_additions(&terms);
    let mut projector = Projector::new(terms.clone());
    // Intermediate values and inputs: any sum can be reached from any first operand.
    let mut gone = inputs[1..].to_vec();
    gone.extend(&sums[..2]);
    let result = projector
        .exact(formula, &gone, &budget())
        .expect("a projection");
    let (a, last) = (terms.var(inputs[0]), terms.var(sums[2]));
    let words = terms.and([a, last].map(|term| terms.within(0, term, u32::MAX)));
    for (left, right) in [(result, words), (words, result)] {
        assert_eq!(
            is_sat(&mut projector, &[left, terms.not(right)]),
            Some(false),
            "{}",
            terms.display(result)
        );
    }
    assert!(terms.size(result) <= 16, "{}", terms.display(result));
    let queries = projector.session().statistics().total().queries();
    assert!(queries <= 120, "{queries} queries");
}

/// A summary of a loop that takes steps of two: the projection of its counter says that the distance is even.
#[test]
fn counters_leave_congruences() {
    let terms = Arc::new(Terms::new());
    let names = ["x", "m", "x2", "m2", "k"].map(|name| terms.symbol(name, Sort::Int));
    let [x, m, x2, m2, k] = names.map(|symbol| terms.var(symbol));
    let formula = terms.and([
        terms.ge(k, terms.int(0)),
        terms.eq(m2, terms.sub(m, k)),
        terms.eq(x2, terms.sub(x, terms.scale(2, k))),
        terms.ge(m2, terms.int(0)),
        terms.eq(x2, terms.int(1)),
    ]);
    let mut projector = Projector::new(terms.clone());
    let result = projector
        .exact(formula, &names[2..], &budget())
        .expect("a projection");
    let odd = terms.congruent(x, 2, 1);
    let expected = terms.and([
        odd,
        terms.ge(x, terms.int(1)),
        terms.le(x, terms.add(terms.scale(2, m), terms.int(1))),
    ]);
    assert_eq!(result, expected, "{}", terms.display(result));
    assert_eq!(projector.session().statistics().total().queries(), 0);
}

/// Branches in a row that change a value that goes by amounts that stay: both ways of each are projected at once.
#[test]
fn branches_on_what_stays_are_not_multiplied() {
    for count in [10, 20, 40] {
        let terms = Arc::new(Terms::new());
        let start = terms.symbol("start", Sort::Int);
        let mut value = terms.var(start);
        for index in 0..count {
            let flag = terms.fresh("flag", Sort::Bool);
            let up = terms.add(value, terms.int(index + 1));
            let down = terms.sub(value, terms.fresh("step", Sort::Int));
            value = terms.ite(flag, up, down);
        }
        let formula = terms.and([
            terms.within(0, terms.var(start), 9),
            terms.within(100, value, 200),
        ]);
        let mut projector = Projector::new(terms.clone());
        let result = projector
            .exact(formula, &[start], &budget())
            .expect("a projection");
        assert!(
            terms.size(result) <= 10 * count as usize,
            "{}",
            terms.size(result)
        );
        assert_eq!(projector.session().statistics().total().queries(), 0);
    }
}

/// A machine that moves on when its input says so: inputs go, and one short disjunct for each state is left.
#[test]
fn inputs_of_a_chain_of_steps() {
    let count = 22;
    let terms = Arc::new(Terms::new());
    let start = terms.symbol("start", Sort::Int);
    let inputs: Vec<Symbol> = (0..count)
        .map(|_| terms.symbol("input", Sort::Int))
        .collect();
    let mut state = terms.var(start);
    for (index, &input) in (0i64..).zip(&inputs) {
        let here = terms.eq(state, terms.int(index));
        let moves = terms.and([here, terms.gt(terms.var(input), terms.int(index))]);
        state = terms.ite(moves, terms.int(index + 1), state);
    }
    let formula = terms.eq(state, terms.int(count));
    let mut projector = Projector::new(terms.clone());
    let result = projector
        .exact(formula, &inputs, &budget())
        .expect("a projection");
    let expected = terms.within(0, terms.var(start), count);
    for (left, right) in [(result, expected), (expected, result)] {
        assert_eq!(
            is_sat(&mut projector, &[left, terms.not(right)]),
            Some(false),
            "{}",
            terms.display(result)
        );
    }
    assert!(terms.size(result) <= 100, "{}", terms.display(result));
}
