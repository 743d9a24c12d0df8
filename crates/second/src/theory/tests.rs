//! Every operator means in both theories what it means to the interpreter.

use std::time::Duration;

use dashu_int::IBig;
use rhumb_program::{ArithOp, BinOp, IntType, UnOp};

use super::Theory;
use crate::decide::OpinionLimits;
use crate::pool::{Id, Node, Pool, Sort, number};
use crate::solver::{Answer, Solver};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        (rhumb_random::next(&mut self.0) >> 33) % limit
    }

    fn ty(&mut self) -> IntType {
        let width = [8, 16, 32, 64, 5][self.below(5) as usize];
        match self.below(2) {
            0 => IntType::signed(width),
            _ => IntType::unsigned(width),
        }
    }

    /// Numbers near the ends of the type, near zero, and others.
    fn bits(&mut self, ty: IntType) -> u128 {
        let small = u128::from(self.below(7));
        ty.wrap(match self.below(5) {
            0 => small,
            1 => small.wrapping_neg(),
            2 => ty.max_bits().wrapping_sub(small),
            3 => ty.min_bits().wrapping_add(small),
            _ => u128::from(self.below(1 << 31)) << self.below(33),
        })
    }
}

const OPERATORS: [BinOp; 10] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
];
const CHECKED: [ArithOp; 5] = [
    ArithOp::Add,
    ArithOp::Sub,
    ArithOp::Mul,
    ArithOp::Div,
    ArithOp::Shl,
];

/// The same operation twice: on constants, where the pool computes it, and on symbols that have the same values. Some
/// operands stay constants.
struct Twice<'r> {
    pool: Pool,
    random: &'r mut Random,
    /// What says which values the symbols have.
    facts: Vec<Id>,
}

impl Twice<'_> {
    fn operand(&mut self, ty: IntType) -> (Id, Id) {
        let bits = self.random.bits(ty);
        let constant = self.pool.word(ty, bits);
        if self.random.below(3) == 0 {
            return (constant, constant);
        }
        let symbol = self.pool.fresh(Sort::Word(ty));
        let fact = self.pool.same(symbol, constant);
        self.facts.push(fact);
        (constant, symbol)
    }

    /// Known and asked-for result of a random operation.
    fn operation(&mut self) -> (Id, Id) {
        let ty = self.random.ty();
        let (a, x) = self.operand(ty);
        match self.random.below(8) {
            0 => {
                let op = [UnOp::Neg, UnOp::BitNot][self.random.below(2) as usize];
                (self.pool.unary(op, a), self.pool.unary(op, x))
            }
            1 => {
                let to = self.random.ty();
                (self.pool.cast(a, to), self.pool.cast(x, to))
            }
            2 => {
                let or_equal = self.random.below(2) == 0;
                let (b, y) = self.operand(ty);
                let known = self.pool.less(or_equal, a, b);
                (known, self.pool.less(or_equal, x, y))
            }
            3 | 4 => {
                let op = CHECKED[self.random.below(5) as usize];
                let second = match op {
                    ArithOp::Shl => self.random.ty(),
                    _ => ty,
                };
                let (b, y) = self.operand(second);
                let known = self.pool.overflows(op, a, b);
                (known, self.pool.overflows(op, x, y))
            }
            _ => {
                let op = OPERATORS[self.random.below(10) as usize];
                let second = match op {
                    BinOp::Shl | BinOp::Shr => self.random.ty(),
                    _ => ty,
                };
                let (b, y) = self.operand(second);
                (self.pool.binary(op, a, b), self.pool.binary(op, x, y))
            }
        }
    }

    /// A comparison of formulas, by their values and by those of symbols.
    fn formula(&mut self) -> (Id, Id) {
        let ty = self.random.ty();
        let (a, x) = self.operand(ty);
        let (b, y) = self.operand(ty);
        let factor = self
            .pool
            .int(IBig::from(self.random.below(20)) - IBig::from(9));
        let by = self.pool.int(IBig::from(1 + self.random.below(9)));
        let mut make = |a: Id, b: Id| {
            let (a, b) = (self.pool.value(a), self.pool.value(b));
            let product = self.pool.product(factor, a);
            let sum = self.pool.sum(&[product, b]);
            (self.pool.div(sum, by), self.pool.modulo(sum, by))
        };
        let (quotient, remainder) = make(x, y);
        // By hand, since the pool doesn't divide.
        let value = |id: Id| match *self.pool.node(id) {
            Node::Const(ty, bits) => number(ty, bits),
            _ => IBig::ZERO,
        };
        let amount = |id: Id| self.pool.as_int(id).cloned().unwrap_or_default();
        let (sum, by) = (amount(factor) * value(a) + value(b), amount(by));
        let mut rest = &sum % &by;
        if rest < IBig::ZERO {
            rest += &by;
        }
        let known = (&sum - &rest) / &by;
        let (known, rest) = (self.pool.int(known), self.pool.int(rest));
        let one = self.pool.same(quotient, known);
        let other = self.pool.same(remainder, rest);
        (self.pool.bool(true), self.pool.and([one, other]))
    }
}

#[test]
fn operators_mean_the_same_everywhere() {
    let found = match std::env::var_os("RHUMB_SECOND_FETCH") {
        Some(_) => Some(Solver::get().expect("the solver can be fetched")),
        None => Solver::if_there().ok(),
    };
    let Some(solver) = found else {
        println!("skipped: the solver is not there (set RHUMB_SECOND_FETCH=1)");
        return;
    };
    let limits = OpinionLimits::new(Duration::from_secs(120), &|| false);
    let ask = |theory: Theory, pool: &Pool, formulas: &[Id]| {
        let question = theory.question(pool, formulas);
        let question = question.unwrap_or_else(|unsuited| panic!("{}", unsuited.0));
        solver.ask(&question.text, &[], Duration::from_secs(20), &limits)
    };
    let mut random = Random(1);
    let mut compared = 0;
    for index in 0..400 {
        let mut twice = Twice {
            pool: Pool::default(),
            random: &mut random,
            facts: Vec::new(),
        };
        let (known, asked) = match index % 6 {
            0 => twice.formula(),
            _ => twice.operation(),
        };
        // A division by zero, or a shift out of range, has no value.
        let is_known = matches!(twice.pool.node(known), Node::Const(..) | Node::Bool(_));
        if !is_known || known == asked {
            continue;
        }
        compared += 1;
        let same = twice.pool.same(known, asked);
        let differ = twice.pool.not(same);
        let mut formulas = twice.facts;
        for theory in [Theory::Bits, Theory::Integers] {
            // The facts allow what is so, and nothing else.
            formulas.push(same);
            let answer = ask(theory, &twice.pool, &formulas);
            assert_eq!(answer, Answer::Sat(Vec::new()), "{theory:?}, {index}");
            formulas.pop();
            formulas.push(differ);
            let answer = ask(theory, &twice.pool, &formulas);
            assert_eq!(answer, Answer::Unsat, "{theory:?}, {index}");
            formulas.pop();
        }
    }
    assert!(compared > 250, "{compared}");
}
