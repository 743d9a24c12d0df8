//! Intervals against values at points.

use rhumb_logic::{Budget, Op, Rounding, Sort, Term, Terms, Work};

use super::*;

/// Random expressions over two inputs, with their values at one point.
struct Random<'t> {
    terms: &'t Terms,
    state: u64,
    is_single: bool,
}

impl Random<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        (rhumb_random::next(&mut self.state) >> 16) % limit
    }

    fn format(&self) -> (u32, u32) {
        if self.is_single { (8, 24) } else { (11, 53) }
    }

    fn round(&self, value: f64) -> f64 {
        if self.is_single {
            f64::from(value as f32)
        } else {
            value
        }
    }

    fn number_of(&self, integer: Term) -> Term {
        let (exponent, significand) = self.format();
        let bits = (self.terms).op(Op::IntToBv(exponent + significand), [integer]);
        (self.terms).op(Op::FpFromBits(exponent, significand), [bits])
    }

    fn constant(&self, value: f64) -> Term {
        let bits = match self.is_single {
            true => u64::from((value as f32).to_bits()),
            false => value.to_bits(),
        };
        self.number_of(self.terms.int(bits))
    }

    /// A number: often a small one, now and then one at the end of the format.
    fn number(&mut self) -> f64 {
        let value = match self.below(12) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => f64::MIN_POSITIVE,
            4 => 3e38,
            5 => f64::NAN,
            6 => 1.0 + self.below(9) as f64,
            _ => self.below(2_000_001) as f64 / 65_536.0 - 15.0,
        };
        self.round(value)
    }

    fn expression(&mut self, inputs: &[(Term, f64)], depth: u32) -> (Term, f64) {
        if depth == 0 || self.below(6) == 0 {
            if self.below(3) == 0 {
                let value = self.number();
                return (self.constant(value), value);
            }
            return inputs[self.below(inputs.len() as u64) as usize];
        }
        let (a, x) = self.expression(inputs, depth - 1);
        let kind = self.below(8);
        if kind >= 6 {
            let (op, value) = match kind {
                6 => (Op::FpSqrt, x.sqrt()),
                _ => (Op::FpRound(Rounding::NearestAway), x.round()),
            };
            return (self.terms.op(op, [a]), self.round(value));
        }
        let (b, y) = self.expression(inputs, depth - 1);
        if kind >= 4 {
            let condition = self.terms.op(Op::FpLe, [a, b]);
            let value = if x <= y { y } else { x };
            return (self.terms.ite(condition, b, a), value);
        }
        let (op, value) = match kind {
            0 => (Op::FpAdd, x + y),
            1 => (Op::FpSub, x - y),
            2 => (Op::FpMul, x * y),
            _ => (Op::FpDiv, x / y),
        };
        (self.terms.op(op, [a, b]), self.round(value))
    }
}

/// What is true at a point is not impossible; what is far from all values is mostly found to be.
#[test]
fn what_holds_somewhere_is_not_called_impossible() {
    let budget = Budget::unlimited().within(Work::secs(300));
    let (mut decided, mut asked) = (0, 0);
    for seed in 1..1200u64 {
        let terms = Terms::new();
        let mut random = Random {
            terms: &terms,
            state: seed,
            is_single: seed % 2 == 0,
        };
        let symbols = [terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int)];
        let inputs = symbols.map(|symbol| {
            let term = random.number_of(terms.var(symbol));
            (term, random.number())
        });
        let (term, value) = random.expression(&inputs, 3);
        let mut conditions = Vec::new();
        for (input, value) in inputs {
            if !value.is_nan() {
                let ends = [value - 1.0, value + 1.0].map(|end| random.constant(random.round(end)));
                conditions.push(terms.op(Op::FpLe, [ends[0], input]));
                conditions.push(terms.op(Op::FpLe, [input, ends[1]]));
            }
        }
        let here = random.constant(value);
        let true_here = match value.is_nan() {
            true => terms.not(terms.op(Op::FpEq, [term, term])),
            false => terms.and([
                terms.op(Op::FpLe, [here, term]),
                terms.op(Op::FpEq, [here, term]),
            ]),
        };
        let possible: Vec<Term> = conditions.iter().copied().chain([true_here]).collect();
        assert!(
            !is_impossible(
                &terms,
                &possible,
                &Symbols::default(),
                &budget.within(Work::millis(20))
            ),
            "seed {seed}"
        );
        if value.is_finite() && value.abs() < 100.0 {
            let far = terms.op(Op::FpLe, [random.constant(1e30), term]);
            let wrong: Vec<Term> = conditions.iter().copied().chain([far]).collect();
            asked += 1;
            let quick = budget.within(Work::millis(50));
            decided += u32::from(is_impossible(&terms, &wrong, &Symbols::default(), &quick));
        }
    }
    assert!(
        decided * 4 > asked * 3 && asked > 300,
        "{decided} of {asked}"
    );
}

#[test]
fn neighbours_are_neighbours() {
    for precision in [Precision::Single, Precision::Double] {
        for (low, high) in [
            (0.0, 1.0),
            (-1.0, 1.0),
            (f64::NEG_INFINITY, f64::INFINITY),
            (1.0, 1.5),
        ] {
            let (below, above) = precision.between(low, high);
            assert!(low <= below && below < above && above <= high);
            assert_eq!(precision.rank(below) + 1, precision.rank(above));
        }
    }
}
