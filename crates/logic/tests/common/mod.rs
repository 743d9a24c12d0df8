//! What the property tests share: random numbers, and random terms with a meaning of their own to compare with.
#![allow(dead_code, reason = "every test file uses another part")]

use std::sync::Arc;

use dashu_int::UBig;
use rhumb_logic::num::{floor_div, floor_mod};
use rhumb_logic::{Assignment, Int, Sort, Symbol, Term, Terms, Transition, Value};

/// A small generator of pseudo-random numbers (splitmix64): a test is repeated exactly by its seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    /// From 0 on, below the limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Both ends included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Mostly small, now and then far beyond 128 bits.
    pub(crate) fn number(&mut self, huge: bool) -> Int {
        match self.below(12) {
            0 if huge => {
                let size = self.below(300);
                (Int::from(self.between(-3, 3)) << size) + Int::from(self.between(-2, 2))
            }
            1 => Int::from(self.between(-1000, 1000)),
            _ => Int::from(self.between(-5, 5)),
        }
    }
}

/// An integer expression as it was written, before any normal form.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Const(Int),
    Var(usize),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Scale(Int, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Div(Box<Expr>, Int),
    Mod(Box<Expr>, Int),
    Ite(Box<Test>, Box<Expr>, Box<Expr>),
}

/// A formula as it was written.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Const(bool),
    Var(usize),
    Not(Box<Test>),
    And(Vec<Test>),
    Or(Vec<Test>),
    Implies(Box<Test>, Box<Test>),
    Iff(Box<Test>, Box<Test>),
    Ite(Box<Test>, Box<Test>, Box<Test>),
    Le(Expr, Expr),
    Lt(Expr, Expr),
    Ge(Expr, Expr),
    Gt(Expr, Expr),
    Eq(Expr, Expr),
    Ne(Expr, Expr),
    Within(Int, Expr, Int),
    Divides(Int, Expr),
    Congruent(Expr, Int, Int),
}

/// Symbols of a test: integers and truth values.
pub(crate) struct Scope {
    pub(crate) terms: Arc<Terms>,
    pub(crate) ints: Vec<Symbol>,
    pub(crate) bools: Vec<Symbol>,
}

/// Values for them.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) ints: Vec<Int>,
    pub(crate) bools: Vec<bool>,
}

impl Scope {
    pub(crate) fn new(ints: usize, bools: usize) -> Scope {
        let terms = Arc::new(Terms::new());
        Scope {
            ints: (0..ints)
                .map(|index| terms.symbol(format!("x{index}"), Sort::Int))
                .collect(),
            bools: (0..bools)
                .map(|index| terms.symbol(format!("b{index}"), Sort::Bool))
                .collect(),
            terms,
        }
    }

    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        self.ints.iter().chain(&self.bools).copied().collect()
    }

    pub(crate) fn point(&self, random: &mut Random, huge: bool) -> Point {
        Point {
            ints: self.ints.iter().map(|_| random.number(huge)).collect(),
            bools: self.bools.iter().map(|_| random.chance(50)).collect(),
        }
    }

    pub(crate) fn assignment(&self, point: &Point) -> Assignment {
        let ints = self.ints.iter().copied();
        let bools = self.bools.iter().copied();
        let ints = ints.zip(point.ints.iter().cloned().map(Value::Int));
        ints.chain(bools.zip(point.bools.iter().copied().map(Value::Bool)))
            .collect()
    }
}

/// How large random expressions get, and which operations they use.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) depth: u32,
    pub(crate) huge: bool,
    pub(crate) products: bool,
}

impl Expr {
    pub(crate) fn random(random: &mut Random, scope: &Scope, shape: Shape) -> Expr {
        let Some(depth) = shape.depth.checked_sub(1) else {
            return if random.chance(70) {
                Expr::Var(random.below(scope.ints.len()))
            } else {
                Expr::Const(random.number(shape.huge))
            };
        };
        let shape = Shape { depth, ..shape };
        let sub = |random: &mut Random| Box::new(Expr::random(random, scope, shape));
        match random.below(10) {
            0 | 1 => Expr::Add(sub(random), sub(random)),
            2 => Expr::Sub(sub(random), sub(random)),
            3 => Expr::Scale(random.number(shape.huge), sub(random)),
            4 if shape.products => Expr::Mul(sub(random), sub(random)),
            5 => Expr::Div(sub(random), divisor(random, shape)),
            6 | 7 => Expr::Mod(sub(random), divisor(random, shape)),
            8 => Expr::Ite(
                Box::new(Test::random(random, scope, shape)),
                sub(random),
                sub(random),
            ),
            _ => Expr::random(random, scope, Shape { depth: 0, ..shape }),
        }
    }

    pub(crate) fn build(&self, scope: &Scope) -> Term {
        let terms = &scope.terms;
        match self {
            Expr::Const(value) => terms.int(value.clone()),
            Expr::Var(index) => terms.var(scope.ints[*index]),
            Expr::Add(a, b) => terms.add(a.build(scope), b.build(scope)),
            Expr::Sub(a, b) => terms.sub(a.build(scope), b.build(scope)),
            Expr::Scale(factor, a) => terms.scale(factor.clone(), a.build(scope)),
            Expr::Mul(a, b) => terms.mul(a.build(scope), b.build(scope)),
            Expr::Div(a, divisor) => terms.div(a.build(scope), divisor.clone()),
            Expr::Mod(a, divisor) => terms.modulo(a.build(scope), divisor.clone()),
            Expr::Ite(test, a, b) => terms.ite(test.build(scope), a.build(scope), b.build(scope)),
        }
    }

    pub(crate) fn value(&self, point: &Point) -> Int {
        match self {
            Expr::Const(value) => value.clone(),
            Expr::Var(index) => point.ints[*index].clone(),
            Expr::Add(a, b) => a.value(point) + b.value(point),
            Expr::Sub(a, b) => a.value(point) - b.value(point),
            Expr::Scale(factor, a) => factor * a.value(point),
            Expr::Mul(a, b) => a.value(point) * b.value(point),
            Expr::Div(a, divisor) => floor_div(&a.value(point), &positive(divisor)),
            Expr::Mod(a, divisor) => floor_mod(&a.value(point), &positive(divisor)),
            Expr::Ite(test, a, b) => {
                if test.value(point) {
                    a.value(point)
                } else {
                    b.value(point)
                }
            }
        }
    }
}

impl Test {
    pub(crate) fn random(random: &mut Random, scope: &Scope, shape: Shape) -> Test {
        let Some(depth) = shape.depth.checked_sub(1) else {
            return Test::atom(random, scope, shape);
        };
        let shape = Shape { depth, ..shape };
        let sub = |random: &mut Random| Box::new(Test::random(random, scope, shape));
        let many = |random: &mut Random| -> Vec<Test> {
            (0..random.below(5)).map(|_| *sub(random)).collect()
        };
        match random.below(12) {
            0 | 1 => Test::And(many(random)),
            2 | 3 => Test::Or(many(random)),
            4 => Test::Not(sub(random)),
            5 => Test::Implies(sub(random), sub(random)),
            6 => Test::Iff(sub(random), sub(random)),
            7 => Test::Ite(sub(random), sub(random), sub(random)),
            _ => Test::atom(random, scope, shape),
        }
    }

    fn atom(random: &mut Random, scope: &Scope, shape: Shape) -> Test {
        let expr = |random: &mut Random| Expr::random(random, scope, shape);
        match random.below(12) {
            0 => Test::Const(random.chance(50)),
            1 if !scope.bools.is_empty() => Test::Var(random.below(scope.bools.len())),
            2 => Test::Lt(expr(random), expr(random)),
            3 => Test::Ge(expr(random), expr(random)),
            4 => Test::Gt(expr(random), expr(random)),
            5 => Test::Ne(expr(random), expr(random)),
            6 => Test::Within(
                random.number(shape.huge),
                expr(random),
                random.number(shape.huge),
            ),
            7 => Test::Divides(divisor(random, shape), expr(random)),
            8 => Test::Congruent(
                expr(random),
                divisor(random, shape),
                random.number(shape.huge),
            ),
            9 | 10 => Test::Eq(expr(random), expr(random)),
            _ => Test::Le(expr(random), expr(random)),
        }
    }

    pub(crate) fn build(&self, scope: &Scope) -> Term {
        let terms = &scope.terms;
        let all = |tests: &[Test]| -> Vec<Term> { tests.iter().map(|t| t.build(scope)).collect() };
        match self {
            Test::Const(value) => terms.bool(*value),
            Test::Var(index) => terms.var(scope.bools[*index]),
            Test::Not(a) => terms.not(a.build(scope)),
            Test::And(tests) => terms.and(all(tests)),
            Test::Or(tests) => terms.or(all(tests)),
            Test::Implies(a, b) => terms.implies(a.build(scope), b.build(scope)),
            Test::Iff(a, b) => terms.eq(a.build(scope), b.build(scope)),
            Test::Ite(a, b, c) => terms.ite(a.build(scope), b.build(scope), c.build(scope)),
            Test::Le(a, b) => terms.le(a.build(scope), b.build(scope)),
            Test::Lt(a, b) => terms.lt(a.build(scope), b.build(scope)),
            Test::Ge(a, b) => terms.ge(a.build(scope), b.build(scope)),
            Test::Gt(a, b) => terms.gt(a.build(scope), b.build(scope)),
            Test::Eq(a, b) => terms.eq(a.build(scope), b.build(scope)),
            Test::Ne(a, b) => terms.ne(a.build(scope), b.build(scope)),
            Test::Within(low, a, high) => terms.within(low.clone(), a.build(scope), high.clone()),
            Test::Divides(divisor, a) => terms.divides(divisor.clone(), a.build(scope)),
            Test::Congruent(a, divisor, rest) => {
                terms.congruent(a.build(scope), divisor.clone(), rest.clone())
            }
        }
    }

    pub(crate) fn value(&self, point: &Point) -> bool {
        match self {
            Test::Const(value) => *value,
            Test::Var(index) => point.bools[*index],
            Test::Not(a) => !a.value(point),
            Test::And(tests) => tests.iter().all(|test| test.value(point)),
            Test::Or(tests) => tests.iter().any(|test| test.value(point)),
            Test::Implies(a, b) => !a.value(point) || b.value(point),
            Test::Iff(a, b) => a.value(point) == b.value(point),
            Test::Ite(a, b, c) => {
                if a.value(point) {
                    b.value(point)
                } else {
                    c.value(point)
                }
            }
            Test::Le(a, b) => a.value(point) <= b.value(point),
            Test::Lt(a, b) => a.value(point) < b.value(point),
            Test::Ge(a, b) => a.value(point) >= b.value(point),
            Test::Gt(a, b) => a.value(point) > b.value(point),
            Test::Eq(a, b) => a.value(point) == b.value(point),
            Test::Ne(a, b) => a.value(point) != b.value(point),
            Test::Within(low, a, high) => (low..=high).contains(&&a.value(point)),
            Test::Divides(divisor, a) => floor_mod(&a.value(point), &positive(divisor)).is_zero(),
            Test::Congruent(a, divisor, rest) => {
                floor_mod(&(a.value(point) - rest), &positive(divisor)).is_zero()
            }
        }
    }
}

/// Divisors below 1 count as 1.
fn positive(divisor: &Int) -> Int {
    divisor.clone().max(Int::ONE)
}

fn divisor(random: &mut Random, shape: Shape) -> Int {
    match random.below(10) {
        0 => Int::from(random.between(-2, 1)),
        1 => Int::ONE << random.below(if shape.huge { 200 } else { 10 }),
        2 => Int::from(random.between(1, 1000)),
        _ => Int::from(*random.pick(&[2, 3, 4, 6, 8, 12])),
    }
}

/// The value of a bit-vector.
pub(crate) fn bits(value: u128) -> Value {
    Value::Bits(UBig::from(value))
}

/// Small expressions of linear arithmetic.
pub(crate) const SMALL: Shape = Shape {
    depth: 2,
    huge: false,
    products: false,
};

/// Values of the state variables.
pub(crate) type State = Vec<Int>;

pub(crate) fn assignment(variables: &[Symbol], state: &State) -> Assignment {
    let values = state.iter().cloned().map(Value::Int);
    variables.iter().copied().zip(values).collect()
}

/// Every assignment of the inputs, integers from the range that random guards allow them.
pub(crate) fn inputs(scope: &Scope, step: &Transition) -> Vec<Assignment> {
    let mut all = vec![Assignment::default()];
    for &input in &step.inputs {
        let values: Vec<Value> = match scope.terms.symbol_info(input).sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            _ => (-1..=1).map(|value| Value::Int(Int::from(value))).collect(),
        };
        let with = |known: &Assignment| -> Vec<Assignment> {
            let extended = values.iter().map(|value| {
                let mut extended = known.clone();
                extended.insert(input, value.clone());
                extended
            });
            extended.collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// A random step with at most one input, which the guard keeps between -1 and 1.
pub(crate) fn random_step(random: &mut Random, scope: &Scope) -> Transition {
    let terms = &scope.terms;
    // A scope whose third variable is the input.
    let input = terms.symbol("i", Sort::Int);
    let wider = Scope {
        terms: terms.clone(),
        ints: scope.ints.iter().copied().chain([input]).collect(),
        bools: Vec::new(),
    };
    let has_input = random.chance(50);
    let over = if has_input { &wider } else { scope };
    let mut updates = Vec::new();
    for &variable in &scope.ints {
        if random.chance(60) {
            updates.push((variable, Expr::random(random, over, SMALL).build(over)));
        }
    }
    let mut guard = match random.below(3) {
        0 => terms.bool(true),
        _ => Test::random(random, over, SMALL).build(over),
    };
    if has_input {
        guard = terms.and([guard, terms.within(-1, terms.var(input), 1)]);
    }
    Transition::new(terms, updates, guard, has_input.then_some(input))
}
