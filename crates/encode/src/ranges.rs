//! What is cheaply known about the range of a term: from its symbols' types alone, or at a place of a block from the
//! conditions that were passed on the way there.
//!
//! Terms are never assigned to, so what a condition says about a term stays true behind it. A fact is kept with the place behind which it
//! holds; it can be used wherever that place dominates.

use rhumb_logic::{Int, Linear, Node, Op, Symbol, Term, Terms};
use rhumb_program::ArithOp;
use rhumb_program::graph::Dominators;
use rustc_hash::FxHashMap;

use crate::region::RegionPlace;
use crate::values::Interval;

/// Conditions over more terms than this bound each of them too loosely to be worth the work.
const MAX_PARTS: usize = 4;

/// Ranges that hold everywhere.
#[derive(Default)]
pub(crate) struct Ranges {
    symbols: FxHashMap<Symbol, Interval>,
    terms: FxHashMap<Term, Interval>,
}

impl Ranges {
    /// A symbol has values in a range only.
    pub(crate) fn declare(&mut self, symbol: Symbol, range: Interval) {
        self.symbols.insert(symbol, range);
    }

    /// The range of a declared symbol.
    pub(crate) fn symbol(&self, symbol: Symbol) -> Option<&Interval> {
        self.symbols.get(&symbol)
    }

    /// A term whose range the caller knows.
    pub(crate) fn define(&mut self, term: Term, range: Interval) {
        self.terms.entry(term).or_insert(range);
    }

    /// The range of a term of sort `Int`. Terms are made of declared symbols and of what was defined, so there always is one.
    pub(crate) fn of(&mut self, terms: &Terms, term: Term) -> Interval {
        if let Some(known) = self.terms.get(&term) {
            return known.clone();
        }
        let mut stack = vec![term];
        while let Some(&at) = stack.last() {
            if self.terms.contains_key(&at) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            let mut want = |child: Term| {
                if !self.terms.contains_key(&child) {
                    stack.push(child);
                }
            };
            match terms.node(at) {
                Node::Ite(_, then, other) => {
                    want(*then);
                    want(*other);
                }
                Node::Sum(_) | Node::Product(..) | Node::Div(..) | Node::Mod(..) => {
                    terms.for_each_child(at, want);
                }
                _ => {}
            }
            if stack.len() == waiting {
                stack.pop();
                let range = self.step(terms, at);
                self.terms.insert(at, range);
            }
        }
        self.terms[&term].clone()
    }

    /// The range of a term whose children's are known.
    fn step(&self, terms: &Terms, term: Term) -> Interval {
        match terms.node(term) {
            Node::Int(value) => Interval::point(value.clone()),
            Node::Symbol(symbol) => self.symbols.get(symbol).cloned().unwrap_or_else(unbounded),
            Node::Ite(_, then, other) => self.terms[then].clone().join(self.terms[other].clone()),
            Node::Sum(sum) => sum_range(sum, |part| self.terms[&part].clone()),
            Node::Product(a, b) => self.terms[a].times(&self.terms[b]),
            Node::Div(a, divisor) => self.terms[a].divided(divisor),
            Node::Mod(a, divisor) => self.terms[a].modulo(divisor),
            _ => unbounded(),
        }
    }
}

/// Wider than any value that arises: for what no rule knows.
fn unbounded() -> Interval {
    let far = Int::ONE << 4096;
    Interval::new(-&far, far)
}

fn sum_range(sum: &Linear, mut of: impl FnMut(Term) -> Interval) -> Interval {
    let start = Interval::point(sum.constant.clone());
    sum.parts.iter().fold(start, |total, (part, factor)| {
        total.plus(&of(*part).scaled(factor))
    })
}

/// What is known at the places of one region.
#[derive(Default)]
pub(crate) struct Facts {
    /// Bounds of combinations without a constant, the first coefficient positive, coefficients coprime.
    bounds: FxHashMap<Term, Vec<(RegionPlace, Interval)>>,
    /// Operations that don't overflow.
    fitting: FxHashMap<(ArithOp, Term, Term), Vec<RegionPlace>>,
}

/// How a combination is written as a multiple of a bounded one.
struct Shape {
    key: Term,
    factor: Int,
    constant: Int,
}

impl Shape {
    fn of(terms: &Terms, sum: &Linear) -> Option<Shape> {
        let (_, first) = sum.parts.first()?;
        let content = sum.content();
        let factor = if *first < Int::ZERO {
            -content
        } else {
            content
        };
        let parts = sum
            .parts
            .iter()
            .map(|(term, value)| (*term, value / &factor));
        let key = Linear {
            parts: parts.collect(),
            constant: Int::ZERO,
        };
        Some(Shape {
            key: terms.linear(&key),
            factor,
            constant: sum.constant.clone(),
        })
    }
}

/// The places, the terms and what is known everywhere: what a question about a range needs.
pub(crate) struct Known<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) ranges: &'a mut Ranges,
    pub(crate) dominators: &'a Dominators<RegionPlace>,
}

impl Facts {
    /// From a place on the operation doesn't overflow.
    pub(crate) fn fits(&mut self, at: RegionPlace, op: ArithOp, a: Term, b: Term) {
        self.fitting.entry((op, a, b)).or_default().push(at);
    }

    /// Whether it is known at a place that the operation doesn't overflow.
    pub(crate) fn is_fitting(
        &self,
        known: &Known<'_>,
        at: RegionPlace,
        op: ArithOp,
        a: Term,
        b: Term,
    ) -> bool {
        let places = self.fitting.get(&(op, a, b));
        places.is_some_and(|places| places.iter().any(|&by| known.dominators.dominates(by, at)))
    }

    /// The range of a term at a place.
    pub(crate) fn range(&self, known: &mut Known<'_>, at: RegionPlace, term: Term) -> Interval {
        let whole = known.ranges.of(known.terms, term);
        let sum = known.terms.as_linear(term);
        let Some(shape) = Shape::of(known.terms, &sum) else {
            return whole;
        };
        let mut range = whole;
        if sum.parts.len() > 1 {
            let by_parts = sum_range(&sum, |part| self.bounded(known, at, part));
            range = range.meet(&by_parts);
        }
        let bounds = self.bounded(known, at, shape.key);
        let scaled = bounds.scaled(&shape.factor);
        range.meet(&scaled.plus(&Interval::point(shape.constant)))
    }

    /// The range of a combination in the form of `Shape`, from bounds on it as a whole.
    fn bounded(&self, known: &mut Known<'_>, at: RegionPlace, key: Term) -> Interval {
        let mut range = known.ranges.of(known.terms, key);
        for (by, bounds) in self.bounds.get(&key).into_iter().flatten() {
            if known.dominators.dominates(*by, at) {
                range = range.meet(bounds);
            }
        }
        range
    }

    /// From a place on the term lies in the interval.
    pub(crate) fn learn(
        &mut self,
        known: &mut Known<'_>,
        at: RegionPlace,
        term: Term,
        range: &Interval,
    ) {
        let sum = known.terms.as_linear(term);
        self.learn_sum(known, at, &sum, range);
    }

    fn learn_sum(
        &mut self,
        known: &mut Known<'_>,
        at: RegionPlace,
        sum: &Linear,
        range: &Interval,
    ) {
        let Some(shape) = Shape::of(known.terms, sum) else {
            return;
        };
        let shifted = range.plus(&Interval::point(-shape.constant));
        let before = self.bounded(known, at, shape.key);
        let Some(bounds) = shifted.unscaled(&shape.factor) else {
            return;
        };
        if !bounds.covers(&before) {
            self.bounds.entry(shape.key).or_default().push((at, bounds));
        }
    }

    /// From a place on the formula holds.
    pub(crate) fn assume(&mut self, known: &mut Known<'_>, at: RegionPlace, formula: Term) {
        let terms = known.terms;
        match terms.node(formula) {
            Node::And(members) => {
                for &member in members {
                    self.assume(known, at, member);
                }
            }
            Node::AtMostZero(sum) => self.at_most_zero(known, at, sum),
            Node::Zero(sum) => {
                self.at_most_zero(known, at, sum);
                self.at_most_zero(known, at, &sum.times(&Int::NEG_ONE));
            }
            Node::Not(inner) => {
                if let Node::Zero(sum) = terms.node(*inner) {
                    self.not_zero(known, at, sum);
                }
            }
            _ => {}
        }
    }

    /// The combination is at most zero: a bound on it, and on each part from the ranges of the others.
    fn at_most_zero(&mut self, known: &mut Known<'_>, at: RegionPlace, sum: &Linear) {
        let whole = sum_range(sum, |part| self.bounded(known, at, part));
        let bounded = Interval {
            low: whole.low.clone().min(Int::ZERO),
            high: Int::ZERO,
        };
        self.learn_sum(known, at, sum, &bounded);
        if !(2..=MAX_PARTS).contains(&sum.parts.len()) {
            return;
        }
        for (part, factor) in &sum.parts {
            let range = self.bounded(known, at, *part).scaled(factor);
            // The least that the rest can be is the least of the whole without this part.
            let limit = &range.low - &whole.low;
            let new = Interval {
                low: range.low.clone().min(limit.clone()),
                high: limit,
            };
            let scaled = Linear {
                parts: Box::new([(*part, factor.clone())]),
                constant: Int::ZERO,
            };
            self.learn_sum(known, at, &scaled, &new);
        }
    }

    /// The combination is not zero: that says something about its range if zero is at its end.
    fn not_zero(&mut self, known: &mut Known<'_>, at: RegionPlace, sum: &Linear) {
        let term = known.terms.linear(sum);
        let mut range = self.range(known, at, term);
        if range.low.is_zero() {
            range.low = Int::ONE;
        } else if range.high.is_zero() {
            range.high = Int::NEG_ONE;
        } else {
            return;
        }
        if range.low <= range.high {
            self.learn_sum(known, at, sum, &range);
        }
    }
}

/// The width of an operation's result, for ranges of what bit-vectors give.
pub(crate) fn op_range(op: Op, width: u32) -> Interval {
    let whole = Int::ONE << width as usize;
    match op {
        Op::BvToIntSigned => {
            let half = whole >> 1;
            Interval::new(-&half, half - Int::ONE)
        }
        _ => Interval::new(Int::ZERO, whole - Int::ONE),
    }
}
