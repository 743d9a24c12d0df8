//! Questions about floats by intervals: every box of inputs is looked at until the conditions fail in all of them.
//!
//! Right for conditions on few inputs with bounds, where results are bounded because the inputs are (polynomials, filters of a few steps): there a solver
//! for bits has to multiply bit by bit, and intervals are quick. Rounding to nearest is monotone, so the results at the ends of intervals, rounded as any
//! result is, are exact ends of the interval of results: nothing has to be widened.
//!
//! **Invariant: what a node can be for inputs in the box lies in its interval**, where NaN is told apart by a mark of its own. A box is given up only where one of the conditions can't hold in it,
//! and halves of a box make up the box.

use rhumb_logic::{Budget, Int, Linear, Node, Op, Rounding, Sort, Symbol, Term, Terms, Work};
use rustc_hash::FxHashMap;

use super::questions::Symbols;

/// Work that is put into one question.
const LIMIT: Work = Work::secs(2);

/// Boxes between two looks at the budget.
const STRIDE: u64 = 256;

/// Nodes whose evaluation is worth a unit of work.
const NODES_PER_UNIT: u64 = 4;

/// Inputs that may be halved: with more there are too many boxes.
const MAX_INPUTS: usize = 6;

/// What a node can be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Extent {
    /// Which truth values are possible: false, true.
    Truth(bool, bool),
    Float(Floats),
    Anything,
}

/// A set of floats: all from one to another, and NaN if so marked. Zeros are not told apart. Empty if `low > high`.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Floats {
    low: f64,
    high: f64,
    nan: bool,
}

impl Floats {
    const ALL: Floats = Floats {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };

    /// No number at all.
    const NONE: Floats = Floats {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        nan: false,
    };

    fn is_empty(self) -> bool {
        self.low > self.high
    }

    fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn has_infinity(self) -> bool {
        !self.is_empty() && (self.low.is_infinite() || self.high.is_infinite())
    }

    fn hull(self, other: Floats) -> Floats {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Floats {
                nan: self.nan || other.nan,
                ..other
            },
            (_, true) => Floats {
                nan: self.nan || other.nan,
                ..self
            },
            _ => Floats {
                low: self.low.min(other.low),
                high: self.high.max(other.high),
                nan: self.nan || other.nan,
            },
        }
    }
}

/// The formats whose arithmetic the host has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Precision {
    Single,
    Double,
}

impl Precision {
    fn of(exponent: u32, significand: u32) -> Option<Precision> {
        match (exponent, significand) {
            (8, 24) => Some(Precision::Single),
            (11, 53) => Some(Precision::Double),
            _ => None,
        }
    }

    fn round(self, value: f64) -> f64 {
        match self {
            // Of a sum, difference, product, quotient or root of two singles: rounding twice is rounding once, since a double has more than
            // twice the digits, and two.
            Precision::Single => f64::from(value as f32),
            Precision::Double => value,
        }
    }

    /// The number with a pattern.
    fn number(self, bits: &Int) -> Option<f64> {
        let bits = u64::try_from(bits.clone()).ok()?;
        match self {
            Precision::Single => Some(f32::from_bits(u32::try_from(bits).ok()?).into()),
            Precision::Double => Some(f64::from_bits(bits)),
        }
    }
}

/// A node of the formula, its children before it.
enum Step {
    Truth(bool),
    /// An input of this number.
    Input(usize),
    Constant(Floats),
    Not(usize),
    And(Box<[usize]>),
    Or(Box<[usize]>),
    Iff(usize, usize),
    Choice(usize, usize, usize),
    Arithmetic(Op, Precision, usize, usize),
    Compare(Op, usize, usize),
    Root(Precision, usize),
    Convert(Precision, usize),
    Integral(Rounding, usize),
    Negate(usize),
    Absolute(usize),
    Unknown,
}

/// Conditions as steps over inputs.
struct Plan {
    steps: Vec<Step>,
    conditions: Vec<usize>,
    inputs: Vec<(Symbol, Precision)>,
}

/// Whether it was found that conditions can't hold together, with the definitions of their symbols.
pub(super) fn is_impossible(
    terms: &Terms,
    conditions: &[Term],
    symbols: &Symbols,
    budget: &Budget,
) -> bool {
    let Some(plan) = Plan::new(terms, conditions, symbols) else {
        return false;
    };
    let budget = budget.within(LIMIT);
    let mut pending = vec![vec![Floats::ALL; plan.inputs.len()]];
    let mut values = Vec::new();
    let mut count = 0;
    while let Some(mut input) = pending.pop() {
        count += 1;
        if count % STRIDE == 0 {
            budget.spend(STRIDE * (1 + plan.steps.len() as u64 / NODES_PER_UNIT));
            if budget.is_spent() {
                return false;
            }
        }
        plan.evaluate(&input, &mut values);
        let fails = |&condition: &usize| matches!(values[condition], Extent::Truth(_, false));
        if plan.conditions.iter().any(fails) {
            continue;
        }
        match plan.halve(&mut input) {
            Some(other) => pending.extend([other, input]),
            None => return false,
        }
    }
    true
}

impl Plan {
    /// None if there are no inputs to halve, or too many.
    fn new(terms: &Terms, conditions: &[Term], symbols: &Symbols) -> Option<Plan> {
        let mut builder = Builder {
            terms,
            symbols,
            plan: Plan {
                steps: Vec::new(),
                conditions: Vec::new(),
                inputs: Vec::new(),
            },
            known: FxHashMap::default(),
            inputs: FxHashMap::default(),
        };
        for &condition in conditions {
            let step = builder.step(condition);
            builder.plan.conditions.push(step);
        }
        let plan = builder.plan;
        // Nothing is known of integers here, so conditions without floats say nothing.
        (1..=MAX_INPUTS)
            .contains(&plan.inputs.len())
            .then_some(plan)
    }

    fn evaluate(&self, inputs: &[Floats], values: &mut Vec<Extent>) {
        values.clear();
        for step in &self.steps {
            let extent = self.extent(step, inputs, values);
            values.push(extent);
        }
    }

    fn extent(&self, step: &Step, inputs: &[Floats], values: &[Extent]) -> Extent {
        let truth = |index: usize| match values[index] {
            Extent::Truth(no, yes) => (no, yes),
            _ => (true, true),
        };
        let floats = |index: usize| match values[index] {
            Extent::Float(floats) => floats,
            _ => Floats::ALL,
        };
        match *step {
            Step::Truth(value) => Extent::Truth(!value, value),
            Step::Input(index) => Extent::Float(inputs[index]),
            Step::Constant(floats) => Extent::Float(floats),
            Step::Not(a) => {
                let (no, yes) = truth(a);
                Extent::Truth(yes, no)
            }
            Step::And(ref parts) => {
                let no = parts.iter().any(|&part| truth(part).0);
                Extent::Truth(no, parts.iter().all(|&part| truth(part).1))
            }
            Step::Or(ref parts) => {
                let yes = parts.iter().any(|&part| truth(part).1);
                Extent::Truth(parts.iter().all(|&part| truth(part).0), yes)
            }
            Step::Iff(a, b) => {
                let ((no_a, yes_a), (no_b, yes_b)) = (truth(a), truth(b));
                Extent::Truth(
                    no_a && yes_b || yes_a && no_b,
                    no_a && no_b || yes_a && yes_b,
                )
            }
            Step::Choice(condition, then, other) => match (truth(condition), then, other) {
                ((false, _), then, _) => values[then],
                ((_, false), _, other) => values[other],
                (_, then, other) => match (values[then], values[other]) {
                    (Extent::Float(a), Extent::Float(b)) => Extent::Float(a.hull(b)),
                    _ => Extent::Anything,
                },
            },
            Step::Arithmetic(op, precision, a, b) => {
                Extent::Float(arithmetic(op, precision, floats(a), floats(b)))
            }
            Step::Compare(op, a, b) => compare(op, floats(a), floats(b)),
            Step::Root(precision, a) => {
                let a = floats(a);
                let nan = a.nan || !a.is_empty() && a.low < 0.0;
                Extent::Float(match a.is_empty() || a.high < 0.0 {
                    true => Floats {
                        nan,
                        ..Floats::NONE
                    },
                    false => Floats {
                        low: precision.round(a.low.max(0.0).sqrt()),
                        high: precision.round(a.high.sqrt()),
                        nan,
                    },
                })
            }
            Step::Integral(rounding, a) => {
                let round = |value: f64| match rounding {
                    Rounding::NearestEven => value.round_ties_even(),
                    Rounding::NearestAway => value.round(),
                    Rounding::Up => value.ceil(),
                    Rounding::Down => value.floor(),
                    Rounding::TowardsZero => value.trunc(),
                };
                let a = floats(a);
                Extent::Float(Floats {
                    low: round(a.low),
                    high: round(a.high),
                    nan: a.nan,
                })
            }
            Step::Negate(a) => {
                let a = floats(a);
                Extent::Float(Floats {
                    low: -a.high,
                    high: -a.low,
                    nan: a.nan,
                })
            }
            Step::Absolute(a) => {
                let a = floats(a);
                Extent::Float(match a.is_empty() {
                    true => a,
                    false => Floats {
                        low: a.low.max(-a.high).max(0.0),
                        high: a.high.max(-a.low),
                        nan: a.nan,
                    },
                })
            }
            Step::Convert(precision, a) => {
                let a = floats(a);
                Extent::Float(Floats {
                    low: precision.round(a.low),
                    high: precision.round(a.high),
                    nan: a.nan,
                })
            }
            Step::Unknown => Extent::Anything,
        }
    }

    /// Takes one half of a box, and gives the other; none if it is a single point.
    fn halve(&self, inputs: &mut [Floats]) -> Option<Vec<Floats>> {
        // NaN on one side, numbers on the other.
        for index in 0..inputs.len() {
            if inputs[index].nan && !inputs[index].is_empty() {
                let mut other = inputs.to_vec();
                other[index] = Floats {
                    nan: true,
                    ..Floats::NONE
                };
                inputs[index].nan = false;
                return Some(other);
            }
        }
        let size = |floats: &Floats| match floats.is_empty() {
            true => 0.0,
            false => floats.high.min(f64::MAX) - floats.low.max(f64::MIN),
        };
        let widest =
            (0..inputs.len()).max_by(|&a, &b| size(&inputs[a]).total_cmp(&size(&inputs[b])))?;
        let Floats { low, high, .. } = inputs[widest];
        if low >= high {
            return None;
        }
        let (below, above) = self.inputs[widest].1.between(low, high);
        let mut other = inputs.to_vec();
        inputs[widest].high = below;
        other[widest].low = above;
        Some(other)
    }
}

impl Precision {
    /// Two neighbours between two numbers, the first one below the second: somewhere in the middle, by size where the ends are near, by pattern where they are not.
    fn between(self, low: f64, high: f64) -> (f64, f64) {
        const NEAR: f64 = 1e4;
        let middle = match low.abs().max(high.abs()) < NEAR {
            true => self.round(low / 2.0 + high / 2.0),
            false => {
                let [a, b] = [low, high].map(|end| self.rank(end));
                self.at(a + (b - a) / 2)
            }
        };
        let below = match middle >= high {
            true => self.at(self.rank(high) - 1),
            false => middle.max(low),
        };
        (below, self.at(self.rank(below) + 1))
    }

    /// Numbers in their order; both zeros have one rank.
    fn rank(self, value: f64) -> i128 {
        let size = match self {
            Precision::Single => i128::from((value.abs() as f32).to_bits()),
            Precision::Double => i128::from(value.abs().to_bits()),
        };
        if value < 0.0 { -size } else { size }
    }

    fn at(self, rank: i128) -> f64 {
        let size = rank.unsigned_abs();
        let value = match self {
            Precision::Single => f64::from(f32::from_bits(size as u32)),
            Precision::Double => f64::from_bits(size as u64),
        };
        if rank < 0 { -value } else { value }
    }
}

fn arithmetic(op: Op, precision: Precision, a: Floats, b: Floats) -> Floats {
    let nan = a.nan || b.nan;
    if a.is_empty() || b.is_empty() {
        return Floats {
            nan,
            ..Floats::NONE
        };
    }
    let apply = |x: f64, y: f64| {
        precision.round(match op {
            Op::FpAdd => x + y,
            Op::FpSub => x - y,
            Op::FpMul => x * y,
            _ => x / y,
        })
    };
    // Where a result at an end may be none, or is not the largest, nothing is said.
    let is_open = match op {
        Op::FpAdd | Op::FpSub => a.has_infinity() && b.has_infinity(),
        Op::FpMul => a.has_infinity() && b.has_zero() || a.has_zero() && b.has_infinity(),
        _ => b.has_zero() || a.has_infinity() && b.has_infinity(),
    };
    if is_open {
        return Floats::ALL;
    }
    let ends = match op {
        Op::FpAdd => [apply(a.low, b.low), apply(a.high, b.high)].to_vec(),
        Op::FpSub => [apply(a.low, b.high), apply(a.high, b.low)].to_vec(),
        _ => [
            apply(a.low, b.low),
            apply(a.low, b.high),
            apply(a.high, b.low),
            apply(a.high, b.high),
        ]
        .to_vec(),
    };
    if ends.iter().any(|end| end.is_nan()) {
        return Floats::ALL;
    }
    Floats {
        low: ends.iter().copied().fold(f64::INFINITY, f64::min),
        high: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        nan,
    }
}

fn compare(op: Op, a: Floats, b: Floats) -> Extent {
    let nan = a.nan || b.nan;
    if a.is_empty() || b.is_empty() {
        return Extent::Truth(true, false);
    }
    match op {
        Op::FpLt => Extent::Truth(nan || a.high >= b.low, a.low < b.high),
        Op::FpLe => Extent::Truth(nan || a.high > b.low, a.low <= b.high),
        _ => {
            let is_one = a.low == a.high && b.low == b.high && a.low == b.low;
            Extent::Truth(nan || !is_one, a.low <= b.high && b.low <= a.high)
        }
    }
}

/// Makes steps of terms.
struct Builder<'a> {
    terms: &'a Terms,
    symbols: &'a Symbols,
    plan: Plan,
    known: FxHashMap<Term, usize>,
    inputs: FxHashMap<Symbol, usize>,
}

impl Builder<'_> {
    /// The step of a term; children first, so that recursion is never deep.
    fn step(&mut self, root: Term) -> usize {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.known.contains_key(&term) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            pending.extend(
                self.needed(term)
                    .into_iter()
                    .filter(|it| !self.known.contains_key(it)),
            );
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let step = self.made(term);
            self.plan.steps.push(step);
            self.known.insert(term, self.plan.steps.len() - 1);
        }
        self.known[&root]
    }

    /// The terms whose steps come before that of a term: for a number with a pattern that is defined, what it is defined by.
    fn needed(&self, term: Term) -> Vec<Term> {
        match self.terms.node(term) {
            Node::Op(Op::FpFromBits(exponent, significand), args) => {
                match self.source(args[0], exponent + significand) {
                    Source::Number(number) | Source::Negated(number) | Source::Absolute(number) => {
                        vec![number]
                    }
                    _ => Vec::new(),
                }
            }
            Node::Op(
                Op::FpAdd
                | Op::FpSub
                | Op::FpMul
                | Op::FpDiv
                | Op::FpEq
                | Op::FpLt
                | Op::FpLe
                | Op::FpSqrt
                | Op::FpRound(_)
                | Op::FpToFp(..),
                args,
            ) => args.to_vec(),
            Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Iff(..) | Node::Ite(..) => {
                let mut children = Vec::new();
                self.terms
                    .for_each_child(term, |child| children.push(child));
                children
            }
            _ => Vec::new(),
        }
    }

    fn made(&mut self, term: Term) -> Step {
        let known = |term: &Term| self.known[term];
        match self.terms.node(term) {
            Node::Bool(value) => Step::Truth(*value),
            Node::Not(a) => Step::Not(known(a)),
            Node::And(parts) => Step::And(parts.iter().map(known).collect()),
            Node::Or(parts) => Step::Or(parts.iter().map(known).collect()),
            Node::Iff(a, b) => Step::Iff(known(a), known(b)),
            Node::Ite(condition, then, other) => {
                Step::Choice(known(condition), known(then), known(other))
            }
            Node::Op(op @ (Op::FpEq | Op::FpLt | Op::FpLe), args) => {
                Step::Compare(*op, known(&args[0]), known(&args[1]))
            }
            Node::Op(op @ (Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv), args) => {
                match self.precision(term) {
                    Some(precision) => {
                        Step::Arithmetic(*op, precision, known(&args[0]), known(&args[1]))
                    }
                    None => Step::Unknown,
                }
            }
            Node::Op(Op::FpSqrt, args) => match self.precision(term) {
                Some(precision) => Step::Root(precision, known(&args[0])),
                None => Step::Unknown,
            },
            Node::Op(Op::FpRound(rounding), args) => match self.precision(term) {
                Some(_) => Step::Integral(*rounding, known(&args[0])),
                None => Step::Unknown,
            },
            Node::Op(Op::FpToFp(..), args) => {
                match (self.precision(term), self.precision(args[0])) {
                    (Some(precision), Some(_)) => Step::Convert(precision, known(&args[0])),
                    _ => Step::Unknown,
                }
            }
            Node::Op(Op::FpFromBits(exponent, significand), args) => {
                let Some(precision) = Precision::of(*exponent, *significand) else {
                    return Step::Unknown;
                };
                match self.source(args[0], exponent + significand) {
                    // One step stands for another.
                    Source::Number(number) => Step::Convert(precision, known(&number)),
                    Source::Negated(number) => Step::Negate(known(&number)),
                    Source::Absolute(number) => Step::Absolute(known(&number)),
                    Source::Constant(bits) => match precision.number(&bits) {
                        Some(value) if value.is_nan() => Step::Constant(Floats {
                            nan: true,
                            ..Floats::NONE
                        }),
                        Some(value) => Step::Constant(Floats {
                            low: value,
                            high: value,
                            nan: false,
                        }),
                        None => Step::Unknown,
                    },
                    Source::Input(symbol) => {
                        let next = self.plan.inputs.len();
                        let index = *self.inputs.entry(symbol).or_insert(next);
                        if index == next {
                            self.plan.inputs.push((symbol, precision));
                        }
                        match self.plan.inputs[index].1 == precision {
                            true => Step::Input(index),
                            false => Step::Unknown,
                        }
                    }
                    Source::Other => Step::Unknown,
                }
            }
            _ => Step::Unknown,
        }
    }

    fn precision(&self, term: Term) -> Option<Precision> {
        match self.terms.sort(term) {
            Sort::Float(exponent, significand) => Precision::of(exponent, significand),
            _ => None,
        }
    }

    /// Where a pattern of so many bits comes from.
    fn source(&self, bits: Term, width: u32) -> Source {
        let terms = self.terms;
        let power = |exponent: u32| Int::ONE << exponent as usize;
        let integer = match terms.node(bits) {
            Node::Bits(_, value) => return Source::Constant(Int::from(value.clone())),
            Node::Op(Op::IntToBv(_), args) => args[0],
            _ => return Source::Other,
        };
        let number = |integer: Term| match terms.node(integer) {
            Node::Symbol(symbol) => match self.symbols.definitions.get(symbol) {
                Some(&definition) => self.defined(definition, integer),
                None => None,
            },
            _ => None,
        };
        // The number whose pattern is an integer, for functions that look at the sign only.
        let of_pattern = |integer: Term| {
            let (exponent, significand) = match width {
                32 => (8, 24),
                64 => (11, 53),
                _ => return None,
            };
            let bits = terms.op(Op::IntToBv(width), [integer]);
            Some(terms.op(Op::FpFromBits(exponent, significand), [bits]))
        };
        let negated = |sum: &Linear| match &*sum.parts {
            [(part, factor)] if factor.is_one() && sum.constant == power(width - 1) => {
                of_pattern(*part).map(Source::Negated)
            }
            _ => None,
        };
        match terms.node(integer) {
            Node::Int(value) => Source::Constant(value.clone()),
            Node::Symbol(symbol) => match number(integer) {
                Some(number) => Source::Number(number),
                None if self.symbols.definitions.contains_key(symbol) => Source::Other,
                None => Source::Input(*symbol),
            },
            Node::Sum(sum) => negated(sum).unwrap_or(Source::Other),
            Node::Mod(inner, divisor) if *divisor == power(width) => match terms.node(*inner) {
                Node::Sum(sum) => negated(sum).unwrap_or(Source::Other),
                _ => Source::Other,
            },
            Node::Mod(inner, divisor) if *divisor == power(width - 1) => {
                of_pattern(*inner).map_or(Source::Other, Source::Absolute)
            }
            _ => Source::Other,
        }
    }

    /// The number of which a definition says that an integer is its pattern.
    fn defined(&self, definition: Term, integer: Term) -> Option<Term> {
        let Node::Equal(a, b) = self.terms.node(definition) else {
            return None;
        };
        let is_pattern = |term: Term| match self.terms.node(term) {
            Node::Op(Op::FpFromBits(..), args) => match self.terms.node(args[0]) {
                Node::Op(Op::IntToBv(_), args) => args[0] == integer,
                _ => false,
            },
            _ => false,
        };
        match (is_pattern(*a), is_pattern(*b)) {
            (true, _) => Some(*b),
            (_, true) => Some(*a),
            _ => None,
        }
    }
}

/// Where the pattern of a number comes from.
enum Source {
    Constant(Int),
    Input(Symbol),
    /// It is a pattern of this number.
    Number(Term),
    /// It is the pattern of this number with the other sign.
    Negated(Term),
    /// It is the pattern of this number without its sign.
    Absolute(Term),
    Other,
}

#[cfg(test)]
mod tests {
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

        fn from_bits(&self, integer: Term) -> Term {
            let (exponent, significand) = self.format();
            let bits = (self.terms).op(Op::IntToBv(exponent + significand), [integer]);
            (self.terms).op(Op::FpFromBits(exponent, significand), [bits])
        }

        fn constant(&self, value: f64) -> Term {
            let bits = match self.is_single {
                true => u64::from((value as f32).to_bits()),
                false => value.to_bits(),
            };
            self.from_bits(self.terms.int(bits))
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
                let term = random.from_bits(terms.var(symbol));
                (term, random.number())
            });
            let (term, value) = random.expression(&inputs, 3);
            let mut conditions = Vec::new();
            for (input, value) in inputs {
                if !value.is_nan() {
                    let ends =
                        [value - 1.0, value + 1.0].map(|end| random.constant(random.round(end)));
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
}
