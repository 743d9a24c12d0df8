//! Conditions as steps, each with its children before it.

use rhumb_logic::{Int, Linear, Node, Op, Rounding, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::Plan;
use super::floats::{Floats, Precision};
use crate::proof::execution::questions::Symbols;

/// A node of the formula, its children before it.
pub(super) enum Step {
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

/// Makes steps of terms.
pub(super) struct Builder<'a> {
    terms: &'a Terms,
    symbols: &'a Symbols,
    pub(super) plan: Plan,
    known: FxHashMap<Term, usize>,
    inputs: FxHashMap<Symbol, usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(terms: &'a Terms, symbols: &'a Symbols) -> Builder<'a> {
        Builder {
            terms,
            symbols,
            plan: Plan::default(),
            known: FxHashMap::default(),
            inputs: FxHashMap::default(),
        }
    }

    /// The step of a term; children first, so that recursion is never deep.
    pub(super) fn step(&mut self, root: Term) -> usize {
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
                Some(&definition) => self.defined(definition, integer, width),
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

    /// The number of which a definition says that an integer is its pattern, if it has so many bits. Some of the bits
    /// of a wider number are none of its patterns.
    fn defined(&self, definition: Term, integer: Term, width: u32) -> Option<Term> {
        let Node::Equal(a, b) = self.terms.node(definition) else {
            return None;
        };
        let is_pattern = |term: Term| match self.terms.node(term) {
            Node::Op(Op::FpFromBits(exponent, significand), args)
                if exponent + significand == width =>
            {
                match self.terms.node(args[0]) {
                    Node::Op(Op::IntToBv(_), args) => args[0] == integer,
                    _ => false,
                }
            }
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
