//! Terms on lines, compared with their values one by one.

use std::sync::Arc;

use rhumb_logic::eval::evaluate;
use rhumb_logic::{Int, Sort, Symbol, Term, Terms, Value};

use super::*;
use crate::gps::test::course::{Formulas, Shape};
use crate::gps::test::line::{Line, Spans};

const CASES: u64 = 6000;

/// Iterations that are looked at.
const LOOK: i128 = 12;

struct Generator<'a> {
    terms: &'a Terms,
    symbols: &'a [Symbol],
    random: Random,
}

impl Generator<'_> {
    fn number(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        if depth == 0 {
            return if self.random.chance(75) {
                terms.var(self.random.pick(self.symbols))
            } else {
                terms.int(self.random.within(-9, 9))
            };
        }
        let a = self.number(depth - 1);
        match self.random.below(9) {
            0 => terms.sub(a, self.number(depth - 1)),
            1 => terms.scale(self.random.within(-4, 4), a),
            2 => terms.mul(a, self.number(depth - 1)),
            3 => terms.div(a, self.random.within(2, 7)),
            4 => terms.modulo(a, self.random.within(2, 7)),
            5 | 6 => {
                let condition = self.formula(depth - 1);
                terms.ite(condition, a, self.number(depth - 1))
            }
            _ => terms.add(a, self.number(depth - 1)),
        }
    }

    fn formula(&mut self, depth: u32) -> Term {
        let terms = self.terms;
        if depth > 0 && self.random.chance(50) {
            let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
            return match self.random.below(4) {
                0 => terms.or([a, b]),
                1 => terms.iff(a, b),
                2 => terms.not(a),
                _ => terms.and([a, b]),
            };
        }
        let (a, b) = (self.number(depth), self.number(depth));
        match self.random.below(4) {
            0 => terms.eq(a, b),
            1 => terms.divides(self.random.within(2, 6), terms.sub(a, b)),
            _ => terms.le(a, b),
        }
    }

    /// A line of so many dimensions.
    fn line(&mut self, dimensions: usize) -> Line {
        let steps = (0..dimensions).map(|_| self.random.within(-3, 3));
        let steps: Vec<i128> = steps.collect();
        Line::new(self.random.within(-20, 20), &steps)
    }
}

/// The value of a line in given iterations.
fn at(line: &Line, iterations: &[i128]) -> i128 {
    let steps = iterations.iter().enumerate();
    steps.fold(line.base, |sum, (dimension, iteration)| {
        sum + line.step(dimension) * iteration
    })
}

/// All inner iterations that belong to some outer ones.
fn inner(spans: &Spans, outer: Vec<i128>, visit: &mut dyn FnMut(&[i128])) {
    let Some(span) = spans.0.get(outer.len() - 1) else {
        return visit(&outer);
    };
    for iteration in 0..=at(span, &outer) {
        let mut next = outer.clone();
        next.push(iteration);
        inner(spans, next, visit);
    }
}

#[test]
fn what_is_said_of_all_iterations_is_right_for_each() {
    let (mut known, mut compared, mut ended) = (0, 0, 0);
    for seed in 0..CASES {
        let terms = Arc::new(Terms::new());
        let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
        let mut generator = Generator {
            terms: &terms,
            symbols: &symbols,
            random: Random::new(seed),
        };
        let depth = generator.random.below(3) as usize;
        // The lengths of inner jumps may grow, never shrink to nothing.
        let mut spans = Spans::default();
        for dimension in 0..depth {
            let steps = (0..=dimension).map(|_| generator.random.within(0, 1));
            let steps: Vec<i128> = steps.collect();
            let first = generator.random.within(0, 3);
            spans.0.push(Line::new(first, &steps));
        }
        let lines = symbols.map(|_| generator.line(depth + 1));
        let roots = [
            generator.formula(2),
            generator.number(3),
            generator.formula(3),
        ];
        let formulas = Formulas::new(&terms, &symbols, roots);
        let courses = formulas.courses(&terms, &lines, &spans);
        for (root, course) in roots.into_iter().zip(courses) {
            let Some(course) = course else {
                continue;
            };
            known += 1;
            ended += u32::from(course.until < LOOK);
            for iteration in 0..=course.until.min(LOOK) {
                inner(&spans, vec![iteration], &mut |iterations| {
                    let values: Assignment = symbols
                        .iter()
                        .zip(&lines)
                        .map(|(&symbol, line)| {
                            let value = Int::from(at(line, iterations));
                            (symbol, Value::Int(value))
                        })
                        .collect();
                    let expected = match &course.shape {
                        Shape::Number(line) => Value::Int(Int::from(at(line, iterations))),
                        Shape::Truth(value) => Value::Bool(*value),
                        Shape::Fixed(value) => value.clone(),
                    };
                    assert_eq!(
                        evaluate(&terms, root, &values),
                        Some(expected),
                        "seed {seed}, {iterations:?}: {} {lines:?} {spans:?}",
                        terms.display(root)
                    );
                    compared += 1;
                });
            }
        }
    }
    println!(
        "{known} of {} terms known, {ended} for less than {LOOK} iterations, {compared} values compared",
        3 * CASES
    );
    // Products of what changes, and what changes within inner jumps, are not known; that is rare in programs.
    assert!(known * 10 > 3 * CASES * 4, "{known}");
}

#[test]
fn what_ends_is_not_ended_too_early() {
    // The first iteration in which an atom is something else, by trying.
    let mut tight = 0;
    let mut all = 0;
    for seed in 0..CASES {
        let terms = Arc::new(Terms::new());
        let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
        let mut generator = Generator {
            terms: &terms,
            symbols: &symbols,
            random: Random::new(seed + CASES),
        };
        let x = terms.var(symbols[0]);
        let y = terms.var(symbols[1]);
        let sum = terms.add(terms.scale(generator.random.within(-3, 3), x), y);
        let atom = match generator.random.below(3) {
            0 => terms.eq(sum, terms.int(generator.random.within(-30, 30))),
            1 => terms.divides(generator.random.within(2, 9), sum),
            _ => terms.le(sum, terms.int(generator.random.within(-30, 30))),
        };
        let lines = symbols.map(|_| generator.line(1));
        let formulas = Formulas::new(&terms, &symbols, [atom]);
        let mut courses = formulas.courses(&terms, &lines, &Spans::default());
        let course = courses.next().flatten();
        let until = course.expect("an atom").until;
        let truth = |iteration: i128| {
            let value = |line: &Line| Value::Int(Int::from(at(line, &[iteration])));
            let values = symbols.iter().zip(&lines);
            let values = values.map(|(&symbol, line)| (symbol, value(line)));
            evaluate(&terms, atom, &values.collect())
        };
        all += 1;
        let changes = (1..200).find(|&iteration| truth(iteration) != truth(0));
        tight += u32::from(changes.map_or(until >= 199, |first| until == first - 1));
    }
    assert_eq!(tight, all);
}
