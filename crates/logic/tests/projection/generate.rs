//! Random formulas of linear arithmetic, with what programs put into it: `ite`, quotients, remainders, congruences.

use std::sync::Arc;

use rhumb_logic::{Sort, Symbol, Term, Terms};

use crate::oracle::enumerate;

/// A generator of numbers whose sequence depends on the seed alone.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    /// A number from 0 on, below the bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A number between two, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.below((high - low + 1).unsigned_abs())).unwrap_or(0)
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Symbols that stay and symbols that go.
pub(crate) struct World {
    pub(crate) terms: Arc<Terms>,
    pub(crate) kept: Vec<Symbol>,
    pub(crate) gone: Vec<Symbol>,
    pub(crate) flag: Symbol,
    /// Divisors of quotients, remainders and congruences.
    pub(crate) divisors: Vec<i64>,
}

impl World {
    /// For which points of the kept numbers a formula holds with some values of the others from a box.
    pub(crate) fn enumerate(
        &self,
        formula: Term,
        points: &[Vec<i128>],
        range: (i128, i128),
    ) -> Vec<bool> {
        let (kept, gone) = (&self.kept, &self.gone);
        enumerate(&self.terms, formula, kept, gone, self.flag, points, range)
    }

    pub(crate) fn new(kept: usize, gone: usize, divisors: &[i64]) -> World {
        let terms = Arc::new(Terms::new());
        let names = |prefix: &str, count: usize| {
            (0..count)
                .map(|index| terms.symbol(format!("{prefix}{index}"), Sort::Int))
                .collect::<Vec<_>>()
        };
        World {
            kept: names("x", kept),
            gone: names("k", gone),
            flag: terms.symbol("flag", Sort::Bool),
            divisors: divisors.to_vec(),
            terms,
        }
    }

    /// Everything that goes.
    pub(crate) fn eliminated(&self) -> Vec<Symbol> {
        let mut all = self.gone.clone();
        all.push(self.flag);
        all
    }

    fn linear(&self, random: &mut Random) -> Term {
        let terms = &self.terms;
        let mut sum = terms.int(random.between(-6, 6));
        let symbols: Vec<Symbol> = self.kept.iter().chain(&self.gone).copied().collect();
        for _ in 0..random.between(1, 3) {
            let symbol = terms.var(random.pick(&symbols));
            let factor = random.pick(&[1, 1, 1, -1, -1, 2, -2, 3, -3]);
            sum = terms.add(sum, terms.scale(factor, symbol));
        }
        sum
    }

    fn term(&self, random: &mut Random, depth: u32) -> Term {
        let terms = &self.terms;
        if depth == 0 {
            return self.linear(random);
        }
        match random.below(14) {
            0 => {
                let condition = self.atom(random, depth - 1);
                let (a, b) = (self.term(random, depth - 1), self.term(random, depth - 1));
                terms.add(terms.ite(condition, a, b), self.linear(random))
            }
            1 => {
                let divisor = random.pick(&self.divisors);
                let quotient = terms.div(self.term(random, depth - 1), divisor);
                terms.add(quotient, self.linear(random))
            }
            2 => {
                let divisor = random.pick(&self.divisors);
                let rest = terms.modulo(self.term(random, depth - 1), divisor);
                terms.sub(rest, self.linear(random))
            }
            _ => self.linear(random),
        }
    }

    fn atom(&self, random: &mut Random, depth: u32) -> Term {
        let terms = &self.terms;
        let sum = self.term(random, depth);
        match random.below(9) {
            0 | 1 => terms.eq(sum, terms.int(0)),
            2 => terms.ne(sum, terms.int(0)),
            3 if random.once_in(2) => terms.divides(random.pick(&self.divisors), sum),
            4 if random.once_in(3) => terms.var(self.flag),
            _ => terms.le(sum, terms.int(0)),
        }
    }

    /// An atom or its negation.
    pub(crate) fn literal(&self, random: &mut Random) -> Term {
        let atom = self.atom(random, 1);
        if random.once_in(3) {
            self.terms.not(atom)
        } else {
            atom
        }
    }

    /// A formula with connectives up to a depth.
    pub(crate) fn formula(&self, random: &mut Random, depth: u32) -> Term {
        let terms = &self.terms;
        if depth == 0 {
            return self.atom(random, 2);
        }
        match random.below(9) {
            0..=3 => {
                let count = random.between(2, 4);
                terms.and((0..count).map(|_| self.formula(random, depth - 1)))
            }
            4..=5 => {
                let count = random.between(2, 3);
                terms.or((0..count).map(|_| self.formula(random, depth - 1)))
            }
            6 => terms.not(self.formula(random, depth - 1)),
            7 => {
                let a = self.formula(random, depth - 1);
                terms.iff(a, self.formula(random, depth - 1))
            }
            _ => self.atom(random, 2),
        }
    }

    /// A conjunction of some formulas: the more there are, the likelier it is unsatisfiable.
    pub(crate) fn conjunction(&self, random: &mut Random) -> Term {
        let count = random.pick(&[1, 2, 3, 5, 6, 8, 10]);
        let members: Vec<Term> = (0..count)
            .map(|_| {
                let depth = random.pick(&[0, 0, 1, 2]);
                self.formula(random, depth)
            })
            .collect();
        self.terms.and(members)
    }

    /// The formula with some symbols kept between two numbers.
    pub(crate) fn bounded(&self, formula: Term, symbols: &[Symbol], low: i64, high: i64) -> Term {
        let terms = &self.terms;
        let boxes = symbols.iter();
        let boxes = boxes.map(|&symbol| terms.within(low, terms.var(symbol), high));
        terms.and(boxes.chain([formula]))
    }
}
