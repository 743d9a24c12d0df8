//! Random formulas over three small integers and two truth values, with a meaning of their own: terms and solver are compared with it.
#![allow(dead_code, reason = "every test file uses another part")]

use proptest::prelude::*;
use rhumb_logic::{Sort, Symbol, Term, Terms, Value};

/// Integer variables have values from `-BOX` to `BOX`.
pub(crate) const BOX: i64 = 3;

/// A point of the box.
pub(crate) type Point = ([i64; 3], [bool; 2]);

#[derive(Clone, Debug)]
pub(crate) enum Number {
    Const(i64),
    Var(usize),
    Add(Box<Number>, Box<Number>),
    Sub(Box<Number>, Box<Number>),
    Scale(i64, Box<Number>),
    Mul(Box<Number>, Box<Number>),
    Div(Box<Number>, i64),
    Mod(Box<Number>, i64),
    Ite(Box<Formula>, Box<Number>, Box<Number>),
}

#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Var(usize),
    Le(Number, Number),
    Eq(Number, Number),
    Divides(i64, Number),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Box<Formula>, Box<Formula>),
}

/// The symbols that variables stand for.
pub(crate) struct Variables {
    pub(crate) numbers: [Symbol; 3],
    pub(crate) truths: [Symbol; 2],
}

impl Variables {
    pub(crate) fn new(terms: &Terms) -> Variables {
        Variables {
            numbers: ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int)),
            truths: ["p", "q"].map(|name| terms.symbol(name, Sort::Bool)),
        }
    }

    /// That all integers lie in the box.
    pub(crate) fn range(&self, terms: &Terms) -> Term {
        terms.and(self.numbers.map(|x| terms.within(-BOX, terms.var(x), BOX)))
    }

    /// The point that some values make; symbols without a value are zero or false.
    pub(crate) fn point<'a>(&self, value: impl Fn(Symbol) -> Option<&'a Value>) -> Point {
        let number = |symbol| {
            value(symbol).map_or(0, |value| {
                let value = value.as_int().expect("an integer");
                i64::try_from(value).expect("in the box")
            })
        };
        let truth = |symbol| value(symbol).is_some_and(|value| value.as_bool() == Some(true));
        (self.numbers.map(number), self.truths.map(truth))
    }
}

/// All points of the box.
pub(crate) fn points() -> impl Iterator<Item = Point> {
    let side = || -BOX..=BOX;
    let truths = [[false, false], [false, true], [true, false], [true, true]];
    side().flat_map(move |x| {
        side().flat_map(move |y| {
            side().flat_map(move |z| truths.into_iter().map(move |truths| ([x, y, z], truths)))
        })
    })
}

impl Number {
    pub(crate) fn eval(&self, point: &Point) -> i64 {
        match self {
            Number::Const(value) => *value,
            Number::Var(place) => point.0[*place],
            Number::Add(a, b) => a.eval(point) + b.eval(point),
            Number::Sub(a, b) => a.eval(point) - b.eval(point),
            Number::Scale(factor, a) => factor * a.eval(point),
            Number::Mul(a, b) => a.eval(point) * b.eval(point),
            Number::Div(a, divisor) => a.eval(point).div_euclid(*divisor),
            Number::Mod(a, divisor) => a.eval(point).rem_euclid(*divisor),
            Number::Ite(c, a, b) => {
                let chosen = if c.eval(point) { a } else { b };
                chosen.eval(point)
            }
        }
    }

    pub(crate) fn term(&self, t: &Terms, vars: &Variables) -> Term {
        match self {
            Number::Const(value) => t.int(*value),
            Number::Var(place) => t.var(vars.numbers[*place]),
            Number::Add(a, b) => t.add(a.term(t, vars), b.term(t, vars)),
            Number::Sub(a, b) => t.sub(a.term(t, vars), b.term(t, vars)),
            Number::Scale(factor, a) => t.scale(*factor, a.term(t, vars)),
            Number::Mul(a, b) => t.mul(a.term(t, vars), b.term(t, vars)),
            Number::Div(a, divisor) => t.div(a.term(t, vars), *divisor),
            Number::Mod(a, divisor) => t.modulo(a.term(t, vars), *divisor),
            Number::Ite(c, a, b) => t.ite(c.term(t, vars), a.term(t, vars), b.term(t, vars)),
        }
    }
}

impl Formula {
    pub(crate) fn eval(&self, point: &Point) -> bool {
        match self {
            Formula::Var(place) => point.1[*place],
            Formula::Le(a, b) => a.eval(point) <= b.eval(point),
            Formula::Eq(a, b) => a.eval(point) == b.eval(point),
            Formula::Divides(divisor, a) => a.eval(point).rem_euclid(*divisor) == 0,
            Formula::Not(a) => !a.eval(point),
            Formula::And(args) => args.iter().all(|arg| arg.eval(point)),
            Formula::Or(args) => args.iter().any(|arg| arg.eval(point)),
            Formula::Iff(a, b) => a.eval(point) == b.eval(point),
        }
    }

    pub(crate) fn term(&self, t: &Terms, vars: &Variables) -> Term {
        match self {
            Formula::Var(place) => t.var(vars.truths[*place]),
            Formula::Le(a, b) => t.le(a.term(t, vars), b.term(t, vars)),
            Formula::Eq(a, b) => t.eq(a.term(t, vars), b.term(t, vars)),
            Formula::Divides(divisor, a) => t.divides(*divisor, a.term(t, vars)),
            Formula::Not(a) => t.not(a.term(t, vars)),
            Formula::And(args) => t.and(args.iter().map(|arg| arg.term(t, vars))),
            Formula::Or(args) => t.or(args.iter().map(|arg| arg.term(t, vars))),
            Formula::Iff(a, b) => t.iff(a.term(t, vars), b.term(t, vars)),
        }
    }
}

fn number(formula: Option<BoxedStrategy<Formula>>, depth: u32) -> BoxedStrategy<Number> {
    let leaf = prop_oneof![
        1 => (-5i64..=5).prop_map(Number::Const),
        3 => (0usize..3).prop_map(Number::Var),
    ];
    let step = move |inner: BoxedStrategy<Number>| {
        let pair = || {
            (
                inner.clone().prop_map(Box::new),
                inner.clone().prop_map(Box::new),
            )
        };
        let mut choice = vec![
            (4, pair().prop_map(|(a, b)| Number::Add(a, b)).boxed()),
            (2, pair().prop_map(|(a, b)| Number::Sub(a, b)).boxed()),
            (
                3,
                (-4i64..=4, inner.clone())
                    .prop_map(|(k, a)| Number::Scale(k, a.into()))
                    .boxed(),
            ),
            (
                2,
                (inner.clone(), 2i64..6)
                    .prop_map(|(a, d)| Number::Div(a.into(), d))
                    .boxed(),
            ),
            (
                2,
                (inner.clone(), 2i64..6)
                    .prop_map(|(a, d)| Number::Mod(a.into(), d))
                    .boxed(),
            ),
            (1, pair().prop_map(|(a, b)| Number::Mul(a, b)).boxed()),
        ];
        if let Some(formula) = &formula {
            let ite = (formula.clone().prop_map(Box::new), pair());
            choice.push((2, ite.prop_map(|(c, (a, b))| Number::Ite(c, a, b)).boxed()));
        }
        proptest::strategy::Union::new_weighted(choice)
    };
    leaf.prop_recursive(depth, 12, 2, move |inner| step(inner.boxed()))
        .boxed()
}

fn formula_over(number: BoxedStrategy<Number>, depth: u32) -> BoxedStrategy<Formula> {
    let leaf = prop_oneof![
        1 => (0usize..2).prop_map(Formula::Var),
        4 => (number.clone(), number.clone()).prop_map(|(a, b)| Formula::Le(a, b)),
        4 => (number.clone(), number.clone()).prop_map(|(a, b)| Formula::Eq(a, b)),
        2 => (2i64..7, number).prop_map(|(d, a)| Formula::Divides(d, a)),
    ];
    leaf.prop_recursive(depth, 10, 3, |inner| {
        let many = || proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            many().prop_map(Formula::And),
            many().prop_map(Formula::Or),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Formula::Iff(a.into(), b.into())),
        ]
    })
    .boxed()
}

/// Random formulas.
pub(crate) fn formula() -> BoxedStrategy<Formula> {
    let plain = formula_over(number(None, 1), 1);
    formula_over(number(Some(plain), 2), 2)
}
